// What a click on a value may mean, beside the value.
import { useEffect, useRef, useState } from "preact/hooks";
import { anchorOf, Beside } from "./beside";
import type { Box } from "./page_frame";
import type { Pointing } from "./point_session";
import { t } from "./words/words";

export function OfferBox(props: { pointing: Pointing; list: boolean; fields: string[] }) {
  const { pointing, list } = props, offer = pointing.offer!;
  const name = useRef<HTMLInputElement>(null);
  const [of, setOf] = useState("");
  useEffect(() => { name.current?.select(); name.current?.focus({ preventScroll: true }); }, [offer.picks[0]?.spot.start]);
  const all = offer.candidates.map((candidate) => <button type="button" class={list && candidate === offer.candidates[0] ? "main" : ""} onClick={() => pointing.take(candidate, offer.name)}>
    {list ? t.offer.all(candidate.items.length) : t.offer.allOne(candidate.items.length)}</button>);
  const only = <button type="button" class={list && all.length ? "" : "main"} onClick={() => pointing.take(null, offer.name)}>{t.offer.only}</button>;
  return <Beside box={offer.box} anchor={anchorOf(pointing.places.current, offer.picks[0]!.spot)} label={t.offer.title} onClose={pointing.close}>
    <form onSubmit={(e) => { e.preventDefault(); pointing.take(list ? offer.candidates[0] ?? null : null, offer.name); }}>
      <label>{t.offer.name} <input ref={name} size={14} value={offer.name} onInput={(e) => pointing.rename(e.currentTarget.value)} /></label>
      <div class="answers">{list ? [...all, only] : [only, ...all]}<button type="submit" class="hidden" tabIndex={-1} aria-hidden="true" /></div>
    </form>
    {props.fields.length > 0 && <form class="belongs" onSubmit={(e) => { e.preventDefault(); pointing.assign(of || props.fields[0]!); }}>
      <label>{t.offer.isOf} <select value={of || props.fields[0]} onChange={(e) => setOf(e.currentTarget.value)}>{props.fields.map((field) => <option>{field}</option>)}</select></label>
      <button type="submit">{t.offer.belongs}</button>
    </form>}
    <p class="quiet">{all.length ? t.offer.wrong : ""} {t.offer.part}</p>
  </Beside>;
}

export function CorrectionBox(props: { pointing: Pointing; onMenu: (field: string, box: Box) => void }) {
  const { pointing } = props, correction = pointing.correction!, first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus({ preventScroll: true }), [correction]);
  return <Beside box={correction.box} anchor={anchorOf(pointing.places.current, correction.spot)} label={t.offer.correct} onClose={pointing.close}>
    <p><b>{t.labels.mark(correction.field, correction.index + 1)}</b> <q dir="auto">{correction.spot.value.slice(0, 60)}</q></p>
    <div class="answers column">
      {correction.whole && <button ref={first} class="main" onClick={() => pointing.cut(true)}>{t.offer.cutAll(correction.field)}</button>}
      {correction.whole && <button onClick={() => pointing.cut(false)}>{t.offer.cutHere}</button>}
      <button ref={correction.whole ? undefined : first} onClick={pointing.instead}>{t.offer.instead}</button>
      <button onClick={() => pointing.not("value")}>{t.offer.not}</button>
      {correction.isRecord && <button onClick={() => pointing.not("record")}>{t.offer.noRecord}</button>}
      {correction.isRecord && correction.alike.length > 0 && <button onClick={() => pointing.not("records")}>{t.offer.noRecords(correction.alike.length)}</button>}
      <button aria-haspopup="dialog" onClick={() => props.onMenu(correction.field, correction.box)}>{t.offer.change}</button>
    </div>
  </Beside>;
}
