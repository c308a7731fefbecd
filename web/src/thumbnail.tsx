// A page, small: drawn when it comes into sight.
import { useEffect, useRef, useState } from "preact/hooks";
import { api, type Page } from "./api";
import { t } from "./words/words";

const LARGEST = 400_000; // bytes of a page that is drawn small: many are on the screen at once

export function Thumbnail(props: { page: Page }) {
  const box = useRef<HTMLDivElement>(null);
  const [html, setHtml] = useState<string | null>(null);
  const large = props.page.size > LARGEST;
  useEffect(() => {
    if (!box.current || large) return;
    let gone = false;
    const watch = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watch.disconnect();
      void api.view(props.page.id).then((got) => { if (!gone) setHtml(got); }, () => {});
    });
    watch.observe(box.current);
    return () => { gone = true; watch.disconnect(); };
  }, [props.page.id]);
  return <div class="thumbnail" ref={box} aria-hidden="true">
    {large ? <span class="quiet">{t.thumbnail.tooLarge}</span> : html !== null && <iframe title="" tabIndex={-1} sandbox="" scrolling="no" srcdoc={html} />}
  </div>;
}
