// Clicks on values while no field is chosen: what one may mean is offered, more clicks make it exact, and what is taken
// becomes labels. A click on a value that is marked offers to correct it.
import { useEffect, useRef, useState } from "preact/hooks";
import { api, type LabelMore, type Region, type Row } from "./api";
import { problemOf } from "./field_form";
import { correctValue, NEW, viewOf, type Session } from "./label_session";
import { isRecordOf, overlap, pathOf, spotOf, spotsOf, valuesAt, withColumn, withCorrection, withValue, type Labelled, type LabelValue, type Spot } from "./labelling";
import { takePart } from "./label_fields";
import type { Box, Picked } from "./page_frame";
import type { Places } from "./page_places";
import { candidatesFor, likeStray, looksOf, nameFor, rowsToLabel, type Candidate, type Looks, type Pick } from "./pointing";
import { places } from "./values";
import { t } from "./words/words";

export interface Offer { page: number; box: Box; picks: Pick[]; candidates: Candidate[]; name: string }
export interface Correction { page: number; box: Box; field: string; spot: Spot; index: number; found: Row | undefined; isRecord: boolean; whole: Spot | null; alike: Spot[] } // alike: values of other records that are built like it; whole: a part of it was selected

export interface Pointing {
  offer: Offer | null; correction: Correction | null;
  places: { current: Places | null }; // of the page in the frame
  click: (picking: Promise<Picked>, box: Box) => void;
  take: (candidate: Candidate | null, name: string) => void; // null: only the value that was clicked
  assign: (field: string) => void; // the value is one of a field that there is
  rename: (name: string) => void;
  close: () => void;
  not: (how: "value" | "record" | "records") => void; // records: also those that are built like it
  instead: () => void;
  cut: (all: boolean) => void; // the part that was selected, in all values of the field or in this one
}

// The value of a field that is marked at a place, in what was found or labelled.
function markedAt(rows: Row[], fields: string[], spot: Spot): { field: string; index: number } | null {
  for (const [index, row] of rows.entries())
    for (const field of fields)
      if (valuesAt(row, field).flatMap(places).some((place) => overlap(place, spot))) return { field, index };
  return null;
}

const within = (nothing: { start: number; end: number }[] | undefined, more: { start: number; end: number }[]) => {
  const all = [...(nothing ?? [])];
  for (const { start, end } of more) if (!all.some((one) => one.start === start && one.end === end)) all.push({ start, end });
  return all.sort((a, b) => a.start - b.start);
};
const without = (nothing: { start: number; end: number }[] | undefined, spots: Spot[]) => nothing?.filter((one) => !spots.some((spot) => overlap(one, spot)));

const valuesOn = (records: Labelled[], field: string) => records.flatMap((record) => valuesAt(record, field)) as LabelValue[];

const MOST_COMPARED = 2000; // values

const MOST_LEFT = 40; // values that are left out: more teach nothing

