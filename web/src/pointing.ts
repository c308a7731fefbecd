// Point once, get all: the lists that a value on the page is in.
//
// The lists of the page (api.regions) have columns, and the columns that have the value are what it may be one of. More
// values make it exact: one that does not belong leaves those that are built like it out, one that was not counted
// brings in those that are built like that.
import type { Region, Row, Value } from "./api";
import { overlap, spotsOf, type Item, type Labelled, type Spot } from "./labelling";
import type { Places } from "./page_places";
import { cell, isPlace, places } from "./values";

// A value that somebody clicked: it belongs, or it does not.
export interface Pick { spot: Spot; yes: boolean }
// One reading of the picks. `left`: values that a wider reading has and this one does not.
export interface Candidate { column: string; items: Item[]; rows: Row[]; many: boolean; left: Spot[] }

// What the page in the frame says of its texts: how one is built, and which are in a stretch.
export interface Looks { featuresOf: (start: number) => string[]; textsIn: (start: number, end: number) => Spot[] }

const MOST = 3; // readings that are offered
const MOST_LABELS = 60; // of one list: more teach nothing, and are slow to store
const LEVELS = 12; // elements above a text that are compared

export function looksOf(places: Places | null): Looks {
  const texts = places?.texts;
  return {
    featuresOf: (start) => {
      const features: string[] = [];
      let element = texts?.nodes[texts.firstAfter(start)]?.parentElement ?? null;
      if (element?.localName === "th-t") element = element.parentElement;
      for (let level = 0; element && element.localName !== "body" && level < LEVELS; level++, element = element.parentElement) {
        features.push(`${level} ${element.localName}`);
        for (const name of element.classList) features.push(`${level} .${name}`);
      }
      return features;
    },
    textsIn: (start, end) => {
      const [first, behind] = texts?.within({ start, end }) ?? [0, 0];
      return Array.from({ length: behind - first }, (_, i) => ({ value: texts!.nodes[first + i]!.data.trim(), ...texts!.span(first + i) }));
    },
  };
}

const spotsOfValue = (value: Value | undefined): Spot[] => {
  if (!value) return [];
  if (Array.isArray(value)) return value.flatMap(spotsOfValue);
  if (!isPlace(value)) return [];
  return value.start === undefined || value.end === undefined ? [] : [{ value: cell(value), start: value.start, end: value.end }];
};

const has = (items: Item[], spot: Spot) => items.some((item) => overlap(item.spot, spot));
const byPlace = (items: Item[]) => { const starts = new Set(items.map((item) => item.spot.start)); return (spot: Spot) => starts.has(spot.start); };
const keyOf = (items: Item[]) => items.map((item) => `${item.spot.start}-${item.spot.end}`).join();

// A value that was clicked may be a part of what the column has: "by <i>Anna</i>". Then the same part of the others is
// meant, the text that is built alike.
function partsOf(items: Item[], spot: Spot, looks: Looks): Item[] {
  const whole = items.find((item) => overlap(item.spot, spot));
  if (!whole || (spot.start <= whole.spot.start && spot.end >= whole.spot.end)) return items;
  const wanted = looks.featuresOf(spot.start).join("\n");
  if (!wanted) return items;
  return items.flatMap(({ spot: one, row }) => {
    const text = looks.textsIn(one.start, one.end).find((each) => looks.featuresOf(each.start).join("\n") === wanted);
    return text ? [{ spot: text, row }] : [];
  });
}

// The values that are built like those that belong, and not like those that do not.
function alike(items: Item[], yes: Spot[], no: Spot[], looks: Looks): Item[] {
  const common = (spots: Spot[]) => spots.map((spot) => new Set(looks.featuresOf(spot.start))).reduce((all, one) => new Set([...all].filter((each) => one.has(each))));
  const any = (spots: Spot[]) => new Set(spots.flatMap((spot) => looks.featuresOf(spot.start)));
  const own = common(yes), others = no.length ? common(no) : new Set<string>(), theirs = any(no), ours = any(yes);
  const signs = no.length ? [...own].filter((each) => !theirs.has(each)) : [...own];
  const against = [...others].filter((each) => !ours.has(each));
  if (!signs.length && !against.length) return items;
  return items.filter(({ spot }) => {
    const features = new Set(looks.featuresOf(spot.start));
    return signs.every((each) => features.has(each)) && (signs.length > 0 || !against.some((each) => features.has(each)));
  });
}

// Tells of a row whether one of some labelled records has a place of it; quick, as lists may be long.
function isLabelledBy(labelled: Labelled[]): (row: Row) => boolean {
  const spots = labelled.flatMap((record) => spotsOf(record)).sort((a, b) => a.start - b.start);
  const meets = ({ start, end }: { start: number; end: number }) => {
    let low = 0, high = spots.length;
    while (low < high) { const middle = (low + high) >> 1; if (spots[middle]!.start < end) low = middle + 1; else high = middle; }
    return low > 0 && spots[low - 1]!.end > start;
  };
  return (row) => spots.length > 0 && Object.values(row).some((value) => places(value).some(meets));
}

interface Column { name: string; items: Item[]; rows: Row[] }

// The columns that have a value, in the order of the lists. Where some records are labelled, theirs alone count.
function columnsWith(regions: Region[], spot: Spot, labelled: Labelled[], looks: Looks): Column[] {
  return regions.flatMap(({ records }) => {
    const known = records.length > MOST_LABELS ? [] : records.filter(isLabelledBy(labelled)); // of a long list only some are labelled
    const rows = known.length && known.some((row) => Object.values(row).some((value) => spotsOfValue(value).some((one) => overlap(one, spot)))) ? known : records;
    return [...new Set(rows.flatMap((row) => Object.keys(row)))].flatMap((name): Column[] => {
      const items = rows.flatMap((row) => spotsOfValue(row[name]).map((one) => ({ spot: one, row })));
      return has(items, spot) ? [{ name, items: partsOf(items, spot, looks), rows }] : [];
    });
  });
}

