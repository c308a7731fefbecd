// All values of a list, as one of several answers: a list, or a small table when they are records. What
// is not in every answer is marked.
import type { Labelled, LabelValue, Spot } from "./labelling";
import { spotsOf } from "./labelling";
import { t } from "./words/words";

const MOST = 40; // items that are all shown; of more only those that differ
const LONG = 120;

const isSpot = (value: LabelValue | undefined): value is Spot => !!value && typeof value === "object" && !Array.isArray(value) && typeof (value as Spot).start === "number";
export const short = (text: string) => (text.length > LONG ? `${text.slice(0, LONG - 1)}…` : text);
const keyOf = (value: LabelValue) => spotsOf(value).map((spot) => `${spot.start}-${spot.end}`).join(" ");

function Cell(props: { value: LabelValue | undefined }) {
  const { value } = props;
  if (value === null || value === undefined) return <>–</>;
  if (isSpot(value)) return <bdi>{short(value.value)}</bdi>;
  if (!Array.isArray(value)) return <Values items={[value]} others={[]} />;
  return value.length ? <Values items={value} others={[]} /> : <>–</>;
}

// As deep as the fields are, which somebody has named.
export function Values(props: { items: LabelValue[]; others: LabelValue[][] }) {
  const others = props.others.map((items) => new Set(items.map(keyOf)));
  const differs = (item: LabelValue) => others.some((keys) => !keys.has(keyOf(item)));
  const all = props.items.map((item, index) => ({ item, number: index + 1, differs: differs(item) }));
  const shown = all.length <= MOST ? all : [...all.filter((one) => one.differs), ...all.filter((one) => !one.differs)].slice(0, MOST).sort((a, b) => a.number - b.number);
  const left = all.length - shown.length;
  if (!all.length) return <p class="none"><i>{t.answerValues.none}</i></p>;
  // of as many rows in every answer single cells can be told
  const inStep = props.others.every((items) => items.length === props.items.length);
  const cellDiffers = (index: number, column: string) => inStep && props.others.some((items) => keyOf((items[index] as Labelled)?.[column] ?? null) !== keyOf((props.items[index] as Labelled)?.[column] ?? null));
  const rows = all.some((one) => one.item && !isSpot(one.item) && !Array.isArray(one.item));
  const columns = rows ? [...new Set(all.flatMap((one) => Object.keys((one.item ?? {}) as Labelled)))] : [];
  return <>
    {rows ? <table class="values">
      <thead><tr>{columns.map((column) => <th scope="col"><bdi>{column}</bdi></th>)}</tr></thead>
      <tbody>{shown.map((one) => <tr class={one.differs && !inStep ? "differs" : ""}>{columns.map((column) => <td class={cellDiffers(one.number - 1, column) ? "differs" : ""}><Cell value={(one.item as Labelled)[column]} /></td>)}</tr>)}</tbody>
    </table> : <ol class="values">{shown.map((one) => <li value={one.number} class={one.differs ? "differs" : ""}><Cell value={one.item} /></li>)}</ol>}
    {left > 0 && <small>{t.answerValues.sameMore(left)}</small>}
  </>;
}
