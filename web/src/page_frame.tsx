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
th-t { cursor: pointer; }
th-t:hover, img:hover { outline: 2px solid #0a66c2; }
.th-mark { background: var(--c) !important; outline: 1px solid var(--o); border-radius: 2px; }
.th-record { outline: 2px dashed var(--o) !important; outline-offset: 1px; }
.th-here { outline: 3px solid #d00 !important; }
body.th-grey th-t:not(.th-mark) { opacity: .45; }
`;

function clear(root: Document): void {
  for (const one of root.querySelectorAll(".th-mark, .th-record")) {
    one.classList.remove("th-mark", "th-record");
    (one as HTMLElement).style.removeProperty("--c");
    (one as HTMLElement).style.removeProperty("--o");
    if (one.hasAttribute("data-said")) { one.removeAttribute("title"); one.removeAttribute("data-said"); }
  }
}

// Paints marks: a text (or an image) that overlaps one. Both lists are in order of the page.
function paint(root: Document, marks: Mark[]): void {
  clear(root);
  const texts = [...root.querySelectorAll<HTMLElement>("th-t, img, [data-href]")]
    .map((element) => ({ element, start: Number(element.dataset.s), end: Number(element.dataset.e) }))
    .sort((a, b) => a.start - b.start);
  for (const mark of marks) {
    if (mark.record) {
      const around = smallest(root, mark.start, mark.end);
      if (around) { around.classList.add("th-record"); around.style.setProperty("--o", mark.colour); }
      continue;
    }
    let low = 0, high = texts.length;
    while (low < high) { const middle = (low + high) >> 1; if (texts[middle]!.start < mark.end) low = middle + 1; else high = middle; }
    for (let i = low - 1; i >= 0 && i > low - 200; i--) {
      const one = texts[i]!;
      const link = one.element.tagName !== "TH-T";
      const from = link ? Number(one.element.dataset.hrefS ?? one.element.dataset.srcS ?? -1) : one.start;
      const to = link ? Number(one.element.dataset.hrefE ?? one.element.dataset.srcE ?? -1) : one.end;
      if (from < 0 || to <= mark.start || from >= mark.end) continue;
      if (link && one.element.tagName !== "IMG") continue;
      one.element.classList.add("th-mark");
      one.element.style.setProperty("--c", mark.colour.replace(/\)$/, "").replace(/ \/ [\d.]+$/, "") + " / .25)");
      one.element.style.setProperty("--o", mark.colour);
      one.element.title = mark.words;
      one.element.dataset.said = "1";
      if (!link && one.end <= mark.start) break;
    }
  }
}

function smallest(root: Document, start: number, end: number): HTMLElement | null {
  let best: HTMLElement | null = null, size = Infinity;
  for (const element of root.querySelectorAll<HTMLElement>("[data-n]")) {
    const from = Number(element.dataset.s), to = Number(element.dataset.e);
    if (from <= start && to >= end && to - from < size) { best = element; size = to - from; }
  }
  return best;
}

export function PageFrame(props: { page: number; marks: Mark[]; grey?: boolean; onPick?: (picked: Picked) => void; label?: string }) {
  const bench = useWorkbench();
  const frame = useRef<HTMLIFrameElement>(null);
  const [ready, setReady] = useState(0);
  const { value: html, loading } = useLoaded(() => api.view(props.page), [props.page]);
  const onPick = useRef(props.onPick);
  onPick.current = props.onPick;

  const loaded = () => {
    const root = frame.current?.contentDocument;
    if (!root?.body) return;
    const style = root.createElement("style");
    style.textContent = STYLE;
    root.head.append(style);
    root.addEventListener("click", (event) => { event.preventDefault(); void pick(root, event.target as HTMLElement); });
    root.addEventListener("mouseup", () => void pickSelection(root));
    root.addEventListener("submit", (event) => event.preventDefault());
    setReady((count) => count + 1);
  };
  const give = async (start: number, from: number, to: number) => {
    try { onPick.current?.(await api.place(props.page, start, from, to)); } catch (error) { bench.fail(error); }
  };
  const pick = async (root: Document, target: HTMLElement) => {
    const selection = root.getSelection();
    if (!onPick.current || (selection && !selection.isCollapsed)) return;
    const text = target.closest<HTMLElement>("th-t");
    if (text) { await give(Number(text.dataset.s), 0, text.textContent?.length ?? 0); return; }
    const image = target.closest<HTMLElement>("img[data-src]");
    if (image) onPick.current({ start: Number(image.dataset.srcS), end: Number(image.dataset.srcE), text: image.dataset.src ?? "" });
  };
  const pickSelection = async (root: Document) => {
    const selection = root.getSelection();
    if (!onPick.current || !selection || selection.isCollapsed || !selection.anchorNode || !selection.focusNode) return;
    const range = selection.getRangeAt(0);
    const first = range.startContainer.parentElement?.closest<HTMLElement>("th-t");
    const last = range.endContainer.parentElement?.closest<HTMLElement>("th-t");
    if (!first || !last) return;
    const from = range.startOffset, to = range.endOffset;
    selection.removeAllRanges();
    if (first === last) { await give(Number(first.dataset.s), from, to); return; }
    try {
      const begin = await api.place(props.page, Number(first.dataset.s), from, first.textContent?.length ?? from);
      const end = await api.place(props.page, Number(last.dataset.s), 0, to);
      onPick.current({ start: begin.start, end: end.end, text: range.toString() });
    } catch (error) { bench.fail(error); }
  };

  useEffect(() => {
    const root = frame.current?.contentDocument;
    if (!ready || !root?.body) return;
    paint(root, props.marks);
    root.body.classList.toggle("th-grey", !!props.grey);
  }, [ready, props.marks, props.grey]);

  return <div class="frame-box" aria-busy={loading}>
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
