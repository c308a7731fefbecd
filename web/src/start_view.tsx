// What somebody sees who has no pages yet: what Thresh does, ways to begin, and how it goes on.
import { useState } from "preact/hooks";
import { DocsLink } from "./docs_link";
import { addSample } from "./sample";
import { useWorkbench } from "./state";
import { t } from "./words/words";

export function StartWords() {
  return <><h1>{t.startView.title}</h1><p class="lead">{t.startView.what}</p></>;
}

// The third way to begin, beside files and addresses.
export function SampleStart() {
  const bench = useWorkbench();
  const [busy, setBusy] = useState(false); // a second click would add it twice
  return <section class="start-sample" aria-labelledby="start-sample">
    <h2 id="start-sample">{t.startView.sample}</h2>
    <p>{t.startView.sampleHelp}</p>
    <button class="main" disabled={busy} onClick={() => { setBusy(true); void addSample(bench).finally(() => setBusy(false)); }}>{t.startView.sample}</button>
  </section>;
}

export function HowItGoesOn() {
  return <section class="steps" aria-labelledby="steps">
    <h2 id="steps">{t.startView.steps}</h2>
    <ol><li>{t.startView.step1}</li><li>{t.startView.step2}</li><li>{t.startView.step3}</li></ol>
    <p><DocsLink page="WORKBENCH" part="start" /></p>
  </section>;
}

// In place of a view that needs a page.
export function NeedsPage(props: { title: string }) {
  const bench = useWorkbench();
  return <><h1>{props.title}</h1>
    <p>{t.startView.needsPage} <button onClick={() => bench.setView("pages")}>{t.startView.toPages}</button></p></>;
}
