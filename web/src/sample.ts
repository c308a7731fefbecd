// A small book shop that comes with the workbench, to try it without a network: two pages that list books and eight
// that describe one each. All of it is made up.
import { api } from "./api";
import type { Workbench } from "./state";
import { t } from "./words/words";

export const SAMPLE_SITE = "sample-bookshop";

interface Book { title: string; author: string; kind: string; price: string; pages: string; stars: number; cover: string; was?: string }

// Pictures of 48 by 68 points, as PNG.
const COVERS = [
  "iVBORw0KGgoAAAANSUhEUgAAADAAAABEBAMAAAA1n6tjAAAACVBMVEUmRlPpxGr0omHiS202AAAAWElEQVR42mNgGAUDDQSwijIKggAWCbC4oAAOcUwZRpiEIA4NGFpwSSBMQjMLSRxVCx0kkB2F6qyBdBXusCI92HHHIM44x51KcKcrnClxFMCAEg4wKkFLCQBCG0HD42VjzAAAAABJRU5ErkJggg==",
  "iVBORw0KGgoAAAANSUhEUgAAADAAAABEBAMAAAA1n6tjAAAACVBMVEUdNVdFe53x+u526WoRAAAARklEQVR42mNgGHFAAbswk5KSElYJoLiSAg4NWLWAxbFpIVkCYgU2S6hnB25/4PQ57rDCGbqjYLACQSDARg+8BDYwKjHyJACgyDBx3HMcwAAAAABJRU5ErkJggg==",
  "iVBORw0KGgoAAAANSUhEUgAAADAAAABEBAMAAAA1n6tjAAAACVBMVEVqBA+dAgj/7NGbJ4i0AAAAaUlEQVR42u3U0QnAIBAD0HQD0w3M/kP2zvZHuQxQ1J+I4YFwKMiGXGvGZsS1JgwgDCAMePsCEAa0fcHG85A6qVxzRkHe42BOGBBFDQQDBAOyKEGHATGPGhAGEAZ8RXE1GKDzPs5/9dd5PGNyPolcwCWIAAAAAElFTkSuQmCC",
  "iVBORw0KGgoAAAANSUhEUgAAADAAAABEBAMAAAA1n6tjAAAACVBMVEUtak+V1bIbQzK7gMXIAAAAZ0lEQVR42u3Nyw3AMAwC0GSDsEL3H7JNv3ZipCL5GI48CUpZyU1ToSINgKZBBZAERx+fyNAvwhMKZx9tyXBdBCcU7n7ekuG5mE50ePvxhMG3NGzpYHp/wsAuuS0dXG9PdMjJRrLgP+zaNT1L3KyhmQAAAABJRU5ErkJggg==",
  "iVBORw0KGgoAAAANSUhEUgAAADAAAABEBAMAAAA1n6tjAAAACVBMVEU8CWx7LL/gqv/o8u05AAAAKUlEQVR42mNQAgNBMEBmM1BRAgKQOaMSJEuMBsYQkRgNmNEcNSpBRQkAKNc8kUCfCwAAAAAASUVORK5CYII=",
  "iVBORw0KGgoAAAANSUhEUgAAADAAAABEBAMAAAA1n6tjAAAACVBMVEVvRRjdoV7++uAMw81GAAAAjklEQVR42u3UyxGAIAxFUcYOYgWY/osUP0ACua5ckiXOGYTkkdKqr8qwvil8UM0AVAHEpIA9JKqHRKQAkYhcQAJyg4g8YCYvmEkFI2lgJB14YoAnFljigCUedDKATkZQyQQaIcF74F/xOfDkfFd4u9wP7CD3HKeE5wonkWcXp53zgYniDGJqOef4Mqz6u05MeCtdRHGI6AAAAABJRU5ErkJggg==",
];

