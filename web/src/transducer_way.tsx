// The way of the current page through the transducer, step by step: each transition in words, lit in the drawing and
// shown on the page.
import type { Hit } from "./api";
import type { Move } from "./transducer_path";
import { number, t } from "./words/words";

const words = t.transducerWay, MOST = 200;

const State = (props: { name: string }) => <b style={{ textDecoration: props.name.startsWith("-") ? "overline" : undefined }} aria-label={props.name.startsWith("-") ? words.skip(props.name.slice(1)) : props.name}>{props.name.replace(/^-/, "")}</b>;
const said = (hits: Hit[], side: string) => hits.filter((hit) => hit.part.endsWith(side)).map((hit) => hit.text).join(" ").slice(0, 40);

export function TransducerWay(props: { records: Move[][]; record: number; step: number; onStep: (record: number, step: number) => void }) {
  const { records, record, step } = props, moves = records[record] ?? [];
  if (!moves.length) return null;
  const move = moves[step], go = (to: number) => props.onStep(record, Math.min(moves.length - 1, Math.max(0, to)));
  return <div class="way-of-page">
    <div class="bar"><h4>{words.title}</h4>
      {records.length > 1 && <label>{words.record} <select value={record} onChange={(e) => props.onStep(Number(e.currentTarget.value), 0)}>
        {records.slice(0, MOST).map((_, index) => <option value={index}>{words.of(number(index + 1), number(records.length))}</option>)}</select></label>}
      <button disabled={step <= 0} onClick={() => go(step - 1)}>{words.back}</button>
      <button disabled={step >= moves.length - 1} onClick={() => go(step + 1)}>{words.next}</button>
      <span role="status">{move ? words.at(number(step + 1), number(moves.length)) : ""}</span></div>
    <ol>{moves.slice(0, MOST).map((one, index) => <li><button class={`plain ${index === step ? "chosen" : ""}`} aria-current={index === step ? "step" : undefined} onClick={() => go(index)}><State name={one.from} /> → <State name={one.to} /></button>
      {said(one.hits, "left") && <small> {words.after} <code>{said(one.hits, "left")}</code></small>}{said(one.hits, "right") && <small> {words.before} <code>{said(one.hits, "right")}</code></small>}</li>)}</ol>
  </div>;
}
