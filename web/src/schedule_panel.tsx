// When an extractor is checked by itself, who is told when it drifts, and what came of it; and how to do the same
// without the workbench.
import { useEffect, useState } from "preact/hooks";
import { api, type AlarmTold, type LastRun, type Schedule, type Schedules } from "./api";
import { toneOf, wordOf } from "./charts";
import { hasEnded, useLoaded, useWorkbench } from "./state";
import { day, shell } from "./values";
import { t } from "./words/words";

const UNITS = { minutes: 60, hours: 3600, days: 86400 } as const;
type Unit = keyof typeof UNITS;
interface Form { daily: boolean; every: string; unit: Unit; at: string; webhook: string; command: string }
const FRESH: Form = { daily: true, every: "6", unit: "hours", at: "06:00", webhook: "", command: "" };

function formOf(one: Schedule | undefined): Form {
  if (!one) return FRESH;
  const unit: Unit = one.every && one.every % UNITS.days === 0 ? "days" : one.every && one.every % UNITS.hours === 0 ? "hours" : "minutes";
  return { daily: one.at !== null, every: one.every ? String(Math.max(1, Math.round(one.every / UNITS[unit]))) : FRESH.every, unit: one.every ? unit : FRESH.unit, at: one.at ?? FRESH.at, webhook: one.webhook ?? "", command: one.command ?? "" };
}

// The five times of a line of cron. Cron has no "every 90 minutes": the nearest that it can do.
export function cronTimes(form: Pick<Form, "daily" | "every" | "unit" | "at">): string {
  const [hour, minute] = form.at.split(":").map(Number);
  const every = Math.max(1, Math.round(Number(form.every)) || 1);
  if (form.daily) return `${minute ?? 0} ${hour ?? 0} * * *`;
  if (form.unit === "days") return `0 6 */${Math.min(31, every)} * *`;
  const minutes = every * (form.unit === "hours" ? 60 : 1);
  if (minutes < 60) return `*/${minutes} * * * *`;
  return `0 */${Math.min(23, Math.round(minutes / 60))} * * *`;
}

// The command that does what a scheduled run does. The URLs are those that were added with their next pages; then all
// others are followed, too, which is as good as not where they have none.
export function monitorCommand(known: Schedules, site: string, name: string, sources: { url: string; pages: number; render: boolean }[], pages: string[], webhook: string | null = null): string {
  const urls = sources.length ? sources.map((one) => one.url) : pages;
  const words = ["thresh", "monitor", "--project", known.project, ...(site === "default" ? [] : ["--site", site]), "-w", name,
    ...known.options, ...(sources.some((one) => one.render) && !known.options.includes("--render") ? ["--render"] : []),
    ...(sources.length ? ["--follow", String(Math.max(...sources.map((one) => one.pages)))] : []), ...(webhook ? ["--webhook", webhook] : []), "--", ...urls];
  return words.map(shell).join(" ");
}

// In a crontab a percent sign ends the line, unless it is escaped.
export const cronLine = (times: string, command: string) => `${times} ${command.replaceAll("%", "\\%")}`;

function Last(props: { last: LastRun }) {
  const { last } = props, w = t.schedule;
  if (last.verdict === "cancelled") return <p>{w.lastCancelled}</p>;
  return <>
    <p class={toneOf(last.verdict) && `${toneOf(last.verdict)}-text`} dir="auto">{last.verdict === "failed" ? w.lastFailed(day(last.date), last.words ?? "") : w.last(day(last.date), wordOf(last.verdict), t.count.records(last.records ?? 0))}</p>
    {!!last.missed && <p>{w.missed(last.missed)}</p>}
    {last.pages !== undefined && <p class="quiet">{w.fetched(t.fetchAgain.changed(last.changed ?? 0), t.fetchAgain.same(last.same ?? 0), w.failed(last.failures ?? 0))}</p>}
  </>;
}

function Alarm(props: { alarm: AlarmTold }) {
  const { alarm } = props, w = t.schedule;
  return <div class="alarm"><p>{(alarm.test ? w.testAt : w.alarmAt)(day(alarm.date))}</p>
    <ul>{alarm.sent.map((one) => { const what = (one.ok ? w.sent : w.notSent)[one.kind] ?? one.kind; return <li class={one.ok ? "" : "bad-text"} dir="auto">{one.words ? w.outcome(what, one.words) : what}</li>; })}</ul></div>;
}

