// Labels of a page as the workbench keeps them, and what changes them.
import { api, type Doubt, type Doubtful, type Found, type LabelLine, type Page, type Row, type Wrapper } from "./api";
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

// Doubts of two wrappers about each other: where they find different values.
function disagreements(one: Row[], other: Row[], engines: [string, string]): Doubt[] {
  if (one.length !== other.length) return [];
  return one.flatMap((row, index) => Object.keys(row).flatMap((field) => {
    const values = [row[field] ?? null, other[index]![field] ?? null];
    const [a, b] = values.map((value) => places(value)[0]);
    if (values.some((value) => places(value).length > 1) || (a && b ? a.start < b.end && b.start < a.end : !a && !b)) return [];
    return [{ field, contention: 0.5, place: (a ?? b)!.start, chosen: 0, answers: [a, b].map((place, at) => (
      { view: engines[at]!, text: place ? cell(values[at]!) : null, start: place?.start ?? 0, end: place?.end ?? 0 })) }];
  }));
}

// Doubts below this are of a view that is known to be poor: of three views of equal weight, one that
// stands alone has a third.
const WORTH = 0.2;

// What is labelled is answered, whatever a view says of it: a value is where one answer is labelled.
function open(asked: Doubtful[], lines: LabelLine[]): Doubtful[] {
  return asked.map((page) => {
    const records = (lines.find((line) => line.page === page.page)?.records ?? []) as Labelled[];
    const answered = (doubt: Doubt) => records.some((record) => {
      const spot = record[doubt.field.split(".").pop()!];
      return spot === null ? records.length === 1 : doubt.answers.some((answer) => overlap(spot, answer.text === null ? null : { value: "", ...answer }));
    });
    // an answer of several values is not one click
    const single = (doubt: Doubt) => doubt.answers.every((answer) => !answer.more);
    return { ...page, doubts: page.doubts.filter((doubt) => doubt.contention >= WORTH && single(doubt) && !answered(doubt)) };
  }).filter((page) => page.doubts.length > 0);
}

// The questions that a wrapper leaves open. An engine that finds values in several ways tells where
// these disagree; of one that has a single way a second engine learns from the same labels.
export async function questionsOf(site: string, wrapper: Wrapper, found: { id: number; found: Found }[], pages: Page[], lines: LabelLine[]): Promise<Doubtful[] | null> {
  const ids = found.map((one) => one.id);
  const own = await api.suggest(site, wrapper, ids).catch(() => null);
  if (own) return open(own, lines);
  const second = await api.learn(site, { pages: ids, engine: "stalker" }).catch(() => null);
  if (!second) return null;
  const others = await api.extract(site, second.wrapper, ids);
  return open(found.flatMap((one, index) => {
    const doubts = disagreements(rowsOf(one.found), rowsOf(others[index]?.found), [wrapper.engine, "stalker"]);
    return doubts.length ? [{ id: one.id, page: pages.find((page) => page.id === one.id)?.name ?? "", contention: doubts.length / 2, doubts }] : [];
  }), lines);
}
