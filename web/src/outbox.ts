// Changes that are not stored yet, as the server is gone: kept in this browser, so that a window that is loaded anew
// or closed loses none of them, and sent in their order when the server is back.
//
// Labels are kept as what a page should have in the end: whoever asks for labels in the meantime gets these. Other
// changes are kept as requests; the window that made one waits for its answer, and when that window is no more
// another one sends it. What the server then refuses is not thrown away: it is offered (waiting.tsx).
import type { LabelLine, LabelMore } from "./api";
import { beforeGoingOn, tryFetch } from "./connection";

export type Records = LabelLine["records"] | null;

export interface Kept {
  id: string; project: string; window: string; time: number;
  site: string; what: string; // of which kind it is, and its name: "labels of 0.html"
  name: string;
  method: string; path: string; body: Record<string, unknown>;
  befores?: Records[]; // labels: what the page may have had; several when nobody knows whether the last change arrived
  refused?: string; // why the server did not take it
}

const PLACE = "thresh-waiting";
const WINDOW = crypto.randomUUID();
let project = "";
const listeners = new Set<() => void>();
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

// Windows hold a lock as long as they live: what belongs to one that is gone is anybody's.
void navigator.locks?.request(`thresh-window-${WINDOW}`, () => new Promise(() => {}));
async function aliveWindows(): Promise<Set<string>> {
  const held = (await navigator.locks?.query())?.held ?? [];
  return new Set([WINDOW, ...held.map((one) => (one.name ?? "").replace("thresh-window-", ""))]);
}

let unwritten: Kept[] | null = null; // when the browser has no room: this window alone has it then
const all = (): Kept[] => { if (unwritten) return unwritten; try { return JSON.parse(localStorage.getItem(PLACE) ?? "[]") as Kept[]; } catch { return []; } };
function write(kept: Kept[]): void {
  try {
    if (kept.length) localStorage.setItem(PLACE, JSON.stringify(kept)); else localStorage.removeItem(PLACE);
    unwritten = null;
  } catch { unwritten = kept; }
  for (const heard of listeners) heard();
}

export const keptNow = () => all().filter((one) => one.project === project);
export function onKept(heard: () => void): () => void {
  const other = (event: StorageEvent) => { if (event.key === PLACE) heard(); };
  listeners.add(heard);
  addEventListener("storage", other);
  return () => { listeners.delete(heard); removeEventListener("storage", other); };
}

// Keeps a request until it is answered; gives what forgets it.
export function keep(one: Pick<Kept, "site" | "what" | "name" | "method" | "path" | "body">): () => void {
  const id = crypto.randomUUID();
  write([...all(), { ...one, id, project, window: WINDOW, time: Date.now() }]);
  return () => forget(id);
}
export const forget = (id: string) => write(all().filter((one) => one.id !== id));

// ---- labels ----

const known = new Map<string, LabelLine[]>(); // by site, as the server told last
export const knowLabels = (site: string, lines: LabelLine[]) => { known.set(site, lines); };

const lineOf = (body: Kept["body"]) => body as unknown as LabelLine; // what is sent is the line, but for what it was before

// The labels of a site as they will be; null when nothing is known of it.
export function labelsAhead(site: string): LabelLine[] | null {
  const lines = known.get(site);
  if (!lines) return null;
  const next = [...lines];
  for (const { name, body } of all().filter((one) => one.what === "labels" && one.site === site && one.project === project && one.window === WINDOW && !one.refused)) {
    const at = next.findIndex((line) => line.page === name), records = (body.records ?? null) as Records;
    if (at >= 0) next.splice(at, 1, ...(records ? [lineOf(body)] : []));
    else if (records) next.push(lineOf(body));
  }
  return next;
}

// `unsure`: the request was sent, and may have arrived. False when the page has other labels than `before` by now.
export function keepLabels(site: string, path: string, page: string, records: Records, before: Records, unsure: boolean, more: LabelMore = {}): boolean {
  const lines = labelsAhead(site);
  if (lines && !same(lines.find((line) => line.page === page)?.records ?? null, before)) return false;
  const kept = all(), at = kept.findIndex((one) => one.what === "labels" && one.site === site && one.name === page && one.project === project && one.window === WINDOW && !one.refused);
  const old = at >= 0 ? kept[at]! : null;
  const entry: Kept = {
    id: old?.id ?? crypto.randomUUID(), project, window: WINDOW, time: Date.now(), site, what: "labels", name: page, method: "PUT", path,
    body: { page, ...(records ? { ...more, records } : {}) }, befores: [...(old?.befores ?? [before]), ...(unsure ? [records] : [])],
  };
  if (old) kept[at] = entry; else kept.push(entry);
  write(kept);
  return true;
}

// ---- sending ----

const words = async (answer: Response) => { try { return ((await answer.json()) as { error?: string }).error ?? answer.statusText; } catch { return answer.statusText; } };
const put = (one: Kept, more: object) => tryFetch(one.path, { method: one.method, headers: { "Content-Type": "application/json" }, body: JSON.stringify({ ...one.body, ...more }) });

// Sends one; null when the server did not answer, else whether it was taken.
async function send(one: Kept): Promise<boolean | null> {
  let answer: Response | null = null;
  for (const before of one.befores ?? [undefined]) {
    answer = await put(one, before === undefined ? { again: true } : { before });
    if (answer?.status !== 409) break;
  }
  if (!answer) return null;
  const gone = one.method === "DELETE" && answer.status === 404; // it had arrived
  if (answer.ok || gone) {
    const lines = known.get(one.site), records = (one.body.records ?? null) as Records;
    if (lines && one.what === "labels") known.set(one.site, [...lines.filter((line) => line.page !== one.name), ...(records ? [lineOf(one.body)] : [])]);
    forget(one.id);
    return true;
  }
  const why = await words(answer);
  write(all().map((other) => (other.id === one.id ? { ...other, refused: why } : other)));
  return false;
}

// Labels of this window, and all of windows that are no more. The answers of other requests are waited for where they
// were made.
async function sendKept(): Promise<void> {
  for (let found = true; found;) {
    const alive = await aliveWindows();
    const next = keptNow().find((one) => !one.refused && ((one.window === WINDOW && one.what === "labels") || !alive.has(one.window)));
    found = !!next;
    if (next && (await send(next)) === null) throw new Error("gone");
  }
}
beforeGoingOn(sendKept);

// The project is known: what was kept of it is sent. Gives how many changes that were.
export async function begin(of: string): Promise<number> {
  project = of;
  const before = keptNow().filter((one) => !one.refused).length;
  try { await sendKept(); } catch { /* gone again: it is kept */ }
  return before - keptNow().filter((one) => !one.refused).length;
}

// What was refused, once more: labels whatever the page has by now.
export async function insist(id: string): Promise<void> {
  const one = all().find((other) => other.id === id);
  if (!one) return;
  const answer = await put(one, {});
  if (answer?.ok) forget(id);
  else if (answer) { const why = await words(answer); write(all().map((other) => (other.id === id ? { ...other, refused: why } : other))); }
}
