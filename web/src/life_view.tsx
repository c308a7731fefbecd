// The life of an extractor: runs and verdicts over time, when it is checked, what drifts and how, its repair, and its
// versions.
import { useEffect, useRef, useState } from "preact/hooks";
import { api, type LastRun, type Proposal, type Repair, type Verdict, type Wrapper } from "./api";
import { toneOf, wordOf } from "./charts";
import { CommandLine, where } from "./command_line";
import { CompareRuns } from "./compare_runs";
import { losses } from "./connection";
import { CancelJob } from "./rail";
import { RepairPanel } from "./repair_panel";
import { RunChart } from "./run_chart";
import { SchedulePanel } from "./schedule_panel";
import { hasEnded, useLoaded, useWorkbench } from "./state";
import { day, shell } from "./values";
import { VerdictPanel } from "./verdict_panel";
import { VersionsPanel } from "./versions_panel";
import { number, t } from "./words/words";

const MOST_RUNS = 60; // in the chart

const AT_WORK: { [kind: string]: string } = { verify: t.life.checking, watch: t.life.fetching, repair: t.life.repairing };
const NO_PROPOSAL: Proposal = { job: null, state: null, current: false };

export function LifeView() {
  const bench = useWorkbench(), w = t.life;
  const [named, setNamed] = useState("");
  const [chosen, setChosen] = useState<number | null>(null);
  const head = useRef<HTMLHeadingElement>(null);
  const [asked, setAsked] = useState(""); // what was clicked, until it is a job or done
  const { value: wrappers } = useLoaded([bench.site], () => api.wrappers(bench.site), [bench.version]);
  const names = [...new Set((wrappers ?? []).map((one) => one.name))];
  const name = names.includes(named) ? named : names[names.length - 1] ?? "";
  const versions = (wrappers ?? []).filter((one) => one.name === name);
  const latest = versions.reduce((most, one) => Math.max(most, one.version), 0);
  const { value: all } = useLoaded([bench.site, name], () => (name ? api.history(bench.site, name, MOST_RUNS) : Promise.resolve([])), [bench.version]);
  const runs = [...(all ?? [])].reverse();
  const run = runs.find((one) => one.id === chosen) ?? [...runs].reverse().find((one) => one.verdict !== null) ?? runs[runs.length - 1] ?? null;
  // the version of a run may have been removed since
  const { value: shown } = useLoaded([name, run?.wrapper_version, latest], () => (name && latest ? api.wrapper(bench.site, name, run?.wrapper_version || latest).catch(() => null) : Promise.resolve(null)));
  // The server knows what is at work and what came of it, also when somebody comes back to this view.
  const jobs = bench.jobs.filter((one) => one.what["site"] === bench.site && one.what["wrapper"] === name && one.kind in AT_WORK);
  const now = jobs.find((one) => !hasEnded(one)), busy = now ? AT_WORK[now.kind]! : asked;
  const { value: kept, set: setKept } = useLoaded([bench.site, name, latest, bench.which], () => (name ? api.proposal(bench.site, name) : Promise.resolve(null)), [bench.version, jobs.map((one) => one.state).join()]);
  const current = kept?.state === "done" && kept.current ? kept.job : null;
  const { value: repair } = useLoaded<Repair | null>([bench.site, current], async () => (current === null ? null : ((await api.job(current)).result as Repair | undefined) ?? null));

  // A proposal goes with its server: one that was on the screen is looked for again.
  const proposed = useRef<{ of: string; losses: number } | null>(null), of = JSON.stringify([bench.site, name, latest, bench.which]);
  useEffect(() => {
    if (repair) proposed.current = { of, losses: losses() };
    else if (kept && kept.job === null && proposed.current?.of === of) {
      const again = proposed.current.losses !== losses();
      proposed.current = null;
      if (again) void propose();
    }
  }, [repair, kept, of]);

  if (!names.length) return <p class="quiet">{w.none}</p>;

  const work = async (words: string, what: () => Promise<void>) => {
    setAsked(words);
    bench.say(""); // the words of what was done before are over
    try { await what(); } catch (error) { bench.fail(error); }
    setAsked("");
  };
  // Long work: watched, and given up when somebody cancels it.
  const finished = async <T,>(start: () => Promise<{ job: number }>, kind: string): Promise<T | null> => {
    const job = await bench.began(start, kind, name);
    setAsked("");
    const outcome = await bench.outcome<T>(job);
    if (outcome === null) bench.say(w.cancelled);
    return outcome;
  };
  const check = () => work(w.checking, async () => {
    const verdict = await finished<Verdict>(() => api.verify(bench.site, name), "verify");
    if (!verdict) return;
    bench.say(w.said[verdict.verdict]?.(name) ?? name);
    setChosen(null); // the newest is shown
    await bench.refresh();
  });
  const fetchAndCheck = () => work(w.fetching, async () => {
    const came = await finished<LastRun>(() => api.monitor(bench.site, name), "watch");
    if (!came) return;
    bench.say(w.said[came.verdict]?.(name) ?? name);
    setChosen(null);
    await bench.refresh();
  });
  const propose = () => work(w.repairing, async () => { await finished<Repair>(() => api.repair(bench.site, name), "repair"); });
  // With the proposal goes the button that was pressed: the keyboard goes on from the top.
  const forget = async () => { await api.forgetProposal(bench.site, name); setKept(NO_PROPOSAL); head.current?.focus({ preventScroll: true }); };
  const save = async (wrapper: Wrapper, words: string, said: (version: number) => string) => {
    const site = bench.site, { version } = await api.saveWrapper(site, name, wrapper, latest);
    bench.didChange({ words, undo: async () => { await api.removeWrapper(site, name, version); } });
    bench.say(said(version));
  };
  const accept = () => work(w.saving, async () => {
    proposed.current = null;
    if (!repair?.wrapper) return;
    await save(repair.wrapper, w.repair(name), (version) => w.isNow(name, String(version)));
    await forget();
  });
  const refuse = (words: string) => work("", async () => { proposed.current = null; await forget(); bench.say(words); });
  const back = (to: number, wrapper: Wrapper) => work(w.saving, () => save(wrapper, w.returned(name, String(to)), (version) => w.isAgain(name, String(to), String(version))));
  const pages = [...bench.pages].sort((a, b) => Number(bench.drifting.has(b.name)) - Number(bench.drifting.has(a.name))).slice(0, 20);

  return <div class="life-view">
    <div class="bar"><h1 tabIndex={-1} ref={head}>{w.title}</h1>
      <label><span class="hidden">{w.extractor}</span><select value={name} onChange={(e) => setNamed(e.currentTarget.value)}>{names.map((one) => <option>{one}</option>)}</select></label>
      <span class="quiet">{w.about(number(latest), t.count.runs(runs.length))}</span>
      <button class="main" data-step="check" disabled={!!busy} title={w.checkHelp} onClick={() => void check()}>{w.check}</button>
      {bench.pages.some((page) => page.url || /^https?:/.test(page.name)) && <button disabled={!!busy} title={w.fetchHelp} onClick={() => void fetchAndCheck()}>{w.fetch}</button>}
      <button disabled={!!busy} onClick={() => void propose()}>{w.propose}</button>
      <span role="status" class="quiet">{busy ? (now?.total ? w.progressOf(busy, number(now.done), number(now.total)) : busy) : repair ? w.findings : ""}</span>
      {now && <><progress class="inline-progress" aria-label={w.progress} {...(now.total ? { value: now.done, max: now.total } : {})} /><CancelJob key={now.id} job={now.id} /></>}</div>
    {!busy && kept?.state === "done" && !kept.current && <p class="old-proposal">{w.otherPages} <button class="plain" onClick={() => void refuse(w.forgotten)}>{w.forget}</button>.</p>}
    {repair && current !== null && <RepairPanel key={current} name={name} version={latest} repair={repair} pages={pages} busy={!!busy} onAccept={() => void accept()} onRefuse={() => void refuse(w.refused)} />}
    {runs.length > 0 ? <RunChart runs={runs} chosen={run?.id ?? null} onChoose={setChosen} /> : <p class="quiet">{w.noRuns}</p>}
    {runs.length > 1 && <CompareRuns key={name} runs={runs} />}
    <div class="two">
      {run && <VerdictPanel run={run} latest={latest} wrapper={shown?.wrapper} profile={shown?.profile} />}
      <div>
        <SchedulePanel name={name} />
        {run && <section class="runs" aria-label={w.runs}><table class="overview"><caption>{w.caption}</caption>
          <thead><tr><th scope="col">{w.run}</th><th scope="col">{w.when}</th><th scope="col" class="number">{w.version}</th><th scope="col" class="number">{w.pages}</th><th scope="col" class="number">{w.records}</th><th scope="col">{w.verdict}</th></tr></thead>
          <tbody>{[...runs].reverse().map((one) => <tr class={one.id === run.id ? "chosen" : ""}>
            <td><button class="plain" aria-current={one.id === run.id ? "true" : undefined} onClick={() => setChosen(one.id)}>{w.one(one.id, w.commands[one.command] ?? one.command)}</button></td><td>{day(one.finished)}</td>
            <td class="number">{one.wrapper_version}</td><td class="number">{number(one.pages)}</td><td class="number">{number(one.records)}</td>
            <td class={toneOf(one.verdict) && `${toneOf(one.verdict)}-text`}>{wordOf(one.verdict)}</td></tr>)}</tbody></table></section>}
        <VersionsPanel name={name} versions={versions} busy={!!busy} onBack={(version, wrapper) => void back(version, wrapper)} />
      </div>
    </div>
    <CommandLine command={`thresh ${repair ? "repair" : "verify"} ${where(bench)} -w ${shell(name)}${repair ? ` -o ${shell(`${name}.json`)}` : ""}`} />
  </div>;
}
