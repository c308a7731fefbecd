// The workbench: one page for the whole life of a wrapper.
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { LabelsView } from "./labels_view";
import { LifeView } from "./life_view";
import { ListsView } from "./lists_view";
import { PagesView } from "./pages_view";
import { Rail } from "./rail";
import { RecordsView } from "./records_view";
import { Context, useWorkbenchState, type ViewName } from "./state";
import { TemplateView } from "./template_view";
import { Waiting } from "./waiting";
import { t } from "./words/words";
import { WrappersView } from "./wrappers_view";

const VIEWS: { name: ViewName; words: string; show: () => preact.JSX.Element | null }[] = [
  { name: "pages", words: t.views.pages, show: PagesView },
  { name: "lists", words: t.views.lists, show: ListsView },
  { name: "labels", words: t.views.labels, show: LabelsView },
  { name: "template", words: t.views.template, show: TemplateView },
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
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const to = VIEWS[(VIEWS.indexOf(view) + step + VIEWS.length) % VIEWS.length]!;
    bench.setView(to.name);
    document.getElementById(`tab-${to.name}`)?.focus();
  };
  return <Context.Provider value={bench}>
    <header>
      <b class="logo">Thresh</b>
      <div role="tablist" aria-label={t.views.all} class="tabs" onKeyDown={turn}>{VIEWS.map((one, index) => <button role="tab" id={`tab-${one.name}`} aria-controls="view" aria-selected={one.name === view.name} tabIndex={one.name === view.name ? 0 : -1}
        title={`Alt+${index + 1}`} onClick={() => bench.setView(one.name)}>{one.words}</button>)}</div>
      <button class="undo" disabled={!bench.undos.length} title="Ctrl+Z" onClick={() => void bench.undo()}>{bench.undos.length ? t.main.undoOf(bench.undos[bench.undos.length - 1]!.words) : t.main.undo}</button>
    </header>
    <Rail />
    <main id="view" role="tabpanel" aria-labelledby={`tab-${view.name}`}>
      <p class={`message ${bench.message?.bad ? "bad" : ""}`} role={bench.message?.bad ? "alert" : "status"}>{bench.message?.words ?? ""}</p>
      <Waiting />
      {bench.loaded ? <Shown key={bench.site} /> : <p class="quiet">{t.main.loading(bench.site)}</p>}
    </main>
  </Context.Provider>;
}

const root = document.getElementById("app")!;
root.replaceChildren();
render(<App />, root);
