// A page as it looks, small. It is drawn when it comes into sight and goes when it is far away: a project has hundreds.
import { useEffect, useRef, useState } from "preact/hooks";
import { api, type Page } from "./api";
import { lookOf } from "./page_look";
import { t } from "./words/words";

const LARGEST = 400_000; // bytes of a page that is drawn small: many are on the screen at once
const NEAR = "600px", AT_ONCE = 3;

// A few are drawn at a time, the last that came into sight first.
const waiting: (() => void)[] = [];
let busy = 0;
function turn(): Promise<void> {
  return new Promise((resolve) => { waiting.push(resolve); next(); });
}
function next(): void {
  while (busy < AT_ONCE && waiting.length) { busy++; waiting.pop()!(); }
}
const done = () => { busy--; next(); };

export function Thumbnail(props: { page: Page }) {
  const box = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(false);
  const [drawn, setDrawn] = useState<{ src?: string; srcdoc?: string } | null>(null);
  const large = props.page.size > LARGEST, finish = useRef<(() => void) | null>(null);
  useEffect(() => {
    if (!box.current || large) return;
    const watch = new IntersectionObserver((entries) => setNear(entries[entries.length - 1]!.isIntersecting), { rootMargin: NEAR });
    watch.observe(box.current);
    return () => watch.disconnect();
  }, [props.page.id]);
  useEffect(() => {
    if (!near) { setDrawn(null); return; }
    let gone = false;
    const draw = async () => {
      await turn();
      let given = false;
      const end = () => { if (!given) done(); given = true; };
      finish.current = end;
      if (gone) { end(); return; }
      try {
        const src = await lookOf(props.page.id);
        const what = src ? { src } : { srcdoc: await api.view(props.page.id) };
        if (gone) end(); else setDrawn(what);
      } catch { end(); }
      setTimeout(end, 3000); // one that does not come holds nobody up
    };
    void draw();
    return () => { gone = true; finish.current?.(); };
  }, [near, props.page.id]);
  return <div class="thumbnail" ref={box} aria-hidden="true">
    {large ? <span class="quiet">{t.thumbnail.tooLarge}</span>
      : drawn && <iframe title="" tabIndex={-1} sandbox="allow-same-origin" scrolling="no" {...drawn} onLoad={() => finish.current?.()} />}
  </div>;
}
