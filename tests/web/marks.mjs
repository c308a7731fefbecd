// Marks are where the values are, in whatever layout: the boxes of values in the page by itself, opened in the same browser at
// the same width, against those that the workbench draws.
import assert from "node:assert/strict";
import { test } from "./harness.mjs";
import { LAYOUTS } from "./layouts.mjs";

const LEAST = 0.95;
const SOON = 5000; // milliseconds after which marks must be where they belong: the machine may be busy

// The boxes of the values of a page that is open by itself, as far as they can be seen. Runs in the window of that page.
function trueBoxes({ values }) {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), texts = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) texts.push(node);
  const plain = ({ left, top, right, bottom }) => ({ left, top, right, bottom });
  const seen = (element, box) => {
    let at = plain(box);
    for (let up = element; up && up !== document.body; up = up.parentElement) {
      if (getComputedStyle(up).overflow === "visible") continue;
      const outer = up.getBoundingClientRect(), left = outer.left + up.clientLeft, top = outer.top + up.clientTop;
      at = { left: Math.max(at.left, left), top: Math.max(at.top, top), right: Math.min(at.right, left + up.clientWidth), bottom: Math.min(at.bottom, top + up.clientHeight) };
    }
    return at;
  };
  return values.map((value) => {
    if (value.image) { const image = [...document.images].find((one) => one.src === value.image); return [seen(image.parentElement, image.getBoundingClientRect())]; }
    return value.texts.flatMap((text) => {
      const node = texts.find((one) => one.data.includes(text)), from = node.data.indexOf(text), range = document.createRange();
      if (!node.parentElement.checkVisibility({ visibilityProperty: true })) return [];
      range.setStart(node, from);
      range.setEnd(node, from + text.length);
      return [...range.getClientRects()].map((box) => seen(node.parentElement, box));
    }).filter((box) => box.right - box.left > 0 && box.bottom - box.top > 0);
  });
}

// How much of the area of one set of boxes or the other is area of both.
function overlap(one, other) {
  const xs = [...new Set([...one, ...other].flatMap((box) => [box.left, box.right]))].sort((a, b) => a - b);
  const ys = [...new Set([...one, ...other].flatMap((box) => [box.top, box.bottom]))].sort((a, b) => a - b);
  const covers = (boxes, x, y) => boxes.some((box) => box.left <= x && x < box.right && box.top <= y && y < box.bottom);
  let both = 0, any = 0;
  for (let i = 0; i + 1 < xs.length; i++) for (let j = 0; j + 1 < ys.length; j++) {
    const area = (xs[i + 1] - xs[i]) * (ys[j + 1] - ys[j]), a = covers(one, xs[i], ys[j]), b = covers(other, xs[i], ys[j]);
    if (a || b) any += area;
    if (a && b) both += area;
  }
  return any ? both / any : 1;
}

const scroll = (places) => { for (const [which, top] of Object.entries(places)) document.querySelector(which).scrollTop = top; };

// Opens a layout in the workbench with its values labelled.
async function show(bench, { layout, html, values }) {
  const [path] = await bench.write("in", { [`${layout}.html`]: html });
  const added = await fetch(`${bench.origin}/api/v1/sites/${layout}/pages?name=${layout}.html`, { method: "POST", headers: { Authorization: "Bearer a-token-for-tests-only" }, body: html });
  assert.ok(added.ok);
  await bench.api("PUT", `sites/${layout}/labels`, { page: `${layout}.html`, records: values.map(({ start, end }) => ({ value: { start, end } })) });
  await bench.page.locator(".sites select").selectOption(layout);
  await bench.page.locator(`.frame-box[aria-busy=false] iframe[title="The page ${layout}.html"]`).waitFor();
  return path;
}

// What is drawn on the values, by value; those in sight decide.
async function drawn(bench, values, isIn) {
  const isOf = (mark, value) => mark.kind === "mark" && mark.start >= value.start && mark.end <= value.end, wanted = values.filter((_, i) => isIn(i));
  const marks = await bench.marks((all) => wanted.every((value) => all.some((mark) => isOf(mark, value))));
  return values.map((value) => marks.filter((mark) => isOf(mark, value))
    .flatMap((mark) => mark.boxes.map(({ x, y, width, height }) => ({ left: x, top: y, right: x + width, bottom: y + height }))));
}

