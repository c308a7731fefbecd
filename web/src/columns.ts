// The columns of a table of records: which there are, in which order, under which names, what they are and what is
// joined in them. It is all in the "select" of an extractor (docs/WRAPPER-FORMAT.md).
import type { Row, Wrapper } from "./api";
import { isList, nameOf, type SchemaType } from "./rules";
import { shell } from "./values";

export const TYPES = ["", "text", "number", "price", "date"] as const; // "": as the values look
export type ColumnType = (typeof TYPES)[number];

// `parts`: other columns whose values are joined to those of this one, with `join` between them.
export interface Column { name: string; as: string; on: boolean; colour?: string; type?: ColumnType; parts?: string[]; join?: string }

export const isPlain = (column: Column) => column.on && column.as === column.name && !column.type && !column.parts?.length;

// The columns that are joined to another one are no columns of their own.
export const partsOf = (columns: Column[]) => new Set(columns.flatMap((column) => column.parts ?? []));

export function moved<T>(all: T[], from: number, to: number): T[] {
  if (to < 0 || to >= all.length) return all;
  const next = [...all], [one] = next.splice(from, 1);
  next.splice(to, 0, one!);
  return next;
}

// Two columns become one, at the place of the first; the second is a part of it.
export function merged(columns: Column[], name: string, other: string, join: string): Column[] {
  const more = columns.find((column) => column.name === other);
  return columns.map((column) => column.name === name ? { ...column, join, parts: [...(column.parts ?? []), other, ...(more?.parts ?? [])] }
    : column.name === other ? { ...column, parts: undefined, join: undefined } : column);
}
export const parted = (columns: Column[], name: string): Column[] => columns.map((column) => (column.name === name ? { ...column, parts: undefined, join: undefined } : column));

interface Select { name?: string; from?: string[]; list?: boolean; rest?: boolean; type?: string; parts?: Select[]; join?: string | boolean }

// An extractor that gives these columns.
export function withColumns(wrapper: Wrapper, columns: Column[]): Wrapper {
  const root = wrapper.schema as SchemaType, tuple = root.kind === "list" ? root.item : root;
  const types = new Map((tuple?.members ?? []).map((member) => [nameOf(member), member]));
  const had = wrapper.select as Select[] | undefined, natural = had ? had.map((one) => one.name) : [...types.keys()];
  const known = columns.filter((column) => natural.includes(column.name)), inOrder = known.every((column, i) => i === 0 || natural.indexOf(column.name) > natural.indexOf(known[i - 1]!.name));
  if (columns.every(isPlain) && inOrder) return wrapper;
  const taken = partsOf(columns);
  const from = (name: string): Select => had?.find((one) => one.name === name) ?? { from: [name], ...(isList(types.get(name)) ? { list: true } : {}) };
  const part = (name: string): Select => { const { name: _, list: __, type: ___, ...rest } = from(name); return rest; };
  const select = known.filter((column) => column.on && !taken.has(column.name)).map((column): Select => {
    const parts = (column.parts ?? []).filter((name) => natural.includes(name));
    const base = parts.length ? { parts: [column.name, ...parts].map(part), join: column.join ?? " " } : from(column.name);
    return { ...base, name: column.as, ...(column.type ? { type: column.type } : {}) };
  });
  for (const one of had ?? []) if (one.rest && !columns.some((column) => column.name === one.name)) select.push(one);
  return select.length ? { ...wrapper, select } : wrapper;
}

// The records of an extractor with such columns, where it has not run: joined here as it would.
export function given(rows: Row[], columns: Column[], text: (value: Row[string]) => string): Row[] {
  if (!columns.some((column) => column.parts?.length)) return rows;
  return rows.map((row) => {
    const next = { ...row };
    for (const { name, parts, join } of columns) {
      if (!parts?.length) continue;
      const texts = [name, ...parts].map((one) => text(row[one] ?? null)).filter(Boolean);
      next[name] = texts.length ? { value: texts.join(join ?? " ") } : null;
    }
    return next;
  });
}

// The columns as --columns has them; null where they cannot be said so: values of two joined columns are joined alike.
export function columnsOption(columns: Column[]): string | null {
  const name = (text: string) => text.replace(/[\\,+=:]/g, "\\$&"), taken = partsOf(columns);
  const joins = new Set(columns.filter((column) => column.parts?.length).map((column) => column.join ?? " "));
  if (joins.size > 1) return null;
  const items = columns.filter((column) => column.on && !taken.has(column.name)).map(({ name: own, as, type, parts }) => {
    const from = [own, ...(parts ?? [])].map(name).join("+");
    return `${from}${parts?.length || as !== own ? `=${name(as)}` : ""}${type ? `:${type}` : ""}`;
  });
  const [join] = joins;
  return ` --columns ${shell(items.join(","))}${join !== undefined && join !== " " ? ` --join ${shell(join)}` : ""}`;
}
