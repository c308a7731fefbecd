// The versions of a wrapper, what each of them changed, and the way back to one.
import { api, type Wrapper, type WrapperInfo } from "./api";
import { useLoaded, useWorkbench } from "./state";
import { day } from "./values";
import { t } from "./words/words";

const MOST_VERSIONS = 12; // that are told of: the newest

// What a version is, beside those before it (oldest first): a repair tells what it changed.
function changesOf(at: number, known: { version: number; wrapper: Wrapper }[]): string[] {
  const { wrapper } = known[at]!, text = JSON.stringify(wrapper), same = known.slice(0, at).find((one) => JSON.stringify(one.wrapper) === text);
  if (same) return [t.versionsPanel.same(same.version)];
  const last = wrapper.history?.[wrapper.history.length - 1];
  return last && last.version === wrapper.version ? last.changes : [t.versionsPanel.learnt];
}

export function VersionsPanel(props: { name: string; versions: WrapperInfo[]; busy: boolean; onBack: (version: number, wrapper: Wrapper) => void }) {
  const bench = useWorkbench(), w = t.versionsPanel;
  const shown = [...props.versions].sort((a, b) => a.version - b.version).slice(-MOST_VERSIONS), left = props.versions.length - shown.length;
  const latest = shown[shown.length - 1]?.version;
  // one that was removed meanwhile has nothing to tell
  const { value: known } = useLoaded([bench.site, props.name, shown.map((one) => `${one.version} ${one.added}`).join()],
    async () => (await Promise.all(shown.map(({ version }) => api.wrapper(bench.site, props.name, version).catch(() => null)))).flatMap((one) => (one ? [one] : [])));
  const told = (version: number) => { const at = known?.findIndex((one) => one.version === version) ?? -1; return at < 0 ? [] : changesOf(at, known!); };
  return <section aria-label={w.title}><table class="overview versions"><caption>{left > 0 ? w.captionMore(w.caption, w.older(left)) : w.caption}</caption>
    <thead><tr><th scope="col" class="number">{w.version}</th><th scope="col">{w.saved}</th><th scope="col">{w.changed}</th><th scope="col"><span class="hidden">{w.wayBack}</span></th></tr></thead>
    <tbody>{[...shown].reverse().map((one) => <tr><td class="number">{one.version}</td><td>{day(one.added)}<br /><small>{one.engine}</small></td>
      <td>{told(one.version).map((line) => <div dir="auto">{line}</div>)}</td>
      <td>{one.version === latest ? <small>{w.inUse}</small> : <button disabled={props.busy || !known} aria-label={w.backTo(one.version)}
        onClick={() => { const back = known?.find((each) => each.version === one.version); if (back) props.onBack(one.version, back.wrapper); }}>{w.back}</button>}</td></tr>)}</tbody></table></section>;
}