// title|author|kind|price|pages|stars
const BOOKS = `The Lamp at Low Tide|Ines Marrow|Novel|14.90|212|5
A Short History of Salt Roads|Tobias Wren|History|22.50|348|4
Eleven Gardens|Mira Oduya|Essays|12.00|160|4
The Clockmaker's Ferry|Jon Halloway|Novel|16.40|296|5
Bread for Beginners|Clara Voss|Cooking|19.80|184|3
Maps of the Quiet Sea|Leif Arnesen|Travel|24.00|320|4
Winter Arithmetic|Ruth Calder|Poems|9.50|96|5
The Orchard Ledger|Paul Denby|Novel|13.20|240|3
How Bridges Stand|Amal Haddad|Science|28.90|264|5
Letters to a Lighthouse|Ines Marrow|Letters|11.70|144|4
The Glass Harvest|Owen Tarrant|Novel|15.60|304|2
Small Birds of the City|Greta Lindqvist|Nature|18.30|208|4
Night Train to Varna|Petar Iliev|Travel|17.90|276|4
The Patient Loom|Sara Benning|Crafts|21.00|192|5
Rivers in a Teacup|Mira Oduya|Essays|10.80|128|3
What the Miller Knew|Jon Halloway|Novel|14.10|256|4
A Kitchen in Tunis|Amal Haddad|Cooking|23.40|220|5
The Seventh Sail|Leif Arnesen|Novel|12.60|232|3
Counting Stars by Hand|Ruth Calder|Science|26.20|288|4
Paper Boats|Owen Tarrant|Poems|8.90|88|4
The Weather Clerk|Clara Voss|Novel|15.00|248|5
Stones and Their Stories|Tobias Wren|Nature|20.70|236|3
The Long Table|Sara Benning|Cooking|18.60|200|4
Under the Copper Roof|Petar Iliev|Novel|16.90|312|5`.split("\n").map((line, index): Book => {
  const [title, author, kind, price, pages, stars] = line.split("|") as [string, string, string, string, string, string];
  const cover = `data:image/png;base64,${COVERS[index % COVERS.length]}`;
  return { title, author, kind, price, pages, stars: Number(stars), cover, was: index % 3 === 1 ? (Number(price) + 4).toFixed(2) : undefined };
});

const STYLE = `
body { margin: 0; font: 16px/1.5 Georgia, serif; color: #2b2620; background: #f6f1e7; }
.top { background: #26465a; color: #fff; padding: 14px 28px; display: flex; align-items: baseline; gap: 28px; }
.top b { font-size: 24px; } .top a { color: #e9d8b4; text-decoration: none; white-space: nowrap; }
.page { display: grid; grid-template-columns: 170px 1fr; gap: 28px; padding: 24px 28px; max-width: 1080px; margin: auto; }
.side { font-size: 14px; } .side ul { list-style: none; padding: 0; margin: 0; } .side a { color: #6d5130; }
.shelf { display: grid; grid-template-columns: repeat(auto-fill, minmax(240px, 1fr)); gap: 18px; }
.book { background: #fff; border-radius: 8px; padding: 14px; display: flex; gap: 14px; box-shadow: 0 1px 4px #0002; }
.book img { width: 72px; height: 102px; border-radius: 3px; } .book h3 { margin: 0; font-size: 17px; }
.book h3 a { color: #26465a; } .author { margin: 2px 0; color: #6b6255; font-style: italic; }
.stars { color: #a05a00; letter-spacing: 1px; } .price { font-weight: bold; font-size: 18px; } .was { color: #7a7164; margin-left: 8px; }
.turn { margin: 26px 0; text-align: center; } .one { background: #fff; border-radius: 8px; padding: 24px; }
.one img { float: left; width: 144px; height: 204px; margin: 0 24px 12px 0; } .one th { text-align: left; padding-right: 24px; font-weight: normal; color: #6b6255; }
.foot { text-align: center; color: #6b6255; font-size: 14px; padding: 24px; clear: both; }`;

