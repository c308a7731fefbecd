// Runs over time: a bar a run, as high as it has records, coloured by its verdict.
import type { Run } from "./api";
import { day, plural } from "./values";

const HEIGHT = 120, BAR = 22, GAP = 6, LEFT = 54;
const LEAST = 6; // of a bar, so that its colour is seen inside of the frame that shows it chosen

const round = (value: number) => { const step = 10 ** Math.floor(Math.log10(Math.max(1, value))); return Math.ceil(value / step) * step; };

export const isBad = (verdict: string | null) => verdict === "drift" || verdict === "broken";
export const isMild = (verdict: string | null) => verdict === "changed";
export const toneOf = (verdict: string | null) => (isBad(verdict) ? "bad" : isMild(verdict) ? "mild" : "");
const kind = (run: Run) => (run.verdict === null ? "unknown" : toneOf(run.verdict) || "fine");
const MARKS: { [tone: string]: string } = { bad: "!", mild: "~" };

export function RunChart(props: { runs: Run[]; chosen: number | null; onChoose: (run: number) => void }) {
  const top = round(Math.max(1, ...props.runs.map((run) => run.records)));
  const width = LEFT + props.runs.length * (BAR + GAP) + 10;
  return <figure class="chart">
    <div class="graph-scroll" tabIndex={0} role="region" aria-label="Chart of runs">
      <svg width={width} height={HEIGHT + 30} role="img" aria-label={`Records of ${plural(props.runs.length, "run")} over time, ${plural(props.runs.filter((run) => isBad(run.verdict)).length, "run")} with drift, ${plural(props.runs.filter((run) => isMild(run.verdict)).length, "run")} with changes`}>
        {[0, 0.5, 1].map((share) => <g><line x1={LEFT - 4} x2={width} y1={HEIGHT * (1 - share) + 8} y2={HEIGHT * (1 - share) + 8} class="rule" />
          <text x={LEFT - 8} y={HEIGHT * (1 - share) + 12} text-anchor="end" class="axis">{(top * share).toLocaleString("en")}</text></g>)}
        {props.runs.map((run, index) => {
          const high = Math.max(LEAST, (run.records / top) * HEIGHT), x = LEFT + index * (BAR + GAP);
          return <g class={`bar-of ${kind(run)} ${run.id === props.chosen ? "chosen" : ""}`} onClick={() => props.onChoose(run.id)}>
            <rect x={x} y={HEIGHT - high + 8} width={BAR} height={high} rx="2" />
            {toneOf(run.verdict) && <text x={x + BAR / 2} y={HEIGHT - high + 4} text-anchor="middle">{MARKS[toneOf(run.verdict)]}</text>}
            <text x={x + BAR / 2} y={HEIGHT + 22} text-anchor="middle" class="axis">{run.id}</text>
            <title>{`Run ${run.id}, ${day(run.finished)}: ${plural(run.records, "record")} of ${plural(run.pages, "page")}${run.verdict ? `, ${run.verdict}` : ""}`}</title></g>;
        })}
      </svg>
    </div>
    <figcaption><span class="key fine">fine</span> <span class="key mild">~ changed, still read</span> <span class="key bad">! drift</span> <span class="key unknown">not checked</span></figcaption>
  </figure>;
}
