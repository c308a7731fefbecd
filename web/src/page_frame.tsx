// The page as it looks: a frame without scripts, whose elements carry their bytes. Marks are painted
// by a style sheet of our own inside it; clicks and selections become places.
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "./api";
import { useLoaded } from "./state";

// `rule` is what a rule hit there: a token of a text, or a tag; `asked`: a question is about it.
export interface Mark { start: number; end: number; colour: string; words: string; record?: boolean; rule?: string; asked?: boolean }
export interface Picked { start: number; end: number; text: string }
// Where on the screen something was picked.
export interface Box { left: number; top: number; right: number; bottom: number }
interface View { of: number; html: string }

const STYLE = `
:root { color-scheme: light; background: white; }
:root, body { display: block !important; visibility: visible !important; opacity: 1 !important; }
body { margin: 8px; font: 14px/1.4 sans-serif; overflow-wrap: anywhere; }
[l] { display: none !important; }
[t] { cursor: pointer; }
[t]:hover, img:hover { outline: 2px solid #0a66c2; }
.th-mark { background: linear-gradient(var(--c), var(--c)) #fff !important; color: #1d1b16 !important; outline: 1px solid var(--o); border-radius: 2px; }
.th-asked { outline: 3px dashed #b3261e !important; outline-offset: 2px; background: #ffe9e6 !important; color: #1d1b16 !important; }
.th-record { outline: 2px dashed var(--o) !important; outline-offset: 1px; }
.th-rule { background: #fff3a0 !important; outline: 2px solid #8a6d00 !important; border-radius: 2px; }
::highlight(th-rule) { background-color: #ffe066; color: #000; text-decoration: underline 2px #8a6d00; }
[data-th-before]::before { content: attr(data-th-before); margin-right: 3px; }
[data-th-after]::after { content: attr(data-th-after); margin-left: 3px; }
[data-th-before]::before, [data-th-after]::after { font: 600 10px/1.3 monospace; color: #4d3d00; background: #ffe066; border: 1px solid #8a6d00; border-radius: 3px; padding: 0 2px; }
.th-here { outline: 3px solid #d00 !important; }
body.th-grey [t]:not(.th-mark):not(.th-rule):not(.th-asked) { color: #757575 !important; }
`;

// An element that stands for a text says which bytes: t="120-132".
const placeOf = (element: Element) => {
  const said = element.getAttribute("t")!, dash = said.indexOf("-");
  return { start: Number(said.slice(0, dash)), end: Number(said.slice(dash + 1)) };
};
const imagePlace = (image: Element) => ({ start: Number(image.getAttribute("data-src-s")), end: Number(image.getAttribute("data-src-e")) });

// What of the page can carry a mark, in order of the source. Pages have tens of thousands of texts and
// few marks: places are read when somebody looks for one.
class Parts {
  private readonly known: ({ start: number; end: number } | undefined)[] = [];
  constructor(readonly elements: NodeListOf<HTMLElement>, private readonly read: (element: Element) => { start: number; end: number }) {}
  get length() { return this.elements.length; }
  place(index: number) { return (this.known[index] ??= this.read(this.elements[index]!)); }
  // The first part that ends behind a byte. Parts do not overlap and are in order.
  firstAfter(byte: number): number {
    let low = 0, high = this.length;
    while (low < high) { const middle = (low + high) >> 1; if (this.place(middle).end <= byte) low = middle + 1; else high = middle; }
    return low;
  }
}
interface Index { texts: Parts; images: Parts }

const indexOf = (root: Document): Index => ({
  texts: new Parts(root.querySelectorAll<HTMLElement>("[t]"), placeOf),
  images: new Parts(root.querySelectorAll<HTMLElement>("img[data-src-s]"), imagePlace),
});

const fill = (colour: string) => colour.replace(/\)$/, "").replace(/ \/ [\d.]+$/, "") + " / .25)";

