// The pattern viewer: every list found on a page, ranked, with its records below and on the page.
import { useEffect, useMemo, useState } from "preact/hooks";
import { api, type Region, type Row, type Wrapper } from "./api";
import { CommandLine } from "./command_line";
import { PageFrame, SourceView, type Mark } from "./page_frame";
import { useLoaded, useWorkbench } from "./state";
import { RecordTable, type Column } from "./table";
import { cell, colour, columnsOf, download, places, shell, toCsv, toJson } from "./values";

const ENGINES = [
  { name: "auto", words: "auto: what fits best" },
  { name: "mdr", words: "MDR: alike neighbours" },
  { name: "iepad", words: "IEPAD: repeated patterns" },
];

export function marksOf(rows: Row[], columns: Column[], chosen?: number): Mark[] {
  const marks: Mark[] = [];
  rows.forEach((row, number) => {
    const all: { start: number; end: number }[] = [];
    columns.forEach((column, index) => {
      if (!column.on) return;
      for (const place of places(row[column.name] ?? null)) {
        marks.push({ ...place, colour: colour(index), words: `${column.as}, record ${number + 1}` });
        all.push(place);
      }
    });
    if (all.length && (chosen === undefined || chosen === number))
      marks.push({ start: Math.min(...all.map((p) => p.start)), end: Math.max(...all.map((p) => p.end)), colour: chosen === number ? "hsl(0 80% 45%)" : "hsl(210 10% 55%)", words: `record ${number + 1}`, record: true });
  });
  return marks;
}

export const columnsFor = (rows: Row[]): Column[] =>
  columnsOf(rows).map((name) => ({ name, as: name, on: rows.some((row) => cell(row[name] ?? null) !== "") }));

export function ListsView() {
  const bench = useWorkbench();
  const page = bench.page;
  const [engine, setEngine] = useState("auto");
  const [paper, setPaper] = useState(false);
  const [pick, setPick] = useState(0);
  const [columns, setColumns] = useState<Column[]>([]);
  const [chosen, setChosen] = useState<number | undefined>();
  const [source, setSource] = useState(false);
  const [name, setName] = useState("");
  const [learnt, setLearnt] = useState<Wrapper | null>(null);
  const [other, setOther] = useState<{ id: number; rows: Row[] } | null>(null);
  const { value: regions, loading } = useLoaded<Region[]>(
    () => (page ? api.regions(page.id, { engine, paper: paper && engine !== "auto" }) : Promise.resolve([])), [page?.id, engine, paper]);
  const region = regions?.[pick] ?? null;
  const rows = other?.rows ?? region?.records ?? [];

  useEffect(() => setPick(0), [page?.id, engine, paper]);
  useEffect(() => { setColumns(region ? columnsFor(region.records) : []); setChosen(undefined); setOther(null); setLearnt(null); }, [region]);
  const marks = useMemo(() => marksOf(rows, columns, chosen), [rows, columns, chosen]);

  if (!page) return <p class="quiet">Add a page first.</p>;
  const on = columns.filter((column) => column.on);
  const command = `thresh ${engine === "auto" && pick === 0 ? "" : "regions "}${engine === "auto" ? "" : `--engine ${engine} `}${paper && engine !== "auto" ? "--paper " : ""}${shell(page.name)}`;
  const wrapper = async (): Promise<Wrapper> => learnt ?? (await api.learn(bench.site, { engine, pages: [page.id], pick: pick + 1, labels: [] })).wrapper;
  const save = async () => {
    try {
      const made = await wrapper();
      setLearnt(made);
      const { version } = await api.saveWrapper(bench.site, name.trim(), made);
      bench.say(`Saved as ${name.trim()}, version ${version}`);
      await bench.refresh();
    } catch (error) { bench.fail(error); }
  };
  const tryOn = async (id: number) => {
    try {
      const made = await wrapper();
      setLearnt(made);
      const [answer] = await api.extract(bench.site, made, [id]);
      setOther({ id, rows: answer?.found.records ?? [] });
    } catch (error) { bench.fail(error); }
  };

  return <div class="lists-view">
    <div class="bar">
      <h1>Lists on this page</h1>
      <label>Engine <select value={engine} onChange={(e) => setEngine(e.currentTarget.value)}>
        {ENGINES.map((one) => <option value={one.name}>{one.words}</option>)}</select></label>
      {engine !== "auto" && <label><input type="checkbox" checked={paper} onChange={(e) => setPaper(e.currentTarget.checked)} /> as published</label>}
      <label><input type="checkbox" checked={source} onChange={(e) => setSource(e.currentTarget.checked)} /> source</label>
    </div>
    <div class="split">
      <div class="left">{source ? <SourceView page={other?.id ?? page.id} marks={marks} /> : <PageFrame page={other?.id ?? page.id} marks={marks} label={`The page ${page.name}`} />}</div>
      <div class="right">
        {loading && <p role="status" class="quiet">Looking for lists…</p>}
        {!loading && regions?.length === 0 && <p role="status">No list of records was found on this page. Label a value or two instead: <button onClick={() => bench.setView("labels")}>Label</button></p>}
        {!!regions?.length && <ol class="candidates" aria-label="Lists, the best first">{regions.map((one, index) => <li>
          <button class={index === pick ? "chosen" : ""} aria-pressed={index === pick} onClick={() => setPick(index)}>
            <b>{one.records.length} records</b> <small>{one.engine}, score {one.score.toFixed(1)}</small>
            <span>{Object.values(one.records[0] ?? {}).map((value) => cell(value)).filter(Boolean).slice(0, 3).join(" · ").slice(0, 90)}</span>
          </button></li>)}</ol>}
        {region && <>
          <div class="bar">
            <button class="main" onClick={() => download(`${bench.site}.csv`, toCsv(rows, on), "text/csv")}>Download CSV</button>
            <button onClick={() => download(`${bench.site}.json`, toJson(rows, on, false), "application/json")}>JSON</button>
            <button onClick={() => download(`${bench.site}.ndjson`, toJson(rows, on, true), "application/x-ndjson")}>NDJSON</button>
            <form onSubmit={(e) => { e.preventDefault(); void save(); }}>
              <input aria-label="Name of the wrapper" placeholder="Name" size={10} value={name} onInput={(e) => setName(e.currentTarget.value)} />
              <button type="submit" disabled={!name.trim()}>Save as wrapper</button>
            </form>
            {bench.pages.length > 1 && <label>Try on <select value={other?.id ?? ""} onChange={(e) => e.currentTarget.value ? void tryOn(Number(e.currentTarget.value)) : setOther(null)}>
              <option value="">this page</option>{bench.pages.filter((one) => one.id !== page.id).slice(0, 200).map((one) => <option value={one.id}>{one.name}</option>)}</select></label>}
          </div>
          <RecordTable rows={rows} columns={columns} onColumns={setColumns} onRow={(index) => setChosen(chosen === index ? undefined : index)} chosen={chosen} label="Records" />
          <CommandLine command={command} />
        </>}
      </div>
    </div>
  </div>;
}
