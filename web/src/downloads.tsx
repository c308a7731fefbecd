// Taking records away: the forms that the browser makes of what is shown, and those that the server makes
// of all pages.
import { api, type Row, type Wrapper } from "./api";
import { useWorkbench } from "./state";
import type { Column } from "./table";
import { download, save, toCsv, toJson } from "./values";

const ENDINGS: Record<string, string> = { table: "txt", pages: "jsonl", html: "html", markdown: "md" };

export function Downloads(props: { name: string; rows: Row[]; columns: Column[]; wrapper?: string | (() => Promise<Wrapper>); version?: number }) {
  const bench = useWorkbench();
  const { name, rows, wrapper } = props, on = props.columns.filter((column) => column.on);
  const file = async (format: string, ending: string) => {
    try {
      const made = typeof wrapper === "function" ? await wrapper() : wrapper!;
      save(`${name}.${ending}`, await api.file(bench.site, made, format, props.version));
    } catch (error) { bench.fail(error); }
  };
  return <>
    <button class="main" onClick={() => download(`${name}.csv`, toCsv(rows, on), "text/csv")}>Download CSV</button>
    <button onClick={() => download(`${name}.json`, toJson(rows, on, false), "application/json")}>JSON</button>
    <button onClick={() => download(`${name}.ndjson`, toJson(rows, on, true), "application/x-ndjson")}>NDJSON</button>
    {wrapper && <button title="All pages of the site, as `thresh extract -f sqlite` writes them" onClick={() => void file("sqlite", "db")}>SQLite</button>}
    {wrapper && <button title="All pages of the site, as a workbook" onClick={() => void file("xlsx", "xlsx")}>Excel</button>}
    {wrapper && <select aria-label="Other formats" title="All pages of the site" value="" onChange={(e) => { const format = e.currentTarget.value; e.currentTarget.value = ""; if (format) void file(format, ENDINGS[format]!); }}>
      <option value="">other formats</option><option value="table">a table, as text</option><option value="pages">one line per page</option><option value="html">a page with a table</option><option value="markdown">a table in Markdown</option></select>}
  </>;
}
