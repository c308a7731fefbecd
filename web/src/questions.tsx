// Questions, one at a time: both answers are shown, and one of them is right or neither. When none is
// left, it is done.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Row, Value } from "./api";
import { short, Values } from "./answer_values";
import type { Question } from "./asking";
import { problemOf } from "./field_form";
import type { Difference } from "./label_differences";
import { columnOf, isMany, valuesAt, type LabelValue, type Spot } from "./labelling";
import { reasonOf } from "./reasons";
import { cell } from "./values";
import { number, t } from "./words/words";

const viewsOf = (views: string[]) => views.map((view) => (t.questions.views as { [view: string]: string })[view] ?? view).join(", ");

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
      {choice.value === null ? <i>{t.questions.notThere}</i> : <bdi>{short((choice.value as Spot).value)}</bdi>} <small>{viewsOf(choice.views)}</small></button>)}
    <button onClick={() => answer.byHand(question)}>{question.choices.length > 1 ? t.questions.neither : t.questions.isThere}</button>
    {question.why === SEVERAL && <button onClick={() => answer.grow(question, question.choices.flatMap((choice) => (choice.value ? [choice.value as Spot] : [])).slice(0, 1), true)}>{t.questions.severalByHand}</button>}
  </div>;
}

function SeveralValues(props: { question: One; answer: Answering }) {
  const { question, answer } = props;
  const items = (value: LabelValue) => (Array.isArray(value) ? value : value === null ? [] : [value]);
  return <>
    <div class="answers side-by-side">
      {question.choices.map((choice) => {
        const own = items(choice.value), others = question.choices.filter((one) => one !== choice).map((one) => items(one.value)), views = viewsOf(choice.views);
        return <section class="answer" aria-label={t.questions.of(t.count.values(own.length), views)}>
          <p><b>{t.count.values(own.length)}</b> <small>{views}</small></p>
          <div class="answer-values" tabIndex={0} role="group" aria-label={t.questions.valuesOf(views)}><Values items={own} others={others} /></div>
          {!question.grows ? <button onClick={() => answer.value(question, own)}>{own.length ? t.questions.right : t.questions.thereIsNone}</button>
            : <>
              {own.length > 1 && <button onClick={() => answer.grow(question, own as Spot[])}>{t.questions.allOf(question.field)}</button>}
              <button onClick={() => answer.value(question, own[0] ?? null)}>{own.length > 1 ? t.questions.first : own.length ? t.questions.thisOne : t.questions.thereIsNone}</button>
            </>}
        </section>;
      })}
    </div>
    <div class="answers"><button onClick={() => answer.byHand(question)}>{question.choices.length > 1 ? (question.grows ? t.questions.noneIt : t.questions.noneThem) : question.grows ? t.questions.notAllIt : t.questions.notAllThem}</button></div>
  </>;
}

