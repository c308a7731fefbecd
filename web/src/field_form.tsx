// A new field: of the record, with one value or several, or of a list in the record.
import { useState } from "preact/hooks";
import { pathOf } from "./labelling";
import { t } from "./words/words";

const NEW = "new";

// All lists of some fields, by their paths.
const listsOf = (fields: string[]) => [...new Set(fields.flatMap((field) => pathOf(field).lists.map((_, index, all) => all.slice(0, index + 1).join("."))))];

// What is wrong with the path of a field, or "".
export function problemOf(path: string, fields: string[]): string {
  const plain = (field: string) => field.replace(/\[\]$/, "");
  if (path.split(".").some((part) => !plain(part).trim())) return t.fieldForm.missing;
  if (/\[\]./.test(path)) return t.fieldForm.brackets;
  if (fields.some((field) => plain(field) === plain(path))) return t.fieldForm.exists(path);
  if (fields.some((field) => plain(field).startsWith(`${plain(path)}.`) || plain(path).startsWith(`${plain(field)}.`))) return t.fieldForm.both;
  return "";
}

export function FieldForm(props: { fields: string[]; onAdd: (path: string) => void }) {
  const [name, setName] = useState("");
  const [kind, setKind] = useState("one");
  const [list, setList] = useState("");
  const [problem, setProblem] = useState("");
  const lists = listsOf(props.fields);
  const within = kind === NEW ? list.trim() : kind.startsWith("in ") ? kind.slice(3) : "";
  const add = () => {
    const named = name.trim();
    if (!named) return;
    const path = `${within ? `${within}.` : ""}${named}${kind === "several" && !named.endsWith("[]") ? "[]" : ""}`;
    const wrong = kind === NEW && !within ? t.fieldForm.nameList : problemOf(path, props.fields);
    setProblem(wrong);
    if (wrong) return;
    props.onAdd(path);
    setName("");
    if (kind === NEW) setKind(`in ${within}`);
    setList("");
  };
  return <form class="field-form" onSubmit={(e) => { e.preventDefault(); add(); }}>
    <input aria-label={t.fieldForm.name} placeholder={t.fieldForm.placeholder} size={10} value={name} onInput={(e) => { setName(e.currentTarget.value); setProblem(""); }} />
    <select aria-label={t.fieldForm.what} value={kind} onChange={(e) => setKind(e.currentTarget.value)}>
      <option value="one">{t.fieldForm.one}</option>
      <option value="several">{t.fieldForm.several}</option>
      {lists.map((one) => <option value={`in ${one}`}>{t.fieldForm.inList(one)}</option>)}
      <option value={NEW}>{t.fieldForm.inNew}</option>
    </select>
    {kind === NEW && <input aria-label={t.fieldForm.listName} placeholder={t.fieldForm.suchAs(lists.length ? `${lists[0]}.answers` : t.fieldForm.example)} size={14} value={list} onInput={(e) => setList(e.currentTarget.value)} />}
    <button type="submit">{t.fieldForm.add}</button>
    {problem && <span class="bad-text" role="alert">{problem}</span>}
  </form>;
}
