// IEPAD's pattern with its records below it, token under token: columns that match, gaps, and tokens in place of
// others. The rows are those that `thresh regions --trace --engine iepad` prints.
import { useMemo, useState } from "preact/hooks";
import type { Step } from "./api";
import { number, t } from "./words/words";

const words = t.alignment;

interface AlignedRow { tokens: string[]; start: number; end: number }
export interface Aligned { pattern: string; columns: string[]; records: number; repeat: string; occurrences: number; variance: number; density: number; rows: AlignedRow[] }

// "<li>[<b>|-]<TEXT>": a column is a token, or several of which one is there.
export const patternColumns = (pattern: string): string[] => pattern.match(/\[[^\]]*\]|<[^>]*>/g) ?? [];

export function alignedPatterns(steps: Step[]): Aligned[] {
  const found: Aligned[] = [];
  let candidate: Step | null = null;
  for (const step of steps) {
    if (step.step === "candidate") candidate = step;
    if (step.step === "record pattern") {
      const pattern = String(step["pattern"]);
      found.push({
        pattern, columns: patternColumns(pattern), records: Number(step["records"]), repeat: String(candidate?.["repeat"] ?? ""),
        occurrences: (candidate?.["at"] as number[] | undefined)?.length ?? 0, variance: Number(candidate?.["variance"] ?? 0), density: Number(candidate?.["density"] ?? 0), rows: [],
      });
    }
    if (step.step === "record") found[found.length - 1]?.rows.push({ tokens: String(step["row"]).split(" "), start: Number(step["start"]), end: Number(step["end"]) });
  }
  return found;
}

// The tokens that rows have in a column tell what it is.
const kindOf = (all: Aligned, column: number) => {
  const seen = new Set(all.rows.map((row) => row.tokens[column] ?? "-"));
  return seen.size <= 1 ? "same" : seen.size === 2 && seen.has("-") ? "gap" : "other";
};
const cut = (text: string) => (text.length > 70 ? `${text.slice(0, 69)}…` : text);

export function Alignment(props: { steps: Step[]; patterns: string[]; onShow: (place: { start: number; end: number }) => void }) {
  const found = useMemo(() => alignedPatterns(props.steps), [props.steps]);
  const [picked, setPicked] = useState<number | null>(null);
  const own = found.findIndex((one) => props.patterns.includes(one.pattern));
  const best = own >= 0 ? own : found.reduce((most, one, at) => (one.records > (found[most]?.records ?? 0) ? at : most), 0);
  const at = picked !== null && picked < found.length ? picked : best, one = found[at];
  if (!one) return <p class="quiet">{words.none}</p>;
  const kinds = one.columns.map((_, column) => kindOf(one, column));
  return <div class="alignment">
    {found.length > 1 && <label>{words.pattern} <select value={at} onChange={(e) => setPicked(Number(e.currentTarget.value))}>
      {found.map((other, index) => <option value={index}>{words.option(t.count.records(other.records), cut(other.pattern))}</option>)}</select></label>}
    <p class="quiet">{words.repeat(cut(one.repeat), number(one.occurrences))} {words.measures(number(one.variance), number(one.density))}</p>
    <div class="grid-scroll" tabIndex={0} role="region" aria-label={words.grid}>
      <table><caption>{words.caption(t.count.records(one.rows.length), number(kinds.filter((kind) => kind === "same").length), number(kinds.length))}{one.records > one.rows.length ? ` ${words.first(number(one.records))}` : ""}</caption>
        <thead><tr><th scope="col">{words.record}</th>{one.columns.map((column, index) => <th scope="col" class={kinds[index]}><code>{column}</code></th>)}</tr></thead>
        <tbody>{one.rows.map((row, index) => <tr><th scope="row"><button class="plain" aria-label={words.show(index + 1)} onClick={() => props.onShow(row)}>{index + 1}</button></th>
          {one.columns.map((_, column) => { const token = row.tokens[column] ?? "-"; return <td class={token === "-" ? "gap" : kinds[column] === "gap" ? "same" : kinds[column]}>{token === "-" ? <span aria-label={words.gap}>–</span> : <code>{token}</code>}</td>; })}</tr>)}</tbody></table>
    </div>
    <p class="legend"><span class="same">{words.same}</span> <span class="gap">{words.gapKey}</span> <span class="other">{words.other}</span></p>
  </div>;
}