test("marks are exactly on the values, in twenty layouts and at two sizes", async (bench) => {
  const alone = await bench.context.newPage(), worst = [];
  await bench.view("Labels");
  for (const one of LAYOUTS) {
    const path = await show(bench, one), frame = bench.page.locator(".frame-box iframe");
    for (const zoom of ["100", "67"]) {
      await bench.page.getByLabel("Zoom").selectOption(zoom);
      await bench.page.waitForFunction((scale) => { const shown = document.querySelector(".frame-box iframe"); return Math.abs(shown.offsetWidth * scale - shown.parentElement.clientWidth) < 2; }, Number(zoom) / 100);
      const size = await frame.evaluate((shown) => ({ width: shown.contentWindow.innerWidth, height: shown.contentWindow.innerHeight }));
      await alone.setViewportSize(size);
      if (zoom === "100") await alone.goto(`file://${path}`);
      await alone.evaluate(() => document.fonts.ready);
      for (const down of zoom === "100" ? [0, 260] : [120]) {
        const at = await alone.evaluate(({ move, top, places }) => { eval(`(${move})`)(places); window.scrollTo(0, top); return window.scrollY; }, { move: String(scroll), top: down, places: one.scroll ?? {} });
        await frame.evaluate((shown, { top, places }) => {
          for (const [which, by] of Object.entries(places)) shown.contentDocument.querySelector(which).scrollTop = by;
          shown.contentWindow.scrollTo(0, top);
        }, { top: down, places: one.scroll ?? {} });
        const truth = await alone.evaluate(trueBoxes, one), isIn = (i) => truth[i].some((box) => box.bottom > 0 && box.top < size.height && box.bottom - box.top > 3);
        const seen = one.values.map((_, i) => i).filter(isIn);
        let boxes, shared = 0;
        for (const end = Date.now() + SOON; shared < LEAST && Date.now() < end; await bench.page.waitForTimeout(20)) {
          boxes = await drawn(bench, one.values, isIn);
          shared = overlap(seen.flatMap((i) => truth[i]), seen.flatMap((i) => boxes[i]));
        }
        worst.push({ layout: one.layout, zoom, at, shared, values: seen.length });
        assert.ok(seen.length > 0, one.layout);
        assert.ok(shared >= LEAST, `${one.layout} at ${zoom}%, ${at} down: ${shared}`);
        // what is not to be seen has no mark
        assert.deepEqual(one.values.filter((value, i) => !truth[i].length && boxes[i].length).map((value) => value.texts), [], one.layout);
      }
    }
  }
  worst.sort((a, b) => a.shared - b.shared);
  console.log(`     least overlap: ${worst.slice(0, 3).map((one) => `${one.layout} ${(100 * one.shared).toFixed(1)}%`).join(", ")}`);
});

// ---- marks follow what moves, and say what is below the pointer ----

const MOVING = `<!doctype html><html lang="en"><head><title>Moving</title><style>body{font:16px/1.4 sans-serif} .box{height:120px;overflow:auto;border:3px solid} header{position:sticky;top:0;background:#eee}</style></head><body>
<header>Shop</header><p><b class="name">Iron kettle</b> <span class="price">19.50 EUR</span></p><img alt="" class="late" width="90" height="20"><p><b class="name">Tin &amp; copper lantern</b> <span class="price">24.00 EUR</span></p>
<details><summary>More of them</summary><p><b class="name">Oak stool</b> <span class="price">31.20 EUR</span></p></details>
<div class="box">${Array.from({ length: 12 }, (_, n) => `<p><b class="name">Small bowl ${n}</b> <span class="price">${n}.75 EUR</span></p>`).join("")}</div></body></html>`;
const spansOf = (html, pattern) => [...html.matchAll(pattern)].map((match) => ({ start: Buffer.byteLength(html.slice(0, match.index + match[0].indexOf(match[1]))), end: Buffer.byteLength(html.slice(0, match.index + match[0].indexOf(match[1]) + match[1].length)) }));

