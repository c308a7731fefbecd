// Labelling: name a field, click its value; after each label the wrapper is learnt anew and fills in
// the rest of this page and of the others. A wrong value is put right by clicking the right one.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, ApiError, type Doubtful, type Found, type LabelLine, type Learnt, type Value } from "./api";
import { doubtsOf, inDispute, questionsFrom, type Question } from "./asking";
import { CommandLine, where } from "./command_line";
import { Downloads } from "./downloads";
import { FieldForm } from "./field_form";
import { columnOf, fieldsOf, isMany, pathOf, rowsOf, spotOf, spotsOf, together, valuesAt, withCorrection, withFoundRecord, withNone, withSeveral, withValue, withWhole, type Labelled } from "./labelling";
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

type Result = { of: string; learnt: Learnt; found: { id: number; found: Found }[]; doubts?: Doubtful[] | null }; // doubts come later; null: nobody can tell

export function LabelsView() {
  const bench = useWorkbench();
  const page = bench.page;
  const [fields, setFields] = useState<string[]>([]);
  const [active, setActive] = useState(0);
  const [list, setList] = useState(false);
  const [engine, setEngine] = useState("");
  const [source, setSource] = useState(false);
  const [result, setResult] = useState<Result | null>(null);
  const [why, setWhy] = useState<{ words: string; notes: string[] } | null>(null);
  const [busy, setBusy] = useState(false);
  const [name, setName] = useState("");
  const [row, setRow] = useState<{ id: number; index: number } | null>(null); // the record that is being corrected
  const [show, setShow] = useState<{ byte: number } | null>(null); // where on the page to look
  const [given, setGiven] = useState(false); // an answer that is on its way to be learnt from
  const answered = useRef(false); // the last thing done was an answer
  const following = useRef(false); // somebody answers questions
  const stored = useRef<Promise<void>>(Promise.resolve());
  const siteNow = useRef(bench.site);
  siteNow.current = bench.site;
  const { value: ignored } = useLoaded(() => api.ignored(bench.site), [bench.site, bench.version]);
  const { value: lines, set: setLines } = useLoaded(() => api.labels(bench.site), [bench.site, bench.version]);
  const labels = JSON.stringify(lines), wanted = `${engine} ${labels}`;

  const recordsOf = (pageName: string | undefined) => (lines?.find((line) => line.page === pageName)?.records ?? []) as Labelled[];
  const records = recordsOf(page?.name);
  const mine = lines?.find((line) => line.page === page?.name);

  // Fields are those of the labels, and those named here that have no value yet.
  useEffect(() => {
    const known = fieldsOf((lines ?? []).flatMap((line) => line.records as Labelled[]), fields);
    if (known.length !== fields.length) setFields(known);
    if ((lines ?? []).some((line) => line.records.length > 1)) setList(true);
  }, [labels]);
  useEffect(() => { setFields([]); setActive(0); setList(false); setRow(null); following.current = false; }, [bench.site]);

  // Learning anew, after every change of the labels.
  useEffect(() => {
    if (!lines?.length || !page) { setResult(null); setWhy(null); setGiven(false); return; }
    let stale = false;
    setGiven(false);
    setBusy(true);
    const labelled = new Set(lines.map((line) => line.page));
    // those with labels first, then the one at hand; in the order of the site
    const most = new Set([...new Set([...bench.pages.filter((one) => labelled.has(one.name)), page, ...bench.pages].map((one) => one.id))].slice(0, MOST_PAGES));
    const ids = bench.pages.filter((one) => most.has(one.id)).map((one) => one.id);
    (async () => {
      try {
        const learnt = await api.learn(bench.site, { pages: ids, engine: engine || undefined });
        const found = await api.extract(bench.site, learnt.wrapper, ids);
        if (!stale) { setResult({ of: wanted, learnt, found }); setWhy(null); setBusy(false); }
        // questions come after the answers: they may take longer, and some engines have none
        const doubts = await doubtsOf(bench.site, learnt.wrapper, found, bench.pages, lines, lines.some((line) => line.records.length > 1) || list, () => stale);
        if (!stale) setResult({ of: wanted, learnt, found, doubts });
      } catch (error) {
        if (stale) return;
        setResult(null);
        setWhy({ words: error instanceof Error ? error.message : String(error), notes: error instanceof ApiError ? error.notes : [] });
      }
      if (!stale) setBusy(false);
    })();
    return () => { stale = true; };
  }, [labels, bench.pages.length, engine]);

  // A page that was not learnt from is read when somebody opens it.
  const { value: more } = useLoaded(
    () => (result && page && !result.found.some((one) => one.id === page.id) ? api.extract(bench.site, result.learnt.wrapper, [page.id]) : Promise.resolve([])), [result, page?.id]);
  const foundOn = (id: number | undefined) => rowsOf([...(result?.found ?? []), ...(more ?? [])].find((one) => one.id === id)?.found);
  const here = foundOn(page?.id);
  const questions = useMemo(() => !result?.doubts || !ignored ? null : questionsFrom(result.doubts, {
    found: new Map(result.found.map((one) => [one.id, rowsOf(one.found)])), fields, lines: lines ?? [], list, ignored: new Set(ignored), whole: result.learnt.wrapper.engine === "paths",
  }, page?.id), [result, ignored, fields, labels, list, page?.id]);
  // A question of other labels than those at hand is out of date, and so are its answers.
  const learning = busy || (!!result && result.of !== wanted), ask = !learning && !given;
  const asking = ask ? questions?.[0] : undefined;
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
  const reload = async (site: string) => {
    const now = await api.labels(site);
    if (site === siteNow.current) setLines(now);
  };
  // Clicks may come quicker than answers: one change after the other, each of what is stored by then.
  type Change = { page: string; change: (records: Labelled[]) => Labelled[] | null };
  const storeAll = (changes: () => Change[], words: string, undo?: () => void): Promise<void> => {
    const site = bench.site;
    stored.current = stored.current.then(async () => {
      try {
        const now = await api.labels(site), before = changes().map(({ page: of, change }) => ({ of, change, records: now.find((line) => line.page === of)?.records ?? null }));
        let same = true;
        for (const { of, change, records: had } of before) {
          const next = change((had ?? []) as Labelled[]);
          same &&= JSON.stringify(next) === JSON.stringify(had);
          await api.setLabels(site, of, next?.length ? (next as LabelLine["records"]) : null);
        }
        if (same) setGiven(false);
        await reload(site);
        bench.didChange({ words, undo: async () => {
          for (const { of, records: had } of before) await api.setLabels(site, of, had);
          undo?.();
          await reload(site);
        } });
      } catch (error) { setGiven(false); bench.fail(error); }
    });
    return stored.current;
  };
  const store = (of: string, change: Change["change"], words: string) => storeAll(() => [{ page: of, change }], words);
  const put = async (picked: Picked | null) => {
    const field = fields[active];
    if (!field) { bench.fail(new Error("Name a field first, then click its value.")); return; }
    const spot = picked && spotOf(picked);
    const found = row?.id === page.id ? here[row.index] : undefined, correcting = row?.id === page.id;
    const change = (now: Labelled[]) => correcting ? withCorrection(now, list, found, fields, field, spot) : spot ? withValue(now, list, field, spot) : withNone(now, field);
    if (row && !isMany(field)) setRow(null);
    else if (!row) setActive(after(active));
    await store(page.name, change, `${field}: ${picked ? picked.text.slice(0, 30) : "not on this page"}`);
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
    if (to) bench.setPage(to);
    setShow({ byte: question.kind === "new" ? question.text.start : question.place });
  };
  const rowOf = (question: Question) => foundOn(question.id)[question.row];
  const rename = (from: string, to: string) => setFields((all) => all.map((one) => (one === from ? to : one)));
  const answers = (byHand = false) => { answered.current = following.current = !byHand; setGiven(true); };
  const answer: Answering = {
    value: (question, value) => {
      answers();
      const words = value === null ? "not there" : Array.isArray(value) ? plural(value.length, "value") : cell(value as Value).slice(0, 30);
      void store(question.page, (now) => withWhole(now, list, rowOf(question), fields, columnOf(question.field), value), `${question.field}: ${words}`);
    },
    grow: (question, values, byHand) => {
      answers(byHand);
      const name = question.field, others = (lines ?? []).filter((line) => line.page !== question.page).map((line) => ({ page: line.page, change: (now: Labelled[]) => withSeveral(now, name) }));
      rename(name, `${name}[]`);
      void storeAll(() => [...others, { page: question.page, change: (now) => withWhole(withSeveral(now, name), list, rowOf(question), fields, name, values) }], `${name}: ${plural(values.length, "value")}`, () => rename(`${name}[]`, name));
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
      void storeAll(() => [{ page: question.page, change: (now) => withCorrection(now, list, rowOf(question), [...fields, field], field, question.text) }], `${field}: ${question.text.value.slice(0, 30)}`, () => setFields((all) => all.filter((one) => one !== field)));
    },
    part: (question, field, share) => {
      answers();
      const old = spotsOf(withFoundRecord([], list, rowOf(question), fields)[0]?.[columnOf(field)] ?? null)[0];
      const spot = share === "with" && old ? together(old, question.text) : question.text;
      void store(question.page, (now) => withCorrection(now, list, rowOf(question), fields, field, spot), `${field}: ${question.text.value.slice(0, 30)}`);
    },
    ignore: (spots) => {
      answered.current = following.current = true;
      const site = bench.site;
      api.ignore(site, spots).then(() => bench.didChange({ words: `${plural(spots.length, "question")} set aside`, undo: async () => { await api.ignore(site, spots, false); } }), bench.fail);
    },
  };
  const correct = (id: number, index: number, field: string, at = fields.findIndex((one) => one === field || columnOf(one) === field)) => {
    const to = bench.pages.find((one) => one.id === id);
    if (to) bench.setPage(to);
    if (at >= 0) setActive(at);
    setRow({ id, index });
  };
  const addField = (path: string) => {
    setFields([...fields, path]);
    setActive(fields.length);
    bench.didChange({ words: `field ${path}`, undo: async () => { setFields((all) => all.filter((one) => one !== path)); setActive(0); } });
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

  const final = async () => (bench.pages.length > MOST_PAGES ? (await api.learn(bench.site, { engine: engine || undefined })).wrapper : result!.learnt.wrapper);
  const table = (result?.found ?? []).flatMap((one) => rowsOf(one.found).map((record, index) => ({ record, id: one.id, index })));
  const columns = [...new Set(fields.map(columnOf))].map((column) => ({ name: column, as: column, on: true, colour: colour(fields.findIndex((field) => columnOf(field) === column)) }));
  const empty = (result?.found ?? []).filter((one) => rowsOf(one.found).length === 0).length;
  const rows = table.map((one) => one.record);

  return <div class="labels-view">
    <div class="bar"><h1>Point at the data</h1>
      <fieldset class="inline"><legend class="hidden">Records on a page</legend>
        <label><input type="radio" name="many" checked={!list} onChange={() => setList(false)} /> one record a page</label>
        <label><input type="radio" name="many" checked={list} onChange={() => setList(true)} /> a list of records</label>
      </fieldset>
      <label>Engine <select value={engine} onChange={(e) => setEngine(e.currentTarget.value)}>
        {ENGINES.map((one, index) => <option value={index ? one : ""}>{one}</option>)}</select></label>
      <label><input type="checkbox" checked={source} onChange={(e) => setSource(e.currentTarget.checked)} /> source</label>
      <span role="status" class="quiet learnt">{learning ? "Learning…" : result ? `Learnt with ${result.learnt.wrapper.engine}${result.doubts === undefined ? ", looking for questions…" : ""}` : ""}</span>
    </div>
    <div class="split">
      <div class="left">{source ? <SourceView page={page.id} marks={marks} />
        : <PageFrame page={page.id} marks={marks} grey={!!result} show={show} follow={page.id} onPick={(picked) => void put(picked)} label={`The page ${page.name}`} />}</div>
      <div class="right">
        <div class="fields">
          <div role="radiogroup" aria-label="Fields" onKeyDown={fieldKeys}>{fields.map((field, index) =>
            <button role="radio" aria-checked={index === active} tabIndex={index === active ? 0 : -1} class={index === active ? "chosen" : ""} style={{ "--c": colour(index) }} onClick={() => setActive(index)}>
              <bdi>{field}</bdi> <small>{cell(valuesAt(records[records.length - 1], field).slice(-1)[0] as Value)}</small></button>)}</div>
          <FieldForm fields={fields} onAdd={addField} />
        </div>
        <p class="quiet">{fields.length === 0 ? "Name a field, such as title, then click its value on the page. With the keyboard: arrows go from text to text, Enter takes one." : row?.id === page.id
          ? isMany(fields[active]!)
            ? <>Click values of <b>{fields[active]}</b> that record {row.index + 1} lacks, and those that are none; its other values count as right. <button onClick={() => { setRow(null); void store(page.name, (now) => withFoundRecord(now, list, here[row.index], fields), `record ${row.index + 1} is right`); }}>All are right now</button> <button onClick={() => setRow(null)}>Never mind</button></>
            : <>Click the right value of <b>{fields[active]}</b> for record {row.index + 1}; its other values count as right. <button onClick={() => void put(null)}>It is not there</button> <button onClick={() => setRow(null)}>Never mind</button></>
          : <>Click the value of <b>{fields[active]}</b>{hintOf(fields[active]!, list)}. <button onClick={() => void put(null)}>{list ? "It is not in this record" : "It is not on this page"}</button> {mine && <button onClick={() => void store(page.name, () => null, "labels of the page removed")}>Remove the labels of this page</button>}</>}</p>
        {why && <div class="why" role="alert"><p>{why.words}</p>{why.notes.length > 0 && <ul>{why.notes.map((note) => <li>{note}</li>)}</ul>}</div>}
        {result && <>
          {questions && ask && <Questions questions={questions} asked={result.found.length} of={bench.pages.length} fields={fields} rowOf={rowOf} answer={answer} focus={answered} />}
          <p role="status">{plural(table.length, "record")} on {plural(result.found.length, "page")}{empty ? `, none on ${empty}` : ""}. A wrong one? Click it, then the right value.</p>
          {result.learnt.notes.length > 0 && <details><summary>{plural(result.learnt.notes.length, "note")}</summary><ul>{result.learnt.notes.map((note) => <li>{note}</li>)}</ul></details>}
          <RecordTable rows={rows} columns={columns} label="What was found" onCell={(index, field) => correct(table[index]!.id, table[index]!.index, field)}
            chosen={row ? table.findIndex((one) => one.id === row.id && one.index === row.index) : undefined} />
          <div class="bar">
            <SaveWrapper main wrapper={final} onNamed={setName} />
            <Downloads name={bench.site} rows={rows} columns={columns} wrapper={final} />
          </div>
          {bench.pages.length > MOST_PAGES && <p class="quiet">While you label, {MOST_PAGES} of {bench.pages.length.toLocaleString("en")} pages are learnt from; what is saved is learnt from all, as the command does.</p>}
          <CommandLine command={`thresh learn ${where(bench)}${engine ? ` --engine ${engine}` : ""} --save ${shell(name || "NAME")}`} />
        </>}
      </div>
    </div>
  </div>;
}
