// How the engine at hand found what is on the screen: one sentence, a link to more, and a drawing where its paper has one.
import { useState } from "preact/hooks";
import { Alignment } from "./alignment";
import { api, type Knobs, type Step } from "./api";
import { DocsLink } from "./docs_link";
import { EquivalenceClasses } from "./equivalence_classes";
import { useLoaded, useWorkbench } from "./state";
import { TagTree } from "./tag_tree";
import { t } from "./words/words";

const DOCS: { [engine: string]: [page: string, part: string] } = {
  auto: ["LISTS", "a-small-example"], lists: ["LISTS", "a-small-example"], mdr: ["LISTS", "mdr"], iepad: ["LISTS", "iepad"], template: ["TEMPLATES", "the-template"], exalg: ["TEMPLATES", "exalg-as-published"],
  stalker: ["LEARNING", "rules-of-stalker"], softmealy: ["SOFTMEALY", "rules"], paths: ["LEARNING", "rules-of-paths"], seams: ["LEARNING", "samples-of-seams"],
};

export function EngineWords(props: { engine: string }) {
  const said = (t.howFound.engines as { [engine: string]: string })[props.engine], docs = DOCS[props.engine];
  return said ? <p class="about">{said} {docs && <DocsLink page={docs[0]} part={docs[1]} />}</p> : null;
}

// `pages` are those that a template is learnt from; `page` the one that lists are found on.
export function HowFound(props: { engine: string; knobs: Knobs; page: number; pages?: number[]; patterns?: string[]; onShow?: (place: { start: number; end: number }) => void; words?: false }) {
  const bench = useWorkbench(), { engine, knobs, page, pages } = props;
  const [isOpen, setOpen] = useState(false);
  const drawn = engine === "mdr" || engine === "iepad" || engine === "exalg", how = JSON.stringify(knobs);
  const { value: steps, loading } = useLoaded<Step[] | null>([isOpen && drawn, engine, engine === "exalg" ? pages?.join() : page, how], async () =>
    !isOpen || !drawn ? null : engine === "exalg" ? api.learnSteps(bench.site, { engine, pages }, knobs) : api.steps(page, engine, knobs));
  const show = props.onShow ?? (() => {});
  return <details class="how-found" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
    <summary>{t.howFound.title}</summary>
    {isOpen && <>
      {props.words !== false && <EngineWords engine={engine} />}
      {drawn && !steps && <p class="quiet" role="status">{loading ? t.howFound.loading : ""}</p>}
      {steps && engine === "mdr" && <TagTree steps={steps} onShow={show} />}
      {steps && engine === "iepad" && <Alignment steps={steps} patterns={props.patterns ?? []} onShow={show} />}
      {steps && engine === "exalg" && <EquivalenceClasses steps={steps} />}
    </>}
  </details>;
}
