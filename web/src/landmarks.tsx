// STALKER's rules as the tree of what a page contains: below each field the landmarks that lead to it, from the
// start and from the end, and what of this page they hit.
import type { Hit, Wrapper } from "./api";
import { colour } from "./values";
import { number, t } from "./words/words";

const words = t.landmarks;

interface View { start?: string[]; end?: string[] }
interface Piece { path?: string; after?: string; before?: string }
interface Rule {
  name?: string; members?: Rule[]; alternatives?: Rule[]; item?: Rule; whole?: boolean; forward?: View; backward?: View; structure?: { of?: string; places?: Piece[] };
  items?: { kind: string; path?: string; span?: Rule; next?: View };
}

export const hasLandmarks = (wrapper: Wrapper) => wrapper.engine === "stalker" && !!(wrapper.rules as Rule | undefined)?.members;

// A rule in the paper's notation, a step each: SkipTo(Price) SkipTo(<b>).
const stepsOf = (rule: string) => rule.match(/\w+\((?:\\.|[^)\\])*\)/g) ?? [rule];

function Way(props: { label: string; rules: string[] | undefined; field: string; part: string; hits: Hit[]; onShow: (place: { start: number; end: number }) => void }) {
  if (!props.rules?.length) return null;
  const hits = props.hits.filter((hit) => hit.field === props.field && hit.part === props.part);
  return <li class="way"><span class="way-name">{props.label}</span> {props.rules.map((rule, index) => <>{index > 0 && <small> {words.or} </small>}{stepsOf(rule).map((step) => <code class="landmark">{step}</code>)}</>)}
    {hits.length > 0 && <> <button class="plain" onClick={() => props.onShow(hits[0]!)}><small>{words.hits(hits.length, hits[0]!.text.slice(0, 30))}</small></button></>}</li>;
}

function Field(props: { rule: Rule; path: string; at: number; hits: Hit[]; chosen: string; onField: (field: string) => void; onShow: (place: { start: number; end: number }) => void }) {
  const { rule, path, hits, onShow } = props, inner = rule.item?.members ?? rule.item?.alternatives ?? rule.members ?? rule.alternatives ?? [];
  const way = (label: string, view: View | undefined, end: boolean, part: string) => <Way label={label} rules={end ? view?.end : view?.start} field={path} part={part} hits={hits} onShow={onShow} />;
  const span = rule.items?.span ?? rule;
  return <li>
    <button class={`slot ${props.chosen === path ? "chosen" : ""}`} style={{ "--c": colour(props.at) }} aria-pressed={props.chosen === path} onClick={() => props.onField(path)}><bdi>{rule.name || words.item}</bdi>{rule.item ? <small> {words.list}</small> : null}</button>
    <ul class="ways">
      {way(words.startForward, span.forward, false, "start, forward")}{way(words.endForward, span.forward, true, "end, forward")}
      {way(words.startBackward, span.backward, false, "start, backward")}{way(words.endBackward, span.backward, true, "end, backward")}
      {rule.structure?.places?.slice(0, 1).map((place) => <li class="way"><span class="way-name">{words.element}</span> {place.after && <code class="landmark">{words.after(place.after)}</code>}{place.before && <code class="landmark">{words.before(place.before)}</code>}{place.path && <code class="landmark">{place.path}</code>}</li>)}
      {rule.items?.path && <li class="way"><span class="way-name">{words.each}</span> <code class="landmark">{rule.items.path}</code></li>}
      {rule.items?.next && <Way label={words.each} rules={rule.items.next.start} field={path} part="item" hits={hits} onShow={onShow} />}
      {rule.whole && <li class="way">{words.whole}</li>}
    </ul>
    {inner.length > 0 && <ul>{inner.map((member) => <Field {...props} rule={member} path={member.name ? `${path}.${member.name}` : path} />)}</ul>}
  </li>;
}

export function Landmarks(props: { wrapper: Wrapper; hits: Hit[]; chosen: string; onField: (field: string) => void; onShow: (place: { start: number; end: number }) => void }) {
  const root = props.wrapper.rules as Rule;
  return <div class="template-tree landmarks" tabIndex={0} role="region" aria-label={words.tree}>
    <p class="quiet">{words.page}{props.hits.length ? ` ${words.onPage(number(props.hits.length))}` : ""}</p>
    <ul>{root.members?.map((member, index) => <Field rule={member} path={member.name ?? ""} at={index} hits={props.hits} chosen={props.chosen} onField={props.onField} onShow={props.onShow} />)}</ul>
  </div>;
}
