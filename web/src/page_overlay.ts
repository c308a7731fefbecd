// Draws marks over a page, in the document that shows it: boxes in a shadow tree of our own, which the styles of the page do
// not reach and which takes no part in its layout.
//
// Pages have tens of thousands of marks and a screen has a few hundred. Where a mark is about is found once, a little at a
// time; of marks near the screen it is found exactly whenever something may have moved. Whatever moves without a word (a font
// that comes late, a style that follows the pointer) is noticed by a look at some of the marks several times a second.
//
// Timers and frames are those of the workbench: in a document without scripts none ever comes.
import { bounds, Clips, meet, touch, type Box } from "./page_clips";
import { Piece, Pieces, type Kind, type Mark } from "./marks";
import type { Places, Span } from "./page_places";

const SLICE = 6, LOOK_AGAIN = 250, SAMPLE = 40, LIVELY = 400; // milliseconds, milliseconds, marks, milliseconds
const SMALLEST = 2; // pixels of a box that is left of a larger one

const SHEET = `
:host { all: initial; }
div { position: absolute; box-sizing: border-box; pointer-events: none; forced-color-adjust: none; }
.mark { background: color-mix(in srgb, var(--c) 22%, transparent); outline: 1px solid var(--c); box-shadow: 0 0 0 2px rgb(255 255 255 / .55); border-radius: 2px; z-index: 2; }
.mark.picture { background: none; outline-width: 2px; }
.mark.link { background: none; outline: none; border-bottom: 2px dotted var(--c); }
.hint { background: color-mix(in srgb, var(--c) 12%, transparent); outline: 2px dotted var(--c); border-radius: 2px; z-index: 2; }
.record { outline: 2px dashed var(--c); outline-offset: 1px; z-index: 1; }
.rule { background: rgb(255 214 64 / .45); outline: 2px solid #8a6d00; border-radius: 2px; z-index: 3; }
.asked { background: rgb(179 38 30 / .12); outline: 3px dashed #b3261e; outline-offset: 2px; z-index: 4; }
.tag { font: 600 10px/1.3 monospace; color: #4d3d00; background: #ffe066; border: 1px solid #8a6d00; border-radius: 3px; padding: 0 2px; white-space: nowrap; z-index: 5; }
.veil { background: rgb(255 255 255 / .55); z-index: 0; }
.point { outline: 2px solid #0a66c2; outline-offset: 1px; border-radius: 2px; z-index: 6; }
.point.record { outline: 2px dashed #0a66c2; }
.here { outline: 3px solid #d00; outline-offset: 1px; z-index: 7; }
.name { font: 600 12px/1.5 system-ui, sans-serif; color: #fff; background: #0a4a8f; border-radius: 3px; padding: 0 5px; white-space: nowrap; max-width: 24em; overflow: hidden; text-overflow: ellipsis; z-index: 8; }
`;

// A mark as it is drawn, with its boxes in the window of the frame; `label` is what is written beside it.
export interface Drawn { start: number; end: number; words: string; kind: Kind | "point"; label: string; text: string; boxes: { x: number; y: number; width: number; height: number }[] }

interface Row { at: Box[]; boxes: HTMLElement[] }

const same = (one: Box[], other: Box[]) => one.length === other.length
  && one.every((box, i) => { const its = other[i]!; return Math.abs(box.left - its.left) < 0.05 && Math.abs(box.top - its.top) < 0.05 && Math.abs(box.right - its.right) < 0.05 && Math.abs(box.bottom - its.bottom) < 0.05; });
const pixels = (value: number) => `${Math.round(value * 100) / 100}px`;

