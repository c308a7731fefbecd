// Records as tables: columns, cells, and the forms they are taken away in.
import type { Place, Row, Value } from "./api";
import { t, when } from "./words/words";

// A label may be a place alone, without its text.
export const isPlace = (value: Value): value is Place =>
  value !== null && typeof value === "object" && !Array.isArray(value) && (typeof (value as Place).value === "string" || (typeof (value as Place).start === "number" && typeof (value as Place).end === "number"));

// A cell as text: lists joined, tuples as "name: value".
export function cell(value: Value | string | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string" || typeof value === "number") return String(value); // a number: what a text means
  if (Array.isArray(value)) return value.map((item) => cell(item)).join(" | ");
  if (isPlace(value)) return value.value ?? t.values.bytes(value.start ?? 0, value.end ?? 0);
  return Object.entries(value).map(([name, inner]) => `${name}: ${cell(inner)}`).join("; ");
}

export function columnsOf(rows: Row[]): string[] {
  const names = new Set<string>();
  for (const row of rows) for (const name of Object.keys(row)) names.add(name);
  return [...names];
}

// Every place of a value, for marks on the page.
export function places(value: Value): { start: number; end: number }[] {
  if (value === null || typeof value !== "object") return []; // a label may be a text alone
  if (Array.isArray(value)) return value.flatMap(places);
  if (isPlace(value)) return value.start === undefined || value.end === undefined ? [] : [{ start: value.start, end: value.end }];
  return Object.values(value).flatMap(places);
}

const plain = (value: Value): unknown =>
  value === null ? null : Array.isArray(value) ? value.map(plain) : isPlace(value) ? value.value
    : typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)])) : value;

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const isTuple = (value: Value | undefined): value is { [field: string]: Value } => !!value && typeof value === "object" && !Array.isArray(value) && !isPlace(value);

// A cell as `-f csv` has it: texts of a list joined, any other list as JSON, a missing value empty.
function csvCell(value: Value | undefined): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return quoted(value.every((item) => item === null || isPlace(item)) ? value.map((item) => cell(item)).join(" | ") : JSON.stringify(plain(value)));
  const text = cell(value);
  return text === "" ? '""' : quoted(text);
}

// Columns laid flat: a tuple gives one for each of its members, maker.name.
function flatColumns(rows: { [field: string]: Value }[], name: string, as: string): { as: string; at: (row: { [field: string]: Value }) => Value | undefined }[] {
  const members = new Set(rows.flatMap((row) => { const value = row[name]; return isTuple(value) ? Object.keys(value) : []; }));
  if (!members.size) return [{ as, at: (row) => row[name] }];
  const inner = rows.flatMap((row) => { const value = row[name]; return isTuple(value) ? [value] : []; });
  return [...members].flatMap((member) => flatColumns(inner, member, `${as}.${member}`).map((one) => ({ as: one.as, at: (row: { [field: string]: Value }) => { const value = row[name]; return isTuple(value) ? one.at(value) : undefined; } })));
}

export function toCsv(rows: Row[], columns: { name: string; as: string }[]): string {
  const flat = columns.flatMap((column) => flatColumns(rows, column.name, column.as));
  const lines = [flat.map((column) => quoted(column.as)).join(",")];
  for (const row of rows) lines.push(flat.map((column) => csvCell(column.at(row))).join(","));
  return lines.join("\r\n") + "\r\n";
}

export function toJson(rows: Row[], columns: { name: string; as: string }[], lines: boolean): string {
  const objects = rows.map((row) => Object.fromEntries(columns.map((c) => [c.as, plain((row[c.name] ?? null) as Value)])));
  return lines ? objects.map((one) => JSON.stringify(one)).join("\n") + "\n" : JSON.stringify(objects, null, 1) + "\n";
}

export const download = (name: string, text: string, type: string) => save(name, new Blob([text], { type }));

// A name for a file, of the site and what else there is; each part once, without what file systems do not take.
export function fileName(parts: string[], ending: string): string {
  const safe = parts.map((part) => part.replace(/[\\/:*?"<>|\u0000-\u001f]+/g, "-").trim()).filter(Boolean);
  return `${[...new Set(safe)].join("-") || "thresh"}.${ending}`;
}

export function save(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export const day = when;

// A word for the shell.
export const shell = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

// Colours of fields: the same on the page and in the table; chosen to be told apart in both themes.
const hues = [28, 205, 140, 275, 340, 60, 180, 250, 100, 310, 15, 225];
export const colour = (index: number, alpha = 1) => `hsl(${hues[index % hues.length]} 70% 45% / ${alpha})`;
