// Labels of a page as the workbench keeps them, and what changes them.
//
// A field is named by its path, as on the command line: "title", "extras[]" for a list of texts,
// "reviews.who" for a field of a list in the record, "reviews.replies.text" for one of a list in that.
import type { Doubt, Found, Row, Value } from "./api";
import type { Picked } from "./page_frame";
import { cell, isPlace, places } from "./values";

// Of several texts together the place is enough: what they read as one is for the library to say.
export interface Spot { value: string; start: number; end: number }
export const together = (a: { start: number; end: number }, b: { start: number; end: number }): Spot => ({ start: Math.min(a.start, b.start), end: Math.max(a.end, b.end) }) as Spot;
export type LabelValue = Spot | null | LabelValue[] | Labelled;
export interface Labelled { [field: string]: LabelValue }

export const rowsOf = (found?: Found): Row[] => (found ? found.records ?? (found.record ? [found.record] : []) : []);

export const spotOf = (picked: Picked): Spot => ({ value: picked.text, start: picked.start, end: picked.end });

// ---- paths ----

export interface Path { lists: string[]; name: string; many: boolean }

export function pathOf(field: string): Path {
  const parts = field.split("."), last = parts.pop()!;
  return { lists: parts, name: last.replace(/\[\]$/, ""), many: last.endsWith("[]") };
}
// The column of a table that a field is in, and whether it stands there with others.
export const columnOf = (field: string) => { const { lists, name } = pathOf(field); return lists[0] ?? name; };
export const isMany = (field: string) => { const { lists, many } = pathOf(field); return many || lists.length > 0; };

const isSpot = (value: LabelValue | undefined): value is Spot => !!value && typeof value === "object" && !Array.isArray(value) && typeof (value as Spot).start === "number";

// The fields of labels, by their paths; an empty list says nothing of what it is a list of.
export function fieldsOf(records: Labelled[], known: string[] = []): string[] {
  const fields = new Set(known);
  const walk = (record: Labelled, before: string) => {
    for (const [name, value] of Object.entries(record)) {
      const path = before + name;
      if (!Array.isArray(value)) fields.add(path);
      else if (value.some((item) => item && typeof item === "object" && !isSpot(item))) for (const item of value) walk(item as Labelled, `${path}.`);
      else if (value.length || ![...fields].some((one) => one.startsWith(`${path}.`) || one === `${path}[]`)) fields.add(`${path}[]`);
    }
  };
  for (const record of records) walk(record, "");
  return [...fields].filter((field) => !fields.has(`${field}[]`)); // one value on some pages, several on others: several
}

// The items of a list in a record, or of lists in that.
export function itemsAt<T extends Value | LabelValue>(record: { [field: string]: T } | undefined, lists: string[]): { [field: string]: T }[] {
  let level: { [field: string]: T }[] = record ? [record] : [];
  for (const list of lists) level = level.flatMap((one) => (Array.isArray(one?.[list]) ? (one[list] as unknown as { [field: string]: T }[]) : []));
  return level;
}

// Everything that stands at a path of a found record or of labels.
export function valuesAt<T extends Value | LabelValue>(record: { [field: string]: T } | undefined, field: string): T[] {
  const { lists, name } = pathOf(field);
  return itemsAt(record, lists).flatMap((one) => { const value = one?.[name]; return value === null || value === undefined ? [] : Array.isArray(value) ? (value as T[]) : [value]; });
}

// ---- one more value ----

// A label that was written by hand may be a text alone, without a place.
export const spotsOf = (value: LabelValue): Spot[] => value === null || typeof value !== "object" ? [] : Array.isArray(value) ? value.flatMap(spotsOf) : isSpot(value) ? [value] : Object.values(value).flatMap(spotsOf);
const startOf = (record: Labelled) => Math.min(Infinity, ...spotsOf(record).map((spot) => spot.start));
export const overlap = (a: { start: number; end: number } | null | undefined, b: { start: number; end: number } | null | undefined) => !!a && !!b && a.start < b.end && b.start < a.end;
const copy = <T>(value: T): T => structuredClone(value);

