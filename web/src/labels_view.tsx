// Labelling: click a value and take all that are like it, or name a field and click its value. After each label the
// extractor is learnt again and fills in the rest of this page and of the others. A wrong value is put right by clicking it.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, type Region, type Row, type Value } from "./api";
import { answeringOf, look } from "./answering";
import { inDispute, questionsFrom, type Question } from "./asking";
import { CommandLine, where } from "./command_line";
import { Downloads } from "./downloads";
import { columnsOption, given, withColumns } from "./columns";
import { FieldMenu } from "./field_menu";
import { FieldsBar } from "./fields_bar";
import { columnsOfLabels, labelFieldActions, useKinds } from "./label_fields";
import { fixingOf } from "./label_fixes";
import { HoverFrame, rowsOfRegions } from "./hover_frame";
import { LabelHint, SoftmealyHint } from "./label_hint";
import { correctValue, NEW, useLabelSession, type Session } from "./label_session";
import { columnOf, fieldsOf, sameRecord, valuesAt, type Labelled } from "./labelling";
import { MOST_PAGES, useLearning, type Learning } from "./learning";
import { isListPage } from "./list_guess";
import { CorrectionBox, OfferBox } from "./offer";
import { SourceView, type Box, type Mark, type Picked } from "./page_frame";
import { usePointing, type Offer } from "./point_session";
import { Questions } from "./questions";
import { SaveWrapper } from "./save_wrapper";
import { useLoaded } from "./state";
import { RecordTable } from "./table";
import { cell, colour, places, shell } from "./values";
import { number, t } from "./words/words";

const ENGINES = ["", "stalker", "softmealy"];

// What is marked on the page: what is asked about, what was found, what is labelled, and what a click would take.
function marksFor(session: Session, rows: Row[], asking: Question | undefined, offer: Offer | null): Mark[] {
  const { fields, page, records } = session, all: Mark[] = [];
  if (asking && asking.id === page?.id) {
    const spots = asking.kind === "new" ? [asking.text] : "choices" in asking ? inDispute(asking.choices) : [];
    const words = asking.kind === "new" ? t.labels.isData : t.labels.isThis;
    for (const { start, end } of spots) all.push({ start, end, colour: "hsl(4 70% 40%)", words, asked: true });
  }
  const put = (value: Value[], index: number, words: string) => { for (const place of value.flatMap(places)) all.push({ ...place, colour: colour(index), words }); };
  rows.forEach((record, at) => fields.forEach((field, index) => put(valuesAt(record, field), index, t.labels.mark(field, at + 1))));
  records.forEach((record) => fields.forEach((field, index) => put(valuesAt(record, field) as Value[], index, t.labels.labelled(field))));
  if (offer && offer.page === page?.id)
    for (const { spot } of offer.candidates[0]?.items ?? offer.picks) all.push({ start: spot.start, end: spot.end, colour: colour(fields.length), words: t.offer.preview(offer.name), hint: true });
  return all;
}

// The lists of pages, each looked for once.
function useRegions(): (page: number) => Promise<Region[]> {
  const known = useRef(new Map<number, Promise<Region[]>>());
  return (page) => {
    let asked = known.current.get(page);
    if (!asked) { known.current.set(page, (asked = api.regions(page, "auto", {}))); asked.catch(() => known.current.delete(page)); }
    return asked;
  };
}

function Bar(props: { session: Session; source: boolean; onSource: (on: boolean) => void; state: string }) {
  const { list, setList, engine, setEngine } = props.session;
  return <div class="bar"><h1>{t.labels.title}</h1>
    <fieldset class="inline"><legend class="hidden">{t.labels.records}</legend>
      <label><input type="radio" name="many" checked={!list} onChange={() => setList(false)} /> {t.labels.one}</label>
      <label><input type="radio" name="many" checked={list} onChange={() => setList(true)} /> {t.labels.list}</label>
    </fieldset>
    <label>{t.labels.engine} <select value={engine} onChange={(e) => setEngine(e.currentTarget.value)}>
      {ENGINES.map((one) => <option value={one}>{one || t.labels.best}</option>)}</select></label>
    <label><input type="checkbox" checked={props.source} onChange={(e) => props.onSource(e.currentTarget.checked)} /> {t.labels.source}</label>
    <span role="status" class="quiet learnt" title={props.state}>{props.state}</span>
  </div>;
}

