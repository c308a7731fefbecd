// Marks on a page, and the pieces of the page that they are on.
import { around, lastPart, type Places, type Span } from "./page_places";
import { bytesIn, unitAt, unitsAsShown, unitsOfSource, type Units } from "./text_units";
import { bounds, type Box } from "./page_clips";

// `rule` is what a rule hit there: a token of a text, or a tag; `asked`: a question is about it; `hint`: what would be taken.
export interface Mark extends Span { colour: string; words: string; record?: boolean; rule?: string; asked?: boolean; hint?: boolean }

export type Kind = "mark" | "record" | "rule" | "tag" | "asked" | "hint";

const MOST_IN_RECORD = 300; // texts of a record whose boxes are looked at one by one
const LONGEST_TAG = 28;

// A part of the page that a mark is on. `measure` gives its boxes in the window of the frame; none if it is not shown.
export class Piece {
  near: Box | null = null; // where it was when it was last looked at, in what it scrolls with
  seen = -1; // in which layout that was
  scroller: Element | null = null; // what it scrolls with, if not with the page
  pinned = false; // it stays where it is while the page scrolls
  constructor(readonly mark: Mark, readonly kind: Kind, readonly node: Node, readonly span: Span, readonly measure: () => Iterable<Box>,
    readonly label = "", readonly words: () => string = () => node.textContent ?? "") {}
  // What it is a part of: a text, a picture or a link.
  get of(): string { return this.node.nodeType === Node.TEXT_NODE ? "text" : (this.node as Element).localName === "img" ? "picture" : "link"; }
  get parent(): Element | null { return this.node.nodeType === Node.TEXT_NODE ? this.node.parentElement : (this.node as Element); }
}

// Letters of two directions on a line are a box each: those that touch are one.
function joined(boxes: DOMRect[]): Box[] {
  const all: Box[] = [];
  for (const { left, right, top, bottom } of boxes) {
    const next = all.find((one) => Math.abs(one.top - top) < 0.5 && Math.abs(one.bottom - bottom) < 0.5 && left < one.right + 0.5 && one.left < right + 0.5);
    if (next) { next.left = Math.min(next.left, left); next.right = Math.max(next.right, right); } else all.push({ left, right, top, bottom });
  }
  return all;
}
const shown = (boxes: Iterable<DOMRect>): DOMRect[] => [...boxes].filter((box) => box.width > 0 && box.height > 0);

// Tags that rules hit, by the text that they are shown beside.
type Tags = Map<string, { mark: Mark; text: number; behind: boolean; said: string[]; at: Set<number> }>;

