// A page in a frame without scripts, as it looks or plain, with marks over it; clicks and selections become places.
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "./api";
import { FrameTools, useShowing, type Showing } from "./frame_tools";
import { useZoom } from "./frame_zoom";
import type { Mark } from "./marks";
import { bounds, type Box } from "./page_clips";
import { lookOf } from "./page_look";
import { Overlay, type Drawn } from "./page_overlay";
import { placesIn, type Places, type Span } from "./page_places";
import { pointedAt, pointedText, selected, take, type Picked, type Pointed } from "./page_pointing";
import { useLoaded } from "./state";
import { number, t } from "./words/words";

export type { Mark } from "./marks";
export type { Box } from "./page_clips";
export type { Picked, Pointed } from "./page_pointing";
export { SourceView } from "./source_view";

// A document to show: the address of the page as it looks, or the plain page.
interface View { of: number; look: string | null; html: string | null }

// The plain page can be read, whatever its styles are: it has none. In its text quotes are written as references.
const plain = (html: string) => html.replace(/<style>[^]*?<\/style>| style="[^"]*"/g, "").replace('<meta charset="utf-8">', `<meta charset="utf-8"><style>${PLAIN}</style>`);
const PLAIN = `
:root { color-scheme: light; background: white; }
:root, body { display: block !important; visibility: visible !important; opacity: 1 !important; }
body { margin: 8px; font: 14px/1.4 sans-serif; overflow-wrap: anywhere; }
body, body * { color: #1d1b16 !important; background-color: transparent !important; }
[hidden] { display: revert; }
img { max-width: 100%; }
[l] { display: none !important; }
`;
// Of the page as it looks nothing changes but that texts can be selected.
const LOOK = `[l] { display: none !important; } :root * { user-select: text !important; -webkit-user-select: text !important; }`;

const RETRY = 1500, TRIES = 3; // milliseconds, times

// A document that is shown, with what is drawn over it and what it is asked.
class Shown {
  readonly places: Places;
  readonly overlay: Overlay;
  constructor(readonly root: Document, readonly view: View) {
    if (view.look) {
      const sheet = new (root.defaultView as Window & typeof globalThis).CSSStyleSheet();
      sheet.replaceSync(LOOK);
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    }
    this.places = placesIn(root, !!view.look);
    this.overlay = new Overlay(root, this.places, () => api.source(view.of), () => this.nearEnd());
    root.body.tabIndex = 0;
  }
  // A large page shows its beginning first, and more when somebody comes there (serve/page_view.c); false when all is shown.
  more(): boolean {
    const next = this.root.querySelector("[l]")?.getAttribute("l");
    if (!next) return false;
    for (const one of this.root.querySelectorAll(`[l="${next}"]`)) one.removeAttribute("l");
    this.overlay.moved();
    return true;
  }
  nearEnd(): void {
    const box = this.root.scrollingElement;
    if (box && box.scrollTop + 2 * box.clientHeight > box.scrollHeight) this.more();
  }
  reveal(node: Node): void { while (node.parentElement?.closest("[l]") && this.more()); }
  // Brings a place into sight, unless it is.
  show(byte: number): void {
    const { texts } = this.places, text = Math.min(texts.firstAfter(byte), texts.length - 1);
    if (text >= 0) this.showText(text, "center");
  }
  showText(text: number, block: "center" | "nearest"): void {
    const node = this.places.texts.nodes[text]!, parent = node.parentElement, range = this.root.createRange();
    this.reveal(node);
    range.selectNodeContents(node);
    const high = this.root.defaultView!.innerHeight, isIn = () => { const box = range.getBoundingClientRect(); return !box.height || (box.top >= 0 && box.bottom <= high); };
    const clip = () => this.overlay.isCut(node);
    if (isIn() && !clip()) return;
    parent?.scrollIntoView({ block, inline: "nearest", behavior: "instant" });
    if (!isIn()) this.root.scrollingElement?.scrollBy({ top: range.getBoundingClientRect().top - high / 2, behavior: "instant" });
  }
  // Where something is in the window of the frame.
  boxOf(span: Span): Box | null { return bounds(this.overlay.boxesAt(span)); }
  isSeen(text: number): boolean { return !!this.places.texts.nodes[text]!.parentElement?.checkVisibility({ visibilityProperty: true }); }
}

export interface FrameProps {
  page: number; marks: Mark[]; grey?: boolean; label?: string;
  // Told when somebody clicks, before the server has said what exactly it is; `at` is where on the screen.
  onPick?: (picking: Promise<Picked>, at: Box) => void;
  places?: { current: Places | null }; // set to the places of the document that is shown
  // What the pointer or the keys have come to.
  onHover?: (pointed: Pointed | null) => void;
  show?: { byte: number } | null; // where to look
  follow?: unknown; // names what is marked: when that is something else, its first mark is brought into sight
}

