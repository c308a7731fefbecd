// Labels of a page as the workbench keeps them, and what changes them.
import type { Doubt, Found, Row } from "./api";
import type { Picked } from "./page_frame";
import { cell, places } from "./values";

export interface Spot { value: string; start: number; end: number }
export type Labelled = { [field: string]: Spot | null };

export const rowsOf = (found?: Found): Row[] => (found ? found.records ?? (found.record ? [found.record] : []) : []);

export const spotOf = (picked: Picked): Spot => ({ value: picked.text, start: picked.start, end: picked.end });

// A found record as labels: each value where it was found, null where there was none.
function asLabels(row: Row | undefined, fields: string[]): Labelled {
  const whole: Labelled = {};
  for (const name of fields) {
    const value = row?.[name] ?? null, place = places(value)[0];
    whole[name] = place ? { value: cell(value), ...place } : null;
  }
  return whole;
}

const overlap = (a: Spot | null | undefined, b: Spot | null | undefined) => !!a && !!b && a.start < b.end && b.start < a.end;

// One more value, in order: into the one record of the page, or into the last record of the list,
// where a field that has a value begins the next one.
export function withValue(records: Labelled[], list: boolean, field: string, spot: Spot | null): Labelled[] {
  const next = records.map((record) => ({ ...record }));
  const last = next[next.length - 1];
  if (!list) next[0] = { ...(next[0] ?? {}), [field]: spot };
  else if (!last || last[field] !== undefined) next.push({ [field]: spot });
  else last[field] = spot;
  return next;
}

// A correction: what was found in that record is right but for one field.
export function withCorrection(records: Labelled[], list: boolean, found: Row | undefined, fields: string[], field: string, spot: Spot | null): Labelled[] {
  const whole = { ...asLabels(found, fields), [field]: spot };
  const next = records.map((record) => ({ ...record }));
  const same = list ? next.findIndex((record) => Object.keys(record).some((name) => name !== field && overlap(record[name], whole[name]))) : next.length - 1;
  if (same >= 0) next[same] = { ...whole, ...next[same], [field]: spot };
  else next.push(whole);
  return next;
}

// Which of the found records a doubt is about: the one around its place, else the nearest before it.
export function rowOfDoubt(rows: Row[], doubt: Doubt): number {
  let best = 0;
  rows.forEach((row, index) => {
    const first = Math.min(...Object.values(row).flatMap(places).map((place) => place.start));
    if (first <= doubt.place) best = index;
  });
  return best;
}
