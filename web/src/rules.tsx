// Extractors (wrappers) for people: their schema as a tree, their patterns, and what of their columns is given.
import type { Wrapper } from "./api";
import { t } from "./words/words";

export interface SchemaType {
  kind: "field" | "tuple" | "list" | "optional" | "choice"; name?: string; note?: string;
  members?: SchemaType[]; item?: SchemaType; alternatives?: SchemaType[];
}

// What the engine's paper calls its pattern, where the rules have one.
export function patternsOf(wrapper: Wrapper): string[] {
  const rules = wrapper.rules as {
    patterns?: { pattern: string }[]; records?: { path?: string; parent?: string }[];
    region?: { parts: { prototypes: string[] }[] };
  } | undefined;
  if (rules?.patterns) return rules.patterns.map((one) => one.pattern).filter((one) => typeof one === "string").slice(0, 3);
  if (rules?.region) return rules.region.parts.flatMap((part) => part.prototypes).map((tags) => tags.split(" ").map((tag) => `<${tag}>`).join("")).slice(0, 3);
  if (Array.isArray(rules?.records)) return rules.records.map((one) => one.path ?? one.parent ?? "").filter(Boolean).slice(0, 3);
  return [];
}

export const isList = (type: SchemaType | undefined): boolean =>
  type?.kind === "list" || (type?.kind === "optional" && isList(type.item));
export const nameOf = (type: SchemaType): string | undefined => type.name ?? (type.item && nameOf(type.item));

const KINDS = { tuple: t.rules.tuple, list: t.rules.listOf, optional: t.rules.perhaps, choice: t.rules.choice, field: "" };

// The whole: what a page gives, then its parts.
export function SchemaBox(props: { schema: SchemaType }) {
  const root = props.schema, record = root.kind === "list" && root.item ? root.item : root;
  return <div class="schema-box" tabIndex={0} role="region" aria-label={t.rules.fields}><small>{root.kind === "list" ? t.rules.list : t.rules.record} </small><SchemaTree type={record} /></div>;
}

export function SchemaTree(props: { type: SchemaType }) {
  const { type } = props;
  if (type.kind === "optional" && type.item) return <span class="maybe"><SchemaTree type={type.item} /> <small>{t.rules.optional}</small></span>;
  if (type.kind === "field") return <span><b>{type.name}</b>{type.note && type.note !== "text" ? <small> {t.columnsPanel.types[type.note] ?? type.note}</small> : null}</span>;
  const inner = type.members ?? type.alternatives ?? (type.item ? [type.item] : []);
  // a list of texts, or of one kind of record, needs no level of its own
  if (type.kind === "list" && type.item && type.item.kind === "field") return <span><b>{nameOf(type)}</b> <small>{t.rules.several}</small></span>;
  if (type.kind === "list" && type.item) return <span>{type.name && <b>{type.name} </b>}<small>{t.rules.each} </small><SchemaTree type={type.item} /></span>;
  return <span>{type.name && <b>{type.name} </b>}<small>{KINDS[type.kind]}</small>
    <ul class="schema">{inner.map((one) => <li><SchemaTree type={one} /></li>)}</ul></span>;
}
