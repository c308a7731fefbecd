// What the whole workbench shares: the site and page at hand, jobs, messages, and what can be undone.
import { createContext } from "preact";
import { useContext, useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { api, ApiError, isConflict, onAnswered, type Drifting, type Evidence, type Job, type Page, type Run, type Site } from "./api";
import { expectProof } from "./connection";
import { begin } from "./outbox";
import { t } from "./words/words";

export type ViewName = "pages" | "lists" | "labels" | "template" | "wrappers" | "life" | "records";

// What is said to somebody. `at` names the place that it belongs to, such as "save": the next words at that place
// replace it. An error is over when what caused it succeeds.
export interface Message { words: string; bad: boolean; at: string; cause: string }

export interface Undo { words: string; undo: () => Promise<void> }

export interface Workbench {
  project: string; site: string; sites: Site[]; pages: Page[]; page: Page | null; view: ViewName;
  loaded: boolean; // the pages of the site are known
  which: string; // the pages by their numbers: what follows from them alone is asked for when it is another
  jobs: Job[]; message: Message | null; messages: Message[]; undos: Undo[]; version: number;
  storing: boolean; // changes are under way
  setSite(site: string): void; setPage(page: Page | null): void; setView(view: ViewName): void;
  // Another view after an answer, unless somebody has gone elsewhere while it came.
  goOn(view: ViewName, page?: Page): void;
  // Pages on which the last check of a wrapper found a drift or a change, by name.
  drifting: Map<string, { wrapper: string; words: string; drifts: boolean }>;
  refresh(): Promise<Page[]>;
  // A job that was asked for is known with the answer, before anything is heard of it. One that is given as a function
  // is asked for again when the server went while it was at work.
  began(start: Promise<{ job: number }> | (() => Promise<{ job: number }>), kind: string, wrapper: string): Promise<number>;
  // What comes of a job; null when it was cancelled.
  outcome<T>(job: number): Promise<T | null>;
  addInputs(inputs: string[]): Promise<void>;
  // Inputs that could not be read, until they are: each with its reason.
  failures: { name: string; reason: string }[]; forgetFailures(): void;
  // Words at a place, "" for none of its own. Empty words take away what is there.
  say(words: string, at?: string): void; fail(error: unknown, at?: string): void;
  // Changes come quicker than answers: one after the other, in the order of the clicks, each of what is
  // stored by then; undoing is one of them. Failures are told. `settled`: when all so far are done.
  change(work: () => Promise<Undo | null>): Promise<void>; settled(): Promise<void>;
  didChange(undo: Undo): void; undo(): Promise<void>;
}

export const Context = createContext<Workbench | null>(null);

export function useWorkbench(): Workbench {
  const bench = useContext(Context);
  if (!bench) throw new Error("outside of the workbench");
  return bench;
}

const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const hasEnded = (job: Job) => job.state !== "waiting" && job.state !== "running";

const MOST_JOBS = 200; // as many as the server remembers
// Jobs by number; what is told of one may be older than what is known.
function withJobs(all: Job[], told: Job[]): Job[] {
  const jobs = new Map(all.map((job) => [job.id, job]));
  for (const job of told) {
    const known = jobs.get(job.id);
    if (!known || (!hasEnded(known) && (hasEnded(job) || job.done >= known.done))) jobs.set(job.id, job);
  }
  return [...jobs.values()].sort((a, b) => a.id - b.id).slice(-MOST_JOBS);
}

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
      drifting.set(page.page, { wrapper, drifts, words: page.fields.includes(null) ? t.state.noRecords : fields + (page.words ? `: ${page.words.split(";")[0]}` : "") });
    }
  }
  return drifting;
}

const MOST_UNDOS = 100;
const AGAIN = 2000; // milliseconds until what failed to load is asked for again
const REST = 250; // milliseconds between two looks at what others have changed
const NONE: Page[] = [], NO_DRIFT: Workbench["drifting"] = new Map();

