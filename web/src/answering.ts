// What becomes of an answer to a question: labels, a field more, or a question that is set aside.
import { api, type LabelLine, type Row, type Value } from "./api";
import type { Question } from "./asking";
import { columnOf, spotsOf, together, withCorrection, withFoundRecord, withSeveral, withWhole, type Labelled } from "./labelling";
import { correctValue, viewOf, type Session } from "./label_session";
import type { Answering } from "./questions";
import { cell } from "./values";
import { t } from "./words/words";

const brief = (text: string) => text.slice(0, 30);

export function look(session: Session, question: Question): void {
  session.goTo(question.id);
  session.setShow({ byte: question.kind === "new" ? question.text.start : question.place });
}

export function answeringOf(session: Session, rowOf: (question: Question) => Row | undefined): Answering {
  const { bench, fields, list, store, storeAll } = session;
  const site = bench.site;
  const rename = (from: string, to: string) => viewOf(site)?.fields((all) => all.map((one) => (one === from ? to : one)));
  const answers = (byHand = false) => { session.answered.current = session.following.current = !byHand; };
  const correct = (question: Question, field: string, at?: number) => correctValue(session, question.id, question.row, rowOf(question), field, at);
  return {
    value: (question, value) => {
      answers();
      const words = value === null ? t.labels.noValue : Array.isArray(value) ? t.count.values(value.length) : brief(cell(value as Value));
      store(question.page, (now) => withWhole(now, list, rowOf(question), fields, columnOf(question.field), value), t.labels.stored(question.field, words));
    },
    grow: (question, values, byHand) => {
      answers(byHand);
      const name = question.field, several = (had: Labelled[]) => withSeveral(had, name);
      const others = (now: LabelLine[]) => now.filter((line) => line.page !== question.page).map((line) => ({ page: line.page, change: several }));
      rename(name, `${name}[]`);
      void storeAll((all) => [...others(all), { page: question.page, change: (now) => withWhole(several(now), list, rowOf(question), fields, name, values) }],
        () => t.labels.stored(name, t.count.values(values.length)), () => rename(`${name}[]`, name));
      if (byHand) correct(question, name);
    },
    byHand: (question) => {
      if (question.kind === "record") { look(session, question); bench.say(t.labels.clickValues(question.page)); return; }
      if (!("field" in question)) return;
      session.setShow({ byte: question.place });
      correct(question, "grows" in question && question.grows ? question.field : columnOf(question.field));
    },
    show: (question) => look(session, question),
    fresh: (question, field, byHand) => {
      if (byHand) { session.addField(field); look(session, question); correct(question, field, fields.length); return; }
      answers();
      session.setFields([...fields, field]);
      void storeAll(() => [{ page: question.page, change: (now) => withCorrection(now, list, rowOf(question), [...fields, field], field, question.text) }],
        () => t.labels.stored(field, brief(question.text.value)), () => viewOf(site)?.fields((all) => all.filter((one) => one !== field)));
    },
    part: (question, field, share) => {
      answers();
      const old = spotsOf(withFoundRecord([], list, rowOf(question), fields)[0]?.[columnOf(field)] ?? null)[0];
      const spot = share === "with" && old ? together(old, question.text) : question.text;
      store(question.page, (now) => withCorrection(now, list, rowOf(question), fields, field, spot), t.labels.stored(field, brief(question.text.value)));
    },
    ignore: (spots) => {
      answers();
      const ignore = async (how: boolean) => { await api.ignore(site, spots, how); const now = await api.ignored(site); viewOf(site)?.ignored(now); };
      void bench.change(async () => { await ignore(true); return { words: t.labels.aside(spots.length), undo: () => ignore(false) }; });
    },
  };
}
