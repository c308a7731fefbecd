// The pages of the documentation that the workbench links to, as HTML: /docs/LISTS.html#mdr. The program has no
// network, so they go into it. Reads the Markdown that docs/ uses: headings, paragraphs, lists, tables, code.
import { mkdir, readFile, writeFile } from "node:fs/promises";

export const PAGES = ["LEARNING", "LISTS", "OUTPUT", "SOFTMEALY", "TEMPLATES", "WORKBENCH"];

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const slug = (heading) => heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");

// Code is taken out first: nothing in it is anything else. Links lead to pages that are here, others are their words.
function inline(text) {
  const kept = [];
  const keep = (html) => `\u0000${kept.push(html) - 1}\u0000`;
  return escape(text.replace(/!\[[^\]]*\]\([^)]*\)/g, "").replace(/``(.+?)``|`([^`]+)`/g, (_, two, one) => keep(`<code>${escape(two ?? one)}</code>`))
    .replace(/\[([^\]]+)\]\(([^)]+)\)/g, (_, words, to) => {
      const [, page, part] = /^(?:([A-Z-]+)\.md)?(?:#(.*))?$/.exec(to) ?? [];
      return part !== undefined && !page ? keep(`<a href="#${escape(part)}">`) + words + keep("</a>")
        : PAGES.includes(page) ? keep(`<a href="${page}.html${part ? `#${escape(part)}` : ""}">`) + words + keep("</a>") : words;
    }))
    .replace(/\*\*(.+?)\*\*/g, "<b>$1</b>").replace(/(^|[\s(])\*([^*\s][^*]*)\*/g, "$1<i>$2</i>")
    .replace(/\u0000(\d+)\u0000/g, (_, at) => kept[at]);
}

const cells = (line) => line.replace(/^\||\|\s*$/g, "").split(/(?<!\\)\|/).map((cell) => inline(cell.trim().replaceAll("\\|", "|")));

export function toHtml(markdown) {
  const out = [], lines = markdown.split("\n");
  for (let at = 0; at < lines.length;) {
    const line = lines[at], heading = /^(#{1,4}) (.*)/.exec(line);
    const until = (more) => { const from = at++; while (at < lines.length && more(lines[at])) at++; return lines.slice(from, at); };
    if (!line.trim()) at++;
    else if (line.startsWith("```")) { const code = until((one) => !one.startsWith("```")).slice(1); at++; out.push(`<pre tabindex="0"><code>${escape(code.join("\n"))}</code></pre>`); }
    else if (heading) { at++; out.push(`<h${heading[1].length} id="${slug(heading[2].replace(/`/g, ""))}">${inline(heading[2])}</h${heading[1].length}>`); }
    else if (line.startsWith("|")) {
      const [head, , ...rows] = until((one) => one.startsWith("|"));
      out.push(`<div class="scrolls" tabindex="0" role="region" aria-label="Table"><table><thead><tr>${cells(head).map((one) => `<th scope="col">${one}</th>`).join("")}</tr></thead><tbody>${rows.map((row) => `<tr>${cells(row).map((one) => `<td>${one}</td>`).join("")}</tr>`).join("")}</tbody></table></div>`);
    } else if (/^(-|\d+\.) /.test(line)) {
      const items = [];
      for (const one of until((next) => /^(-|\d+\.) |^\s+\S/.test(next))) if (/^(-|\d+\.) /.test(one)) items.push(one.replace(/^(-|\d+\.) /, "")); else items[items.length - 1] += ` ${one.trim()}`;
      const list = line.startsWith("-") ? "ul" : "ol";
      out.push(`<${list}>${items.map((item) => `<li>${inline(item)}</li>`).join("")}</${list}>`);
    } else {
      const words = inline(until((one) => one.trim() && !/^(#|```|\||- )/.test(one)).join(" "));
      if (words.trim()) out.push(`<p>${words}</p>`);
    }
  }
  return out.join("\n");
}

export async function makeDocs(from, to) {
  await mkdir(to, { recursive: true });
  for (const name of PAGES) {
    const markdown = await readFile(`${from}/${name}.md`, "utf8"), title = /^# (.*)/m.exec(markdown)?.[1] ?? name;
    const others = PAGES.map((page) => (page === name ? `<b>${page.toLowerCase()}</b>` : `<a href="${page}.html">${page.toLowerCase()}</a>`)).join(" ");
    await writeFile(`${to}/${name}.html`, `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">`
      + `<title>${escape(title)}: Thresh</title><link rel="stylesheet" href="/style.css"></head>\n<body class="docs-page"><nav aria-label="Documentation">${others}</nav>\n<main>\n${toHtml(markdown)}\n</main></body></html>\n`);
  }
}
