// Pages from the web: a URL with its next pages, and pages again. What came of it stays here until the next one.
import { useEffect, useRef, useState } from "preact/hooks";
import { api, type Fetched, type Job, type Page } from "./api";
import { CancelJob } from "./rail";
import { hasEnded, useLoaded, useWorkbench, type Workbench } from "./state";
import { number, t } from "./words/words";

const MOST = 10; // pages, unless somebody says otherwise
const LARGEST = 100_000; // that the server takes
const MOST_FAILURES = 50; // that are listed

const isUrl = (text: string) => /^https?:\/\/[^\s/]+/i.test(text.trim());
const withUrl = (page: { name: string; url: string | null }) => isUrl(page.name) || !!page.url;

// The last job of a kind of this site, as the server tells of it: it is there when somebody comes back to the view.
const lastOf = (bench: Workbench, kind: string): Job | undefined =>
  [...bench.jobs].reverse().find((job) => job.kind === kind && job.what["site"] === bench.site);

function Failures(props: { failed: Fetched["failed"] }) {
  const { failed } = props;
  if (!failed.length) return null;
  return <><p class="bad-text">{t.addSite.failures(failed.length)}</p>
    <ul class="failures">{failed.slice(0, MOST_FAILURES).map((one) => <li dir="auto">{one.url ? t.addSite.failure(one.url, one.reason) : one.reason}</li>)}
      {failed.length > MOST_FAILURES && <li>{t.addSite.more(number(failed.length - MOST_FAILURES))}</li>}</ul></>;
}

function Came(props: { came: Fetched; again?: boolean }) {
  const { came } = props, w = t.addSite;
  return <>
    {props.again ? <p>{t.fetchAgain.came(t.fetchAgain.changed(came.changed), t.fetchAgain.same(came.same), came.new ? t.fetchAgain.fresh(came.new) : "")}</p>
      : <p>{[w.came(t.count.pages(came.new)), came.changed ? w.changed(came.changed) : "", came.same ? w.known(came.same) : ""].filter(Boolean).join(" ")}</p>}
    {came.ended.map((one) => <p dir="auto">{came.ended.length > 1 ? `${w.followed(one.url, t.count.pages(one.pages))} ` : ""}{w.ends[one.end]}</p>)}
    <Failures failed={came.failed} />
  </>;
}

// Watches a job that changes pages: those that are new when it has ended can be undone, also where the server was
// started again in the middle. `more` is undone with them.
async function watch(bench: Workbench, start: () => Promise<{ job: number }>, kind: string, words: (count: number) => string, more?: () => Promise<void>): Promise<void> {
  const site = bench.site, before = new Set((await api.allPages(site)).map((page) => page.id));
  const job = await bench.began(start, kind, "");
  try { await bench.outcome<Fetched>(job); } finally {
    const added = (await api.allPages(site)).filter((page) => !before.has(page.id)).map((page) => page.id);
    if (added.length) bench.didChange({ words: words(added.length), undo: async () => { await api.removePages(site, added); await more?.(); } });
  }
}

// What came of the last job of a kind.
function useCame(kind: string): { job: Job | undefined; came: Fetched | null } {
  const bench = useWorkbench(), job = lastOf(bench, kind), done = job?.state === "done" ? job.id : null;
  const { value } = useLoaded<Fetched | null>([bench.site, kind, done], async () => (done === null ? null : ((await api.job(done)).result as Fetched | undefined) ?? null));
  return { job, came: value };
}

function Progress(props: { job: Job; words: string }) {
  const { job } = props;
  return <p class="fetching"><span dir="auto">{props.words}</span>
    <progress aria-label={t.pages.progress} {...(job.total ? { value: job.done, max: job.total } : {})} /><CancelJob key={job.id} job={job.id} /></p>;
}

