// Above everything else: that the server is gone, what is stored and what waits, and what could not be stored.
import { useEffect, useReducer } from "preact/hooks";
import { onPresence, presenceNow, tryNow } from "./connection";
import { forget, insist, keptNow, onKept, type Kept } from "./outbox";
import { useWorkbench } from "./state";
import { shell } from "./values";
import { number, t } from "./words/words";

const wordsOf = (one: Kept) => (t.waiting.kinds[one.what] ?? t.waiting.kinds.other!)(one.name);
const clock = (time: number) => new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

// Drawn anew when something changes, and each second while there is something to count.
function useLook(): void {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const stops = [onPresence(() => draw(0)), onKept(() => draw(0))];
    const timer = setInterval(() => { if (presenceNow().state !== "there") draw(0); }, 1000);
    return () => { for (const stop of stops) stop(); clearInterval(timer); };
  }, []);
}

// What was not taken stays offered: somebody else may have changed the same.
function Refused(props: { kept: Kept[] }) {
  const bench = useWorkbench();
  const use = async (id: string) => { await insist(id); await bench.refresh(); };
  return <section class="waiting" role="alert" aria-label={t.waiting.notStored}>
    <p>{t.waiting.someNotStored(props.kept.length)}</p>
    <ul>{props.kept.map((one) => <li key={one.id}><bdi>{wordsOf(one)}</bdi>: {one.refused}{" "}
      <button onClick={() => void use(one.id)} aria-label={t.waiting.storeThis(wordsOf(one))}>{t.waiting.store}</button>{" "}
      <button onClick={() => forget(one.id)} aria-label={t.waiting.dropThis(wordsOf(one))}>{t.waiting.drop}</button></li>)}</ul>
  </section>;
}

export function Waiting() {
  const bench = useWorkbench();
  useLook();
  const { state, since, next, trying } = presenceNow(), kept = keptNow();
  const refused = kept.filter((one) => one.refused), waiting = kept.filter((one) => !one.refused);
  const command = `thresh serve --project ${shell(bench.project || "PROJECT")}`;
  const seconds = Math.max(1, Math.ceil((next - Date.now()) / 1000));
  return <>
    {state !== "there" && <section class="waiting" aria-label={t.waiting.gone}>
      <p role="alert"><b>{state === "gone" ? t.waiting.gone : t.waiting.other}</b> {t.waiting.stored(clock(since))} {waiting.length > 0 && t.waiting.kept(waiting.length)}</p>
      {waiting.length > 0 && <details><summary>{t.waiting.which}</summary><ul>{waiting.map((one) => <li key={one.id}><bdi>{wordsOf(one)}</bdi></li>)}</ul></details>}
      <p>{state === "gone" ? <>{t.waiting.startAgain} <code>{command}</code></> : t.waiting.openNew}</p>
      <p>{trying ? t.waiting.trying : t.waiting.again(number(seconds))} <button onClick={tryNow}>{t.waiting.now}</button></p>
    </section>}
    {refused.length > 0 && state === "there" && <Refused kept={refused} />}
  </>;
}
