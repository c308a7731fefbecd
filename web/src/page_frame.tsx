// The page as it looks: a frame without scripts, whose elements carry their bytes. Marks are painted
// by a style sheet of our own inside it; clicks and selections become places.
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "./api";
import { useLoaded, useWorkbench } from "./state";

export interface Mark { start: number; end: number; colour: string; words: string; record?: boolean }
export interface Picked { start: number; end: number; text: string }

const STYLE = `
:root { color-scheme: light; background: white; }
body { margin: 8px; font: 14px/1.4 sans-serif; overflow-wrap: anywhere; }
[t] { cursor: pointer; }
[t]:hover, img:hover { outline: 2px solid #0a66c2; }
.th-mark { background: var(--c) !important; outline: 1px solid var(--o); border-radius: 2px; }
.th-record { outline: 2px dashed var(--o) !important; outline-offset: 1px; }
.th-here { outline: 3px solid #d00 !important; }
body.th-grey [t]:not(.th-mark) { color: #8c8c8c !important; }
`;

// What of the page can carry a mark, in order of the source: found once for a page.
interface Part { element: HTMLElement; start: number; end: number }
interface Index { texts: Part[]; images: Part[] }

// An element that stands for a text says which bytes: t="120-132".
const placeOf = (element: Element) => { const [start, end] = element.getAttribute("t")!.split("-").map(Number); return { start: start!, end: end! }; };

function indexOf(root: Document): Index {
  return {
    texts: [...root.querySelectorAll<HTMLElement>("[t]")].map((element) => ({ element, ...placeOf(element) })),
    images: [...root.querySelectorAll<HTMLElement>("img[data-src-s]")].map((one) => ({ element: one, start: Number(one.dataset.srcS), end: Number(one.dataset.srcE) })),
  };
}

// The first part that ends behind a byte. Parts do not overlap and are in order.
function firstAfter(parts: Part[], byte: number): number {
  let low = 0, high = parts.length;
  while (low < high) { const middle = (low + high) >> 1; if (parts[middle]!.end <= byte) low = middle + 1; else high = middle; }
  return low;
}

function clear(root: Document): void {
  for (const one of root.querySelectorAll<HTMLElement>(".th-mark, .th-record")) {
    one.classList.remove("th-mark", "th-record");
    one.style.removeProperty("--c");
    one.style.removeProperty("--o");
    if (one.dataset.said) { one.removeAttribute("title"); delete one.dataset.said; }
  }
}

const fill = (colour: string) => colour.replace(/\)$/, "").replace(/ \/ [\d.]+$/, "") + " / .25)";

function paint(root: Document, index: Index, marks: Mark[]): void {
  clear(root);
  for (const mark of marks) {
    if (mark.record) {
      const around = smallest(index, mark.start, mark.end);
      if (around) { around.classList.add("th-record"); around.style.setProperty("--o", mark.colour); }
      continue;
    }
    for (const parts of [index.texts, index.images])
      for (let i = firstAfter(parts, mark.start); i < parts.length && parts[i]!.start < mark.end; i++) {
        const { element } = parts[i]!;
        element.classList.add("th-mark");
        element.style.setProperty("--c", fill(mark.colour));
        element.style.setProperty("--o", mark.colour);
        element.title = mark.words;
        element.dataset.said = "1";
      }
  }
}

// The smallest element around a stretch: what its first and last text have in common above them.
function smallest(index: Index, start: number, end: number): HTMLElement | null {
  const parts = index.texts.length ? index.texts : index.images;
  const first = firstAfter(parts, start), last = Math.max(first, firstAfter(parts, end - 1));
  let element: HTMLElement | null = parts[first]?.element ?? null;
  const to = parts[Math.min(last, parts.length - 1)]?.element ?? null;
  while (element && to && !element.contains(to)) element = element.parentElement;
  return element;
}

