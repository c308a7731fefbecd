// Words that depend on a number, by the rules of a language: "#" stands for the number. Some languages have up to six
// forms; a form that is not given is as `other`.
import { locale } from "./locale";

export type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

export function counted(language: string, forms: Forms): (count: number) => string {
  const rules = new Intl.PluralRules(language), digits = new Intl.NumberFormat(locale(language));
  return (count) => (forms[rules.select(count)] ?? forms.other).replace("#", digits.format(count));
}
