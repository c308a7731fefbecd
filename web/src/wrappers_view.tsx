// Extractors (wrappers): versions, the rules as the papers write them, and running one over the site.
import { useMemo, useState } from "preact/hooks";
import { api, type Hit, type Knobs, type Page, type Wrapper } from "./api";
import { CommandLine, where, wrapperText } from "./command_line";
import { EngineWords, HowFound } from "./how_found";
import { rowsOf } from "./labelling";
import { hasLandmarks, Landmarks } from "./landmarks";
import { columnsFor, marksOf } from "./lists_view";
import { PageFrame, SourceView } from "./page_frame";
import { HitChoice, HitTable, useHits } from "./rule_hits";
import { RuleGraph } from "./rule_graph";
import { patternsOf, SchemaBox, type SchemaType } from "./rules";
import { useLoaded, useWorkbench } from "./state";
import { hasTemplate, TemplateTree } from "./template_tree";
import { day, download, shell } from "./values";
import { t } from "./words/words";

const NONE: Hit[] = [];

// How an extractor was learnt: the options of its paper, and the pages that are still there.
const provenance = (wrapper: Wrapper) => wrapper["provenance"] as { options?: Knobs; pages?: { page: string }[] } | undefined;
const optionsOf = (wrapper: Wrapper): Knobs => { const { pick: _, ...knobs } = provenance(wrapper)?.options ?? {}; return knobs; };
const learntFrom = (wrapper: Wrapper, pages: Page[]) => { const names = new Set(provenance(wrapper)?.pages?.map((one) => one.page)); return pages.filter((one) => names.has(one.name)).map((one) => one.id); };