// Answers come late and in any order: what they give is kept with the site that it is of, and a function
// that was made for one site does not speak of it in another.
export function useWorkbenchState(): Workbench {
  const [site, setSite] = useState(() => localStorage.getItem("thresh-site") ?? "default");
  const [sites, setSites] = useState<Site[]>([]);
  const [listed, setListed] = useState<{ site: string; pages: Page[] } | null>(null);
  const [chosen, setChosen] = useState<Page | null>(null);
  const [view, setView] = useState<ViewName>("pages");
  const [jobs, setJobs] = useState<Job[]>([]);
  const [messages, setMessages] = useState<Message[]>([]); // one for each place, the latest last
  const [undos, setUndos] = useState<(Undo & { site: string })[]>([]);
  const [storing, setStoring] = useState(0);
  const [failures, setFailures] = useState<{ site: string; name: string; reason: string }[]>([]);
  const [project, setProject] = useState("");
  const [drift, setDrift] = useState<{ site: string; pages: Workbench["drifting"] } | null>(null);
  const [version, changed] = useReducer((count: number) => count + 1, 0);
  const loaded = listed?.site === site, pages = loaded ? listed.pages : NONE;
  const which = useMemo(() => pages.map((one) => one.id).join(), [pages]);
  // a page that was fetched again has a new number; nobody is taken elsewhere by pages that come or go
  const page = pages.find((one) => one.id === chosen?.id) ?? pages.find((one) => one.name === chosen?.name) ?? pages[0] ?? null;
  useEffect(() => { if (page) setChosen((at) => (at === chosen ? page : at)); }, [page]); // but by a click that came since

  const tell = (one: Message) => setMessages((all) => [...all.filter((other) => other.at !== one.at), ...(one.words ? [one] : [])]);
  const resolved = (cause: string) => setMessages((all) => (all.some((one) => one.cause === cause) ? all.filter((one) => one.cause !== cause) : all));
  const fail = (error: unknown, at?: unknown) => tell({ words: words(error), bad: true, at: typeof at === "string" ? at : "", cause: error instanceof ApiError ? error.request : "" });
  const say = (text: string, at = "") => { if (site === now.current.site) tell({ words: text, bad: false, at, cause: "" }); };
  const asked = useRef(0), shown = useRef(0);
  const refresh = async (): Promise<Page[]> => {
    const mine = ++asked.current, here = () => site === now.current.site && mine > shown.current;
    try {
      const [all, got] = await Promise.all([api.sites(), api.pages(site)]);
      // at the beginning a site that is not in this project is no reason to show an empty one
      const other = !shown.current && !got.length ? all.find((one) => one.pages > 0) : undefined;
      if (here() && other) { shown.current = mine; setSites(all); setSite(other.name); return []; }
      if (here()) { shown.current = mine; setSites(all); setListed({ site, pages: got }); changed(0); }
      return got;
    } catch (error) {
      // what is not known is not empty: it is asked for again
      if (here()) { fail(error); setTimeout(() => { if (here() && mine === asked.current) void now.current.refresh(); }, AGAIN); }
      return [];
    }
  };
  const starters = useState(() => new Map<number, () => Promise<{ job: number }>>())[0];
  const waiting = useState(() => new Map<number, (() => void)[]>())[0];
  const ends = useState(() => new Map<number, Promise<Job>>())[0];
  // A server that was started anew knows nothing of the jobs of the one before: they are asked for again.
  const watch = async (asked: number): Promise<Job> => {
    for (let id = asked; ;) {
      const heard = new Promise<void>((resolve) => { waiting.set(id, [...(waiting.get(id) ?? []), resolve]); setTimeout(resolve, 2000); });
      try {
        const { result, ...job } = await api.job(id);
        if (hasEnded(job)) { setJobs((all) => withJobs(all, [job])); return { ...job, result }; }
        await heard;
      } catch (error) {
        const start = starters.get(asked);
        if (!start || !(error instanceof ApiError) || error.status !== 404) throw error;
        id = (await start()).job;
      }
    }
  };
  const endOf = (id: number): Promise<Job> => { const end = ends.get(id) ?? watch(id); ends.set(id, end); return end; };
  const outcome = async <T,>(id: number): Promise<T | null> => {
    const job = await endOf(id);
    if (job.state === "failed") throw new Error(job.message);
    return job.state === "done" ? (job.result as T) : null;
  };

  const began: Workbench["began"] = async (start, kind, wrapper) => {
    const { job: id } = await (typeof start === "function" ? start() : start);
    if (typeof start === "function") { starters.set(id, start); endOf(id).catch(() => {}); }
    setJobs((all) => withJobs(all, [{ id, kind, state: "waiting", done: 0, total: 0, message: "", what: { site, wrapper } }]));
    return id;
  };

  const stack = useRef(undos);
  const keep = (all: typeof undos) => { stack.current = all.slice(-MOST_UNDOS); setUndos(stack.current); };
  const remember = (one: Undo) => keep([...stack.current, { ...one, site }]);
  const queue = useRef<Promise<void>>(Promise.resolve());
  const change = (work: () => Promise<Undo | null>): Promise<void> => {
    setStoring((count) => count + 1);
    queue.current = queue.current.then(async () => {
      try { const undo = await work(); if (undo) remember(undo); } catch (error) { fail(error); }
      setStoring((count) => count - 1);
      void refresh();
    });
    return queue.current;
  };
  // The last change when its turn comes: clicks may be quicker than what they undo. What somebody else has
  // changed since can be undone no more.
  const undoLast = async (): Promise<null> => {
    const last = stack.current.filter((one) => one.site === site).pop();
    if (!last) return null;
    keep(stack.current.filter((one) => one !== last));
    try { await last.undo(); } catch (error) {
      if (!isConflict(error)) keep([...stack.current, last]);
      throw error;
    }
    say(t.state.undone(last.words));
    return null;
  };
  // Pages that a job brings are known when it has ended: those that were not there before.
  const addInputs = async (inputs: string[]) => {
    const before = new Set((await api.pages(site)).map((one) => one.id));
    const id = await began(() => api.addInputs(site, inputs), "add", "");
    const report = async () => {
      const job = await endOf(id), added = (await refresh()).filter((one) => !before.has(one.id)).map((one) => one.id);
      const words = t.state.added(t.count.pages(added.length));
      if (added.length) remember({ words, undo: async () => { await api.removePages(site, added); } });
      const failed = (job.result as { failed?: { input: string; reason: string }[] } | undefined)?.failed ?? [];
      setFailures((all) => [...all.filter((one) => !inputs.includes(one.name)), ...failed.map((one) => ({ site, name: one.input, reason: one.reason }))]);
      if (job.state === "failed") fail(new Error(job.message));
      else if (failed.length && !added.length) fail(new Error(t.state.notRead(failed.length)));
      else say((job.state === "cancelled" ? t.state.restCancelled(t.count.pages(added.length)) : words) + (failed.length ? `, ${t.state.notRead(failed.length)}` : ""));
    };
    report().catch(fail);
  };

  useEffect(() => onAnswered(resolved), []);
  useEffect(() => {
    void api.status().then(async (status) => {
      setProject(status.project);
      expectProof(status.proves);
      const sent = await begin(status.project); // what a window that is no more could not store
      if (sent) { say(t.outbox.sent(sent)); void now.current.refresh(); }
    }, fail);
  }, []);
  useEffect(() => { localStorage.setItem("thresh-site", site); void refresh(); }, [site]);
  useEffect(() => {
    let stale = false;
    driftingPages(site).catch(() => NO_DRIFT).then((found) => { if (!stale) setDrift({ site, pages: found }); });
    return () => { stale = true; };
  }, [site, version]);
  // What others change comes in crowds, such as the pages of a folder: one look at a time, with some rest.
  const crowd = useRef({ busy: false, more: false });
  const follow = async () => {
    if (crowd.current.busy) { crowd.current.more = true; return; }
    for (crowd.current = { busy: true, more: true }; crowd.current.more;) {
      crowd.current.more = false;
      await now.current.refresh();
      await new Promise((resolve) => setTimeout(resolve, REST));
    }
    crowd.current.busy = false;
  };
  useEffect(() => {
    const stop = new AbortController();
    void api.listen((kind, data) => {
      // the jobs of a server that was away are no more
      if (kind === "listening") { for (const wakes of waiting.values()) for (const wake of wakes) wake(); waiting.clear(); setJobs([]); api.jobs().then((told) => setJobs((all) => withJobs(all, told)), fail); }
      if (kind === "job") {
        const job = data as Job;
        setJobs((all) => withJobs(all, [job]));
        const cause = `job ${job.kind} ${job.what.site} ${job.what.wrapper ?? ""}`;
        if (job.state === "failed") tell({ words: job.message, bad: true, at: "", cause });
        if (job.state === "done") resolved(cause);
        if (!hasEnded(job)) return;
        for (const wake of waiting.get(job.id) ?? []) wake();
        waiting.delete(job.id);
      }
      void follow();
    }, stop.signal);
    return () => stop.abort();
  }, []);
  const now = useRef({ site, view, refresh });
  now.current = { site, view, refresh };

  return {
    project, site, sites, pages, page, loaded, which, view, jobs, messages, message: messages[messages.length - 1] ?? null, version, began, outcome, storing: storing > 0,
    undos: undos.filter((one) => one.site === site), drifting: drift?.site === site ? drift.pages : NO_DRIFT,
    setSite: (name) => { setChosen(null); setMessages([]); setSite(name); },
    setPage: setChosen,
    setView: (to) => { setMessages([]); setView(to); },
    goOn: (to, on) => { if (now.current.view !== view || now.current.site !== site) return; if (on) setChosen(on); setView(to); },
    failures: failures.filter((one) => one.site === site && !pages.some((known) => known.name === one.name || known.url === one.name)),
    forgetFailures: () => setFailures((all) => all.filter((one) => one.site !== site)),
    refresh, fail, say, addInputs, change, settled: () => queue.current,
    didChange: (one) => { remember(one); changed(0); void refresh(); },
    undo: () => { setMessages([]); return change(undoLast); },
  };
}

