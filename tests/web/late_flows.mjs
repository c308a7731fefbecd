// Answers that come late, or in another order than they were asked for; somebody who is quicker than they.
import assert from "node:assert/strict";
import { test } from "./harness.mjs";
import { addField } from "./nested_flows.mjs";
import { books, changedPage, detailPage, listPage } from "./pages_of_ours.mjs";

const truth = books(4);
const plain = (value) => value === null || typeof value === "string" ? value : Array.isArray(value) ? value.map(plain) : typeof value.value === "string" ? value.value : Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
const labelsOf = async (bench) => Object.fromEntries((await bench.api("GET", "sites/default/labels")).trim().split("\n").filter(Boolean).map((line) => JSON.parse(line)).map((line) => [line.page, plain(line.records)]));
const stored = (bench, words) => bench.page.getByRole("button", { name: `Undo: ${words}` }).waitFor();
const rail = (bench, name) => bench.page.getByRole("navigation").getByRole("button", { name });

// Four pages, two fields, and the first of them chosen.
async function begin(bench) {
  await bench.choose(await bench.write("in", Object.fromEntries(truth.map((book, i) => [`${i}.html`, detailPage(book)]))));
  await bench.said("4 pages added");
  await bench.view("Labels");
  for (const field of ["title", "price"]) await addField(bench, field);
  await bench.page.getByRole("radio", { name: "title" }).click();
}

test("values that are clicked quicker than they are found keep their fields", async (bench) => {
  await begin(bench);
  const late = await bench.hold("GET", /\/place\?/);
  await bench.clickExactly(truth[0].title);
  await bench.clickExactly(truth[0].price);
  await rail(bench, "1.html").click(); // and on to the next page
  await bench.page.getByTitle("The page 1.html").waitFor();
  await bench.clickExactly(truth[1].title);
  await late.caught(3);
  await late.letGo(2);
  await late.letGo(1);
  await late.letGo(0);
  await stored(bench, `title: ${truth[1].title}`);
  assert.deepEqual(await labelsOf(bench), { "0.html": [{ title: truth[0].title, price: truth[0].price }], "1.html": [{ title: truth[1].title }] });
});

test("an undo waits for what is being stored, and takes that back", async (bench) => {
  await begin(bench);
  await bench.clickExactly(truth[0].title);
  await stored(bench, "title");
  const late = await bench.hold("PUT", /\/labels$/, { unsent: true });
  await bench.clickExactly(truth[0].price);
  await late.caught();
  await bench.page.locator(".undo").click();
  await late.letGo();
  await bench.said(`Undone: price: ${truth[0].price}`);
  assert.deepEqual(await labelsOf(bench), { "0.html": [{ title: truth[0].title }] });
});

test("as many clicks on undo as changes undo them all", async (bench) => {
  await begin(bench);
  for (const field of ["title", "price"]) { await bench.clickExactly(truth[0][field]); await stored(bench, field); }
  const late = await bench.hold("PUT", /\/labels$/);
  for (let i = 0; i < 2; i++) await bench.page.locator(".undo").click();
  await late.letGo();
  await bench.said("Undone: title");
  assert.deepEqual(await labelsOf(bench), {});
});

test("a change goes on when somebody leaves the view, and the next one waits for it", async (bench) => {
  await begin(bench);
  const late = await bench.hold("PUT", /\/labels$/, { unsent: true });
  await bench.clickExactly(truth[0].title);
  await late.caught();
  await bench.view("Pages");
  await bench.view("Labels");
  await addField(bench, "price");
  await Promise.all([bench.page.waitForResponse(/\/place\?/), bench.clickExactly(truth[0].price)]);
  await bench.page.waitForTimeout(500); // enough for a change that does not wait
  assert.equal(late.count(), 1);
  await late.letGo();
  await stored(bench, "price");
  assert.deepEqual(await labelsOf(bench), { "0.html": [{ title: truth[0].title, price: truth[0].price }] });
});