export class Overlay {
  private readonly host: HTMLElement;
  private readonly layer: ShadowRoot;
  private readonly view: Window & typeof globalThis;
  private readonly pieces: Pieces;
  private readonly clips: Clips;
  private readonly stop = new AbortController();
  private readonly sizes: ResizeObserver;
  private readonly timer: number;
  private marks: Mark[] = [];
  private known = new Map<Mark, Piece[]>();
  private all: Piece[] = []; // in the order of the source
  private readonly rows = new Map<Piece, Row>();
  private readonly scrollers = new Set<Element>(); // that were ever scrolled
  private readonly scrolled = new Set<Element>(); // since what is drawn
  private layout = 0; // counts what may have moved everything
  private next = 0; // the piece to look at next, of those that are left
  private left = 0;
  private frame = 0;
  private full = false; // all is to be looked at again
  private further = false; // the page was scrolled so far that there is more to draw
  private livelyUntil = 0;
  private sampled = 0;
  private drawnAt = { x: 0, y: 0 };
  private origin = { x: 0, y: 0, scale: 1 };
  private grey = false;
  private veil: HTMLElement | null = null;
  private readonly pointer: HTMLElement[] = [];
  private pointedAt: Span | null = null;
  private pointed: { pieces: Piece[]; name: string } | null = null;
  private hereBoxes: HTMLElement[] = [];
  private hereText = -1;
  private extent = "";

  constructor(private readonly root: Document, private readonly places: Places, source: () => Promise<string>, private readonly onNearEnd: () => void) {
    this.view = root.defaultView as Window & typeof globalThis;
    this.host = root.createElement("th-overlay");
    this.host.setAttribute("aria-hidden", "true");
    this.host.style.cssText = "all: initial !important; position: absolute !important; left: 0 !important; top: 0 !important; width: 100px !important; height: 0 !important; pointer-events: none !important; z-index: 2147483647 !important; contain: layout style !important; direction: ltr !important";
    this.layer = this.host.attachShadow({ mode: "closed" });
    const sheet = new this.view.CSSStyleSheet();
    sheet.replaceSync(SHEET);
    this.layer.adoptedStyleSheets = [sheet];
    root.documentElement.prepend(this.host); // styles ask what is last more often than what is first
    this.pieces = new Pieces(root, places, source, () => this.moved());
    this.clips = new Clips(root);
    const on = { signal: this.stop.signal, capture: true, passive: true };
    root.addEventListener("scroll", (event) => this.hasScrolled(event.target as Node), on);
    for (const name of ["load", "toggle", "change", "transitionrun", "transitionend", "animationstart", "focusin"]) root.addEventListener(name, () => this.lively(), on);
    for (const name of ["mouseover", "mouseup"]) root.addEventListener(name, () => this.look(), on);
    for (const name of ["resize", "load"]) this.view.addEventListener(name, () => this.lively(), on);
    root.fonts?.addEventListener("loadingdone", () => this.lively(), { signal: this.stop.signal });
    this.sizes = new ResizeObserver(() => this.moved());
    this.sizes.observe(root.documentElement);
    if (root.body) this.sizes.observe(root.body);
    this.timer = window.setInterval(() => { if (!document.hidden) this.look(); }, LOOK_AGAIN);
  }
  dispose(): void {
    this.stop.abort();
    this.sizes.disconnect();
    clearInterval(this.timer);
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }

  // Marks that were there before stay as they are: what follows the pointer adds a few to tens of thousands.
  set(marks: Mark[], grey: boolean): void {
    if (this.isGone()) return;
    if (marks !== this.marks) {
      const before = this.known;
      this.marks = marks;
      this.known = this.pieces.of(marks, before);
      for (const [mark, pieces] of before) if (this.known.get(mark) !== pieces) for (const piece of pieces) this.erase(piece);
      this.all = [...this.known.values()].flat().sort((one, other) => one.span.start - other.span.start);
      if (this.scrollers.size) for (const piece of this.all) if (piece.seen < 0) piece.scroller = this.scrollerOf(piece.node);
      this.left = this.all.length;
      this.next = this.firstInSight();
    }
    this.grey = grey;
    if (!grey) { this.veil?.remove(); this.veil = null; }
    this.point(this.pointedAt);
    this.further = true;
    this.soon();
  }
  // Everything may be elsewhere.
  moved(): void {
    if (this.isGone()) return;
    this.clips.changed();
    this.layout++;
    this.left = this.all.length;
    this.next = this.firstInSight();
    this.redraw();
  }
  // What is drawn: marks, and what somebody points at, with its name.
  drawn(): Drawn[] {
    const boxesOf = (boxes: HTMLElement[]) => boxes.map((box) => { const { x, y, width, height } = box.getBoundingClientRect(); return { x, y, width, height }; });
    const marks: Drawn[] = [...this.rows].map(([piece, row]) => (
      { ...piece.span, words: piece.mark.words, kind: piece.kind, label: piece.label, text: piece.words(), boxes: boxesOf(row.boxes) }));
    const [first] = this.pointed?.pieces ?? [];
    return first ? [...marks, { ...first.span, words: first.mark.words, kind: "point", label: this.pointed!.name, text: first.words(), boxes: boxesOf(this.pointer) }] : marks;
  }
  // All that is to be drawn is.
  isSettled(): boolean { return !this.frame && !this.left; }

