// What can be taken of the element of a value: its text, or an attribute of it or of an element around it.
import { useEffect, useState } from "preact/hooks";
import { api, type PageElement } from "./api";
import type { Kind } from "./field_menu";
import { overlap, type Spot } from "./labelling";
import type { Workbench } from "./state";
import { t } from "./words/words";

export const TEXT = "text";
const NEAR = 6; // elements around a value
const encoder = new TextEncoder(), decoder = new TextDecoder();

const kindId = (element: PageElement, name: string) => `${element.tag} ${name}`;
const kindWords = (tag: string, name: string) => name === "href" ? t.fieldMenu.link : tag === "img" && name === "src" ? t.fieldMenu.image : t.fieldMenu.attribute(name, tag);

// Elements around a value that hold none of the others: what those have is of all of them.
const ownElements = (elements: PageElement[], spot: Spot, others: Spot[]) =>
  elements.filter((element) => !others.some((other) => !overlap(other, spot) && other.start >= element.start && other.end <= element.end)).slice(0, NEAR);

// Which attribute a place is the value of.
function attributeAt(elements: PageElement[], spot: Spot): { element: PageElement; name: string } | null {
  for (const element of elements) {
    const found = element.attributes.find((one) => one.start <= spot.start && spot.end <= one.end);
    if (found) return { element, name: found.name };
  }
  return null;
}

// The first text of an element, by the source of its page.
function textOf(source: Uint8Array, element: PageElement): Spot | null {
  const inner = decoder.decode(source.subarray(element.start, element.end));
  const match = /^(?:\s*<[^>]*>)*\s*([^<]*[^<\s])/.exec(inner);
  if (!match?.[1]) return null;
  const start = element.start + encoder.encode(inner.slice(0, match[0].length - match[1].length)).length;
  return { value: match[1], start, end: start + encoder.encode(match[1]).length };
}

// A value as another kind of the same element; null where there is no such attribute.
export async function spotOfKind(page: number, spot: Spot, kind: string, source: () => Promise<Uint8Array>): Promise<Spot | null> {
  const elements = await api.around(page, spot.start);
  if (kind === TEXT) { const at = attributeAt(elements, spot); return at ? textOf(await source(), at.element) : spot; }
  for (const element of elements) {
    const found = element.attributes.find((one) => kindId(element, one.name) === kind);
    if (found) return { value: found.value, start: found.start, end: found.end };
  }
  return null;
}

// The kinds that the first of some values may be; null until they are known.
export function useKindsOf(bench: Workbench, page: number | undefined, spots: Spot[], known?: string): { kinds: Kind[] | null; kind: string } {
  const [got, setGot] = useState<{ of: string; kinds: Kind[]; kind: string } | null>(null);
  const [spot] = spots, of = `${page} ${spot?.start}-${spot?.end} ${known}`;
  useEffect(() => {
    if (!spot || page === undefined) return;
    let stale = false;
    api.around(page, spot.start).then((elements) => {
      const seen = new Map<string, Kind>([[TEXT, { id: TEXT, words: t.fieldMenu.text }]]);
      for (const element of ownElements(elements, spot, spots)) for (const { name } of element.attributes) {
        const key = kindId(element, name);
        if (!seen.has(key)) seen.set(key, { id: key, words: kindWords(element.tag, name) });
      }
      const at = attributeAt(elements, spot);
      if (!stale) setGot({ of, kinds: [...seen.values()], kind: known ?? (at ? kindId(at.element, at.name) : TEXT) });
    }, bench.fail);
    return () => { stale = true; };
  }, [of]);
  return got?.of === of ? got : { kinds: spot ? null : [{ id: TEXT, words: t.fieldMenu.text }], kind: known ?? TEXT };
}
