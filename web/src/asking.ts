// What is left to ask about a wrapper: where its views disagree, and text that may be a new field.
//
// A question is about one value of a record ("one"), about all values of a list, which is answered as a
// whole ("several"), about text that no labelled page has ("new"), or about a page without any record
// ("record").
import { api, type Answer, type Doubt, type Doubtful, type Found, type LabelLine, type Page, type Row, type Wrapper } from "./api";
import { asLabels, columnOf, fieldOfDoubt, fieldsOf, isMany, itemsAt, overlap, pathOf, rowOfDoubt, rowsOf, spotsOf, type Labelled, type LabelValue, type Spot } from "./labelling";

// Answers that are the same are one, found in several ways.
export interface Choice { views: string[]; value: LabelValue }
interface About { id: number; page: string; row: number; why: string; contention: number; place: number }
// `grows`: the field has one value by its labels, and may have several.
interface AboutField { field: string; choices: Choice[]; grows: boolean }
export type Question = About & (
  | ({ kind: "one" } & AboutField) | ({ kind: "several" } & AboutField)
  | { kind: "new"; spot: string; text: Spot; pages: number }
  | { kind: "record"; spot: string });

// What somebody who asks has to know.
export interface Known {
  found: Map<number, Row[]>; pages: Map<number, string>; fields: string[]; lines: LabelLine[]; list: boolean; ignored: Set<string>;
  whole: boolean; // a doubt of a list is about all of its values, not about one of them
}

// Doubts below this are of a view that is known to be poor: of three views of equal weight, one that
// stands alone has a third.
const WORTH = 0.2;

const NO_RECORD = "no record is found"; // as the library says it
export const noRecordSpot = (page: string) => `${NO_RECORD}: ${page}`;

const spotsAsKey = (value: LabelValue) => JSON.stringify(value, (_, inner: unknown) => (inner && typeof inner === "object" && "start" in inner ? [(inner as Spot).start, (inner as Spot).end] : inner));

function merge(choices: Choice[]): Choice[] {
  const byKey = new Map<string, Choice>();
  for (const { views, value } of choices) {
    const known = byKey.get(spotsAsKey(value));
    if (known) known.views.push(...views.filter((view) => !known.views.includes(view)));
    else byKey.set(spotsAsKey(value), { views: [...views], value });
  }
  return [...byKey.values()];
}

// What an engine says of a whole list, where another was asked beside it.
type Said = Answer & { whole?: LabelValue };

const valuesOf = (answer: Answer): Spot[] => answer.values ?? (answer.text === null ? [] : [{ value: answer.text, start: answer.start, end: answer.end }]);
const firstOf = (answer: Answer): Spot | null => valuesOf(answer)[0] ?? null;

// Values that are in some answers and not in others; of one answer all.
export function inDispute(choices: Choice[]): Spot[] {
  const each = choices.map((choice) => spotsOf(choice.value)), has = (spots: Spot[], one: Spot) => spots.some((spot) => spot.start === one.start && spot.end === one.end);
  return each.flatMap((spots, at) => spots.filter((one) => choices.length === 1 || each.some((others, i) => i !== at && !has(others, one))));
}

// ---- what is answered already ----

const recordsOf = (known: Known, page: string) => (known.lines.find((line) => line.page === page)?.records ?? []) as Labelled[];

// What is labelled is answered, whatever a view says of it.
function isAnswered(known: Known, page: Doubtful, row: number, column: string): boolean {
  const records = recordsOf(known, page.page);
  if (!known.list) return records.some((record) => record[column] !== undefined);
  const found = spotsOf(asLabels(known.found.get(page.id)?.[row], known.fields));
  return records.some((record) => record[column] !== undefined && spotsOf(record).some((spot) => found.some((one) => overlap(spot, one))));
}

// ---- several values ----

