// The left side: sites, the pages of one, and what is at work.
import { useMemo, useState } from "preact/hooks";
import { api, type Job } from "./api";
import { driftOf, driftWords, useWorkbench } from "./state";
import { number, t } from "./words/words";

function Sites() {
  const bench = useWorkbench();
  const [fresh, setFresh] = useState<string | null>(null);
  const names = [...new Set([...bench.sites.map((site) => site.name), bench.site])];
  return <div class="sites">
    <label>{t.rail.site} <select value={bench.site} onChange={(e) => bench.setSite(e.currentTarget.value)}>
      {names.map((name) => <option value={name}>{name}</option>)}
    </select></label>
    {fresh === null ? <button onClick={() => setFresh("")}>{t.rail.newSite}</button>
      : <form onSubmit={(e) => { e.preventDefault(); if (fresh.trim()) bench.setSite(fresh.trim()); setFresh(null); }}>
        <input ref={(element) => element?.focus()} aria-label={t.rail.nameOfNew} placeholder={t.rail.nameOfSite} value={fresh} onInput={(e) => setFresh(e.currentTarget.value)} />
        <button type="submit">{t.rail.use}</button>
      </form>}
  </div>;
}

const kindOf = (job: Job) => t.rail.kinds[job.kind] ?? job.kind;

function Jobs() {
  const bench = useWorkbench();
  const running = bench.jobs.filter((job) => job.state === "running" || job.state === "waiting");
  if (!running.length) return null;
  return <section class="jobs" aria-label={t.rail.atWork}>
    {running.map((job) => <div key={job.id}>
      <span>{job.total ? t.rail.workOf(kindOf(job), number(job.done), number(job.total)) : t.rail.work(kindOf(job), number(job.done))}</span>
      <progress aria-label={t.pages.progress} {...(job.total ? { value: job.done, max: job.total } : {})} />
      <CancelJob job={job.id} />
    </div>)}
  </section>;
}

// A job ends where it can: what was asked for is said at once.
export function CancelJob(props: { job: number }) {
  const bench = useWorkbench();
  const [asked, setAsked] = useState(false);
  return <button disabled={asked} onClick={() => { setAsked(true); api.cancel(props.job).catch(bench.fail); }}>{asked ? t.rail.cancelling : t.pages.cancel}</button>;
}

export function Rail() {
  const bench = useWorkbench();
  const [filter, setFilter] = useState("");
  const shown = useMemo(() => bench.pages.filter((page) => page.name.toLowerCase().includes(filter.toLowerCase())), [bench.pages, filter]);
  const short = (name: string) => name.replace(/^https?:\/\//, "").split("/").slice(-2).join("/");
  return <nav class="rail" aria-label={t.rail.title}>
    <Sites />
    <Jobs />
    {bench.pages.length > 8 && <input type="search" placeholder={t.rail.find} aria-label={t.rail.find} value={filter} onInput={(e) => setFilter(e.currentTarget.value)} />}
    <ul class="page-list">
      {shown.slice(0, 500).map((page) => <li>
        <button class={page.id === bench.page?.id ? "chosen" : ""} aria-current={page.id === bench.page?.id ? "page" : undefined}
          title={page.name} onClick={() => bench.setPage(page)}>
          <span>{short(page.name)}</span>{bench.drifting.has(page.name) && <small class={`drifts ${driftOf(bench, page.name)?.tone}-text`} title={driftWords(bench, page.name)}>{driftOf(bench, page.name)?.word}</small>}{page.labelled && <small>{t.rail.labelled}</small>}
        </button>
      </li>)}
    </ul>
    {shown.length > 500 && <p class="quiet">{t.rail.more(number(shown.length - 500))}</p>}
  </nav>;
}
