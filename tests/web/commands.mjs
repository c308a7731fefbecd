// "Copy as command": the command that stands below a view gives what is on the screen.
import assert from "node:assert/strict";
import { test } from "./harness.mjs";
import { books, detailPage, listPage, reviewedPage, reviews } from "./pages_of_ours.mjs";

const json = async (bench, nth) => JSON.parse(await bench.runCommand(" -f json", nth));
const shown = (rows) => rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== "")));
const flat = (records) => records.map((record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null && value !== "").map(([name, value]) => [name, String(value)])));
const same = async (bench, table, nth) => { const given = await json(bench, nth); const rows = await bench.until(table, (found) => found.length === Math.min(given.length, found.length) && found.length > 0); assert.deepEqual(shown(rows), flat(given).slice(0, rows.length)); return given; };

test("commands of lists: the list at hand, its engine and its numbers", async (bench) => {
  await bench.choose(await bench.write("in", { "a list.html": listPage(books(9)), "2.html": listPage(books(6, 30)) }));
  await bench.said("2 pages added");
  await bench.view("Lists");
  await bench.until("Records", (rows) => rows.length === 9);
  assert.equal((await same(bench, "Records")).length, 9);
  for (const engine of ["mdr", "iepad"]) {
    await bench.page.getByLabel("Engine").selectOption(engine);
    await bench.page.waitForFunction((name) => document.querySelector(".command code")?.textContent.includes(`--engine ${name}`) && document.querySelector(".candidates small")?.textContent.startsWith(name), engine);
    await same(bench, "Records");
  }
  await bench.page.getByLabel("Count").fill("8");
  await bench.page.waitForFunction(() => document.querySelector(".command code")?.textContent.includes("--min-count 8"));
  await same(bench, "Records");
  await bench.page.getByLabel("Engine").selectOption("auto");
  await bench.page.waitForFunction(() => document.querySelector(".candidates small")?.textContent.startsWith("lists"));
  await bench.until("Records", (rows) => rows.length === 9);
  const second = bench.page.locator(".candidates li").nth(1).getByRole("button");
  await second.click(); // another list
  await bench.page.waitForFunction(() => document.querySelector(".command code")?.textContent.includes("--pick 2"));
  assert.notEqual((await same(bench, "Records")).length, 9);
  // tried on another page
  await bench.page.locator(".candidates li").first().getByRole("button").click();
  await bench.until("Records", (rows) => rows.length === 9);
  await bench.page.getByLabel("Try on").selectOption({ label: "2.html" });
  await bench.until("Records", (rows) => rows.length === 6);
  await same(bench, "Records");
  // columns that were named
  await bench.page.getByLabel("Try on").selectOption("");
  await bench.until("Records", (rows) => rows.length === 9);
  await bench.page.getByLabel("Name of column 1", { exact: true }).fill("book");
  await bench.page.getByLabel("Name of column 1", { exact: true }).press("Tab");
  await bench.page.locator(".command code", { hasText: "--columns" }).waitFor();
  assert.deepEqual((await json(bench)).map((row) => row.book), books(9).map((book) => book.title));
  await bench.page.getByLabel("Name of the extractor").fill("my books");
  await bench.page.getByRole("button", { name: "Save as extractor" }).click();
  await bench.said("Saved as my books");
  await bench.page.locator(".command code", { hasText: "my books" }).waitFor();
  assert.ok("book" in (await json(bench))[0]);
  assert.equal((await json(bench)).length, 9);
});

test("commands of wrappers, records, checks and pages", async (bench) => {
  await bench.choose(await bench.write("in", { "1.html": listPage(books(9)), "2.html": listPage(books(6, 30)) }));
  await bench.said("2 pages added");
  assert.equal((await json(bench)).length, 2); // project list
  await bench.page.getByLabel("by template").check();
  await bench.page.getByText("Template 1: 2 pages").waitFor();
  assert.equal((await json(bench)).length, 1); // clusters
  const { wrapper } = await bench.api("POST", "sites/default/learn", { labels: [] });
  await bench.api("POST", "sites/default/wrappers", { name: "books", wrapper });
  await bench.view("Extractors");
  await bench.page.locator("pre.rules").waitFor();
  assert.equal((await bench.runCommand("", 0)).split("\nlearnt")[0].trim(), (await bench.page.locator("pre.rules").textContent()).split("\nlearnt")[0].trim());
  const rows = await json(bench, 1);
  assert.equal(rows.length, 15);
  await bench.page.getByRole("button", { name: "Run on all pages" }).click();
  await bench.page.getByText("15 of 15 records").waitFor();
  const lines = (await bench.runCommand()).trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(lines.map((line) => line.record ?? line), rows);
  await bench.view("Monitor");
  await bench.page.getByRole("button", { name: "Check now" }).click();
  await bench.said("books is fine");
  assert.equal((await json(bench)).drift, false);
});

test("the command of a template learns the cluster at hand", async (bench) => {
  const truth = books(6).map((book, i) => ({ ...book, reviews: reviews(i) }));
  const files = Object.fromEntries(truth.map((book, i) => [`r${i}.html`, reviewedPage(book, book.reviews)]));
  await bench.choose(await bench.write("in", { ...files, ...Object.fromEntries(books(4, 50).map((book, i) => [`d${i}.html`, detailPage(book)])) }));
  await bench.said("10 pages added");
  await bench.view("Compare pages");
  for (const [page, count, cluster] of [["r0.html", 6, 1], ["d0.html", 4, 2]]) {
    await bench.page.getByRole("navigation").getByRole("button", { name: page }).click();
    await bench.page.getByRole("heading", { name: `The template of ${count} pages` }).waitFor();
    await bench.until("What the pages give", (rows) => rows.length === count);
    await bench.page.getByLabel("Name of the extractor").fill("template");
    await bench.runCommand(" -q");
    const { wrapper } = await bench.api("GET", `sites/default/wrappers/template/latest`);
    const learnt = await bench.api("POST", "sites/default/learn", { engine: "template", cluster, labels: [] });
    assert.deepEqual(wrapper.rules, learnt.wrapper.rules);
    // what is downloaded is what the command line writes, nested lists and all
    const ids = learnt.pages, form = async (format) => bench.api("POST", "sites/default/file", { wrapper: learnt.wrapper, pages: ids, format });
    assert.equal((await bench.download(() => bench.page.getByRole("button", { name: "Download CSV" }).click())).toString(), await form("csv"));
    assert.deepEqual(JSON.parse((await bench.download(() => bench.page.getByRole("button", { name: "JSON", exact: true }).click())).toString()), JSON.parse(await form("json")));
    // Chromium lets a page download ten files without a click
    const others = cluster === 1 ? [["a table, as text", "table"], ["a table in Markdown", "markdown"]] : [["one line per page", "pages"], ["a page with a table", "html"]];
    for (const [words, format] of others) {
      const given = (await bench.download(() => bench.page.getByLabel("Other formats").selectOption({ label: words }))).toString();
      assert.equal(given, await bench.api("POST", "sites/default/file", { wrapper: learnt.wrapper, format }));
    }
    assert.equal((await bench.download(() => bench.page.getByRole("button", { name: "Excel" }).click())).subarray(0, 2).toString(), "PK");
    assert.equal(learnt.pages.length, count);
  }
});