export function SchedulePanel(props: { name: string }) {
  const bench = useWorkbench(), w = t.schedule, { name } = props, site = bench.site;
  const watching = bench.jobs.filter((job) => (job.kind === "watch" || job.kind === "alarm") && job.what["site"] === site).map((job) => `${job.id} ${job.state}`).join();
  const { value: known, set } = useLoaded([site], () => api.schedules(site), [bench.version, watching]);
  const { value: origin } = useLoaded([site], () => api.sources(site), [bench.which]);
  const now = known?.schedules.find((one) => one.wrapper === name);
  const stored = JSON.stringify(formOf(now));
  const [form, setForm] = useState<Form>(FRESH), [dirty, setDirty] = useState(false), [wrong, setWrong] = useState("");
  useEffect(() => { if (!dirty) setForm(formOf(now)); }, [stored, name, known !== null]);
  useEffect(() => { setDirty(false); setWrong(""); setForm(formOf(now)); }, [name]);
  const edit = (more: Partial<Form>) => { setForm((old) => ({ ...old, ...more })); setDirty(true); setWrong(""); };
  const sending = bench.jobs.some((job) => job.kind === "alarm" && job.what["site"] === site && job.what["wrapper"] === name && !hasEnded(job));
  const urls = bench.pages.map((page) => (/^https?:/.test(page.name) ? page.name : page.url)).filter((url): url is string => !!url);
  if (!known) return null;

  const put = (one: Schedule | undefined) => (one
    ? api.setSchedule(site, { wrapper: name, every: one.at === null ? one.every : undefined, at: one.at ?? undefined, paused: one.paused, webhook: one.webhook ?? "", command: one.command ?? "" })
    : api.removeSchedule(site, name));
  // What is changed, and put back by undoing, is what is stored by then: another window may have been quicker.
  const change = (to: (before: Schedule | undefined) => Schedule | undefined, words: string) => bench.change(async () => {
    const before = (await api.schedules(site).catch(() => known)).schedules.find((one) => one.wrapper === name);
    await put(to(before));
    set(await api.schedules(site));
    setDirty(false);
    bench.say(words);
    return { words: w.undo(name), undo: async () => { await put(before); } };
  });
  const asAsked = (): Schedule => ({ wrapper: name, every: form.daily ? 0 : Math.round(Number(form.every)) * UNITS[form.unit], at: form.daily ? form.at : null, paused: false, next: "", webhook: form.webhook.trim() || null, command: form.command.trim() || null, last: null, alarm: null, running: false });
  const save = () => {
    if (form.webhook.trim() && !/^https?:\/\//i.test(form.webhook.trim())) { setWrong(w.notUrl); return; }
    if (!form.daily && !(Math.round(Number(form.every)) >= 1)) { setWrong(w.tooOften); return; }
    const asked = asAsked();
    void change(() => asked, w.saved(name));
  };
  const test = () => { bench.began(() => api.testAlarm(site, name), "alarm", name).then((job) => bench.outcome(job)).catch(bench.fail); };
  const command = monitorCommand(known, site, name, origin?.sources ?? [], urls, form.webhook.trim() || null), line = cronLine(cronTimes(form), command);
  const copy = () => navigator.clipboard.writeText(line).then(() => bench.say(t.commandLine.copied), bench.fail);

  return <section class="schedule" aria-label={w.title}>
    <h2>{w.title}</h2>
    <p class="quiet">{w.about}</p>
    {!urls.length ? <p>{w.noUrls}</p> : <>
      <form noValidate onSubmit={(e) => { e.preventDefault(); save(); }}>
        <fieldset class="inline"><legend class="hidden">{w.how}</legend>
          <label><input type="radio" name="how" checked={form.daily} onChange={() => edit({ daily: true })} /> {w.daily}</label>
          <input type="time" aria-label={w.at} value={form.at} required disabled={!form.daily} onInput={(e) => edit({ at: e.currentTarget.value || form.at })} />
          <label><input type="radio" name="how" checked={!form.daily} onChange={() => edit({ daily: false })} /> {w.every}</label>
          <input type="number" aria-label={w.every} min={1} max={1000} value={form.every} disabled={form.daily} onInput={(e) => edit({ every: e.currentTarget.value })} />
          <select aria-label={w.unit} value={form.unit} disabled={form.daily} onChange={(e) => edit({ unit: e.currentTarget.value as Unit })}>
            {(Object.keys(UNITS) as Unit[]).map((unit) => <option value={unit}>{w[unit]}</option>)}</select></fieldset>
        <label class="line">{w.webhook} <input type="url" value={form.webhook} placeholder="https://example.org/alarm" aria-describedby="webhook-help" onInput={(e) => edit({ webhook: e.currentTarget.value })} /></label>
        <small id="webhook-help" class="quiet">{w.webhookHelp}</small>
        {known.allow_commands ? <><label class="line">{w.command} <input value={form.command} dir="ltr" spellcheck={false} aria-describedby="command-help" onInput={(e) => edit({ command: e.currentTarget.value })} /></label>
          <small id="command-help" class="quiet">{w.commandHelp}</small></> : <small class="quiet">{w.noCommands}</small>}
        {wrong && <p class="bad-text" role="alert">{wrong}</p>}
        <p class="note">{w.must}</p>
        <div class="bar"><button type="submit" class={now ? "" : "main"} disabled={!!now && !dirty}>{now ? w.change : w.save}</button>
          {now && <><button type="button" onClick={() => void change((before) => before && { ...before, paused: !now.paused }, now.paused ? w.saved(name) : w.paused(name))}>{now.paused ? w.resume : w.pause}</button>
            <button type="button" onClick={() => void change(() => undefined, w.removed(name))}>{w.remove}</button>
            <button type="button" disabled={sending || dirty || (!now.webhook && !now.command)} onClick={test}>{sending ? w.testing : w.test}</button></>}</div>
      </form>
      <div role="status" class="came">
        {!now && <p>{w.none}</p>}
        {now && <p>{now.paused ? w.isPaused : now.running ? w.running : w.next(day(now.next))}</p>}
        {now?.last && <Last last={now.last} />}
        {now?.alarm && <Alarm alarm={now.alarm} />}
      </div>
      <details><summary>{w.cron}</summary><p>{w.cronAbout}</p>
        <p class="cron"><code tabIndex={0} dir="ltr" translate={false}>{line}</code> <button onClick={() => void copy()}>{w.copyCron}</button></p></details>
    </>}
  </section>;
}