// The records of all pages that were read, and what can be done with them.
function FoundRecords(props: { session: Session; learning: Learning; row: number; correct: (id: number, index: number, field: string) => void; onMenu: (field: string, box: Box) => void }) {
  const { session, learning, row } = props, { bench, fields, engine, body, lines } = session, result = learning.result!;
  const [name, setName] = useState("");
  const shown = `${result.of === learning.of} ${session.list}`; // labels that are newer than what was learnt are not shown yet
  const table = useMemo(() => result.found.flatMap((one) => learning.foundOn(one.id).map((record, index) => ({ record, id: one.id, index }))), [result, shown]);
  const all = columnsOfLabels(fields, lines), allAs = JSON.stringify(all), parts = new Set(all.flatMap((column) => column.parts ?? [])), columns = all.filter((column) => !parts.has(column.name));
  const empty = result.found.filter((one) => !learning.foundOn(one.id).length).length, rows = useMemo(() => given(table.map((one) => one.record), all, cell), [table, allAs]);
  const records = t.count.records(table.length), pages = t.count.pages(result.found.length), notes = result.learnt.notes;
  const bodyOption = engine === "softmealy" && body && lines?.length === 1 ? ` --body ${body.start}-${body.end}` : "";
  const wrapper = async () => withColumns(await learning.all(), all), chosen = all.some((column) => column.type || column.parts?.length) ? columnsOption(all) : "";
  const menuOf = (column: string, box: Box) => props.onMenu(fields.find((field) => columnOf(field) === column) ?? column, box);
  const move = (from: number, to: number) => {
    const field = fields.find((one) => columnOf(one) === columns[from]!.name), by = all.indexOf(columns[to]!) - all.indexOf(columns[from]!);
    if (field && by) labelFieldActions(session, field, { kinds: null, kind: "" }).move(by);
  };
  return <>
    <p role="status">{empty ? t.labels.foundNone(records, pages, empty) : t.labels.found(records, pages)} {t.labels.correctHint}</p>
    {notes.length > 0 && <details><summary>{t.count.notes(notes.length)}</summary><ul>{notes.map((note) => <li lang="en" dir="ltr">{note}</li>)}</ul></details>}
    <RecordTable rows={rows} columns={columns} label={t.labels.table} onCell={(index, field) => props.correct(table[index]!.id, table[index]!.index, field)} onMenu={menuOf} onMove={move}
      chosen={row >= 0 ? table.findIndex((one) => one.id === session.page?.id && one.index === row) : undefined} />
    <div class="bar">
      <SaveWrapper main wrapper={wrapper} onNamed={setName} />
      <Downloads name={name} rows={rows} columns={columns} wrapper={wrapper} />
    </div>
    {bench.pages.length > MOST_PAGES && <p class="quiet">{t.labels.some(MOST_PAGES, number(bench.pages.length))}</p>}
    {chosen === null ? <p class="quiet">{t.labels.saveFirst}</p>
      : <CommandLine command={`thresh learn ${where(bench)}${engine ? ` --engine ${engine}` : ""}${bodyOption}${chosen} --save ${shell(name || "NAME")}`} />}
  </>;
}

