// Why the library asks: its reasons in the language of whoever looks. One that is not known here stays as it is.
import { t } from "./words/words";

// The keys are as the library says them.
const REASONS: { [why: string]: string } = {
  "the views differ": t.reasons.viewsDiffer,
  "two engines differ": t.reasons.enginesDiffer,
  "other rules find something else": t.reasons.otherRules,
  "nothing where there was always something": t.reasons.missing,
  "several texts where there was one": t.reasons.several,
  "fewer values than ever": t.reasons.fewer,
  "more values than ever": t.reasons.more,
  "more texts beside it than ever": t.reasons.beside,
  "text where no labelled page has any": t.reasons.newText,
  "no record is found": t.reasons.noRecord,
};

export const reasonOf = (why: string) => REASONS[why] ?? why;