export function PageFrame(props: { page: number; marks: Mark[]; grey?: boolean; onPick?: (picked: Picked) => void; label?: string }) {
  const bench = useWorkbench();
  const frame = useRef<HTMLIFrameElement>(null);
  const [ready, setReady] = useState(0);
  const [drawn, setDrawn] = useState<string | null>(null);
  const [heard, setHeard] = useState("");
  const index = useRef<Index>({ texts: [], images: [] });
  const at = useRef(-1); // the text that keys have come to
  const { value: html, loading } = useLoaded(async () => (await api.view(props.page)).replace("<body>", `<style>${STYLE}</style><body>`), [props.page]);
  const onPick = useRef(props.onPick);
  onPick.current = props.onPick;

  const loaded = () => {
    const root = frame.current?.contentDocument;
    if (!root?.body) return;
    root.addEventListener("click", (event) => { event.preventDefault(); void pick(root, event.target as HTMLElement); });
    root.addEventListener("mouseup", () => void pickSelection(root));
    root.addEventListener("submit", (event) => event.preventDefault());
    root.addEventListener("keydown", (event) => keys(root, event));
    root.body.tabIndex = 0;
    index.current = indexOf(root);
    at.current = -1;
    setReady((count) => count + 1);
    setDrawn(html);
  };
  // Arrows go from text to text, Enter takes the one at hand; what it is is said.
  const keys = (root: Document, event: KeyboardEvent) => {
    const texts = index.current.texts;
    if (event.altKey || event.ctrlKey || event.metaKey) {
      window.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, altKey: event.altKey, ctrlKey: event.ctrlKey, metaKey: event.metaKey }));
      return;
    }
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (onPick.current && step && texts.length) {
      event.preventDefault();
      at.current = Math.min(texts.length - 1, Math.max(0, at.current + step));
      const here = texts[at.current]!.element;
      root.querySelector(".th-here")?.classList.remove("th-here");
      here.classList.add("th-here");
      here.scrollIntoView({ block: "nearest" });
      setHeard(`${here.textContent?.trim()}, text ${at.current + 1} of ${texts.length}${here.title ? `, ${here.title}` : ""}`);
    } else if (event.key === "Enter" && texts[at.current]) {
      event.preventDefault();
      void pick(root, texts[at.current]!.element);
    }
  };
  const give = async (start: number, from: number, to: number) => {
    try { onPick.current?.(await api.place(props.page, start, from, to)); } catch (error) { bench.fail(error); }
  };
  const pick = async (root: Document, target: HTMLElement) => {
    const selection = root.getSelection();
    if (!onPick.current || (selection && !selection.isCollapsed)) return;
    const text = target.closest<HTMLElement>("[t]");
    if (text) { await give(placeOf(text).start, 0, text.textContent?.length ?? 0); return; }
    const image = target.closest<HTMLElement>("img[data-src]");
    if (image) onPick.current({ start: Number(image.dataset.srcS), end: Number(image.dataset.srcE), text: image.dataset.src ?? "" });
  };
  const pickSelection = async (root: Document) => {
    const selection = root.getSelection();
    if (!onPick.current || !selection || selection.isCollapsed || !selection.anchorNode || !selection.focusNode) return;
    const range = selection.getRangeAt(0);
    const first = range.startContainer.parentElement?.closest<HTMLElement>("[t]");
    const last = range.endContainer.parentElement?.closest<HTMLElement>("[t]");
    if (!first || !last) return;
    const from = range.startOffset, to = range.endOffset;
    selection.removeAllRanges();
    if (first === last) { await give(placeOf(first).start, from, to); return; }
    try {
      const begin = await api.place(props.page, placeOf(first).start, from, first.textContent?.length ?? from);
      const end = await api.place(props.page, placeOf(last).start, 0, to);
      onPick.current({ start: begin.start, end: end.end, text: range.toString() });
    } catch (error) { bench.fail(error); }
  };

  useEffect(() => {
    const root = frame.current?.contentDocument;
    if (!ready || !root?.body) return;
    paint(root, index.current, props.marks);
    root.body.classList.toggle("th-grey", !!props.grey);
  }, [ready, props.marks, props.grey]);

  return <div class="frame-box" aria-busy={loading || drawn !== html}>
    <p class="hidden" role="status">{heard}</p>
    {html === null ? <p class="quiet">{loading ? "Loading the page…" : "The page cannot be shown."}</p>
      : <iframe ref={frame} title={props.label ?? "The page"} sandbox="allow-same-origin" srcdoc={html} onLoad={loaded} />}
  </div>;
}

// The source with the same marks.
export function SourceView(props: { page: number; marks: Mark[] }) {
  const { value } = useLoaded(() => api.source(props.page), [props.page]);
  const [more, setMore] = useState(1);
  if (value === null) return <p class="quiet">Loading the source…</p>;
  // Places are bytes; the text here counts UTF-16 units.
  const bytes = new TextEncoder().encode(value), decoder = new TextDecoder();
  const limit = more * 200_000;
  const parts: preact.ComponentChildren[] = [];
  let at = 0;
  for (const mark of props.marks.filter((one) => !one.record).sort((a, b) => a.start - b.start)) {
    if (mark.start < at || mark.start > limit) continue;
    parts.push(decoder.decode(bytes.subarray(at, mark.start)));
    parts.push(<mark style={{ "--c": mark.colour }} title={mark.words}>{decoder.decode(bytes.subarray(mark.start, mark.end))}</mark>);
    at = mark.end;
  }
  parts.push(decoder.decode(bytes.subarray(at, Math.max(at, Math.min(limit, bytes.length)))));
  return <div class="source" tabIndex={0} role="region" aria-label="Source of the page">
    <pre>{parts}</pre>
    {limit < bytes.length && <button onClick={() => setMore(more + 1)}>Show more of the source</button>}
  </div>;
}