  // Marks at a place: values, what would be one, and the smallest record.
  marksAt(span: Span): Mark[] {
    const here = this.marks.filter((mark) => mark.start < span.end && mark.end > span.start && mark.rule === undefined);
    const records = here.filter((mark) => mark.record).sort((a, b) => a.end - a.start - (b.end - b.start));
    const values = here.filter((mark) => !mark.record).reverse();
    return [...values.filter((mark) => !mark.hint), ...values.filter((mark) => mark.hint), ...records.slice(0, 1)];
  }
  // The outline of what somebody points at: the value and its record, with their name; else the text or image alone.
  point(span: Span | null): void {
    if (this.isGone()) return;
    for (const box of this.pointer.splice(0)) box.remove();
    this.pointed = null;
    this.pointedAt = span;
    if (!span) return;
    const here = this.marksAt(span), value = here.find((mark) => !mark.record), record = here.find((mark) => mark.record);
    const bare: Mark = { ...span, colour: "", words: "" };
    const pieces = [...(value ? this.pieces.one(value) : this.pieces.at(bare, "mark"))];
    if (record) pieces.push(...this.pieces.one(record));
    this.pointed = { pieces, name: (value ?? record)?.words ?? "" };
    this.drawPointer();
  }
  boxesAt(span: Span): Box[] { return this.pieces.at({ ...span, colour: "", words: "" }, "mark").flatMap((piece) => [...piece.measure()]); }
  // True if a text is scrolled out of what holds it.
  isCut(text: Text): boolean {
    const number = this.places.texts.numberOf(text);
    this.clips.moved();
    const boxes = this.pieces.boxesOf(number, this.places.texts.span(number)), clip = this.clips.in(text.parentElement).flow;
    return !!clip && boxes.length > 0 && !boxes.some((box) => touch(box, clip));
  }
  // The text that keys have come to; -1 for none.
  here(text: number): void { this.hereText = text; this.drawHere(); }

  private scrollerOf(node: Node): Element | null {
    let found: Element | null = null;
    for (const one of this.scrollers) if (one.contains(node) && (!found || found.contains(one))) found = one;
    return found;
  }
  private hasScrolled(target: Node): void {
    if (target === this.root || target === this.root.documentElement || (target === this.root.body && this.root.scrollingElement === this.root.body)) {
      const { scrollX: x, scrollY: y, innerWidth, innerHeight } = this.view;
      if (Math.abs(y - this.drawnAt.y) > innerHeight / 2 || Math.abs(x - this.drawnAt.x) > innerWidth / 4) this.further = true;
      this.soon();
    } else if (target.nodeType === Node.ELEMENT_NODE) {
      const scroller = target as Element;
      if (!this.scrollers.has(scroller)) {
        this.scrollers.add(scroller);
        for (const piece of this.all) if (scroller.contains(piece.node)) { piece.scroller = this.scrollerOf(piece.node); piece.seen = -1; }
        this.left = this.all.length;
      }
      this.scrolled.add(scroller);
      this.soon();
    }
  }
  private redraw(): void { this.full = true; this.soon(); }
  private soon(): void { this.frame ||= requestAnimationFrame(() => { this.frame = 0; this.tick(); }); }
  private lively(): void { this.livelyUntil = performance.now() + LIVELY; this.moved(); }

