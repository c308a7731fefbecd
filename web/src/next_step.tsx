// One line in every view: the next useful step, and the way there.
import { useWorkbench, type ViewName, type Workbench } from "./state";
import { t } from "./words/words";

// `to`: another view. `at`: what gets the focus in this one.
interface Step { words: string; to?: ViewName; at?: string }

const SAVING = ".save input", RUNNING = "[data-step=run]", CHECKING = "[data-step=check]";

function stepOf(bench: Workbench): Step | null {
  const site = bench.sites.find((one) => one.name === bench.site);
  const extractors = site?.wrappers ?? 0, runs = site?.runs ?? 0;
  if (!bench.pages.length) return bench.view === "pages" ? null : { words: t.nextStep.addPage, to: "pages" };
  const after: Step = runs ? { words: t.nextStep.seeResults, to: "records" } : { words: t.nextStep.runExtractor, to: "wrappers" };
  switch (bench.view) {
    case "pages": return extractors ? after : { words: t.nextStep.seeLists, to: "lists" };
    case "lists": return extractors ? after : { words: t.nextStep.saveList, at: SAVING };
    case "labels": return site?.labels ? { words: t.nextStep.saveLabels, at: SAVING } : { words: t.nextStep.nameField, at: ".fields input" };
    case "template": return { words: t.nextStep.saveTemplate, at: SAVING };
    case "wrappers": return !extractors ? { words: t.nextStep.makeExtractor, to: "lists" } : runs ? after : { words: t.nextStep.runThis, at: RUNNING };
    case "life": return !extractors ? { words: t.nextStep.makeExtractor, to: "lists" } : runs ? after : { words: t.nextStep.checkNow, at: CHECKING };
    case "records": return !extractors ? { words: t.nextStep.makeExtractor, to: "lists" } : runs ? { words: t.nextStep.monitor, to: "life" } : after;
  }
}

export function NextStep() {
  const bench = useWorkbench(), step = stepOf(bench);
  if (!step) return null;
  const go = () => {
    if (step.to) {
      bench.setView(step.to);
      document.getElementById("view")?.focus({ preventScroll: true });
      return;
    }
    document.querySelector<HTMLElement>(`main ${step.at}`)?.focus();
  };
  return <p class="next-step"><span class="quiet">{t.nextStep.next}</span> <button class="plain" onClick={go}>{step.words}</button></p>;
}
