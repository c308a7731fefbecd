// Fields of labels as somebody changes them: names, order, what is taken of their elements, which part of a text, what
// they are and what is joined. Names, order and places are in the labels of all pages; types and joined fields are
// kept beside them, as columns.
import { api, type LabelLine } from "./api";
import { merged, moved, parted, type Column, type ColumnType } from "./columns";
import { spotOfKind, useKindsOf } from "./element_kinds";
import { problemOf } from "./field_form";
import type { FieldActions, Kind } from "./field_menu";
import { viewOf, type Session } from "./label_session";
import type { Change } from "./label_store";
import { columnOf, isMany, pathOf, spotsOf, valuesAt, type Labelled, type LabelValue, type Spot } from "./labelling";
import { colour } from "./values";
import { t } from "./words/words";

// ---- columns ----

type Setting = Pick<Column, "name" | "type" | "parts" | "join">;
const settingsOf = (lines: LabelLine[] | null) => (lines?.find((line) => line.columns?.length)?.columns ?? []) as Setting[];

// The columns that the fields of labels give.
export function columnsOfLabels(fields: string[], lines: LabelLine[] | null): Column[] {
  const settings = settingsOf(lines);
  return [...new Set(fields.map(columnOf))].map((name) => {
    const { type, parts, join } = settings.find((one) => one.name === name) ?? { name };
    return { name, as: name, on: true, colour: colour(fields.findIndex((field) => columnOf(field) === name)), type, join, parts: parts?.filter((part) => fields.some((field) => columnOf(field) === part)) };
  });
}
const asSettings = (columns: Column[]): Setting[] => columns.filter((one) => one.type || one.parts?.length).map(({ name, type, parts, join }) => ({ name, type, parts, join }));

const encoder = new TextEncoder(), decoder = new TextDecoder();

// ---- labels of all pages ----

const records = (line: LabelLine) => line.records as Labelled[];

// The labels with each value of a field replaced; undefined takes it out.
function mapField(record: Labelled, path: string[], change: (value: LabelValue) => LabelValue | undefined, name?: string): Labelled {
  const [first, ...rest] = path;
  return Object.fromEntries(Object.entries(record).flatMap(([key, value]): [string, LabelValue][] => {
    if (key !== first) return [[key, value]];
    if (rest.length) return [[key, Array.isArray(value) ? value.map((item) => mapField(item as Labelled, rest, change, name)) : value]];
    const next = change(value);
    return next === undefined ? [] : [[name ?? key, next]];
  }));
}
const keysOf = (field: string) => { const { lists, name } = pathOf(field); return [...lists, name]; };
const filled = (all: Labelled[]) => all.filter((record) => Object.keys(record).length);
const eachLine = (change: (had: Labelled[], line: LabelLine) => Labelled[], columns?: Setting[]) => (lines: LabelLine[]): Change[] =>
  lines.map((line) => ({ page: line.page, change: (had) => change(had, line), ...(columns ? { more: (more) => ({ ...more, columns }) } : {}) }));
const mapSpots = (value: LabelValue, change: (spot: Spot) => Spot): LabelValue =>
  Array.isArray(value) ? value.map((one) => mapSpots(one, change)) : value && typeof value === "object" && typeof (value as Spot).start === "number" ? change(value as Spot) : value;

// ---- what is taken of an element ----

// The kinds of a field: asked for when its menu is open.
export function useKinds(session: Session, field: string | null): { kinds: Kind[] | null; kind: string } {
  const line = field ? session.lines?.find((one) => records(one).some((record) => spotsOf(valuesAt(record, field) as LabelValue[]).length)) : undefined;
  const all = line && field ? spotsOf(records(line).flatMap((record) => valuesAt(record, field)) as LabelValue[]) : [];
  return useKindsOf(session.bench, session.bench.pages.find((page) => page.name === line?.page)?.id, all);
}

// Places of a field on all labelled pages, each replaced by what `find` gives; those for which there is none stay.
async function replaced(session: Session, lines: LabelLine[], field: string, find: (page: number, spot: Spot, source: () => Promise<Uint8Array>) => Promise<Spot | null>): Promise<{ changes: Change[]; missing: number }> {
  let missing = 0;
  const changes: Change[] = [];
  for (const line of lines) {
    const page = session.bench.pages.find((one) => one.name === line.page), next = new Map<string, Spot>();
    if (!page) continue;
    let text: Promise<Uint8Array> | null = null;
    const source = () => (text ??= api.source(page.id).then((said) => encoder.encode(said)));
    await Promise.all(spotsOf(records(line).flatMap((record) => valuesAt(record, field)) as LabelValue[]).map(async (spot) => {
      const to = await find(page.id, spot, source);
      if (to) next.set(`${spot.start}-${spot.end}`, to); else missing++;
    }));
    const swap = (value: LabelValue) => mapSpots(value, (spot) => next.get(`${spot.start}-${spot.end}`) ?? spot);
    if (next.size) changes.push({ page: line.page, change: (had) => had.map((record) => mapField(record, keysOf(field), swap)) });
  }
  return { changes, missing };
}