export function LabelsView() {
  const session = useLabelSession(), { bench, page, fields, lines, ignored, list, row } = session;
  const [source, setSource] = useState(false);
  const [menu, setMenu] = useState<{ field: string; box: Box } | null>(null); // the field that is being changed
  const kinds = useKinds(session, menu?.field ?? null);
  const openMenu = (field: string, box: Box) => { pointing.close(); setMenu({ field, box }); };
  const regionsOf = useRegions();
  // Where nothing is labelled yet, what the page looks like is preselected.
  const unlabelled = lines?.length === 0;
  useEffect(() => {
    if (!page || !unlabelled) return;
    let stale = false;
    regionsOf(page.id).then((regions) => isListPage(bench.site, page, bench.pages, regions)).then((is) => { if (!stale) session.guessList(is); }, () => {});
    return () => { stale = true; };
  }, [page?.id, unlabelled, bench.which]);
  const learning = useLearning(lines, { engine: session.engine, mend: session.mend, body: session.body, list });
  const { result, why } = learning, here = learning.foundOn(page?.id);
  const pointing = usePointing(session, here, regionsOf);
  // What is learnt anew may have more records, or fewer: the one that is being corrected is where it was.
  const rowAt = row && row.id === page?.id ? sameRecord(here, row.found, row.index) : -1, found = here[rowAt] ?? row?.found;
  const aside = JSON.stringify(ignored); // the same again is nothing new: large pages are slow to mark
  const questions = useMemo(() => !result?.doubts || !ignored ? null : questionsFrom(result.doubts, {
    found: new Map(result.found.map((one) => [one.id, learning.foundOn(one.id)])), pages: new Map(bench.pages.map((one) => [one.id, one.name])), fields, lines: lines ?? [], list, ignored: new Set(ignored), whole: result.learnt.wrapper.engine === "paths",
  }, page?.id), [result, aside, fields, session.labels, list, page?.id]);
  const asking = learning.learning ? undefined : questions?.[0];
  const { value: regions } = useLoaded([page?.id], () => (page ? regionsOf(page.id) : Promise.resolve([])).catch(() => []));
  const lists = useMemo(() => rowsOfRegions(regions), [regions]);
  const marks = useMemo(() => marksFor(session, here, asking, pointing.offer), [result, here.length, here[0], page?.id, session.labels, fields, asking, pointing.offer]);
  // Who answers questions is taken to the next text that is asked about.
  useEffect(() => { if (asking?.kind === "new" && session.following.current) look(session, asking); }, [asking?.kind === "new" ? asking.spot : ""]);

  if (!page) return <p class="quiet">{t.labels.addPage}</p>;
  const rowOf = (question: Question) => learning.foundOn(question.id)[question.row];
  const pick = (picking: Promise<Picked>, box: Box) => {
    if (session.marking) session.markBody(picking);
    else if (session.active === NEW) pointing.click(picking, box);
    else session.put(picking, rowAt >= 0 ? { found } : null);
  };
  const labelledFields = fieldsOf((lines ?? []).flatMap((line) => line.records as Labelled[]));
  const engine = result?.learnt.wrapper.engine ?? "";
  const state = learning.learning ? t.labels.learning : !result ? "" : result.doubts === undefined ? t.labels.looking(engine) : t.labels.learnt(engine);
  return <div class="labels-view">
    <Bar session={session} source={source} onSource={setSource} state={state} />
    <div class="split">
      <div class="left">{source ? <SourceView page={page.id} marks={marks} />
        : <HoverFrame lists={lists} of={regions} off={session.active !== NEW} page={page.id} marks={marks} grey={!!result} show={session.show} follow={page.id} onPick={pick} places={pointing.places} label={t.labels.page(page.name)} />}
        {pointing.offer && <OfferBox pointing={pointing} list={list} fields={fields} />}
        {pointing.correction && <CorrectionBox pointing={pointing} onMenu={openMenu} />}
        {menu && fields.includes(menu.field) && <FieldMenu key={menu.field} box={menu.box} actions={labelFieldActions(session, menu.field, kinds)} onClose={() => setMenu(null)} />}
      </div>
      <div class="right">
        <FieldsBar session={session} onMenu={openMenu} />
        <LabelHint session={session} row={rowAt} found={found} />
        {session.engine === "softmealy" && result && <SoftmealyHint session={session} wrapper={result.learnt.wrapper} />}
        {why && <div class="why" role="alert"><p lang="en" dir="ltr">{why.words}</p>{why.notes.length > 0 && <ul>{why.notes.map((note) => <li lang="en" dir="ltr">{note}</li>)}</ul>}</div>}
        {result && <>
          {result.doubts === null && !learning.learning && <p class="quiet" role="status">{t.questions.cannot}</p>}
          {questions && !learning.learning && <Questions questions={questions} wrong={result.learnt.wrong} differences={learning.differences} fix={fixingOf(session, learning)} labelled={labelledFields} asked={result.found.length} of={bench.pages.length} fields={fields}
            rowOf={rowOf} answer={answeringOf(session, rowOf)} focus={session.answered} />}
          <FoundRecords session={session} learning={learning} row={rowAt} onMenu={openMenu} correct={(id, index, field) => correctValue(session, id, index, learning.foundOn(id)[index], field)} />
        </>}
      </div>
    </div>
  </div>;
}
