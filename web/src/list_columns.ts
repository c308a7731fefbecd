// The columns of a list as somebody changes them: kept while the window is open, list by list, and undoable.
import { useEffect, useReducer } from "preact/hooks";
import { api, type LabelLine, type Region, type Row, type Value } from "./api";
import { merged, moved, parted, type Column, type ColumnType } from "./columns";
import { spotOfKind, useKindsOf, TEXT } from "./element_kinds";
import type { FieldActions, Kind } from "./field_menu";
import type { Workbench } from "./state";
import { cell, isPlace, places } from "./values";
import { t } from "./words/words";

// A column may be of an attribute: `kind` is which, `values` are those by record.
export interface ListColumn extends Column { kind?: string; values?: Value[] }

const kept = new Map<string, ListColumn[]>();
const redraw = new Set<() => void>();

// `key` names the list; `natural` are the columns as the list has them.
export function useListColumns(bench: Workbench, key: string, natural: ListColumn[]): { columns: ListColumn[]; set: (columns: ListColumn[], words: string) => void } {
  const [, again] = useReducer((count: number) => count + 1, 0);
  useEffect(() => { const mine = () => again(0); redraw.add(mine); return () => { redraw.delete(mine); }; }, []);
  const put = (columns: ListColumn[] | undefined) => { if (columns) kept.set(key, columns); else kept.delete(key); for (const one of redraw) one(); };
  return {
    columns: kept.get(key) ?? natural,
    set: (columns, words) => {
      const before = kept.get(key);
      put(columns);
      bench.didChange({ words, undo: async () => put(before) });
    },
  };
}

export const withKinds = (rows: Row[], columns: ListColumn[]): Row[] => {
  const taken = columns.filter((column) => column.values);
  return taken.length ? rows.map((row, i) => ({ ...row, ...Object.fromEntries(taken.map((column) => [column.name, column.values![i] ?? null])) })) : rows;
};

const MOST_LABELS = 60;

// The records of a list as labels: what an extractor with attributes is learnt from.
export function labelsOf(page: string, rows: Row[], columns: ListColumn[]): LabelLine[] {
  const spot = (value: Value | undefined): unknown => {
    if (!value) return null;
    if (Array.isArray(value)) return value.map(spot).filter(Boolean);
    const [place] = places(value);
    return isPlace(value) && place ? { value: cell(value), ...place } : null;
  };
  const on = columns.filter((column) => column.on || columns.some((other) => other.parts?.includes(column.name)));
  return [{ page, records: rows.slice(0, MOST_LABELS).map((row) => Object.fromEntries(on.map(({ name }) => [name, spot(row[name])]))) }];
}

// The values of a column that are in the page, by record.
const spotsIn = (region: Region, column: ListColumn) => region.records.map((row) => { const value = row[column.name] ?? null, [place] = places(value); return place ? { value: cell(value), ...place } : null; });

// What a column of a list may be; asked for when its menu is open.
export const useListKinds = (bench: Workbench, page: number | undefined, region: Region | null, column: ListColumn | undefined) => {
  const spots = region && column ? spotsIn(region, column).flatMap((spot) => (spot ? [spot] : [])) : [];
  return useKindsOf(bench, page, spots, column?.kind ?? TEXT);
};

export function listColumnActions(bench: Workbench, page: number, region: Region, columns: ListColumn[], set: (columns: ListColumn[], words: string) => void, name: string, kinds: Kind[] | null): FieldActions {
  const at = columns.findIndex((column) => column.name === name), own = columns[at]!;
  const change = (more: Partial<ListColumn>, words: string) => set(columns.map((column) => (column === own ? { ...column, ...more } : column)), words);
  const parts = new Set(columns.flatMap((column) => column.parts ?? []));
  const take = async (kind: string) => {
    if (kind === TEXT) { change({ kind: undefined, values: undefined }, t.fieldMenu.taken(own.as, t.fieldMenu.text)); return; }
    const source = () => api.source(page).then((text) => new TextEncoder().encode(text));
    const values = await Promise.all(spotsIn(region, own).map(async (spot) => (spot ? ((await spotOfKind(page, spot, kind, source)) as Value) : null)));
    change({ kind, values }, t.fieldMenu.taken(own.as, kinds?.find((one) => one.id === kind)?.words ?? kind));
  };
  return {
    name: own.as, first: at === 0, last: at === columns.length - 1, type: own.type ?? "", parts: own.parts ?? [], kinds, kind: own.kind ?? TEXT,
    others: columns.filter((column) => column !== own && !parts.has(column.name)).map((column) => column.name),
    rename: (to) => {
      if (!to) return t.fieldForm.missing;
      if (columns.some((column) => column !== own && column.as === to)) return t.fieldForm.exists(to);
      change({ as: to }, t.fieldMenu.renamed(own.as, to));
      return "";
    },
    take: (kind) => void take(kind).catch(bench.fail),
    setType: (type: ColumnType) => change({ type }, t.fieldMenu.typed(own.as, t.fieldMenu.types[type || "any"])),
    move: (by) => set(moved(columns, at, at + by), t.fieldMenu.moved(own.as)),
    merge: (other, between) => set(merged(columns, name, other, between), t.fieldMenu.merged(own.as, other)),
    split: () => set(parted(columns, name), t.fieldMenu.parted(own.as)),
    remove: () => change({ on: !own.on }, t.fieldMenu.shown(own.as)),
    removeWords: own.on ? t.fieldMenu.hide : t.fieldMenu.show,
  };
}
