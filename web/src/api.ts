// The server's API, one function a request; docs/API.md describes them. Requests wait while the server is gone.
import { authorization, fetchWhenThere, isAway, lost, onPresence, tryFetch } from "./connection";
import { keep, keepLabels, knowLabels, labelsAhead } from "./outbox";
import { t } from "./words/words";

export interface Attribute { name: string; value: string; start: number; end: number; url?: string; image?: boolean; cut?: boolean }
export interface PageElement { tag: string; class?: string; start: number; end: number; attributes: Attribute[] }
export interface Site { name: string; pages: number; labels: number; wrappers: number; runs: number }
export interface Page {
  id: number; name: string; url: string | null; added: string; size: number; latest: boolean; labelled: boolean;
}
export interface Place { value: string; start?: number; end?: number }
export type Value = null | Place | Value[] | { [field: string]: Value };
export type Row = { [field: string]: Value };
export interface Region { engine: string; score: number; confidence?: number; records: Row[] }
export interface WrapperInfo { name: string; version: number; engine: string; added: string }
// `wrong`: how many labelled values do not come out as labelled; the first notes tell which.
export interface Learnt { wrapper: Wrapper; explain: string; notes: string[]; wrong: number; pages?: number[]; clusters?: number }
// What of a page a rule goes by.
export interface Hit { start: number; end: number; field: string | null; part: string; rule: string | null; text: string }
export interface Wrapper { engine: string; schema: unknown; version?: number; profile?: Profile; history?: Past[]; [key: string]: unknown }
export interface Found { page: string; records?: Row[]; record?: Row | null }
export interface Run {
  id: number; command: string; wrapper: string | null; wrapper_version: number; started: string;
  finished: string | null; pages: number; records: number; failed: number; verdict: string | null;
}
// A URL that was added with its next pages; and what came of fetching.
export interface Source { url: string; pages: number; render: boolean }
export type FollowEnd = "limit" | "no-link" | "repeat" | "nothing-new" | "no-list" | "failed" | "not-fetched";
export interface Fetched {
  new: number; changed: number; same: number; added: number[];
  failed: { url: string; reason: string }[]; ended: { url: string; pages: number; end: FollowEnd; why: string }[];
}
// How many records of a run have a value in each field.
export interface RunWithFields extends Run { fields: { field: string; filled: number; records: number }[] }
export type DifferenceKind = "changed" | "added" | "removed";
export interface Comparison {
  key: string | null; fields: string[]; removed: number; added: number; changed: number; same: number;
  differences: { kind: DifferenceKind; before: Record<string, unknown> | null; after: Record<string, unknown> | null }[];
}
// What came of a scheduled run and of the alarm that followed. Seconds between two runs, or a time of day.
export interface LastRun extends Partial<Fetched> { verdict: string; date: string; run: number | null; words?: string | null; missed?: number; pages?: number; records?: number; failures?: number; alarm?: AlarmTold }
export interface AlarmTold { date: string; test: boolean; sent: { kind: string; ok: boolean; words: string }[] }
export interface Schedule {
  wrapper: string; every: number; at: string | null; paused: boolean; next: string; webhook: string | null; command: string | null;
  last: LastRun | null; alarm: AlarmTold | null; running: boolean;
}
export interface Schedules { schedules: Schedule[]; allow_commands: boolean; project: string; options: string[] }
export interface Job {
  id: number; kind: string; state: "waiting" | "running" | "done" | "failed" | "cancelled";
  done: number; total: number; message: string; what: { [key: string]: unknown }; result?: unknown;
}
// `nothing`: places that somebody said hold no value. `columns`: what becomes of the fields when they are given away.
export interface LabelLine extends LabelMore { page: string; records: { [field: string]: unknown }[]; body?: { start: number; end: number } }
export interface LabelMore { nothing?: { start: number; end: number }[]; columns?: unknown[] }

// What engines leave to their users, by the names that the library has for them.
export type Knobs = { [knob: string]: number | boolean | string };

// Doubts of a wrapper that has several views: values on which these disagree.
export interface Answer { view: string; text: string | null; start: number; end: number; more?: number; values?: { value: string; start: number; end: number }[] }
// The field is "" for text that no labelled page has; `spot` then says where it stands, alike on all pages.
export interface Doubt { field: string; spot?: string | null; contention: number; why?: string; place: number; chosen: number; answers: Answer[] }
export interface Doubtful { id: number; page: string; contention: number; doubts: Doubt[] }

