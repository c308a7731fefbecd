// Where the bytes of a page are in the document that shows it: its texts, images and links, by place. There are two such
// documents (serve/page_view.c). In the page as it looks a comment in front of a text says which bytes it is; in the plain
// page the element around it does.

export interface Span { start: number; end: number }

// Nodes in the order of the source. Their spans do not overlap.
export class Spots<N extends Node> {
  readonly nodes: N[];
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  private numbers: Map<Node, number> | null = null;
  constructor(found: { node: N; start: number; end: number }[]) {
    // a browser moves what may not be in a table to the front of it
    if (found.some((one, i) => i > 0 && one.start < found[i - 1]!.start)) found.sort((a, b) => a.start - b.start);
    this.nodes = found.map((one) => one.node);
    this.starts = Uint32Array.from(found, (one) => one.start);
    this.ends = Uint32Array.from(found, (one) => one.end);
  }
  get length() { return this.nodes.length; }
  span(index: number): Span { return { start: this.starts[index]!, end: this.ends[index]! }; }
  // The first that ends behind a byte.
  firstAfter(byte: number): number {
    let low = 0, high = this.length;
    while (low < high) { const middle = (low + high) >> 1; if (this.ends[middle]! <= byte) low = middle + 1; else high = middle; }
    return low;
  }
  // From which to which (excluded) a stretch of the source has them.
  within({ start, end }: Span): [number, number] {
    const first = this.firstAfter(start);
    let behind = this.firstAfter(end);
    if (behind < this.length && this.starts[behind]! < end) behind++;
    return [first, Math.max(first, behind)];
  }
  // The number of a node; -1 for one that is not of the page.
  numberOf(node: Node): number {
    this.numbers ??= new Map(this.nodes.map((one, i) => [one, i]));
    return this.numbers.get(node) ?? -1;
  }
}

export interface Places { texts: Spots<Text>; images: Spots<HTMLElement>; links: Spots<HTMLElement> }

const PLACE = /^t=(\d+)-(\d+)$/;

function spanOf(said: string): Span | null {
  const match = PLACE.exec(said);
  return match ? { start: Number(match[1]), end: Number(match[2]) } : null;
}

function textsOf(root: Document, look: boolean): Spots<Text> {
  const found: { node: Text; start: number; end: number }[] = [];
  const add = (said: string, node: Node | null) => {
    const span = node?.nodeType === Node.TEXT_NODE ? spanOf(said) : null;
    if (span) found.push({ node: node as Text, ...span });
  };
  if (look) {
    const walker = root.createTreeWalker(root, NodeFilter.SHOW_COMMENT);
    for (let comment = walker.nextNode() as Comment | null; comment; comment = walker.nextNode() as Comment | null) add(comment.data, comment.nextSibling);
  } else for (const element of root.querySelectorAll("[t]")) add(`t=${element.getAttribute("t")}`, element.firstChild);
  return new Spots(found);
}

// Elements that have an attribute which is a value: its bytes are in NAME-s and NAME-e.
function elementsOf(root: Document, wanted: string, name: string): Spots<HTMLElement> {
  return new Spots([...root.querySelectorAll<HTMLElement>(`${wanted}[${name}-s]`)].map((node) => (
    { node, start: Number(node.getAttribute(`${name}-s`)), end: Number(node.getAttribute(`${name}-e`)) })));
}

export const placesIn = (root: Document, look: boolean): Places => (
  { texts: textsOf(root, look), images: elementsOf(root, "img", "data-src"), links: elementsOf(root, "", "data-href") });

// A browser parts a very long text into several nodes.
export function lastPart(text: Text): Text {
  let last = text;
  while (last.nextSibling?.nodeType === Node.TEXT_NODE) last = last.nextSibling as Text;
  return last;
}

// The smallest element around two nodes.
export function around(first: Node, last: Node): Element | null {
  let element = first.nodeType === Node.ELEMENT_NODE ? (first as Element) : first.parentElement;
  while (element && !element.contains(last)) element = element.parentElement;
  return element;
}
