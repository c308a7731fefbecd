// What the next click does, and what can be said without one.
import type { Row, Wrapper } from "./api";
import { isMany, pathOf, withFoundRecord } from "./labelling";
import { NEW, type Session } from "./label_session";
import { t } from "./words/words";

function wordsOf(field: string, list: boolean): string {
  const { lists, many } = pathOf(field);
  if (many) return t.labels.clickMany(field);
  if (lists.length) return t.labels.clickIn(field, lists.join("."));
  return list ? t.labels.clickNext(field) : t.labels.click(field);
}

// `row`: the number of the record that is being corrected, -1 for none; `found`: what was found in it.
export function LabelHint(props: { session: Session; row: number; found: Row | undefined }) {
  const { session, row, found } = props, { fields, active, list, page, store } = session, field = fields[active];
  const drop = <button onClick={() => session.setRow(null)}>{t.labels.neverMind}</button>;
  const remove = session.labelledHere && <button onClick={() => store(page!.name, () => null, t.labels.removed)}>{t.labels.removeLabels}</button>;
  if (!fields.length) return <p class="quiet">{t.labels.begin}</p>;
  if (active === NEW || !field) return <p class="quiet">{t.offer.begin} {remove}</p>;
  if (row >= 0 && isMany(field)) {
    const right = () => { session.setRow(null); store(page!.name, (now) => withFoundRecord(now, list, found, fields), t.labels.right(row + 1)); };
    return <p class="quiet">{t.labels.correctMany(field, row + 1)} <button onClick={right}>{t.labels.allRight}</button> {drop}</p>;
  }
  if (row >= 0) return <p class="quiet">{t.labels.correctOne(field, row + 1)} <button onClick={() => session.put(null, { found })}>{t.labels.notThere}</button> {drop}</p>;
  return <p class="quiet">{wordsOf(field, list)} <button onClick={() => session.put(null, null)}>{list ? t.labels.notInRecord : t.labels.notOnPage}</button> {remove}</p>;
}

// SoftMealy alone: rules are mended, and records may be in a part of the page only.
export function SoftmealyHint(props: { session: Session; wrapper: Wrapper }) {
  const { mend, setMend, marking, setMarking, body, setBody } = props.session;
  return <p class="quiet">
    <label title={t.labels.mendWhy}><input type="checkbox" checked={!!mend} onChange={(e) => setMend(e.currentTarget.checked ? props.wrapper : null)} /> {t.labels.mend}</label>{" "}
    {marking ? <>{marking === "first" ? t.labels.markFirst : t.labels.markLast} <button onClick={() => { setMarking(null); setBody(null); }}>{t.labels.neverMind}</button></>
      : body ? <>{t.labels.partOf(body.start, body.end, body.page)} <button onClick={() => setBody(null)}>{t.labels.anywhere}</button></>
      : <button onClick={() => setMarking("first")}>{t.labels.onlyPart}</button>}</p>;
}
