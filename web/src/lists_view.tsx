// The pattern viewer: every list found on a page, ranked, with its records below and on the page.
import { useMemo, useState } from "preact/hooks";
import { api, type Knobs, type Region, type Row, type Wrapper } from "./api";
import type { Anchor } from "./beside";
import { columnsOption, given, moved, partsOf, withColumns } from "./columns";
import { CommandLine, pageInto, wrapperOn } from "./command_line";
import { Downloads } from "./downloads";
import { HowFound } from "./how_found";
import { asOptions, ENGINES, KnobBar, turned } from "./knobs";
import { FieldMenu } from "./field_menu";
import { HoverFrame } from "./hover_frame";
import { labelsOf, listColumnActions, useListColumns, useListKinds, withKinds, type ListColumn } from "./list_columns";
import { SourceView, type Box, type Mark, type Picked } from "./page_frame";
import { patternsOf } from "./rules";
import { SaveWrapper } from "./save_wrapper";
import { useLoaded, useWorkbench } from "./state";
import { RecordTable, type Column } from "./table";
import { cell, colour, columnsOf, places } from "./values";
import { t } from "./words/words";

export function marksOf(rows: Row[], columns: Column[], chosen?: number): Mark[] {
  const marks: Mark[] = [];
  rows.forEach((row, number) => {
    let first = Infinity, last = 0;
    columns.forEach((column, index) => {
      if (!column.on) return;
      for (const place of places(row[column.name] ?? null)) {
        marks.push({ ...place, colour: colour(index), words: t.lists.mark(column.as, number + 1) });
        first = Math.min(first, place.start);
        last = Math.max(last, place.end);
      }
    });
    if (last && (chosen === undefined || chosen === number))
      marks.push({ start: first, end: last, colour: chosen === number ? "hsl(0 80% 45%)" : "hsl(210 10% 55%)", words: t.lists.record(number + 1), record: true });
  });
  return marks;
}

export const columnsFor = (rows: Row[]): Column[] =>
  columnsOf(rows).map((name) => ({ name, as: name, on: rows.some((row) => cell(row[name] ?? null) !== "") }));

const taste = (region: Region) =>
  Object.values(region.records[0] ?? {}).map((value) => cell(value)).filter(Boolean).slice(0, 3).join(" · ").slice(0, 90);

const aboutRegion = ({ engine, score, confidence }: Region) =>
  confidence === undefined ? t.lists.about(engine, score.toFixed(1)) : t.lists.sure(engine, score.toFixed(1), Math.round(confidence * 100));

// What was found, and how it was asked for: until a newer answer is there, all that is shown is of this one.
interface Answer { engine: string; knobs: Knobs; regions: Region[] }

