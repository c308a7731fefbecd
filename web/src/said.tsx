// What the workbench says: in a line at the top, which screen readers announce, and for a while beside the button or
// the field that caused it, where somebody is looking.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useWorkbench } from "./state";

const SOON = 30_000; // milliseconds after which an answer belongs to no click any more
const GONE = 7_000; // milliseconds that good news stays beside a button
const EDGE = 8; // pixels from the edge of the window

// Where somebody has done something last. The element may be gone when the answer comes: its place is kept.
let used: { at: DOMRect; time: number; element: Element; view: string | null } | null = null;
const viewNow = () => document.getElementById("view")?.getAttribute("aria-labelledby") ?? null;
const CONTROLS = "button, a, input, select, textarea, label, [tabindex='0'], .drop";
function use(event: Event): void {
  const element = event.target instanceof Element ? event.target.closest(CONTROLS) : null;
  if (element && !element.closest("[role=tab]")) used = { at: element.getBoundingClientRect(), time: Date.now(), element, view: viewNow() };
}
for (const kind of ["click", "keydown", "change", "drop"]) addEventListener(kind, use, true);

// A click in the frame of a page is not heard here, but the frame has the focus then.
function placeNow(): DOMRect | null {
  const frame = document.activeElement instanceof HTMLIFrameElement ? document.activeElement : null;
  if (frame) { const box = frame.getBoundingClientRect(); return new DOMRect(box.x + EDGE, box.y, box.width, EDGE); }
  if (!used || Date.now() - used.time > SOON) return null;
  if (used.element.isConnected) return used.element.getBoundingClientRect();
  return used.view === viewNow() ? used.at : null;
}

function Beside(props: { words: string; bad: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const [at] = useState(placeNow);
  const [over, setOver] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !at) return;
    const { width, height } = element.getBoundingClientRect(), below = at.bottom + EDGE;
    const start = document.documentElement.dir === "rtl" ? at.right - width : at.left;
    element.style.left = `${Math.max(EDGE, Math.min(start, innerWidth - width - EDGE))}px`;
    element.style.top = `${Math.max(EDGE, below + height > innerHeight ? at.top - height - EDGE : below)}px`;
  }, [at]);
  useEffect(() => {
    const end = () => setOver(true), timer = props.bad ? 0 : setTimeout(end, GONE);
    for (const kind of ["pointerdown", "keydown", "wheel"]) addEventListener(kind, end, true);
    return () => { clearTimeout(timer); for (const kind of ["pointerdown", "keydown", "wheel"]) removeEventListener(kind, end, true); };
  }, []);
  return at && !over ? <div class={`beside ${props.bad ? "bad" : ""}`} ref={box} aria-hidden="true" dir="auto">{props.words}</div> : null;
}

export function Said() {
  const { message } = useWorkbench();
  const words = message?.words ?? "", bad = !!message?.bad;
  const english = bad && message?.cause ? { lang: "en" } : {}; // what the server says is in English
  return <>
    <p class={`message ${bad ? "bad" : ""}`} role={bad ? "alert" : "status"} dir="auto" {...english}>{words}</p>
    {words && <Beside key={words} words={words} bad={bad} />}
  </>;
}