// The word for a page that drifts or has changed, and how it looks.
export const driftOf = (bench: Workbench, page: string): { word: string; tone: string } | null => { const drift = bench.drifting.get(page); return drift ? (drift.drifts ? { word: t.state.drifts, tone: "bad" } : { word: t.state.changed, tone: "mild" }) : null; };
export const driftWords = (bench: Workbench, page: string) => { const drift = bench.drifting.get(page); return drift ? `${drift.wrapper}: ${drift.words}` : ""; };

const alike = (one: unknown[] | undefined, other: unknown[]) => !!one && one.length === other.length && one.every((each, index) => each === other[index]);

// What a promise gives about `of`: null until it is there, whatever came of something else. It is asked
// for again with every change of `again`, and kept while that is under way. Failures are told.
export function useLoaded<T>(of: unknown[], load: () => Promise<T>, again: unknown[] = []): { value: T | null; loading: boolean; set: (value: T) => void } {
  const bench = useWorkbench();
  const all = [...of, ...again];
  const [got, setGot] = useState<{ of: unknown[]; value: T } | null>(null);
  const [done, setDone] = useState<unknown[]>();
  const asked = useRef(0), taken = useRef(0); // an answer is taken unless one that was asked for later is there
  const now = useRef<unknown[] | null>(of);
  now.current = of;
  useEffect(() => () => { now.current = null; }, []);
  useEffect(() => {
    const mine = ++asked.current, last = () => mine === asked.current && mine > taken.current;
    load().then((value) => {
      if (!now.current || !alike(now.current, of) || mine <= taken.current) return;
      taken.current = mine;
      setGot({ of, value });
      if (mine === asked.current) setDone(all);
    }, (error) => { if (now.current && last()) { setGot(null); setDone(all); bench.fail(error); } });
  }, all);
  return {
    value: got && alike(got.of, of) ? got.value : null, loading: !alike(done, all),
    set: (value) => { taken.current = asked.current; setDone(all); setGot({ of, value }); },
  };
}
