// The texts in the language of whoever looks: `t.lists.title`. What a translation lacks is in English.
//
// The language is known before anything is shown and does not change afterwards: choosing another one loads the
// workbench again, which loses nothing, as all work is in the project.
import { ar } from "./ar";
import { de } from "./de";
import { en, type Words } from "./en";
import { locale } from "./locale";

type Part<T> = { [K in keyof T]?: T[K] extends (...args: never[]) => string ? T[K] : T[K] extends string ? string : Part<T[K]> };
export type Translation = Part<Words>;

const KEPT = "thresh-language";

export const LANGUAGES: { code: string; name: string; right?: boolean; words: Translation }[] = [
  { code: "en", name: "English", words: en },
  { code: "de", name: "Deutsch", words: de },
  { code: "ar", name: "العربية", right: true, words: ar },
];

const chosen = localStorage.getItem(KEPT);
export const language = LANGUAGES.find((one) => one.code === chosen)
  ?? navigator.languages.map((wanted) => LANGUAGES.find((one) => one.code === wanted.split("-")[0])).find((one) => one) ?? LANGUAGES[0]!;

export function chooseLanguage(code: string): void {
  localStorage.setItem(KEPT, code);
  location.reload();
}

// In a text from right to left, a name or a value keeps its own direction and does not turn what is around it.
const isolate = (value: unknown) => (typeof value === "string" && /\p{L}/u.test(value) ? `\u2068${value}\u2069` : value);
const apart = (words: unknown) => (language.right && typeof words === "function" ? (...values: unknown[]) => (words as (...all: unknown[]) => string)(...values.map(isolate)) : words);

const isGroup = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const over = (base: unknown, more: unknown): unknown =>
  isGroup(base) ? Object.fromEntries(Object.entries(base).map(([key, value]) => [key, over(value, isGroup(more) ? more[key] : undefined)])) : apart(more ?? base);

export const t = over(en, language.words) as Words;

const where = locale(language.code);
const digits = new Intl.NumberFormat(where), dates = new Intl.DateTimeFormat(where, { dateStyle: "medium", timeStyle: "short" });
const all = new Intl.ListFormat(where, { type: "conjunction" });
export const number = (value: number) => digits.format(value);
export const percent = (share: number) => new Intl.NumberFormat(where, { style: "percent" }).format(share);
// A time that the server gives, as the clock of whoever looks has it.
export const when = (time: string | null) => (time && !Number.isNaN(Date.parse(time)) ? dates.format(new Date(time)) : time ?? "");
export const listed = (words: string[]) => all.format(words);

// Keys that go on and back in the direction of reading.
export const ON = language.right ? "ArrowLeft" : "ArrowRight", BACK = language.right ? "ArrowRight" : "ArrowLeft";

document.documentElement.lang = language.code;
document.documentElement.dir = language.right ? "rtl" : "ltr";