// What values of a field looked like when the wrapper was learnt, and what repairs have changed: parts of a wrapper.
export interface Profile { fields?: { field: string; examples?: string[] }[] }
export interface Past { version: number; changes: string[] }
// What a check says of one field (null: of the records as a whole), and what a repair came to.
export interface Evidence { field: string | null; drift: boolean; changed: boolean; test: string; p: number; words: string; examples: string[] }
export interface Drifting { page: string; fields: (string | null)[]; words: string | null }
// "changed": the pages are not quite as they were, and are still read.
export type Word = "fine" | "changed" | "drift";
export interface Verdict { verdict: Word; drift: boolean; pages: number; records: number; evidence: Evidence[]; profile?: string; run?: number; drifting?: Drifting[] }
export interface FieldRepair { field: string; outcome: "kept" | "repaired" | "lost"; likeness: number; example: string | null }
export interface Repair {
  outcome: "fine" | "repaired" | "broken"; of: string; fields: FieldRepair[]; before?: Verdict; after?: Verdict; wrapper?: Wrapper; explain?: string;
}
// The job that proposes a repair of the latest version, or has; "current": what came of it is of that version and of the pages of now.
export interface Proposal { job: number | null; state: Job["state"] | null; current: boolean }
export interface Cluster { pages: number[] }

// A step of an engine of a paper, as `--trace` writes it.
export interface Step { step: string; depth: number; [key: string]: unknown }
// What the columns of a run look like. Coverage counts records that have the field, by group of pages.
export interface Outlier { why: "far" | "long" | "no number" | "no date" | "twice" | "missing"; count: number; records: { record: number; page: string; value?: string }[] }
export interface ColumnSurvey {
  field: string; type: string; filled: number; values: number; different: number;
  numbers?: { least: number; median: number; most: number; currency?: string }; lengths?: { least: number; median: number; most: number }; dates?: { first: string; last: string };
  bins?: { from: number; to: number; counts: number[] }; frequent: { value: string; count: number }[]; outliers: Outlier[]; coverage: number[];
}
export interface Survey { records: number; pages: { page: string; pages: number; records: number }[]; fields: ColumnSurvey[] }

export class ApiError extends Error {
  constructor(readonly status: number, message: string, readonly notes: string[] = [], readonly request = "") { super(message); }
}

// Somebody else was quicker.
export const isConflict = (error: unknown) => error instanceof ApiError && error.status === 409;

// Requests by method and path: who shows that one has failed hears when it succeeds.
const answered = new Set<(request: string) => void>();
export function onAnswered(heard: (request: string) => void): () => void {
  answered.add(heard);
  return () => { answered.delete(heard); };
}

export interface Letters { start: number; end: number; text: string }

// What is to be kept until it is stored, and how it is called.
interface Keeping { site: string; what: string; name: string }

async function check(answer: Response, request: string): Promise<Response> {
  if (answer.ok) { for (const heard of answered) heard(request); return answer; }
  let message = `${answer.status} ${answer.statusText}`, notes: string[] = [];
  try {
    const said = await answer.json();
    message = said.error ?? message;
    notes = said.notes ?? [];
  } catch { /* no JSON: the status has to do */ }
  throw new ApiError(answer.status, message, notes, request);
}

// While the server is gone a request waits. One that is sent again says so where that matters: the first may have
// arrived before the server went.
async function ask(method: string, path: string, body?: unknown, raw?: BodyInit, keeping?: Keeping): Promise<Response> {
  const headers: Record<string, string> = body === undefined ? {} : { "Content-Type": "application/json" };
  const sent = raw ?? (body === undefined ? null : JSON.stringify(body)), request = `${method} ${path.split("?")[0]}`;
  let repeated = false, forget: (() => void) | undefined;
  const again = () => { repeated = true; return keeping && typeof sent === "string" ? JSON.stringify({ ...(body as object), again: true }) : sent; };
  const stored = keeping && { ...keeping, method, path, body: (body ?? {}) as Record<string, unknown> };
  const stop = stored ? onPresence(() => { if (isAway()) forget ??= keep(stored); }) : undefined;
  try {
    if (stored && isAway()) forget = keep(stored);
    const answer = await fetchWhenThere(path, { method, headers, body: sent }, again);
    if (repeated && method === "DELETE" && answer.status === 404) return new Response("{}");
    return await check(answer, request);
  } finally { stop?.(); forget?.(); }
}

