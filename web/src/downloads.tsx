// Taking records away: the forms that the browser makes of what is shown, and those that the server makes
// of all pages.
import { api, type Row, type Wrapper } from "./api";
import { useWorkbench } from "./state";
import type { Column } from "./table";
import { download, fileName, save, toCsv, toJson } from "./values";
import { t } from "./words/words";

// Forms that few ask for: what they are called, and how their files end.
const OTHERS: { format: string; ending: string; words: string }[] = [
  { format: "table", ending: "txt", words: t.downloads.table },
  { format: "pages", ending: "jsonl", words: t.downloads.lines },
  { format: "html", ending: "html", words: t.downloads.html },
  { format: "markdown", ending: "md", words: t.downloads.markdown },
];

// `name`: of the extractor, if it has one; the site's name comes before it.
export function Downloads(props: { name: string; rows: Row[]; columns: Column[]; wrapper?: string | (() => Promise<Wrapper>); version?: number }) {
  const bench = useWorkbench();
  const { rows, wrapper } = props, on = props.columns.filter((column) => column.on);
  const named = (ending: string) => fileName([bench.site, props.name], ending);
  const file = async (format: string, ending: string) => {
    try {
      const made = typeof wrapper === "function" ? await wrapper() : wrapper!;
      save(named(ending), await api.file(bench.site, made, format, props.version));
    } catch (error) { bench.fail(error); }
  };
  const other = (choice: HTMLSelectElement) => {
    const wanted = OTHERS.find((one) => one.format === choice.value);
    choice.value = "";
    if (wanted) void file(wanted.format, wanted.ending);
  };
  return <>
    <button class="main" onClick={() => download(named("csv"), toCsv(rows, on), "text/csv")}>{t.downloads.csv}</button>
    <button onClick={() => download(named("json"), toJson(rows, on, false), "application/json")}>JSON</button>
    <button onClick={() => download(named("ndjson"), toJson(rows, on, true), "application/x-ndjson")}>NDJSON</button>
    {wrapper && <button title={t.downloads.sqliteHelp} onClick={() => void file("sqlite", "db")}>SQLite</button>}
    {wrapper && <button title={t.downloads.excelHelp} onClick={() => void file("xlsx", "xlsx")}>Excel</button>}
    {wrapper && <select aria-label={t.downloads.otherFormats} title={t.downloads.allPages} value="" onChange={(e) => other(e.currentTarget)}>
      <option value="">{t.downloads.other}</option>
      {OTHERS.map((one) => <option value={one.format}>{one.words}</option>)}</select>}
  </>;
}