// While another page is on its way the one before stays, dim, and cannot be picked from.
export function PageFrame(props: FrameProps) {
  const frame = useRef<HTMLIFrameElement>(null), box = useRef<HTMLDivElement>(null), hold = useRef<HTMLDivElement>(null);
  const [showing, setShowing] = useShowing();
  const [drawn, setDrawn] = useState<Shown | null>(null);
  const [heard, setHeard] = useState("");
  const [tries, setTries] = useState(0);
  const at = useRef(-1); // the text that keys have come to
  const kept = useRef<{ page: number; byte: number } | null>(null); // what was in sight when the page was to be shown in another way
  const last = useRef<View | null>(null); // what is shown
  const { value: wanted, loading } = useLoaded<View>([props.page, showing.plain], async () => {
    const look = showing.plain || tries > TRIES ? null : await lookOf(props.page, tries > 0);
    const html = look ? null : plain(await api.view(props.page));
    const known = last.current;
    return known?.of === props.page && known.look === look && known.html === html && !tries ? known : { of: props.page, look, html };
  }, [tries]);
  const view = (last.current = wanted ?? (loading ? last.current : null));
  const isThere = !!wanted && drawn?.view === wanted;
  const now = useRef({ props, isThere, drawn });
  now.current = { props, isThere, drawn };

  const attach = (root: Document, of: View) => {
    drawn?.overlay.dispose();
    const shown = new Shown(root, of), { overlay, places } = shown;
    root.addEventListener("click", (event) => {
      if (!(event.target as Element).closest?.("summary")) event.preventDefault(); // details may be opened
      pick(shown, event);
    });
    root.addEventListener("mouseup", () => pickSelection(shown));
    root.addEventListener("submit", (event) => event.preventDefault());
    root.addEventListener("keydown", (event) => keys(shown, event));
    let moved: MouseEvent | null = null;
    const hover = () => {
      const event = moved, target = event?.target as Element | null;
      moved = null;
      if (!event || !target?.closest || !now.current.isThere) return;
      const pointed = pointedAt(root, places, event.clientX, event.clientY, target);
      overlay.point(pointed);
      now.current.props.onHover?.(pointed);
    };
    root.addEventListener("mousemove", (event) => { if (!moved) requestAnimationFrame(hover); moved = event; }, { passive: true });
    root.documentElement.addEventListener("mouseleave", () => { moved = null; overlay.point(null); now.current.props.onHover?.(null); });
    at.current = -1;
    if (kept.current?.page === of.of && kept.current.byte >= 0) shown.show(kept.current.byte);
    kept.current = null;
    if (now.current.props.places) now.current.props.places.current = places;
    setDrawn(shown);
  };

  // The page as it looks comes by its address; it replaces the one before, of which the browser's history shall know nothing.
  useEffect(() => {
    if (!view?.look || !frame.current) return;
    const shown = frame.current, before = shown.contentDocument;
    let wait = 0, over = false;
    const end = () => { over = true; cancelAnimationFrame(wait); shown.removeEventListener("load", loaded); };
    const ready = (root: Document | null): root is Document => !!root?.body && root !== before && root.URL !== "about:blank" && root.readyState !== "loading";
    const fail = () => { end(); shown.style.visibility = "hidden"; setTimeout(() => { if (last.current === view) setTries((count) => count + 1); }, RETRY); };
    const loaded = () => {
      if (over) return;
      const root = shown.contentDocument;
      if (root?.URL === "about:blank") return;
      if (!root || root.contentType !== "text/html") fail();
      else if (ready(root)) { end(); shown.style.visibility = ""; attach(root, view); }
    };
    const look = () => {
      const root = shown.contentDocument;
      if (ready(root)) loaded(); else wait = requestAnimationFrame(look);
    };
    shown.addEventListener("load", loaded);
    shown.contentWindow!.location.replace(view.look);
    wait = requestAnimationFrame(look);
    return end;
  }, [view]);
  const plainLoaded = () => { const root = frame.current?.contentDocument; if (root?.body && view && view.html !== null) attach(root, view); };
  useEffect(() => () => now.current.drawn?.overlay.dispose(), []);
  useEffect(() => setTries(0), [props.page, showing.plain]);
  // a server that was away is asked again
  useEffect(() => {
    if (view || loading) return;
    const timer = setTimeout(() => setTries((count) => Math.min(count + 1, TRIES)), RETRY);
    return () => clearTimeout(timer);
  }, [view, loading, tries]);
  const change = (next: Showing) => {
    if (next.plain !== showing.plain && drawn && isThere) kept.current = { page: drawn.view.of, byte: drawn.overlay.byteInSight() };
    setShowing(next);
  };
  useZoom(hold, frame, showing.zoom, isThere ? drawn : null);

  const give = (at: Box | null, find: () => Promise<Picked>) => {
    const shown = frame.current;
    if (!now.current.isThere || !now.current.props.onPick || !shown) return;
    const picking = find();
    picking.catch(() => {}); // who asked is told
    const outer = shown.getBoundingClientRect(), scale = outer.width / (shown.offsetWidth || 1), { left, top, right, bottom } = at ?? { left: 0, top: 0, right: 0, bottom: 0 };
    now.current.props.onPick(picking, { left: outer.left + left * scale, top: outer.top + top * scale, right: outer.left + right * scale, bottom: outer.top + bottom * scale });
  };
  // Arrows go from text to text, Enter takes the one at hand; what it is is said.
  const keys = (shown: Shown, event: KeyboardEvent) => {
    const { texts } = shown.places;
    if (event.altKey || event.ctrlKey || event.metaKey) {
      window.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, altKey: event.altKey, ctrlKey: event.ctrlKey, metaKey: event.metaKey }));
      return;
    }
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (now.current.props.onPick && step && texts.length) {
      event.preventDefault();
      let to = at.current + step;
      while (to >= 0 && to < texts.length && (shown.reveal(texts.nodes[to]!), !shown.isSeen(to))) to += step;
      if (to < 0 || to >= texts.length) return;
      at.current = to;
      shown.showText(to, "nearest");
      const pointed = pointedText(shown.places, to), [mark] = shown.overlay.marksAt(pointed);
      shown.overlay.here(to);
      shown.overlay.point(pointed);
      now.current.props.onHover?.(pointed);
      setHeard(`${t.pageFrame.here(pointed.text, number(to + 1), number(texts.length))}${mark ? `, ${mark.words}` : ""}`);
    } else if (event.key === "Enter" && at.current >= 0) {
      event.preventDefault();
      const pointed = pointedText(shown.places, at.current);
      give(shown.boxOf(pointed), () => take(shown.view.of, shown.places, pointed));
    }
  };
  const pick = (shown: Shown, event: MouseEvent) => {
    const selection = shown.root.getSelection();
    if (selection && !selection.isCollapsed) return;
    const pointed = pointedAt(shown.root, shown.places, event.clientX, event.clientY, event.target as Element);
    if (pointed) give(shown.boxOf(pointed), () => take(shown.view.of, shown.places, pointed));
  };
  const pickSelection = (shown: Shown) => {
    const selection = shown.root.getSelection();
    if (!now.current.props.onPick || !selection || selection.isCollapsed || !selection.rangeCount) return;
    const range = selection.getRangeAt(0), taken = selected(shown.view.of, shown.places, range), at = bounds(range.getClientRects());
    if (!taken) return;
    selection.removeAllRanges();
    give(at, taken);
  };

  useEffect(() => { if (isThere) drawn.overlay.set(props.marks, !!props.grey); }, [isThere, drawn, props.marks, props.grey]);
  const followed = useRef<unknown>(null);
  useEffect(() => {
    if (!isThere || props.follow === undefined || props.follow === followed.current) return;
    const first = props.marks.reduce((least, mark) => (mark.hint || mark.record ? least : Math.min(least, mark.start)), Infinity);
    if (first === Infinity) return;
    followed.current = props.follow;
    drawn.show(first);
  }, [isThere, drawn, props.marks, props.follow]);
  useEffect(() => {
    if (!isThere || !props.show) return;
    frame.current?.scrollIntoView({ block: "nearest" }); // on a phone it may be far up
    drawn.show(props.show.byte);
  }, [isThere, drawn, props.show]);
  // For tests: what is drawn, with its boxes in the window of the frame; null while there is more to draw.
  useEffect(() => {
    if (box.current) (box.current as HTMLElement & { drawnMarks?: () => Drawn[] | null }).drawnMarks = () => {
      const { isThere: there, drawn: shown } = now.current;
      return there && shown?.overlay.isSettled() ? shown.overlay.drawn() : null;
    };
  }, [view]);

  return <div class={`frame-box ${wanted ? "" : "before"}`} aria-busy={!isThere && (loading || !!wanted)} ref={box}>
    <p class="hidden" role="status">{heard}</p>
    <FrameTools showing={showing} onChange={change} />
    {!view ? <p class="quiet">{loading ? t.pageFrame.loading : t.pageFrame.failed}</p>
      : <div class="frame-hold" ref={hold}>
        {view.html !== null
          ? <iframe key={`plain ${view.of}`} ref={frame} title={props.label ?? t.pageFrame.title} sandbox="allow-same-origin" srcdoc={view.html} onLoad={plainLoaded} />
          : <iframe key="look" ref={frame} title={props.label ?? t.pageFrame.title} sandbox="allow-same-origin" />}
      </div>}
  </div>;
}