async function moving(bench) {
  await bench.choose(await bench.write("in", { "moving.html": MOVING }));
  await bench.said("1 page added");
  const names = spansOf(MOVING, /class="name">([^<]*)</g), prices = spansOf(MOVING, /class="price">([^<]*)</g);
  await bench.api("PUT", "sites/default/labels", { page: "moving.html", records: names.map((name, i) => ({ name, price: prices[i] })) });
  await bench.view("Labels");
  await bench.marks((all) => all.length > 6);
}

// Waits until the marks in sight are where the page has their texts, and all of those have one.
async function inPlace(bench, least) {
  await bench.page.waitForFunction((count) => {
    const holder = document.querySelector(".frame-box"), marks = holder?.drawnMarks?.()?.filter((mark) => mark.kind === "mark"), root = holder?.querySelector("iframe").contentDocument;
    if (!marks || !root) return false;
    const values = [...root.querySelectorAll(".name, .price")].filter((one) => one.checkVisibility()), range = root.createRange();
    const box = root.querySelector(".box").getBoundingClientRect();
    let seen = 0;
    for (const value of values) {
      range.selectNodeContents(value);
      const at = range.getBoundingClientRect(), mark = marks.find((one) => one.text === value.textContent);
      if (value.closest(".box") && (at.top < box.top + 4 || at.bottom > box.bottom - 4)) continue; // cut off in part
      if (!mark || Math.abs(mark.boxes[0].x - at.x) > 0.5 || Math.abs(mark.boxes[0].y - at.y) > 0.5 || Math.abs(mark.boxes[0].width - at.width) > 0.5) return false;
      seen++;
    }
    return seen >= count;
  }, least);
}

test("marks follow late images, details, scrolling and other sizes", async (bench) => {
  await moving(bench);
  const frame = bench.page.locator(".frame-box iframe"), change = (work) => frame.evaluate((shown, code) => { new Function("root", code)(shown.contentDocument); }, work);
  await inPlace(bench, 8);
  await change('root.querySelector(".late").style.height = "160px"'); // nothing is said of it
  await inPlace(bench, 6);
  await bench.clickText("More of them"); // which asks whether it is a value, too
  await bench.page.locator(".offer .close").click();
  await bench.marks((all) => all.some((mark) => mark.text === "Oak stool"));
  await inPlace(bench, 6);
  await change('root.querySelector(".box").scrollTop = 130');
  await inPlace(bench, 6);
  await change('root.querySelector(".box").scrollTop = 40; root.scrollingElement.scrollTop = 90');
  await inPlace(bench, 6);
  await bench.page.setViewportSize({ width: 900, height: 700 });
  await inPlace(bench, 6);
  await bench.clickText("More of them");
  await bench.marks((all) => !all.some((mark) => mark.text === "Oak stool"));
  await inPlace(bench, 6);
  // plain, and back
  await bench.page.getByRole("checkbox", { name: "plain" }).check();
  await bench.page.locator('.frame-box[aria-busy=false] iframe[srcdoc]').waitFor();
  await bench.marks((all) => all.some((mark) => mark.text === "Iron kettle"));
  await bench.page.getByRole("checkbox", { name: "plain" }).uncheck();
  await bench.page.locator('.frame-box[aria-busy=false] iframe:not([srcdoc])').waitFor();
  await inPlace(bench, 6);
});

// Where a part of a text is on the screen.
const partOf = (bench, text, part) => bench.page.locator(".frame-box iframe").evaluate((frame, [whole, wanted]) => {
  const root = frame.contentDocument, walker = root.createTreeWalker(root.body, NodeFilter.SHOW_TEXT), range = root.createRange();
  let node = walker.nextNode();
  while (!node.data.includes(whole)) node = walker.nextNode();
  range.setStart(node, node.data.indexOf(wanted));
  range.setEnd(node, node.data.indexOf(wanted) + wanted.length);
  const box = range.getBoundingClientRect(), outer = frame.getBoundingClientRect(), scale = outer.width / frame.offsetWidth;
  return { left: outer.left + box.left * scale, right: outer.left + box.right * scale, y: outer.top + (box.top + box.height / 2) * scale };
}, [text, part]);

