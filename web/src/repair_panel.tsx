// A proposed repair beside the wrapper it would replace: what it gains and what it loses field by field,
// values before and after, the page, the rules.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, type Page, type Repair, type Row } from "./api";
import { columnsFor, marksOf } from "./lists_view";
import { pathOf, rowsOf, valuesAt } from "./labelling";
import { PageFrame } from "./page_frame";
import { useLoaded, useWorkbench } from "./state";
import { RecordTable } from "./table";
import { examplesOf } from "./verdict_panel";
import { listed, number, percent, t } from "./words/words";

interface Read { old: Row[]; now: Row[] }

// A field's path as checks write it, reviews[].who, as labels write it: reviews.who.
const fieldOf = (path: string) => path.replace(/\[\]\./g, ".");
const count = (read: Read[], path: string, which: keyof Read) => read.reduce((sum, page) => sum + page[which].reduce((all, row) => all + valuesAt(row, fieldOf(path)).length, 0), 0);

export function RepairPanel(props: { name: string; version: number; repair: Repair; pages: Page[]; busy: boolean; onAccept: () => void; onRefuse: () => void }) {
  const bench = useWorkbench(), w = t.repairPanel;
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
  const names = (fields: { field: string }[]) => listed(fields.map((field) => field.field));
  return <section class="repair" aria-label={w.title}>
    <div class="bar"><h2 tabIndex={-1} ref={head}>{repair.wrapper && lost.length ? w.loses(w.fields(lost.length)) : w.outcomes[repair.outcome] ?? repair.outcome}</h2>
      {repair.wrapper && <><button class="main" disabled={props.busy} onClick={props.onAccept}>{lost.length ? w.acceptWithout(number(props.version + 1), names(lost)) : w.accept(number(props.version + 1))}</button><button onClick={props.onRefuse}>{w.refuse}</button></>}
      {!repair.wrapper && <button onClick={props.onRefuse}>{w.close}</button>}</div>
    {lost.length > 0 && <p class="why" role="alert"><b class="bad-text">{w.lost}</b> {names(lost)}. {repair.wrapper ? w.noValue : w.noText}</p>}
    {gained.length > 0 && <p class="gain"><b>{w.foundAgain}</b> {names(gained)}</p>}
    {repair.fields.length > 0 && <table class="overview"><caption>{read ? w.captionOn(t.count.pages(read.length)) : w.caption}</caption>
      <thead><tr><th scope="col">{w.field}</th><th scope="col">{w.outcome}</th><th scope="col" class="number">{w.before}</th><th scope="col" class="number">{w.now}</th><th scope="col" class="number">{w.like}</th><th scope="col">{w.whenLearnt}</th><th scope="col">{w.valueNow}</th></tr></thead>
      <tbody>{repair.fields.map((field) => <tr class={field.outcome}><td>{field.field}</td><td data-is={w.outcome} class={field.outcome === "lost" ? "bad-text" : ""}>{w.becomes[field.outcome] ?? field.outcome}</td>
        <td data-is={w.before} class="number">{read ? number(count(read, field.field, "old")) : ""}</td><td data-is={w.now} class="number">{read ? number(count(read, field.field, "now")) : ""}</td>
        <td data-is={w.like} class="number">{percent(field.likeness)}</td><td data-is={w.shortLearnt} dir="auto">{examplesOf(old?.wrapper, field.field)[0] ?? ""}</td><td data-is={w.shortNow} dir="auto">{field.example ?? ""}</td></tr>)}</tbody></table>}
    {repair.wrapper && <>
      <p><label>{w.page} <select value={page?.id} onChange={(e) => setChosen(Number(e.currentTarget.value))}>{props.pages.map((one) => <option value={one.id}>{one.name}</option>)}</select></label></p>
      {page && <div class="before-after">
        <div><h3>{w.gives(number(props.version), t.count.records(value?.old.length ?? 0))}</h3><RecordTable rows={value?.old ?? []} columns={columns} label={w.tableBefore} /></div>
        <div><h3>{w.repairGives(t.count.records(value?.now.length ?? 0))}</h3><RecordTable rows={value?.now ?? []} columns={columns} label={w.tableAfter} /></div>
        <div class="page-now"><PageFrame page={page.id} marks={marks} follow={page.id} label={w.reads(page.name)} /></div>
      </div>}
      {repair.explain && old && <details><summary>{w.rules}</summary><div class="before-after">
        <div><h3>{w.version(number(props.version))}</h3><pre class="rules" tabIndex={0} aria-label={w.rulesOf(number(props.version))}>{old.explain}</pre></div>
        <div><h3>{w.repair}</h3><pre class="rules" tabIndex={0} aria-label={w.rulesOfRepair}>{repair.explain}</pre></div></div></details>}
    </>}
  </section>;
}
