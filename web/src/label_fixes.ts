// What can be done about labels that do not come out as labelled.
import { api } from "./api";
import type { Difference } from "./label_differences";
import { asLabels, columnOf, isRecordOf, overlap, rowsOf, spotsOf, withWhole, type Labelled, type LabelValue } from "./labelling";
import type { Session } from "./label_session";
import type { Learning } from "./learning";
import type { Fixing } from "./questions";
import { t } from "./words/words";

const OTHERS = ["stalker", "softmealy"];

export function fixingOf(session: Session, learning: Learning): Fixing {
  const { bench, fields, list } = session, result = learning.result;
  const read = (one: Difference) => rowsOf(result?.found.find((each) => each.id === one.id)?.found);
  // What the extractor reads is right: its value takes the place of the label, and a record that it finds belongs.
  const accept = (one: Difference) => {
    const label = (had: Labelled[]): Labelled[] => {
      if (one.field) {
        const row = learning.foundOn(one.id)[one.row], found = read(one).find((each) => row && isRecordOf(row as Labelled, each)) ?? read(one)[0];
        return withWhole(had, list, found, fields, columnOf(one.field), (asLabels(found, fields)[one.field] ?? null) as LabelValue);
      }
      return one.label ? had.filter((record) => !spotsOf(record).some((spot) => spot.start === one.place)) : had;
    };
    const strays = !one.field && !one.label ? read(one).find((row) => spotsOf(asLabels(row, fields)).some((spot) => spot.start === one.place)) : undefined;
    const own = strays ? spotsOf(asLabels(strays, fields)) : [];
    void session.storeAll(() => [{ page: one.page, change: label, more: (line) => ({ ...line, nothing: line.nothing?.filter((each) => !own.some((spot) => overlap(spot, each))) }) }],
      () => t.labels.stored(one.field || one.page, t.questions.accept));
  };
  const other = async () => {
    for (const engine of OTHERS) {
      const learnt = await api.learn(bench.site, { engine, pages: result?.found.map((one) => one.id) }).catch(() => null);
      if (learnt && !learnt.wrong) { session.setEngine(engine); bench.say(t.questions.tried(engine)); return; }
    }
    bench.say(t.questions.noEngine);
  };
  return {
    show: (one) => { session.goTo(one.id); session.setShow({ byte: one.place }); },
    accept,
    other: session.engine ? undefined : () => void other().catch(bench.fail),
  };
}