  // Looks whether some of what is drawn is elsewhere by now, or the page is larger.
  private look(): void {
    if (this.frame || this.isGone()) return;
    if (this.left) { this.soon(); return; }
    const page = this.root.scrollingElement, extent = `${page?.scrollWidth} ${page?.scrollHeight}`;
    if (extent !== this.extent) { this.extent = extent; this.moved(); return; }
    const rows = [...this.rows];
    this.clips.changed();
    this.findOrigin();
    for (let i = 0; i < Math.min(SAMPLE, rows.length); i++) {
      const [piece, row] = rows[this.sampled++ % rows.length]!;
      if (!same(row.at, this.boxesOf(piece))) { this.moved(); return; }
    }
  }

  // Another document has come in place of this one.
  private isGone(): boolean {
    if (!this.root.defaultView) this.dispose();
    return !this.root.defaultView;
  }

  private tick(): void {
    if (this.isGone()) return;
    const windowBox = this.window();
    this.onNearEnd();
    this.clips.moved();
    this.findOrigin();
    const found = this.measureSome(windowBox);
    if (this.full || this.further || found) {
      const { full } = this;
      this.full = this.further = false;
      this.drawnAt = { x: this.view.scrollX, y: this.view.scrollY };
      this.draw(this.all, windowBox, full);
      if (this.grey) this.drawVeil(windowBox);
    } else {
      // what does not scroll with the page, and what was scrolled by itself
      const moved = [...this.rows.keys()].filter((piece) => piece.pinned);
      if (this.scrolled.size) for (const piece of this.all) if (piece.scroller && !piece.pinned && [...this.scrolled].some((one) => one.contains(piece.node))) moved.push(piece);
      if (moved.length) { this.draw(moved, windowBox, true); if (this.grey) this.drawVeil(windowBox); }
    }
    this.scrolled.clear();
    this.drawPointer();
    this.drawHere();
    if (this.left) this.soon();
    else if (performance.now() < this.livelyUntil) this.redraw();
  }

