// How much of a page is template and how much is data, in words, as a bar: grey for what all pages share, the colours
// of the table for data.
import { useMemo } from "preact/hooks";
import { api } from "./api";
import type { Mark } from "./page_frame";
import { useLoaded } from "./state";
import { number, t } from "./words/words";

const wordsIn = (text: string) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

export interface Share { words: number; data: number; colours: { colour: string; words: number }[] }

// A text that is data in part counts with that part.
export function shareOf(texts: { start: number; end: number; text: string }[], marks: Mark[]): Share {
  const places = [...marks].sort((a, b) => a.start - b.start), by = new Map<string, number>();
  let all = 0, data = 0, first = 0;
  for (const { start, end, text } of texts) {
    const count = wordsIn(text);
    all += count;
    while (first < places.length && places[first]!.end <= start) first++;
    let taken = start, left = count;
    for (let at = first; at < places.length && places[at]!.start < end; at++) {
      const mark = places[at]!, from = Math.max(mark.start, taken), to = Math.min(mark.end, end);
      if (to <= from) continue;
      const mine = Math.min(left, Math.round((count * (to - from)) / Math.max(1, end - start)));
      by.set(mark.colour, (by.get(mark.colour) ?? 0) + mine);
      data += mine;
      left -= mine;
      taken = to;
    }
  }
  return { words: all, data, colours: [...by].map(([colour, words]) => ({ colour, words })) };
}

export function PageShare(props: { page: number; marks: Mark[] }) {
  const { value: texts } = useLoaded([props.page], async () => {
    const root = new DOMParser().parseFromString(await api.view(props.page), "text/html");
    return [...root.querySelectorAll("[t]")].map((one) => { const [start, end] = one.getAttribute("t")!.split("-").map(Number); return { start: start!, end: end!, text: one.textContent ?? "" }; });
  });
  const share = useMemo(() => (texts ? shareOf(texts, props.marks) : null), [texts, props.marks]);
  if (!share?.words) return null;
  const grey = share.words - share.data, said = t.pageShare.said(Math.round((100 * grey) / share.words), number(share.words));
  return <div class="page-share"><p>{said}</p>
    <div class="share-bar" role="img" aria-label={said}><span class="grey" style={{ flexGrow: grey }} />{share.colours.map((one) => <span style={{ flexGrow: one.words, background: one.colour }} />)}</div></div>;
}
