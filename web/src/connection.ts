// Whether the server answers. Requests wait here while it is gone, and are sent again when it is back.
//
//   there ──no answer──▶ gone ──status answers──▶ (what was kept is sent) ──▶ there
//                          └────401──▶ refused ──a new token in the address──┘

const KEY = "thresh-token";
const FIRST = 400, LONGEST = 5000; // milliseconds between two tries, growing
const MOST_TRIES = 6; // of a request that fails although the server is there

export interface Presence {
  state: "there" | "gone" | "refused"; // refused: a server that does not know our token
  since: number; next: number; trying: boolean; // next: when it is tried again
}

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

let token = readToken();
let presence: Presence = { state: "there", since: 0, next: 0, trying: false };
let back: Promise<void> | null = null;
let hurry = () => {};
const listeners = new Set<() => void>();
const onReturn: (() => Promise<void>)[] = [];

export const presenceNow = () => presence;
export const isAway = () => back !== null;
// How often the server was lost: what it did not store is gone then.
let lostCount = 0;
export const losses = () => lostCount;
export const authorization = () => `Bearer ${token}`;
export const tryNow = () => hurry();
export function onPresence(heard: () => void): () => void {
  listeners.add(heard);
  return () => { listeners.delete(heard); };
}
// What is done before requests that wait are sent: what was kept in the meantime comes first.
export const beforeGoingOn = (work: () => Promise<void>) => { onReturn.push(work); };

function tell(change: Partial<Presence>): void {
  presence = { ...presence, ...change };
  for (const heard of listeners) heard();
}

// Another program may listen at the address by now, and must not be given the token: a server that said that it can
// proves first that it knows the token (docs/API.md).
let proves = false;
export const expectProof = (yes: boolean) => { proves = yes; };

async function isOurs(): Promise<boolean> {
  const bytes = (text: string) => new TextEncoder().encode(text), text = crypto.randomUUID();
  const key = await crypto.subtle.importKey("raw", bytes(token), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const wanted = [...new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes(text)))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const answer = await fetch(`/proof?text=${text}`);
  return answer.ok && ((await answer.json()) as { proof?: string }).proof === wanted;
}

async function tryOnce(): Promise<"there" | "gone" | "refused"> {
  try {
    if (proves && !(await isOurs())) return "refused";
    const answer = await fetch("/api/v1/status", { headers: { Authorization: authorization() } });
    await answer.text();
    return answer.ok ? "there" : answer.status === 401 ? "refused" : "gone";
  } catch { return "gone"; }
}

async function untilThere(): Promise<void> {
  lostCount++;
  for (let wait = FIRST, tries = 0; ; tries++) {
    const state = await tryOnce();
    if (state === "there") {
      try { for (const work of onReturn) await work(); break; } catch { /* gone again */ }
    } else if (presence.state !== state) tell({ state, since: presence.state === "there" ? Date.now() : presence.since });
    tell({ trying: false, next: Date.now() + wait });
    await new Promise<void>((resolve) => { hurry = resolve; setTimeout(resolve, wait); });
    tell({ trying: true });
    wait = Math.min(wait * 1.5, LONGEST);
  }
  back = null;
  hurry = () => {};
  tell({ state: "there", trying: false, next: 0 });
}

// Something went unanswered: resolves when the server is there.
export const lost = (): Promise<void> => (back ??= untilThere());

const hasGone = (error: unknown, signal?: AbortSignal | null) => error instanceof TypeError && !signal?.aborted;

// One try, with the whole answer: a server may die in the middle of it. Null: no answer.
export async function tryFetch(path: string, init: RequestInit & { headers: Record<string, string> }): Promise<Response | null> {
  try {
    const answer = await fetch(`/api/v1/${path}`, { ...init, headers: { ...init.headers, Authorization: authorization() } });
    if (answer.status === 401) return null;
    const bytes = await answer.arrayBuffer();
    return new Response(bytes, { status: answer.status, statusText: answer.statusText, headers: answer.headers });
  } catch (error) {
    if (!hasGone(error, init.signal)) throw error;
    return null;
  }
}

// An answer, however long it takes. `again` is told that it is sent once more: the first may have arrived.
export async function fetchWhenThere(path: string, init: RequestInit & { headers: Record<string, string> }, again: () => BodyInit | null | undefined): Promise<Response> {
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    if (back) await back;
    const answer = await tryFetch(path, tries > 1 ? { ...init, body: again() ?? null } : init);
    if (answer) return answer;
    await lost();
  }
  throw new Error("no answer");
}

// The address of a server that was started anew, pasted into this window.
addEventListener("hashchange", () => {
  const fresh = readToken();
  if (fresh !== token) { token = fresh; proves = false; hurry(); }
});
addEventListener("online", () => hurry());
document.addEventListener("visibilitychange", () => { if (!document.hidden) hurry(); });
