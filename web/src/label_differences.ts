// Labels win over what was learnt: where the extractor does not give what somebody labelled, what is shown is the label,
// and the difference is told.
import type { Found, LabelLine, Page, Row, Value } from "./api";
import { isRecordOf, overlap, rowsOf, spotsOf, type Labelled, type LabelValue } from "./labelling";
import { cell, places } from "./values";

// `label` and `found` are texts; a `field` of "" is about a record as a whole: it was left out, or is not found.
export interface Difference { id: number; page: string; row: number; field: string; label: string; found: string; place: number }

const fold = (text: string) => text.replace(/\s+/g, " ").trim();
const textOf = (value: LabelValue | undefined) => cell(value as Value);
const startOf = (row: Row) => Math.min(Infinity, ...Object.values(row).flatMap(places).map((place) => place.start));

// Returns true if a found value is as labelled: at the same places, or the same text where a label has no place.
function isSame(label: LabelValue, found: Value): boolean {
  const spots = spotsOf(label), at = places(found);
  if (!spots.length) return fold(textOf(label)) === fold(cell(found));
  return spots.length === at.length && spots.every((spot, i) => (spot.start === at[i]!.start && spot.end === at[i]!.end) || (spots.length === 1 && overlap(spot, at[i]) && fold(textOf(spot)) === fold(cell(found))));
}

export function withLabels(page: { id: number; name: string }, rows: Row[], line: LabelLine, list: boolean): { rows: Row[]; differences: Difference[] } {
  const next = rows.map((row) => ({ ...row })), differences: Difference[] = [], matched = new Set<Row>();
  const about = { id: page.id, page: page.name };
  for (const record of line.records as Labelled[]) {
    const place = Math.min(Infinity, ...spotsOf(record).map((spot) => spot.start));
    let row = list ? next.find((one) => !matched.has(one) && isRecordOf(record, one)) : next[0];
    if (!row) {
      next.push((row = {}));
      differences.push({ ...about, row: next.length - 1, field: "", label: textOf(Object.values(record).find((value) => value !== null)), found: "", place });
      Object.assign(row, record);
    }
    matched.add(row);
    for (const [name, label] of Object.entries(record)) {
      const found = row[name] ?? null;
      if (isSame(label, found)) continue;
      differences.push({ ...about, row: next.indexOf(row), field: name, label: textOf(label), found: cell(found), place: spotsOf(label)[0]?.start ?? places(found)[0]?.start ?? place });
      row[name] = label as Value;
    }
  }
  const kept = next.filter((row) => {
    const stray = !matched.has(row) && Object.values(row).flatMap(places).find((place) => line.nothing?.some((one) => overlap(one, place)));
    if (stray) differences.push({ ...about, row: -1, field: "", label: "", found: cell(Object.values(row).find((value) => value !== null)), place: stray.start });
    return !stray;
  });
  return { rows: kept.sort((a, b) => startOf(a) - startOf(b)), differences };
}

// All pages as they are shown. `wrong`: the library found labels that do not come out as labelled.
export function shownRecords(found: { id: number; found: Found }[], pages: Page[], lines: LabelLine[], list: boolean, wrong: boolean): { rows: Map<number, Row[]>; differences: Difference[] } {
  const rows = new Map(found.map((one) => [one.id, rowsOf(one.found)])), differences: Difference[] = [];
  if (!wrong) return { rows, differences };
  for (const line of lines) {
    const page = pages.find((one) => one.name === line.page), had = page && rows.get(page.id);
    if (!page || !had) continue;
    const shown = withLabels(page, had, line, list);
    rows.set(page.id, shown.rows);
    differences.push(...shown.differences);
  }
  return { rows, differences };
}
