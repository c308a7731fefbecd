// The country of whoever looks, for numbers and dates: "en-GB" for English texts, when the browser says so.
export function locale(language: string): string {
  const wanted = typeof navigator === "undefined" ? [] : navigator.languages ?? [];
  return wanted.find((one) => one.split("-")[0] === language) ?? language;
}
