// The records of a run: sorted, filtered, taken away.
import { useEffect, useMemo, useState } from "preact/hooks";
import { api, type Row } from "./api";
import { ColumnsPanel } from "./columns_panel";
import { CommandLine } from "./command_line";
import { Downloads } from "./downloads";
import { columnsFor } from "./lists_view";
import { RecordPage, type Shown } from "./record_page";
import { hasEnded, useLoaded, useWorkbench } from "./state";
import { RecordTable } from "./table";
import { day, shell } from "./values";
import { number, t } from "./words/words";

const BATCH = 20_000;

export function RecordsView() {
  const bench = useWorkbench();
  const [chosen, setChosen] = useState<number | null>(null);
  const [read, setRead] = useState<{ run: number; rows: Row[]; pages: string[] } | null>(null);
  // A run that is under way, or has ended but is not in the list yet, is not what is shown: that is said.
  const jobs = bench.jobs.filter((job) => job.kind === "extract" && job.what["site"] === bench.site), last = jobs[jobs.length - 1];
  const over = jobs.filter(hasEnded).map((job) => job.id).join();
  const { value: known } = useLoaded([bench.site], async () => ({ over, runs: await api.runs(bench.site) }), [bench.version, over]);
  const runs = known?.runs ?? null, running = last && (!hasEnded(last) || (last.state === "done" && known?.over !== over)) ? last : null;
  const far = !running ? "" : running.total ? t.records.runningOf(String(running.what["wrapper"]), number(running.done), number(running.total)) : t.records.running(String(running.what["wrapper"]));
  const done = runs?.filter((run) => run.finished && run.records > 0) ?? [];
  const run = done.find((one) => one.id === chosen) ?? done[0];
  const rows = useMemo(() => (read && read.run === run?.id ? read.rows : []), [read, run?.id]);

  useEffect(() => {
    let stale = false;
    (async () => {
      for (let from = 0; run && from < run.records && !stale; from += BATCH) {
        const batch = await api.records(run.id, from, BATCH), more = batch.map((one) => one.record), on = batch.map((one) => one.page);
        if (!stale) setRead((all) => (from === 0 ? { run: run.id, rows: more, pages: on } : { run: run.id, rows: [...all!.rows, ...more], pages: [...all!.pages, ...on] }));
      }
    })().catch(bench.fail);
    return () => { stale = true; };
  }, [run?.id]);
  const columns = useMemo(() => columnsFor(rows), [rows]);
  const { value: survey } = useLoaded([run?.id], () => (run ? api.columns(run.id) : Promise.resolve(null)));
  // The record or page that somebody looks at, with where it stands in the table.
  const [looked, setLooked] = useState<{ run: number; shown: Shown; show: { index: number } | null } | null>(null);
  const look = looked && looked.run === run?.id ? looked : null;
  const lookAt = (record: number, field: string | null, bring = true) => {
    const page = read?.pages[record];
    if (!run || page === undefined) return;
    setLooked({ run: run.id, shown: { page, record: record - read!.pages.indexOf(page), number: record, field }, show: bring ? { index: record } : null });
  };
  const lookAtPage = (page: string, field: string) => {
    const first = read?.pages.indexOf(page) ?? -1;
    if (run) setLooked({ run: run.id, shown: { page, record: null, number: null, field }, show: first >= 0 ? { index: first } : null });
  };
  const silent = useMemo(() => { const names = new Set(read?.pages); return read?.rows.length === run?.records ? bench.pages.map((one) => one.name).filter((name) => !names.has(name)) : []; }, [read, run?.records, bench.pages]);
  const newer = chosen === null && run ? runs!.find((one) => one.finished && one.id > run.id) : undefined; // it gave no record
  if (!run && running) return <p class="quiet" role="status">{far}</p>;
  if (!run) {
    const empty = (runs ?? []).filter((one) => one.finished).length;
    return <p class="quiet">{empty ? t.records.noneFound(t.count.runs(empty)) : t.records.none} <button onClick={() => bench.setView(empty ? "life" : "wrappers")}>{empty ? t.views.life : t.views.wrappers}</button></p>;
  }
  return <div class="records-view">
    <div class="bar"><h1>{t.records.title}</h1>
      <label>{t.records.run} <select value={run.id} onChange={(e) => setChosen(Number(e.currentTarget.value))}>
        {done.map((one) => <option value={one.id}>{t.records.option(one.id, one.wrapper ?? one.command, day(one.finished), t.count.records(one.records))}</option>)}</select></label>
      <Downloads name={run.wrapper ?? bench.site} rows={rows} columns={columns} wrapper={run.wrapper ?? undefined} version={run.wrapper_version || undefined} />
    </div>
    <p role="status" class={running || newer ? "earlier" : "hidden"}>{running ? `${far}. ${t.records.earlier(run.id, day(run.finished))}`
      : newer ? `${t.records.gaveNone(newer.id, newer.command + (newer.wrapper ? `, ${newer.wrapper}` : ""))} ${t.records.earlier(run.id, day(run.finished))}` : ""}</p>
    {survey && <ColumnsPanel survey={survey} pages={run.pages} silent={silent} onRecord={lookAt} onPage={lookAtPage} />}
    <div class={`results ${look ? "split" : ""}`}>
    <RecordTable rows={rows} columns={columns} sortable chosen={look?.shown.number ?? undefined} show={look?.show} onRow={(index) => lookAt(index, null, false)} label={running ? t.records.labelEarlier : t.records.label} />
    {look && <RecordPage shown={look.shown} wrapper={run.wrapper} version={run.wrapper_version} onClose={() => setLooked(null)} />}
    </div>
    <CommandLine command={`thresh project records ${shell(bench.project)} ${run.id}`} />
  </div>;
}
