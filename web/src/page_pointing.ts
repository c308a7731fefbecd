// What somebody points at in the document of a page, and what they take: a text, a part of one, an image or a link.
import { api } from "./api";
import { type Places, type Span } from "./page_places";

// `element` is the link or image that was taken, or around the text: a place in its tag.
export interface Picked extends Span { text: string; element?: { start: number } }
// What is below the pointer, or where keys have come to.
export interface Pointed extends Span { text: string; element?: { start: number } }

const MOST_TEXTS = 200; // of an element that are looked at for one below the pointer

const holds = (box: DOMRect, x: number, y: number) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;

// The text of the page at a point; -1 for none. An element that holds a single text stands for it.
export function textAt(root: Document, places: Places, x: number, y: number, target: Element): number {
  const range = root.createRange();
  const isAt = (node: Node) => { range.selectNodeContents(node); return [...range.getClientRects()].some((box) => holds(box, x, y)); };
  const caret = root.caretRangeFromPoint?.(x, y)?.startContainer, number = caret?.nodeType === Node.TEXT_NODE ? textOf(places, caret) : -1;
  if (number >= 0 && isAt(caret!)) return number;
  const walker = root.createTreeWalker(target, NodeFilter.SHOW_TEXT);
  let only = -1, count = 0;
  for (let node = walker.nextNode(); node && count < MOST_TEXTS; node = walker.nextNode()) {
    const at = textOf(places, node);
    if (at < 0) continue;
    if (isAt(node)) return at;
    only = count++ ? -1 : at;
  }
  return only;
}

// The number of the text that a node is of, which may be one of several nodes.
export function textOf(places: Places, node: Node): number {
  for (let at: Node | null = node; at?.nodeType === Node.TEXT_NODE; at = at.previousSibling) {
    const number = places.texts.numberOf(at);
    if (number >= 0) return number;
  }
  return -1;
}

const linkAround = (places: Places, node: Element | null): number => { const link = node?.closest("[data-href-s]"); return link ? places.links.numberOf(link) : -1; };
const imageAt = (places: Places, target: Element): number => { const image = target.closest("img[data-src-s]"); return image ? places.images.numberOf(image) : -1; };

// What is at a point: a text, else an image, else a link that shows neither.
export function pointedAt(root: Document, places: Places, x: number, y: number, target: Element): Pointed | null {
  const image = imageAt(places, target);
  if (image >= 0) { const span = places.images.span(image); return { ...span, text: places.images.nodes[image]!.dataset.src ?? "", element: { start: span.start } }; }
  const text = textAt(root, places, x, y, target);
  if (text >= 0) return pointedText(places, text);
  const link = linkAround(places, target);
  if (link < 0) return null;
  const span = places.links.span(link);
  return { ...span, text: places.links.nodes[link]!.dataset.href ?? "", element: { start: span.start } };
}

export function pointedText(places: Places, text: number): Pointed {
  const node = places.texts.nodes[text]!, link = linkAround(places, node.parentElement);
  return { ...places.texts.span(text), text: node.data.trim(), ...(link >= 0 ? { element: { start: places.links.starts[link]! } } : {}) };
}

// The server says which bytes the letters of a text are, from one to another. A text that has as many bytes in the
// source as letters in UTF-8 has no character references: its letters are counted without a server, too.
const lettersOf = (page: number, places: Places, text: number, from: number, to: number) => api.place(page, places.texts.starts[text]!, from, to, () => {
  const { start, end } = places.texts.span(text), data = places.texts.nodes[text]!.data, bytes = (part: string) => new TextEncoder().encode(part).length;
  if (bytes(data) !== end - start) return null;
  return { start: start + bytes(data.slice(0, from)), end: start + bytes(data.slice(0, to)), text: data.slice(from, to).replace(/\s+/g, " ").trim() };
});

export async function take(page: number, places: Places, pointed: Pointed): Promise<Picked> {
  const text = places.texts.firstAfter(pointed.start);
  if (places.texts.starts[text] !== pointed.start) return pointed;
  const picked = await lettersOf(page, places, text, 0, places.texts.nodes[text]!.length);
  return { ...picked, ...(pointed.element ? { element: pointed.element } : {}) };
}

// What is selected, from its first letter to its last; null when that is not text of the page.
export function selected(page: number, places: Places, range: Range): (() => Promise<Picked>) | null {
  let first = textOf(places, range.startContainer), last = textOf(places, range.endContainer);
  let from = range.startOffset, to = range.endOffset;
  if (first < 0 || last < 0) { // from or to between texts: those in it
    const inside = insideOf(places, range);
    if (!inside) return null;
    if (first < 0) { first = inside.first; from = 0; }
    if (last < 0) { last = inside.last; to = places.texts.nodes[last]!.length; }
  }
  if (first > last) return null;
  const text = range.toString();
  if (first === last) return from < to ? () => lettersOf(page, places, first, from, to) : null;
  return async () => {
    const begin = await lettersOf(page, places, first, from, places.texts.nodes[first]!.length), end = to > 0 ? await lettersOf(page, places, last, 0, to) : places.texts.span(last - 1);
    return { start: begin.start, end: end.end, text };
  };
}

function insideOf(places: Places, range: Range): { first: number; last: number } | null {
  const { nodes } = places.texts;
  const find = (good: (node: Text) => boolean) => { let low = 0, high = nodes.length; while (low < high) { const middle = (low + high) >> 1; if (good(nodes[middle]!)) high = middle; else low = middle + 1; } return low; };
  const first = find((node) => range.comparePoint(node, node.length) >= 0), last = find((node) => range.comparePoint(node, 0) > 0) - 1;
  return first <= last ? { first, last } : null;
}
