// The country of whoever looks, for numbers and dates: "en-GB" for English texts, when the browser says so.
export function locale(language: string): string {
  const wanted = typeof navigator === "undefined" ? [] : navigator.languages ?? [];
  const found = wanted.find((one) => one.split("-")[0] === language) ?? language;
  return language === "ar" ? `${found}-u-nu-latn` : found; // digits as on the pages and in commands
}
