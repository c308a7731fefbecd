// Adding pages, and what there is of them.
import { useState } from "preact/hooks";
import { AddSite, FetchAgain, FetchOne } from "./add_site";
import { NotAddedList, SameNames, useAdding, type Given } from "./adding";
import { api, type Page } from "./api";
import { CommandLine, where } from "./command_line";
import { HowItGoesOn, SampleStart, StartWords } from "./start_view";
import { driftOf, driftWords, useLoaded, useWorkbench, type Workbench } from "./state";
import { Thumbnail } from "./thumbnail";
import { day, shell } from "./values";
import { number, t } from "./words/words";

interface Entry { file(take: (file: File) => void): void; isFile: boolean; isDirectory: boolean; fullPath: string; createReader(): { readEntries(take: (entries: Entry[]) => void): void } }

// All files of what was dropped, folders opened.
async function filesOf(items: DataTransferItemList): Promise<Given[]> {
  const found: Given[] = [];
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
    return { words: t.pages.removal(page.name), undo: async () => {
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
      <thead><tr><th scope="col">{t.pages.page}</th><th scope="col" class="number">{t.pages.bytes}</th><th scope="col">{t.pages.addedOn}</th><th scope="col">{t.pages.labels}</th><th scope="col">{t.pages.lastCheck}</th><th scope="col"><span class="hidden">{t.pages.remove}</span></th></tr></thead>
      <tbody>{props.pages.slice(0, most).map((page) => <tr>
        <td><button class="plain" onClick={() => open(page)}>{page.name}</button></td>
        <td class="number">{number(page.size)}</td><td>{day(page.added)}</td>
        <td>{page.labelled ? t.pages.labelled : ""}</td>
        <td>{bench.drifting.has(page.name) && <span class="drift-cell"><b class={`${driftOf(bench, page.name)?.tone}-text`}>{driftOf(bench, page.name)?.word}</b> <small>{driftWords(bench, page.name)}</small></span>}</td>
        <td class="number"><FetchOne page={page} /> <button class="plain" aria-label={t.pages.removeOne(page.name)} onClick={() => void removePage(bench, page)}>{t.pages.remove}</button></td></tr>)}</tbody>
    </table>
    {props.pages.length > most && <p><button onClick={() => setMost(most + PORTION)}>{t.pages.showMore}</button> <span class="quiet">{t.pages.notShown(number(props.pages.length - most))}</span></p>}
  </>;
}

function PageGrid(props: { pages: Page[]; caption: string }) {
  const bench = useWorkbench();
  const [most, setMost] = useState(PORTION);
  return <>
    <h2>{props.caption}</h2>
    <ul class="grid">{props.pages.slice(0, most).map((page) => <li key={page.id}><button onClick={() => { bench.setPage(page); bench.setView("lists"); }}>
      <Thumbnail page={page} /><span title={page.name}>{page.name}</span><small>{[page.labelled ? t.pages.labelled : "", driftOf(bench, page.name)?.word ?? ""].filter(Boolean).join(", ")}</small></button></li>)}</ul>
    {props.pages.length > most && <p><button onClick={() => setMost(most + PORTION)}>{t.pages.showMore}</button></p>}
  </>;
}

export function PagesView() {
  const bench = useWorkbench();
  const [inputs, setInputs] = useState("");
  const [over, setOver] = useState(false);
  const [small, setSmall] = useState(false);
  const [alike, setAlike] = useState(false);
  const { send, sent, stop, same, answer, notAdded, forget } = useAdding();

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
    ...survey.clusters.map((cluster, index) => ({ pages: pagesOf(cluster.pages), caption: t.pages.template(number(index + 1), t.count.pages(cluster.pages.length)) })),
    ...(survey.alone.length ? [{ pages: pagesOf(survey.alone), caption: t.pages.likeNoOther(t.count.pages(survey.alone.length)) }] : []),
  ] : [{ pages: bench.pages, caption: t.count.pages(bench.pages.length) }];

  return <div class="pages-view">
    {bench.pages.length === 0 ? <StartWords /> : <h1>{t.pages.title(bench.site)}</h1>}
    <div class="two">
      <section class={`drop ${over ? "over" : ""}`} aria-label={t.pages.addFiles}
        onDragOver={(e) => { e.preventDefault(); setOver(true); }} onDragLeave={() => setOver(false)}
        onDrop={(e) => { e.preventDefault(); setOver(false); if (e.dataTransfer) void filesOf(e.dataTransfer.items).then(send); }}>
        <h2>{t.pages.filesOrFolder}</h2>
        <p>{t.pages.drop} <label class="button">{t.pages.chooseFiles}
          <input type="file" multiple onChange={(e) => { send([...(e.currentTarget.files ?? [])].map((file) => ({ name: file.name, file }))); e.currentTarget.value = ""; }} />
        </label> {t.pages.or} <label class="button">{t.pages.aFolder}
          <input type="file" {...{ webkitdirectory: true }} onChange={(e) => { send([...(e.currentTarget.files ?? [])].map((file) => ({ name: file.webkitRelativePath || file.name, file }))); e.currentTarget.value = ""; }} />
        </label></p>
        {sent && <p role="status">{t.pages.someOf(number(sent.done), number(sent.total))} <progress aria-label={t.pages.progress} value={sent.done} max={sent.total} /> <button onClick={stop}>{t.pages.cancel}</button></p>}
      </section>
      <form onSubmit={(e) => { e.preventDefault(); void fetchAll(); }}>
        <h2>{t.pages.urls}</h2>
        <textarea rows={4} aria-label={t.pages.urlsLabel} placeholder={"https://example.org/list\n/data/crawl.warc.gz"}
          value={inputs} onInput={(e) => setInputs(e.currentTarget.value)} />
        <button type="submit" disabled={!inputs.trim()}>{t.pages.add}</button>
      </form>
      {bench.pages.length === 0 && <SampleStart />}
      <AddSite />
    </div>
    <SameNames files={same} onAnswer={answer} />
    <NotAddedList files={notAdded} onForget={forget} />
    {bench.pages.length === 0 ? <HowItGoesOn /> : <>
      <div class="bar">
        <label><input type="checkbox" checked={alike} onChange={(e) => setAlike(e.currentTarget.checked)} /> {t.pages.byTemplate}</label>
        <fieldset class="inline"><legend class="hidden">{t.pages.howShown}</legend>
          <label><input type="radio" name="shown" checked={!small} onChange={() => setSmall(false)} /> {t.pages.asTable}</label>
          <label><input type="radio" name="shown" checked={small} onChange={() => setSmall(true)} /> {t.pages.asTheyLook}</label></fieldset>
        <FetchAgain />
      </div>
      {parts.map((part) => <Shown {...part} />)}
      <CommandLine command={alike ? `thresh clusters ${where(bench)}` : `thresh project list ${shell(bench.project)} pages${bench.site === "default" ? "" : ` --site ${shell(bench.site)}`}`} />
    </>}
  </div>;
}
