// A record of a run on its page: runs keep values without their places, so the extractor reads the page again.
import { useMemo } from "preact/hooks";
import { api, type Row } from "./api";
import { rowsOf } from "./labelling";
import { columnsFor, marksOf } from "./lists_view";
import { PageFrame } from "./page_frame";
import { useLoaded, useWorkbench } from "./state";
import { places } from "./values";
import { number, t } from "./words/words";

// `record` counts from 0 among the records of the page; null: the page as a whole.
export interface Shown { page: string; record: number | null; number: number | null; field: string | null }

const pathIn = (row: Row | undefined, field: string) => {
  let values: unknown[] = [row];
  for (const part of field.split(".")) values = values.flatMap((one) => (Array.isArray(one) ? one : [one])).map((one) => (one as Row | null | undefined)?.[part] ?? null);
  return values.flatMap((one) => places(one as never));
};

export function RecordPage(props: { shown: Shown; wrapper: string | null; version: number; onClose: () => void }) {
  const bench = useWorkbench(), { shown, wrapper } = props;
  const page = bench.pages.find((one) => one.name === shown.page) ?? null;
  const { value: rows } = useLoaded([page?.id, wrapper, props.version], async () => {
    if (!page || !wrapper) return [];
    const [answer] = await api.extract(bench.site, wrapper, [page.id], props.version || undefined);
    return rowsOf(answer?.found);
  });
  const chosen = shown.record ?? undefined;
  const marks = useMemo(() => (rows ? marksOf(rows, columnsFor(rows), chosen) : []), [rows, chosen]);
  const show = useMemo(() => {
    const row = chosen === undefined ? undefined : rows?.[chosen];
    const here = row ? [...(shown.field ? pathIn(row, shown.field) : []), ...Object.values(row).flatMap(places)][0] : undefined;
    return here ? { byte: here.start } : null;
  }, [rows, chosen, shown.field]);
  const title = shown.number === null ? t.recordPage.page(shown.page) : t.recordPage.record(number(shown.number + 1), shown.page);
  return <section class="record-page" aria-label={t.recordPage.label}>
    <div class="bar"><div role="status"><h2>{title}</h2></div>
      {page && <button onClick={() => { bench.setPage(page); bench.setView("wrappers"); }}>{t.recordPage.extractors}</button>}
      <button onClick={props.onClose}>{t.recordPage.close}</button></div>
    {page ? <PageFrame page={page.id} marks={marks} show={show} label={title} /> : <p class="quiet">{t.recordPage.gone}</p>}
  </section>;
}
