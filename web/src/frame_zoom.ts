// How large a page is shown: the frame is laid out at the width that it has at that size, and scaled, as a browser's zoom does.
import { useLayoutEffect } from "preact/hooks";
import type { RefObject } from "preact";

const LEAST = 0.5;

// A page that is too wide for the box is made smaller if it is to fit. `drawn`: the document, as soon as there is one.
export function useZoom(box: RefObject<HTMLElement>, frame: RefObject<HTMLIFrameElement>, zoom: number | "fit", drawn: unknown): void {
  useLayoutEffect(() => {
    if (!box.current) return;
    const fit = () => {
      const holder = box.current, shown = frame.current;
      if (!holder || !shown) return;
      const wide = holder.clientWidth, high = holder.clientHeight;
      const size = (scale: number) => {
        shown.style.width = `${wide / scale}px`;
        shown.style.height = `${high / scale}px`;
        shown.style.transform = scale === 1 ? "none" : `scale(${scale})`;
      };
      if (zoom !== "fit") { size(zoom / 100); return; }
      const page = drawn ? shown.contentDocument?.scrollingElement : null;
      size(1);
      if (page && page.scrollWidth > wide + 1) size(Math.max(LEAST, wide / page.scrollWidth));
    };
    const watch = new ResizeObserver(fit);
    watch.observe(box.current);
    fit();
    return () => watch.disconnect();
  }, [zoom, drawn, box.current]);
}
