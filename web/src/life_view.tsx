// The life of a wrapper: runs and verdicts over time, what drifts and how, and its repair.
import { useState } from "preact/hooks";
import { api, type Drifting, type Evidence, type Repair, type Verdict, type Word } from "./api";
import { isBad, isMild, RunChart, toneOf } from "./charts";
import { CommandLine, where } from "./command_line";
import { CancelJob } from "./rail";
import { RepairPanel } from "./repair_panel";
import { useLoaded, useWorkbench } from "./state";
import { day, plural, shell } from "./values";

const MOST_RUNS = 60; // in the chart
const MOST_PAGES = 200; // that are listed

const SAID: { [word in Word]: string } = { fine: "is fine", changed: "still reads its pages, which have changed", drift: "drifts" };

export function LifeView() {
  const bench = useWorkbench();
  const [named, setNamed] = useState("");
  const [chosen, setChosen] = useState<number | null>(null);
  const [busy, setBusy] = useState("");
  const [job, setJob] = useState<number | null>(null);
  const [proposed, setProposed] = useState<{ of: string; repair: Repair } | null>(null);
  const { value: wrappers } = useLoaded([bench.site], () => api.wrappers(bench.site), [bench.version]);
  const { value: all } = useLoaded([bench.site], () => api.runs(bench.site), [bench.version]);
  const names = [...new Set((wrappers ?? []).map((one) => one.name))];
  const name = names.includes(named) ? named : names[names.length - 1] ?? "";
  const latest = (wrappers ?? []).filter((one) => one.name === name).reduce((most, one) => Math.max(most, one.version), 0);
  const runs = (all ?? []).filter((run) => run.wrapper === name && run.finished).reverse().slice(-MOST_RUNS);
  const run = runs.find((one) => one.id === chosen) ?? [...runs].reverse().find((one) => one.verdict !== null) ?? runs[runs.length - 1] ?? null;
  const { value: verdicts } = useLoaded([run?.id], () => (run ? api.verdicts(run.id) : Promise.resolve([])), [bench.version]);
  // the version of a run may have been removed since
  const { value: shown } = useLoaded([name, run?.wrapper_version, latest], () => (name && latest ? api.wrapper(bench.site, name, run?.wrapper_version || latest).catch(() => null) : Promise.resolve(null)));
  // a repair is of one version of one wrapper, whichever is looked at when it comes
  const current = `${name} ${latest}`, repair = proposed?.of === current ? proposed.repair : null;

  if (!names.length) return <p class="quiet">No wrappers yet: save one from a list or from labels.</p>;

  const work = async (words: string, what: () => Promise<void>) => {
    setBusy(words);
    bench.say(""); // the words of what was done before are over
    try { await what(); } catch (error) { bench.fail(error); }
    setBusy("");
    setJob(null);
  };
  // Long work: watched, and given up when somebody cancels it.
  const finished = async <T,>(started: Promise<{ job: number }>): Promise<T | null> => {
    const { job: id } = await started;
    setJob(id);
    const outcome = await bench.outcome<T>(id);
    if (!outcome) bench.say("Cancelled; nothing has changed");
    return outcome;
  };
  const check = () => work("Checking…", async () => {
    const verdict = await finished<Verdict>(api.verify(bench.site, name));
    if (!verdict) return;
    bench.say(`${name} ${SAID[verdict.verdict]}`);
    setChosen(verdict.run ?? null);
    await bench.refresh();
  });
  const propose = () => work("Looking for a repair…", async () => { const found = await finished<Repair>(api.repair(bench.site, name)); setProposed(found && { of: current, repair: found }); });
  const accept = () => work("Saving…", async () => {
    if (!repair?.wrapper) return;
    const site = bench.site, { version } = await api.saveWrapper(site, name, repair.wrapper, latest);
    setProposed(null);
    bench.didChange({ words: `repair of ${name}`, undo: async () => { await api.removeWrapper(site, name, version); } });
    bench.say(`${name} is now at version ${version}`);
  });
  const now = bench.jobs.find((one) => one.id === job);
  const pagesOf = (evidence: Evidence | null) => (evidence as { pages?: Drifting[] } | null)?.pages ?? [];
  // the records first, then what drifts, what has changed, and the rest
  const rank = (one: { field: string | null; verdict: string }) => (one.field === null ? 0 : isBad(one.verdict) ? 1 : isMild(one.verdict) ? 2 : 3);
  const fields = (verdicts ?? []).map((one) => ({ ...one, evidence: one.evidence as Evidence | null })).sort((a, b) => rank(a) - rank(b));

  return <div class="life-view">
    <div class="bar"><h1>Life of</h1>
      <label><span class="hidden">Wrapper</span><select value={name} onChange={(e) => setNamed(e.currentTarget.value)}>{names.map((one) => <option>{one}</option>)}</select></label>
      <span class="quiet">version {latest}, {plural(runs.length, "run")}</span>
      <button class="main" disabled={!!busy} onClick={() => void check()}>Check now</button>
      <button disabled={!!busy} onClick={() => void propose()}>Propose a repair</button>
      <span role="status" class="quiet">{busy}{now?.total ? ` ${now.done.toLocaleString("en")} of ${now.total.toLocaleString("en")}` : ""}</span>
      {job !== null && <><progress class="inline-progress" aria-label="Progress" {...(now?.total ? { value: now.done, max: now.total } : {})} /><CancelJob key={job} job={job} /></>}</div>
    {repair && <RepairPanel name={name} version={latest} repair={repair} pages={[...bench.pages].sort((a, b) => Number(bench.drifting.has(b.name)) - Number(bench.drifting.has(a.name))).slice(0, 20)} busy={!!busy} onAccept={() => void accept()} onRefuse={() => { setProposed(null); bench.say("The repair was refused; nothing has changed"); }} />}
    {runs.length > 0 ? <RunChart runs={runs} chosen={run?.id ?? null} onChoose={setChosen} /> : <p class="quiet">No runs yet. “Check now” makes one, and so does “Run on all pages” of a wrapper.</p>}
    {run && <div class="two">
      <section aria-label="Runs"><table class="overview"><caption>Runs, the newest first</caption>
        <thead><tr><th scope="col">Run</th><th scope="col">When</th><th scope="col" class="number">Version</th><th scope="col" class="number">Pages</th><th scope="col" class="number">Records</th><th scope="col">Verdict</th></tr></thead>
        <tbody>{[...runs].reverse().map((one) => <tr class={one.id === run.id ? "chosen" : ""}>
          <td><button class="plain" aria-current={one.id === run.id ? "true" : undefined} onClick={() => setChosen(one.id)}>{one.id}: {one.command}</button></td><td>{day(one.finished)}</td>
          <td class="number">{one.wrapper_version}</td><td class="number">{one.pages.toLocaleString("en")}</td><td class="number">{one.records.toLocaleString("en")}</td>
          <td class={toneOf(one.verdict) && `${toneOf(one.verdict)}-text`}>{one.verdict ?? "not checked"}</td></tr>)}</tbody></table></section>
      <section aria-label="What the check found"><h2>Run {run.id}: {run.verdict ?? "not checked"}</h2>
        {isMild(run.verdict) && <p>The pages are not quite as they were, and are still read: nothing is held back. If what is told below is not right, have a repair proposed or label a page.</p>}
        {fields.length > 0 && <ul class="evidence">{fields.map((one) => <li class={toneOf(one.verdict)}>
          <b>{one.field ?? "records"}</b> <span class={toneOf(one.verdict) ? `${toneOf(one.verdict)}-text` : "quiet"}>{one.evidence?.test === "none" ? "not known" : one.verdict}</span>
          {one.evidence?.words && <p>{one.evidence.words}</p>}
          {!!one.evidence?.examples?.length && <p class="quiet">now: {one.evidence.examples.map((example) => <code>{example}</code>)}</p>}
          {pagesOf(one.evidence).length > 0 && <details><summary>To be seen on {plural(pagesOf(one.evidence).length, "page")}</summary><ul class="drift-pages">{pagesOf(one.evidence).slice(0, MOST_PAGES).map((page) => <li>
            <button class="plain" onClick={() => { const to = bench.pages.find((at) => at.name === page.page); if (to) { bench.setPage(to); bench.setView("wrappers"); } }}>{page.page}</button> <small>{page.fields.filter(Boolean).join(", ")} {page.words}</small></li>)}</ul></details>}</li>)}</ul>}
        {shown?.profile && <details open={isBad(run.verdict) || isMild(run.verdict)}><summary>What it looked like when it was learnt</summary><pre class="rules" tabIndex={0} aria-label="The profile">{shown.profile}</pre></details>}
      </section>
    </div>}
    <CommandLine command={`thresh ${repair ? "repair" : "verify"} ${where(bench)} -w ${shell(name)}${repair ? ` -o ${shell(`${name}.json`)}` : ""}`} />
  </div>;
}