test("a page that is still on its way is not labelled by what the one before shows", async (bench) => {
  await begin(bench);
  await bench.page.locator(".frame-box[aria-busy=false]").waitFor();
  const late = await bench.hold("GET", /\/view\?|\/see\//), text = bench.page.frameLocator(".frame-box iframe").getByText(truth[0].title).first();
  await rail(bench, "1.html").click();
  await late.caught();
  await text.dispatchEvent("click");
  await late.letGo();
  await bench.clickExactly(truth[1].title);
  await stored(bench, "title");
  assert.deepEqual(await labelsOf(bench), { "1.html": [{ title: truth[1].title }] });
});

test("two windows label one page, and neither loses what it has", async (bench) => {
  await begin(bench);
  const late = await bench.hold("PUT", /\/labels$/, { unsent: true });
  await bench.clickExactly(truth[0].title);
  await late.caught();
  await bench.api("PUT", "sites/default/labels", { page: "0.html", records: [{ price: truth[0].price }] }); // the other was quicker
  await late.letGo();
  await stored(bench, "title");
  const both = { title: truth[0].title, price: truth[0].price };
  assert.deepEqual(await labelsOf(bench), { "0.html": [both] });
  // what the other has changed since is not undone
  const more = { "0.html": [{ ...both, author: truth[0].author }] };
  await bench.api("PUT", "sites/default/labels", { page: "0.html", records: more["0.html"] });
  await bench.page.locator(".undo").click();
  await bench.page.getByRole("alert").filter({ hasText: "the labels of 0.html have changed in the meantime" }).waitFor();
  assert.deepEqual(await labelsOf(bench), more);
});

test("what one window adds, removes or saves is seen in the other", async (bench) => {
  await begin(bench);
  const window = await bench.browser.newContext(), other = await window.newPage();
  await other.goto(bench.address);
  const pages = other.locator(".page-list li");
  await other.waitForFunction(() => document.querySelectorAll(".page-list li").length === 4);
  await bench.view("Pages");
  await bench.choose(await bench.write("more", { "9.html": detailPage(books(1, 9)[0]) }));
  await pages.filter({ hasText: "9.html" }).waitFor();
  await bench.page.getByRole("heading", { name: "Lists on this page" }).waitFor(); // a page alone is opened
  await bench.view("Pages");
  await bench.page.getByRole("button", { name: "Remove 0.html" }).click();
  await pages.filter({ hasText: "0.html" }).waitFor({ state: "detached" });
  const { wrapper } = await bench.api("POST", "sites/default/learn", { labels: [{ page: "1.html", records: [{ title: truth[1].title }] }] });
  await bench.api("POST", "sites/default/wrappers", { name: "books", wrapper });
  for (const page of [bench.page, other]) await page.getByRole("tab", { name: "Extractors" }).click();
  await other.getByRole("heading", { name: "books, version 1" }).waitFor();
  await bench.page.getByRole("button", { name: "Remove this version" }).click();
  await other.getByText("No extractors yet").waitFor();
  await window.close();
});

test("what is saved is of all that was clicked before", async (bench) => {
  await begin(bench);
  await bench.clickExactly(truth[0].title);
  await bench.until("What was found", (rows) => rows.length === 4);
  const late = await bench.hold("PUT", /\/labels$/, { unsent: true });
  await bench.clickExactly(truth[0].price);
  await late.caught();
  await bench.page.getByLabel("Name of the extractor").fill("books");
  await bench.page.getByRole("button", { name: "Save as extractor" }).click();
  await late.letGo();
  await bench.said("Saved as books, version 1");
  const { pages } = await bench.api("POST", "sites/default/extract", { wrapper: "books" });
  assert.deepEqual(pages.map((one) => plain(one.found.record)), truth.map(({ title, price }) => ({ title, price })));
});

test("a record that is being corrected stays the one when more are found", async (bench) => {
  const list = books(6);
  await bench.choose(await bench.write("in", { "1.html": listPage(list) }));
  await bench.until("Records", (rows) => rows.length === 6);
  const first = list.slice(2, 4).map(({ title, price }) => ({ title, price }));
  await bench.api("PUT", "sites/default/labels", { page: "1.html", records: first });
  let short = true; // the first wrapper misses a record
  const missing = await bench.hold("POST", /\/extract$/, { change: (text) => { const all = JSON.parse(text); if (short) all.pages[0].found.records.shift(); short = false; return JSON.stringify(all); } });
  await bench.view("Labels");
  await missing.caught();
  await missing.letGo();
  await bench.until("What was found", (rows) => rows.length === 5);
  await bench.page.getByRole("button", { name: `price: ${list[1].price}. Correct it` }).click();
  await bench.page.getByText("Click the right value of price for record 1").waitFor();
  await bench.api("PUT", "sites/default/labels", { page: "1.html", records: [...first, { title: list[5].title, price: list[5].price }] });
  await bench.until("What was found", (rows) => rows.length === 6);
  await bench.clickExactly(list[1].author);
  await stored(bench, `price: ${list[1].author}`);
  assert.deepEqual((await labelsOf(bench))["1.html"].filter((one) => one.price === list[1].author), [{ title: list[1].title, price: list[1].author }]);
});

test("pages of one site do not come up in another", async (bench) => {
  await begin(bench);
  await stored(bench, "field");
  const late = await bench.hold("GET", /default\/pages$/);
  await bench.api("PUT", "sites/default/labels", { page: "0.html", records: [{ title: truth[0].title }] }); // they are asked for anew
  await late.caught();
  await bench.page.getByRole("button", { name: "New site" }).click();
  await bench.page.getByLabel("Name of the new site").fill("other");
  await bench.page.getByRole("button", { name: "Use" }).click();
  await bench.page.getByText("This view needs a page").waitFor();
  await late.letGo();
  assert.equal(await bench.page.locator(".page-list li").count(), 0);
  assert.equal(await bench.page.locator(".undo").isDisabled(), true); // nothing was done here
  await bench.page.locator(".sites select").selectOption("default");
  await bench.page.getByRole("radio", { name: "title" }).waitFor();
  assert.equal(await bench.page.locator(".page-list li").count(), 4);
});

test("a list is tried on the page that was chosen last", async (bench) => {
  await bench.choose(await bench.write("in", { "1.html": listPage(books(9)), "2.html": listPage(books(6, 30)), "3.html": listPage(books(4, 50)) }));
  await bench.said("3 pages added");
  await bench.view("Lists");
  await bench.until("Records", (rows) => rows.length === 9);
  await bench.page.locator(".pattern").waitFor(); // it is learnt
  const late = await bench.hold("POST", /\/extract$/);
  for (const label of ["2.html", "3.html"]) await bench.page.getByLabel("Try on").selectOption({ label });
  await late.caught(2);
  await late.letGo(1);
  await bench.until("Records", (rows) => rows.length === 4);
  await late.letGo(0);
  assert.equal((await bench.rows("Records")).length, 4);
});

test("a wrapper is never shown with the rules of another", async (bench) => {
  await bench.choose(await bench.write("in", Object.fromEntries(truth.map((book, i) => [`${i}.html`, detailPage(book)]))));
  await bench.said("4 pages added");
  for (const field of ["title", "price"]) {
    const { wrapper } = await bench.api("POST", "sites/default/learn", { labels: [{ page: "0.html", records: [{ [field]: truth[0][field] }] }] });
    await bench.api("POST", "sites/default/wrappers", { name: field, wrapper });
  }
  await bench.view("Extractors");
  await bench.page.getByRole("heading", { name: "title, version 1" }).waitFor();
  const late = await bench.hold("GET", /\/wrappers\/price\//);
  await bench.page.locator(".overview").getByRole("button", { name: "price", exact: true }).click();
  await late.caught();
  assert.equal(await bench.page.locator("pre.rules").count(), 0);
  await late.letGo();
  await bench.page.getByRole("heading", { name: "price, version 1" }).waitFor();
  assert.match(await bench.page.locator("pre.rules").textContent(), /price/);
  // nobody is taken away from where he went while it was started
  const run = await bench.hold("POST", /\/run$/);
  await bench.page.getByRole("button", { name: "Run on all pages" }).click();
  await run.caught();
  await bench.view("Pages");
  await run.letGo();
  assert.equal(await bench.page.getByRole("tab", { name: "Pages", exact: true }).getAttribute("aria-selected"), "true");
});

test("a repair is shown for the wrapper that it is of", async (bench) => {
  const before = books(12), after = books(12, 50), files = (list, look) => Object.fromEntries(list.map((book, i) => [`${i}.html`, look(book)]));
  await bench.choose(await bench.write("before", files(before, detailPage)));
  await bench.said("12 pages added");
  for (const at of [0, 1]) await bench.api("PUT", "sites/default/labels", { page: `${at}.html`, records: [{ title: before[at].title, price: before[at].price }] });
  const { wrapper } = await bench.api("POST", "sites/default/learn", {});
  for (const name of ["one", "two"]) await bench.api("POST", "sites/default/wrappers", { name, wrapper });
  await bench.choose(await bench.write("after", files(after, changedPage)));
  await bench.said("12 pages added");
  await bench.view("Monitor");
  await bench.page.getByLabel("Extractor").selectOption("one");
  const late = await bench.hold("GET", /\/jobs\/\d+$/);
  await bench.page.getByRole("button", { name: "Propose a repair" }).click();
  await late.caught();
  await bench.page.getByLabel("Extractor").selectOption("two");
  await late.letGo();
  await bench.page.getByRole("button", { name: "Propose a repair", disabled: false }).waitFor();
  assert.equal(await bench.page.locator(".repair").count(), 0);
  await bench.page.getByLabel("Extractor").selectOption("one");
  await bench.page.getByRole("button", { name: "Accept as version 2" }).waitFor();
});

test("records of the run before are told to be such until there are new ones", async (bench) => {
  await bench.choose(await bench.write("in", { "1.html": listPage(books(5)) }));
  await bench.until("Records", (rows) => rows.length === 5);
  await bench.page.getByLabel("Name of the extractor").fill("list");
  await bench.page.getByRole("button", { name: "Save as extractor" }).click();
  await bench.said("Saved as list, version 1");
  const run = async () => { await bench.view("Extractors"); await bench.page.getByRole("button", { name: "Run on all pages" }).click(); };
  const earlier = bench.page.locator(".records-view .earlier");
  // the first has none before it
  let letGo = await bench.block();
  await run();
  await bench.page.getByText("list is being run on all pages…").waitFor();
  letGo();
  await bench.until("Records of the run", (rows) => rows.length === 5);
  assert.equal(await earlier.count(), 0);
  await bench.view("Pages");
  await bench.choose(await bench.write("in", { "2.html": listPage(books(4, 20)) }));
  await bench.page.getByRole("heading", { name: "Lists on this page" }).waitFor();
  letGo = await bench.block();
  await run();
  await bench.page.locator(".earlier", { hasText: "list is being run on all pages…. These are records of a run before: run 1," }).waitFor();
  await bench.until("Records of a run before", (rows) => rows.length === 5);
  const late = await bench.hold("GET", /\/runs$/); // it has ended, and is not in the list yet
  letGo();
  await late.caught();
  await bench.page.waitForFunction(() => !document.querySelector(".jobs"));
  await earlier.waitFor();
  assert.equal((await bench.rows("Records of a run before")).length, 5);
  await late.letGo();
  await bench.until("Records of the run", (rows) => rows.length === 9);
  assert.equal(await earlier.count(), 0);
  // one that gives nothing says so
  for (const { id } of (await bench.api("GET", "sites/default/pages")).pages) await bench.api("DELETE", "sites/default/pages", { pages: [id] });
  await bench.api("POST", "sites/default/run", { wrapper: "list" });
  await bench.page.locator(".earlier", { hasText: "Run 3 (extract, list) gave no record. These are records of a run before: run 2," }).waitFor();
});

test("the page does not move under who labels it while it is learnt from", async (bench) => {
  await begin(bench);
  await bench.page.locator(".frame-box[aria-busy=false]").waitFor();
  const said = bench.page.locator(".learnt"), seen = [];
  const look = async (words) => { await said.filter({ hasText: words }).waitFor({ state: "attached" }); seen.push(await bench.page.locator(".frame-box").boundingBox()); };
  const learning = await bench.hold("POST", /\/learn$/), asking = await bench.hold("POST", /\/suggest$/);
  await look("");
  await bench.clickExactly(truth[0].title);
  await learning.caught();
  await look("Learning…");
  await learning.letGo();
  await asking.caught();
  await look("looking for questions…");
  await asking.letGo();
  await look(/^Learnt with \w+$/);
  for (const box of seen) assert.deepEqual(box, seen[0]);
});

test("undoing a label elsewhere leaves no question of it", async (bench) => {
  await begin(bench);
  await bench.page.getByLabel("Engine").selectOption("stalker");
  await bench.clickExactly(truth[0].title);
  await stored(bench, "title");
  const asked = bench.page.locator(".question, .done, .no-value");
  await asked.first().waitFor();
  await bench.view("Pages");
  await bench.view("Labels"); // not the view any more in which it was labelled
  await asked.first().waitFor();
  const late = await bench.hold("GET", /\/labels$/);
  await bench.page.locator(".undo").click();
  await late.caught();
  await late.letGo(0); // the labels of after the undo; those that are asked for again come later
  await bench.said("Undone: title");
  assert.equal(await asked.count(), 0);
  assert.equal(await bench.page.getByRole("region", { name: "What was found" }).count(), 0);
  await late.letGo();
  assert.deepEqual(await labelsOf(bench), {});
});

test("pages are told of though they are there before the answer", async (bench) => {
  await bench.write("in", { "1.html": listPage(books(5)) });
  const late = await bench.hold("POST", /\/inputs$/);
  await bench.page.getByLabel("URLs or paths, one per line").fill(`${bench.folder}/in`);
  await bench.page.getByRole("button", { name: "Add", exact: true }).click();
  await late.caught();
  await bench.page.locator(".page-list li").waitFor();
  await late.letGo();
  await bench.said("1 page added");
  await stored(bench, "1 page added");
});

test("work that is not cancelled does not say so", async (bench) => {
  await bench.page.waitForFunction(() => document.querySelector(".pages-view"));
  const letGo = await bench.block();
  for (let i = 1; i < 3; i++) await bench.api("POST", `sites/other${i}/inputs`, { inputs: [`${bench.folder}/p.thresh`] });
  const buttons = bench.page.getByRole("region", { name: "At work" }).getByRole("button");
  await bench.page.waitForFunction(() => document.querySelectorAll(".jobs button").length === 3);
  await buttons.nth(1).click();
  await bench.page.waitForFunction(() => document.querySelectorAll(".jobs button").length === 2);
  assert.deepEqual(await buttons.allInnerTexts(), ["Cancel", "Cancel"]);
  letGo();
});
