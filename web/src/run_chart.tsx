// Runs over time: a bar for each run, as high as it has records and coloured by its verdict; below it, for each field,
// how many of the records have it. Arrow keys go from run to run; the same is there as a table.
import { useEffect, useRef } from "preact/hooks";
import type { RunWithFields } from "./api";
import { isBad, isMild, toneOf, wordOf } from "./charts";
import { day } from "./values";
import { BACK, number, ON, percent, t } from "./words/words";

const HEIGHT = 110, BAR = 22, GAP = 6, LEFT = 96, ROW = 20;
const LEAST = 6; // of a bar, so that its colour is seen inside of the frame that shows it chosen
const MOST_FIELDS = 8; // in the drawing

const MARKS: { [tone: string]: string } = { bad: "!", mild: "~" };
const kind = (run: RunWithFields) => (run.verdict === null ? "unknown" : toneOf(run.verdict) || "fine");
const round = (value: number) => { const step = 10 ** Math.floor(Math.log10(Math.max(1, value))); return Math.ceil(value / step) * step; };
const short = (text: string) => (text.length > 13 ? `${text.slice(0, 12)}…` : text);

interface Share { filled: number; records: number; share: number }

// The fields of the runs, those of the newest first, and how full each was in a run.
function fieldsOf(runs: RunWithFields[]): string[] {
  const names = new Set<string>();
  for (const run of [...runs].reverse()) for (const one of run.fields) if (one.records) names.add(one.field);
  return [...names].filter((name) => runs.some((run) => run.fields.some((one) => one.field === name && one.filled)));
}
function shareOf(run: RunWithFields, field: string): Share | null {
  if (!run.fields.length || !run.fields[0]!.records) return null;
  const one = run.fields.find((each) => each.field === field), records = one?.records ?? run.fields[0]!.records, filled = one?.filled ?? 0;
  return { filled, records, share: filled / records };
}

const titleOf = (run: RunWithFields) => t.charts.run(String(run.id), day(run.finished), t.count.records(run.records), t.count.pages(run.pages), run.verdict ? wordOf(run.verdict) : "");
const shareTitle = (run: RunWithFields, field: string) => { const share = shareOf(run, field); return share ? t.charts.share(field, percent(share.share), number(share.filled), number(share.records)) : t.charts.unknownShare(field); };

function Bar(props: { run: RunWithFields; index: number; top: number; chosen: boolean; reach: boolean; onChoose: () => void; onMove: (step: number) => void }) {
  const { run, index } = props;
  const high = Math.max(LEAST, (run.records / props.top) * HEIGHT), x = LEFT + index * (BAR + GAP), tone = toneOf(run.verdict);
  const keys = (event: KeyboardEvent) => {
    const step = { [ON]: 1, [BACK]: -1, Home: -1e6, End: 1e6 }[event.key];
    if (step) props.onMove(step);
    else if (event.key === "Enter" || event.key === " ") props.onChoose();
    else return;
    event.preventDefault();
  };
  return <g class={`bar-of ${kind(run)} ${props.chosen ? "chosen" : ""}`} role="button" {...{ tabindex: props.reach ? 0 : -1 }} aria-pressed={props.chosen} aria-label={titleOf(run)}
    data-run={run.id} onClick={props.onChoose} onKeyDown={keys}>
    <rect class="reach" x={x - GAP / 2} y={0} width={BAR + GAP} height={HEIGHT + 30} />
    <rect x={x} y={HEIGHT - high + 12} width={BAR} height={high} rx="2" />
    {tone && <text x={x + BAR / 2} y={HEIGHT - high + 9} text-anchor="middle">{MARKS[tone]}</text>}
    <text x={x + BAR / 2} y={HEIGHT + 26} text-anchor="middle" class="axis">{run.id}</text>
    <title>{titleOf(run)}</title></g>;
}

