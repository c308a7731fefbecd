// Adding pages, and what there is of them.
import { useState } from "preact/hooks";
import { api } from "./api";
import { useWorkbench } from "./state";

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

export function PagesView() {
  const bench = useWorkbench();
  const [inputs, setInputs] = useState("");
  const [over, setOver] = useState(false);
  const [sent, setSent] = useState<{ done: number; total: number } | null>(null);

  const send = async (files: { name: string; file: File }[]) => {
    try {
      for (let i = 0; i < files.length; i++) {
        setSent({ done: i, total: files.length });
        await api.addPage(bench.site, files[i]!.name, files[i]!.file);
      }
      bench.say(`${files.length} page${files.length === 1 ? "" : "s"} added`);
    } catch (error) { bench.fail(error); }
    setSent(null);
    await bench.refresh();
    if (files.length === 1) bench.setView("lists");
  };
  const fetchAll = async () => {
    const list = inputs.split("\n").map((line) => line.trim()).filter(Boolean);
    if (!list.length) return;
    try { await api.addInputs(bench.site, list); setInputs(""); } catch (error) { bench.fail(error); }
  };

  return <div class="pages-view">
    <h1>Pages of {bench.site}</h1>
    <div class="two">
      <section class={`drop ${over ? "over" : ""}`} aria-label="Add files"
        onDragOver={(e) => { e.preventDefault(); setOver(true); }} onDragLeave={() => setOver(false)}
        onDrop={(e) => { e.preventDefault(); setOver(false); if (e.dataTransfer) void filesOf(e.dataTransfer.items).then(send); }}>
        <h2>Files or a folder</h2>
        <p>Drop them here, or <label class="button">choose files
          <input type="file" multiple onChange={(e) => void send([...(e.currentTarget.files ?? [])].map((file) => ({ name: file.name, file })))} />
        </label></p>
        {sent && <p role="status">{sent.done} of {sent.total} <progress aria-label="Progress" value={sent.done} max={sent.total} /></p>}
      </section>
      <form onSubmit={(e) => { e.preventDefault(); void fetchAll(); }}>
        <h2>URLs, archives, folders on this machine</h2>
        <textarea rows={4} aria-label="URLs or paths, one a line" placeholder={"https://example.org/list\n/data/crawl.warc.gz"}
          value={inputs} onInput={(e) => setInputs(e.currentTarget.value)} />
        <button type="submit" disabled={!inputs.trim()}>Add</button>
      </form>
    </div>
    {bench.pages.length === 0 ? <p class="quiet">No pages yet. Everything else begins with one.</p>
      : <table class="overview"><caption>{bench.pages.length.toLocaleString("en")} pages</caption>
        <thead><tr><th scope="col">Page</th><th scope="col">Bytes</th><th scope="col">Added</th><th scope="col">Labels</th></tr></thead>
        <tbody>{bench.pages.slice(0, 200).map((page) => <tr>
          <td><button class="plain" onClick={() => { bench.setPage(page); bench.setView("lists"); }}>{page.name}</button></td>
          <td class="number">{page.size.toLocaleString("en")}</td><td>{page.added.replace("T", " ").replace("Z", "")}</td>
          <td>{page.labelled ? "yes" : ""}</td></tr>)}</tbody>
      </table>}
  </div>;
}