const json = async <T>(method: string, path: string, body?: unknown, keeping?: Keeping): Promise<T> =>
  (await ask(method, path, body, undefined, keeping)).json() as Promise<T>;
const text = async (path: string): Promise<string> => (await ask("GET", path)).text();
const enc = encodeURIComponent;
const REST = 200;

export const api = {
  status: () => json<{ version: string; project: string; max_upload: number; see?: string; proves: boolean }>("GET", "status"),
  sites: () => json<{ sites: Site[] }>("GET", "sites").then((a) => a.sites),
  removeSite: (site: string) => json<object>("DELETE", `sites/${enc(site)}`, undefined, { site, what: "removal", name: site }),
  pages: (site: string) => json<{ pages: Page[] }>("GET", `sites/${enc(site)}/pages`).then((a) => a.pages),
  // With all that pages were before.
  allPages: (site: string) => json<{ pages: Page[] }>("GET", `sites/${enc(site)}/pages?all=1`).then((a) => a.pages),
  bytes: async (page: number) => (await ask("GET", `pages/${page}/bytes`)).blob(),
  // `unlessOther`: a conflict when a page of that name has other content. An archive gives several pages.
  addPage: async (site: string, name: string, bytes: Blob, url?: string | null, unlessOther = false) =>
    (await ask("POST", `sites/${enc(site)}/pages?name=${enc(name)}${url ? `&url=${enc(url)}` : ""}${unlessOther ? "&exists=refuse" : ""}`, undefined, bytes)).json() as
      Promise<{ id: number; added: boolean; pages: { id: number; name: string; added: boolean }[] }>,
  // What a saved page needs to look like itself. False where the server has no use for it.
  addAsset: (site: string, name: string, bytes: Blob): Promise<boolean> =>
    ask("POST", `sites/${enc(site)}/assets?name=${enc(name)}`, undefined, bytes).then(() => true,
      (error: unknown) => { if (error instanceof ApiError && error.status < 500) return false; throw error; }),
  removePages: (site: string, pages: number[]) => json<{ removed: number }>("DELETE", `sites/${enc(site)}/pages`, { pages }, { site, what: "pages", name: "" }),
  addInputs: (site: string, inputs: string[]) =>
    json<{ job: number }>("POST", `sites/${enc(site)}/inputs`, { inputs }, { site, what: "inputs", name: inputs[0] ?? "" }),
  // A URL with at most so many pages, and pages again; what came of either is a Fetched.
  follow: (site: string, url: string, pages: number, render: boolean) =>
    json<{ job: number }>("POST", `sites/${enc(site)}/follow`, { url, pages, render }, { site, what: "inputs", name: url }),
  fetchAgain: (site: string, pages?: number[]) => json<{ job: number }>("POST", `sites/${enc(site)}/fetch`, pages ? { pages } : {}),
  sources: (site: string) => json<{ sources: Source[]; can_render: boolean }>("GET", `sites/${enc(site)}/sources`),
  removeSource: (site: string, url: string) => json<{ removed: boolean }>("DELETE", `sites/${enc(site)}/sources`, { url }),
  // When extractors are run by themselves. `next` is when it is due.
  schedules: (site: string) => json<Schedules>("GET", `sites/${enc(site)}/schedules`),
  setSchedule: (site: string, one: { wrapper: string; every?: number | undefined; at?: string | undefined; paused: boolean; webhook: string; command: string }) =>
    json<{ next: string }>("PUT", `sites/${enc(site)}/schedules`, one, { site, what: "schedule", name: one.wrapper }),
  removeSchedule: (site: string, wrapper: string) => json<{ removed: boolean }>("DELETE", `sites/${enc(site)}/schedules`, { wrapper }, { site, what: "schedule", name: wrapper }),
  monitor: (site: string, wrapper: string) => json<{ job: number }>("POST", `sites/${enc(site)}/monitor`, { wrapper }),
  testAlarm: (site: string, wrapper: string) => json<{ job: number }>("POST", `sites/${enc(site)}/alarm`, { wrapper }),
  history: (site: string, wrapper: string, count: number) =>
    json<{ runs: RunWithFields[] }>("GET", `sites/${enc(site)}/history?wrapper=${enc(wrapper)}&count=${count}`).then((a) => a.runs),
  compare: (before: number, after: number, key: string, kind: DifferenceKind, from: number, count: number) =>
    json<Comparison>("GET", `runs/${before}/compare/${after}?kind=${kind}&from=${from}&count=${count}${key ? `&key=${enc(key)}` : ""}`),
  // Without a server, those that were read last, with what was labelled since.
  labels: async (site: string): Promise<LabelLine[]> => {
    const path = `sites/${enc(site)}/labels`, answer = isAway() ? null : await tryFetch(path, { method: "GET", headers: {} });
    if (!answer) {
      const ahead = labelsAhead(site);
      void lost();
      if (ahead) return ahead;
    }
    const said = await (answer ? await check(answer, `GET ${path}`) : await ask("GET", path)).text();
    const lines = said.split("\n").filter(Boolean).map((line) => JSON.parse(line) as LabelLine & { record?: LabelLine["records"][number] })
      .map(({ record, ...line }) => ({ ...line, records: line.records ?? (record ? [record] : []) }));
    knowLabels(site, lines);
    return lines;
  },
  // `before` are those that it must have had; a conflict when somebody has changed them. Without a server they are
  // kept here and sent later.
  setLabels: async (site: string, page: string, records: LabelLine["records"] | null, before: LabelLine["records"] | null, more: LabelMore = {}): Promise<void> => {
    const path = `sites/${enc(site)}/labels`, away = isAway();
    const answer = away ? null : await tryFetch(path, { method: "PUT", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ page, before, ...(records ? { ...more, records } : {}) }) });
    if (answer) { await check(answer, `PUT ${path}`); return; }
    if (!keepLabels(site, path, page, records, before, !away, more)) throw new ApiError(409, t.outbox.conflict(page));
    void lost();
  },
  wrappers: (site: string) =>
    json<{ wrappers: WrapperInfo[] }>("GET", `sites/${enc(site)}/wrappers`).then((a) => a.wrappers),
  wrapper: (site: string, name: string, version: number | "latest") =>
    json<{ version: number; wrapper: Wrapper; explain: string; graph: string | null; profile: string | null }>("GET", `sites/${enc(site)}/wrappers/${enc(name)}/${version}`),
  saveWrapper: (site: string, name: string, wrapper: Wrapper, baseVersion?: number) =>
    json<{ version: number }>("POST", `sites/${enc(site)}/wrappers`, { name, wrapper, base_version: baseVersion }, { site, what: "wrapper", name }),
  removeWrapper: (site: string, name: string, version: number) =>
    json<object>("DELETE", `sites/${enc(site)}/wrappers/${enc(name)}/${version}`, undefined, { site, what: "removal", name }),
  runs: (site: string) => json<{ runs: Run[] }>("GET", `sites/${enc(site)}/runs`).then((a) => a.runs),
  records: (run: number, from: number, count: number) =>
    json<{ records: { page: string; record: Row }[] }>("GET", `runs/${run}/records?from=${from}&count=${count}`)
      .then((a) => a.records),
  // How an engine of a paper finds lists on a page, or learns from pages.
  steps: (page: number, engine: string, knobs: Knobs) => json<{ steps: Step[] }>("POST", `pages/${page}/steps`, { engine, ...knobs }).then((a) => a.steps),
  learnSteps: (site: string, options: { engine: string; pages?: number[] }, knobs: Knobs) =>
    json<{ steps: Step[] }>("POST", `sites/${enc(site)}/learn`, { ...options, ...knobs, labels: [], steps: true }).then((a) => a.steps),
  columns: (run: number) => json<Survey>("GET", `runs/${run}/columns`),
  verdicts: (run: number) =>
    json<{ verdicts: { field: string | null; verdict: string; evidence: unknown }[] }>("GET", `runs/${run}/verdicts`)
      .then((a) => a.verdicts),
  view: (page: number) => text(`pages/${page}/view?lean=1`),
  source: (page: number) => text(`pages/${page}/text`),
  // `reckoned` is used while the server is gone: what it gives is the same, or null where only the server knows.
  place: async (page: number, start: number, from: number, to: number, reckoned: () => Letters | null = () => null): Promise<Letters> => {
    const path = `pages/${page}/place?start=${start}&from=${from}&to=${to}`, answer = isAway() ? null : await tryFetch(path, { method: "GET", headers: {} });
    if (answer) return (await check(answer, `GET pages/${page}/place`)).json() as Promise<Letters>;
    void lost();
    return reckoned() ?? json<Letters>("GET", path);
  },
  // The elements around a byte, innermost first, with the attributes that a field may take.
  around: (page: number, start: number) => json<{ elements: PageElement[] }>("GET", `pages/${page}/around?start=${start}`).then((a) => a.elements),
  regions: (page: number, engine: string, knobs: Knobs) =>
    json<{ regions: Region[] }>("POST", `pages/${page}/regions`, { engine, ...knobs }).then((a) => a.regions),
  learn: (site: string, options: { engine?: string; pages?: number[]; pick?: number; cluster?: number; labels?: LabelLine[]; correct?: Wrapper }, knobs: Knobs = {}) =>
    json<Learnt>("POST", `sites/${enc(site)}/learn`, { ...options, ...knobs }),
  extract: (site: string, wrapper: string | Wrapper, pages?: number[], version?: number) =>
    json<{ pages: { id: number; found: Found }[] }>("POST", `sites/${enc(site)}/extract`, { wrapper, pages, version })
      .then((a) => a.pages),
  hits: (site: string, wrapper: string | Wrapper, page: number, version?: number) =>
    json<{ hits: Hit[] }>("POST", `sites/${enc(site)}/hits`, { wrapper, page, version }).then((a) => a.hits),
  run: (site: string, wrapper: string, version?: number) =>
    json<{ job: number }>("POST", `sites/${enc(site)}/run`, { wrapper, version }),
  file: async (site: string, wrapper: string | Wrapper, format: string, version?: number) =>
    (await ask("POST", `sites/${enc(site)}/file`, { wrapper, format, version })).blob(),
  suggest: (site: string, wrapper: string | Wrapper, pages?: number[]) =>
    json<{ pages: Doubtful[] }>("POST", `sites/${enc(site)}/suggest`, { wrapper, pages }).then((a) => a.pages),
  // Questions that are not to be asked again.
  ignored: (site: string) => json<{ questions: string[] }>("GET", `sites/${enc(site)}/ignored`).then((a) => a.questions),
  ignore: (site: string, questions: string[], ignore = true) => json<object>("PUT", `sites/${enc(site)}/ignored`, { questions, ignore }, { site, what: "questions", name: "" }),
  verify: (site: string, wrapper: string, version?: number) =>
    json<{ job: number }>("POST", `sites/${enc(site)}/verify`, { wrapper, version }),
  repair: (site: string, wrapper: string, version?: number) =>
    json<{ job: number }>("POST", `sites/${enc(site)}/repair`, { wrapper, version }),
  // The repair that was proposed last; null for a wrapper that is no more. Forgotten when it is taken or refused.
  proposal: (site: string, wrapper: string) =>
    json<Proposal>("GET", `sites/${enc(site)}/wrappers/${enc(wrapper)}/repair`).catch((error: unknown) => { if (error instanceof ApiError && error.status === 404) return null; throw error; }),
  forgetProposal: (site: string, wrapper: string) => json<object>("DELETE", `sites/${enc(site)}/wrappers/${enc(wrapper)}/repair`),
  clusters: (site: string) => json<{ clusters: Cluster[]; alone: number[] }>("GET", `sites/${enc(site)}/clusters`),
  jobs: () => json<{ jobs: Job[] }>("GET", "jobs").then((a) => a.jobs),
  job: (job: number) => json<Job>("GET", `jobs/${job}`),
  cancel: (job: number) => json<object>("DELETE", `jobs/${job}`),

  // Events by fetch, since an EventSource cannot send the token. Goes on until the signal says stop;
  // comes back by itself when the server was away. "listening": what was before may have gone unheard.
  async listen(heard: (kind: string, data: unknown) => void, signal: AbortSignal): Promise<void> {
    let last = "";
    while (!signal.aborted) {
      try {
        const headers: Record<string, string> = { Authorization: authorization() };
        if (last) headers["Last-Event-ID"] = last;
        const answer = await fetch("/api/v1/events", { headers, signal });
        if (answer.ok) heard("listening", null);
        const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
        let rest = "";
        for (;;) {
          const part = await reader?.read();
          if (!part || part.done) break;
          rest += part.value;
          const events = rest.split("\n\n");
          rest = events.pop() ?? "";
          for (const event of events) {
            const lines = new Map(event.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
            const data = lines.get("data");
            last = lines.get("id") ?? last;
            if (data) heard(lines.get("event") ?? "message", JSON.parse(data));
          }
        }
      } catch { /* away */ }
      if (signal.aborted) return;
      await lost();
      await new Promise((resolve) => setTimeout(resolve, REST)); // a server that ends each answer is not asked without end
    }
  },
};