const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const slug = (book: Book) => book.title.toLowerCase().replace(/[^a-z]+/g, "-");
const stars = (book: Book) => `<span class="stars" title="${book.stars} of 5">${"★".repeat(book.stars)}${"☆".repeat(5 - book.stars)}</span>`;
const shelves = [...new Set(BOOKS.map((book) => book.kind))];

const whole = (title: string, body: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escape(title)} · Harbour Books</title><style>${STYLE}</style></head><body>
<div class="top"><b>Harbour Books</b><a href="/">Home</a><a href="/books">All books</a><a href="/visit">Visit us</a></div>
<div class="page"><div class="side"><h2>Shelves</h2><ul>${shelves.map((kind) => `<li><a href="/shelf/${kind.toLowerCase()}">${kind}</a></li>`).join("")}</ul></div>
<div class="main">${body}</div></div>
<div class="foot">Harbour Books, 4 Quay Lane. Open from ten to six. Closed on Mondays.</div></body></html>
`;

const listPage = (books: Book[], number: number, of: number) => whole(`All books, page ${number}`, `<h1>All books</h1><div class="shelf">
${books.map((book) => `<div class="book"><img src="${book.cover}" alt=""><div><h3><a href="/book/${slug(book)}">${escape(book.title)}</a></h3>
<p class="author">${escape(book.author)}</p>${stars(book)}<p><span class="price">${book.price} EUR</span>${book.was ? `<s class="was">${book.was} EUR</s>` : ""}</p></div></div>`).join("\n")}
</div><p class="turn">${number > 1 ? `<a href="/books?page=${number - 1}" rel="prev">Previous page</a>` : ""} Page ${number} of ${of} ${number < of ? `<a href="/books?page=${number + 1}" rel="next">Next page</a>` : ""}</p>`);

const bookPage = (book: Book) => whole(book.title, `<div class="one"><img src="${book.cover}" alt="Cover"><h1>${escape(book.title)}</h1>
<p class="author">by <a href="/author">${escape(book.author)}</a></p>${stars(book)}
<table><tr><th>Price</th><td class="price">${book.price} EUR</td></tr>${book.was ? `<tr><th>Before</th><td class="was">${book.was} EUR</td></tr>` : ""}
<tr><th>Shelf</th><td>${book.kind}</td></tr><tr><th>Pages</th><td>${book.pages}</td></tr></table>
<p>We send it within two days.</p></div>`);

const ON_ONE = 12;
function samplePages(): { name: string; html: string }[] {
  const of = Math.ceil(BOOKS.length / ON_ONE);
  const lists = Array.from({ length: of }, (_, index) => ({
    name: `books-${index + 1}.html`, html: listPage(BOOKS.slice(index * ON_ONE, (index + 1) * ON_ONE), index + 1, of),
  }));
  return [...lists, ...BOOKS.slice(0, 8).map((book) => ({ name: `${slug(book)}.html`, html: bookPage(book) }))];
}

// Adds the shop as a site of its own and goes there; `added` then remembers how to undo it, which belongs to that site.
let added: number[] = [];
export async function addSample(bench: Workbench): Promise<void> {
  bench.say(t.sample.adding);
  try {
    added = [];
    for (const page of samplePages()) {
      const answer = await api.addPage(SAMPLE_SITE, page.name, new Blob([page.html], { type: "text/html" }));
      if (answer.added) added.push(answer.id);
    }
    bench.setSite(SAMPLE_SITE);
    bench.setView("lists");
  } catch (error) { bench.fail(error); }
}

// What is to do when the site at hand is the sample that was just added.
export function sampleArrived(bench: Workbench): void {
  if (bench.site !== SAMPLE_SITE || !bench.pages.length || !added.length) return;
  const pages = added;
  added = [];
  bench.didChange({ words: t.sample.added, undo: async () => { await api.removePages(SAMPLE_SITE, pages); } });
  bench.say(t.sample.ready);
}