export function AddSite() {
  const bench = useWorkbench(), w = t.addSite;
  const [url, setUrl] = useState(""), [limit, setLimit] = useState(String(MOST)), [render, setRender] = useState(false);
  const [asked, setAsked] = useState(false), [wrong, setWrong] = useState(false);
  const most = Math.round(Number(limit)), good = most >= 1 && most <= LARGEST; // while somebody types it may be anything
  const field = useRef<HTMLInputElement>(null);
  const { value: known } = useLoaded([bench.site], () => api.sources(bench.site));
  const { job, came } = useCame("follow"), working = job && !hasEnded(job) ? job : null;
  useEffect(() => { if (job) setAsked(false); }, [job?.id]);
  const start = () => {
    const site = bench.site, from = url.trim();
    setWrong(!isUrl(from));
    if (!isUrl(from)) { field.current?.focus(); return; }
    setAsked(true);
    setUrl(""); // a second click would add it twice
    watch(bench, () => api.follow(site, from, most, render), "follow", (count) => w.undo(t.count.pages(count)), async () => { await api.removeSource(site, from); })
      .catch((error: unknown) => { setUrl((now) => now || from); bench.fail(error); })
      .finally(() => setAsked(false));
  };
  return <form class="add-site" aria-labelledby="add-site" noValidate onSubmit={(e) => { e.preventDefault(); start(); }}>
    <h2 id="add-site">{w.title}</h2>
    <p class="quiet">{w.about}</p>
    <label>{w.url} <input ref={field} type="url" inputMode="url" value={url} placeholder="https://example.org/list" aria-invalid={wrong} aria-describedby={wrong ? "add-site-wrong" : undefined}
      onInput={(e) => { setUrl(e.currentTarget.value); setWrong(false); }} /></label>
    {wrong && <p id="add-site-wrong" class="bad-text" role="alert">{w.notUrl}</p>}
    <div class="bar">
      <label>{w.most} <input type="number" min={1} max={LARGEST} value={limit} aria-invalid={!good} onInput={(e) => setLimit(e.currentTarget.value)} /></label>
      {known?.can_render && <label title={w.renderHelp}><input type="checkbox" checked={render} onChange={(e) => setRender(e.currentTarget.checked)} /> {w.render}</label>}
      <button type="submit" disabled={!url.trim() || !good || asked || !!working}>{w.start}</button>
    </div>
    <div role="status" class="came">
      {working && <Progress job={working} words={working.state === "waiting" ? w.waiting : w.reading(number(working.done), number(Number(working.what["most"] ?? working.total)), working.message || String(working.what["url"] ?? ""))} />}
      {!working && !asked && job?.state === "failed" && <p class="bad-text" dir="auto">{job.message}</p>}
      {!working && !asked && came && <Came came={came} />}
    </div>
  </form>;
}

// Fetches one page again; FetchAgain says what came of it.
export function FetchOne(props: { page: Page }) {
  const bench = useWorkbench(), { page } = props, site = bench.site, job = lastOf(bench, "fetch");
  if (!withUrl(page)) return null;
  return <button class="plain" disabled={!!job && !hasEnded(job)} aria-label={t.fetchAgain.one(page.name)}
    onClick={() => void watch(bench, () => api.fetchAgain(site, [page.id]), "fetch", t.fetchAgain.undo).catch(bench.fail)}>{t.fetchAgain.some}</button>;
}

// Fetches all pages that have a URL again.
export function FetchAgain() {
  const bench = useWorkbench(), w = t.fetchAgain;
  const [asked, setAsked] = useState(false);
  const { job, came } = useCame("fetch"), working = job && !hasEnded(job) ? job : null;
  const start = () => {
    const site = bench.site;
    setAsked(true);
    watch(bench, () => api.fetchAgain(site), "fetch", w.undo).catch(bench.fail).finally(() => setAsked(false));
  };
  if (!bench.pages.some(withUrl)) return null;
  return <>
    <button title={w.allHelp} disabled={asked || !!working} onClick={start}>{w.all}</button>
    <div role="status" class="came">
      {working && <Progress job={working} words={working.total ? w.working(number(working.done), number(working.total), working.message) : w.begun} />}
      {!working && !asked && job?.state === "cancelled" && <p>{w.cancelled}</p>}
      {!working && !asked && came && <Came came={came} again />}
    </div>
  </>;
}
