// Labelling: name a field, click its value; after each label the wrapper is learnt anew and fills in
// the rest of this page and of the others. A wrong value is put right by clicking the right one.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, ApiError, type Doubtful, type Found, type LabelLine, type Learnt, type Row, type Value, type Wrapper } from "./api";
import { doubtsOf, inDispute, questionsFrom, type Question } from "./asking";
import { CommandLine, where } from "./command_line";
import { Downloads } from "./downloads";
import { FieldForm } from "./field_form";
import { columnOf, fieldsOf, isMany, pathOf, rowsOf, sameRecord, spotOf, spotsOf, together, valuesAt, withCorrection, withFoundRecord, withNone, withSeveral, withValue, withWhole, type Labelled } from "./labelling";
import { storeLabels, type Change } from "./label_store";
import { PageFrame, SourceView, type Mark, type Picked } from "./page_frame";
import { Questions, type Answering } from "./questions";
import { SaveWrapper } from "./save_wrapper";
import { useLoaded, useWorkbench } from "./state";
import { RecordTable } from "./table";
import { cell, colour, places, plural, shell } from "./values";

const MOST_PAGES = 25; // that are learnt from while somebody waits

const ENGINES = ["the best for the labels", "stalker", "softmealy"];

// What a click does besides giving a value.
function hintOf(field: string, list: boolean): string {
  const { lists, many } = pathOf(field);
  if (many) return ", and the next; one that is labelled is taken out";
  if (lists.length) return `; one more begins the next of ${lists.join(".")}, outer values first`;
  return list ? "; a field that has a value begins the next record" : "";
}

// The view that is on the screen. Undoing comes from wherever somebody is, and what it gives belongs to the view of
// then, which may be another than that of the change, or none.
interface OnScreen { site: string; lines: (lines: LabelLine[]) => void; ignored: (questions: string[]) => void; fields: (change: (all: string[]) => string[]) => void }
const onScreen: { current: OnScreen | null } = { current: null };
const viewOf = (site: string) => (onScreen.current?.site === site ? onScreen.current : null);

// `of`: the labels, pages and engine that it is of. Of others it is out of date, and so are its questions.
type Result = { of: string; learnt: Learnt; found: { id: number; found: Found }[]; doubts?: Doubtful[] | null }; // doubts come later; null: nobody can tell

