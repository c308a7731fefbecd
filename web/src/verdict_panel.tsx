// What a check found, field by field: what is wrong, what values were like and what they are like now.
import { api, type Drifting, type Evidence, type Run, type Wrapper } from "./api";
import { isBad, isMild, toneOf, wordOf } from "./charts";
import { useLoaded, useWorkbench } from "./state";
import { listed, number, t } from "./words/words";

const MOST_PAGES = 200; // that are listed
const MOST_VALUES = 3; // of a field, before and now

// Values that a field had when the wrapper was learnt.
export const examplesOf = (wrapper: Wrapper | undefined, field: string | null) => wrapper?.profile?.fields?.find((one) => one.field === field)?.examples ?? [];

// `none`: that there are no values is worth a word.
function Values(props: { words: string; values: string[]; none?: boolean }) {
  if (!props.values.length && !props.none) return null;
  return <><dt>{props.words}</dt><dd>{props.values.length ? [...new Set(props.values)].slice(0, MOST_VALUES).map((value) => <code dir="auto">{value}</code>) : t.verdictPanel.nothing}</dd></>;
}

export function VerdictPanel(props: { run: Run; latest: number; wrapper: Wrapper | undefined; profile: string | null | undefined }) {
  const bench = useWorkbench(), w = t.verdictPanel;
  const { run } = props;
  const { value: verdicts } = useLoaded([run.id], () => api.verdicts(run.id), [bench.version]);
  // the records first, then what drifts, what has changed, and the rest
  const rank = (one: { field: string | null; verdict: string }) => (one.field === null ? 0 : isBad(one.verdict) ? 1 : isMild(one.verdict) ? 2 : 3);
  const fields = (verdicts ?? []).map((one) => ({ ...one, evidence: one.evidence as Evidence | null })).sort((a, b) => rank(a) - rank(b));
  // the evidence of the records tells of the pages of all fields
  const pages = (fields.find((one) => one.field === null)?.evidence as { pages?: Drifting[] } | null | undefined)?.pages ?? [];
  const pagesOf = (field: string | null) => pages.filter((page) => page.fields.includes(field));
  const bad = fields.filter((one) => isBad(one.verdict)).map((one) => one.field ?? w.theRecords);
  const open = (name: string) => { const to = bench.pages.find((at) => at.name === name); if (to) { bench.setPage(to); bench.setView("wrappers"); } };
  return <section aria-label={w.title}><h2>{w.run(String(run.id))} <span class={toneOf(run.verdict) && `${toneOf(run.verdict)}-text`}>{wordOf(run.verdict)}</span></h2>
    {run.verdict === null && <p class="quiet">{w.notCompared}</p>}
    {run.verdict !== null && run.wrapper_version !== props.latest && <p>{w.older(number(run.wrapper_version), number(props.latest))}</p>}
    {run.verdict === "failed" && <p>{w.failed}</p>}
    {isBad(run.verdict) && run.verdict !== "failed" && bad.length > 0 && <p>{w.notWhat} <strong>{listed(bad)}</strong>. {w.propose}</p>}
    {isMild(run.verdict) && <p>{w.mild}</p>}
    {fields.length > 0 && <ul class="evidence">{fields.map((one) => <li class={toneOf(one.verdict)}>
      <b>{one.field ?? w.records}</b> <span class={toneOf(one.verdict) ? `${toneOf(one.verdict)}-text` : "quiet"}>{one.evidence?.test === "none" ? w.notKnown : wordOf(one.verdict)}</span>
      {one.evidence?.words && <p lang="en" dir="ltr">{one.evidence.words}</p>}
      {one.field !== null && <dl><Values words={w.before} values={examplesOf(props.wrapper, one.field)} /><Values words={w.now} values={one.evidence?.examples ?? []} none={!!toneOf(one.verdict)} /></dl>}
      {pagesOf(one.field).length > 0 && <details><summary>{w.seenOn(t.count.pages(pagesOf(one.field).length))}</summary><ul class="drift-pages">{pagesOf(one.field).slice(0, MOST_PAGES).map((page) => <li>
        <button class="plain" onClick={() => open(page.page)}>{page.page}</button> <small lang="en" dir="ltr">{page.fields[0] === one.field && page.words}</small></li>)}</ul></details>}</li>)}</ul>}
    {props.profile && <details><summary>{w.profile}</summary><pre class="rules" tabIndex={0} aria-label={w.theProfile}>{props.profile}</pre></details>}
  </section>;
}
