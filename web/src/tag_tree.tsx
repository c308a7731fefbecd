// MDR's tag tree with its data regions: generalized nodes, and how far neighbours are apart. From the steps that
// `thresh regions --trace --engine mdr` prints.
import { useMemo, useState } from "preact/hooks";
import type { Step } from "./api";
import { colour } from "./values";
import { number, t } from "./words/words";

const words = t.tagTree, MOST = 40; // children that are shown at once

export interface TagNode { number: number; tag: string; start: number; end: number; parent: number; children: number[] }
// `start` counts children of the node from 1; `count` nodes, `combination` of which are one generalized node.
export interface DataRegion { node: number; combination: number; start: number; count: number; records: { count: number; how: string }[] }
interface Compared { first: number; second: number; combination: number; distance: number; similar: boolean }
export interface TagForest { nodes: TagNode[]; regions: DataRegion[]; compared: Map<number, Compared[]> }

export function tagForest(steps: Step[]): TagForest {
  const nodes: TagNode[] = [], regions: DataRegion[] = [], compared = new Map<number, Compared[]>(), above: number[] = [];
  for (const step of steps) {
    const n = (key: string) => Number(step[key]);
    if (step.step === "node") {
      const at = nodes.length, parent = above[step.depth - 1] ?? 0;
      above[step.depth] = at;
      nodes.push({ number: n("number"), tag: String(step["tag"]), start: n("start"), end: n("end"), parent, children: [] });
      if (at) nodes[parent]!.children.push(at);
    } else if (step.step === "compare") {
      const list = compared.get(n("node")) ?? [];
      list.push({ first: n("first"), second: n("second"), combination: n("combination"), distance: n("distance"), similar: step["similar"] === "yes" });
      compared.set(n("node"), list);
    } else if (step.step === "region") regions.push({ node: n("node"), combination: n("combination"), start: n("start"), count: n("count"), records: [] });
    else if (step.step === "records") regions.find((one) => one.node === n("node") && one.start <= n("start") && n("start") < one.start + one.count)?.records.push({ count: n("count"), how: String(step["case"]) });
  }
  return { nodes, regions, compared };
}

function Branch(props: { forest: TagForest; at: number; open: Set<number>; onShow: (place: { start: number; end: number }) => void; mark?: preact.ComponentChildren; region?: number }) {
  const { forest, at } = props, node = forest.nodes[at]!, regions = forest.regions.map((region, index) => ({ region, index })).filter((one) => one.region.node === node.number);
  const [isOpen, setOpen] = useState(props.open.has(at)), [most, setMost] = useState(MOST);
  const name = <>{props.mark}<code class={props.region !== undefined ? "generalized" : ""} style={props.region !== undefined ? { "--c": colour(props.region) } : undefined}>{`<${node.tag}>`}</code>
    {regions.length > 0 && <small> {words.has(regions.length)}</small>}</>;
  const show = node.number > 0 && <button class="plain small" aria-label={words.show(node.tag)} onClick={() => props.onShow(node)}>{words.page}</button>;
  if (!node.children.length) return <div class="leaf">{name}{show}</div>;
  return <div class="branch">{show}<details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
    <summary>{name} {!isOpen && <small>{words.below(node.children.length)}</small>}</summary>
    {isOpen && <ul>{node.children.slice(0, most).map((child, index) => {
      const place = index + 1, mine = regions.find(({ region }) => place >= region.start && place < region.start + region.count);
      const size = mine?.region.combination ?? 1, within = mine ? (place - mine.region.start) % size : 0;
      // the distance of the generalized node that begins here from the one before it, or of a node from its neighbour
      const near = within === 0 ? forest.compared.get(node.number)?.find((one) => one.combination === size && one.second === place && one.first === place - size) : undefined;
      return <li>{near && <span class={`distance ${near.similar ? "alike" : ""}`}>{near.similar ? words.alike(number(near.distance)) : words.apart(number(near.distance))}</span>}
        <Branch forest={forest} at={child} open={props.open} onShow={props.onShow} region={mine?.index}
          mark={mine && within === 0 ? <b class="generalized-number" style={{ "--c": colour(mine.index) }} title={words.generalized(Math.floor((place - mine.region.start) / size) + 1)}>{Math.floor((place - mine.region.start) / size) + 1}</b> : undefined} /></li>;
    })}{node.children.length > most && <li><button onClick={() => setMost(most + 500)}>{words.more(number(node.children.length - most))}</button></li>}</ul>}
  </details></div>;
}

export function TagTree(props: { steps: Step[]; onShow: (place: { start: number; end: number }) => void }) {
  const forest = useMemo(() => tagForest(props.steps), [props.steps]);
  // what leads to a region is open from the beginning
  const open = useMemo(() => {
    const all = new Set<number>();
    for (const region of forest.regions) for (let at = region.node; at >= 0 && !all.has(at); at = at ? forest.nodes[at]!.parent : -1) all.add(at);
    return all;
  }, [forest]);
  if (!forest.nodes.length) return null;
  return <div class="tag-tree">
    {forest.regions.length === 0 ? <p class="quiet">{words.none}</p> : <ol class="regions" aria-label={words.regions}>{forest.regions.map((region, index) => {
      const parent = forest.nodes[region.node]!, first = forest.nodes[parent.children[region.start - 1] ?? -1], last = forest.nodes[parent.children[region.start + region.count - 2] ?? -1];
      return <li style={{ "--c": colour(index) }}><button class="plain" onClick={() => first && last && props.onShow({ start: first.start, end: last.end })}>
        {words.region(number(Math.floor(region.count / region.combination)), number(region.combination), parent.tag)}</button>
        {region.records.map((one) => <small> {t.count.records(one.count)}: {one.how}</small>)}</li>;
    })}</ol>}
    <div class="tree-scroll" tabIndex={0} role="region" aria-label={words.tree}><Branch key={forest.nodes.length} forest={forest} at={0} open={open} onShow={props.onShow} /></div>
    <p class="legend">{words.key}</p>
  </div>;
}