export function LabelsView() {
  const bench = useWorkbench();
  const page = bench.page;
  const [fields, setFields] = useState<string[]>([]);
  const [at, setActive] = useState(0), active = Math.min(at, Math.max(0, fields.length - 1)); // undoing may take the last field away
  const [list, setList] = useState(false);
  const [engine, setEngine] = useState("");
  // SoftMealy alone: rules that are mended rather than learnt anew, the part of a page with the records, and the end of it that is clicked next.
  const [mend, setMend] = useState<Wrapper | null>(null);
  const [body, setBody] = useState<{ page: string; start: number; end: number } | null>(null);
  const [marking, setMarking] = useState<"first" | "last" | null>(null);
  const [source, setSource] = useState(false);
  const [result, setResult] = useState<Result | null>(null);
  const [why, setWhy] = useState<{ of: string; words: string; notes: string[] } | null>(null);
  const [busy, setBusy] = useState(false);
  const [name, setName] = useState("");
  const [row, setRow] = useState<{ id: number; index: number; found: Row | undefined } | null>(null); // the record that is being corrected
  const [show, setShow] = useState<{ byte: number } | null>(null); // where on the page to look
  const answered = useRef(false); // the last thing done was an answer
  const following = useRef(false); // somebody answers questions
  const learntFrom = useRef<number[]>([]);
  const went = useRef(page?.id); // where questions have taken somebody
  const { value: ignored, set: setIgnored } = useLoaded([bench.site], () => api.ignored(bench.site), [bench.version]);
  const { value: lines, set: setLines } = useLoaded([bench.site], () => api.labels(bench.site), [bench.version]);
  const labels = JSON.stringify(lines), aside = JSON.stringify(ignored); // the same again is nothing new: large pages are slow to mark
  const part = body ? `${body.page} ${body.start}-${body.end}` : "";
  const wanted = `${engine} ${bench.which} ${!!mend} ${part} ${labels}`;
  const mine = useRef<OnScreen | null>(null);
  mine.current = onScreen.current = { site: bench.site, lines: setLines, ignored: setIgnored, fields: setFields };
  useEffect(() => () => { if (onScreen.current === mine.current) onScreen.current = null; }, []);

  const recordsOf = (pageName: string | undefined) => (lines?.find((line) => line.page === pageName)?.records ?? []) as Labelled[];
  const records = recordsOf(page?.name);
  const labelledHere = lines?.some((line) => line.page === page?.name);

  // Fields are those of the labels, and those named here that have no value yet.
  useEffect(() => {
    const known = fieldsOf((lines ?? []).flatMap((line) => line.records as Labelled[]), fields);
    if (known.length !== fields.length) setFields(known);
    if ((lines ?? []).some((line) => line.records.length > 1)) setList(true);
  }, [labels]);
  useEffect(() => { if (page?.id !== went.current) following.current = false; }, [page?.id]); // somebody has gone elsewhere

  const asked = (pages: number[] | undefined) => engine !== "softmealy" ? { pages, engine: engine || undefined }
    : { pages, engine, correct: mend ?? undefined, labels: body && lines ? lines.map((line) => line.page === body.page ? { ...line, body: { start: body.start, end: body.end } } : line) : undefined };

  // Learning anew, after every change of the labels.
  useEffect(() => {
    if (!lines?.length || !page) { setResult(null); setWhy(null); return; }
    let stale = false;
    setBusy(true);
    const labelled = new Set(lines.map((line) => line.page));
    // those with labels first, then the one at hand; in the order of the site
    const most = new Set([...new Set([...bench.pages.filter((one) => labelled.has(one.name)), page, ...bench.pages].map((one) => one.id))].slice(0, MOST_PAGES));
    const ids = bench.pages.filter((one) => most.has(one.id)).map((one) => one.id);
    learntFrom.current = ids;
    (async () => {
      try {
        const learnt = await api.learn(bench.site, asked(ids));
        const found = await api.extract(bench.site, learnt.wrapper, ids);
        if (!stale) { setResult({ of: wanted, learnt, found }); setWhy(null); setBusy(false); }
        // questions come after the answers: they may take longer, and some engines have none
        const doubts = await doubtsOf(bench.site, learnt.wrapper, found, bench.pages, lines, lines.some((line) => line.records.length > 1) || list, () => stale);
        if (!stale) setResult({ of: wanted, learnt, found, doubts });
      } catch (error) {
        if (stale) return;
        setResult(null);
        setWhy({ of: wanted, words: error instanceof Error ? error.message : String(error), notes: error instanceof ApiError ? error.notes : [] });
      }
      if (!stale) setBusy(false);
    })();
    return () => { stale = true; };
  }, [labels, bench.which, engine, !!mend, part]);

  // A page that was not learnt from is read when somebody opens it.
  const { value: more } = useLoaded([result, page?.id],
    () => (result && page && !result.found.some((one) => one.id === page.id) ? api.extract(bench.site, result.learnt.wrapper, [page.id]) : Promise.resolve([])));
  const foundOn = (id: number | undefined) => rowsOf([...(result?.found ?? []), ...(more ?? [])].find((one) => one.id === id)?.found);
  const here = foundOn(page?.id);
  // What is learnt anew may have more records, or fewer: the one that is being corrected is where it was.
  const rowAt = row && row.id === page?.id ? sameRecord(here, row.found, row.index) : -1, correcting = rowAt >= 0;
  const questions = useMemo(() => !result?.doubts || !ignored ? null : questionsFrom(result.doubts, {
    found: new Map(result.found.map((one) => [one.id, rowsOf(one.found)])), fields, lines: lines ?? [], list, ignored: new Set(ignored), whole: result.learnt.wrapper.engine === "paths",
  }, page?.id), [result, aside, fields, labels, list, page?.id]);
  const learning = busy || bench.storing || (!!result && result.of !== wanted);
  const asking = learning ? undefined : questions?.[0];
  const marks = useMemo(() => {
    const all: Mark[] = [];
    if (asking && asking.id === page?.id) {
      const spots = asking.kind === "new" ? [asking.text] : "choices" in asking ? inDispute(asking.choices) : [];
      for (const { start, end } of spots) all.push({ start, end, colour: "hsl(4 70% 40%)", words: asking.kind === "new" ? "Is this data?" : "Is it this one?", asked: true });
    }
    here.forEach((record, number) => fields.forEach((field, index) => {
      for (const place of valuesAt(record, field).flatMap(places)) all.push({ ...place, colour: colour(index), words: `${field}, record ${number + 1}` });
    }));
    records.forEach((record) => fields.forEach((field, index) => {
      for (const place of (valuesAt(record, field) as Value[]).flatMap(places)) all.push({ ...place, colour: colour(index), words: `${field}: labelled` });
    }));
    return all;
  }, [result, more, page?.id, labels, fields, asking]);
  // Who answers questions is taken to the next text that is asked about.
  useEffect(() => { if (asking?.kind === "new" && following.current) look(asking); }, [asking?.kind === "new" ? asking.spot : ""]);

  if (!page) return <p class="quiet">Add a page first.</p>;

  // With the word that something was stored come its labels: nothing of the old ones is seen beside it.
  const storeAll = (plan: (now: LabelLine[]) => Change[] | Promise<Change[]>, words: () => string, undo?: () => void): Promise<void> => {
    const site = bench.site, reload = async () => { const now = await api.labels(site); viewOf(site)?.lines(now); };
    return bench.change(async () => {
      const back = await storeLabels(site, plan);
      await reload();
      return { words: words(), undo: async () => {
        await back();
        undo?.();
        await reload();
      } };
    });
  };
  const store = (of: string, change: Change["change"], words: string) => void storeAll(() => [{ page: of, change }], () => words);
  // The field and the record of a value are those at hand when it is clicked, not when the server has found it.
  const put = (picking: Promise<Picked> | null) => {
    if (marking && picking) {
      const of = page.name;
      void picking.then(({ start, end }) => {
        setBody((now) => marking === "last" && now ? { page: of, start: Math.min(now.start, start), end: Math.max(now.end, end) } : { page: of, start, end });
        setMarking(marking === "first" ? "last" : null);
      }).catch(bench.fail);
      return;
    }
    const field = fields[active], of = page.name, found = here[rowAt] ?? row?.found;
    if (!field) { bench.fail(new Error("Name a field first, then click its value.")); return; }
    following.current = false;
    if (correcting && !isMany(field)) setRow(null);
    else if (!correcting) { setRow(null); setActive(after(active)); }
    let picked: Picked | null = null;
    const change = (now: Labelled[]) => {
      const spot = picked && spotOf(picked);
      return correcting ? withCorrection(now, list, found, fields, field, spot) : spot ? withValue(now, list, field, spot) : withNone(now, field);
    };
    void storeAll(async () => { picked = await picking; return [{ page: of, change }]; }, () => `${field}: ${picked ? picked.text.slice(0, 30) : "not on this page"}`);
  };
  // What is labelled next: the field behind, or again the first of the list that this one is in.
  const after = (index: number) => {
    const { lists, many } = pathOf(fields[index]!), inside = `${lists.join(".")}.`;
    if (many) return index;
    if (!lists.length) return (index + 1) % fields.length;
    return fields[index + 1]?.startsWith(inside) ? index + 1 : fields.findIndex((field) => field.startsWith(inside));
  };
  const look = (question: Question) => {
    const to = bench.pages.find((one) => one.id === question.id);
    if (to) { went.current = to.id; bench.setPage(to); }
    setShow({ byte: question.kind === "new" ? question.text.start : question.place });
  };
  const rowOf = (question: Question) => foundOn(question.id)[question.row];
  const rename = (from: string, to: string) => viewOf(bench.site)?.fields((all) => all.map((one) => (one === from ? to : one)));
  const answers = (byHand = false) => { answered.current = following.current = !byHand; };
  const answer: Answering = {
    value: (question, value) => {
      answers();
      const words = value === null ? "not there" : Array.isArray(value) ? plural(value.length, "value") : cell(value as Value).slice(0, 30);
      store(question.page, (now) => withWhole(now, list, rowOf(question), fields, columnOf(question.field), value), `${question.field}: ${words}`);
    },
    grow: (question, values, byHand) => {
      answers(byHand);
      const name = question.field, others = (now: LabelLine[]) => now.filter((line) => line.page !== question.page).map((line) => ({ page: line.page, change: (had: Labelled[]) => withSeveral(had, name) }));
      rename(name, `${name}[]`);
      void storeAll((all) => [...others(all), { page: question.page, change: (now) => withWhole(withSeveral(now, name), list, rowOf(question), fields, name, values) }], () => `${name}: ${plural(values.length, "value")}`, () => rename(`${name}[]`, name));
      if (byHand) correct(question.id, question.row, name);
    },
    byHand: (question) => {
      if (question.kind === "record") { look(question); bench.say(`Click the values of ${question.page}.`); return; }
      if (!("field" in question)) return;
      setShow({ byte: question.place });
      correct(question.id, question.row, "grows" in question && question.grows ? question.field : columnOf(question.field));
    },
    show: look,
    fresh: (question, field, byHand) => {
      if (byHand) { addField(field); look(question); correct(question.id, question.row, field, fields.length); return; }
      answers();
      setFields([...fields, field]);
      void storeAll(() => [{ page: question.page, change: (now) => withCorrection(now, list, rowOf(question), [...fields, field], field, question.text) }], () => `${field}: ${question.text.value.slice(0, 30)}`, () => viewOf(bench.site)?.fields((all) => all.filter((one) => one !== field)));
    },
    part: (question, field, share) => {
      answers();
      const old = spotsOf(withFoundRecord([], list, rowOf(question), fields)[0]?.[columnOf(field)] ?? null)[0];
      const spot = share === "with" && old ? together(old, question.text) : question.text;
      store(question.page, (now) => withCorrection(now, list, rowOf(question), fields, field, spot), `${field}: ${question.text.value.slice(0, 30)}`);
    },
    ignore: (spots) => {
      answers();
      const site = bench.site, ignore = async (how: boolean) => { await api.ignore(site, spots, how); const now = await api.ignored(site); viewOf(site)?.ignored(now); };
      void bench.change(async () => { await ignore(true); return { words: `${plural(spots.length, "question")} set aside`, undo: () => ignore(false) }; });
    },
  };
  const correct = (id: number, index: number, field: string, at = fields.findIndex((one) => one === field || columnOf(one) === field)) => {
    const to = bench.pages.find((one) => one.id === id);
    if (to) { went.current = to.id; bench.setPage(to); }
    if (at >= 0) setActive(at);
    setRow({ id, index, found: foundOn(id)[index] });
  };
  const addField = (path: string) => {
    setFields([...fields, path]);
    setActive(fields.length);
    bench.didChange({ words: `field ${path}`, undo: async () => { viewOf(bench.site)?.fields((all) => all.filter((one) => one !== path)); } });
  };
  const fieldKeys = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const group = event.currentTarget as HTMLElement;
    if (!step || !fields.length || (event.target as HTMLElement).tagName !== "BUTTON") return;
    event.preventDefault();
    const to = (active + step + fields.length) % fields.length;
    setActive(to);
    group.querySelectorAll<HTMLElement>("[role=radio]")[to]?.focus();
  };

  // What is kept is of all that was clicked before, also when that is not learnt from yet.
  const final = async () => {
    if (!learning && bench.pages.length <= MOST_PAGES) return result!.learnt.wrapper;
    await bench.settled();
    return (await api.learn(bench.site, asked(bench.pages.length <= MOST_PAGES ? learntFrom.current : undefined))).wrapper;
  };
  const table = (result?.found ?? []).flatMap((one) => rowsOf(one.found).map((record, index) => ({ record, id: one.id, index })));
  const columns = [...new Set(fields.map(columnOf))].map((column) => ({ name: column, as: column, on: true, colour: colour(fields.findIndex((field) => columnOf(field) === column)) }));
  const empty = (result?.found ?? []).filter((one) => rowsOf(one.found).length === 0).length;
  const rows = table.map((one) => one.record);

  const state = learning ? "Learning…" : result ? `Learnt with ${result.learnt.wrapper.engine}${result.doubts === undefined ? ", looking for questions…" : ""}` : "";

  return <div class="labels-view">
    <div class="bar"><h1>Point at the data</h1>
      <fieldset class="inline"><legend class="hidden">Records on a page</legend>
        <label><input type="radio" name="many" checked={!list} onChange={() => setList(false)} /> one record per page</label>
        <label><input type="radio" name="many" checked={list} onChange={() => setList(true)} /> a list of records</label>
      </fieldset>
      <label>Engine <select value={engine} onChange={(e) => setEngine(e.currentTarget.value)}>
        {ENGINES.map((one, index) => <option value={index ? one : ""}>{one}</option>)}</select></label>
      <label><input type="checkbox" checked={source} onChange={(e) => setSource(e.currentTarget.checked)} /> source</label>
      <span role="status" class="quiet learnt" title={state}>{state}</span>
    </div>
    <div class="split">
      <div class="left">{source ? <SourceView page={page.id} marks={marks} />
        : <PageFrame page={page.id} marks={marks} grey={!!result} show={show} follow={page.id} onPick={put} label={`The page ${page.name}`} />}</div>
      <div class="right">
        <div class="fields">
          <div role="radiogroup" aria-label="Fields" onKeyDown={fieldKeys}>{fields.map((field, index) =>
            <button role="radio" aria-checked={index === active} tabIndex={index === active ? 0 : -1} class={index === active ? "chosen" : ""} style={{ "--c": colour(index) }} onClick={() => setActive(index)}>
              <bdi>{field}</bdi> <small>{cell(valuesAt(records[records.length - 1], field).slice(-1)[0] as Value)}</small></button>)}</div>
          <FieldForm fields={fields} onAdd={addField} />
        </div>
        <p class="quiet">{fields.length === 0 ? "Name a field, such as title, then click its value on the page. With the keyboard: arrows go from text to text, Enter takes one." : correcting
          ? isMany(fields[active]!)
            ? <>Click values of <b>{fields[active]}</b> that record {rowAt + 1} lacks, and those that are none; its other values count as right. <button onClick={() => { setRow(null); store(page.name, (now) => withFoundRecord(now, list, here[rowAt] ?? row?.found, fields), `record ${rowAt + 1} is right`); }}>All are right now</button> <button onClick={() => setRow(null)}>Never mind</button></>
            : <>Click the right value of <b>{fields[active]}</b> for record {rowAt + 1}; its other values count as right. <button onClick={() => put(null)}>It is not there</button> <button onClick={() => setRow(null)}>Never mind</button></>
          : <>Click the value of <b>{fields[active]}</b>{hintOf(fields[active]!, list)}. <button onClick={() => put(null)}>{list ? "It is not in this record" : "It is not on this page"}</button> {labelledHere && <button onClick={() => store(page.name, () => null, "labels of the page removed")}>Remove the labels of this page</button>}</>}</p>
        {engine === "softmealy" && result && <p class="quiet">
          <label title="What is right stays right: a label adds the rule that was missing"><input type="checkbox" checked={!!mend} onChange={(e) => setMend(e.currentTarget.checked ? result.learnt.wrapper : null)} /> mend the rules, do not learn them anew</label>{" "}
          {marking ? <>Click the {marking} text of the part that has the records. <button onClick={() => { setMarking(null); setBody(null); }}>Never mind</button></>
            : body ? <>Records are at bytes {body.start} to {body.end} of <bdi>{body.page}</bdi>. <button onClick={() => setBody(null)}>They can be anywhere</button></>
            : <button onClick={() => setMarking("first")}>Only a part of this page has records</button>}</p>}
        {why?.of === wanted && <div class="why" role="alert"><p>{why.words}</p>{why.notes.length > 0 && <ul>{why.notes.map((note) => <li>{note}</li>)}</ul>}</div>}
        {result && <>
          {questions && !learning && <Questions questions={questions} wrong={result.learnt.wrong} asked={result.found.length} of={bench.pages.length} fields={fields} rowOf={rowOf} answer={answer} focus={answered} />}
          <p role="status">{plural(table.length, "record")} on {plural(result.found.length, "page")}{empty ? `, none on ${empty}` : ""}. A wrong one? Click it, then the right value.</p>
          {result.learnt.notes.length > 0 && <details><summary>{plural(result.learnt.notes.length, "note")}</summary><ul>{result.learnt.notes.map((note) => <li>{note}</li>)}</ul></details>}
          <RecordTable rows={rows} columns={columns} label="What was found" onCell={(index, field) => correct(table[index]!.id, table[index]!.index, field)}
            chosen={correcting ? table.findIndex((one) => one.id === page.id && one.index === rowAt) : undefined} />
          <div class="bar">
            <SaveWrapper main wrapper={final} onNamed={setName} />
            <Downloads name={bench.site} rows={rows} columns={columns} wrapper={final} />
          </div>
          {bench.pages.length > MOST_PAGES && <p class="quiet">While you label, {MOST_PAGES} of {bench.pages.length.toLocaleString("en")} pages are learnt from; what is saved is learnt from all, as the command does.</p>}
          <CommandLine command={`thresh learn ${where(bench)}${engine ? ` --engine ${engine}` : ""}${engine === "softmealy" && body && lines?.length === 1 ? ` --body ${body.start}-${body.end}` : ""} --save ${shell(name || "NAME")}`} />
        </>}
      </div>
    </div>
  </div>;
}
