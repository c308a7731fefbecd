// A proposed repair beside the wrapper it would replace: fields, values before and after, the page.
import { useMemo, useState } from "preact/hooks";
import { api, type Page, type Repair, type Row } from "./api";
import { columnsFor, marksOf } from "./lists_view";
import { rowsOf } from "./labelling";
import { PageFrame } from "./page_frame";
import { useLoaded, useWorkbench } from "./state";
import { RecordTable } from "./table";
import { plural } from "./values";

const OUTCOMES = { fine: "Nothing is broken: there is nothing to repair.", repaired: "A repair was found and passes the check.", broken: "No repair that passes was found." };

export function RepairPanel(props: { name: string; version: number; repair: Repair; pages: Page[]; onAccept: () => void; onRefuse: () => void }) {
  const bench = useWorkbench();
  const { repair } = props;
  const [shown, setShown] = useState(0);
  const page = props.pages[shown];
  const { value } = useLoaded(async (): Promise<{ old: Row[]; now: Row[] } | null> => {
    if (!page || !repair.wrapper) return null;
    const [old] = await api.extract(bench.site, props.name, [page.id], props.version);
    const [now] = await api.extract(bench.site, repair.wrapper, [page.id]);
    return { old: rowsOf(old?.found), now: rowsOf(now?.found) };
  }, [page?.id, repair]);
  const columns = useMemo(() => columnsFor(value?.now ?? []).map((column) => ({ ...column, on: true })), [value]);
  const marks = useMemo(() => marksOf(value?.now ?? [], columns), [value, columns]);
  return <section class="repair" aria-label="The proposed repair">
    <div class="bar"><h2>{OUTCOMES[repair.outcome]}</h2>
      {repair.wrapper && <><button class="main" onClick={props.onAccept}>Accept as version {props.version + 1}</button><button onClick={props.onRefuse}>Refuse</button></>}
      {!repair.wrapper && <button onClick={props.onRefuse}>Close</button>}</div>
    {repair.fields.length > 0 && <table class="overview"><caption>What becomes of the fields</caption>
      <thead><tr><th scope="col">Field</th><th scope="col">Outcome</th><th scope="col" class="number">Like before</th><th scope="col">A value now</th></tr></thead>
      <tbody>{repair.fields.map((field) => <tr><td>{field.field}</td><td class={field.outcome === "lost" ? "bad-text" : ""}>{field.outcome}</td>
        <td class="number">{Math.round(field.likeness * 100)}%</td><td>{field.example ?? ""}</td></tr>)}</tbody></table>}
    {repair.wrapper && <>
      <p><label>Page <select value={shown} onChange={(e) => setShown(Number(e.currentTarget.value))}>{props.pages.map((one, index) => <option value={index}>{one.name}</option>)}</select></label></p>
      {page && <div class="before-after">
        <div><h3>Version {props.version} gives {plural(value?.old.length ?? 0, "record")}</h3><RecordTable rows={value?.old ?? []} columns={columns} label="Before" /></div>
        <div><h3>The repair gives {plural(value?.now.length ?? 0, "record")}</h3><RecordTable rows={value?.now ?? []} columns={columns} label="After" /></div>
        <div class="page-now"><PageFrame page={page.id} marks={marks} label={`The page ${page.name}, as the repair reads it`} /></div>
      </div>}
    </>}
  </section>;
}