// Selects a part of a text. (Playwright waits for timers in every frame while the mouse drags, and in this one none ends.)
const select = (bench, text, part) => bench.page.locator(".frame-box iframe").evaluate((frame, [whole, wanted]) => {
  const root = frame.contentDocument, walker = root.createTreeWalker(root.body, NodeFilter.SHOW_TEXT);
  let node = walker.nextNode();
  while (!node.data.includes(whole)) node = walker.nextNode();
  root.getSelection().setBaseAndExtent(node, node.data.indexOf(wanted), node, node.data.indexOf(wanted) + wanted.length);
  node.parentElement.dispatchEvent(new frame.contentWindow.MouseEvent("mouseup", { bubbles: true }));
}, [text, part]);

test("the pointer names a value, and a part of a text is taken as it looks", async (bench) => {
  await moving(bench);
  const at = await partOf(bench, "Iron kettle", "kettle");
  await bench.page.mouse.move(at.left + 4, at.y);
  const [point] = (await bench.marks((all) => all.some((mark) => mark.kind === "point"))).filter((mark) => mark.kind === "point");
  assert.equal(point.text, "Iron kettle");
  assert.match(point.label, /name/);
  await bench.page.mouse.move(5, 5);
  await bench.marks((all) => !all.some((mark) => mark.kind === "point"));
  // a part of a text that has a character reference in front of it
  await bench.api("PUT", "sites/default/labels", { page: "moving.html" });
  await bench.page.reload();
  await bench.view("Labels");
  await bench.page.getByLabel("Name of a new field").fill("metal");
  await bench.page.getByRole("button", { name: "Add field" }).click();
  await bench.page.getByRole("radio", { name: "metal" }).waitFor();
  await bench.page.locator(".frame-box[aria-busy=false]").waitFor();
  await select(bench, "lantern", "copper");
  await bench.page.getByRole("button", { name: "Undo: metal: copper" }).waitFor();
  const [{ records: [{ metal }] }] = (await bench.api("GET", "sites/default/labels")).trim().split("\n").map((line) => JSON.parse(line)).map(({ record, records }) => ({ records: records ?? [record] }));
  assert.equal(Buffer.from(MOVING).subarray(metal.start, metal.end).toString(), "copper");
  await bench.marks((all) => all.some((mark) => mark.kind === "mark" && mark.text === "copper" && mark.start === metal.start));
});

test("thumbnails show pages as they look, and only those near the screen are drawn", async (bench) => {
  const pages = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`p${i}.html`, `<!doctype html><title>${i}</title><style>h1 { color: rgb(1, 2, ${i}) }</style><h1>Page ${i}</h1>`]));
  await bench.choose(await bench.write("in", pages));
  await bench.said("80 pages added");
  await bench.page.getByLabel("as they look").check();
  const drawn = () => bench.page.locator(".thumbnail iframe").evaluateAll((all) => all.map((one) => one.contentDocument?.querySelector("h1")).filter(Boolean).map((one) => [one.textContent, one.ownerDocument.defaultView.getComputedStyle(one).color]));
  const until = async (text) => { for (let i = 0; i < 600; i++) { const all = await drawn(); if (all.some(([words]) => words === text)) return all; await bench.page.waitForTimeout(50); } throw new Error(`never drawn: ${text}`); };
  for (const [words, colour] of await until("Page 0")) assert.equal(colour, `rgb(1, 2, ${words.split(" ")[1]})`);
  await bench.page.locator(".thumbnail").last().scrollIntoViewIfNeeded();
  const last = await until(await bench.page.locator(".grid span").last().innerText().then((name) => `Page ${/\d+/.exec(name)[0]}`));
  assert.ok(last.length < 40, `${last.length} of 80`);
});