async function takeKind(session: Session, lines: LabelLine[], field: string, kind: string): Promise<Change[]> {
  const { changes, missing } = await replaced(session, lines, field, (page, spot, source) => spotOfKind(page, spot, kind, source));
  if (missing) session.bench.say(t.fieldMenu.nowhere(field, missing));
  return changes;
}

// ---- a part of a text ----

// The same part of all labelled values of a field: what is before it and behind it in one is so in the others.
export function takePart(session: Session, field: string, page: string, whole: Spot, part: Spot): void {
  const words = t.fieldMenu.cut(field);
  void session.storeAll(async (lines) => {
    const of = session.bench.pages.find((one) => one.name === page)!, sample = decoder.decode(encoder.encode(await api.source(of.id)).subarray(whole.start, whole.end));
    const bytes = encoder.encode(sample), before = decoder.decode(bytes.subarray(0, part.start - whole.start)), behind = decoder.decode(bytes.subarray(part.end - whole.start));
    const sign = before.match(/\S+\s*$/)?.[0] ?? before, end = behind.match(/^\s*\S+/)?.[0] ?? behind;
    const { changes, missing } = await replaced(session, lines, field, async (_, spot, source) => {
      const text = decoder.decode((await source()).subarray(spot.start, spot.end));
      const from = before ? (text.startsWith(before) ? before.length : text.indexOf(sign) < 0 ? -1 : text.indexOf(sign) + sign.length) : 0;
      const to = from < 0 ? -1 : behind ? text.indexOf(end, from) : text.length;
      if (from < 0 || to <= from) return null;
      const start = spot.start + encoder.encode(text.slice(0, from)).length, value = text.slice(from, to);
      return { value, start, end: start + encoder.encode(value).length };
    });
    if (missing) session.bench.say(t.fieldMenu.nowhere(field, missing));
    return changes;
  }, () => words);
}

// ---- the menu ----

export function labelFieldActions(session: Session, field: string, kinds: { kinds: Kind[] | null; kind: string }): FieldActions {
  const { bench, fields, lines, storeAll } = session, site = bench.site, column = columnOf(field);
  const columns = columnsOfLabels(fields, lines), own = columns.find((one) => one.name === column)!, flat = !pathOf(field).lists.length;
  const names = columns.map((one) => one.name), at = names.indexOf(column);
  const setFields = (to: string[]) => viewOf(site)?.fields(() => to);
  const store = (plan: (now: LabelLine[]) => Change[] | Promise<Change[]>, words: string, to?: string[]) => {
    if (to) setFields(to);
    void storeAll(plan, () => words, to ? () => setFields(fields) : undefined);
  };
  const storeColumns = (to: Column[], words: string) => store(eachLine((had) => had, asSettings(to)), words);
  const isLabelled = !!lines?.some((line) => records(line).some((record) => valuesAt(record, field).length || pathOf(field).name in record));
  return {
    name: pathOf(field).name, first: at === 0, last: at === names.length - 1, type: own.type ?? "", parts: own.parts ?? [],
    others: flat && !isMany(field) ? columns.filter((one) => one !== own && !own.parts?.includes(one.name)).map((one) => one.name) : [],
    ...kinds,
    rename: (name) => {
      const { lists, many } = pathOf(field), to = [...lists, name].join(".") + (many && !name.endsWith("[]") ? "[]" : "");
      const wrong = problemOf(to, fields.filter((one) => one !== field));
      if (wrong) return wrong;
      const newName = pathOf(to).name, swap = (one: string) => (flat && one === column ? newName : one);
      const settings = asSettings(columns).map((one) => ({ ...one, name: swap(one.name), parts: one.parts?.map(swap) }));
      store(eachLine((had) => had.map((record) => mapField(record, keysOf(field), (value) => value, newName)), settings), t.fieldMenu.renamed(field, to), fields.map((one) => (one === field ? to : one)));
      return "";
    },
    take: isLabelled ? (kind) => store((now) => takeKind(session, now, field, kind), t.fieldMenu.taken(field, kinds.kinds?.find((one) => one.id === kind)?.words ?? kind)) : undefined,
    setType: (type: ColumnType) => storeColumns(columns.map((one) => (one === own ? { ...one, type } : one)), t.fieldMenu.typed(field, t.fieldMenu.types[type || "any"])),
    move: (by) => {
      const order = moved(names, at, at + by), place = (one: string) => order.indexOf(columnOf(one));
      const sorted = (record: Labelled) => Object.fromEntries(Object.entries(record).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)));
      store(eachLine((had) => had.map(sorted)), t.fieldMenu.moved(field), [...fields].sort((a, b) => place(a) - place(b)));
    },
    merge: (other, between) => storeColumns(merged(columns, column, other, between), t.fieldMenu.merged(field, other)),
    split: () => storeColumns(parted(columns, column), t.fieldMenu.parted(field)),
    remove: () => {
      const settings = asSettings(columns.filter((one) => !flat || one !== own).map((one) => ({ ...one, parts: one.parts?.filter((part) => part !== column) })));
      store(eachLine((had) => filled(had.map((record) => mapField(record, keysOf(field), () => undefined))), settings), t.fieldMenu.removed(field), fields.filter((one) => one !== field));
    },
    removeWords: t.fieldMenu.remove, cuts: true,
  };
}