// The marks of a page. A large page shows its beginning first, and more when somebody comes there
// (see serve/page_view.c); marks are painted on what is shown.
class Painter {
  private marks: Mark[] = [];
  private painted = 0;
  private touched: { element: HTMLElement; title: string | null }[] = [];
  private readonly tags = new Set<number>(); // that are shown, by where they stand
  private tokens: Highlight | null = null; // tokens that rules hit, inside of texts
  private readonly colours = new Map<string, string>();
  private readonly sheet: HTMLStyleElement;
  constructor(private readonly root: Document, private readonly index: Index) {
    this.sheet = root.head.appendChild(root.createElement("style"));
  }
  set(marks: Mark[]): void {
    for (const { element, title } of this.touched) {
      element.classList.remove("th-mark", "th-record", "th-rule", "th-asked", ...[...element.classList].filter((name) => name.startsWith("th-c")));
      element.removeAttribute("data-th-before");
      element.removeAttribute("data-th-after");
      if (title === null) element.removeAttribute("title"); else element.title = title;
    }
    const kept = (this.root.defaultView as (Window & typeof globalThis) | null)?.CSS?.highlights;
    kept?.delete("th-rule");
    this.tokens = null;
    this.tags.clear();
    this.touched = [];
    this.painted = 0;
    this.marks = [...marks].sort((a, b) => a.start - b.start);
    this.paint();
  }
  // Shows the next portion; false when all is shown.
  more(): boolean {
    const next = this.root.querySelector("[l]")?.getAttribute("l");
    if (!next) return false;
    for (const one of this.root.querySelectorAll(`[l="${next}"]`)) one.removeAttribute("l");
    this.paint();
    return true;
  }
  // Brings a place into sight, unless it is.
  show(byte: number): void {
    const texts = this.index.texts, element = texts.elements[Math.min(texts.firstAfter(byte), texts.length - 1)];
    if (!element) return;
    this.reveal(element);
    const box = element.getBoundingClientRect(), high = this.root.defaultView?.innerHeight ?? 0;
    if (box.top < 0 || box.bottom > high) element.scrollIntoView({ block: "center" });
  }
  reveal(element: Element): void { while (element.closest("[l]") && this.more()); }
  private limit(): number {
    const hidden = this.root.querySelector("[l]"), first = hidden?.matches("[t]") ? hidden : hidden?.querySelector("[t]");
    return first ? placeOf(first).start : Infinity;
  }
  private classOf(colour: string): string {
    let name = this.colours.get(colour);
    if (!name) {
      this.colours.set(colour, (name = `th-c${this.colours.size}`));
      this.sheet.sheet!.insertRule(`.${name} { --c: ${fill(colour)}; --o: ${colour}; }`);
    }
    return name;
  }
  private dress(element: HTMLElement, kind: string, mark: Mark): void {
    this.touched.push({ element, title: element.getAttribute("title") });
    for (const name of [...element.classList]) if (name.startsWith("th-c")) element.classList.remove(name);
    element.classList.add(kind, this.classOf(mark.colour));
    if (kind !== "th-record") element.title = mark.words;
  }
  // A token inside of a text: its letters alone, where these are as many as bytes of the source (a text
  // with character references has more bytes than it shows) and the browser can; else the text.
  private token(element: HTMLElement, from: number, to: number, length: number, mark: Mark): void {
    const view = this.root.defaultView as (Window & typeof globalThis) | null, text = element.firstChild, data = text?.nodeType === 3 ? (text as Text).data : "";
    const bytes = new TextEncoder().encode(data);
    if (!view?.CSS?.highlights || !view.Highlight || bytes.length !== length) { this.dress(element, "th-rule", mark); return; }
    const units = (count: number) => new TextDecoder().decode(bytes.subarray(0, count)).length;
    const range = this.root.createRange();
    range.setStart(text!, units(from));
    range.setEnd(text!, units(Math.min(to, bytes.length)));
    if (!this.tokens) view.CSS.highlights.set("th-rule", (this.tokens = new view.Highlight()));
    this.tokens.add(range);
  }
  // What a rule hits: a token of a text, or a tag, which is shown beside the text that it belongs to.
  private hit(mark: Mark): void {
    const texts = this.index.texts, at = texts.firstAfter(mark.start), place = at < texts.length ? texts.place(at) : null;
    if (place && place.start < mark.end) {
      for (let i = at; i < texts.length && texts.place(i).start < mark.end; i++) {
        const { start, end } = texts.place(i);
        this.token(texts.elements[i]!, Math.max(0, mark.start - start), Math.min(end, mark.end) - start, end - start, mark);
      }
      return;
    }
    const behind = mark.rule!.startsWith("</") && at > 0, element = texts.elements[behind ? at - 1 : at], name = behind ? "data-th-after" : "data-th-before";
    if (!element) return;
    const said = element.getAttribute(name) ?? "", tag = mark.rule!.length > 28 ? `${mark.rule!.slice(0, 27)}…` : mark.rule!;
    if (this.tags.has(mark.start)) return; // several rules hit it
    this.tags.add(mark.start);
    this.touched.push({ element, title: element.getAttribute("title") });
    element.setAttribute(name, said ? `${said} ${tag}` : tag);
  }
  private paint(): void {
    const limit = this.limit();
    for (; this.painted < this.marks.length && this.marks[this.painted]!.start < limit; this.painted++) {
      const mark = this.marks[this.painted]!;
      if (mark.record) {
        const around = smallest(this.index.texts.length ? this.index.texts : this.index.images, mark.start, mark.end);
        if (around) this.dress(around, "th-record", mark);
        continue;
      }
      if (mark.rule !== undefined) { this.hit(mark); continue; }
      for (const parts of [this.index.texts, this.index.images])
        for (let i = parts.firstAfter(mark.start); i < parts.length && parts.place(i).start < mark.end; i++) this.dress(parts.elements[i]!, mark.asked ? "th-asked" : "th-mark", mark);
    }
  }
}

