// Labelling: click a value and take all that are like it, or name a field and click its value. After each label the
// extractor is learnt again and fills in the rest of this page and of the others. A wrong value is put right by clicking it.
import { useMemo, useRef, useState } from "preact/hooks";
import { api, type Region, type Row, type Value } from "./api";
import { answeringOf, look } from "./answering";
import { inDispute, questionsFrom, type Question } from "./asking";
import { CommandLine, where } from "./command_line";
import { Downloads } from "./downloads";
import { FieldsBar } from "./fields_bar";
import { LabelHint, SoftmealyHint } from "./label_hint";
import { correctValue, NEW, useLabelSession, type Session } from "./label_session";
import { columnOf, rowsOf, sameRecord, valuesAt } from "./labelling";
import { MOST_PAGES, useLearning, type Learning } from "./learning";
import { CorrectionBox, OfferBox } from "./offer";
import { PageFrame, SourceView, type Box, type Mark, type Picked } from "./page_frame";
import { usePointing, type Offer } from "./point_session";
import { Questions } from "./questions";
import { SaveWrapper } from "./save_wrapper";
import { useEffect } from "preact/hooks";
import { RecordTable } from "./table";
import { colour, places, shell } from "./values";
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
    for (const { spot } of offer.candidates[0]?.items ?? offer.picks) all.push({ start: spot.start, end: spot.end, colour: colour(fields.length), words: t.offer.preview(offer.name) });
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
function Found(props: { session: Session; learning: Learning; row: number; correct: (id: number, index: number, field: string) => void }) {
  const { session, learning, row } = props, { bench, fields, engine, body, lines } = session, result = learning.result!;
  const [name, setName] = useState("");
  const table = result.found.flatMap((one) => rowsOf(one.found).map((record, index) => ({ record, id: one.id, index })));
  const columns = [...new Set(fields.map(columnOf))].map((column) => ({ name: column, as: column, on: true, colour: colour(fields.findIndex((field) => columnOf(field) === column)) }));
  const empty = result.found.filter((one) => rowsOf(one.found).length === 0).length, rows = table.map((one) => one.record);
  const records = t.count.records(table.length), pages = t.count.pages(result.found.length), notes = result.learnt.notes;
  const bodyOption = engine === "softmealy" && body && lines?.length === 1 ? ` --body ${body.start}-${body.end}` : "";
  return <>
    <p role="status">{empty ? t.labels.foundNone(records, pages, empty) : t.labels.found(records, pages)} {t.labels.correctHint}</p>
    {notes.length > 0 && <details><summary>{t.count.notes(notes.length)}</summary><ul>{notes.map((note) => <li lang="en" dir="ltr">{note}</li>)}</ul></details>}
    <RecordTable rows={rows} columns={columns} label={t.labels.table} onCell={(index, field) => props.correct(table[index]!.id, table[index]!.index, field)}
      chosen={row >= 0 ? table.findIndex((one) => one.id === session.page?.id && one.index === row) : undefined} />
    <div class="bar">
      <SaveWrapper main wrapper={learning.all} onNamed={setName} />
      <Downloads name={bench.site} rows={rows} columns={columns} wrapper={learning.all} />
    </div>
    {bench.pages.length > MOST_PAGES && <p class="quiet">{t.labels.some(MOST_PAGES, number(bench.pages.length))}</p>}
    <CommandLine command={`thresh learn ${where(bench)}${engine ? ` --engine ${engine}` : ""}${bodyOption} --save ${shell(name || "NAME")}`} />
  </>;
}

export function LabelsView() {
  const session = useLabelSession(), { bench, page, fields, lines, ignored, list, row } = session;
  const [source, setSource] = useState(false);
  const regionsOf = useRegions();
  const learning = useLearning(lines, { engine: session.engine, mend: session.mend, body: session.body, list });
  const { result, why } = learning, here = learning.foundOn(page?.id);
  const pointing = usePointing(session, here, regionsOf);
  // What is learnt anew may have more records, or fewer: the one that is being corrected is where it was.
  const rowAt = row && row.id === page?.id ? sameRecord(here, row.found, row.index) : -1, found = here[rowAt] ?? row?.found;
  const aside = JSON.stringify(ignored); // the same again is nothing new: large pages are slow to mark
  const questions = useMemo(() => !result?.doubts || !ignored ? null : questionsFrom(result.doubts, {
    found: new Map(result.found.map((one) => [one.id, rowsOf(one.found)])), fields, lines: lines ?? [], list, ignored: new Set(ignored), whole: result.learnt.wrapper.engine === "paths",
  }, page?.id), [result, aside, fields, session.labels, list, page?.id]);
  const asking = learning.learning ? undefined : questions?.[0];
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
  const engine = result?.learnt.wrapper.engine ?? "";
  const state = learning.learning ? t.labels.learning : !result ? "" : result.doubts === undefined ? t.labels.looking(engine) : t.labels.learnt(engine);
  return <div class="labels-view">
    <Bar session={session} source={source} onSource={setSource} state={state} />
    <div class="split">
      <div class="left">{source ? <SourceView page={page.id} marks={marks} />
        : <PageFrame page={page.id} marks={marks} grey={!!result} show={session.show} follow={page.id} onPick={pick} places={pointing.places} label={t.labels.page(page.name)} />}
        {pointing.offer && <OfferBox pointing={pointing} list={list} fields={fields} />}
        {pointing.correction && <CorrectionBox pointing={pointing} />}
      </div>
      <div class="right">
        <FieldsBar session={session} />
        <LabelHint session={session} row={rowAt} found={found} />
        {session.engine === "softmealy" && result && <SoftmealyHint session={session} wrapper={result.learnt.wrapper} />}
        {why && <div class="why" role="alert"><p lang="en" dir="ltr">{why.words}</p>{why.notes.length > 0 && <ul>{why.notes.map((note) => <li lang="en" dir="ltr">{note}</li>)}</ul>}</div>}
        {result && <>
          {questions && !learning.learning && <Questions questions={questions} wrong={result.learnt.wrong} asked={result.found.length} of={bench.pages.length} fields={fields}
            rowOf={rowOf} answer={answeringOf(session, rowOf)} focus={session.answered} />}
          <Found session={session} learning={learning} row={rowAt} correct={(id, index, field) => correctValue(session, id, index, learning.foundOn(id)[index], field)} />
        </>}
      </div>
    </div>
  </div>;
}
