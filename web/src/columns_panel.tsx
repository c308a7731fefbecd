// What the columns of a run look like: which pages have them, of what type they are, how their values spread,
// and what is worth a look. Each cell of the pages and each outlier leads to its page.
import { useState } from "preact/hooks";
import type { ColumnSurvey, Outlier, Survey } from "./api";
import { DocsLink } from "./docs_link";
import { colour } from "./values";
import { number, t } from "./words/words";

const words = t.columnsPanel;
const HIGH = 24, WIDE = 8;
const SILENT = 5; // pages without a record that are named

const short = (value: number) => value.toLocaleString(undefined, { maximumFractionDigits: 2 });
const lastPart = (page: string) => page.split("/").pop() || page;

// How a column spreads: a bar for each stretch of its numbers, dates or lengths.
function Histogram(props: { column: ColumnSurvey; words: string }) {
  const { bins } = props.column;
  if (!bins) return null;
  const most = Math.max(...bins.counts), width = bins.counts.length * WIDE;
  return <svg class="histogram" width={width} height={HIGH} viewBox={`0 0 ${width} ${HIGH}`} role="img" aria-label={words.histogram(props.words, bins.counts.join(", "))}>
    {bins.counts.map((count, at) => {
      const high = count ? Math.max(2, (count / most) * HIGH) : 0;
      return <rect x={at * WIDE} y={HIGH - high} width={WIDE - 1} height={high}><title>{number(count)}</title></rect>;
    })}
  </svg>;
}

function Spread(props: { column: ColumnSurvey }) {
  const { column } = props, { numbers, dates, lengths, frequent } = column;
  if (!column.values) return <span class="quiet">{words.empty}</span>;
  const money = numbers?.currency ? ` ${numbers.currency}` : "";
  const range = numbers ? words.numbers(short(numbers.least) + money, short(numbers.median) + money, short(numbers.most) + money)
    : dates ? words.dates(dates.first, dates.last) : lengths ? words.lengths(short(lengths.least), short(lengths.most)) : "";
  // texts that come again and again say more than how long they are
  const often = !numbers && !dates && frequent.length > 0 && column.different <= column.values / 2;
  return <div class="spread">
    {often ? <ul class="frequent" aria-label={words.frequent}>{frequent.map((one) => <li style={{ "--share": `${(100 * one.count) / column.values}%` }}>
      <bdi>{one.value}</bdi> <small>{number(one.count)}</small></li>)}</ul> : <Histogram column={column} words={range} />}
    <small>{often ? words.different(column.different) : range}</small>
  </div>;
}

// The pages of a run from left to right: full where all records of a page have the field, empty where none has.
// One stop of the Tab key; arrows go from page to page.
function Coverage(props: { survey: Survey; column: ColumnSurvey; at: number; onPage: (page: string) => void }) {
  const { survey, column } = props, [here, setHere] = useState(0);
  const keys = (event: KeyboardEvent) => {
    const ahead = document.documentElement.dir === "rtl" ? -1 : 1, step = { ArrowRight: ahead, ArrowLeft: -ahead }[event.key];
    const to = event.key === "Home" ? 0 : event.key === "End" ? survey.pages.length - 1 : step ? here + step : -1;
    if (to < 0 || to >= survey.pages.length) return;
    event.preventDefault();
    setHere(to);
    ((event.currentTarget as HTMLElement).children[to] as HTMLElement | undefined)?.focus();
  };
  return <div class="coverage" role="group" aria-label={words.coverageOf(column.field)} onKeyDown={keys} style={{ "--c": colour(props.at) }}>
    {survey.pages.map((page, index) => {
      const filled = column.coverage[index] ?? 0, said = words.page(page.pages > 1 ? words.group(lastPart(page.page), number(page.pages - 1)) : lastPart(page.page), number(filled), number(page.records));
      return <button class={filled === 0 ? "none" : filled < page.records ? "some" : ""} style={{ "--share": filled / Math.max(1, page.records) }} tabIndex={index === here ? 0 : -1}
        title={said} aria-label={said} onFocus={() => setHere(index)} onClick={() => props.onPage(page.page)} />;
    })}
  </div>;
}

// Everything about columns, a row each. `onRecord` is told which record and field somebody wants to see.
export function ColumnsPanel(props: { survey: Survey; pages: number; silent: string[]; onRecord: (record: number, field: string) => void; onPage: (page: string, field: string) => void }) {
  const { survey } = props;
  const [open, setOpen] = useState<{ field: string; why: string } | null>(null);
  const named = survey.pages.reduce((sum, page) => sum + page.pages, 0), silent = Math.max(0, props.pages - named);
  const outlier = (column: ColumnSurvey, one: Outlier) => {
    const isOpen = open?.field === column.field && open.why === one.why;
    return <button class={`outlier ${one.why === "missing" ? "quiet-chip" : ""}`} aria-expanded={isOpen} onClick={() => {
      setOpen(isOpen ? null : { field: column.field, why: one.why });
      if (!isOpen && one.records[0]) props.onRecord(one.records[0].record, column.field);
    }}>{words.why[one.why](one.count)}</button>;
  };
  return <details class="columns-panel" open>
    <summary>{words.title}</summary>
    <p class="quiet">{words.about} <DocsLink page="WORKBENCH" part="results" />{silent > 0 && <> {words.silent(silent)} {props.silent.slice(0, SILENT).map((page) => <><button class="plain" onClick={() => props.onPage(page, "")}>{lastPart(page)}</button> </>)}{props.silent.length > SILENT ? words.more(number(props.silent.length - SILENT)) : ""}</>}</p>
    <table class="overview"><caption class="hidden">{words.title}</caption>
      <thead><tr><th scope="col">{words.column}</th><th scope="col">{words.type}</th><th scope="col" class="number">{words.filled}</th><th scope="col">{words.coverage}</th><th scope="col">{words.values}</th><th scope="col">{words.check}</th></tr></thead>
      <tbody>{survey.fields.map((column, at) => {
        const shown = column.outliers.find((one) => open?.field === column.field && open.why === one.why);
        return <>
          <tr><th scope="row"><bdi>{column.field}</bdi></th><td>{column.values ? words.types[column.type] ?? column.type : ""}</td>
            <td class="number">{survey.records ? Math.floor((100 * column.filled) / survey.records) : 0}%</td>
            <td><Coverage survey={survey} column={column} at={at} onPage={(page) => props.onPage(page, column.field)} /></td>
            <td><Spread column={column} /></td>
            <td>{column.outliers.map((one) => outlier(column, one))}</td></tr>
          {shown && <tr class="outliers"><td colSpan={6}><ul aria-label={words.list(column.field)}>{shown.records.map((one) => <li>
            <button class="plain" onClick={() => props.onRecord(one.record, column.field)}>{words.record(number(one.record + 1), lastPart(one.page))}{one.value !== undefined && <>: <bdi>{one.value}</bdi></>}</button></li>)}
            {shown.count > shown.records.length && <li class="quiet">{words.more(number(shown.count - shown.records.length))}</li>}</ul></td></tr>}
        </>;
      })}</tbody></table>
  </details>;
}
