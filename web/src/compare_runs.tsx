// Two runs beside each other: what was added, removed and changed. The server compares, and gives it page by page.
import { useEffect, useState } from "preact/hooks";
import { api, type Comparison, type DifferenceKind, type Row, type Run, type Value } from "./api";
import { useLoaded } from "./state";
import { cell, columnsOf, day } from "./values";
import { number, t } from "./words/words";

const PORTION = 25; // records of a page
const KINDS: DifferenceKind[] = ["changed", "added", "removed"];

const isLink = (value: string) => /^(https?:|\/)/.test(value);
const text = (value: unknown): string => (typeof value === "number" || typeof value === "boolean" ? String(value) : cell(value as Value));

// What a record is called: its key, or where that is a link the first text that is none.
function nameOf(record: Record<string, unknown>, key: string | null): string {
  const name = key ? text(record[key]) : "";
  const words = Object.values(record).find((value) => typeof value === "string" && value && !isLink(value));
  return isLink(name) && typeof words === "string" ? words : name;
}

function Records(props: { records: Row[]; caption: string }) {
  const columns = columnsOf(props.records);
  return <table class="overview" tabIndex={0}><caption class="hidden">{props.caption}</caption>
    <thead><tr>{columns.map((name) => <th scope="col">{name}</th>)}</tr></thead>
    <tbody>{props.records.map((record) => <tr>{columns.map((name) => <td dir="auto">{text(record[name])}</td>)}</tr>)}</tbody></table>;
}

function Changes(props: { came: Comparison; before: number; after: number }) {
  const { came } = props, w = t.compareRuns;
  const rows = came.differences.map((one) => {
    const before = one.before ?? {}, after = one.after ?? {};
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => JSON.stringify(before[name] ?? null) !== JSON.stringify(after[name] ?? null));
    return { name: nameOf(after, came.key), names, before, after };
  });
  return <table class="overview changes"><caption class="hidden">{w.table.changed}</caption>
    <thead><tr><th scope="col">{w.record}</th><th scope="col">{w.field}</th><th scope="col">{w.value(String(props.before))}</th><th scope="col">{w.value(String(props.after))}</th></tr></thead>
    <tbody>{rows.map((row) => row.names.map((name, index) => <tr>
      {index === 0 && <th scope="rowgroup" rowSpan={row.names.length} dir="auto">{row.name}</th>}
      <td>{name}</td><td dir="auto"><del>{text(row.before[name]) || w.nothing}</del></td><td dir="auto"><ins>{text(row.after[name]) || w.nothing}</ins></td></tr>))}</tbody></table>;
}

export function CompareRuns(props: { runs: Run[] }) {
  const w = t.compareRuns, runs = props.runs.filter((run) => run.records > 0);
  const [first, setFirst] = useState<number | null>(null), [second, setSecond] = useState<number | null>(null);
  const [key, setKey] = useState(""), [kind, setKind] = useState<DifferenceKind | null>(null), [from, setFrom] = useState(0), [open, setOpen] = useState(false);
  const known = (id: number | null) => (runs.some((run) => run.id === id) ? id : null);
  const after = known(second) ?? runs[runs.length - 1]?.id ?? 0, before = known(first) ?? [...runs].reverse().find((run) => run.id < after)?.id ?? 0;
  const ready = open && before > 0 && after > 0;
  const { value: sums } = useLoaded<Comparison | null>([before, after, key, ready], () => (ready ? api.compare(before, after, key, "changed", 0, 0) : Promise.resolve(null)));
  const shown = kind ?? KINDS.find((one) => sums?.[one]) ?? "changed";
  const { value: came } = useLoaded<Comparison | null>([before, after, key, ready, shown, from], () => (ready ? api.compare(before, after, key, shown, from, PORTION) : Promise.resolve(null)));
  useEffect(() => { setFrom(0); }, [before, after, key, shown]);
  useEffect(() => { setKey(""); setKind(null); }, [before, after]);
  const choose = (label: string, value: number, set: (id: number) => void) => <label>{label} <select value={value} onChange={(e) => set(Number(e.currentTarget.value))}>
    {[...runs].reverse().map((run) => <option value={run.id}>{w.run(String(run.id), day(run.finished), t.count.records(run.records))}</option>)}</select></label>;
  const total = sums?.[shown] ?? 0, to = Math.min(total, from + PORTION);
  return <details class="compare-runs" onToggle={(e) => setOpen(e.currentTarget.open)}><summary>{w.title}</summary>
    {runs.length < 2 ? <p class="quiet">{w.needs}</p> : <>
      <div class="bar">{choose(w.before, before, setFirst)} {choose(w.after, after, setSecond)}
        <label>{w.key} <select value={key || (sums?.key ?? "")} onChange={(e) => setKey(e.currentTarget.value)}>
          {!sums?.key && <option value="">{w.whole}</option>}{(sums?.fields ?? []).map((field) => <option value={field}>{field}</option>)}</select></label></div>
      <div role="status">{!sums ? <p class="quiet">{w.reading}</p> : !sums.changed && !sums.added && !sums.removed ? <p>{w.equal}</p> : <p class="quiet">{w.same(sums.same)}</p>}</div>
      {sums && (sums.changed > 0 || sums.added > 0 || sums.removed > 0) && <>
        <fieldset class="inline kinds"><legend class="hidden">{w.kinds}</legend>
          {KINDS.map((one) => <label><input type="radio" name="difference" checked={one === shown} onChange={() => setKind(one)} /> {w[one](sums[one])}</label>)}</fieldset>
        <div class="wide-table" tabIndex={0} role="region" aria-label={w.table[shown]}>
          {came && (came.differences.length === 0 ? <p class="quiet">{w.none}</p>
            : shown === "changed" ? <Changes came={came} before={before} after={after} />
              : <Records records={came.differences.map((one) => (one.after ?? one.before ?? {}) as Row)} caption={w.table[shown]} />)}</div>
        {total > PORTION && <p class="bar"><button disabled={from === 0} onClick={() => setFrom(Math.max(0, from - PORTION))}>{w.previous}</button>
          <span>{w.range(number(from + 1), number(to), number(total))}</span><button disabled={to >= total} onClick={() => setFrom(from + PORTION)}>{w.next}</button></p>}
      </>}
    </>}
  </details>;
}
