// A small window beside something on the screen: below it, or above where there is more room. Escape closes it.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Box } from "./page_frame";
import { t } from "./words/words";

const GAP = 6;

export function Beside(props: { box: Box; label: string; onClose: () => void; children: preact.ComponentChildren }) {
  const self = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<{ left: number; top: number } | null>(null);
  const { left, top, bottom } = props.box;
  useLayoutEffect(() => {
    const place = () => {
      const size = self.current!.getBoundingClientRect(), below = bottom + GAP, above = top - GAP - size.height;
      const fits = below + size.height <= window.innerHeight || above < 0;
      setAt({
        left: Math.max(GAP, Math.min(left, window.innerWidth - size.width - GAP)),
        top: Math.max(GAP, fits ? Math.min(below, window.innerHeight - size.height - GAP) : above),
      });
    };
    const watch = new ResizeObserver(place);
    watch.observe(self.current!);
    return () => watch.disconnect();
  }, [left, top, bottom]);
  const keys = (event: KeyboardEvent) => { if (event.key === "Escape") { event.stopPropagation(); props.onClose(); } };
  return <div ref={self} class="offer" role="dialog" aria-label={props.label} onKeyDown={keys}
    style={at ? { left: `${at.left}px`, top: `${at.top}px` } : { left: 0, top: 0, visibility: "hidden" }}>
    <button class="plain close" aria-label={t.offer.close} onClick={props.onClose}>×</button>
    {props.children}
  </div>;
}
