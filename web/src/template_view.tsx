// The template of pages that are built alike: what all of them share greyed, what differs lit, and the
// schema that follows from it.
import { useMemo, useState } from "preact/hooks";
import { api, type Found, type Knobs, type Learnt } from "./api";
import { CommandLine, where } from "./command_line";
import { Downloads } from "./downloads";
import { asOptions, KnobBar, turned } from "./knobs";
import { EngineWords, HowFound } from "./how_found";
import { rowsOf } from "./labelling";
import { columnsFor, marksOf } from "./lists_view";
import { PageFrame, SourceView } from "./page_frame";
import { PageShare } from "./page_share";
import { SchemaBox, type SchemaType } from "./rules";
import { SaveWrapper } from "./save_wrapper";
import { useLoaded, useWorkbench } from "./state";
import { RecordTable } from "./table";
import { TemplateTree } from "./template_tree";
import { shell } from "./values";
import { number, t } from "./words/words";

const MOST_PAGES = 200; // that a template is learnt from while somebody waits

type Result = { learnt: Learnt; found: { id: number; found: Found }[]; options: string };

export function TemplateView() {
  const bench = useWorkbench();
  const page = bench.page;
  const [knobs, setKnobs] = useState<Knobs>({});
  const [source, setSource] = useState(false);
  const [name, setName] = useState("");
  // The pages that are built like the one at hand, and the number of that cluster.
  const { value: survey } = useLoaded([bench.which], () => api.clusters(bench.site));
  const cluster = survey && page ? survey.clusters.findIndex((one) => one.pages.includes(page.id)) : -1;
  const alike = useMemo(() => { const mine = new Set(survey?.clusters[cluster]?.pages); return survey && bench.pages.filter((one) => mine.has(one.id)); }, [survey, cluster, bench.pages]);
  const ids = (alike ?? []).slice(0, MOST_PAGES).map((one) => one.id), which = ids.join(), whole = bench.pages.length <= MOST_PAGES;
  const engine = knobs.paper ? "exalg" : "template";
  const set = turned(engine, knobs), how = JSON.stringify(set);
  const { value: result, loading } = useLoaded<Result | null>([which], async () => {
    if (ids.length < 2) return null;
    const learnt = await api.learn(bench.site, whole ? { engine, cluster: cluster + 1, labels: [] } : { engine, pages: ids, labels: [] }, set);
    return { learnt, found: await api.extract(bench.site, learnt.wrapper, ids), options: asOptions(engine, knobs) };
  }, [how]);
  const here = rowsOf(result?.found.find((one) => one.id === page?.id)?.found);
  const table = useMemo(() => (result?.found ?? []).flatMap((one) => rowsOf(one.found)), [result]);
  const columns = useMemo(() => columnsFor(table).map((column) => ({ ...column, on: true })), [table]);
  const marks = useMemo(() => marksOf(here, columns).filter((mark) => !mark.record), [result, page?.id]);

  if (!page) return <p class="quiet">{t.templateView.addFirst}</p>;
  if (survey && ids.length < 2) return <p class="quiet">{t.templateView.alone(page.name)}</p>;
  return <div class="lists-view">
    <div class="bar"><h1>{t.templateView.title(t.count.pages(ids.length))}</h1>
      {alike && alike.length > ids.length && <span class="quiet">{t.templateView.first(number(alike.length))}</span>}
      <KnobBar engine={engine} knobs={knobs} onChange={setKnobs} />
      <label><input type="checkbox" checked={source} onChange={(e) => setSource(e.currentTarget.checked)} /> {t.templateView.source}</label>
      <span role="status" class="quiet">{loading ? t.templateView.learning : ""}</span></div>
    <div class="split">
      <div class="left">{source ? <SourceView page={page.id} marks={marks} /> : <PageFrame page={page.id} marks={marks} grey={!!result} follow={page.id} label={t.templateView.page(page.name)} />}</div>
      <div class="right">
        {result && <>
          <PageShare page={page.id} marks={marks} />
          <TemplateTree wrapper={result.learnt.wrapper} columns={columns.map((column) => column.name)} />
          <details><summary>{t.rules.fields}</summary><SchemaBox schema={result.learnt.wrapper.schema as SchemaType} /></details>
          {knobs.paper ? <HowFound engine="exalg" knobs={set} page={page.id} pages={ids} /> : <details><summary>{t.howFound.title}</summary><EngineWords engine="template" /></details>}
          <details><summary>{t.templateView.paper}</summary><pre class="rules" tabIndex={0} aria-label={t.templateView.template}>{result.learnt.explain}</pre></details>
          <div class="bar"><Downloads name={bench.site} rows={table} columns={columns} wrapper={() => Promise.resolve(result.learnt.wrapper)} />
            <SaveWrapper wrapper={() => Promise.resolve(result.learnt.wrapper)} onNamed={setName} /></div>
          <RecordTable rows={table} columns={columns} label={t.templateView.gives} />
          <CommandLine command={whole ? `thresh learn ${where(bench)}${result.options}${cluster > 0 ? ` --cluster ${cluster + 1}` : ""} --save ${shell(name || "NAME")}` : `thresh extract ${where(bench)} -w ${shell(name || "NAME")}`} />
        </>}
      </div>
    </div>
  </div>;
}
