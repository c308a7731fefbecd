// The records of a run: sorted, filtered, taken away.
import { useEffect, useMemo, useState } from "preact/hooks";
import { api, type Row } from "./api";
import { CommandLine } from "./command_line";
import { Downloads } from "./downloads";
import { columnsFor } from "./lists_view";
import { useLoaded, useWorkbench } from "./state";
import { RecordTable } from "./table";
import { day, plural, shell } from "./values";

const BATCH = 20_000;

export function RecordsView() {
  const bench = useWorkbench();
  const [chosen, setChosen] = useState<number | null>(null);
  const [read, setRead] = useState<{ run: number; rows: Row[] } | null>(null);
  const { value: runs } = useLoaded([bench.site], () => api.runs(bench.site), [bench.version]);
  const done = runs?.filter((run) => run.finished && run.records > 0) ?? [];
  const run = done.find((one) => one.id === chosen) ?? done[0];
  const rows = useMemo(() => (read && read.run === run?.id ? read.rows : []), [read, run?.id]);

  useEffect(() => {
    let stale = false;
    (async () => {
      for (let from = 0; run && from < run.records && !stale; from += BATCH) {
        const batch = (await api.records(run.id, from, BATCH)).map((one) => one.record);
        if (!stale) setRead((all) => ({ run: run.id, rows: from === 0 ? batch : [...all!.rows, ...batch] }));
      }
    })().catch(bench.fail);
    return () => { stale = true; };
  }, [run?.id]);
  const columns = useMemo(() => columnsFor(rows), [rows]);
  if (!run) {
    const empty = (runs ?? []).filter((one) => one.finished).length;
    return <p class="quiet">{empty ? `${plural(empty, "run")}, and none gave a record: the pages may be of another kind, or have changed. ` : "No records yet: run a wrapper on the pages of the site. "}
      <button onClick={() => bench.setView(empty ? "life" : "wrappers")}>{empty ? "Life" : "Wrappers"}</button></p>;
  }
  return <div class="records-view">
    <div class="bar"><h1>Records</h1>
      <label>Run <select value={run.id} onChange={(e) => setChosen(Number(e.currentTarget.value))}>
        {done.map((one) => <option value={one.id}>{one.id}: {one.wrapper ?? one.command}, {day(one.finished)}, {plural(one.records, "record")}</option>)}</select></label>
      <Downloads name={run.wrapper ?? bench.site} rows={rows} columns={columns} wrapper={run.wrapper ?? undefined} version={run.wrapper_version || undefined} />
    </div>
    <RecordTable rows={rows} columns={columns} sortable label="Records of the run" />
    <CommandLine command={`thresh project records ${shell(bench.project)} ${run.id}`} />
  </div>;
}
