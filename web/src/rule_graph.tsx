// A graph in the language of Graphviz, as the library writes transducers, drawn: states in columns by
// their distance from the beginning, transitions numbered, with their rules in a table below.
import { useMemo, useState } from "preact/hooks";
import type { Hit } from "./api";
import { movesOf, type Move } from "./transducer_path";
import { TransducerWay } from "./transducer_way";
import { t } from "./words/words";

interface State { name: string; dashed: boolean; last: boolean; column: number; row: number }
interface Arrow { from: string; to: string; label: string; dashed: boolean }

const WIDE = 150, HIGH = 76, RADIUS = 26;

const unquote = (text: string) => text.replace(/\\n/g, "\n").replace(/\\(.)/g, "$1");

// States with a bar have one over each of their letters, which few fonts draw well: one line over all.
const BAR = /[\u0304\u0305]/g;
const plainName = (name: string) => name.replace(BAR, "");
const barOf = (name: string) => (plainName(name) === name ? undefined : "overline");
// A field of a list is known by its own name.
const shortName = (name: string) => { const own = name.length > 8 && name.includes(".") ? name.slice(name.lastIndexOf(".")) : name; return own.length > 8 ? `${own.slice(0, 7)}…` : own; };
const Name = (props: { name: string }) => <span style={{ textDecoration: barOf(props.name) }}>{plainName(props.name)}</span>;

export function readDot(dot: string): { states: State[]; arrows: Arrow[] } {
  const states = new Map<string, State>(), arrows: Arrow[] = [];
  const word = '"((?:[^"\\\\]|\\\\.)*)"';
  const edge = new RegExp(`^\\s*${word}\\s*->\\s*${word}\\s*(?:\\[label=${word}(.*)\\])?;`);
  const node = new RegExp(`^\\s*${word}\\s*(\\[.*\\])?;`);
  const know = (name: string) => {
    if (!states.has(name)) states.set(name, { name, dashed: false, last: false, column: -1, row: 0 });
    return states.get(name)!;
  };
  for (const line of dot.split("\n")) {
    const arrow = edge.exec(line), state = node.exec(line);
    if (arrow) {
      const [from, to] = [unquote(arrow[1]!), unquote(arrow[2]!)];
      know(from);
      know(to);
      arrows.push({ from, to, label: unquote(arrow[3] ?? ""), dashed: (arrow[4] ?? "").includes("dashed") });
    } else if (state) {
      Object.assign(know(unquote(state[1]!)), { dashed: (state[2] ?? "").includes("dashed"), last: (state[2] ?? "").includes("doublecircle") });
    }
  }
  place([...states.values()], arrows);
  return { states: [...states.values()], arrows };
}

// Breadth first from the states that nothing leads to; the last state stands behind all others.
function place(states: State[], arrows: Arrow[]): void {
  const byName = new Map(states.map((state) => [state.name, state]));
  const queue = states.filter((state, index) => !state.last && (index === 0 || !arrows.some((arrow) => arrow.to === state.name)));
  for (const state of queue) state.column = 0;
  for (const state of queue)
    for (const arrow of arrows.filter((one) => one.from === state.name)) {
      const to = byName.get(arrow.to)!;
      if (to.column < 0) { to.column = state.column + 1; queue.push(to); }
    }
  const most = Math.max(0, ...states.map((state) => state.column));
  for (const state of states) if (state.column < 0) state.column = most;
  for (const state of states) if (state.last) state.column = most + (states.some((one) => !one.last && one.column === most) ? 1 : 0);
  const used = new Map<number, number>();
  for (const state of states) { state.row = used.get(state.column) ?? 0; used.set(state.column, state.row + 1); }
}

// The arrow of a move: its states and contexts; a rule that any state may use has "*" in front.
const nameAs = (name: string) => (barOf(name) ? `-${plainName(name)}` : name);
export const arrowOf = (arrows: Arrow[], move: Move): number => {
  const fits = (arrow: Arrow, from: string) => nameAs(arrow.from) === from && nameAs(arrow.to) === move.to && arrow.label.split(" / ")[0] === move.rule;
  const own = arrows.findIndex((arrow) => fits(arrow, move.from));
  return own >= 0 ? own : arrows.findIndex((arrow) => fits(arrow, "*"));
};