function FieldRow(props: { field: string; index: number; runs: RunWithFields[]; chosen: number | null }) {
  const y = HEIGHT + 36 + props.index * (ROW + 4);
  return <g class="filled-row">
    <text x={LEFT - 10} y={y + ROW - 5} text-anchor="end" class="axis">{short(props.field)}<title>{props.field}</title></text>
    {props.runs.map((run, index) => {
      const share = shareOf(run, props.field), x = LEFT + index * (BAR + GAP), high = share ? Math.max(share.share ? 2 : 0, share.share * ROW) : 0;
      return <g class={`filled ${share ? "" : "none"} ${run.id === props.chosen ? "chosen" : ""}`}>
        <rect class="back" x={x} y={y} width={BAR} height={ROW} />
        <rect class="part" x={x} y={y + ROW - high} width={BAR} height={high} />
        <title>{`${titleOf(run)}\n${shareTitle(run, props.field)}`}</title></g>;
    })}
  </g>;
}

function ChartTable(props: { runs: RunWithFields[]; fields: string[] }) {
  const w = t.charts;
  return <details class="chart-table"><summary>{w.table}</summary><div class="wide-table" tabIndex={0} role="region" aria-label={w.caption}><table class="overview"><caption>{w.caption}</caption>
    <thead><tr><th scope="col">{w.id}</th><th scope="col">{w.when}</th><th scope="col">{w.verdict}</th><th scope="col" class="number">{w.records}</th>{props.fields.map((field) => <th scope="col" class="number">{field}</th>)}</tr></thead>
    <tbody>{props.runs.map((run) => <tr><th scope="row">{run.id}</th><td>{day(run.finished)}</td><td class={toneOf(run.verdict) && `${toneOf(run.verdict)}-text`}>{wordOf(run.verdict)}</td><td class="number">{number(run.records)}</td>
      {props.fields.map((field) => { const share = shareOf(run, field); return <td class="number">{share ? percent(share.share) : ""}</td>; })}</tr>)}</tbody></table></div></details>;
}

export function RunChart(props: { runs: RunWithFields[]; chosen: number | null; onChoose: (run: number) => void }) {
  const { runs } = props, w = t.charts, box = useRef<HTMLDivElement>(null);
  const fields = fieldsOf(runs), drawn = fields.slice(0, MOST_FIELDS);
  const top = round(Math.max(1, ...runs.map((run) => run.records)));
  const width = LEFT + runs.length * (BAR + GAP) + 10, height = HEIGHT + 36 + drawn.length * (ROW + 4);
  const reached = Math.max(0, runs.findIndex((run) => run.id === props.chosen));
  const move = (index: number) => { const to = runs[Math.max(0, Math.min(runs.length - 1, index))]; if (to) box.current?.querySelector<SVGGElement>(`[data-run="${to.id}"]`)?.focus(); };
  // the newest runs are at the end
  useEffect(() => { const element = box.current; if (element) element.scrollLeft = element.scrollWidth; }, [runs.length]);
  return <figure class="chart">
    <div class="graph-scroll" ref={box} dir="ltr">
      <svg width={width} height={height} role="group" aria-label={`${w.title}: ${w.about(t.count.runs(runs.length), t.count.runs(runs.filter((run) => isBad(run.verdict)).length), t.count.runs(runs.filter((run) => isMild(run.verdict)).length))}`}>
        {[0, 0.5, 1].map((share) => <g aria-hidden="true"><line x1={LEFT - 4} x2={width} y1={HEIGHT * (1 - share) + 12} y2={HEIGHT * (1 - share) + 12} class="rule" />
          <text x={LEFT - 8} y={HEIGHT * (1 - share) + 16} text-anchor="end" class="axis">{number(top * share)}</text></g>)}
        {runs.map((run, index) => <Bar key={run.id} run={run} index={index} top={top} chosen={run.id === props.chosen} reach={index === reached}
          onChoose={() => props.onChoose(run.id)} onMove={(step) => move(index + step)} />)}
        <g aria-hidden="true">{drawn.map((field, index) => <FieldRow key={field} field={field} index={index} runs={runs} chosen={props.chosen} />)}</g>
      </svg>
    </div>
    <figcaption><span class="key fine">{w.fine}</span> <span class="key mild">{w.mild}</span> <span class="key bad">{w.bad}</span> <span class="key unknown">{w.unknown}</span>
      {drawn.length > 0 && <span class="key part">{w.filled}</span>}{fields.length > drawn.length && <span>{w.moreFields(fields.length - drawn.length)}</span>}</figcaption>
    <ChartTable runs={runs} fields={fields} />
  </figure>;
}