// The item of a list that a value belongs to: the last that begins before it, when it has none yet;
// else the next, when that has none; else a new one between them.
function itemFor(items: Labelled[], spot: Spot, free: (item: Labelled) => boolean): Labelled {
  let before = -1;
  items.forEach((item, index) => { if (startOf(item) <= spot.start) before = index; });
  for (const at of [before, before + 1]) if (items[at] && free(items[at]!)) return items[at]!;
  const fresh: Labelled = {};
  items.splice(before + 1, 0, fresh);
  return fresh;
}

// Puts a value where it belongs among the items of a list: below lists the last item that begins
// before it is the one that it is in.
function put(items: Labelled[], single: boolean, path: Path, spot: Spot): void {
  const [list, ...rest] = path.lists;
  if (list === undefined) {
    if (path.many) { const item = single ? (items[0] ??= {}) : itemFor(items, spot, () => true); item[path.name] = [...((item[path.name] as Spot[] | null | undefined) ?? []), spot].sort((a, b) => a.start - b.start); return; }
    if (single) { (items[0] ??= {})[path.name] = spot; return; }
    itemFor(items, spot, (item) => item[path.name] === undefined)[path.name] = spot;
    return;
  }
  const item = single ? (items[0] ??= {}) : itemFor(items, spot, () => true);
  const inner = Array.isArray(item[list]) ? (item[list] as Labelled[]) : [];
  item[list] = inner;
  put(inner, false, { ...path, lists: rest }, spot);
}

// Takes out what of a field overlaps a place; items that are left with nothing go too. Tells whether
// there was any.
function take(items: Labelled[], path: Path, place: { start: number; end: number }): boolean {
  const [list, ...rest] = path.lists;
  let taken = false;
  for (const item of items) {
    const value = item[list ?? path.name];
    if (list !== undefined) { if (Array.isArray(value) && take(value as Labelled[], { ...path, lists: rest }, place)) taken = true; continue; }
    if (Array.isArray(value) && value.some((one) => overlap(one as Spot, place))) { item[path.name] = value.filter((one) => !overlap(one as Spot, place)); taken = true; }
    else if (isSpot(value) && overlap(value, place)) { delete item[path.name]; taken = true; }
  }
  for (let i = items.length - 1; taken && i >= 0; i--) if (!Object.keys(items[i]!).length) items.splice(i, 1);
  return taken;
}

// One more value: into the one record of the page or the record of the list that it stands in. A
// value of a list that is labelled already is taken out.
export function withValue(records: Labelled[], list: boolean, field: string, spot: Spot): Labelled[] {
  const next = copy(records), path = pathOf(field);
  if (!((list || isMany(field)) && take(next, path, spot))) put(next, !list, path, spot);
  return next.filter((record) => Object.keys(record).length);
}

// A value of a list, and the record of the list that it is in.
export interface Item { spot: Spot; row: Row }

// Returns true if a labelled record and a found one have a place in common.
export const isRecordOf = (record: Labelled, row: Row) => {
  const places_ = Object.values(row).flatMap(places);
  return spotsOf(record).some((spot) => places_.some((place) => overlap(spot, place)));
};

// A whole column of a list at once: each value into the record of its row, null in the records without.
export function withColumn(records: Labelled[], field: string, items: Item[], rows: Row[]): Labelled[] {
  const next = copy(records), { name, many } = pathOf(field), byRow = new Map<Row, Spot[]>(rows.map((row) => [row, []]));
  for (const { spot, row } of items) byRow.set(row, [...(byRow.get(row) ?? []), spot]);
  for (const [row, spots] of byRow) {
    let record = next.find((one) => isRecordOf(one, row));
    if (!record) { if (!spots.length) continue; next.push((record = {})); }
    record[name] = many ? spots : spots[0] ?? null;
  }
  return next.sort((a, b) => startOf(a) - startOf(b));
}

