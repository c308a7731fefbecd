// Wrappers: versions, the rules as the papers write them, and running one over the site.
import { useState } from "preact/hooks";
import { api } from "./api";
import { CommandLine } from "./command_line";
import { useLoaded, useWorkbench } from "./state";
import { download, shell } from "./values";

export function WrappersView() {
  const bench = useWorkbench();
  const [chosen, setChosen] = useState<{ name: string; version: number } | null>(null);
  const { value: wrappers } = useLoaded(() => api.wrappers(bench.site), [bench.site, bench.version]);
  const latest = wrappers?.[wrappers.length - 1];
  const at = chosen && wrappers?.some((one) => one.name === chosen.name && one.version === chosen.version) ? chosen
    : latest ? { name: latest.name, version: latest.version } : null;
  const { value: shown } = useLoaded(
    () => (at ? api.wrapper(bench.site, at.name, at.version) : Promise.resolve(null)), [bench.site, at?.name, at?.version]);
  if (!wrappers?.length) return <p class="quiet">No wrappers yet: save one from a list or from labels.</p>;
  const run = async () => {
    if (!at) return;
    try { await api.run(bench.site, at.name, at.version); bench.setView("records"); } catch (error) { bench.fail(error); }
  };
  return <div class="wrappers-view">
    <h1>Wrappers of {bench.site}</h1>
    <div class="split narrow">
      <table class="overview"><caption>{wrappers.length} version{wrappers.length === 1 ? "" : "s"}</caption>
        <thead><tr><th scope="col">Wrapper</th><th scope="col">Version</th><th scope="col">Engine</th><th scope="col">Saved</th></tr></thead>
        <tbody>{[...wrappers].reverse().map((one) => <tr class={one.name === at?.name && one.version === at.version ? "chosen" : ""}>
          <td><button class="plain" onClick={() => setChosen({ name: one.name, version: one.version })}>{one.name}</button></td>
          <td class="number">{one.version}</td><td>{one.engine}</td><td>{one.added.replace("T", " ").replace("Z", "")}</td></tr>)}</tbody>
      </table>
      {at && shown && <section aria-label="The wrapper">
        <div class="bar"><h2>{at.name}, version {at.version}</h2>
          <button class="main" onClick={() => void run()}>Run on all pages</button>
          <button onClick={() => download(`${at.name}.json`, JSON.stringify(shown.wrapper, null, 2) + "\n", "application/json")}>Download</button></div>
        <pre class="rules" tabIndex={0} aria-label="The rules">{shown.explain}</pre>
        <CommandLine command={`thresh extract --project PROJECT --site ${shell(bench.site)} -w ${shell(`${at.name}@${at.version}`)}`} />
      </section>}
    </div>
  </div>;
}
