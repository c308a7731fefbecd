// A shop as people know it: cards in a grid, with pictures, prices and dates. For pictures of the workbench.
const THINGS = [
  ["Copper kettle", 58, "kettle", "#c0703a"], ["Bread knife", 24, "knife", "#7a8794"], ["Salt mill", 31, "mill", "#8a5a2b"],
  ["Oak board", 42, "board", "#b08040"], ["Linen towel", 12, "towel", "#8fa38b"], ["Glass jug", 27, "jug", "#6fa8c0"],
  ["Tin mug", 9, "mug", "#94979c"], ["Iron pan", 64, "pan", "#3d4146"], ["Clay pot", 36, "pot", "#b5583c"],
  ["Wool mat", 18, "mat", "#a58fb3"], ["Cedar box", 49, "box", "#a0623d"], ["Steel sieve", 15, "sieve", "#8d99a3"],
];
const SHAPES = {
  kettle: "M30 70h40l6-28a26 22 0 0 0-52 0zM76 46l16-12", knife: "M14 58 74 30l6 10-46 22zM76 32l14-8 4 8-12 8", mill: "M40 20h20l-4 24 8 34H36l8-34z",
  board: "M22 24h44v52H22zM66 44h20v10H66z", towel: "M30 18h40v60l-8-6-8 6-8-6-8 6-8-6z", jug: "M34 18h30l6 58H30zM68 30a16 14 0 0 1 0 28", mug: "M28 30h38v44H28zM66 38a14 12 0 0 1 0 24",
  pan: "M20 46a24 20 0 1 0 48 0 24 20 0 1 0-48 0M66 40l28-14", pot: "M28 36h44l-6 40H34zM24 30h52v6H24z", mat: "M20 30h60v40H20zM26 36h48v28H26z", box: "M22 36l28-12 28 12v34L50 82 22 70zM22 36l28 12 28-12M50 48v34",
  sieve: "M24 40a22 18 0 1 0 44 0M24 40h44M68 42l24-10",
};
const picture = ([, , shape, colour]) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 108 96"><rect width="108" height="96" fill="${colour}22"/><path d="${SHAPES[shape]}" fill="${colour}" stroke="${colour}" stroke-width="4" fill-rule="evenodd"/></svg>`)}`;
export const things = (count, from = 0) => Array.from({ length: count }, (_, i) => THINGS[(i + from) % THINGS.length])
  .map((one, i) => ({ title: one[0], price: `€ ${one[1] + from}.50`, sku: `K-${100 + 13 * i + from}`, since: `2026-05-${String(2 + 2 * i).padStart(2, "0")}`, said: `since ${2 + 2 * i} May`, picture: picture(one) }));

const STYLE = `body{font:15px/1.4 system-ui,sans-serif;margin:0;background:#faf7f2;color:#2b2520}header{display:flex;gap:24px;align-items:center;background:#2f4a3d;color:#fff;padding:14px 28px}
header b{font-size:20px}header a{color:#dfe9e2;text-decoration:none}main{padding:8px 28px}h1{font-size:24px;font-weight:600}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(170px,1fr));gap:18px;list-style:none;padding:0}
.card{background:#fff;border-radius:12px;box-shadow:0 1px 5px #0002;overflow:hidden}.card img{width:100%;height:110px;object-fit:cover;display:block}
.card h3{font-size:16px;margin:10px 14px 2px}.card a{color:inherit;text-decoration:none}.card .price{color:#9a3412;font-weight:600;margin:0 14px}.card time{color:#777;font-size:13px;margin:2px 14px 12px;display:block}`;

export function shopPage(count = 12, from = 0) {
  const cards = things(count, from).map((one, i) => `<li class="card" data-sku="${one.sku}"><a href="/p/${100 + i + from}"><img src="${one.picture}" alt="${one.title}"><h3>${one.title}</h3></a>
<p class="price">${one.price}</p><time datetime="${one.since}">${one.said}</time></li>`).join("\n");
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Kitchen things</title><style>${STYLE}</style></head><body>
<header><b>Hearth &amp; Home</b> <a href="/kitchen">Kitchen</a> <a href="/garden">Garden</a> <a href="/about">About us</a></header>
<main><h1>Things for the kitchen</h1><ul class="cards">${cards}</ul></main></body></html>`;
}
