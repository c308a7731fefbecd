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
async function violations(page) {
  await page.evaluate(AXE);
  const { violations: found, passes } = await page.evaluate(() => window.axe.run({ exclude: [["iframe"]] }, { iframes: false }));
  assert.ok(passes.length > 10, "axe has looked");
  return found.map((one) => `${one.id} (${one.impact}): ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" ; ")}`);
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

test("fields of a list by the keyboard alone", async (bench) => {
  const truth = books(1)[0];
  await bench.choose(await bench.write("in", { "1.html": detailPage(truth) }));
  await bench.page.getByRole("heading", { name: "Lists on this page" }).waitFor();
  await bench.page.keyboard.press("Alt+3");
  await bench.page.getByLabel("Name of a new field").focus();
  await bench.page.keyboard.type("facts.value");
  await bench.page.keyboard.press("Enter");
  await bench.page.getByRole("radio", { name: "facts.value" }).waitFor();
  const frame = bench.page.frameLocator(".frame-box iframe");
  await frame.locator("[t]").first().waitFor();
  await frame.locator("body").focus();
  for (let i = 0; i < 40 && (await frame.locator(".th-here", { hasText: truth.price }).count()) === 0; i++) await bench.page.keyboard.press("ArrowDown");
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
  const frame = bench.page.frameLocator(".frame-box iframe");
  await frame.locator("[t]").first().waitFor();
  await frame.locator("body").focus();
  for (let i = 0; i < 40 && (await frame.locator(".th-here", { hasText: truth[0].title }).count()) === 0; i++) await bench.page.keyboard.press("ArrowDown");
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
