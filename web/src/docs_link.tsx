// A link to the part of the documentation that explains what is on the screen. The pages are in the program
// (web/docs.mjs makes them): they need no network.
import { t } from "./words/words";

export function DocsLink(props: { page: string; part: string }) {
  return <a class="docs" href={`/docs/${props.page}.html#${props.part}`} hrefLang="en" target="_blank" rel="noopener">{t.docsLink.more}</a>;
}