export function WrappersView() {
  const bench = useWorkbench();
  const [chosen, setChosen] = useState<{ name: string; version: number } | null>(null);
  const { value: wrappers } = useLoaded([bench.site], () => api.wrappers(bench.site), [bench.version]);
  const latest = wrappers?.[wrappers.length - 1];
  const at = chosen && wrappers?.some((one) => one.name === chosen.name && one.version === chosen.version) ? chosen
    : latest ? { name: latest.name, version: latest.version } : null;
  const { value: shown } = useLoaded([at?.name, at?.version], () => (at ? api.wrapper(bench.site, at.name, at.version) : Promise.resolve(null)));
  const page = bench.page;
  const { value: read } = useLoaded([at?.name, at?.version, page?.id], async () => {
    if (!at || !page) return null;
    const [answer] = await api.extract(bench.site, at.name, [page.id], at.version);
    const rows = rowsOf(answer?.found);
    return { rows, marks: marksOf(rows, columnsFor(rows)), hits: await api.hits(bench.site, at.name, page.id, at.version) };
  });
  const [source, setSource] = useState(false);
  const found = useHits(read?.hits ?? NONE);
  // What somebody wants to see of the page: it is framed there.
  const [led, setLed] = useState<{ of: unknown; start: number; end: number } | null>(null);
  const lead = led && led.of === read ? led : null, show = useMemo(() => (lead ? { byte: lead.start } : null), [lead]);
  const onShow = ({ start, end }: { start: number; end: number }) => setLed({ of: read, start, end });
  const marks = useMemo(() => [...(read?.marks ?? []).filter((mark) => !lead || !mark.record), ...found.marks, ...(lead ? [{ start: lead.start, end: lead.end, colour: "hsl(0 80% 45%)", words: "", record: true }] : [])], [read, found.marks, lead]);
  if (!wrappers?.length) return <p class="quiet">{t.wrappersView.none}</p>;
  const run = async () => {
    if (!at) return;
    try { await bench.began(() => api.run(bench.site, at.name, at.version), "extract", at.name); bench.goOn("records"); } catch (error) { bench.fail(error); }
  };
  const remove = async () => {
    if (!at || !shown) return;
    const site = bench.site, kept = shown.wrapper, { name, version } = at;
    await bench.change(async () => {
      await api.removeWrapper(site, name, version);
      return { words: t.wrappersView.removal(name, version), undo: async () => { await api.saveWrapper(site, name, kept); } };
    });
  };
  return <div class="wrappers-view">
    <h1>{t.wrappersView.title(bench.site)}</h1>
    <div class="split extractors">
      <div class="extractor-side">
      <table class="overview"><caption>{t.wrappersView.versions(wrappers.length)}</caption>
        <thead><tr><th scope="col">{t.wrappersView.extractor}</th><th scope="col">{t.wrappersView.version}</th><th scope="col">{t.wrappersView.engine}</th><th scope="col">{t.wrappersView.saved}</th></tr></thead>
        <tbody>{[...wrappers].reverse().map((one) => <tr class={one.name === at?.name && one.version === at.version ? "chosen" : ""}>
          <td><button class="plain" onClick={() => setChosen({ name: one.name, version: one.version })}>{one.name}</button></td>
          <td class="number">{one.version}</td><td>{one.engine}</td><td>{day(one.added)}</td></tr>)}</tbody>
      </table>
      {at && shown && page && <section class="reads" aria-label={t.wrappersView.reads(page.name)}>
        <div class="bar"><h2>{t.wrappersView.reads(page.name)}{read ? `: ${t.count.records(read.rows.length)}` : "…"}</h2>
          <label><input type="checkbox" checked={source} onChange={(e) => setSource(e.currentTarget.checked)} /> {t.wrappersView.source}</label></div>
        <HitChoice {...found} />
        <div class="page-now">{source ? <SourceView page={page.id} marks={marks} /> : <PageFrame page={page.id} marks={marks} grey follow={page.id} show={show} label={t.wrappersView.page(page.name)} />}</div>
      </section>}
      </div>
      {at && shown && <section aria-label={t.wrappersView.one}>
        <div class="bar"><h2>{t.wrappersView.heading(at.name, at.version)}</h2>
          <button class="main" data-step="run" onClick={() => void run()}>{t.wrappersView.run}</button>
          <button onClick={() => void remove()}>{t.wrappersView.remove}</button>
          <button onClick={() => download(`${at.name}.json`, JSON.stringify(shown.wrapper, null, 2) + "\n", "application/json")}>{t.wrappersView.download}</button></div>
        <EngineWords engine={shown.wrapper.engine} />
        <h3>{t.rules.fields}</h3>
        <SchemaBox schema={shown.wrapper.schema as SchemaType} />
        {shown.graph && <><h3>{t.ruleGraph.title}</h3><RuleGraph dot={shown.graph} hits={read?.hits ?? NONE} onShow={onShow} onField={found.setField} /></>}
        {hasTemplate(shown.wrapper) && <><h3>{t.wrappersView.template}</h3><TemplateTree wrapper={shown.wrapper} columns={columnsFor(read?.rows ?? []).map((column) => column.name)} /></>}
        {hasLandmarks(shown.wrapper) && <><h3>{t.landmarks.title}</h3><Landmarks wrapper={shown.wrapper} hits={read?.hits ?? NONE} chosen={found.field} onField={found.setField} onShow={onShow} /></>}
        {page && (shown.wrapper.engine === "mdr" || shown.wrapper.engine === "iepad") && <HowFound words={false} key={`${at.name} ${at.version}`} engine={shown.wrapper.engine} knobs={optionsOf(shown.wrapper)} page={page.id} patterns={patternsOf(shown.wrapper)} onShow={onShow} />}
        {shown.wrapper.engine === "exalg" && page && <HowFound words={false} key={`${at.name} ${at.version}`} engine="exalg" knobs={optionsOf(shown.wrapper)} page={page.id} pages={learntFrom(shown.wrapper, bench.pages)} />}
        <h3>{t.wrappersView.rules}</h3>
        <pre class="rules" tabIndex={0} aria-label={t.wrappersView.rules}>{shown.explain}</pre>
        {page && <HitTable {...found} />}
        <CommandLine command={`${wrapperText(bench, `${at.name}@${at.version}`)} | thresh show -`} />
        <CommandLine command={`thresh extract ${where(bench)} -w ${shell(`${at.name}@${at.version}`)}`} />
      </section>}
    </div>
  </div>;
}