// Says that there is no value: in the last record, and in the last item of the list that lacks it.
export function withNone(records: Labelled[], field: string): Labelled[] {
  const next = copy(records), path = pathOf(field);
  if (!next.length) next.push({});
  let item = next[next.length - 1]!;
  for (const list of path.lists) {
    const items = (Array.isArray(item[list]) ? item[list] : (item[list] = [])) as Labelled[];
    if (!items.length) return next; // the list itself is not there
    item = items[items.length - 1]!;
  }
  item[path.name] = path.many ? [] : null;
  return next;
}

// ---- corrections ----

// A found record as labels: each value where it was found, null where there was none.
export function asLabels(row: Row | undefined, fields: string[]): Labelled {
  const spot = (value: Value): LabelValue => {
    if (value === null) return null;
    if (Array.isArray(value)) return value.map(spot).filter((one) => one !== null);
    if (!isPlace(value)) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, spot(inner)]));
    const place = places(value)[0];
    return place ? { value: cell(value), ...place } : null;
  };
  return Object.fromEntries([...new Set(fields.map(columnOf))].map((name) => {
    const value = spot(row?.[name] ?? null);
    return [name, value === null && fields.some((field) => columnOf(field) === name && isMany(field)) ? [] : value];
  }));
}

// The labels with a found record in them: what was found in it is right. Gives its number, too.
function withFound(records: Labelled[], list: boolean, found: Row | undefined, fields: string[], but: string): { next: Labelled[]; at: number } {
  const whole = asLabels(found, fields), next = copy(records);
  const same = list ? next.findIndex((record) => Object.keys(record).some((name) => name !== but && spotsOf(record[name]!).some((a) => spotsOf(whole[name] ?? null).some((b) => overlap(a, b))))) : next.length - 1;
  if (same >= 0) { next[same] = { ...whole, ...next[same] }; return { next, at: same }; }
  next.push(whole);
  return { next, at: next.length - 1 };
}

// A correction: what was found in that record is right but for one value. Of a list, a value that is
// there is taken out and one that is not is put in.
export function withCorrection(records: Labelled[], list: boolean, found: Row | undefined, fields: string[], field: string, spot: Spot | null): Labelled[] {
  const path = pathOf(field), name = columnOf(field), { next, at } = withFound(records, list, found, fields, name);
  if (!isMany(field)) { next[at]![name] = spot; return next; }
  const record = [next[at]!];
  if (spot && !take(record, path, spot)) put(record, true, path, spot);
  next[at] = record[0] ?? {};
  return next;
}

// A whole field answered at once, with all of its values; what else was found in that record is right.
export function withWhole(records: Labelled[], list: boolean, found: Row | undefined, fields: string[], column: string, value: LabelValue): Labelled[] {
  const { next, at } = withFound(records, list, found, fields, column);
  next[at]![column] = value;
  return next;
}
// All that was found in a record is right.
export const withFoundRecord = (records: Labelled[], list: boolean, found: Row | undefined, fields: string[]): Labelled[] => withFound(records, list, found, fields, "").next;
// A field of one value is one of several.
export const withSeveral = (records: Labelled[], name: string): Labelled[] => records.map((record) => {
  const value = record[name];
  return value === undefined || Array.isArray(value) ? record : { ...record, [name]: value === null ? [] : [value] };
});

// Where a record that was found before is among those found now: the one with most of its places.
export function sameRecord(rows: Row[], before: Row | undefined, at: number): number {
  if (!before) return at;
  const old = Object.values(before).flatMap(places), shared = (row: Row) => Object.values(row).flatMap(places).filter((place) => old.some((one) => overlap(one, place))).length;
  let best = at, most = 0;
  rows.forEach((row, index) => { const count = shared(row); if (count > most) [best, most] = [index, count]; });
  return best;
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
// The field that a doubt names, among those that there are.
export const fieldOfDoubt = (doubt: Doubt, fields: string[]) =>
  fields.find((field) => field.replace(/\[\]$/, "") === doubt.field.replace(/\[\]/g, "")) ?? fields.find((field) => pathOf(field).name === doubt.field.split(".").pop()) ?? doubt.field;
