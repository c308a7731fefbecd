// Questions, one at a time: both answers are shown, and one of them is right or neither. When none is
// left, it is done.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Row, Value } from "./api";
import { short, Values } from "./answer_values";
import type { Question } from "./asking";
import { problemOf } from "./field_form";
import { columnOf, isMany, valuesAt, type LabelValue, type Spot } from "./labelling";
import { cell, plural } from "./values";

const VIEWS: { [view: string]: string } = { structure: "by its element", forward: "from the start", backward: "from the end", other: "by another rule", paths: "by its path", stalker: "by landmarks", softmealy: "by separators", template: "by the template", exalg: "by the template" };
const viewsOf = (views: string[]) => views.map((view) => VIEWS[view] ?? view).join(", ");

const SEVERAL = "several texts where there was one"; // as the library says it

type One = Question & { kind: "one" | "several" };
type New = Question & { kind: "new" };
// What a text that no labelled page has is of a field: its value, one of its values, or a part of it.
export type Share = "instead" | "more" | "with";

export interface Answering {
  value: (question: One, value: LabelValue) => void; // of the whole column, when it has several
  grow: (question: One, values: Spot[], byHand?: boolean) => void; // the field has several values
  byHand: (question: Question) => void;
  show: (question: Question) => void;
  fresh: (question: New, field: string, byHand: boolean) => void;
  part: (question: New, field: string, share: Share) => void;
  ignore: (spots: string[]) => void;
}

function OneValue(props: { question: One; answer: Answering }) {
  const { question, answer } = props;
  return <div class="answers">
    {question.choices.map((choice) => <button onClick={() => answer.value(question, choice.value)}>
      {choice.value === null ? <i>it is not there</i> : <bdi>{short((choice.value as Spot).value)}</bdi>} <small>{viewsOf(choice.views)}</small></button>)}
    <button onClick={() => answer.byHand(question)}>{question.choices.length > 1 ? "Neither" : "It is there"}: let me click it</button>
    {question.why === SEVERAL && <button onClick={() => answer.grow(question, question.choices.flatMap((choice) => (choice.value ? [choice.value as Spot] : [])).slice(0, 1), true)}>It has several values: let me mark them</button>}
  </div>;
}

function SeveralValues(props: { question: One; answer: Answering }) {
  const { question, answer } = props;
  const items = (value: LabelValue) => (Array.isArray(value) ? value : value === null ? [] : [value]);
  return <>
    <div class="answers side-by-side">
      {question.choices.map((choice) => {
        const own = items(choice.value), others = question.choices.filter((one) => one !== choice).map((one) => items(one.value)), views = viewsOf(choice.views);
        return <section class="answer" aria-label={`${plural(own.length, "value")} ${views}`}>
          <p><b>{plural(own.length, "value")}</b> <small>{views}</small></p>
          <div class="answer-values" tabIndex={0} role="group" aria-label={`Values ${views}`}><Values items={own} others={others} /></div>
          {!question.grows ? <button onClick={() => answer.value(question, own)}>{own.length ? "These are right" : "There is none"}</button>
            : <>
              {own.length > 1 && <button onClick={() => answer.grow(question, own as Spot[])}>All of these: {question.field} has several values</button>}
              <button onClick={() => answer.value(question, own[0] ?? null)}>{own.length > 1 ? "Only the first" : own.length ? "This one" : "There is none"}</button>
            </>}
        </section>;
      })}
    </div>
    <div class="answers"><button onClick={() => answer.byHand(question)}>{question.choices.length > 1 ? "None of these is right" : "Not all"}: let me mark {question.grows ? "it" : "them"} on the page</button></div>
  </>;
}

// Which of the fields a text can be of, and how.
function sharesOf(fields: string[], row: Row | undefined): { field: string; share: Share; words: string }[] {
  return fields.flatMap((field): { field: string; share: Share; words: string }[] => {
    const now = cell((valuesAt(row, field)[0] ?? null) as Value), has = now.length > 30 ? `${now.slice(0, 29)}…` : now;
    if (isMany(field)) return [{ field, share: "more", words: `one more of ${field}` }];
    if (!has) return [{ field, share: "instead", words: `the value of ${field}, which has none here` }];
    return [{ field, share: "with", words: `a part of ${field}, with “${has}”` }, { field, share: "instead", words: `the value of ${field}, instead of “${has}”` }];
  });
}