export function ListsView() {
  const bench = useWorkbench();
  const page = bench.page;
  const [engine, setEngine] = useState("auto");
  const [knobs, setKnobs] = useState<Knobs>({});
  const [picked, setPicked] = useState<{ of: Answer; index: number } | null>(null);
  const [menu, setMenu] = useState<{ of: Region; column: string; box: Box; anchor?: Anchor } | null>(null); // the column that is being changed
  const [pointed, setPointed] = useState<{ rows: Row[]; index: number } | null>(null); // the record that somebody points at
  const [source, setSource] = useState(false);
  const [grey, setGrey] = useState(false);
  const [saved, setSaved] = useState<{ of: Region; name: string; columns: string } | null>(null);
  const [tried, setTried] = useState<{ of: Region; id: number } | null>(null); // the other page that it is tried on
  const set = turned(engine, knobs), how = JSON.stringify(set);
  const { value: answer, loading } = useLoaded<Answer>([page?.id], async () => ({ engine, knobs: set, regions: page ? await api.regions(page.id, engine, set) : [] }), [engine, how]);
  const regions = answer?.regions ?? null, pick = picked && picked.of === answer ? picked.index : 0;
  const region = regions?.[pick] ?? null;
  const shown = useMemo(() => (region ? columnsFor(region.records) : []), [region]);
  const { columns, set: setColumns } = useListColumns(bench, `${bench.site} ${page?.id} ${answer?.engine} ${how} ${pick}`, shown);
  const kinds = columns.filter((column) => column.kind).map((column) => `${column.name} ${column.kind}`).join(), parts = partsOf(columns);
  const menuOf = menu && menu.of === region ? columns.find((column) => column.name === menu.column) : undefined;
  const known = useListKinds(bench, page?.id, region, menuOf);
  // The wrapper of the list at hand: for its pattern, for other pages and for keeping.
  // Columns that are attributes are learnt from the records as labels.
  const learn = async () => kinds ? (await api.learn(bench.site, { pages: [page!.id], labels: labelsOf(page!.name, withKinds(region!.records, columns), columns) })).wrapper : (await api.learn(bench.site, { engine: answer!.engine, pages: [page!.id], pick: pick + 1, labels: [] }, answer!.knobs)).wrapper;
  const { value: learnt } = useLoaded([region, kinds], () => (page && region ? learn().catch(() => null) : Promise.resolve(null)));
  const triedOn = tried && tried.of === region ? tried.id : null;
  const { value: other } = useLoaded([region, triedOn, kinds], async () => {
    if (triedOn === null) return null;
    const [given] = await api.extract(bench.site, learnt ?? (await learn()), [triedOn]);
    return { id: triedOn, rows: given?.found.records ?? [] };
  });
  const rows = useMemo(() => other?.rows ?? withKinds(region?.records ?? [], columns), [other, region, kinds]);
  const chosen = pointed?.rows === rows ? pointed.index : undefined;
  const [led, setLed] = useState<{ of: Row[]; start: number; end: number } | null>(null); // what "How it was found" leads to
  const lead = led?.of === rows ? led : null;
  const marks = useMemo(() => [...marksOf(rows, columns, chosen).filter((mark) => !lead || !mark.record), ...(lead ? [{ start: lead.start, end: lead.end, colour: "hsl(0 80% 45%)", words: "", record: true }] : [])], [rows, columns, chosen, lead]);

  const show = useMemo(() => { const byte = Math.min(...Object.values(rows[chosen ?? -1] ?? {}).flatMap(places).map((place) => place.start)); return lead ? { byte: lead.start } : Number.isFinite(byte) ? { byte } : null; }, [rows, chosen, lead]);

  const lists = useMemo(() => [region?.records ?? [], ...(regions ?? []).filter((one) => one !== region).map((one) => one.records)], [regions, region]);

  if (!page) return <p class="quiet">{t.lists.addPage}</p>;
  const visible = columns.filter((column) => !parts.has(column.name)), joined = given(rows, columns, cell);
  const edit = (next: Column[]) => {
    const changedOne = next.find((column) => { const before = columns.find((one) => one.name === column.name); return before?.as !== column.as || before?.on !== column.on; });
    setColumns(columns.map((column) => (next.find((one) => one.name === column.name) as ListColumn | undefined) ?? column), t.fieldMenu.shown(changedOne?.as ?? ""));
  };
  // A click on a value chooses the list that it is in, and opens the menu of its column.
  const point = (picking: Promise<Picked>, box: Box) => void picking.then((picked) => {
    for (const one of [region, ...(regions ?? []).filter((each) => each !== region)]) {
      const index = one?.records.findIndex((row) => Object.values(row).flatMap(places).some((place) => place.start < picked.end && picked.start < place.end)) ?? -1;
      const column = one && index >= 0 ? Object.entries(one.records[index]!).find(([, value]) => places(value).some((place) => place.start < picked.end && picked.start < place.end))?.[0] : undefined;
      if (!one || !column) continue;
      setPicked({ of: answer!, index: regions!.indexOf(one) });
      const frame = document.querySelector<HTMLElement>(".frame-box iframe");
      setMenu({ of: one, column, box, ...(frame ? { anchor: { follow: () => box, frame } } : {}) });
      return;
    }
    bench.say(t.lists.inNone);
  }).catch(bench.fail);
  const wrapper = async (): Promise<Wrapper> => withColumns(learnt ?? (await learn()), columns);
  const patterns = learnt ? patternsOf(learnt) : [];
  // What is on the screen as a command: the list, or what a wrapper of it gives on the page that it was
  // tried on; columns that were chosen or named are the wrapper's.
  const shownAs = JSON.stringify(columns), changed = columns.some((column) => (!column.on && region?.records.some((row) => cell(row[column.name] ?? null) !== "")) || column.as !== column.name || column.type || column.parts?.length || column.kind) || columns.some((column, i) => column.name !== shown[i]?.name);
  const on = other ? bench.pages.find((one) => one.id === other.id)?.name ?? page.name : page.name;
  const options = answer ? asOptions(answer.engine, answer.knobs) : "", kept = saved && saved.of === region && saved.columns === shownAs ? saved.name : null;
  const chosenColumns = kinds || !changed ? null : columnsOption(columns);
  const command = changed && kept === null && chosenColumns !== null
    ? `${pageInto(bench, page.name, `thresh learn -q${options} --pick ${pick + 1}${chosenColumns} -o list.json`)} && ${pageInto(bench, on, "thresh extract -w list.json")}`
    : changed ? (kept !== null ? wrapperOn(bench, kept, on) : null)
    : kept !== null && other ? wrapperOn(bench, kept, on)
      : other ? `${pageInto(bench, page.name, `thresh learn -q${options} --pick ${pick + 1} -o list.json`)} && ${pageInto(bench, on, "thresh extract -w list.json")}`
        : pageInto(bench, page.name, `thresh records${options}${pick ? ` --pick ${pick + 1}` : ""}`);

  return <div class="lists-view">
    <div class="bar">
      <h1>{t.lists.title}</h1>
      <label>{t.lists.engine} <select value={engine} onChange={(e) => { setEngine(e.currentTarget.value); setKnobs({}); }}>
        {ENGINES.map((one) => <option value={one.name}>{one.words}</option>)}</select></label>
      <KnobBar engine={engine} knobs={knobs} onChange={setKnobs} />
      <label><input type="checkbox" checked={grey} onChange={(e) => setGrey(e.currentTarget.checked)} /> {t.lists.grey}</label>
      <label><input type="checkbox" checked={source} onChange={(e) => setSource(e.currentTarget.checked)} /> {t.lists.source}</label>
    </div>
    <div class="split">
      <div class="left">{source ? <SourceView page={other?.id ?? page.id} marks={marks} /> : <HoverFrame lists={lists} of={lists} off={!!other} page={other?.id ?? page.id} marks={marks} grey={grey} follow={other ?? region ?? undefined} show={show} onPick={other ? undefined : point} label={t.lists.page(page.name)} />}
        {menu && menuOf && region && <FieldMenu key={menu.column} box={menu.box} anchor={menu.anchor} actions={listColumnActions(bench, page.id, region, columns, setColumns, menu.column, known.kinds)} onClose={() => setMenu(null)} />}
      </div>
      <div class="right">
        <p role="status" class="quiet one-line">{loading ? t.lists.looking : !regions?.length ? "" : regions.length > 1 ? t.lists.best(t.count.lists(regions.length)) : t.count.lists(regions.length)}</p>
        {!loading && regions?.length === 0 && <p>{Object.keys(set).length ? t.lists.noneWith : t.lists.none} <button onClick={() => bench.setView("labels")}>{t.lists.label}</button></p>}
        {!!regions?.length && <ol class="candidates" aria-label={t.lists.all}>{regions.map((one, index) => <li>
          <button class={index === pick ? "chosen" : ""} aria-pressed={index === pick} onClick={() => setPicked({ of: answer!, index })}>
            <b>{t.count.records(one.records.length)}</b> <small>{aboutRegion(one)}</small>
            <span>{taste(one)}</span>
          </button></li>)}</ol>}
        {region && <>
          {patterns.length > 0 && <p class="pattern"><span>{t.lists.pattern}</span> {patterns.map((pattern) => <code tabIndex={0}>{pattern}</code>)}</p>}
          <HowFound engine={answer!.engine} knobs={answer!.knobs} page={page.id} patterns={patterns} onShow={(place) => setLed({ of: rows, start: place.start, end: place.end })} />
          <div class="bar">
            <Downloads name={bench.site} rows={joined} columns={visible} wrapper={wrapper} />
            <SaveWrapper wrapper={wrapper} onSaved={(name) => setSaved({ of: region, name, columns: shownAs })} />
            {bench.pages.length > 1 && <label>{t.lists.tryOn} <select value={triedOn ?? ""} onChange={(e) => setTried(e.currentTarget.value ? { of: region, id: Number(e.currentTarget.value) } : null)}>
              <option value="">{t.lists.thisPage}</option>{bench.pages.filter((one) => one.id !== page.id).slice(0, 200).map((one) => <option value={one.id}>{one.name}</option>)}</select></label>}
          </div>
          {other && <p role="status">{t.lists.on(t.count.records(rows.length), bench.pages.find((one) => one.id === other.id)?.name ?? "")}</p>}
          <RecordTable rows={joined} columns={visible} onColumns={edit} onMenu={(column, box) => setMenu({ of: region, column, box })} onMove={(from, to) => setColumns(moved(columns, columns.indexOf(visible[from]!), columns.indexOf(visible[to]!)), t.fieldMenu.moved(visible[from]!.as))} onRow={(index) => { setLed(null); setPointed(chosen === index ? null : { rows, index }); }} chosen={chosen} label={t.lists.records} />
          {command ? <CommandLine command={command} /> : <p class="quiet">{t.lists.saveFirst}</p>}
        </>}
      </div>
    </div>
  </div>;
}
