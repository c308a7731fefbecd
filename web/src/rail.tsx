// The left side: sites, the pages of one, and what is at work.
import { useMemo, useState } from "preact/hooks";
import { api } from "./api";
import { driftOf, driftWords, useWorkbench } from "./state";

function Sites() {
  const bench = useWorkbench();
  const [fresh, setFresh] = useState<string | null>(null);
  const names = [...new Set([...bench.sites.map((site) => site.name), bench.site])];
  return <div class="sites">
    <label>Site <select value={bench.site} onChange={(e) => bench.setSite(e.currentTarget.value)}>
      {names.map((name) => <option value={name}>{name}</option>)}
    </select></label>
    {fresh === null ? <button onClick={() => setFresh("")}>New site</button>
      : <form onSubmit={(e) => { e.preventDefault(); if (fresh.trim()) bench.setSite(fresh.trim()); setFresh(null); }}>
        <input ref={(element) => element?.focus()} aria-label="Name of the new site" placeholder="Name of the site" value={fresh} onInput={(e) => setFresh(e.currentTarget.value)} />
        <button type="submit">Use</button>
      </form>}
  </div>;
}

const KINDS: { [kind: string]: string } = { add: "Adding pages", extract: "Extracting", verify: "Checking pages", repair: "Looking for a repair" };

function Jobs() {
  const bench = useWorkbench();
  const running = bench.jobs.filter((job) => job.state === "running" || job.state === "waiting");
  if (!running.length) return null;
  return <section class="jobs" aria-label="At work">
    {running.map((job) => <div key={job.id}>
      <span>{KINDS[job.kind] ?? job.kind}: {job.done.toLocaleString("en")}{job.total ? ` of ${job.total.toLocaleString("en")}` : ""}</span>
      <progress aria-label="Progress" {...(job.total ? { value: job.done, max: job.total } : {})} />
      <CancelJob job={job.id} />
    </div>)}
  </section>;
}

// A job ends where it can: what was asked for is said at once.
export function CancelJob(props: { job: number }) {
  const bench = useWorkbench();
  const [asked, setAsked] = useState(false);
  return <button disabled={asked} onClick={() => { setAsked(true); api.cancel(props.job).catch(bench.fail); }}>{asked ? "Cancelling…" : "Cancel"}</button>;
}

export function Rail() {
  const bench = useWorkbench();
  const [filter, setFilter] = useState("");
  const shown = useMemo(() => bench.pages.filter((page) => page.name.toLowerCase().includes(filter.toLowerCase())), [bench.pages, filter]);
  const short = (name: string) => name.replace(/^https?:\/\//, "").split("/").slice(-2).join("/");
  return <nav class="rail" aria-label="Sites and pages">
    <Sites />
    <Jobs />
    {bench.pages.length > 8 && <input type="search" placeholder="Find a page" aria-label="Find a page" value={filter} onInput={(e) => setFilter(e.currentTarget.value)} />}
    <ul class="page-list">
      {shown.slice(0, 500).map((page) => <li>
        <button class={page.id === bench.page?.id ? "chosen" : ""} aria-current={page.id === bench.page?.id ? "page" : undefined}
          title={page.name} onClick={() => bench.setPage(page)}>
          <span>{short(page.name)}</span>{bench.drifting.has(page.name) && <small class={`drifts ${driftOf(bench, page.name)?.tone}-text`} title={driftWords(bench, page.name)}>{driftOf(bench, page.name)?.word}</small>}{page.labelled && <small>labelled</small>}
        </button>
      </li>)}
    </ul>
    {shown.length > 500 && <p class="quiet">and {(shown.length - 500).toLocaleString("en")} more: find them by name</p>}
  </nav>;
}
