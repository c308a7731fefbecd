// What can be done with a field or a column: its name, what is taken of its element, what it is, its place among the
// others, joining it to another one, and leaving it out. The same for labels and for lists.
import { useEffect, useRef, useState } from "preact/hooks";
import { Beside, type Anchor } from "./beside";
import { TYPES, type ColumnType } from "./columns";
import type { Box } from "./page_frame";
import { t } from "./words/words";

// What can be taken of the element of a value: its text, or an attribute of it or of an element around it.
export interface Kind { id: string; words: string }

export interface FieldActions {
  name: string; others: string[]; first: boolean; last: boolean; type: ColumnType; parts: string[];
  kinds: Kind[] | null; kind: string; // null: not known yet
  rename: (name: string) => string; // what is wrong with the name, or ""
  take?: (kind: string) => void;
  cuts?: boolean; // a part of a text can be taken by dragging over it
  setType: (type: ColumnType) => void;
  move: (by: number) => void;
  merge: (other: string, between: string) => void;
  split: () => void;
  remove: () => void; removeWords: string;
}

const BETWEEN = [" ", ", ", " – ", ": ", ""];

export function FieldMenu(props: { box: Box; anchor?: Anchor | null; actions: FieldActions; onClose: () => void }) {
  const { actions, onClose } = props, first = useRef<HTMLInputElement>(null);
  const [name, setName] = useState(actions.name), [problem, setProblem] = useState("");
  const [other, setOther] = useState(""), [between, setBetween] = useState(" ");
  useEffect(() => { setName(actions.name); first.current?.focus({ preventScroll: true }); }, [actions.name]);
  const rename = () => {
    if (name.trim() === actions.name) { onClose(); return; }
    const wrong = actions.rename(name.trim());
    setProblem(wrong);
    if (!wrong) onClose();
  };
  const to = other || actions.others[0] || "";
  return <Beside box={props.box} anchor={props.anchor} label={t.fieldMenu.title(actions.name)} onClose={onClose}>
    <form class="row" onSubmit={(e) => { e.preventDefault(); rename(); }}>
      <label>{t.fieldMenu.name} <input ref={first} size={14} value={name} onInput={(e) => { setName(e.currentTarget.value); setProblem(""); }} /></label>
      <button type="submit">{t.fieldMenu.rename}</button>
      {problem && <span class="bad-text" role="alert">{problem}</span>}
    </form>
    {actions.take && <div class="row"><label>{t.fieldMenu.take} <select value={actions.kind} disabled={!actions.kinds} onChange={(e) => { actions.take!(e.currentTarget.value); onClose(); }}>
      {(actions.kinds ?? [{ id: actions.kind, words: t.fieldMenu.looking }]).map((one) => <option value={one.id}>{one.words}</option>)}</select></label></div>}
    <div class="row"><label>{t.fieldMenu.type} <select value={actions.type} onChange={(e) => { actions.setType(e.currentTarget.value as ColumnType); onClose(); }}>
      {TYPES.map((type) => <option value={type}>{t.fieldMenu.types[type || "any"]}</option>)}</select></label></div>
    <div class="row">
      <button disabled={actions.first} onClick={() => actions.move(-1)}>{t.fieldMenu.before}</button>
      <button disabled={actions.last} onClick={() => actions.move(1)}>{t.fieldMenu.behind}</button>
    </div>
    {actions.parts.length > 0 ? <div class="row"><span>{t.fieldMenu.joined(actions.parts.join(", "))}</span> <button onClick={() => { actions.split(); onClose(); }}>{t.fieldMenu.split}</button></div>
      : actions.others.length > 0 && <form class="row" onSubmit={(e) => { e.preventDefault(); actions.merge(to, between); onClose(); }}>
        <label>{t.fieldMenu.merge} <select value={to} onChange={(e) => setOther(e.currentTarget.value)}>{actions.others.map((one) => <option>{one}</option>)}</select></label>
        <label>{t.fieldMenu.between} <select value={between} onChange={(e) => setBetween(e.currentTarget.value)}>
          {BETWEEN.map((one) => <option value={one}>{one.trim() ? one : one ? t.fieldMenu.blank : t.fieldMenu.nothing}</option>)}</select></label>
        <button type="submit">{t.fieldMenu.doMerge}</button>
      </form>}
    {actions.cuts && <p class="quiet">{t.offer.part}</p>}
    <div class="row"><button onClick={() => { actions.remove(); onClose(); }}>{actions.removeWords}</button></div>
  </Beside>;
}