// The value of a column with what one view says of some of its parts.
function withAnswers(value: LabelValue, doubts: { doubt: Doubt; field: string }[], view: string): LabelValue {
  const next = structuredClone(value);
  for (const { doubt, field } of doubts) {
    const said = doubt.answers.find((answer) => answer.view === view), chosen = doubt.answers[doubt.chosen];
    if (!said || !chosen) continue;
    const path = pathOf(field), spot = firstOf(said), old = firstOf(chosen);
    if (path.many && !path.lists.length) {
      const list = next as Spot[], at = list.findIndex((one) => old && one.start === old.start);
      if (at >= 0) list.splice(at, 1);
      if (spot && !list.some((one) => one.start === spot.start)) list.push(spot);
      list.sort((a, b) => a.start - b.start);
      continue;
    }
    const items = itemsAt({ [path.lists[0]!]: next }, path.lists);
    const item = old ? items.find((one) => spotsOf(one[path.name] ?? null).some((own) => own.start === old.start))
      : items.find((one) => one[path.name] == null && spotsOf(one).every((own) => own.start >= doubt.place)); // nothing is found: the item that begins there
    if (item) item[path.name] = path.many ? (spot ? [spot] : []) : spot;
  }
  return next;
}

// All doubts about a list of a record as one question.
function several(page: Doubtful, row: number, group: { doubt: Doubt; field: string }[], known: Known): Question {
  const { doubt, field } = group[0]!, column = columnOf(field);
  const value = asLabels(known.found.get(page.id)?.[row], known.fields)[column] ?? [];
  const views = [...new Set(group.flatMap((one) => one.doubt.answers.map((answer) => answer.view)))];
  const wholes = doubt.answers as Said[];
  const choices = wholes.some((answer) => answer.whole !== undefined) ? wholes.map((answer) => ({ views: [answer.view], value: answer.whole ?? [] }))
    : known.whole ? doubt.answers.map((answer) => ({ views: [answer.view], value: valuesOf(answer) as LabelValue }))
    : views.map((view) => ({ views: [view], value: withAnswers(Array.isArray(value) ? value : [], group, view) }));
  return {
    kind: "several", id: page.id, page: page.page, row, field: pathOf(field).lists.length ? column : field, why: doubt.why ?? "", contention: page.contention,
    place: doubt.place, choices: merge(choices), grows: !isMany(field),
  };
}

// ---- all of a page ----

