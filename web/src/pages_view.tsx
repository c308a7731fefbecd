// Adding pages, and what there is of them.
import { useRef, useState } from "preact/hooks";
import { api, type Page } from "./api";
import { CommandLine, where } from "./command_line";
import { driftOf, driftWords, useLoaded, useWorkbench, type Workbench } from "./state";
import { Thumbnail } from "./thumbnail";
import { day, plural, shell } from "./values";

interface Entry { file(take: (file: File) => void): void; isFile: boolean; isDirectory: boolean; fullPath: string; createReader(): { readEntries(take: (entries: Entry[]) => void): void } }

// All files of what was dropped, folders opened.
async function filesOf(items: DataTransferItemList): Promise<{ name: string; file: File }[]> {
  const found: { name: string; file: File }[] = [];
  const walk = async (entry: Entry): Promise<void> => {
    if (entry.isFile) {
      const file = await new Promise<File>((take) => entry.file(take));
      found.push({ name: entry.fullPath.replace(/^\//, ""), file });
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      const batch = await new Promise<Entry[]>((take) => reader.readEntries(take));
      if (!batch.length) return;
      for (const one of batch) await walk(one);
    }
  };
  const entries = [...items].map((item) => item.webkitGetAsEntry() as unknown as Entry | null);
  for (const entry of entries) if (entry) await walk(entry);
  return found;
}

// Removes a page with all that it was and its labels; to undo it, all of that is put back.
async function removePage(bench: Workbench, page: Page): Promise<void> {
  const site = bench.site;
  await bench.change(async () => {
    const all = (await api.allPages(site)).filter((one) => one.name === page.name).sort((a, b) => a.id - b.id);
    if (!all.length) return null; // somebody was quicker
    const kept = await Promise.all(all.map(async (one) => ({ url: one.url, bytes: await api.bytes(one.id) })));
    const line = (await api.labels(site)).find((one) => one.page === page.name);
    await api.removePages(site, all.map((one) => one.id));
    if (line) await api.setLabels(site, page.name, null, line.records);
    return { words: `removal of ${page.name}`, undo: async () => {
      for (const { bytes, url } of kept) await api.addPage(site, page.name, bytes, url);
      if (line) await api.setLabels(site, page.name, line.records, null, { nothing: line.nothing, columns: line.columns });
    } };
  });
}

const PORTION = 200; // rows that are shown at once

function PageTable(props: { pages: Page[]; caption: string }) {
  const bench = useWorkbench();
  const [most, setMost] = useState(PORTION);
  const open = (page: Page) => { bench.setPage(page); bench.setView("lists"); };
  return <>
    <table class="overview"><caption>{props.caption}</caption>
      <thead><tr><th scope="col">Page</th><th scope="col" class="number">Bytes</th><th scope="col">Added</th><th scope="col">Labels</th><th scope="col">Last check</th><th scope="col"><span class="hidden">Remove</span></th></tr></thead>
      <tbody>{props.pages.slice(0, most).map((page) => <tr>
        <td><button class="plain" onClick={() => open(page)}>{page.name}</button></td>
        <td class="number">{page.size.toLocaleString("en")}</td><td>{day(page.added)}</td>
        <td>{page.labelled ? "labelled" : ""}</td>
        <td>{bench.drifting.has(page.name) && <span class="drift-cell"><b class={`${driftOf(bench, page.name)?.tone}-text`}>{driftOf(bench, page.name)?.word}</b> <small>{driftWords(bench, page.name)}</small></span>}</td>
        <td class="number"><button class="plain" aria-label={`Remove ${page.name}`} onClick={() => void removePage(bench, page)}>Remove</button></td></tr>)}</tbody>
    </table>
    {props.pages.length > most && <p><button onClick={() => setMost(most + PORTION)}>Show more</button> <span class="quiet">{(props.pages.length - most).toLocaleString("en")} are not shown</span></p>}
  </>;
}

function PageGrid(props: { pages: Page[]; caption: string }) {
  const bench = useWorkbench();
  const [most, setMost] = useState(PORTION);
  return <>
    <h2>{props.caption}</h2>
    <ul class="grid">{props.pages.slice(0, most).map((page) => <li key={page.id}><button onClick={() => { bench.setPage(page); bench.setView("lists"); }}>
      <Thumbnail page={page} /><span title={page.name}>{page.name}</span><small>{[page.labelled ? "labelled" : "", driftOf(bench, page.name)?.word ?? ""].filter(Boolean).join(", ")}</small></button></li>)}</ul>
    {props.pages.length > most && <p><button onClick={() => setMost(most + PORTION)}>Show more</button></p>}
  </>;
}

export function PagesView() {
  const bench = useWorkbench();
  const [inputs, setInputs] = useState("");
  const [over, setOver] = useState(false);
  const [small, setSmall] = useState(false);
  const [alike, setAlike] = useState(false);
  const [sent, setSent] = useState<{ done: number; total: number } | null>(null);
  const stop = useRef(false);

  const send = async (files: { name: string; file: File }[]) => {
    const site = bench.site, added: number[] = [];
    let last = 0;
    stop.current = false;
    bench.say(`Adding ${plural(files.length, "page")}…`); // the words of an addition before this one are over
    try {
      for (let i = 0; i < files.length && !stop.current; i++) {
        setSent({ done: i, total: files.length });
        const answer = await api.addPage(site, files[i]!.name, files[i]!.file);
        if (answer.added) added.push(answer.id);
        last = answer.id;
      }
      bench.say(`${plural(added.length, "page")} added${added.length < files.length ? `, ${files.length - added.length} ${stop.current ? "not sent or " : ""}there already` : ""}`);
    } catch (error) { bench.fail(error); }
    setSent(null);
    if (added.length) bench.didChange({ words: `${plural(added.length, "page")} added`, undo: async () => { await api.removePages(site, added); } });
    if (files.length !== 1 || !last) return;
    const page = (await bench.refresh()).find((one) => one.id === last); // a page alone is opened
    if (page) bench.goOn("lists", page);
  };
  const fetchAll = async () => {
    const list = inputs.split("\n").map((line) => line.trim()).filter(Boolean);
    if (!list.length) return;
    setInputs(""); // a second click would add it twice
    try { await bench.addInputs(list); } catch (error) { setInputs(inputs); bench.fail(error); }
  };
  const Shown = small ? PageGrid : PageTable;
  const { value: survey } = useLoaded([alike, bench.which], () => (alike ? api.clusters(bench.site) : Promise.resolve(null)));
  const pagesOf = (ids: number[]) => { const set = new Set(ids); return bench.pages.filter((page) => set.has(page.id)); };
  const parts = survey ? [
    ...survey.clusters.map((cluster, index) => ({ pages: pagesOf(cluster.pages), caption: `Template ${index + 1}: ${plural(cluster.pages.length, "page")}` })),
    ...(survey.alone.length ? [{ pages: pagesOf(survey.alone), caption: `Like no other: ${plural(survey.alone.length, "page")}` }] : []),
  ] : [{ pages: bench.pages, caption: plural(bench.pages.length, "page") }];

  return <div class="pages-view">
    <h1>Pages of {bench.site}</h1>
    <div class="two">
      <section class={`drop ${over ? "over" : ""}`} aria-label="Add files"
        onDragOver={(e) => { e.preventDefault(); setOver(true); }} onDragLeave={() => setOver(false)}
        onDrop={(e) => { e.preventDefault(); setOver(false); if (e.dataTransfer) void filesOf(e.dataTransfer.items).then(send); }}>
        <h2>Files or a folder</h2>
        <p>Drop them here, or <label class="button">choose files
          <input type="file" multiple onChange={(e) => void send([...(e.currentTarget.files ?? [])].map((file) => ({ name: file.name, file })))} />
        </label> or <label class="button">a folder
          <input type="file" {...{ webkitdirectory: true }} onChange={(e) => void send([...(e.currentTarget.files ?? [])].map((file) => ({ name: file.webkitRelativePath || file.name, file })))} />
        </label></p>
        {sent && <p role="status">{sent.done.toLocaleString("en")} of {sent.total.toLocaleString("en")} <progress aria-label="Progress" value={sent.done} max={sent.total} /> <button onClick={() => { stop.current = true; }}>Cancel</button></p>}
      </section>
      <form onSubmit={(e) => { e.preventDefault(); void fetchAll(); }}>
        <h2>URLs, archives, folders on this machine</h2>
        <textarea rows={4} aria-label="URLs or paths, one per line" placeholder={"https://example.org/list\n/data/crawl.warc.gz"}
          value={inputs} onInput={(e) => setInputs(e.currentTarget.value)} />
        <button type="submit" disabled={!inputs.trim()}>Add</button>
      </form>
    </div>
    {bench.pages.length === 0 ? <p class="quiet">No pages yet. Everything else begins with one.</p> : <>
      <div class="bar">
        <label><input type="checkbox" checked={alike} onChange={(e) => setAlike(e.currentTarget.checked)} /> by template</label>
        <fieldset class="inline"><legend class="hidden">How pages are shown</legend>
          <label><input type="radio" name="shown" checked={!small} onChange={() => setSmall(false)} /> as a table</label>
          <label><input type="radio" name="shown" checked={small} onChange={() => setSmall(true)} /> as they look</label></fieldset>
      </div>
      {parts.map((part) => <Shown {...part} />)}
      <CommandLine command={alike ? `thresh clusters ${where(bench)}` : `thresh project list ${shell(bench.project)} pages${bench.site === "default" ? "" : ` --site ${shell(bench.site)}`}`} />
    </>}
  </div>;
}
