// The fields of the labels: the one that the next click gives a value of is chosen here, and new ones are named.
import { FieldForm } from "./field_form";
import type { Box } from "./page_frame";
import { NEW, type Session } from "./label_session";
import { valuesAt } from "./labelling";
import type { Value } from "./api";
import { cell, colour } from "./values";
import { t } from "./words/words";

export function FieldsBar(props: { session: Session; onMenu: (field: string, box: Box) => void }) {
  const { fields, active, setActive, records, addField } = props.session;
  const all = [NEW, ...fields.keys()];
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const group = event.currentTarget as HTMLElement;
    if (!step || (event.target as HTMLElement).getAttribute("role") !== "radio") return;
    event.preventDefault();
    const to = (all.indexOf(active) + step + all.length) % all.length;
    setActive(all[to]!);
    group.querySelectorAll<HTMLElement>("[role=radio]")[to]?.focus();
  };
  const last = records[records.length - 1];
  return <div class="fields">
    <div role="radiogroup" aria-label={t.labels.fields} onKeyDown={keys}>
      {fields.length > 0 && <button role="radio" aria-checked={active === NEW} tabIndex={active === NEW ? 0 : -1} class={`fresh ${active === NEW ? "chosen" : ""}`}
        onClick={() => setActive(NEW)}>{t.offer.fresh}</button>}
      {fields.map((field, index) =>
        <button role="radio" aria-checked={index === active} tabIndex={index === active ? 0 : -1} class={index === active ? "chosen" : ""} style={{ "--c": colour(index) }} onClick={() => setActive(index)}>
          <bdi>{field}</bdi> <small>{cell(valuesAt(last, field).slice(-1)[0] as Value)}</small></button>)}
    </div>
    {fields[active] !== undefined && <button aria-haspopup="dialog" onClick={(e) => props.onMenu(fields[active]!, e.currentTarget.getBoundingClientRect())}>{t.fieldMenu.open(fields[active]!)}</button>}
    <FieldForm fields={fields} onAdd={addField} />
  </div>;
}
