// EXALG's equivalence classes: tokens that occur equally often on each page, round by round, and what becomes of
// them. From the steps that `thresh show --trace --engine exalg` prints.
import { useMemo } from "preact/hooks";
import type { Step } from "./api";
import { number, t } from "./words/words";

const words = t.equivalenceClasses, MOST = 40, PAGES = 60;

interface TokenClass { number: number; size: number; support: number; vector: number[]; tokens: string }
interface Round { number: number; classes: TokenClass[]; after: TokenClass[] | null; roles: { token: string; path: string; becomes: number }[] }
interface Between { class: number; position: number; pattern: string; strings: string }

export function classRounds(steps: Step[]): { rounds: Round[]; between: Between[]; template: string; schema: string; pages: string[] } {
  const rounds: Round[] = [], between: Between[] = [], pages: string[] = [];
  let template = "", schema = "";
  for (const step of steps) {
    const last = rounds[rounds.length - 1], n = (key: string) => Number(step[key]);
    if (step.step === "page") pages.push(String(step["name"]));
    else if (step.step === "round") rounds.push({ number: n("number"), classes: [], after: null, roles: [] });
    else if (step["vector"] && last) {
      const one = { number: n("class"), size: n("size"), support: n("support"), vector: step["vector"] as number[], tokens: String(step["tokens"]) };
      if (step.step === "lfeq") last.classes.push(one); else (last.after ??= []).push(one);
    } else if (step.step === "role" && last) last.roles.push({ token: String(step["token"]), path: String(step["path"]), becomes: n("becomes") });
    else if (step.step === "posstring") between.push({ class: n("class"), position: n("position"), pattern: String(step["pattern"]), strings: String(step["strings"]) });
    else if (step.step === "template") template = String(step["is"]);
    else if (step.step === "schema") schema = String(step["is"]);
  }
  return { rounds, between, template, schema, pages };
}

// How often a class occurs on each page: a bar a page.
function Vector(props: { vector: number[] }) {
  const shown = props.vector.slice(0, PAGES), most = Math.max(1, ...shown);
  return <svg class="histogram" width={shown.length * 5} height="18" viewBox={`0 0 ${shown.length * 5} 18`} role="img" aria-label={words.vector(shown.join(", "))}>
    {shown.map((count, at) => <rect x={at * 5} y={18 - (count / most) * 18} width="4" height={(count / most) * 18} />)}</svg>;
}

function Classes(props: { classes: TokenClass[]; caption: string }) {
  return <table class="overview" tabIndex={0}><caption>{props.caption}</caption>
    <thead><tr><th scope="col">{words.class}</th><th scope="col" class="number">{words.support}</th><th scope="col">{words.occurs}</th><th scope="col">{words.tokens}</th></tr></thead>
    <tbody>{props.classes.slice(0, MOST).map((one) => <tr><th scope="row">E{one.number}</th><td class="number">{number(one.support)}</td><td><Vector vector={one.vector} /></td>
      <td><code class="tokens">{one.tokens.length > 400 ? `${one.tokens.slice(0, 399)}…` : one.tokens}</code></td></tr>)}</tbody></table>;
}

export function EquivalenceClasses(props: { steps: Step[] }) {
  const { rounds, between, schema, pages } = useMemo(() => classRounds(props.steps), [props.steps]);
  if (!rounds.length) return <p class="quiet">{words.none}</p>;
  return <div class="classes">
    {rounds.map((round) => <details open={round === rounds[rounds.length - 1]}><summary>{words.round(round.number, round.classes.length)}</summary>
      <div class="grid-scroll" tabIndex={0} role="region" aria-label={words.round(round.number, round.classes.length)}>
        <Classes classes={round.classes} caption={words.found(t.count.pages(pages.length))} />
        {round.after && <Classes classes={round.after} caption={words.sorted} />}
        {round.roles.length > 0 && <p>{words.roles} {round.roles.slice(0, MOST).map((role) => <><code title={role.path}>{role.token}</code> <small>{words.becomes(role.becomes)}</small> </>)}</p>}
      </div></details>)}
    {between.length > 0 && <details><summary>{words.between}</summary><table class="overview" tabIndex={0}>
      <thead><tr><th scope="col">{words.place}</th><th scope="col">{words.kind}</th><th scope="col">{words.strings}</th></tr></thead>
      <tbody>{between.slice(0, 200).map((one) => <tr><th scope="row">{words.position(one.class, one.position)}</th><td>{one.pattern}</td><td><code>{one.strings}</code></td></tr>)}</tbody></table></details>}
    {schema && <p>{words.schema} <code>{schema}</code></p>}
  </div>;
}