// `rows`: what is shown as found on the page. `regionsOf`: the lists of a page.
export function usePointing(session: Session, rows: Row[], regionsOf: (page: number) => Promise<Region[]>): Pointing {
  const { bench, page } = session;
  const [offer, setOffer] = useState<Offer | null>(null);
  const [correction, setCorrection] = useState<Correction | null>(null);
  const shown = useRef<Places | null>(null);
  const now = useRef({ session, rows, offer });
  now.current = { session, rows, offer };
  const set = (next: Offer | null) => { now.current.offer = next; setOffer(next); };
  const close = () => { set(null); setCorrection(null); };
  useEffect(close, [page?.id, bench.site]);

  const labelledOn = async (name: string) => ((await api.labels(bench.site)).find((line) => line.page === name)?.records ?? []) as Labelled[];
  const open = async (box: Box, picks: Pick[], name?: string) => {
    const id = page!.id, looks: Looks = looksOf(shown.current);
    const [regions, labelled] = await Promise.all([regionsOf(id), labelledOn(page!.name)]);
    const candidates = candidatesFor(regions, picks, labelled, looks);
    set({ page: id, box, picks, candidates, name: name ?? nameFor(candidates[0]?.column, picks[0]!.spot, now.current.session.fields, looks) });
  };

  const take: Pointing["take"] = (candidate, typed) => {
    const { session: at, offer: of } = now.current;
    if (!of || !page) return;
    const yes = of.picks.filter((pick) => pick.yes).map((pick) => pick.spot), no = of.picks.filter((pick) => !pick.yes).map((pick) => pick.spot);
    const said = typed.trim() || of.name, name = candidate ? said.replaceAll(".", "_") : said, many = !!candidate && (candidate.many || !at.list) && !name.endsWith("[]");
    const field = `${name}${many ? "[]" : ""}`, isNew = !at.fields.includes(field), list = at.list;
    const wrong = isNew ? problemOf(field, at.fields) : "";
    if (wrong) { bench.fail(new Error(wrong)); return; }
    close();
    at.setActive(NEW);
    if (isNew) viewOf(bench.site)?.fields((all) => (all.includes(field) ? all : [...all, field]));
    const change = (had: Labelled[]): Labelled[] => {
      if (!candidate) return withValue(had, list, field, yes[0]!);
      if (!list) { const [first = {}, ...rest] = had; return [{ ...first, [pathOf(field).name]: candidate.items.map((item) => item.spot) }, ...rest]; }
      const chosen = new Set(rowsToLabel(candidate, had, yes));
      return withColumn(had, field, candidate.items.filter((item) => chosen.has(item.row)), candidate.rows.filter((row) => chosen.has(row)));
    };
    const taken = candidate ? candidate.items.map((item) => item.spot) : yes.slice(0, 1);
    const more = (line: LabelMore) => ({ ...line, nothing: list && candidate ? within(without(line.nothing, taken), [...no, ...candidate.left].slice(0, MOST_LEFT)) : without(line.nothing, taken) });
    const words = candidate ? t.labels.stored(field, t.offer.taken(candidate.items.length)) : t.labels.stored(field, yes[0]!.value.slice(0, 30));
    void at.storeAll(() => [{ page: page.name, change, more }], () => words, isNew ? () => viewOf(bench.site)?.fields((all) => all.filter((one) => one !== field)) : undefined);
  };

  const handle = async (of: number, spot: Spot, box: Box) => {
    const { session: at, rows: found, offer: had } = now.current;
    if (of !== at.page?.id) return; // somebody has gone to another page
    setCorrection(null);
    if (had) {
      const [first] = had.candidates;
      if (overlap(had.picks[0]!.spot, spot)) { close(); return; }
      if (first?.items.some((item) => overlap(item.spot, spot))) { await open(had.box, [...had.picks, { spot, yes: false }], had.name); return; }
      const sameRecord = !first || first.rows.some((row) => Object.values(row).flatMap(places).some((place) => overlap(place, spot)));
      if (!sameRecord) { await open(had.box, [...had.picks, { spot, yes: true }], had.name); return; }
      take(at.list && first ? first : null, had.name); // a value of another column: what was offered is taken as it is
      await bench.settled();
    }
    const marked = markedAt(found, at.fields, spot) ?? markedAt(at.records as Row[], at.fields, spot);
    if (marked && !had) {
      const labels = spotsOf(valuesOn(at.records, marked.field)), places_ = [...labels, ...valuesAt(found[marked.index], marked.field).flatMap(places)];
      const whole = places_.find((one) => one.start <= spot.start && spot.end <= one.end && (one.start < spot.start || spot.end < one.end)) as Spot | undefined;
      const looks = looksOf(shown.current), others = found.filter((_, i) => i !== marked.index).flatMap((row) => valuesAt(row, marked.field).flatMap(places)) as Spot[];
      const alike = at.list ? likeStray(spot, others.slice(0, MOST_COMPARED), looks) : [];
      setCorrection({ alike, page: of, box, spot, ...marked, found: found[marked.index], isRecord: at.list, whole: whole ?? null });
      return;
    }
    await open(box, [{ spot, yes: true }]);
  };
  // Clicks may be quicker than the server: one after the other.
  const order = useRef<Promise<void>>(Promise.resolve());
  const click: Pointing["click"] = (picking, box) => {
    const of = page!.id;
    order.current = order.current.then(async () => handle(of, spotOf(await picking), box)).catch(bench.fail);
  };

  const not: Pointing["not"] = (how) => {
    const at = correction;
    if (!at || !page) return;
    setCorrection(null);
    const spots = [at.spot, ...(how === "records" ? at.alike : [])], gone = now.current.rows.filter((row) => Object.values(row).flatMap(places).some((place) => spots.some((spot) => overlap(place, spot))));
    const nothing = how === "value" ? [] : [...spots, ...gone.flatMap((row) => Object.values(row).flatMap(places))];
    const more = (line: LabelMore) => ({ ...line, nothing: within(line.nothing, nothing) });
    const change = (had: Labelled[]) => how !== "value"
      ? had.filter((record) => !spotsOf(record).some((spot) => spots.some((one) => overlap(spot, one))) && !gone.some((row) => isRecordOf(record, row)))
      : withCorrection(had, session.list, at.found, session.fields, at.field, null);
    const words = how !== "value" ? t.offer.left(at.index + 1) : t.labels.stored(at.field, t.labels.noValue);
    void session.storeAll(() => [{ page: page.name, change, more }], () => words);
  };
  const cut = (all: boolean) => {
    const at = correction;
    setCorrection(null);
    if (!at?.whole || !page) return;
    const isLabelled = spotsOf(valuesOn(session.records, at.field)).some((spot) => overlap(spot, at.whole));
    if (all && isLabelled) { takePart(session, at.field, page.name, at.whole, at.spot); return; }
    session.store(page.name, (had) => withCorrection(had, session.list, at.found, session.fields, at.field, at.spot), t.labels.stored(at.field, at.spot.value.slice(0, 30)));
  };
  return {
    cut,
    offer, correction, places: shown, click, take, close, not,
    rename: (name) => { if (offer) set({ ...offer, name }); },
    assign: (field) => {
      const spot = offer?.picks[0]?.spot;
      close();
      if (!spot || !page) return;
      const change = (had: Labelled[]) => withValue(had, session.list, field, spot);
      void session.storeAll(() => [{ page: page.name, change, more: (line) => ({ ...line, nothing: without(line.nothing, [spot]) }) }], () => t.labels.stored(field, spot.value.slice(0, 30)));
    },
    instead: () => {
      if (correction) correctValue(session, correction.page, correction.index, correction.found, correction.field);
      setCorrection(null);
    },
  };
}
