// A page on which the record and the column below the pointer are outlined before anybody clicks.
import { useMemo, useState } from "preact/hooks";
import type { Region, Row } from "./api";
import { PageFrame, type FrameProps, type Mark, type Pointed } from "./page_frame";
import { places } from "./values";
import { t } from "./words/words";

const MOST = 400; // values of a column that are outlined

interface Entry { start: number; end: number; row: number; column: string }
interface Hovered { list: number; row: number; column: string }

// The values of a list in the order of the page.
const entriesOf = (rows: Row[]): Entry[] => rows.flatMap((one, row) => Object.entries(one).flatMap(([column, value]) => places(value).map(({ start, end }) => ({ start, end, row, column }))))
  .sort((a, b) => a.start - b.start);

function entryAt(entries: Entry[], { start, end }: { start: number; end: number }): Entry | null {
  let low = 0, high = entries.length;
  while (low < high) { const middle = (low + high) >> 1; if (entries[middle]!.start < end) low = middle + 1; else high = middle; }
  for (let i = low - 1; i >= Math.max(0, low - 8); i--) if (entries[i]!.end > start) return entries[i]!; // values may overlap, a few
  return null;
}

// `lists`: those that are looked at, the first that has the value counts. Gives what to tell the frame, and marks.
function useHover(lists: Row[][], of: unknown): { onHover: (pointed: Pointed | null) => void; marks: Mark[] } {
  const [at, setAt] = useState<Hovered | null>(null);
  const indexes = useMemo(() => lists.map(entriesOf), [of, lists.length, lists[0]]);
  const marks = useMemo((): Mark[] => {
    const rows = at && lists[at.list], row = at && rows?.[at.row];
    if (!row || !rows) return [];
    const all = Object.values(row).flatMap(places), start = Math.min(...all.map((one) => one.start)), end = Math.max(...all.map((one) => one.end));
    const column = rows.slice(0, MOST).flatMap((one) => places(one[at.column] ?? null));
    const words = t.lists.mark(at.column, at.row + 1), colour = "hsl(210 80% 40%)";
    return [{ start, end, colour, words: t.lists.record(at.row + 1), record: true }, ...column.map((place) => ({ ...place, colour, words, hint: true }))];
  }, [at, of, lists.length, lists[0]]);
  const onHover = (pointed: Pointed | null) => {
    let next: Hovered | null = null;
    for (let list = 0; pointed && !next && list < indexes.length; list++) {
      const entry = entryAt(indexes[list]!, pointed);
      if (entry) next = { list, row: entry.row, column: entry.column };
    }
    setAt((now) => (now?.list === next?.list && now?.row === next?.row && now?.column === next?.column ? now : next));
  };
  return { onHover, marks };
}

export const rowsOfRegions = (regions: Region[] | null) => (regions ?? []).map((region) => region.records);

// `lists`: records with places, `of` what they are of. It has its own state, so that nothing else is drawn again while the
// pointer moves.
export function HoverFrame(props: FrameProps & { lists: Row[][]; of: unknown; off?: boolean }) {
  const { lists, of, off, ...frame } = props, hover = useHover(lists, of);
  const marks = useMemo(() => (hover.marks.length && !off ? [...frame.marks, ...hover.marks] : frame.marks), [frame.marks, hover.marks, off]);
  return <PageFrame {...frame} marks={marks} onHover={off ? undefined : hover.onHover} />;
}
