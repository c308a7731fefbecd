// A table of records that shows only the rows on the screen: 100,000 of them scroll like ten.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Row, Value } from "./api";
import type { Column } from "./columns";
import { DraftInput } from "./draft_input";
import { cell, colour } from "./values";
import { number, t } from "./words/words";

const ROW = 28;
const DRAGGED = "application/x-thresh-column";

export type { Column } from "./columns";

export function RecordTable(props: {
  rows: Row[]; columns: Column[]; onColumns?: (columns: Column[]) => void; onRow?: (index: number) => void;
  onCell?: (index: number, column: string) => void; onMenu?: (column: string, box: DOMRect) => void; onMove?: (from: number, to: number) => void; label: string; chosen?: number; sortable?: boolean;
  show?: { index: number } | null; // a record to bring into sight
}) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(400);
  const [sort, setSort] = useState<{ name: string; down: boolean } | null>(null);
  const [filter, setFilter] = useState("");
  const shown = props.columns.filter((column) => column.on);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const watch = new ResizeObserver(() => setHeight(element.clientHeight));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);

  const order = useMemo(() => {
    const wanted = filter.toLowerCase();
    let indexes = props.rows.map((_, index) => index);
    if (wanted) indexes = indexes.filter((i) => shown.some((c) => cell(props.rows[i]![c.name] as Value).toLowerCase().includes(wanted)));
    if (sort) {
      const keys = props.rows.map((row) => cell(row[sort.name] as Value));
      const numbers = keys.map((key) => { const digits = key.replace(/[^\d.-]/g, ""); return digits ? Number(digits) : NaN; });
      const numeric = indexes.every((i) => !keys[i] || !Number.isNaN(numbers[i]!));
      indexes.sort((a, b) => (numeric ? (numbers[a] || 0) - (numbers[b] || 0) : keys[a]!.localeCompare(keys[b]!)) * (sort.down ? -1 : 1));
    }
    return indexes;
  }, [props.rows, filter, sort, shown.map((c) => c.name).join("\n")]);

  useEffect(() => {
    const at = props.show ? order.indexOf(props.show.index) : -1, element = box.current;
    if (at >= 0 && element) element.scrollTop = Math.max(0, at * ROW - element.clientHeight / 2);
  }, [props.show]);

  const first = Math.max(0, Math.floor(top / ROW) - 5);
  const last = Math.min(order.length, Math.ceil((top + height) / ROW) + 5);
  const change = (index: number, more: Partial<Column>) =>
    props.onColumns?.(props.columns.map((column, i) => (i === index ? { ...column, ...more } : column)));

  const rowKeys = (event: KeyboardEvent, index: number) => {
    const row = event.currentTarget as HTMLElement;
    if (!props.onRow || event.target !== row) return;
    const to = event.key === "ArrowDown" ? row.nextElementSibling : event.key === "ArrowUp" ? row.previousElementSibling : null;
    if (event.key === "Enter" || event.key === " ") props.onRow(index);
    else if (to) (to as HTMLElement).focus();
    else return;
    event.preventDefault();
  };

  // The menu of a column can be dragged to another one: the column goes there.
  const dropped = (index: number) => !props.onMove ? {} : {
    onDragOver: (event: DragEvent) => { if (event.dataTransfer?.types.includes(DRAGGED)) event.preventDefault(); },
    onDrop: (event: DragEvent) => { const from = event.dataTransfer?.getData(DRAGGED); if (from) { event.preventDefault(); props.onMove!(Number(from), index); } },
  };

  return <div class="table-box">
    {props.sortable && <div class="table-tools">
      <label>{t.table.filter} <input type="search" value={filter} onInput={(e) => setFilter(e.currentTarget.value)} /></label>
      <span class="quiet" role="status">{t.table.of(number(order.length), number(props.rows.length))}</span>
    </div>}
    <div class="scroll" ref={box} tabIndex={0} role="region" aria-label={props.label} onScroll={(e) => setTop(e.currentTarget.scrollTop)}>
      <table aria-rowcount={order.length + 1}>
        <thead>
          <tr>{props.columns.map((column, index) => (column.on || props.onColumns) && <th scope="col" {...dropped(index)} class={column.on ? "" : "off"} style={{ "--c": column.colour ?? colour(index) }}
              aria-sort={sort?.name === column.name ? (sort.down ? "descending" : "ascending") : undefined}>
            {props.onColumns ? <span class="column-head">
              <input type="checkbox" checked={column.on} aria-label={t.table.keep(column.as)} onChange={(e) => change(index, { on: e.currentTarget.checked })} />
              <DraftInput class="name" value={column.as} aria-label={t.table.name(index + 1)} size={Math.max(6, column.as.length)}
                onDone={(as) => change(index, { as: as || column.name })} />
            </span> : <button class="plain" onClick={() => setSort(sort?.name === column.name ? (sort.down ? null : { name: column.name, down: true }) : { name: column.name, down: false })}>
              {column.as}{sort?.name === column.name ? (sort.down ? " ▾" : " ▴") : ""}</button>}
            {props.onMenu && <button class="plain column-menu" aria-haspopup="dialog" aria-label={t.fieldMenu.title(column.as)} draggable={!!props.onMove}
              onDragStart={(e) => e.dataTransfer?.setData(DRAGGED, String(index))} onClick={(e) => props.onMenu!(column.name, e.currentTarget.getBoundingClientRect())} />}
          </th>)}</tr>
        </thead>
        <tbody>
          {first > 0 && <tr aria-hidden="true" style={{ height: `${first * ROW}px` }} />}
          {order.slice(first, last).map((index, offset) => <tr aria-rowindex={first + offset + 2} class={props.chosen === index ? "chosen" : ""}
              tabIndex={props.onRow ? 0 : undefined} aria-current={props.onRow && props.chosen === index ? "true" : undefined}
              onClick={() => props.onRow?.(index)} onKeyDown={(e) => rowKeys(e, index)}>
            {props.columns.map((column) => {
              if (!column.on && !props.onColumns) return null;
              const text = cell(props.rows[index]![column.name] as Value);
              return <td class={column.on ? "" : "off"} title={text.length > 40 ? text : undefined}>{props.onCell
                ? <button class="cell" aria-label={t.table.correct(column.as, text || t.table.nothing)} dir="auto" onClick={() => props.onCell?.(index, column.name)}>{text || "–"}</button>
                : <div dir="auto">{text}</div>}</td>;
            })}
          </tr>)}
          {last < order.length && <tr aria-hidden="true" style={{ height: `${(order.length - last) * ROW}px` }} />}
        </tbody>
      </table>
    </div>
  </div>;
}
