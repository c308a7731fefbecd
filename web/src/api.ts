// The server's API, one function a request; docs/API.md describes them.

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
export interface Job {
  id: number; kind: string; state: "waiting" | "running" | "done" | "failed" | "cancelled";
  done: number; total: number; message: string; what: { [key: string]: unknown }; result?: unknown;
}
export interface LabelLine { page: string; records: { [field: string]: unknown }[]; body?: { start: number; end: number } }

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

export class ApiError extends Error {
  constructor(readonly status: number, message: string, readonly notes: string[] = []) { super(message); }
}

// Somebody else was quicker.
export const isConflict = (error: unknown) => error instanceof ApiError && error.status === 409;

const KEY = "thresh-token";

// The token comes with the address, and stays with the tab: out of the address, so that a
// bookmark or a screenshot does not hold it.
function readToken(): string {
  const match = /token=([^&]+)/.exec(location.hash);
  if (match?.[1]) {
    sessionStorage.setItem(KEY, match[1]);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(KEY) ?? "";
}

const token = readToken();

async function ask(method: string, path: string, body?: unknown, raw?: BodyInit): Promise<Response> {
  const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await fetch(`/api/v1/${path}`, {
    method, headers, body: raw ?? (body === undefined ? undefined : JSON.stringify(body)),
  });
  if (answer.ok) return answer;
  let message = `${answer.status} ${answer.statusText}`, notes: string[] = [];
  try {
    const said = await answer.json();
    message = said.error ?? message;
    notes = said.notes ?? [];
  } catch { /* no JSON: the status has to do */ }
  throw new ApiError(answer.status, message, notes);
}

const json = async <T>(method: string, path: string, body?: unknown): Promise<T> =>
  (await ask(method, path, body)).json() as Promise<T>;
const text = async (path: string): Promise<string> => (await ask("GET", path)).text();
const enc = encodeURIComponent;

export const api = {
  status: () => json<{ version: string; project: string; see?: string }>("GET", "status"),
  sites: () => json<{ sites: Site[] }>("GET", "sites").then((a) => a.sites),
  removeSite: (site: string) => json<object>("DELETE", `sites/${enc(site)}`),
  pages: (site: string) => json<{ pages: Page[] }>("GET", `sites/${enc(site)}/pages`).then((a) => a.pages),
  // With all that pages were before.
  allPages: (site: string) => json<{ pages: Page[] }>("GET", `sites/${enc(site)}/pages?all=1`).then((a) => a.pages),
  bytes: async (page: number) => (await ask("GET", `pages/${page}/bytes`)).blob(),
  addPage: async (site: string, name: string, bytes: Blob, url?: string | null) =>
    (await ask("POST", `sites/${enc(site)}/pages?name=${enc(name)}${url ? `&url=${enc(url)}` : ""}`, undefined, bytes)).json() as
      Promise<{ id: number; added: boolean }>,
  removePages: (site: string, pages: number[]) => json<{ removed: number }>("DELETE", `sites/${enc(site)}/pages`, { pages }),
  addInputs: (site: string, inputs: string[]) =>
    json<{ job: number }>("POST", `sites/${enc(site)}/inputs`, { inputs }),
  labels: async (site: string): Promise<LabelLine[]> =>
    (await text(`sites/${enc(site)}/labels`)).split("\n").filter(Boolean).map((line) => JSON.parse(line) as LabelLine & { record?: LabelLine["records"][number] })
      .map(({ page, records, record }) => ({ page, records: records ?? (record ? [record] : []) })),
  // `before` are those that it must have had; a conflict when somebody has changed them.
  setLabels: (site: string, page: string, records: LabelLine["records"] | null, before: LabelLine["records"] | null) =>
    json<object>("PUT", `sites/${enc(site)}/labels`, { page, before, ...(records ? { records } : {}) }),
  wrappers: (site: string) =>
    json<{ wrappers: WrapperInfo[] }>("GET", `sites/${enc(site)}/wrappers`).then((a) => a.wrappers),
  wrapper: (site: string, name: string, version: number | "latest") =>
    json<{ version: number; wrapper: Wrapper; explain: string; graph: string | null; profile: string | null }>("GET", `sites/${enc(site)}/wrappers/${enc(name)}/${version}`),
  saveWrapper: (site: string, name: string, wrapper: Wrapper, baseVersion?: number) =>
    json<{ version: number }>("POST", `sites/${enc(site)}/wrappers`, { name, wrapper, base_version: baseVersion }),
  removeWrapper: (site: string, name: string, version: number) =>
    json<object>("DELETE", `sites/${enc(site)}/wrappers/${enc(name)}/${version}`),
  runs: (site: string) => json<{ runs: Run[] }>("GET", `sites/${enc(site)}/runs`).then((a) => a.runs),
  records: (run: number, from: number, count: number) =>
    json<{ records: { page: string; record: Row }[] }>("GET", `runs/${run}/records?from=${from}&count=${count}`)
      .then((a) => a.records),
  verdicts: (run: number) =>
    json<{ verdicts: { field: string | null; verdict: string; evidence: unknown }[] }>("GET", `runs/${run}/verdicts`)
      .then((a) => a.verdicts),
  view: (page: number) => text(`pages/${page}/view?lean=1`),
  source: (page: number) => text(`pages/${page}/text`),
  place: (page: number, start: number, from: number, to: number) =>
    json<{ start: number; end: number; text: string }>("GET", `pages/${page}/place?start=${start}&from=${from}&to=${to}`),
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
  ignore: (site: string, questions: string[], ignore = true) => json<object>("PUT", `sites/${enc(site)}/ignored`, { questions, ignore }),
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
        const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
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
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  },
};