// The smallest element around a stretch: what its first and last text have in common above them.
function smallest(parts: Parts, start: number, end: number): HTMLElement | null {
  const first = parts.firstAfter(start), behind = parts.firstAfter(end - 1);
  const last = Math.max(first, behind < parts.length && parts.place(behind).start >= end ? behind - 1 : behind); // a stretch may end with a tag
  let element: HTMLElement | null = parts.elements[first] ?? null;
  const to = parts.elements[Math.min(last, parts.length - 1)] ?? null;
  while (element && to && !element.contains(to)) element = element.parentElement;
  return element;
}

// `show` is where to look; `follow` names what is marked: when that is something else, its first mark is
// brought into sight. A pick is told when somebody clicks, before the server has said what exactly it is.
// While another page is on its way the one before stays, dim, and cannot be picked from.
export function PageFrame(props: { page: number; marks: Mark[]; grey?: boolean; onPick?: (picking: Promise<Picked>, at: Box) => void; root?: { current: Document | null }; label?: string; show?: { byte: number } | null; follow?: unknown }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [drawn, setDrawn] = useState<View | null>(null);
  const [heard, setHeard] = useState("");
  const index = useRef<Index | null>(null);
  const painter = useRef<Painter | null>(null);
  const at = useRef(-1); // the text that keys have come to
  const last = useRef<View | null>(null); // what is shown
  const { value: wanted, loading } = useLoaded<View>([props.page], async () => {
    const html = (await api.view(props.page)).replace('<meta charset="utf-8">', `<meta charset="utf-8"><style>${STYLE}</style>`);
    return last.current?.of === props.page && last.current.html === html ? last.current : { of: props.page, html };
  });
  const view = (last.current = wanted ?? (loading ? last.current : null));
  const isThere = !!wanted && drawn === wanted;
  const onPick = useRef(props.onPick);
  onPick.current = isThere ? props.onPick : undefined;

  const loaded = () => {
    const root = frame.current?.contentDocument;
    if (!root?.body) return;
    root.addEventListener("click", (event) => { event.preventDefault(); pick(root, event.target as HTMLElement); });
    root.addEventListener("mouseup", () => pickSelection(root));
    root.addEventListener("submit", (event) => event.preventDefault());
    root.addEventListener("keydown", (event) => keys(root, event));
    // the next portion of a large page, when somebody comes near the end of what is shown
    root.addEventListener("scroll", () => {
      const box = root.scrollingElement!;
      if (box.scrollTop + 2 * box.clientHeight > box.scrollHeight) painter.current?.more();
    }, { passive: true });
    root.body.tabIndex = 0;
    index.current = indexOf(root);
    painter.current = new Painter(root, index.current);
    if (props.root) props.root.current = root;
    at.current = -1;
    setDrawn(view);
  };
  const give = (element: Element, find: (page: number) => Promise<Picked>) => {
    if (!onPick.current || !view || !frame.current) return;
    const picking = find(view.of);
    picking.catch(() => {}); // who asked is told
    const outer = frame.current.getBoundingClientRect(), inner = element.getBoundingClientRect(), zoom = outer.width / (frame.current.offsetWidth || 1);
    onPick.current(picking, { left: outer.left + inner.left * zoom, top: outer.top + inner.top * zoom, right: outer.left + inner.right * zoom, bottom: outer.top + inner.bottom * zoom });
  };
  // Arrows go from text to text, Enter takes the one at hand; what it is is said.
  const keys = (root: Document, event: KeyboardEvent) => {
    const texts = index.current?.texts.elements;
    if (event.altKey || event.ctrlKey || event.metaKey) {
      window.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, altKey: event.altKey, ctrlKey: event.ctrlKey, metaKey: event.metaKey }));
      return;
    }
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (onPick.current && step && texts?.length) {
      event.preventDefault();
      at.current = Math.min(texts.length - 1, Math.max(0, at.current + step));
      const here = texts[at.current]!;
      painter.current?.reveal(here);
      root.querySelector(".th-here")?.classList.remove("th-here");
      here.classList.add("th-here");
      here.scrollIntoView({ block: "nearest" });
      setHeard(`${here.textContent?.trim()}, text ${at.current + 1} of ${texts.length}${here.title ? `, ${here.title}` : ""}`);
    } else if (event.key === "Enter" && texts?.[at.current]) {
      event.preventDefault();
      pick(root, texts[at.current]!);
    }
  };
  const pick = (root: Document, target: HTMLElement) => {
    const selection = root.getSelection();
    if (selection && !selection.isCollapsed) return;
    const text = target.closest<HTMLElement>("[t]"), image = target.closest<HTMLElement>("img[data-src]");
    if (text) give(text, (page) => api.place(page, placeOf(text).start, 0, text.textContent?.length ?? 0));
    else if (image) give(image, async () => ({ start: Number(image.dataset.srcS), end: Number(image.dataset.srcE), text: image.dataset.src ?? "" }));
  };
  const pickSelection = (root: Document) => {
    const selection = root.getSelection();
    if (!onPick.current || !selection || selection.isCollapsed || !selection.anchorNode || !selection.focusNode) return;
    const range = selection.getRangeAt(0), text = range.toString();
    const first = range.startContainer.parentElement?.closest<HTMLElement>("[t]");
    const last = range.endContainer.parentElement?.closest<HTMLElement>("[t]");
    if (!first || !last) return;
    const from = range.startOffset, to = range.endOffset;
    selection.removeAllRanges();
    if (first === last) { give(first, (page) => api.place(page, placeOf(first).start, from, to)); return; }
    give(last, async (page) => {
      const begin = await api.place(page, placeOf(first).start, from, first.textContent?.length ?? from);
      const end = await api.place(page, placeOf(last).start, 0, to);
      return { start: begin.start, end: end.end, text };
    });
  };

  useEffect(() => {
    const root = frame.current?.contentDocument;
    if (!isThere || !root?.body) return;
    painter.current?.set(props.marks);
    root.body.classList.toggle("th-grey", !!props.grey);
  }, [isThere, drawn, props.marks, props.grey]);
  const followed = useRef<unknown>(null);
  useEffect(() => {
    if (!isThere || props.follow === undefined || props.follow === followed.current || !props.marks.length) return;
    const first = props.marks.reduce((least, mark) => Math.min(least, mark.start), Infinity);
    followed.current = props.follow;
    painter.current?.show(first);
  }, [isThere, drawn, props.marks, props.follow]);
  useEffect(() => {
    if (!isThere || !props.show) return;
    frame.current?.scrollIntoView({ block: "nearest" }); // on a phone it may be far up
    painter.current?.show(props.show.byte);
  }, [isThere, drawn, props.show]);

  return <div class={`frame-box ${wanted ? "" : "before"}`} aria-busy={!isThere && (loading || !!wanted)}>
    <p class="hidden" role="status">{heard}</p>
    {!view ? <p class="quiet">{loading ? "Loading the page…" : "The page cannot be shown."}</p>
      : <iframe key={view.of} ref={frame} title={props.label ?? "The page"} sandbox="allow-same-origin" srcdoc={view.html} onLoad={loaded} />}
  </div>;
}

// The source with the same marks.
export function SourceView(props: { page: number; marks: Mark[] }) {
  const { value } = useLoaded([props.page], () => api.source(props.page));
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
    parts.push(<mark class={mark.rule !== undefined ? "rule" : ""} style={{ "--c": mark.colour }} title={mark.words}>{decoder.decode(bytes.subarray(mark.start, mark.end))}</mark>);
    at = mark.end;
  }
  parts.push(decoder.decode(bytes.subarray(at, Math.max(at, Math.min(limit, bytes.length)))));
  return <div class="source" tabIndex={0} role="region" aria-label="Source of the page">
    <pre>{parts}</pre>
    {limit < bytes.length && <button onClick={() => setMore(more + 1)}>Show more of the source</button>}
  </div>;
}