export function RuleGraph(props: { dot: string; hits: Hit[]; onShow: (place: { start: number; end: number }) => void; onField: (field: string) => void }) {
  const { states, arrows } = useMemo(() => readDot(props.dot), [props.dot]);
  const records = useMemo(() => movesOf(props.hits), [props.hits]);
  const [walked, setWalked] = useState<{ of: Move[][]; record: number; step: number } | null>(null);
  const now = walked?.of === records ? walked : null, move = now ? records[now.record]?.[now.step] : undefined;
  const lit = move ? arrowOf(arrows, move) : -1, path = new Set(records[now?.record ?? 0]?.map((one) => arrowOf(arrows, one)));
  const onStep = (record: number, step: number) => {
    const hits = records[record]?.[step]?.hits;
    setWalked({ of: records, record, step });
    if (!hits?.length) return;
    props.onShow({ start: hits[0]!.start, end: hits[0]!.start + 1 });
    if (hits[0]!.field) props.onField(hits[0]!.field);
  };
  const at = (name: string) => { const state = states.find((one) => one.name === name)!; return { x: 50 + state.column * WIDE, y: 60 + state.row * HIGH }; };
  const width = 100 + Math.max(0, ...states.map((state) => state.column)) * WIDE, height = 110 + Math.max(0, ...states.map((state) => state.row)) * HIGH;
  return <div class="graph-box">
    <div class="graph-scroll" tabIndex={0} role="region" aria-label={t.ruleGraph.drawing}>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={t.ruleGraph.picture(states.length, arrows.length)}>
        <defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" fill="currentColor" /></marker></defs>
        {arrows.map((arrow, index) => {
          const a = at(arrow.from), b = at(arrow.to), self = arrow.from === arrow.to;
          const dx = b.x - a.x, dy = b.y - a.y, long = Math.hypot(dx, dy) || 1;
          const beside = arrows.slice(0, index).filter((one) => one.from === arrow.from && one.to === arrow.to).length; // others between the same states
          const bend = self ? 0 : dx === WIDE && dy === 0 ? -44 * beside : -Math.min(46, 18 + long / 9) * (dx < 0 ? -1 : 1) * (1 + beside);
          const mx = (a.x + b.x) / 2 - (dy / long) * bend, my = (a.y + b.y) / 2 + (dx / long) * bend * (self ? 0 : 1);
          const toward = (from: { x: number; y: number }, to: { x: number; y: number }) => { const l = Math.hypot(to.x - from.x, to.y - from.y) || 1; return { x: from.x + ((to.x - from.x) / l) * RADIUS, y: from.y + ((to.y - from.y) / l) * RADIUS }; };
          const start = toward(a, { x: mx, y: my }), end = toward(b, { x: mx, y: my });
          const line = self ? `M${a.x - 12} ${a.y - RADIUS + 3}C${a.x - 30} ${a.y - 70} ${a.x + 30} ${a.y - 70} ${a.x + 12} ${a.y - RADIUS + 3}` : `M${start.x} ${start.y}Q${mx} ${my} ${end.x} ${end.y}`;
          const label = self ? { x: a.x, y: a.y - 54 } : { x: (start.x + 2 * mx + end.x) / 4, y: (start.y + 2 * my + end.y) / 4 };
          return <g class={index === lit ? "lit" : path.has(index) ? "walked" : ""}><path d={line} fill="none" stroke="currentColor" stroke-dasharray={arrow.dashed ? "4 3" : undefined} marker-end="url(#tip)" />
            <circle cx={label.x} cy={label.y} r="9" class="number-back" /><text x={label.x} y={label.y + 4} text-anchor="middle" class="number-on">{index + 1}</text><title>{arrow.label}</title></g>;
        })}
        {states.map((state) => { const { x, y } = at(state.name); return <g class={move && (nameAs(state.name) === move.from || nameAs(state.name) === move.to) ? "lit" : ""}><circle cx={x} cy={y} r={RADIUS} class="state" stroke-dasharray={state.dashed ? "4 3" : undefined} />
          {state.last && <circle cx={x} cy={y} r={RADIUS - 4} class="state" />}
          <text x={x} y={y + 4} text-anchor="middle" text-decoration={barOf(state.name)}>{shortName(plainName(state.name))}</text><title>{state.name}</title></g>; })}
      </svg>
    </div>
    <p class="quiet">{t.ruleGraph.states}{states.some((state) => state.name === "*") ? t.ruleGraph.any : ""}.</p>
    <TransducerWay records={records} record={now?.record ?? 0} step={now?.step ?? -1} onStep={onStep} />
    <table class="overview" tabIndex={0}><caption>{t.ruleGraph.transitions(arrows.length)}</caption>
      <thead><tr><th scope="col" class="number">{t.ruleGraph.number}</th><th scope="col">{t.ruleGraph.from}</th><th scope="col">{t.ruleGraph.to}</th><th scope="col">{t.ruleGraph.where}</th></tr></thead>
      <tbody>{arrows.map((arrow, index) => <tr class={index === lit ? "chosen" : ""}><td class="number">{index + 1}</td><td><Name name={arrow.from} /></td><td><Name name={arrow.to} /></td><td><code>{arrow.label}</code></td></tr>)}</tbody></table>
  </div>;
}