// Finds the pieces of marks. The source is asked for when a part of a text is marked that its letters do not give.
export class Pieces {
  private readonly units = new Map<number, Units>();
  private bytes: Uint8Array | null = null;
  private asked = false;
  private readonly range: Range;
  constructor(private readonly root: Document, private readonly places: Places, private readonly source: () => Promise<string>, private readonly late: () => void) {
    this.range = root.createRange();
  }
  // The pieces of each mark; those that are known stay. Of two marks at one place the last is seen.
  of(marks: Mark[], known: Map<Mark, Piece[]>): Map<Mark, Piece[]> {
    const all = new Map<Mark, Piece[]>(), last = new Map<string | Mark, Mark>(), tags: Tags = new Map();
    for (const mark of marks) last.set(mark.record || mark.rule !== undefined ? mark : `${mark.start}-${mark.end}-${mark.asked}-${mark.hint}`, mark);
    for (const mark of last.values()) all.set(mark, mark.rule !== undefined ? this.rule(mark, tags) : known.get(mark) ?? this.one(mark));
    for (const { mark, text, behind, said } of tags.values()) all.set(mark, [...(all.get(mark) ?? []), this.tag(mark, text, behind, said.join(" "))]);
    return all;
  }
  // The pieces of a mark that is not a rule's.
  one(mark: Mark): Piece[] { return mark.record ? this.record(mark) : this.at(mark, mark.asked ? "asked" : mark.hint ? "hint" : "mark"); }
  // What is at a place: texts and images in it, else the link whose address it is.
  at(mark: Mark, kind: Kind): Piece[] {
    const { texts, images, links } = this.places, all: Piece[] = [];
    for (let [i, end] = texts.within(mark); i < end; i++) all.push(this.text(mark, kind, i));
    for (let [i, end] = images.within(mark); i < end; i++) {
      const image = images.nodes[i]!;
      all.push(new Piece(mark, kind, image, images.span(i), () => shown([image.getBoundingClientRect()])));
    }
    if (!all.length) for (let [i, end] = links.within(mark); i < end; i++) all.push(this.link(mark, kind, i));
    return all;
  }
  // The boxes of the bytes of a text.
  boxesOf(number: number, span: Span): Box[] {
    if (!this.places.texts.nodes[number]!.parentElement?.checkVisibility({ visibilityProperty: true })) return [];
    this.select(number, span);
    const boxes = shown(this.range.getClientRects());
    return boxes.length > 1 ? joined(boxes) : boxes;
  }
  private select(number: number, span: Span): void {
    const { texts } = this.places, text = texts.nodes[number]!, { start, end } = texts.span(number);
    const units = span.start > start || span.end < end ? this.unitsOf(number) : null;
    if (units) {
      this.range.setStart(text, Math.min(text.length, unitAt(units, span.start - start)));
      this.range.setEnd(text, Math.min(text.length, unitAt(units, span.end - start)));
    } else {
      const behind = lastPart(text);
      this.range.setStart(text, 0);
      this.range.setEnd(behind, behind.length);
    }
  }
  private unitsOf(number: number): Units | null {
    let units = this.units.get(number);
    if (units) return units;
    const { texts } = this.places, { start, end } = texts.span(number), text = texts.nodes[number]!.data;
    if (bytesIn(text) === end - start) units = unitsAsShown(text);
    else if (this.bytes) units = unitsOfSource(new TextDecoder().decode(this.bytes.subarray(start, end)));
    else {
      if (!this.asked) void this.source().then((got) => { this.bytes = new TextEncoder().encode(got); this.late(); }, () => {});
      this.asked = true;
      return null; // the whole text until then
    }
    this.units.set(number, units);
    return units;
  }
  private text(mark: Mark, kind: Kind, number: number): Piece {
    const { start, end } = this.places.texts.span(number), span = { start: Math.max(start, mark.start), end: Math.min(end, mark.end) };
    const words = () => { this.select(number, span); return this.range.toString(); };
    return new Piece(mark, kind, this.places.texts.nodes[number]!, span, () => this.boxesOf(number, span), "", words);
  }
  private link(mark: Mark, kind: Kind, number: number): Piece {
    const link = this.places.links.nodes[number]!;
    return new Piece(mark, kind, link, this.places.links.span(number), () => {
      if (!link.checkVisibility({ visibilityProperty: true })) return [];
      if (!link.firstElementChild) return shown(link.getClientRects());
      this.range.selectNodeContents(link);
      const box = bounds(shown([...this.range.getClientRects(), ...link.getClientRects()]));
      return box ? [box] : [];
    });
  }
  // A frame around a record: the element that holds it and no more; else around its texts and images.
  private record(mark: Mark): Piece[] {
    const { texts, images } = this.places, [first, end] = texts.within(mark), [image, lastImage] = images.within(mark);
    const nodes: Node[] = [...texts.nodes.slice(first, end), ...images.nodes.slice(image, lastImage)];
    if (!nodes.length) return [];
    const pictures = lastImage > image ? [images.nodes[image]!, images.nodes[lastImage - 1]!] : [];
    const holder = pictures.reduce((at, picture) => at && around(at, picture), around(nodes[0]!, nodes[end > first ? end - first - 1 : nodes.length - 1]!));
    const before = texts.nodes[first - 1], behind = texts.nodes[end];
    const own = holder && holder !== this.root.body && !(before && holder.contains(before)) && !(behind && holder.contains(behind));
    const measure = () => {
      if (!holder?.checkVisibility({ visibilityProperty: true })) return [];
      const box = own || nodes.length > MOST_IN_RECORD ? holder.getBoundingClientRect() : null;
      if (box && box.width > 0 && box.height > 0) return [box];
      const boxes: Box[] = [];
      for (let i = first; i < end; i++) boxes.push(...this.boxesOf(i, mark));
      for (let i = image; i < lastImage; i++) boxes.push(...shown([images.nodes[i]!.getBoundingClientRect()]));
      const all = bounds(boxes);
      return all ? [all] : [];
    };
    return [new Piece(mark, "record", own ? holder : nodes[0]!, mark, measure)];
  }
  // What a rule hits: a token of a text, or a tag, which is shown beside the text that it belongs to.
  private rule(mark: Mark, tags: Tags): Piece[] {
    const { texts } = this.places, [first, end] = texts.within(mark);
    if (end > first) return Array.from({ length: end - first }, (_, i) => this.text(mark, "rule", first + i));
    const behind = mark.rule!.startsWith("</") && first > 0, text = behind ? first - 1 : first, key = `${text}${behind ? ">" : "<"}`;
    if (text >= texts.length) return [];
    const tag = tags.get(key) ?? { mark, text, behind, said: [], at: new Set() };
    tags.set(key, tag);
    if (!tag.at.has(mark.start)) tag.said.push(mark.rule!.length > LONGEST_TAG ? `${mark.rule!.slice(0, LONGEST_TAG - 1)}…` : mark.rule!); // several rules may hit it
    tag.at.add(mark.start);
    return [];
  }
  private tag(mark: Mark, text: number, behind: boolean, said: string): Piece {
    const span = this.places.texts.span(text);
    return new Piece(mark, "tag", this.places.texts.nodes[text]!, span, () => {
      const boxes = this.boxesOf(text, span), at = boxes[behind ? boxes.length - 1 : 0];
      return !at ? [] : behind ? [{ left: at.right, right: at.right, top: at.top, bottom: at.bottom }] : [{ left: at.left, right: at.left, top: at.top, bottom: at.bottom }];
    }, said);
  }
}