// What the picks may mean, the likeliest first: of one value the best list that it is in; of several the smallest that
// has all that belong and none that does not.
export function candidatesFor(regions: Region[], picks: Pick[], labelled: Labelled[], looks: Looks): Candidate[] {
  const yes = picks.filter((pick) => pick.yes).map((pick) => pick.spot), no = picks.filter((pick) => !pick.yes).map((pick) => pick.spot);
  if (!yes.length) return [];
  const readings: Column[] = [];
  for (const column of columnsWith(regions, yes[0]!, labelled, looks)) {
    const missing = yes.filter((spot) => !has(column.items, spot));
    if (missing.length) { // values of another list belong, too: all that are built like them, or they alone
      const more = missing.map((spot) => columnsWith(regions, spot, labelled, looks).find((other) => !other.items.some((item) => has(column.items, item.spot))));
      const join = (items: Item[][], rows: Row[][]) => readings.push({ ...column, items: [...column.items, ...items.flat()], rows: [...column.rows, ...rows.flat()] });
      const alone = missing.map((spot) => ({ spot, row: { [column.name]: spot } as Row }));
      if (more.every((one) => one)) join(more.map((one) => one!.items), more.map((one) => one!.rows));
      join([alone], [alone.map((one) => one.row)]);
    } else {
      readings.push(column);
      if (picks.length > 1) {
        const items = alike(column.items, yes, no, looks);
        readings.push({ ...column, items, rows: column.rows.filter((row) => items.some((item) => item.row === row)) });
      }
    }
  }
  const fits = readings.filter(({ items }) => items.length > 1 && yes.every((spot) => has(items, spot)) && !no.some((spot) => has(items, spot)));
  // none is left: all of the best but those that do not belong
  if (!fits.length && no.length) {
    const best = readings.find(({ items }) => yes.every((spot) => has(items, spot)));
    if (best) { const items = best.items.filter((item) => !no.some((spot) => overlap(item.spot, spot))); fits.push({ ...best, items, rows: best.rows.filter((row) => items.some((item) => item.row === row)) }); }
  }
  if (picks.length > 1) fits.sort((a, b) => Number(a.items.length <= yes.length) - Number(b.items.length <= yes.length) || a.items.length - b.items.length);
  const seen = new Set<string>(), different = fits.filter(({ items }) => !seen.has(keyOf(items)) && seen.add(keyOf(items))).slice(0, MOST);
  const byPlaces = new Map(readings.map((one) => [one, byPlace(one.items)]));
  const wider = (one: Column) => readings.filter((other) => other.items.length > one.items.length && other.name === one.name && one.items.every((item) => byPlaces.get(other)!(item.spot))).flatMap((other) => other.items);
  return different.map((one) => ({
    column: one.name, items: one.items, rows: one.rows, many: new Set(one.items.map((item) => item.row)).size < one.items.length,
    left: picks.length > 1 || different[0] !== one ? wider(one).map((item) => item.spot).filter((spot) => !byPlaces.get(one)!(spot)) : [],
  }));
}


// The rows of a reading that are labelled: those that have labels, or some from all over a long list.
export function rowsToLabel(candidate: Candidate, labelled: Labelled[], yes: Spot[]): Row[] {
  const { rows, items } = candidate;
  const known = rows.filter(isLabelledBy(labelled));
  if (known.length || rows.length <= MOST_LABELS) return known.length && known.length < rows.length && rows.length > MOST_LABELS ? known : rows;
  const step = rows.length / MOST_LABELS;
  const some = new Set(Array.from({ length: MOST_LABELS }, (_, i) => rows[Math.floor(i * step)]!));
  for (const item of items) if (yes.some((spot) => overlap(spot, item.spot))) some.add(item.row);
  return rows.filter((row) => some.has(row));
}

// A name for the column: what the list calls it, unless that says nothing; then what its element is called.
export function nameFor(column: string | undefined, spot: Spot, taken: string[], looks: Looks): string {
  const plain = (name: string) => name.replace(/_\d+$/, "");
  const isVague = (name: string) => /^(text|field|other|value|link|image|heading)(_\d+)?$/.test(name);
  const classes = looks.featuresOf(spot.start).filter((each) => /^[01] \./.test(each)).map((each) => each.slice(3)).filter((name) => /^[a-z][a-z_-]{1,20}$/i.test(name));
  const tag = looks.featuresOf(spot.start).find((each) => /^[0-2] h[1-3]$/.test(each)) ? "title" : undefined;
  const base = column && !isVague(column) ? column : classes[0]?.replaceAll("-", "_") ?? tag ?? (column ? plain(column) : "field");
  const used = new Set(taken.map((field) => field.replace(/\[\]$/, "").split(".")[0]));
  let name = base;
  for (let n = 2; used.has(name); n++) name = `${plain(base)}_${n}`;
  return name;
}

// Values of a column that are built like one that does not belong, and unlike most of the others.
export function likeStray(stray: Spot, others: Spot[], looks: Looks): Spot[] {
  const features = others.map((spot) => new Set(looks.featuresOf(spot.start)));
  const signs = looks.featuresOf(stray.start).filter((each) => 2 * features.filter((one) => one.has(each)).length < others.length);
  return signs.length ? others.filter((_, i) => signs.every((each) => features[i]!.has(each))) : [];
}
