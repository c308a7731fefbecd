// Taking records away: the forms that the browser makes, and SQLite, which the server makes.
import { api, type Row, type Wrapper } from "./api";
import { useWorkbench } from "./state";
import type { Column } from "./table";
import { download, save, toCsv, toJson } from "./values";

export function Downloads(props: { name: string; rows: Row[]; columns: Column[]; wrapper?: string | (() => Promise<Wrapper>); version?: number }) {
  const bench = useWorkbench();
  const { name, rows, wrapper } = props, on = props.columns.filter((column) => column.on);
  const sqlite = async () => {
    try {
      const made = typeof wrapper === "function" ? await wrapper() : wrapper!;
      save(`${name}.db`, await api.file(bench.site, made, "sqlite", props.version));
    } catch (error) { bench.fail(error); }
  };
  return <>
    <button class="main" onClick={() => download(`${name}.csv`, toCsv(rows, on), "text/csv")}>Download CSV</button>
    <button onClick={() => download(`${name}.json`, toJson(rows, on, false), "application/json")}>JSON</button>
    <button onClick={() => download(`${name}.ndjson`, toJson(rows, on, true), "application/x-ndjson")}>NDJSON</button>
    {wrapper && <button title="All pages of the site, as `thresh extract -f sqlite` writes them" onClick={() => void sqlite()}>SQLite</button>}
  </>;
}