function ofPage(page: Doubtful, known: Known): Question[] {
  const rows = known.found.get(page.id) ?? [], groups = new Map<string, { doubt: Doubt; field: string }[]>(), all: Question[] = [];
  for (const doubt of page.doubts) {
    if (doubt.contention < WORTH || doubt.field === "") continue;
    const row = rowOfDoubt(rows, doubt), about = { id: page.id, page: page.page, row, why: doubt.why ?? "", contention: page.contention, place: doubt.place };
    if (doubt.why === NO_RECORD) {
      if (!recordsOf(known, page.page).length && !known.ignored.has(noRecordSpot(page.page))) all.push({ ...about, kind: "record", spot: noRecordSpot(page.page) });
      continue;
    }
    const field = fieldOfDoubt(doubt, known.fields);
    if (!known.fields.includes(field) || isAnswered(known, page, row, columnOf(field))) continue; // "other": what no label names
    if (!isMany(field) && doubt.answers.every((answer) => valuesOf(answer).length < 2)) {
      all.push({ ...about, kind: "one", field, grows: false, choices: merge(doubt.answers.map((answer) => ({ views: [answer.view], value: firstOf(answer) }))) });
      continue;
    }
    const key = `${row} ${columnOf(field)}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key)!.push({ doubt, field });
  }
  for (const [key, group] of groups) all.push(several(page, Number(key.split(" ", 1)[0]), group, known));
  return all;
}

// Text that no labelled page has: once for all pages on which it stands in the same place. The page at
// hand shows it, when it is one of them.
function newTexts(pages: Doubtful[], known: Known, at: number | undefined): Question[] {
  const bySpot = new Map<string, Question & { kind: "new" }>();
  for (const page of pages) {
    if (recordsOf(known, page.page).length) continue;
    for (const doubt of page.doubts) {
      const text = doubt.answers[0] && firstOf(doubt.answers[0]), spot = doubt.spot ?? "";
      if (doubt.field !== "" || !text || known.ignored.has(spot)) continue;
      const one = bySpot.get(spot);
      if (one && page.id !== at) { one.pages++; continue; }
      bySpot.set(spot, { kind: "new", id: page.id, page: page.page, row: rowOfDoubt(known.found.get(page.id) ?? [], doubt), why: doubt.why ?? "", contention: page.contention, place: doubt.place, spot, text, pages: (one?.pages ?? 0) + 1 });
    }
  }
  return [...bySpot.values()].sort((a, b) => b.pages - a.pages || a.place - b.place);
}

// Pages on which nothing was found, of engines that do not say so themselves.
function withoutRecords(known: Known, asked: Question[]): Question[] {
  return [...known.found].flatMap(([id, rows]): Question[] => {
    const page = known.pages.get(id) ?? "", spot = noRecordSpot(page);
    if (rows.length || recordsOf(known, page).length || known.ignored.has(spot) || asked.some((one) => one.kind === "record" && one.id === id)) return [];
    return [{ kind: "record", spot, id, page, row: 0, why: "", contention: 0, place: 0 }];
  });
}

// All questions, those first whose answers teach most; new texts last, since labels of other questions
// may answer them.
export function questionsFrom(pages: Doubtful[], known: Known, at?: number): Question[] {
  const about = pages.flatMap((page) => ofPage(page, known)).sort((a, b) => b.contention - a.contention);
  return [...about, ...withoutRecords(known, about), ...newTexts(pages, known, at)];
}

// ---- asking ----

// Doubts of two wrappers about each other: fields in which they find different values, one record a page.
function disagreements(page: { id: number; name: string }, one: Row | undefined, other: Row | undefined, fields: string[], engines: [string, string]): Doubtful | null {
  const [mine, theirs] = [asLabels(one, fields), asLabels(other, fields)];
  const doubts = Object.keys(mine).flatMap((column): Doubt[] => {
    const [a, b] = [spotsOf(mine[column]!), spotsOf(theirs[column]!)];
    if (a.length === b.length && a.every((spot, i) => overlap(spot, b[i]))) return [];
    const field = fields.find((each) => columnOf(each) === column)!, whole = [mine[column]!, theirs[column]!];
    const answers = [a, b].map((spots, at): Said => ({ view: engines[at]!, text: spots[0]?.value ?? null, start: spots[0]?.start ?? 0, end: spots[0]?.end ?? 0, values: spots, ...(isMany(field) ? { whole: whole[at]! } : {}) }));
    return [{ field: field.replace(/\[\]$/, ""), contention: 0.5, why: "two engines differ", place: (a[0] ?? b[0])!.start, chosen: 0, answers }]; // as the library says it
  });
  return doubts.length ? { id: page.id, page: page.name, contention: doubts.length / 2, doubts } : null;
}

const VIEWS_OF_THEIR_OWN = ["paths", "stalker"];

// Where a wrapper is in doubt on the pages that were looked at. An engine that finds values in several
// ways tells where these disagree; beside one that has a single way, a second engine learns from the same
// labels. That one also knows which texts no labelled page has. Null: nobody can tell. Somebody who labels
// on makes the answer stale: then less is asked of the server.
export async function doubtsOf(site: string, wrapper: Wrapper, found: { id: number; found: Found }[], pages: Page[], lines: LabelLine[], list: boolean, stale: () => boolean): Promise<Doubtful[] | null> {
  const ids = found.map((one) => one.id);
  const own = await api.suggest(site, wrapper, ids).catch(() => null);
  if (wrapper.engine === "stalker" || list || stale()) return own;
  const second = await api.learn(site, { pages: ids, engine: "stalker" }).catch(() => null);
  if (!second || stale()) return own;
  const all = new Map((own ?? []).map((page) => [page.id, page]));
  const add = (page: Doubtful) => {
    const known = all.get(page.id);
    all.set(page.id, known ? { ...known, contention: known.contention + page.contention, doubts: [...known.doubts, ...page.doubts] } : page);
  };
  for (const page of await api.suggest(site, second.wrapper, ids).catch(() => [])) {
    const fresh = page.doubts.filter((doubt) => doubt.field === "");
    if (fresh.length) add({ ...page, contention: 0, doubts: fresh });
  }
  if (VIEWS_OF_THEIR_OWN.includes(wrapper.engine)) return [...all.values()];
  const others = await api.extract(site, second.wrapper, ids).catch(() => null), fields = fieldsOf(lines.flatMap((line) => line.records as Labelled[]));
  if (others) found.forEach((one, index) => {
    const page = { id: one.id, name: pages.find((each) => each.id === one.id)?.name ?? "" };
    const doubts = disagreements(page, rowsOf(one.found)[0], rowsOf(others[index]?.found)[0], fields, [wrapper.engine, "stalker"]);
    if (doubts) add(doubts);
  });
  return [...all.values()];
}
