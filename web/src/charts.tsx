// What a verdict means, in words and in colour.
import { t } from "./words/words";

export const isBad = (verdict: string | null) => verdict === "drift" || verdict === "broken" || verdict === "failed";
export const isMild = (verdict: string | null) => verdict === "changed";
export const toneOf = (verdict: string | null) => (isBad(verdict) ? "bad" : isMild(verdict) ? "mild" : "");
export const wordOf = (verdict: string | null) => (verdict === null ? t.charts.unknown : t.charts.verdicts[verdict] ?? verdict);