// Which of the fields a text can be of, and how.
function sharesOf(fields: string[], row: Row | undefined): { field: string; share: Share; words: string }[] {
  return fields.flatMap((field): { field: string; share: Share; words: string }[] => {
    const now = cell((valuesAt(row, field)[0] ?? null) as Value), has = now.length > 30 ? `${now.slice(0, 29)}…` : now;
    if (isMany(field)) return [{ field, share: "more", words: t.questions.more(field) }];
    if (!has) return [{ field, share: "instead", words: t.questions.valueOf(field) }];
    return [{ field, share: "with", words: t.questions.partOf(field, has) }, { field, share: "instead", words: t.questions.insteadOf(field, has) }];
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
      <label>{t.questions.newField} <input placeholder={t.questions.itsName} size={12} value={name} onInput={(e) => { setName(e.currentTarget.value); setProblem(""); }} /></label>
      <button type="submit">{t.questions.isValue}</button>
      <button type="button" onClick={() => fresh(true)}>{t.questions.clickValue}</button>
      {problem && <span class="bad-text" role="alert">{problem}</span>}
    </form>
    {shares.length > 0 && <form onSubmit={(e) => { e.preventDefault(); const one = shares[share] ?? shares[0]!; answer.part(question, one.field, one.share); }}>
      <label>{t.questions.orIs} <select value={share} onChange={(e) => setShare(Number(e.currentTarget.value))}>{shares.map((one, index) => <option value={index}>{one.words}</option>)}</select></label>
      <button type="submit">{t.questions.yes}</button>
    </form>}
    <div class="answers">
      <button onClick={() => answer.ignore([question.spot])}>{t.questions.notData}</button>
      {props.spots.length > 1 && <button onClick={() => answer.ignore(props.spots)}>{t.questions.noneOf(props.spots.length)}</button>}
    </div>
  </div>;
}

function Head(props: { question: Question; left: number }) {
  const { question } = props;
  const asked = question.kind === "one" ? <b>{t.questions.one(question.field, question.page)}</b>
    : question.kind === "several" ? <b>{t.questions.several(question.field, question.page)}</b>
    : question.kind === "record" ? <b>{t.questions.record(question.page)}</b>
    : <><b>{t.questions.isData}</b> <q dir="auto">{short(question.text.value)}</q> {question.pages > 1 ? t.questions.onMore(question.page, t.count.pages(question.pages - 1)) : t.questions.on(question.page)}</>;
  return <>{asked} <small>{question.why ? t.questions.why(reasonOf(question.why), t.questions.left(props.left)) : t.questions.left(props.left)}</small></>;
}

const MOST_SHOWN = 5; // labels that do not come out as labelled

// What can be done about a label that does not come out as labelled.
export interface Fixing { show: (one: Difference) => void; accept: (one: Difference) => void; other?: () => void }

function wordsOf({ field, label, found, page, row }: Difference): string {
  const at = `${page}`;
  if (!field) return label ? t.questions.lostRecord(short(label), at) : t.questions.extraRecord(short(found), at);
  return found ? t.questions.reads(field, row + 1, at, short(label) || t.questions.nothing, short(found)) : t.questions.readsNothing(field, row + 1, at, short(label));
}

// `focus`: the last answer was given here, and so the next question is what somebody looks at.
export function Questions(props: { questions: Question[]; wrong: number; asked: number; of: number; fields: string[]; rowOf: (question: Question) => Row | undefined; answer: Answering; focus: { current: boolean };
  differences: Difference[]; fix: Fixing; labelled: string[] }) {
  const [question] = props.questions, head = useRef<HTMLParagraphElement>(null);
  const key = question ? `${question.kind} ${question.id} ${question.row} ${"field" in question ? columnOf(question.field) : question.spot}` : "";
  useEffect(() => {
    if (!props.focus.current) return;
    props.focus.current = false;
    if (document.activeElement === document.body) head.current?.focus(); // unless somebody is at something else by now
  }, [key]);
  if (!question && props.wrong > 0) // labels are right until somebody says otherwise: this is not done
    return <section class="why" aria-label={t.questions.differences}>
      <p role="status" tabIndex={-1} ref={head}><b>{t.questions.wrong(props.wrong)}</b> {props.differences.length ? "" : t.questions.wrongDo(props.wrong)}</p>
      {props.differences.length > 0 && <><ul>{props.differences.slice(0, MOST_SHOWN).map((one) => <li>
        {wordsOf(one)} <button class="plain" onClick={() => props.fix.show(one)}>{t.questions.show}</button>{" "}
        <button class="plain" onClick={() => props.fix.accept(one)}>{t.questions.accept}</button></li>)}</ul>
        {props.differences.length > MOST_SHOWN && <p>{t.questions.more_(props.differences.length - MOST_SHOWN)}</p>}
        <p>{t.questions.wrongHelp} {props.fix.other && <button onClick={props.fix.other}>{t.questions.otherEngine}</button>}</p></>}
    </section>;
  const empty = props.fields.filter((field) => !props.labelled.includes(field));
  if (!question && empty.length) return <p class="quiet no-value" role="status" tabIndex={-1} ref={head}>{t.questions.noValue(empty.join(", "))}</p>;
  if (!question)
    return <p class="done" role="status" tabIndex={-1} ref={head}><b>{t.questions.done}</b>: {props.asked < props.of ? t.questions.doneSome(props.asked, number(props.of)) : props.asked === 1 ? t.questions.doneOne : t.questions.doneAll(props.asked)}</p>;
  return <section class="question" aria-label={t.questions.question} key={key}>
    <div class="question-head"><p role="status" tabIndex={-1} ref={head}><Head question={question} left={props.questions.length} /></p>
      <button class="plain" onClick={() => props.answer.show(question)}>{t.questions.show}</button></div>
    {question.kind === "one" ? <OneValue question={question as One} answer={props.answer} />
      : question.kind === "several" ? <SeveralValues question={question as One} answer={props.answer} />
      : question.kind === "new" ? <NewText question={question} answer={props.answer} fields={props.fields} row={props.rowOf(question)} spots={props.questions.flatMap((one) => (one.kind === "new" ? [one.spot] : []))} />
      : <div class="answers"><button onClick={() => props.answer.ignore([question.spot])}>{t.questions.thereIsNone}</button><button onClick={() => props.answer.byHand(question)}>{t.questions.letLabel}</button></div>}
  </section>;
}