  // The window of the frame, and as much again around it.
  private window(): Box {
    const { innerWidth: wide, innerHeight: high } = this.view;
    return { left: -wide / 2, right: wide * 1.5, top: -high, bottom: 2 * high };
  }
  private findOrigin(): void {
    const box = this.host.getBoundingClientRect();
    this.origin = { x: box.left, y: box.top, scale: box.width / 100 || 1 };
  }
  // A byte of the page that is in sight; -1 if none is.
  byteInSight(): number {
    const { innerWidth: wide, innerHeight: high } = this.view;
    for (const down of [0.1, 0.3, 0.5, 0.7, 0.9]) for (const along of [0.5, 0.2]) {
      const at = this.root.caretRangeFromPoint?.(wide * along, high * down)?.startContainer, number = at ? this.places.texts.numberOf(at) : -1;
      if (number >= 0) return this.places.texts.starts[number]!;
    }
    return -1;
  }
  private firstInSight(): number {
    const byte = this.byteInSight();
    let low = 0, high = this.all.length;
    while (low < high) { const middle = (low + high) >> 1; if (this.all[middle]!.span.start < byte) low = middle + 1; else high = middle; }
    return Math.max(0, low - 100);
  }
  // Where a scroller's content begins, in the window.
  private offsetOf(scroller: Element | null): { x: number; y: number } {
    if (!scroller) return { x: -this.view.scrollX, y: -this.view.scrollY };
    const box = scroller.getBoundingClientRect();
    return { x: box.left - scroller.scrollLeft, y: box.top - scroller.scrollTop };
  }
  private noteNear(piece: Piece, boxes: Iterable<Box>): void {
    const box = bounds(boxes), { x, y } = this.offsetOf(piece.scroller);
    piece.near = box && { left: box.left - x, right: box.right - x, top: box.top - y, bottom: box.bottom - y };
    piece.seen = this.layout;
  }
  // Looks at pieces whose places are not known or may be others; true if one of them is near the screen.
  private measureSome(windowBox: Box): boolean {
    const until = performance.now() + SLICE;
    let found = false;
    for (let count = 0; this.left > 0 && (count % 16 || performance.now() < until); count++, this.left--) {
      const piece = this.all[this.next++ % this.all.length]!;
      if (piece.seen === this.layout) continue;
      const boxes = [...piece.measure()];
      this.noteNear(piece, boxes);
      found ||= boxes.some((box) => touch(box, windowBox) || box.left === box.right);
    }
    return found;
  }
  // The boxes of a piece that are seen, in the overlay.
  private boxesOf(piece: Piece): Box[] {
    const boxes = [...piece.measure()], parent = piece.parent, clip = parent && (piece.node === parent ? this.clips.on(parent) : this.clips.in(parent));
    this.noteNear(piece, boxes);
    piece.pinned = !!clip?.pinned;
    if (!boxes.length || clip?.hidden) return [];
    const { x, y, scale } = this.origin, seen: Box[] = [];
    for (const box of boxes) {
      const cut = meet(box, clip?.flow ?? null)!, wide = cut.right - cut.left, high = cut.bottom - cut.top;
      if (wide < Math.min(SMALLEST, box.right - box.left) || high < Math.min(SMALLEST, box.bottom - box.top)) continue;
      seen.push({ left: (cut.left - x) / scale, right: (cut.right - x) / scale, top: (cut.top - y) / scale, bottom: (cut.bottom - y) / scale });
    }
    return seen;
  }
  private isNear(piece: Piece, windowBox: Box, offsets: Map<Element | null, { x: number; y: number }>): boolean {
    if (piece.pinned) return true;
    if (!piece.near) return false;
    let by = offsets.get(piece.scroller);
    if (!by) offsets.set(piece.scroller, (by = this.offsetOf(piece.scroller)));
    const { left, right, top, bottom } = piece.near;
    return left + by.x <= windowBox.right && right + by.x >= windowBox.left && top + by.y <= windowBox.bottom && bottom + by.y >= windowBox.top;
  }
  // All is looked at before anything is changed: the page is laid out once. What scrolls with the page is where it was, unless
  // it is to be looked at `again`.
  private draw(pieces: Piece[], windowBox: Box, again: boolean): void {
    const offsets = new Map<Element | null, { x: number; y: number }>(), changed: [Piece, Box[]][] = [];
    for (const piece of pieces) {
      const row = this.rows.get(piece);
      const was = this.isNear(piece, windowBox, offsets);
      if (!row ? !was : was && !again && !piece.pinned && !piece.scroller && piece.seen === this.layout) continue;
      const boxes = this.boxesOf(piece), near = boxes.length > 0 && this.isNear(piece, windowBox, offsets);
      if (!near) { if (row) changed.push([piece, []]); continue; }
      if (!row || !same(row.at, boxes)) changed.push([piece, boxes]);
    }
    for (const [piece, boxes] of changed) this.put(piece, boxes);
  }
  private erase(piece: Piece): void {
    for (const box of this.rows.get(piece)?.boxes ?? []) box.remove();
    this.rows.delete(piece);
  }
  private put(piece: Piece, at: Box[]): void {
    if (!at.length) { this.erase(piece); return; }
    let row = this.rows.get(piece);
    if (!row) this.rows.set(piece, (row = { at, boxes: [] }));
    row.at = at;
    while (row.boxes.length > at.length) row.boxes.pop()!.remove();
    while (row.boxes.length < at.length) {
      const box = this.layer.appendChild(this.root.createElement("div"));
      box.className = `${piece.kind} ${piece.of}`;
      box.style.setProperty("--c", piece.mark.colour);
      if (piece.label) box.textContent = piece.label;
      row.boxes.push(box);
    }
    at.forEach((where, i) => { const box = row.boxes[i]!; if (piece.kind === "tag") this.anchor(box, where); else this.place(box, where); });
  }
  private place(box: HTMLElement, { left, top, right, bottom }: Box): void {
    box.style.left = pixels(left);
    box.style.top = pixels(top);
    box.style.width = pixels(right - left);
    box.style.height = pixels(bottom - top);
  }
  // A label above the beginning of something, or in it where nothing is above.
  private anchor(box: HTMLElement, { left, top }: Box): void {
    box.style.left = pixels(left);
    box.style.top = pixels(top);
    box.style.transform = top * this.origin.scale + this.origin.y + this.view.scrollY < 16 ? "none" : "translateY(-100%)";
  }
  // Greys all but what is marked: a veil with holes.
  private drawVeil(windowBox: Box): void {
    const { x, y, scale } = this.origin, page = this.root.scrollingElement!;
    if (this.veil) this.veil.style.display = "none"; // it must not hold the page open
    const { scrollX, scrollY } = this.view, behind = Math.max(page.scrollWidth, this.view.innerWidth) - scrollX, below = Math.max(page.scrollHeight, this.view.innerHeight) - scrollY;
    const ltr = Math.max(windowBox.left, scrollX < 0 ? windowBox.left : -scrollX);
    const box: Box = { left: (ltr - x) / scale, right: (Math.min(windowBox.right, behind) - x) / scale, top: (Math.max(windowBox.top, -scrollY) - y) / scale, bottom: (Math.min(windowBox.bottom, below) - y) / scale };
    if (!this.veil) { this.veil = this.layer.appendChild(this.root.createElement("div")); this.veil.className = "veil"; }
    const holes = [...this.rows].filter(([piece]) => piece.kind !== "record" && piece.kind !== "tag").flatMap(([, row]) => row.at);
    const rectangle = (one: Box) => `M${pixels(one.left - box.left)} ${pixels(one.top - box.top)}H${pixels(one.right - box.left)}V${pixels(one.bottom - box.top)}H${pixels(one.left - box.left)}Z`;
    this.veil.style.display = "block";
    this.place(this.veil, box);
    this.veil.style.clipPath = `path(evenodd, "${[box, ...apart(holes)].map(rectangle).join("").replaceAll("px", "")}")`;
  }
  private drawPointer(): void {
    if (!this.pointed) return;
    this.clips.moved();
    this.findOrigin();
    const wanted = this.pointed.pieces.flatMap((piece) => this.boxesOf(piece).map((box) => ({ box, kind: piece.kind === "record" ? "point record" : "point" })));
    for (const box of this.pointer.splice(0)) box.remove();
    for (const { box, kind } of wanted) { const one = this.layer.appendChild(this.root.createElement("div")); one.className = kind; this.place(one, box); this.pointer.push(one); }
    if (!this.pointed.name || !wanted[0]) return;
    const name = this.layer.appendChild(this.root.createElement("div"));
    name.className = "name";
    name.textContent = this.pointed.name;
    this.pointer.push(name);
    const at = wanted[0].box, { x, y, scale } = this.origin, wide = name.offsetWidth, right = (this.view.innerWidth - x) / scale;
    const above = at.top * scale + y > 24;
    this.place(name, { left: Math.max(-x / scale, Math.min(at.left, right - wide - 4)), top: above ? at.top - 3 : at.bottom + 3, right: 0, bottom: 0 });
    name.style.width = name.style.height = "auto";
    name.style.transform = above ? "translateY(-100%)" : "none";
  }
  private drawHere(): void {
    for (const box of this.hereBoxes.splice(0)) box.remove();
    if (this.hereText < 0) return;
    const { x, y, scale } = this.origin;
    for (const { left, right, top, bottom } of this.pieces.boxesOf(this.hereText, this.places.texts.span(this.hereText))) {
      const box = this.layer.appendChild(this.root.createElement("div"));
      box.className = "here";
      this.place(box, { left: (left - x) / scale, right: (right - x) / scale, top: (top - y) / scale, bottom: (bottom - y) / scale });
      this.hereBoxes.push(box);
    }
  }
}

// The same area in boxes that do not overlap: in strips from edge to edge.
function apart(boxes: Box[]): Box[] {
  const edges = [...new Set(boxes.flatMap((box) => [box.top, box.bottom]))].sort((a, b) => a - b);
  const sorted = [...boxes].sort((a, b) => a.top - b.top), all: Box[] = [];
  let next = 0, open: Box[] = [];
  for (let i = 0; i + 1 < edges.length; i++) {
    const top = edges[i]!, bottom = edges[i + 1]!;
    while (next < sorted.length && sorted[next]!.top <= top) open.push(sorted[next++]!);
    open = open.filter((box) => box.bottom > top);
    let last: Box | null = null;
    for (const { left, right } of [...open].sort((a, b) => a.left - b.left)) {
      if (last && left <= last.right) { last.right = Math.max(last.right, right); continue; }
      all.push((last = { left, right, top, bottom }));
    }
  }
  return all;
}
