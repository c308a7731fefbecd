// axe in every view, light and dark; and the keyboard.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "./harness.mjs";
import { change } from "./life_flows.mjs";
import { addField } from "./nested_flows.mjs";
import { books, detailPage, listPage, plainerPage, reviews } from "./pages_of_ours.mjs";
import { authored, awarded, picked } from "./question_flows.mjs";

const AXE = readFileSync(new URL("../../web/node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

// Pages of others are shown in frames: what they lack is not ours.
export async function violations(page) {
  await page.evaluate(AXE);
  const { violations: found, passes } = await page.evaluate(() => window.axe.run({ exclude: [["iframe"]] }, { iframes: false }));
  assert.ok(passes.length > 10, "axe has looked");
  return found.map((one) => `${one.id} (${one.impact}): ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" ; ")}`);
}

// Opens what is folded up.
async function unfold(page) {
  await page.evaluate(() => { for (const one of document.querySelectorAll("main details")) one.open = true; });
  await page.waitForTimeout(300);
}

export async function fill(bench) {
  await bench.choose(await bench.write("in", { "1.html": listPage(books(10)), "2.html": listPage(books(9, 20)), "3.html": detailPage(books(1)[0]) }));
  await bench.said("3 pages added");
  const ids = (await bench.api("GET", "sites/default/pages")).pages.map((page) => page.id);
  const { wrapper } = await bench.api("POST", "sites/default/learn", { pages: [ids[0]], labels: [] });
  await bench.api("POST", "sites/default/wrappers", { name: "books", wrapper });
  for (let i = 0; i < 2; i++) await bench.api("POST", "sites/default/run", { wrapper: "books" });
  for (;;) {
    const { jobs } = await bench.api("GET", "jobs");
    if (jobs.every((job) => job.state === "done")) return;
    await bench.page.waitForTimeout(50);
  }
}

test("axe finds nothing in any view", async (bench) => {
  const check = async (what) => { for (const scheme of ["light", "dark"]) { await bench.page.emulateMedia({ colorScheme: scheme }); assert.deepEqual(await violations(bench.page), [], `${what}, ${scheme}`); } };
  await bench.page.getByRole("heading", { name: "Start with a page" }).waitFor();
  await check("no pages");
  await fill(bench);
  for (const view of ["Pages", "Lists", "Labels", "Compare pages", "Extractors", "Monitor", "Results"]) {
    await bench.view(view);
    await bench.page.waitForTimeout(300);
    if (view === "Lists") {
      await bench.until("Records", (rows) => rows.length > 0);
      await bench.page.getByLabel("Engine").selectOption("iepad");
    }
    if (view === "Labels") { await bench.page.getByLabel("Name of a new field").fill("title"); await bench.page.keyboard.press("Enter"); }
    await unfold(bench.page);
    await check(view);
  }
  await bench.view("Pages");
  await bench.page.getByLabel("as they look").check();
  await check("thumbnails");
});

test("nothing is cut off at the width of a phone, and axe has nothing to say there", async (bench) => {
  await fill(bench);
  await bench.page.setViewportSize({ width: 390, height: 844 });
  const narrow = async (what) => assert.ok((await bench.page.evaluate(() => document.documentElement.scrollWidth)) <= 390, `${what} is wider than the window`);
  for (const view of ["Pages", "Lists", "Labels", "Compare pages", "Extractors", "Monitor", "Results"]) {
    await bench.view(view);
    await bench.page.waitForTimeout(300);
    await unfold(bench.page);
    await narrow(view);
    assert.deepEqual(await violations(bench.page), [], view);
  }
});

async function both(bench, what) {
  for (const scheme of ["light", "dark"]) {
    await bench.page.emulateMedia({ colorScheme: scheme });
    assert.deepEqual(await violations(bench.page), [], `${what}, ${scheme}`);
  }
}

test("axe finds nothing in pages that have changed", async (bench) => {
  await change(bench, 12, plainerPage, ["author"]);
  await bench.view("Monitor");
  await bench.page.getByRole("button", { name: "Check now" }).click();
  await bench.page.locator(".evidence li.mild").first().waitFor();
  await both(bench, "the check");
  await bench.view("Pages");
  await bench.page.locator(".drift-cell").first().waitFor();
  await both(bench, "the pages");
});

test("axe finds nothing in a drift and its repair", async (bench) => {
  await change(bench);
  await bench.view("Compare pages");
  await bench.until("What the pages give", (rows) => rows.length > 0);
  assert.deepEqual(await violations(bench.page), []);
  await bench.view("Monitor");
  await bench.page.getByRole("button", { name: "Check now" }).click();
  await bench.page.locator(".evidence li.bad").first().waitFor();
  await bench.page.getByRole("button", { name: "Propose a repair" }).click();
  await bench.until("After", (rows) => rows.length > 0);
  await both(bench, "the repair");
  await bench.view("Pages");
  await bench.page.locator(".drift-cell").first().waitFor();
  await both(bench, "pages that drift");
  await bench.view("Extractors");
  await bench.page.locator(".hits").waitFor();
  await both(bench, "rules and what they hit");
  await bench.view("Compare pages");
  await bench.page.getByLabel("as published").check();
  await bench.page.locator(".template-tree .slot").first().waitFor();
  await both(bench, "a template as published");
  await bench.view("Labels");
  await addField(bench, "who", "reviews");
  await both(bench, "fields of a list");
});

// Questions of every kind, at both widths.
for (const [what, pages, record, shown] of [
  ["several values", authored, { title: books(1)[0].title, author: books(1)[0].author }, ".answer ol"],
  ["a list in the record", picked, { title: books(1)[0].title, reviews: reviews(0).map(({ who, text }) => ({ who, text })) }, ".answer table"],
  ["new text", awarded, { title: books(1)[0].title, price: books(1)[0].price }, ".new-text"],
]) test(`axe finds nothing in a question about ${what}`, async (bench) => {
  await bench.choose(await bench.write("in", pages()));
  await bench.said("9 pages added");
  await bench.api("PUT", "sites/default/labels", { page: "0.html", records: [record] });
  await bench.view("Labels");
  await bench.page.locator(`.question ${shown}`).first().waitFor();
  for (const width of [1280, 390]) {
    await bench.page.setViewportSize({ width, height: 844 });
    await both(bench, `${what}, ${width}`);
    assert.ok((await bench.page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${what} is wider than ${width}`);
    const cut = await bench.page.locator(".question button, .question input, .question select").evaluateAll((all) => all.filter((one) => { const box = one.getBoundingClientRect(), around = one.closest(".question").getBoundingClientRect(); return box.right > around.right + 1 || box.left < around.left - 1; }).map((one) => one.textContent));
    assert.deepEqual(cut, []); // all of it can be reached
  }
});

test("axe finds nothing in what a click offers and in the menu of a field", async (bench) => {
  const truth = books(8), dialog = bench.page.getByRole("dialog");
  await bench.choose(await bench.write("in", { "1.html": listPage(truth) }));
  await bench.page.getByRole("heading", { name: "Lists on this page" }).waitFor();
  await bench.clickExactly(truth[1].author);
  await dialog.waitFor();
  await both(bench, "the menu of a column");
  await bench.view("Labels");
  // by the keyboard: arrows to a title, Enter takes it, Enter takes all like it
  await bench.page.locator(".frame-box[aria-busy=false]").waitFor();
  await bench.page.evaluate(() => document.querySelector(".frame-box iframe").contentDocument.body.focus());
  const heard = bench.page.locator(".frame-box [role=status]");
  for (let i = 0; i < 40 && !(await heard.innerText()).startsWith(truth[0].title); i++) await bench.page.keyboard.press("ArrowDown");
  await bench.page.keyboard.press("Enter");
  await dialog.waitFor();
  await both(bench, "an offer");
  await bench.page.keyboard.press("Enter");
  await bench.until("What was found", (rows) => rows.length === 8 && rows.every((row, i) => row.title === truth[i].title));
  await bench.clickExactly(truth[2].title);
  await dialog.waitFor();
  await both(bench, "a correction");
  await bench.page.keyboard.press("Escape");
  await bench.page.setViewportSize({ width: 390, height: 844 });
  await bench.page.getByRole("button", { name: "Change title", exact: true }).focus();
  await bench.page.keyboard.press("Enter");
  await dialog.waitFor();
  const box = await dialog.boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 390 && box.y >= 0 && box.y + box.height <= 844, JSON.stringify(box));
  await both(bench, "the menu of a field");
  if (process.env.THRESH_SHOTS) await bench.page.screenshot({ path: `${process.env.THRESH_SHOTS}/menu-390.png` });
  await bench.page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
});

test("fields of a list by the keyboard alone", async (bench) => {
  const truth = books(1)[0];
  await bench.choose(await bench.write("in", { "1.html": detailPage(truth) }));
  await bench.page.getByRole("heading", { name: "Lists on this page" }).waitFor();
  await bench.page.keyboard.press("Alt+3");
  await bench.page.getByLabel("Name of a new field").focus();
  await bench.page.keyboard.type("facts.value");
  await bench.page.keyboard.press("Enter");
  await bench.page.getByRole("radio", { name: "facts.value" }).waitFor();
  await bench.page.locator(".frame-box[aria-busy=false]").waitFor();
  const heard = bench.page.locator(".frame-box [role=status]");
  await bench.page.frameLocator(".frame-box iframe").locator("body").focus();
  for (let i = 0; i < 40 && !(await heard.innerText()).startsWith(truth.price); i++) await bench.page.keyboard.press("ArrowDown");
  assert.match(await bench.page.locator(".frame-box [role=status]").innerText(), new RegExp(truth.price)); // it is said
  await bench.page.keyboard.press("Enter");
  await bench.page.getByRole("button", { name: `Undo: facts.value: ${truth.price}` }).waitFor();
  assert.equal(JSON.parse(await bench.api("GET", "sites/default/labels")).records[0].facts[0].value.value, truth.price);
});

test("a repair by the keyboard alone", async (bench) => {
  await change(bench);
  await bench.page.keyboard.press("Alt+6");
  await bench.page.getByRole("button", { name: "Propose a repair" }).focus();
  await bench.page.keyboard.press("Enter");
  await bench.page.getByRole("button", { name: "Accept as version 2" }).waitFor();
  const at = () => bench.page.evaluate(() => document.activeElement.textContent);
  await bench.page.waitForFunction(() => document.activeElement.closest(".repair h2")); // what was found is at hand
  await bench.page.keyboard.press("Tab");
  assert.match(await at(), /^Accept as version 2/);
  await bench.page.keyboard.press("Enter");
  await bench.said("books is now at version 2");
  await bench.page.waitForFunction(() => document.activeElement.textContent === "Monitor");
  for (let i = 0; i < 3; i++) await bench.page.keyboard.press("Tab");
  assert.equal(await at(), "Propose a repair");
});

test("the keyboard is enough", async (bench) => {
  const truth = books(8);
  await bench.choose(await bench.write("in", { "1.html": listPage(truth) }));
  await bench.until("Records", (rows) => rows.length === 8);
  await bench.page.keyboard.press("Alt+3");
  await bench.page.getByRole("heading", { name: "Point at the data" }).waitFor();
  await bench.page.getByLabel("Name of a new field").focus();
  await bench.page.keyboard.type("title");
  await bench.page.keyboard.press("Enter");
  await bench.page.getByRole("radio", { name: "title" }).waitFor();
  await bench.page.locator(".frame-box[aria-busy=false]").waitFor();
  const heard = bench.page.locator(".frame-box [role=status]");
  await bench.page.frameLocator(".frame-box iframe").locator("body").focus();
  for (let i = 0; i < 40 && !(await heard.innerText()).startsWith(truth[0].title); i++) await bench.page.keyboard.press("ArrowDown");
  await bench.page.keyboard.press("Enter");
  await bench.page.getByRole("button", { name: `Undo: title: ${truth[0].title.slice(0, 30)}` }).waitFor();
  const line = JSON.parse(await bench.api("GET", "sites/default/labels"));
  assert.equal(line.records[0].title.value, truth[0].title);
  await bench.page.getByRole("tab", { name: "Labels" }).focus();
  await bench.page.keyboard.press("Control+z");
  await bench.said("Undone");
  assert.equal(await bench.api("GET", "sites/default/labels"), "");
  await bench.page.keyboard.press("ArrowRight");
  assert.equal(await bench.page.getByRole("tab", { name: "Compare pages" }).getAttribute("aria-selected"), "true");
});

const VIEWS = ["pages", "lists", "labels", "template", "wrappers", "life", "records"];

// A window in another language, as the browser of somebody asks for it.
async function windowIn(bench, language, width = 1280) {
  const context = await bench.browser.newContext({ locale: language, viewport: { width, height: 844 } });
  const page = await context.newPage();
  page.on("pageerror", (error) => bench.problems.push(error.message));
  await page.goto(bench.address);
  await page.waitForSelector("main");
  return page;
}

async function everyView(page, look) {
  for (const view of VIEWS) {
    await page.locator(`#tab-${view}`).click();
    await page.locator("#view h1").first().waitFor();
    await unfold(page);
    await look(view);
  }
}

for (const language of ["de", "ar"]) test(`axe finds nothing in ${language}, wide and narrow`, async (bench) => {
  await fill(bench);
  const page = await windowIn(bench, language);
  assert.equal(await page.locator("html").getAttribute("lang"), language);
  await everyView(page, async (view) => {
    assert.deepEqual(await violations(page), [], `${view}, ${language}`);
    await page.setViewportSize({ width: 400, height: 844 });
    await page.emulateMedia({ colorScheme: "dark" });
    assert.deepEqual(await violations(page), [], `${view}, ${language}, narrow and dark`);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 400, `${view} is wider than the window`);
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.emulateMedia({ colorScheme: "light" });
  });
  await page.context().close();
});

test("axe finds nothing with more contrast and in the colours of the system", async (bench) => {
  await fill(bench);
  await everyView(bench.page, async (view) => {
    for (const media of [{ contrast: "more", colorScheme: "light" }, { contrast: "more", colorScheme: "dark" }, { forcedColors: "active", contrast: null, colorScheme: "light" }]) {
      await bench.page.emulateMedia(media);
      assert.deepEqual(await violations(bench.page), [], `${view}, ${JSON.stringify(media)}`);
    }
    await bench.page.emulateMedia({ contrast: null, forcedColors: null });
  });
});

test("nothing moves when somebody wants less motion", async (bench) => {
  await bench.page.emulateMedia({ reducedMotion: "reduce" });
  await fill(bench);
  await bench.view("Lists");
  await bench.until("Records", (rows) => rows.length > 0);
  const moving = await bench.page.evaluate(() => [...document.querySelectorAll("*")].filter((one) => { const style = getComputedStyle(one); return style.animationName !== "none" || parseFloat(style.transitionDuration) > 0; }).map((one) => one.className));
  assert.deepEqual(moving, []);
});

test("from right to left: the page mirrors, values and commands do not", async (bench) => {
  await fill(bench);
  const page = await windowIn(bench, "ar");
  const box = (selector) => page.locator(selector).first().boundingBox();
  assert.equal(await page.locator("html").getAttribute("dir"), "rtl");
  assert.ok((await box(".rail")).x > (await box("main")).x, "the pages are on the right");
  await page.locator("#tab-lists").focus();
  await page.keyboard.press("ArrowLeft"); // goes on
  assert.equal(await page.locator("[role=tab][aria-selected=true]").getAttribute("id"), "tab-lists");
  await page.keyboard.press("ArrowRight"); // goes back
  assert.equal(await page.locator("[role=tab][aria-selected=true]").getAttribute("id"), "tab-pages");
  await page.keyboard.press("Alt+2");
  await page.locator(".command code").first().waitFor();
  const direction = (selector) => page.locator(selector).first().evaluate((one) => getComputedStyle(one).direction);
  assert.equal(await direction(".command code"), "ltr");
  assert.equal(await page.locator(".scroll td div").first().getAttribute("dir"), "auto"); // as its text has it
  assert.ok((await box(".left")).x > (await box(".right")).x);
  // the language is kept; English comes back with the menu
  await page.locator("select.language").selectOption("en");
  await page.locator("html[lang=en][dir=ltr]").waitFor();
  await page.reload();
  await page.locator("html[lang=en][dir=ltr]").waitFor();
  await page.context().close();
});

// Tab until something of that name has the focus.
async function tabTo(page, name, most = 80) {
  for (let i = 0; i < most; i++) {
    const at = await page.evaluate(() => { const one = document.activeElement; return one.getAttribute("aria-label") ?? one.labels?.[0]?.textContent ?? one.textContent; });
    if (at.trim() === name) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`the keyboard does not get to "${name}"`);
}

test("from the sample to a file by the keyboard alone", async (bench) => {
  const { page } = bench;
  await tabTo(page, "Try it with a sample");
  await page.keyboard.press("Enter");
  await bench.until("Records", (rows) => rows.length === 12);
  await bench.said("The sample book shop is here");
  await tabTo(page, "Name of column 1");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("book");
  await page.keyboard.press("Tab");
  await bench.until("Records", (rows) => rows[0]?.book === "The Lamp at Low Tide");
  await page.getByRole("tab", { name: "Lists" }).focus();
  await tabTo(page, "Name of the extractor");
  await page.keyboard.type("books");
  await page.keyboard.press("Enter");
  await bench.said("Saved as books, version 1");
  assert.equal(await page.locator(".beside").innerText(), "Saved as books, version 1"); // where somebody looks
  await page.keyboard.press("Alt+5");
  await page.getByRole("button", { name: "Run on all pages" }).waitFor();
  await tabTo(page, "Run on all pages");
  await page.keyboard.press("Enter");
  await page.getByText("24 of 24 records").waitFor();
  await tabTo(page, "Download CSV");
  const [given] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
  assert.equal(given.suggestedFilename(), "sample-bookshop-books.csv");
  const csv = readFileSync(await given.path(), "utf8");
  assert.match(csv, /^book,/);
  assert.match(csv, /\r\nThe Lamp at Low Tide,Ines Marrow,/);
  // undo all of it, the sample, too, which leaves an empty site
  const undo = page.locator("button.undo");
  for (let words = await undo.innerText(); words !== "Undo"; words = await undo.innerText()) {
    await page.keyboard.press("Control+z");
    await page.waitForFunction((old) => document.querySelector("button.undo").textContent !== old, words);
  }
  await page.keyboard.press("Alt+1");
  await page.getByRole("heading", { name: "Start with a page" }).waitFor();
});

test("every view says what to do next, and goes there", async (bench) => {
  const { page } = bench, next = page.locator(".next-step button");
  await bench.view("Results");
  await next.click();
  await page.getByRole("button", { name: "Try it with a sample" }).click();
  await bench.until("Records", (rows) => rows.length === 12);
  await next.click();
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Name of the extractor");
  await page.keyboard.type("books");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "run the extractor on all pages" }).click();
  await page.getByRole("button", { name: "run it on all pages" }).click();
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Run on all pages");
  await page.keyboard.press("Enter");
  await page.getByText("24 of 24 records").waitFor();
  await page.getByRole("button", { name: "keep an eye on the pages" }).click();
  await page.getByRole("heading", { name: "Monitor" }).waitFor();
});
