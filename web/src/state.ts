// What the whole workbench shares: the site and page at hand, jobs, messages, and what can be undone.
import { createContext } from "preact";
import { useContext, useEffect, useReducer, useRef, useState } from "preact/hooks";
import { api, type Drifting, type Evidence, type Job, type Page, type Run, type Site } from "./api";

export type ViewName = "pages" | "lists" | "labels" | "template" | "wrappers" | "life" | "records";

export interface Undo { words: string; undo: () => Promise<void> }

export interface Workbench {
  project: string; site: string; sites: Site[]; pages: Page[]; page: Page | null; view: ViewName;
  jobs: Job[]; message: { words: string; bad: boolean } | null; undos: Undo[]; version: number;
  setSite(site: string): void; setPage(page: Page | null): void; setView(view: ViewName): void;
  // Pages on which the last check of a wrapper found a drift or a change, by name.
  drifting: Map<string, { wrapper: string; words: string; drifts: boolean }>;
  refresh(): Promise<Page[]>;
  // What comes of a job; null when it was cancelled.
  outcome<T>(job: number): Promise<T | null>;
  addInputs(inputs: string[]): Promise<void>;
  say(words: string): void; fail(error: unknown): void;
  didChange(undo: Undo): void; undo(): Promise<void>;
}

export const Context = createContext<Workbench | null>(null);

export function useWorkbench(): Workbench {
  const bench = useContext(Context);
  if (!bench) throw new Error("outside of the workbench");
  return bench;
}

const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const ended = (job: Job) => job.state !== "waiting" && job.state !== "running";

// The last check of each wrapper says which pages drift or have changed; of two wrappers the worse counts.
async function driftingPages(site: string): Promise<Workbench["drifting"]> {
  const last = new Map<string, Run>();
  for (const run of await api.runs(site)) if (run.wrapper && run.verdict !== null && run.finished && run.id > (last.get(run.wrapper)?.id ?? 0)) last.set(run.wrapper, run);
  const drifting: Workbench["drifting"] = new Map();
  for (const [wrapper, run] of last) {
    const drifts = run.verdict === "drift";
    if (!drifts && run.verdict !== "changed") continue;
    const whole = (await api.verdicts(run.id)).find((one) => one.field === null)?.evidence as (Evidence & { pages?: Drifting[] }) | null;
    for (const page of whole?.pages ?? []) {
      const fields = page.fields.filter(Boolean).join(", ");
      if (drifting.get(page.page)?.drifts && !drifts) continue;
      drifting.set(page.page, { wrapper, drifts, words: page.fields.includes(null) ? "no records" : fields + (page.words ? `: ${page.words.split(";")[0]}` : "") });
    }
  }
  return drifting;
}

