// A new field: of the record, with one value or several, or of a list in the record.
import { useState } from "preact/hooks";
import { pathOf } from "./labelling";

const NEW = "new";

// All lists of some fields, by their paths.
const listsOf = (fields: string[]) => [...new Set(fields.flatMap((field) => pathOf(field).lists.map((_, index, all) => all.slice(0, index + 1).join("."))))];

// What is wrong with the path of a field, or "".
export function problemOf(path: string, fields: string[]): string {
  const plain = (field: string) => field.replace(/\[\]$/, "");
  if (path.split(".").some((part) => !plain(part).trim())) return "A name is missing.";
  if (/\[\]./.test(path)) return "Only the last part of a name can have [].";
  if (fields.some((field) => plain(field) === plain(path))) return `There is a field ${path} already.`;
  if (fields.some((field) => plain(field).startsWith(`${plain(path)}.`) || plain(path).startsWith(`${plain(field)}.`))) return "A name is that of a list or that of a field, not both.";
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
    const wrong = kind === NEW && !within ? "Name the list, too." : problemOf(path, props.fields);
    setProblem(wrong);
    if (wrong) return;
    props.onAdd(path);
    setName("");
    if (kind === NEW) setKind(`in ${within}`);
    setList("");
  };
  return <form class="field-form" onSubmit={(e) => { e.preventDefault(); add(); }}>
    <input aria-label="Name of a new field" placeholder="New field" size={10} value={name} onInput={(e) => { setName(e.currentTarget.value); setProblem(""); }} />
    <select aria-label="What the field is" value={kind} onChange={(e) => setKind(e.currentTarget.value)}>
      <option value="one">one value</option>
      <option value="several">several values</option>
      {lists.map((one) => <option value={`in ${one}`}>in list {one}</option>)}
      <option value={NEW}>in a new list…</option>
    </select>
    {kind === NEW && <input aria-label="Name of the new list" placeholder={lists.length ? `such as ${lists[0]}.answers` : "such as reviews"} size={14} value={list} onInput={(e) => setList(e.currentTarget.value)} />}
    <button type="submit">Add field</button>
    {problem && <span class="bad-text" role="alert">{problem}</span>}
  </form>;
}
