// What somebody who labels has at hand: the labels of the site, the fields, the field that the next click gives a value
// of, the record that is being corrected; and how labels are stored.
import { useEffect, useRef, useState } from "preact/hooks";
import { api, type LabelLine, type Page, type Row, type Wrapper } from "./api";
import { columnOf, fieldsOf, isMany, pathOf, spotOf, withCorrection, withNone, withValue, type Labelled } from "./labelling";
import { storeLabels, type Change } from "./label_store";
import type { Body } from "./learning";
import type { Picked } from "./page_frame";
import { useLoaded, useWorkbench, type Workbench } from "./state";
import { t } from "./words/words";

// The view that is on the screen. Undoing comes from wherever somebody is, and what it gives belongs to the view of
// then, which may be another than that of the change, or none.
interface OnScreen { site: string; lines: (lines: LabelLine[]) => void; ignored: (questions: string[]) => void; fields: (change: (all: string[]) => string[]) => void }
const onScreen: { current: OnScreen | null } = { current: null };
export const viewOf = (site: string) => (onScreen.current?.site === site ? onScreen.current : null);

export const NEW = -1; // in place of a field's number: a click gives a value of a new field

export interface Correcting { id: number; index: number; found: Row | undefined }

export interface Session {
  bench: Workbench; page: Page | null;
  lines: LabelLine[] | null; ignored: string[] | null;
  labels: string; // as text: the same again is nothing new
  records: Labelled[]; // those labelled on this page
  labelledHere: boolean;
  fields: string[]; setFields: (fields: string[]) => void;
  active: number; setActive: (index: number) => void; // NEW: none
  list: boolean; setList: (list: boolean) => void; // by hand
  guessList: (list: boolean) => void; // unless somebody has said it
  row: Correcting | null; setRow: (row: Correcting | null) => void;
  engine: string; setEngine: (engine: string) => void;
  mend: Wrapper | null; setMend: (wrapper: Wrapper | null) => void;
  body: Body | null; setBody: (body: Body | null) => void;
  marking: "first" | "last" | null; setMarking: (end: "first" | "last" | null) => void; // the end of the body that is clicked next
  show: { byte: number } | null; setShow: (place: { byte: number } | null) => void; // where on the page to look
  went: { current: number | undefined }; // where questions have taken somebody
  answered: { current: boolean }; // the last thing done was an answer
  following: { current: boolean }; // somebody answers questions
  storeAll: (plan: (now: LabelLine[]) => Change[] | Promise<Change[]>, words: () => string, undo?: () => void) => Promise<void>;
  store: (page: string, change: Change["change"], words: string) => void;
  goTo: (page: number) => void;
  addField: (path: string) => void;
  markBody: (picking: Promise<Picked>) => void;
  // The value of the field at hand: where it was picked, or null for none. `correcting`: of a record that was found.
  put: (picking: Promise<Picked> | null, correcting: { found: Row | undefined } | null) => void;
}

// What is labelled next: the field behind, or again the first of the list that this one is in.
function nextField(fields: string[], index: number): number {
  const { lists, many } = pathOf(fields[index]!), inside = `${lists.join(".")}.`;
  if (many) return index;
  if (!lists.length) return (index + 1) % fields.length;
  return fields[index + 1]?.startsWith(inside) ? index + 1 : fields.findIndex((field) => field.startsWith(inside));
}