export function useWorkbenchState(): Workbench {
  const [site, setSite] = useState(() => localStorage.getItem("thresh-site") ?? "default");
  const [sites, setSites] = useState<Site[]>([]);
  const [pages, setPages] = useState<Page[]>([]);
  const [pageId, setPageId] = useState<number | null>(null);
  const [view, setView] = useState<ViewName>("pages");
  const [jobs, setJobs] = useState<Job[]>([]);
  const [message, setMessage] = useState<Workbench["message"]>(null);
  const [undos, setUndos] = useState<Undo[]>([]);
  const [project, setProject] = useState("");
  const [drifting, setDrifting] = useState<Workbench["drifting"]>(new Map());
  const [version, changed] = useReducer((count: number) => count + 1, 0);

  const fail = (error: unknown) => setMessage({ words: words(error), bad: true });
  const refresh = async (): Promise<Page[]> => {
    try {
      setSites(await api.sites());
      const now = await api.pages(site);
      setPages(now);
      changed(0);
      return now;
    } catch (error) { fail(error); return pages; }
  };
  const waiting = useState(() => new Map<number, (() => void)[]>())[0];
  const outcome = async <T,>(id: number): Promise<T | null> => {
    for (;;) {
      const heard = new Promise<void>((resolve) => { waiting.set(id, [...(waiting.get(id) ?? []), resolve]); setTimeout(resolve, 2000); });
      const job = await api.job(id);
      if (job.state === "failed") throw new Error(job.message);
      if (ended(job)) return job.state === "done" ? (job.result as T) : null;
      await heard;
    }
  };
  const remember = (one: Undo) => setUndos((all) => [...all, one].slice(-100));
  // Pages that a job brings are known when it has ended: those that were not there before.
  const jobsOfMine = useState(() => new Map<number, { site: string; before: Set<number> }>())[0];
  const jobEnded = async (job: Job) => {
    const now = await refreshNow.current();
    const mine = jobsOfMine.get(job.id);
    if (!mine || mine.site !== siteNow.current) return;
    jobsOfMine.delete(job.id);
    const added = now.filter((page) => !mine.before.has(page.id)).map((page) => page.id);
    if (added.length) remember({ words: `${added.length} pages added`, undo: async () => { await api.removePages(mine.site, added); } });
    setMessage({ words: `${added.length} page${added.length === 1 ? "" : "s"} added${job.state === "cancelled" ? ", the rest cancelled" : ""}${job.message ? `. ${job.message}` : ""}`, bad: false });
  };

  useEffect(() => { void api.status().then((status) => setProject(status.project), fail); }, []);
  useEffect(() => { localStorage.setItem("thresh-site", site); void refresh(); }, [site]);
  useEffect(() => { driftingPages(site).then(setDrifting, () => setDrifting(new Map())); }, [site, version]);
  useEffect(() => {
    const stop = new AbortController();
    void api.listen((kind, data) => {
      if (kind === "job") {
        const job = data as Job;
        setJobs((all) => [...all.filter((one) => one.id !== job.id), job].slice(-20));
        if (job.state === "failed") fail(new Error(job.message));
        if (!ended(job)) return;
        for (const wake of waiting.get(job.id) ?? []) wake();
        waiting.delete(job.id);
        void jobEnded(job);
      } else {
        void refreshNow.current();
      }
    }, stop.signal);
    return () => stop.abort();
  }, []);
  const refreshNow = useState({ current: refresh })[0], siteNow = useState({ current: site })[0];
  refreshNow.current = refresh;
  siteNow.current = site;

  return {
    project, site, sites, pages, view, jobs, message, undos, version, drifting, outcome,
    page: pages.find((page) => page.id === pageId) ?? pages[0] ?? null,
    setSite: (name) => { setPageId(null); setPages([]); setUndos([]); setSite(name); },
    setPage: (page) => setPageId(page?.id ?? null),
    setView: (to) => { setMessage(null); setView(to); },
    refresh, fail,
    addInputs: async (inputs) => {
      const before = new Set((await api.pages(site)).map((page) => page.id));
      const { job } = await api.addInputs(site, inputs);
      jobsOfMine.set(job, { site, before });
    },
    say: (text) => setMessage({ words: text, bad: false }),
    didChange: (one) => { remember(one); changed(0); void refresh(); },
    undo: async () => {
      const last = undos[undos.length - 1];
      if (!last) return;
      try {
        await last.undo();
        setUndos((all) => all.slice(0, -1));
        setMessage({ words: `Undone: ${last.words}`, bad: false });
      } catch (error) { fail(error); }
      await refresh();
    },
  };
}

// The word for a page that drifts or has changed, and how it looks.
export const driftOf = (bench: Workbench, page: string): { word: string; tone: string } | null => { const drift = bench.drifting.get(page); return drift ? (drift.drifts ? { word: "drifts", tone: "bad" } : { word: "changed", tone: "mild" }) : null; };
export const driftWords = (bench: Workbench, page: string) => { const drift = bench.drifting.get(page); return drift ? `${drift.wrapper}: ${drift.words}` : ""; };

// What a promise gives, kept while a newer one is on its way; failures are told.
export function useLoaded<T>(load: () => Promise<T>, on: unknown[]): { value: T | null; loading: boolean; set: (value: T) => void } {
  const bench = useWorkbench();
  const [value, setValue] = useState<T | null>(null);
  const [loading, setLoading] = useState(true);
  const last = useRef(0); // what was asked for before the last load or set is out of date when it comes
  useEffect(() => {
    const mine = ++last.current, now = () => mine === last.current;
    setLoading(true);
    load().then((got) => { if (now()) setValue(got); },
                (error) => { if (now()) { setValue(null); bench.fail(error); } })
          .finally(() => { if (now()) setLoading(false); });
    return () => { last.current++; };
  }, on);
  return { value, loading, set: (known) => { last.current++; setLoading(false); setValue(known); } };
}
