// Pages written for the tests.
const WORDS = ["Amber", "Birch", "Cobalt", "Delta", "Ember", "Fjord", "Garnet", "Harbour", "Indigo", "Juniper", "Kestrel", "Lagoon", "Meadow", "Nimbus", "Opal", "Prairie", "Quartz", "Raven", "Sable", "Thistle"];
const word = (n) => WORDS[n % WORDS.length];

export const books = (count, from = 0) => Array.from({ length: count }, (_, i) => {
  const n = from + i;
  return { title: `${word(n)} ${word(n * 7 + 3)} Stories ${n + 1}`, author: `${word(n + 5)} ${word(n * 3 + 1)}son`, price: `${8 + (n * 37) % 41}.${String((n * 13) % 100).padStart(2, "0")} EUR` };
});

const page = (title, body, style = "") => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>body{font-family:sans-serif}${style}</style></head>
<body><header><ul class="nav"><li><a href="/">Home</a></li><li><a href="/new">New</a></li><li><a href="/help">Help</a></li></ul></header>
<main>${body}</main><footer><p>All prices with tax. Closed on Sundays.</p></footer></body></html>`;

export const listPage = (items) => page("Books", `<h1>Books in store</h1><ul class="books">${items.map((b) =>
  `<li class="book"><h3><a href="/b/${b.title.length}">${b.title}</a></h3><p class="by">${b.author}</p><span class="price">${b.price}</span></li>`).join("\n")}</ul>`);

// One book a page; a second look of the same shop has other markup.
export const detailPage = (b) => page(b.title, `<div class="item"><h1>${b.title}</h1><p class="by">by <a href="/a">${b.author}</a></p>
<table><tr><th>Pages</th><td>${b.title.length * 9}</td></tr>${b.old ? `<tr><th>Old price</th><td class="price">${b.old}</td></tr>` : ""}<tr><th>Our price</th><td class="price">${b.price}</td></tr>${b.club ? `<tr><th>For members</th><td class="price">${b.club}</td></tr>` : ""}</table><p>Sent within two days.</p></div>`);
export const changedPage = (b) => page(b.title, `<article><div class="cover"></div><h2 class="name">${b.title}</h2><div class="facts"><div>Written by <em>${b.author}</em></div>
<div class="cost"><strong>${b.price}</strong></div></div><p>Sent within two days.</p></article>`);

// The shop as it was, but for the author, whom it names no more.
export const plainerPage = (b) => detailPage(b).replace(/<p class="by">.*<\/p>\n/, "");

// The shop as it was, but that its prices are to be asked for.
export const pricelessPage = (b) => detailPage({ ...b, price: ["Ask in the shop", "Sold out, sorry", "Not for sale yet"][b.title.length % 3] });

export const authorlessPage = (b) => changedPage({ ...b, author: "" }).replace("<div>Written by <em></em></div>", "");

// A book with reviews: a list in a record.
export const reviewedPage = (b, reviews) => page(b.title, `<h1>${b.title}</h1><p class="by">Author: <i>${b.author}</i></p><p class="cost">Price: <b>${b.price}</b></p>
<h2>What readers say</h2><ul class="reviews">${reviews.map((r) => `<li><span class="who">${r.who}</span><span class="stars">${r.stars}</span><p>${r.text}</p></li>`).join("")}</ul>`);

// Reviews with answers: a list in a list.
export const answeredPage = (b, reviews) => page(b.title, `<h1>${b.title}</h1><p class="cost">Price: <b>${b.price}</b></p><h2>What readers say</h2><div class="reviews">${reviews.map((r) =>
  `<div class="review"><span class="who">${r.who}</span><ol class="answers">${r.answers.map((a) => `<li><em>${a.by}</em>: <span class="say">${a.say}</span></li>`).join("")}</ol></div>`).join("\n")}</div>`);

export const reviews = (n) => Array.from({ length: 2 + (n % 4) }, (_, i) => ({ who: `${word(n * 5 + i)} ${word(n + i * 3)}`, stars: String(1 + ((n + i) % 5)), text: `${word(n + i)} ${word(n * 2 + i)} was a ${word(i * 9 + n)} read for me, number ${n * 10 + i}` }));

// Another script, from right to left, and values that are long or short of everything.
export const oddPage = () => `<!doctype html><html lang="ar" dir="rtl"><meta charset="utf-8"><title>كتب</title><body><h1>كتب في المتجر</h1><ul>${Array.from({ length: 6 }, (_, i) =>
  `<li><h3><a href="/b/${i}?${"x".repeat(180)}">كتاب ${i + 1} عن المدن القديمة</a></h3><p class="by">مؤلف ${i * 7}</p><p class="words">${i === 2 ? "Donaudampfschifffahrtsgesellschaftskapitän".repeat(6) : `وصف قصير ${i} &amp; more`}</p>${i % 2 ? `<b class="price">${i + 4},50 €</b>` : ""}</li>`).join("")}</ul></body></html>`;

// Everything that a page may try against whoever shows it.
export const hostilePage = (origin) => `<!doctype html><html><head><base href="${origin}/"><meta http-equiv="refresh" content="0;url=${origin}/api/v1/status">
<script>top.owned = 1; parent.document.title = "owned"; fetch("${origin}/api/v1/sites", {method: "DELETE"})</script>
<link rel="stylesheet" href="${origin}/api/v1/steal.css"><style>@import url(${origin}/api/v1/steal-import.css); body { background: url(${origin}/api/v1/steal-bg.png) }</style>
<style>body::before { content: ""; position: fixed; inset: 0; z-index: 9999999 } .hide { position: fixed; top: -2000px }</style></head>
<body onload="top.owned = 2" style="background-image: url(${origin}/api/v1/steal-style.png)">
<iframe src="${origin}/api/v1/status" srcdoc="<script>top.owned = 3</script>"></iframe><object data="${origin}/api/v1/steal-object"></object><embed src="${origin}/api/v1/steal-embed">
<img src="${origin}/api/v1/steal-img.png" onerror="top.owned = 4"><img src="x" onerror="top.owned = 5"><svg onload="top.owned = 6"><script>top.owned = 7</script><use href="${origin}/api/v1/steal.svg#a"/></svg>
<video src="${origin}/api/v1/steal-video" autoplay onerror="top.owned = 8"></video><audio src="${origin}/api/v1/steal-audio"></audio>
<p id="js"><a href="javascript:top.owned = 9" target="_top">Script link</a></p><p><a href="${origin}/leave" target="_top">Leaving link</a></p><p><a href="${origin}/inside">Inside link</a></p>
<form action="${origin}/api/v1/steal-form" target="_top"><input name="q" value="x" autofocus onfocus="top.owned = 10"><button formaction="javascript:top.owned = 11">Send the form</button></form>
<p style="position:fixed;inset:0;z-index:2147483647" onclick="top.owned = 12" onmouseover="top.owned = 13">Plain text of the page</p>
<math><mtext><mglyph><style><img src=x onerror="top.owned = 14"></style></mglyph></mtext></math><noscript><p title="</noscript><img src=x onerror=top.owned=15>"></noscript>
<textarea></textarea><script>top.owned = 16</script><template><img src=x onerror="top.owned=17"></template><xmp><img src=x onerror="top.owned=18"></xmp>
<p title='"><img src=x onerror="top.owned=19">'>Quoted</p></body></html>`;

// A folder of many pages.
export const bulky = (n) => page(`Page ${n}`, books(40, n).map((b) => `<p>${b.title} by ${b.author}, ${b.price}</p>`).join(""));

// A page of about so many bytes: with a paragraph for each record as pages have them, or dense,
// with hardly more than tags.
export function largePage(bytes, dense = false) {
  const tale = "It was late when the last of them had gone, and nobody had thought of the lamp. ".repeat(5);
  const whole = (list) => (dense ? listPage(list) : listPage(list).replaceAll("</li>\n", `<p class="tale">${tale}</p></li>\n`));
  const each = (whole(books(101)).length - whole(books(1)).length) / 100;
  return whole(books(Math.round(bytes / each)));
}