export function useLabelSession(): Session {
  const bench = useWorkbench(), page = bench.page;
  const [fields, setFields] = useState<string[]>([]);
  const [at, setActive] = useState(NEW), active = Math.min(at, fields.length - 1); // undoing may take the last field away
  const [list, setList] = useState(false), chosen = useRef("");
  const [engine, setEngine] = useState("");
  const [mend, setMend] = useState<Wrapper | null>(null);
  const [body, setBody] = useState<Body | null>(null);
  const [marking, setMarking] = useState<"first" | "last" | null>(null);
  const [row, setRow] = useState<Correcting | null>(null);
  const [show, setShow] = useState<{ byte: number } | null>(null);
  const answered = useRef(false), following = useRef(false), went = useRef(page?.id);
  const { value: ignored, set: setIgnored } = useLoaded([bench.site], () => api.ignored(bench.site), [bench.version]);
  const { value: lines, set: setLines } = useLoaded([bench.site], () => api.labels(bench.site), [bench.version]);
  const labels = JSON.stringify(lines);
  const mine = useRef<OnScreen | null>(null);
  mine.current = onScreen.current = { site: bench.site, lines: setLines, ignored: setIgnored, fields: setFields };
  useEffect(() => () => { if (onScreen.current === mine.current) onScreen.current = null; }, []);

  // Fields are those of the labels, and those named here that have no value yet.
  useEffect(() => {
    const known = fieldsOf((lines ?? []).flatMap((line) => line.records as Labelled[]), fields);
    if (known.length !== fields.length) setFields(known);
    if ((lines ?? []).some((line) => line.records.length > 1)) { chosen.current = bench.site; setList(true); }
  }, [labels]);
  useEffect(() => { if (page?.id !== went.current) following.current = false; }, [page?.id]); // somebody has gone elsewhere

  // With the word that something was stored come its labels: nothing of the old ones is seen beside it. Changes are
  // stored one after the other, in the order of the clicks (see `change` of the workbench).
  const storeAll: Session["storeAll"] = (plan, words, undo) => {
    const site = bench.site, reload = async () => { const now = await api.labels(site); viewOf(site)?.lines(now); };
    return bench.change(async () => {
      const back = await storeLabels(site, plan);
      await reload();
      return { words: words(), undo: async () => { await back(); undo?.(); await reload(); } };
    });
  };
  const goTo = (id: number) => {
    const to = bench.pages.find((one) => one.id === id);
    if (to) { went.current = to.id; bench.setPage(to); }
  };
  const addField = (path: string) => {
    setFields([...fields, path]);
    setActive(fields.length);
    bench.didChange({ words: t.labels.field(path), undo: async () => { viewOf(bench.site)?.fields((all) => all.filter((one) => one !== path)); } });
  };
  const markBody = (picking: Promise<Picked>) => {
    const of = page!.name;
    void picking.then(({ start, end }) => {
      setBody((now) => (marking === "last" && now ? { page: of, start: Math.min(now.start, start), end: Math.max(now.end, end) } : { page: of, start, end }));
      setMarking(marking === "first" ? "last" : null);
    }).catch(bench.fail);
  };
  // The field and the record of a value are those at hand when it is clicked, not when the server has found it.
  const put: Session["put"] = (picking, correcting) => {
    const field = fields[active], of = page!.name;
    if (!field) { bench.fail(new Error(t.labels.nameFirst)); return; }
    following.current = false;
    if (!correcting || !isMany(field)) setRow(null);
    if (!correcting) setActive(nextField(fields, active));
    let picked: Picked | null = null;
    const change = (now: Labelled[]) => {
      const spot = picked && spotOf(picked);
      return correcting ? withCorrection(now, list, correcting.found, fields, field, spot) : spot ? withValue(now, list, field, spot) : withNone(now, field);
    };
    void storeAll(async () => { picked = await picking; return [{ page: of, change }]; },
      () => t.labels.stored(field, picked ? picked.text.slice(0, 30) : t.labels.none));
  };

  const here = lines?.find((line) => line.page === page?.name);
  return {
    bench, page, lines, ignored, labels, records: (here?.records ?? []) as Labelled[], labelledHere: !!here, fields, setFields, active, setActive, list,
    setList: (to) => { chosen.current = bench.site; setList(to); }, guessList: (to) => { if (chosen.current !== bench.site) setList(to); },
    row, setRow, engine, setEngine, mend, setMend, body, setBody, marking, setMarking, show, setShow, went, answered, following,
    storeAll, store: (of, change, words) => void storeAll(() => [{ page: of, change }], () => words), goTo, addField, markBody, put,
  };
}

// To correct a value of a record: the next click gives the right one.
export function correctValue(session: Session, id: number, index: number, found: Row | undefined, field: string, at?: number): void {
  session.goTo(id);
  const number = at ?? session.fields.findIndex((one) => one === field || columnOf(one) === field);
  if (number >= 0) session.setActive(number);
  session.setRow({ id, index, found });
}
