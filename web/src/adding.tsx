// Files that somebody drops or chooses: which of them are pages, which belong to a page, and which are neither.
//
// Pages are sent one by one. A page whose name is taken by another content is not stored: about all of these one
// question is asked at the end. What is not a page is listed with the reason, and the others are added.
import { useEffect, useRef, useState } from "preact/hooks";
import { api, ApiError, isConflict } from "./api";
import { useWorkbench } from "./state";
import { number, t } from "./words/words";

export interface Given { name: string; file: File }
export interface NotAdded { name: string; reason: string }

const ASSET = /\.(css|png|jpe?g|gif|svg|webp|avif|ico|bmp|woff2?|ttf|otf|eot)$/i; // what pages look like
const BESIDE = /\.(m?js|json|map|xml|txt|md|csv)$/i; // saved with pages
const HIDDEN = /(^|\/)(\.[^/]*|Thumbs\.db|desktop\.ini)$/i;
const LOOK = 64 * 1024, MEGA = 1024 * 1024;

interface Sorted { pages: Given[]; assets: Given[]; skipped: number }

function sortOut(files: Given[]): Sorted {
  const seen = files.filter(({ name }) => !HIDDEN.test(name));
  const pages = seen.filter(({ name }) => !ASSET.test(name) && !BESIDE.test(name));
  if (!pages.length) return { pages: seen, assets: [], skipped: 0 }; // nothing that they could belong to
  const assets = seen.filter(({ name }) => ASSET.test(name));
  return { pages, assets, skipped: seen.length - pages.length - assets.length };
}

// What can be said without sending it; the server knows the rest.
async function problemOf(file: File, most: number): Promise<string> {
  if (!file.size) return t.adding.empty;
  if (file.size > most) return t.adding.tooLarge(number(Math.ceil(file.size / MEGA)), number(Math.floor(most / MEGA)));
  const head = new Uint8Array(await file.slice(0, LOOK).arrayBuffer());
  const text = head[0] !== 37 && !head.some((byte) => byte < 9); // what is binary, or begins with % as a PDF does, the server knows better
  return text && !head.includes(60) ? t.adding.noHtml : ""; // no "<" in it
}

// "list.html" becomes "list (2).html", or with the first number that is free.
function freeName(name: string, taken: Set<string>): string {
  const [, base, ending] = /^(.*?)(\.[^./]*)?$/.exec(name)!;
  for (let i = 2; ; i++) { const next = `${base} (${i})${ending ?? ""}`; if (!taken.has(next)) return next; }
}

type Answer = "replace" | "both" | "skip";