function NewText(props: { question: New; answer: Answering; fields: string[]; row: Row | undefined; spots: string[] }) {
  const { question, answer } = props;
  const [name, setName] = useState("");
  const [problem, setProblem] = useState("");
  const [share, setShare] = useState(0);
  const shares = sharesOf(props.fields, props.row);
  const fresh = (byHand: boolean) => {
    const wrong = problemOf(name.trim(), props.fields);
    setProblem(wrong);
    if (!wrong) answer.fresh(question, name.trim(), byHand);
  };
  return <div class="new-text">
    <form onSubmit={(e) => { e.preventDefault(); fresh(false); }}>
      <label>A new field: <input placeholder="its name" size={12} value={name} onInput={(e) => { setName(e.currentTarget.value); setProblem(""); }} /></label>
      <button type="submit">This text is its value</button>
      <button type="button" onClick={() => fresh(true)}>Let me click its value</button>
      {problem && <span class="bad-text" role="alert">{problem}</span>}
    </form>
    {shares.length > 0 && <form onSubmit={(e) => { e.preventDefault(); const one = shares[share] ?? shares[0]!; answer.part(question, one.field, one.share); }}>
      <label>Or it is <select value={share} onChange={(e) => setShare(Number(e.currentTarget.value))}>{shares.map((one, index) => <option value={index}>{one.words}</option>)}</select></label>
      <button type="submit">Yes, it is</button>
    </form>}
    <div class="answers">
      <button onClick={() => answer.ignore([question.spot])}>Not data: do not ask again</button>
      {props.spots.length > 1 && <button onClick={() => answer.ignore(props.spots)}>None of the {props.spots.length} such texts is</button>}
    </div>
  </div>;
}

function Head(props: { question: Question; left: number }) {
  const { question } = props;
  const asked = question.kind === "one" ? <><b>Which one is {question.field}</b> on {question.page}?</>
    : question.kind === "several" ? <><b>Which are the values of {question.field}</b> on {question.page}?</>
    : question.kind === "record" ? <><b>Is there a record</b> on {question.page}?</>
    : <><b>Is this data?</b> <q dir="auto">{short(question.text.value)}</q> on {question.page}{question.pages > 1 ? ` and ${plural(question.pages - 1, "page")} more` : ""}</>;
  return <>{asked} <small>{question.why ? `${question.why}; ` : ""}{plural(props.left, "question")} left</small></>;
}

// `focus`: the last answer was given here, and so the next question is what somebody looks at.
export function Questions(props: { questions: Question[]; wrong: number; asked: number; of: number; fields: string[]; rowOf: (question: Question) => Row | undefined; answer: Answering; focus: { current: boolean } }) {
  const [question] = props.questions, head = useRef<HTMLParagraphElement>(null);
  const key = question ? `${question.kind} ${question.id} ${question.row} ${"field" in question ? columnOf(question.field) : question.spot}` : "";
  useEffect(() => {
    if (!props.focus.current) return;
    props.focus.current = false;
    if (document.activeElement === document.body) head.current?.focus(); // unless somebody is at something else by now
  }, [key]);
  if (!question && props.wrong > 0) // labels are right until somebody says otherwise: this is not done
    return <p class="why" role="status" tabIndex={-1} ref={head}><b>{plural(props.wrong, "labelled value")} {props.wrong === 1 ? "does" : "do"} not come out as labelled.</b> Check {props.wrong === 1 ? "that label" : "those labels"}, or label one more page: the notes below say where.</p>;
  if (!question)
    return <p class="done" role="status" tabIndex={-1} ref={head}><b>Done</b>: nothing left to check on {props.asked === 1 ? "the page" : `all ${props.asked} pages`}{props.asked < props.of ? ` that were checked, of ${props.of.toLocaleString("en")}` : ""}.</p>;
  return <section class="question" aria-label="A question" key={key}>
    <div class="question-head"><p role="status" tabIndex={-1} ref={head}><Head question={question} left={props.questions.length} /></p>
      <button class="plain" onClick={() => props.answer.show(question)}>Show it on the page</button></div>
    {question.kind === "one" ? <OneValue question={question as One} answer={props.answer} />
      : question.kind === "several" ? <SeveralValues question={question as One} answer={props.answer} />
      : question.kind === "new" ? <NewText question={question} answer={props.answer} fields={props.fields} row={props.rowOf(question)} spots={props.questions.flatMap((one) => (one.kind === "new" ? [one.spot] : []))} />
      : <div class="answers"><button onClick={() => props.answer.ignore([question.spot])}>There is none</button><button onClick={() => props.answer.byHand(question)}>Yes: let me label it</button></div>}
  </section>;
}
