// The life of a wrapper: runs and verdicts over time, what drifts and how, its repair, and its versions.
import { useRef, useState } from "preact/hooks";
import { api, type Proposal, type Repair, type Verdict, type Word, type Wrapper } from "./api";
import { RunChart, toneOf } from "./charts";
import { CommandLine, where } from "./command_line";
import { CancelJob } from "./rail";
import { RepairPanel } from "./repair_panel";
import { hasEnded, useLoaded, useWorkbench } from "./state";
import { day, plural, shell } from "./values";
import { VerdictPanel } from "./verdict_panel";
import { VersionsPanel } from "./versions_panel";

const MOST_RUNS = 60; // in the chart

const SAID: { [word in Word]: string } = { fine: "is fine", changed: "still reads its pages, which have changed", drift: "drifts" };
const AT_WORK: { [kind: string]: string } = { verify: "Checking…", repair: "Looking for a repair…" };
const NO_PROPOSAL: Proposal = { job: null, state: null, current: false };

export function LifeView() {
  const bench = useWorkbench();
  const [named, setNamed] = useState("");
  const [chosen, setChosen] = useState<number | null>(null);
  const head = useRef<HTMLHeadingElement>(null);
  const [asked, setAsked] = useState(""); // what was clicked, until it is a job or done
  const { value: wrappers } = useLoaded([bench.site], () => api.wrappers(bench.site), [bench.version]);
  const { value: all } = useLoaded([bench.site], () => api.runs(bench.site), [bench.version]);
  const names = [...new Set((wrappers ?? []).map((one) => one.name))];
  const name = names.includes(named) ? named : names[names.length - 1] ?? "";
  const versions = (wrappers ?? []).filter((one) => one.name === name);
  const latest = versions.reduce((most, one) => Math.max(most, one.version), 0);
  const runs = (all ?? []).filter((run) => run.wrapper === name && run.finished).reverse().slice(-MOST_RUNS);
  const run = runs.find((one) => one.id === chosen) ?? [...runs].reverse().find((one) => one.verdict !== null) ?? runs[runs.length - 1] ?? null;
  // the version of a run may have been removed since
  const { value: shown } = useLoaded([name, run?.wrapper_version, latest], () => (name && latest ? api.wrapper(bench.site, name, run?.wrapper_version || latest).catch(() => null) : Promise.resolve(null)));
  // The server knows what is at work and what came of it, also when somebody comes back to this view.
  const jobs = bench.jobs.filter((one) => one.what["site"] === bench.site && one.what["wrapper"] === name && one.kind in AT_WORK);
  const now = jobs.find((one) => !hasEnded(one)), busy = now ? AT_WORK[now.kind]! : asked;
  const { value: kept, set: setKept } = useLoaded([bench.site, name, latest, bench.which], () => (name ? api.proposal(bench.site, name) : Promise.resolve(null)), [bench.version, jobs.map((one) => one.state).join()]);
  const current = kept?.state === "done" && kept.current ? kept.job : null;
  const { value: repair } = useLoaded<Repair | null>([bench.site, current], async () => (current === null ? null : ((await api.job(current)).result as Repair | undefined) ?? null));

  if (!names.length) return <p class="quiet">No wrappers yet: save one from a list or from labels.</p>;

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
    if (!outcome) bench.say("Cancelled; nothing has changed");
    return outcome;
  };
  const check = () => work("Checking…", async () => {
    const verdict = await finished<Verdict>(() => api.verify(bench.site, name), "verify");
    if (!verdict) return;
    bench.say(`${name} ${SAID[verdict.verdict]}`);
    setChosen(verdict.run ?? null);
    await bench.refresh();
  });
  const propose = () => work("Looking for a repair…", async () => { await finished<Repair>(() => api.repair(bench.site, name), "repair"); });
  // With the proposal goes the button that was pressed: the keyboard goes on from the top.
  const forget = async () => { await api.forgetProposal(bench.site, name); setKept(NO_PROPOSAL); head.current?.focus({ preventScroll: true }); };
  const save = async (wrapper: Wrapper, words: string, said: (version: number) => string) => {
    const site = bench.site, { version } = await api.saveWrapper(site, name, wrapper, latest);
    bench.didChange({ words, undo: async () => { await api.removeWrapper(site, name, version); } });
    bench.say(said(version));
  };
  const accept = () => work("Saving…", async () => {
    if (!repair?.wrapper) return;
    await save(repair.wrapper, `repair of ${name}`, (version) => `${name} is now at version ${version}`);
    await forget();
  });
  const refuse = (words: string) => work("", async () => { await forget(); bench.say(words); });
  const back = (to: number, wrapper: Wrapper) => work("Saving…", () => save(wrapper, `return of ${name} to version ${to}`, (version) => `${name} is again what version ${to} was, as version ${version}`));
  const pages = [...bench.pages].sort((a, b) => Number(bench.drifting.has(b.name)) - Number(bench.drifting.has(a.name))).slice(0, 20);

  return <div class="life-view">
    <div class="bar"><h1 tabIndex={-1} ref={head}>Monitor</h1>
      <label><span class="hidden">Wrapper</span><select value={name} onChange={(e) => setNamed(e.currentTarget.value)}>{names.map((one) => <option>{one}</option>)}</select></label>
      <span class="quiet">version {latest}, {plural(runs.length, "run")}</span>
      <button class="main" data-step="check" disabled={!!busy} onClick={() => void check()}>Check now</button>
      <button disabled={!!busy} onClick={() => void propose()}>Propose a repair</button>
      <span role="status" class="quiet">{busy ? `${busy}${now?.total ? ` ${now.done.toLocaleString("en")} of ${now.total.toLocaleString("en")}` : ""}` : repair ? "The findings are below." : ""}</span>
      {now && <><progress class="inline-progress" aria-label="Progress" {...(now.total ? { value: now.done, max: now.total } : {})} /><CancelJob key={now.id} job={now.id} /></>}</div>
    {!busy && kept?.state === "done" && !kept.current && <p class="old-proposal">This proposal was made for other pages or another version. Propose a repair again, or <button class="plain" onClick={() => void refuse("The old proposal is forgotten")}>forget it</button>.</p>}
    {repair && current !== null && <RepairPanel key={current} name={name} version={latest} repair={repair} pages={pages} busy={!!busy} onAccept={() => void accept()} onRefuse={() => void refuse("The repair was refused; nothing has changed")} />}
    {runs.length > 0 ? <RunChart runs={runs} chosen={run?.id ?? null} onChoose={setChosen} /> : <p class="quiet">No runs yet. “Check now” makes one, and so does “Run on all pages” of a wrapper.</p>}
    <div class="two">
      {run && <VerdictPanel run={run} latest={latest} wrapper={shown?.wrapper} profile={shown?.profile} />}
      <div>
        {run && <section aria-label="Runs"><table class="overview"><caption>Runs, the newest first</caption>
          <thead><tr><th scope="col">Run</th><th scope="col">When</th><th scope="col" class="number">Version</th><th scope="col" class="number">Pages</th><th scope="col" class="number">Records</th><th scope="col">Verdict</th></tr></thead>
          <tbody>{[...runs].reverse().map((one) => <tr class={one.id === run.id ? "chosen" : ""}>
            <td><button class="plain" aria-current={one.id === run.id ? "true" : undefined} onClick={() => setChosen(one.id)}>{one.id}: {one.command}</button></td><td>{day(one.finished)}</td>
            <td class="number">{one.wrapper_version}</td><td class="number">{one.pages.toLocaleString("en")}</td><td class="number">{one.records.toLocaleString("en")}</td>
            <td class={toneOf(one.verdict) && `${toneOf(one.verdict)}-text`}>{one.verdict ?? "not checked"}</td></tr>)}</tbody></table></section>}
        <VersionsPanel name={name} versions={versions} busy={!!busy} onBack={(version, wrapper) => void back(version, wrapper)} />
      </div>
    </div>
    <CommandLine command={`thresh ${repair ? "repair" : "verify"} ${where(bench)} -w ${shell(name)}${repair ? ` -o ${shell(`${name}.json`)}` : ""}`} />
  </div>;
}