export function useAdding() {
  const bench = useWorkbench();
  const [sent, setSent] = useState<{ done: number; total: number } | null>(null);
  const [same, setSame] = useState<Given[]>([]); // other pages have their names
  const [notAdded, setNotAdded] = useState<NotAdded[]>([]);
  const stop = useRef(false);

  // `exists`: what becomes of a page whose name is taken; without it, somebody is asked.
  const send = async (files: Given[], exists?: Answer) => {
    const site = bench.site, before = new Set((await api.allPages(site)).map((one) => one.id)), names = new Set(bench.pages.map((one) => one.name));
    const { pages, assets, skipped } = exists ? { pages: files, assets: [], skipped: 0 } : sortOut(files);
    const added: number[] = [], refused: NotAdded[] = [], conflicts: Given[] = [];
    const { max_upload: most } = await api.status();
    let last = 0, there = 0, assetsSent = 0;
    stop.current = false;
    setSame([]);
    setNotAdded((all) => all.filter((one) => !files.some((file) => file.name === one.name)));
    bench.say(t.pages.adding(t.count.pages(pages.length))); // the words of an addition before this one are over
    try {
      for (let i = 0; i < pages.length && !stop.current; i++) {
        setSent({ done: i, total: pages.length });
        const { file, name: own } = pages[i]!, name = exists === "both" ? freeName(own, names) : own;
        const problem = await problemOf(file, most);
        if (problem) { refused.push({ name, reason: problem }); continue; }
        try {
          const answer = await api.addPage(site, name, file, null, !exists);
          names.add(name);
          for (const one of answer.pages) if (!before.has(one.id)) added.push(one.id); else there++;
          last = answer.pages.length === 1 ? answer.id : 0;
        } catch (error) {
          if (isConflict(error)) conflicts.push(pages[i]!);
          else if (error instanceof ApiError && error.status < 500) refused.push({ name, reason: error.message });
          else throw error;
        }
      }
      for (const { name, file } of assets) if (!stop.current && (await api.addAsset(site, name, file))) assetsSent++; else break;
      const words = [t.pages.added(t.count.pages(added.length))];
      if (stop.current) words.push(t.pages.notSent(number(pages.length - added.length)));
      else if (there) words.push(t.pages.thereAlready(number(there)));
      if (assetsSent) words.push(t.adding.assets(assetsSent));
      if (skipped + assets.length - assetsSent) words.push(t.adding.skipped(skipped + assets.length - assetsSent));
      if (refused.length) words.push(t.adding.refused(refused.length));
      if (conflicts.length) words.push(t.adding.conflicts(conflicts.length));
      if (!added.length && refused.length && !conflicts.length) bench.fail(new Error(words.join(", ")));
      else bench.say(words.join(", "));
    } catch (error) { bench.fail(error); }
    setSent(null);
    setSame(conflicts);
    setNotAdded((all) => [...all, ...refused]);
    if (added.length) bench.didChange({ words: t.pages.added(t.count.pages(added.length)), undo: async () => { await api.removePages(site, added); } });
    if (pages.length !== 1 || !last) return;
    const page = (await bench.refresh()).find((one) => one.id === last); // a page alone is opened
    if (page) bench.goOn("lists", page);
  };
  // Files are nowhere else: who closes the window while they are sent is asked.
  useEffect(() => {
    if (!sent) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [!sent]);
  const answer = (how: Answer) => { const files = same; setSame([]); if (how === "skip") bench.say(t.adding.leftOut(files.length)); else void send(files, how); };
  return { send: (files: Given[]) => void send(files).catch(bench.fail), sent, stop: () => { stop.current = true; }, same, answer, notAdded, forget: () => setNotAdded([]) };
}

const MOST = 5; // names in a question

export function SameNames(props: { files: Given[]; onAnswer: (answer: Answer) => void }) {
  const first = useRef<HTMLButtonElement>(null);
  const { files } = props;
  useEffect(() => { if (files.length) first.current?.focus(); }, [files]);
  if (!files.length) return null;
  const names = files.slice(0, MOST).map((one) => one.name).join(", ");
  return <section class="asking" role="alertdialog" aria-labelledby="same-names">
    <p id="same-names">{t.adding.same(files.length)} <bdi><b>{names}</b></bdi>{files.length > MOST && ` ${t.adding.andMore(number(files.length - MOST))}`}</p>
    <p><button class="main" ref={first} onClick={() => props.onAnswer("replace")}>{t.adding.replace}</button>{" "}
      <button onClick={() => props.onAnswer("both")}>{t.adding.both}</button>{" "}
      <button onClick={() => props.onAnswer("skip")}>{t.adding.skip}</button></p>
    <p class="quiet">{t.adding.replaced}</p>
  </section>;
}

// Files that are not pages, and URLs that could not be read: each with its reason.
export function NotAddedList(props: { files: NotAdded[]; onForget: () => void }) {
  const bench = useWorkbench();
  const there = new Set(bench.pages.flatMap((page) => [page.name, page.url ?? ""]));
  const files = props.files.filter((one) => !there.has(one.name)), inputs = bench.failures;
  const forget = () => { props.onForget(); bench.forgetFailures(); };
  const retry = (which: NotAdded[]) => void bench.addInputs(which.map((one) => one.name)).catch(bench.fail);
  if (!files.length && !inputs.length) return null;
  return <section class="not-added" aria-label={t.adding.notAdded}>
    <h2>{t.adding.notAdded}</h2>
    <ul>{files.map((one) => <li key={one.name}><b><bdi>{one.name}</bdi></b>: {one.reason}</li>)}
      {inputs.map((one) => <li key={one.name}><b><bdi>{one.name}</bdi></b>: {one.reason}{" "}
        <button aria-label={t.adding.retryOne(one.name)} onClick={() => retry([one])}>{t.adding.retry}</button></li>)}</ul>
    <p>{inputs.length > 1 && <button onClick={() => retry(inputs)}>{t.adding.retryAll}</button>} <button onClick={forget}>{t.adding.forget}</button></p>
  </section>;
}
