// Pages in twenty layouts, written for the tests, and where their values are in the source.
//
// A value is written between the signs below, which are taken out; it may have markup in it. Its texts appear once on the page.
import { existsSync, readFileSync } from "node:fs";

const OPEN = "\u27e6", CLOSE = "\u27e7";
const v = (text) => `${OPEN}${text}${CLOSE}`;

const ADJECTIVES = ["amber", "brisk", "calm", "dusty", "early", "faint", "grand", "hollow", "idle", "jolly", "keen", "lunar"];
const THINGS = ["lantern", "kettle", "saddle", "ladder", "basket", "mirror", "pillow", "anchor", "button", "candle", "drum", "easel"];
const name = (n) => `${ADJECTIVES[n % 12]} ${THINGS[(n * 5 + 2) % 12]} no. ${n + 1}`;
const price = (n) => `${12 + ((n * 37) % 61)}.${String((n * 29) % 100).padStart(2, "0")} EUR (${n + 1})`;
const prose = (n, times = 1) => Array.from({ length: times }, (_, i) => `Part ${n + 1}.${i + 1}: made of ash and brass, it stands in the ${ADJECTIVES[(n + i) % 12]} room next to the ${THINGS[(n * 3 + i) % 12]}.`).join(" ");
const many = (count, item) => Array.from({ length: count }, (_, n) => item(n)).join("\n");
const page = (style, body, root = "") => `<!doctype html>\n<html lang="en"${root}><head><meta charset="utf-8"><title>Layout</title><style>${style}</style></head>\n<body>${body}</body></html>`;
const picture = (wide, high, colour) => `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}"><rect width="${wide}" height="${high}" fill="${colour}"/></svg>`)}`;

// A font of this machine, small enough for a page; none: the page goes without.
const FONT = ["/usr/share/fonts/truetype/dejavu/DejaVuSansMono-Bold.ttf", "/usr/share/fonts/truetype/dejavu/DejaVuSerif-Bold.ttf"].find(existsSync);
const font = () => (FONT ? `@font-face { font-family: Late; src: url(data:font/ttf;base64,${readFileSync(FONT).toString("base64")}); }` : "");

const written = {
  table: page(`body{margin:0;font:15px/1.3 serif} table{border-collapse:collapse;width:90%;margin:12px auto} td,th{border:2px solid #999;padding:6px 14px} td:nth-child(2){text-align:right} tr:nth-child(odd){background:#eef}`,
    `<table><caption>Stock</caption><thead><tr><th>Name</th><th>Price</th><th>About</th></tr></thead><tbody>${many(9, (n) => `<tr><td>${v(name(n))}</td><td>${v(price(n))}</td><td>${v(prose(n))}</td></tr>`)}</tbody></table>`),
  grid: page(`main{display:grid;grid-template-columns:repeat(auto-fill,minmax(180px,1fr));gap:18px} article{border:1px solid #ccc;border-radius:8px;padding:12px;display:grid;grid-template-areas:"price name" "about about"} h3{grid-area:name;margin:0} .p{grid-area:price;align-self:end} .a{grid-area:about}`,
    `<main>${many(10, (n) => `<article><h3>${v(name(n))}</h3><span class="p">${v(price(n))}</span><p class="a">${v(prose(n))}</p></article>`)}</main>`),
  flex: page(`ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;flex-direction:row-reverse;gap:10px} li{flex:1 1 200px;display:flex;flex-direction:column-reverse;border:1px solid #aaa} li:nth-child(3n){order:-1} b{margin-left:auto;padding:4px}`,
    `<ul>${many(11, (n) => `<li><i>${v(name(n))}</i><b>${v(price(n))}</b></li>`)}</ul>`),
  floats: page(`.f{float:left;width:140px;margin:0 14px 6px 0;background:#ffe} .r{float:right} p{text-align:justify}`,
    many(5, (n) => `<div class="f">${v(name(n))}</div><div class="f r">${v(price(n))}</div><p>${v(prose(n, 5))}</p>`)),
  absolute: page(`body{position:relative;height:900px;margin:0} div{position:absolute;width:200px} span{position:relative;top:6px;left:9px}`,
    many(12, (n) => `<div style="left:${(n * 83) % 300}px;top:${20 + n * 66}px"><span>${v(name(n))}</span> <em style="position:absolute;right:0;bottom:-22px">${v(price(n))}</em></div>`)),
  transforms: page(`div{margin:40px;width:220px} .s{transform:scale(1.4) translateX(20px);transform-origin:0 0} .r{transform:rotate(8deg)} .k{transform:skewX(-15deg)} .t{translate:30px 4px;scale:.7} .p{perspective:300px} .p b{display:block;transform:rotateY(35deg)}`,
    `<div class="s">${v(name(0))}</div><div class="r">${v(name(1))}</div><div class="k">${v(name(2))}</div><div class="t">${v(prose(3))}</div><div class="p"><b>${v(name(4))}</b></div><div class="s"><div class="r">${v(price(5))}</div></div>`),
  sticky: page(`body{margin:0} header{position:sticky;top:0;background:#def;padding:10px} footer{position:fixed;bottom:0;left:0;right:0;background:#fed;padding:6px} section{height:300px;padding:0 20px} h2{position:sticky;top:44px;background:#fff}`,
    `<header>${v("Shop of the day, est. 1911")}</header>${many(6, (n) => `<section><h2>${v(name(n))}</h2><p>${v(prose(n))}</p></section>`)}<footer>${v("Open until 18:30 today")}</footer>`),
  columns: page(`main{columns:3 120px;column-gap:24px;column-rule:1px solid} h3{column-span:all} p{margin:0 0 1em;widows:1;orphans:1}`,
    `<main><h3>${v("All in columns, 7 of them")}</h3>${many(7, (n) => `<p>${v(prose(n, 2))}</p>`)}</main>`),
  rightToLeft: page(`body{font:18px/1.6 sans-serif} li{margin:8px;padding-right:20px} .n{border-right:4px solid}`,
    `<ul>${many(6, (n) => `<li><span class="n">${v(`\u05de\u05d5\u05e6\u05e8 \u05de\u05e1\u05e4\u05e8 ${n + 1} ABC${n} \u05d7\u05d3\u05e9`)}</span> <b>${v(`${n + 10}.50 \u20aa`)}</b> <p>${v(`\u0643\u062a\u0627\u0628 ${n + 1} \u0642\u062f\u064a\u0645 \u0645\u0639 item-${n} \u0648\u0635\u0648\u0631 \u0643\u062b\u064a\u0631\u0629`)}</p></li>`)}</ul>`, ' dir="rtl"'),
  vertical: page(`main{writing-mode:vertical-rl;height:420px} p{margin:0 12px} b{writing-mode:horizontal-tb;display:inline-block} section{writing-mode:vertical-lr;height:300px}`,
    `<main>${many(4, (n) => `<p>${v(name(n))} <b>${v(price(n))}</b></p>`)}</main><section>${v("\u6771\u4eac\u306e\u5e97 \u7b2c\u4e03\u756a")} <i>${v("upright and long enough to wrap in this narrow column of text")}</i></section>`),
  scrollers: page(`.o{height:260px;overflow:auto;border:5px solid #999;padding:10px;margin:10px} .i{width:70%;height:120px;overflow:scroll;border:2px solid #555} .i p{width:900px} .c{overflow:hidden;width:160px;white-space:nowrap;text-overflow:ellipsis}`,
    `<div class="o">${many(14, (n) => `<p>${v(name(n))}</p>`)}<div class="i">${many(9, (n) => `<p>${v(price(n))}</p>`)}</div></div><div class="c">${v(prose(20))}</div>`),
  lateImages: page(`figure{display:inline-block;margin:8px} img{max-width:45%}`,
    many(6, (n) => `<figure><img alt="" src="${v(picture(60 + 35 * n, 40 + 22 * n, `hsl(${n * 50} 60% 60%)`))}"><figcaption>${v(name(n))}</figcaption></figure>`)),
  rootFont: page(`:root{font-size:23px;zoom:1.15} body{padding:1rem 2.5rem;width:60%} h1{font-size:2.2rem} small{font-size:.6rem}`,
    `<h1>${v(name(0))}</h1>${many(7, (n) => `<p>${v(prose(n))} <small>${v(price(n))}</small></p>`)}`),
  sizes: page(`.tiny{font-size:5px} .huge{font-size:84px;line-height:.8;font-weight:900;overflow-wrap:anywhere} .wide{letter-spacing:.4em;word-spacing:2em}`,
    `<p class="tiny">${v(prose(1, 3))}</p><p class="huge">${v("Sale 49")}</p><p class="wide">${v(name(3))}</p><p class="huge">${v("9.99")}<sup class="tiny">${v("per kilogram 1")}</sup></p>`),
  inlineMarkup: page(`mark{padding:0 6px} code{border:1px solid;padding:3px} a{text-decoration:underline}`,
    many(8, (n) => `<p>Item: ${v(`<b>${name(n)}</b>, size ${n}, <i>second hand ${n}</i> &amp; good ${n}: <code>tested-${n}</code>`)} for <a href="/x">${v(price(n))}</a>.</p>`)),
  counters: page(`body{counter-reset:n} ol{list-style:none} ol li{counter-increment:n} ol li::before{content:"#" counter(n, upper-roman) ": ";font-weight:bold} ul{list-style:square inside} .q::before{content:open-quote} .q::after{content:close-quote}`,
    `<ol>${many(7, (n) => `<li>${v(name(n))} <span class="q">${v(price(n))}</span></li>`)}</ol><ul>${many(3, (n) => `<li>${v(name(n + 20))}</li>`)}</ul><ol style="list-style:decimal" start="7"><li>${v("plain and old 77")}</li></ol>`),
  definitions: page(`dl{display:grid;grid-template-columns:max-content 1fr} dt{font-weight:bold;padding-right:1em} dd{margin:0 0 6px}`,
    many(3, (n) => `<dl><dt>Name</dt><dd>${v(name(n))}</dd><dt>Price</dt><dd>${v(price(n))}</dd><dt>About</dt><dd>${v(prose(n, 2))}</dd></dl>`)),
  details: page(`details{border:1px solid #888;margin:6px;padding:6px} .none{display:none} .gone{visibility:hidden}`,
    `${many(6, (n) => `<details${n % 2 ? " open" : ""}><summary>${v(name(n))}</summary><p>${v(prose(n))}</p></details>`)}<p class="none">${v("hidden value 900")}</p><p class="gone">${v("hidden value 901")}</p>`),
  wrapped: page(`body{width:300px;font:17px/1.9 serif} .n{display:inline-block;width:120px;vertical-align:top;background:#efe} pre{white-space:pre-wrap} .b{word-break:break-all}`,
    `${many(3, (n) => `<p>Before it <span class="n">${v(prose(n))}</span> and then ${v(prose(n + 6, 2))} it goes on.</p>`)}<pre>${v("one line 1\n  a second line 2\n\n    and a third 3")}</pre><p class="b">${v("Unbreakable_name_of_a_thing_that_is_far_too_long_for_its_box_444")}</p>`),
  backgrounds: page(`section{background:url("${picture(40, 40, "#246")}");color:#fff;padding:30px;margin:10px 0;border-radius:20px} b{background:linear-gradient(90deg,#c33,#933);padding:4px 10px} ${font()} h2{font-family:Late,serif}`,
    many(5, (n) => `<section><h2>${v(name(n))}</h2><b>${v(price(n))}</b><p>${v(prose(n))}</p></section>`)),
};

const REFERENCES = { "&amp;": "&" };

// The page without the signs, and its values: the bytes of each, and its texts or, of an image, that it is one.
function read(html) {
  let source = "", from = 0;
  const values = [];
  for (let at = html.indexOf(OPEN); at >= 0; at = html.indexOf(OPEN, from)) {
    const end = html.indexOf(CLOSE, at), inner = html.slice(at + 1, end);
    source += html.slice(from, at);
    const start = Buffer.byteLength(source), image = /src="$/.test(source);
    source += inner;
    from = end + 1;
    values.push({ start, end: Buffer.byteLength(source), ...(image ? { image: inner } : { texts: inner.split(/<[^>]*>/).filter((text) => text.trim()).map((text) => text.replace(/&\w+;/g, (one) => REFERENCES[one])) }) });
  }
  return { html: source + html.slice(from), values };
}

export const LAYOUTS = Object.entries(written).map(([layout, html]) => ({ layout, ...read(html), ...(layout === "scrollers" ? { scroll: { ".o": 90, ".i": 55 } } : {}) }));
