// The workbench: one page for the whole life of an extractor.
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { LabelsView } from "./labels_view";
import { LifeView } from "./life_view";
import { ListsView } from "./lists_view";
import { NextStep } from "./next_step";
import { PagesView } from "./pages_view";
import { Rail } from "./rail";
import { RecordsView } from "./records_view";
import { Said } from "./said";
import { sampleArrived } from "./sample";
import { NeedsPage } from "./start_view";
import { Context, useWorkbenchState, type ViewName } from "./state";
import { TemplateView } from "./template_view";
import { Waiting } from "./waiting";
import { BACK, chooseLanguage, language, LANGUAGES, ON, t } from "./words/words";
import { WrappersView } from "./wrappers_view";

// `page`: it shows a page, and has nothing to show without one.
const VIEWS: { name: ViewName; words: string; show: () => preact.JSX.Element | null; page?: boolean }[] = [
  { name: "pages", words: t.views.pages, show: PagesView },
  { name: "lists", words: t.views.lists, show: ListsView, page: true },
  { name: "labels", words: t.views.labels, show: LabelsView, page: true },
  { name: "template", words: t.views.template, show: TemplateView, page: true },
  { name: "wrappers", words: t.views.wrappers, show: WrappersView },
  { name: "life", words: t.views.life, show: LifeView },
  { name: "records", words: t.views.records, show: RecordsView },
];

function App() {
  const bench = useWorkbenchState();
  const view = VIEWS.find((one) => one.name === bench.view) ?? VIEWS[0]!;
  const Shown = view.show;
  useEffect(() => {
    const keys = (event: KeyboardEvent) => {
      const typing = /^(INPUT|TEXTAREA|SELECT)$/.test((event.target as HTMLElement).tagName);
      if ((event.ctrlKey || event.metaKey) && event.key === "z" && !typing) { event.preventDefault(); void bench.undo(); }
      if (event.altKey && /^[1-9]$/.test(event.key)) { const to = VIEWS[Number(event.key) - 1]; if (to) { event.preventDefault(); bench.setView(to.name); } }
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  });
  const turn = (event: KeyboardEvent) => {
    const step = { [ON]: 1, [BACK]: -1 }[event.key];
    if (!step) return;
    const to = VIEWS[(VIEWS.indexOf(view) + step + VIEWS.length) % VIEWS.length]!;
    bench.setView(to.name);
    document.getElementById(`tab-${to.name}`)?.focus();
  };
  useEffect(() => { document.title = t.main.title(bench.site); }, [bench.site]);
  useEffect(() => sampleArrived(bench));
  // When the button that was pressed has gone with its view, the keyboard goes on in the new one.
  useEffect(() => { if (document.activeElement === document.body) document.getElementById("view")?.focus({ preventScroll: true }); }, [bench.view, bench.site]);
  const last = bench.undos[bench.undos.length - 1];
  return <Context.Provider value={bench}>
    <header>
      <b class="logo">Thresh</b>
      <div role="tablist" aria-label={t.views.all} class="tabs" onKeyDown={turn}>{VIEWS.map((one, index) =>
        <button role="tab" id={`tab-${one.name}`} aria-controls="view" aria-selected={one.name === view.name} tabIndex={one.name === view.name ? 0 : -1}
          title={`Alt+${index + 1}`} onClick={() => bench.setView(one.name)}>{one.words}</button>)}</div>
      <button class="undo" disabled={!last} title={t.main.undoKey} onClick={() => void bench.undo()}>{last ? t.main.undoOf(last.words) : t.main.undo}</button>
      <select class="language" aria-label={t.main.language} title={t.main.language} value={language.code} onChange={(e) => chooseLanguage(e.currentTarget.value)}>
        {LANGUAGES.map((one) => <option value={one.code} lang={one.code} dir={one.right ? "rtl" : "ltr"}>{one.name}</option>)}</select>
    </header>
    <Rail />
    <main>
      <div class="top-line"><Said /><NextStep /></div>
      <Waiting />
      <div id="view" role="tabpanel" tabIndex={-1} aria-labelledby={`tab-${view.name}`}>
        {!bench.loaded ? <p class="quiet">{t.main.loading(bench.site)}</p>
          : view.page && !bench.pages.length ? <NeedsPage title={view.words} /> : <Shown key={bench.site} />}
      </div>
    </main>
  </Context.Provider>;
}

const root = document.getElementById("app")!;
root.replaceChildren();
render(<App />, root);
