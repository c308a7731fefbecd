// A small window beside something on the screen: at the side of the frame that it is in, or else below it, or above where
// there is more room. Escape closes it.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Box } from "./page_frame";
import type { Places } from "./page_places";
import { t } from "./words/words";

const GAP = 6;

// `follow` gives the box as it is now, where what it is of may scroll: out of sight, the window stays at the edge of the
// `frame`, so that what is in sight can be clicked.
export interface Anchor { follow: () => Box | null; frame: HTMLElement }

export function Beside(props: { box: Box; anchor?: Anchor | null; label: string; onClose: () => void; children: preact.ComponentChildren }) {
  const self = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<{ left: number; top: number } | null>(null);
  const { box, anchor } = props;
  useLayoutEffect(() => {
    const place = () => {
      const size = self.current?.getBoundingClientRect(), now = anchor?.follow() ?? box, edge = anchor?.frame.getBoundingClientRect();
      if (!size) return;
      const below = now.bottom + GAP, above = now.top - GAP - size.height, isBelow = below + size.height <= window.innerHeight || above < (edge?.top ?? 0);
      let top = isBelow ? below : above;
      if (edge && now.bottom < edge.top) top = edge.top + GAP;
      if (edge && now.top > edge.bottom) top = edge.bottom - size.height - GAP;
      // beside the frame, at the height of the value, where there is room: other values of the record can be clicked then
      const isAside = !!edge && window.innerWidth - edge.right >= size.width + 2 * GAP;
      if (isAside && now.bottom >= edge.top && now.top <= edge.bottom) top = now.top - GAP;
      setAt({ left: isAside ? edge.right + GAP : Math.max(GAP, Math.min(now.left, window.innerWidth - size.width - GAP)), top: Math.max(GAP, Math.min(top, window.innerHeight - size.height - GAP)) });
    };
    const watch = new ResizeObserver(place), scrolled = anchor?.frame instanceof HTMLIFrameElement ? anchor.frame.contentWindow : null;
    watch.observe(self.current!);
    scrolled?.addEventListener("scroll", place, { capture: true, passive: true });
    return () => { watch.disconnect(); scrolled?.removeEventListener("scroll", place, { capture: true }); };
  }, [box.left, box.top, box.bottom]);
  // Who closes it is where they were before.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    return () => { if (document.activeElement === document.body || self.current?.contains(document.activeElement)) before?.focus({ preventScroll: true }); };
  }, []);
  const close = useRef(props.onClose);
  close.current = props.onClose;
  useLayoutEffect(() => { // wherever the focus is, in the page of the frame too
    const keys = (event: KeyboardEvent) => { if (event.key === "Escape") close.current(); };
    const places = [window, anchor?.frame instanceof HTMLIFrameElement ? anchor.frame.contentWindow : null];
    for (const one of places) one?.addEventListener("keydown", keys);
    return () => { for (const one of places) one?.removeEventListener("keydown", keys); };
  }, []);
  return <div ref={self} class="offer" role="dialog" aria-label={props.label}
    style={at ? { left: `${at.left}px`, top: `${at.top}px` } : { left: 0, top: 0, visibility: "hidden" }}>
    <button class="plain close" aria-label={t.offer.close} onClick={props.onClose}>×</button>
    {props.children}
  </div>;
}

// Where a stretch of a page is on the screen.
export function anchorOf(places: Places | null, span: { start: number; end: number }): Anchor | null {
  const node = places?.texts.nodes[places.texts.firstAfter(span.start)], frame = node?.ownerDocument.defaultView?.frameElement as HTMLElement | null | undefined;
  if (!node || !frame) return null;
  const range = node.ownerDocument.createRange();
  range.selectNodeContents(node);
  return {
    frame,
    follow: () => {
      const inner = range.getBoundingClientRect(), outer = frame.getBoundingClientRect(), zoom = outer.width / (frame.offsetWidth || 1);
      return { left: outer.left + inner.left * zoom, top: outer.top + inner.top * zoom, right: outer.left + inner.right * zoom, bottom: outer.top + inner.bottom * zoom };
    },
  };
}
