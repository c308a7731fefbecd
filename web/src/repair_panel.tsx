// A proposed repair beside the wrapper it would replace: what it gains and what it loses field by field,
// values before and after, the page, the rules.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, type Page, type Repair, type Row } from "./api";
import { columnsFor, marksOf } from "./lists_view";
import { pathOf, rowsOf, valuesAt } from "./labelling";
import { PageFrame } from "./page_frame";
import { useLoaded, useWorkbench } from "./state";
import { RecordTable } from "./table";
import { plural } from "./values";
import { examplesOf } from "./verdict_panel";

const BECOMES: { [outcome: string]: string } = { kept: "unchanged", repaired: "found again", lost: "lost" };
const OUTCOMES: { [outcome: string]: string } = { fine: "Nothing is broken: there is nothing to repair.", repaired: "A repair was found and passes the check.", broken: "No repair that passes was found." };

interface Read { old: Row[]; now: Row[] }

// A field's path as checks write it, reviews[].who, as labels write it: reviews.who.
const fieldOf = (path: string) => path.replace(/\[\]\./g, ".");
const count = (read: Read[], path: string, which: keyof Read) => read.reduce((sum, page) => sum + page[which].reduce((all, row) => all + valuesAt(row, fieldOf(path)).length, 0), 0);

export function RepairPanel(props: { name: string; version: number; repair: Repair; pages: Page[]; busy: boolean; onAccept: () => void; onRefuse: () => void }) {
  const bench = useWorkbench();
  const { repair } = props;
  const [chosen, setChosen] = useState<number | null>(null);
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => { if (document.activeElement === document.body) head.current?.focus({ preventScroll: true }); }, []); // unless somebody is at something else by now
  const ids = props.pages.map((one) => one.id);
  const shown = Math.max(0, ids.indexOf(chosen ?? -1)), page = props.pages[shown]; // their order changes with what drifts
  const { value: read } = useLoaded([ids.join(), repair], async (): Promise<Read[] | null> => {
    if (!ids.length || !repair.wrapper) return null;
    const old = await api.extract(bench.site, props.name, ids, props.version), now = await api.extract(bench.site, repair.wrapper, ids);
    return ids.map((_, index) => ({ old: rowsOf(old[index]?.found), now: rowsOf(now[index]?.found) }));
  });
  const { value: old } = useLoaded([bench.site, props.name, props.version], () => api.wrapper(bench.site, props.name, props.version));
  const value = read?.[shown];
  // both tables have the same columns: what is lost leaves an empty one
  const columns = useMemo(() => {
    const names = new Set([...columnsFor([...(value?.old ?? []), ...(value?.now ?? [])]).map((column) => column.name), ...repair.fields.map((field) => { const { lists, name } = pathOf(fieldOf(field.field)); return lists[0] ?? name; })]);
    return [...names].map((name) => ({ name, as: name, on: true }));
  }, [value, repair]);
  const marks = useMemo(() => marksOf(value?.now ?? [], columns), [value, columns]);
  const lost = repair.fields.filter((field) => field.outcome === "lost"), gained = repair.fields.filter((field) => field.outcome === "repaired");
  const names = (fields: { field: string }[]) => fields.map((field) => field.field).join(", ");
  return <section class="repair" aria-label="The proposed repair">
    <div class="bar"><h2 tabIndex={-1} ref={head}>{repair.wrapper && lost.length ? `A repair was found that loses ${plural(lost.length, "field")}.` : OUTCOMES[repair.outcome] ?? repair.outcome}</h2>
      {repair.wrapper && <><button class="main" disabled={props.busy} onClick={props.onAccept}>Accept as version {props.version + 1}{lost.length ? `, without ${names(lost)}` : ""}</button><button onClick={props.onRefuse}>Refuse</button></>}
      {!repair.wrapper && <button onClick={props.onRefuse}>Close</button>}</div>
    {lost.length > 0 && <p class="why" role="alert"><b class="bad-text">Lost:</b> {names(lost)}. {repair.wrapper ? "The repair gives no value for it, whatever the pages have." : "No text on the pages looks like it."}</p>}
    {gained.length > 0 && <p class="gain"><b>Found again:</b> {names(gained)}</p>}
    {repair.fields.length > 0 && <table class="overview"><caption>What becomes of the fields{read ? `, on ${plural(read.length, "page")}` : ""}</caption>
      <thead><tr><th scope="col">Field</th><th scope="col">Outcome</th><th scope="col" class="number">Values before</th><th scope="col" class="number">Values now</th><th scope="col" class="number">Like before</th><th scope="col">A value when learnt</th><th scope="col">A value now</th></tr></thead>
      <tbody>{repair.fields.map((field) => <tr class={field.outcome}><td>{field.field}</td><td data-is="Outcome" class={field.outcome === "lost" ? "bad-text" : ""}>{BECOMES[field.outcome] ?? field.outcome}</td>
        <td data-is="Values before" class="number">{read ? count(read, field.field, "old").toLocaleString("en") : ""}</td><td data-is="Values now" class="number">{read ? count(read, field.field, "now").toLocaleString("en") : ""}</td>
        <td data-is="Like before" class="number">{Math.round(field.likeness * 100)}%</td><td data-is="When learnt" dir="auto">{examplesOf(old?.wrapper, field.field)[0] ?? ""}</td><td data-is="Now" dir="auto">{field.example ?? ""}</td></tr>)}</tbody></table>}
    {repair.wrapper && <>
      <p><label>Page <select value={page?.id} onChange={(e) => setChosen(Number(e.currentTarget.value))}>{props.pages.map((one) => <option value={one.id}>{one.name}</option>)}</select></label></p>
      {page && <div class="before-after">
        <div><h3>Version {props.version} gives {plural(value?.old.length ?? 0, "record")}</h3><RecordTable rows={value?.old ?? []} columns={columns} label="Before" /></div>
        <div><h3>The repair gives {plural(value?.now.length ?? 0, "record")}</h3><RecordTable rows={value?.now ?? []} columns={columns} label="After" /></div>
        <div class="page-now"><PageFrame page={page.id} marks={marks} follow={page.id} label={`The page ${page.name}, as the repair reads it`} /></div>
      </div>}
      {repair.explain && old && <details><summary>The rules before and after</summary><div class="before-after">
        <div><h3>Version {props.version}</h3><pre class="rules" tabIndex={0} aria-label={`The rules of version ${props.version}`}>{old.explain}</pre></div>
        <div><h3>The repair</h3><pre class="rules" tabIndex={0} aria-label="The rules of the repair">{repair.explain}</pre></div></div></details>}
    </>}
  </section>;
}
