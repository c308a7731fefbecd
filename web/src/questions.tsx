// Questions: values on which the views of a wrapper disagree. Both answers are shown; one of them is
// right, or neither. When the views agree everywhere, it is done.
import type { Doubt, Doubtful } from "./api";
import { plural } from "./values";

const VIEWS: { [view: string]: string } = { structure: "by its element", forward: "from the start", backward: "from the end", other: "by another rule", paths: "by its path", stalker: "by landmarks" };

export function Questions(props: {
  pages: Doubtful[]; asked: number; onAnswer: (page: Doubtful, doubt: Doubt, answer: number) => void; onNeither: (page: Doubtful, doubt: Doubt) => void;
}) {
  const first = [...props.pages].filter((page) => page.doubts.length).sort((a, b) => b.contention - a.contention)[0];
  const doubt = first?.doubts[0];
  const left = props.pages.reduce((sum, page) => sum + page.doubts.length, 0);
  if (!first || !doubt)
    return <p class="done" role="status"><b>Done</b>: the views agree on {props.asked === 1 ? "the page" : `all ${props.asked} pages`}.</p>;
  // views that say the same are one answer
  const answers = doubt.answers.map((answer, index) => ({ ...answer, index }))
    .filter((answer, index, all) => all.findIndex((one) => one.text === answer.text && one.start === answer.start) === index);
  return <section class="question" aria-label="A question">
    <p role="status"><b>Which one is {doubt.field}</b> on {first.page}? {doubt.why && <small>{doubt.why}; </small>}<small>{plural(left, "value")} in doubt</small></p>
    <div class="answers">
      {answers.map((answer) => <button onClick={() => props.onAnswer(first, doubt, answer.index)}>
        {answer.text === null ? <i>it is not there</i> : answer.text.slice(0, 120)} <small>{VIEWS[answer.view] ?? answer.view}</small></button>)}
      <button onClick={() => props.onNeither(first, doubt)}>Neither: let me click it</button>
    </div>
  </section>;
}
