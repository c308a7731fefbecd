// Labelling: name a field, click its value; after each label the wrapper is learnt anew and fills in
// the rest of this page and of the others. A wrong value is put right by clicking the right one.
import { useEffect, useMemo, useState } from "preact/hooks";
import { api, ApiError, type Found, type LabelLine, type Learnt, type Row } from "./api";
import { CommandLine } from "./command_line";
import { PageFrame, type Mark, type Picked } from "./page_frame";
import { useLoaded, useWorkbench } from "./state";
import { RecordTable } from "./table";
import { cell, colour, places, shell } from "./values";

const MOST_PAGES = 25; // that are learnt from while somebody waits

interface Spot { value: string; start: number; end: number }
type Labelled = { [field: string]: Spot | null };

const rowsOf = (found?: Found): Row[] => (found ? found.records ?? (found.record ? [found.record] : []) : []);

export function LabelsView() {
  const bench = useWorkbench();
  const page = bench.page;
  const [fields, setFields] = useState<string[]>([]);
  const [active, setActive] = useState(0);
  const [list, setList] = useState(false);
  const [fresh, setFresh] = useState("");
  const [learnt, setLearnt] = useState<Learnt | null>(null);
  const [found, setFound] = useState<{ id: number; found: Found }[]>([]);
  const [why, setWhy] = useState<{ words: string; notes: string[] } | null>(null);
  const [busy, setBusy] = useState(false);
  const [name, setName] = useState("");
  const [row, setRow] = useState<number | null>(null); // the record that is being corrected
  const { value: lines } = useLoaded(() => api.labels(bench.site), [bench.site, bench.version]);

  const mine = lines?.find((line) => line.page === page?.name);
  const records = (mine?.records ?? []) as Labelled[];
  const others = useMemo(() => bench.pages.filter((one) => one.id !== page?.id), [bench.pages, page?.id]);

  // Fields are those of the labels, and those named here that have no value yet.
  useEffect(() => {
    const known = new Set(fields);
    for (const line of lines ?? []) for (const record of line.records) for (const field of Object.keys(record)) known.add(field);
    if (known.size !== fields.length) setFields([...known]);
    if ((lines ?? []).some((line) => line.records.length > 1)) setList(true);
  }, [lines]);

  // Learning anew, after every change of the labels.
  useEffect(() => {
    if (!lines?.length || !page) { setLearnt(null); setFound([]); setWhy(null); return; }
    let stale = false;
    setBusy(true);
    const labelled = new Set(lines.map((line) => line.page));
    const wanted = [...bench.pages.filter((one) => labelled.has(one.name)), page, ...others].map((one) => one.id);
    const ids = [...new Set(wanted)].slice(0, MOST_PAGES);
    (async () => {
      try {
        const made = await api.learn(bench.site, { pages: ids });
        const got = await api.extract(bench.site, made.wrapper, ids);
        if (!stale) { setLearnt(made); setFound(got); setWhy(null); }
      } catch (error) {
        if (stale) return;
        setLearnt(null);
        setFound([]);
        setWhy({ words: error instanceof Error ? error.message : String(error), notes: error instanceof ApiError ? error.notes : [] });
      }
      if (!stale) setBusy(false);
    })();
    return () => { stale = true; };
  }, [lines, bench.pages.length]);

  const here = rowsOf(found.find((one) => one.id === page?.id)?.found);
  const marks = useMemo(() => {
    const all: Mark[] = [];
    here.forEach((record, number) => fields.forEach((field, index) => {
      for (const place of places(record[field] ?? null)) all.push({ ...place, colour: colour(index), words: `${field}, record ${number + 1}` });
    }));
    records.forEach((record) => Object.entries(record).forEach(([field, spot]) => {
      if (spot?.start !== undefined) all.push({ start: spot.start, end: spot.end, colour: colour(fields.indexOf(field)), words: `${field}: labelled` });
    }));
    return all;
  }, [here, records, fields]);

  if (!page) return <p class="quiet">Add a page first.</p>;

  const store = async (next: Labelled[] | null, words: string) => {
    const before = mine ? (mine.records as LabelLine["records"]) : null;
    try {
      await api.setLabels(bench.site, page.name, next?.length ? (next as LabelLine["records"]) : null);
      bench.didChange({ words, undo: async () => { await api.setLabels(bench.site, page.name, before); } });
    } catch (error) { bench.fail(error); }
  };

  const pick = async (picked: Picked) => {
    const field = fields[active];
    if (!field) { bench.fail(new Error("Name a field first, then click its value.")); return; }
    const spot = { value: picked.text, start: picked.start, end: picked.end };
    const next: Labelled[] = records.map((record) => ({ ...record }));
    if (row !== null) {
      // a correction: what the wrapper found in that record is right but for this field
      const whole: Labelled = {};
      for (const name of fields) {
        const value = here[row]?.[name];
        const place = places(value ?? null)[0];
        whole[name] = place ? { value: cell(value ?? null), ...place } : null;
      }
      whole[field] = spot;
      const same = next.findIndex((record) => Object.values(record).some((one) => one && Object.values(whole).some((w) => w && w.start === one.start)));
      if (same >= 0) next[same] = { ...next[same], ...whole };
      else next.push(whole);
      setRow(null);
    } else if (!list) {
      next[0] = { ...(next[0] ?? {}), [field]: spot };
    } else {
      const last = next[next.length - 1];
      if (!last || last[field]) next.push({ [field]: spot });
      else last[field] = spot;
    }
    setActive((active + 1) % fields.length);
    await store(next, `${field}: ${picked.text.slice(0, 30)}`);
  };

  const absent = async () => {
    const field = fields[active];
    if (!field || list) return;
    await store([{ ...(records[0] ?? {}), [field]: null }], `${field}: not on this page`);
    setActive((active + 1) % fields.length);
  };
  const addField = () => {
    const named = fresh.trim();
    if (!named || fields.includes(named)) return;
    setFields([...fields, named]);
    setActive(fields.length);
    setFresh("");
  };
  const save = async () => {
    if (!learnt) return;
    try {
      const { version } = await api.saveWrapper(bench.site, name.trim(), learnt.wrapper);
      bench.say(`Saved as ${name.trim()}, version ${version}`);
      await bench.refresh();
    } catch (error) { bench.fail(error); }
  };

  const table = found.flatMap((one) => rowsOf(one.found).map((record) => ({ record, id: one.id })));
  const columns = fields.map((field) => ({ name: field, as: field, on: true }));
  const empty = found.filter((one) => rowsOf(one.found).length === 0).length;

  return <div class="labels-view">
    <div class="bar"><h1>Point at the data</h1>
      <fieldset class="inline"><legend class="hidden">Records on a page</legend>
        <label><input type="radio" name="many" checked={!list} onChange={() => setList(false)} /> one record a page</label>
        <label><input type="radio" name="many" checked={list} onChange={() => setList(true)} /> a list of records</label>
      </fieldset>
      <span role="status" class="quiet">{busy ? "Learning…" : learnt ? `Learnt with ${learnt.wrapper.engine}` : ""}</span>
    </div>
    <div class="split">
      <div class="left"><PageFrame page={page.id} marks={marks} grey={!!learnt} onPick={(picked) => void pick(picked)} label={`The page ${page.name}`} /></div>
      <div class="right">
        <div class="fields" role="radiogroup" aria-label="Fields">
          {fields.map((field, index) => <button role="radio" aria-checked={index === active} class={index === active ? "chosen" : ""} style={{ "--c": colour(index) }} onClick={() => setActive(index)}>
            <i class="dot" /> {field} <small>{cell((records[records.length - 1]?.[field] ?? null) as never)}</small></button>)}
          <form onSubmit={(e) => { e.preventDefault(); addField(); }}>
            <input aria-label="Name of a new field" placeholder="New field" size={10} value={fresh} onInput={(e) => setFresh(e.currentTarget.value)} />
            <button type="submit">Add field</button>
          </form>
        </div>
        <p class="quiet">{fields.length === 0 ? "Name a field, such as title, then click its value on the page." : row !== null
          ? <>Click the right value of <b>{fields[active]}</b> for record {row + 1}. <button onClick={() => setRow(null)}>Never mind</button></>
          : <>Click the value of <b>{fields[active]}</b>{list ? "; a field that has a value begins the next record" : ""}. {!list && <button onClick={() => void absent()}>It is not on this page</button>} {mine && <button onClick={() => void store(null, "labels of the page removed")}>Remove the labels of this page</button>}</>}</p>
        {why && <div class="why" role="alert"><p>{why.words}</p>{why.notes.length > 0 && <ul>{why.notes.map((note) => <li>{note}</li>)}</ul>}</div>}
        {learnt && learnt.notes.length > 0 && <details><summary>{learnt.notes.length} note{learnt.notes.length === 1 ? "" : "s"}</summary><ul>{learnt.notes.map((note) => <li>{note}</li>)}</ul></details>}
        {learnt && <>
          <p role="status">{table.length} record{table.length === 1 ? "" : "s"} on {found.length} page{found.length === 1 ? "" : "s"}{empty ? `, none on ${empty}` : ""}</p>
          <RecordTable rows={table.map((one) => one.record)} columns={columns} label="What was found" onRow={(index) => {
            const hit = table[index]!;
            const to = bench.pages.find((one) => one.id === hit.id);
            if (to) bench.setPage(to);
            setRow(table.filter((one) => one.id === hit.id).indexOf(hit));
          }} />
          <form class="bar" onSubmit={(e) => { e.preventDefault(); void save(); }}>
            <input aria-label="Name of the wrapper" placeholder="Name" size={12} value={name} onInput={(e) => setName(e.currentTarget.value)} />
            <button class="main" type="submit" disabled={!name.trim()}>Save as wrapper</button>
          </form>
          <CommandLine command={`thresh learn --project PROJECT --site ${shell(bench.site)} --save ${shell(name.trim() || "NAME")}`} />
        </>}
      </div>
    </div>
  </div>;
}
