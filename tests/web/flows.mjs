// What people do with the workbench, from an empty project to the data; the data is what is asserted.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PATIENCE, flow, test } from "./harness.mjs";
import { books, bulky, detailPage, largePage, listPage, reviewedPage, reviews } from "./pages_of_ours.mjs";

export const readCsv = (text) => {
  const [head, ...lines] = text.trimEnd().split("\r\n").map((line) => line.split(","));
  return lines.map((line) => Object.fromEntries(line.map((value, index) => [head[index], value])));
};

flow("first list: list page to CSV in three clicks", async (bench, step) => {
  const truth = books(12);
  const [path] = await bench.write("in", { "list.html": listPage(truth) });
  await step("choose the file", () => bench.choose([path])); // one
  await step("see the records", () => bench.until("Records", (rows) => rows.length === truth.length));
  const csv = await step("download", () => bench.download(() => bench.page.getByRole("button", { name: "Download CSV" }).click())); // two
  const rows = readCsv(csv.toString());
  assert.equal(rows.length, truth.length);
  rows.forEach((row, i) => { for (const value of Object.values(truth[i])) assert.ok(Object.values(row).includes(value), `${value} in ${JSON.stringify(row)}`); });
  // the other forms, and the command, give the same
  await step("download other forms", async () => {
    const json = JSON.parse((await bench.download(() => bench.page.getByRole("button", { name: "JSON", exact: true }).click())).toString());
    assert.deepEqual(json.map((one) => Object.values(one)), rows.map((row) => Object.values(row)));
    const lines = (await bench.download(() => bench.page.getByRole("button", { name: "NDJSON" }).click())).toString().trimEnd().split("\n");
    assert.deepEqual(lines.map((line) => JSON.parse(line)), json);
    assert.deepEqual(JSON.parse(await bench.runCommand(" -f json")), json);
    const db = await bench.download(() => bench.page.getByRole("button", { name: "SQLite" }).click());
    assert.equal(db.subarray(0, 15).toString(), "SQLite format 3");
  });
}, { human: true });

test("columns are chosen and named, and a wrapper keeps them", async (bench) => {
  const truth = [books(10), books(9, 30)];
  await bench.choose(await bench.write("in", { "1.html": listPage(truth[0]), "2.html": listPage(truth[1]) }));
  await bench.said("2 pages added");
  await bench.view("Lists");
  const rows = await bench.until("Records", (found) => found.length === 10);
  const column = Object.keys(rows[0]).find((name) => rows[0][name] === truth[0][0].price);
  for (const name of Object.keys(rows[0])) if (name !== column) await bench.page.getByLabel(`Keep column ${name}`, { exact: true }).uncheck();
  const named = bench.page.getByLabel(`Name of column ${Object.keys(rows[0]).indexOf(column) + 1}`, { exact: true });
  await named.fill("cost");
  await named.press("Tab");
  await bench.page.getByLabel("Try on").selectOption({ label: "2.html" });
  await bench.until("Records", (found) => found.length === 9 && found.every((row, i) => row.cost === truth[1][i].price));
  await bench.page.getByLabel("Name of the extractor").fill("prices");
  await bench.page.getByRole("button", { name: "Save as extractor" }).click();
  await bench.said("Saved as prices, version 1");
  const { pages } = await bench.api("POST", "sites/default/extract", { wrapper: "prices" });
  assert.deepEqual(pages.map((one) => one.found.records.map((row) => Object.keys(row).join() + row.cost.value)), truth.map((list) => list.map((b) => `cost${b.price}`)));
  await bench.page.getByRole("button", { name: /^Undo/ }).click(); // saving can be undone
  await bench.said("Undone");
  assert.deepEqual((await bench.api("GET", "sites/default/wrappers")).wrappers, []);
});

test("a wrapper is run, and its records are sorted, filtered and taken away", async (bench) => {
  const truth = books(60);
  await bench.choose(await bench.write("in", { "1.html": listPage(truth.slice(0, 30)), "2.html": listPage(truth.slice(30)) }));
  await bench.said("2 pages added");
  await bench.view("Lists");
  await bench.until("Records", (rows) => rows.length > 0);
  await bench.page.getByLabel("Name of the extractor").fill("books");
  await bench.page.getByRole("button", { name: "Save as extractor" }).click();
  await bench.said("Saved as books");
  await bench.view("Extractors");
  await bench.page.getByRole("button", { name: "Run on all pages" }).click();
  await bench.until("Records of the run", (rows) => rows.length > 0);
  const column = (await bench.page.getByRole("region", { name: "Records of the run" }).getByRole("columnheader").allInnerTexts()).find((name) => /price/.test(name));
  await bench.page.getByRole("button", { name: column }).click();
  const sorted = truth.map((b) => b.price).sort((a, b) => parseFloat(a) - parseFloat(b));
  await bench.until("Records of the run", (rows) => rows[0]?.[column] === sorted[0] && rows[5]?.[column] === sorted[5]);
  await bench.page.getByLabel("Filter").fill(truth[41].title);
  const rows = await bench.until("Records of the run", (found) => found.length === 1);
  assert.ok(Object.values(rows[0]).includes(truth[41].author));
  const csv = readCsv((await bench.download(() => bench.page.getByRole("button", { name: "Download CSV" }).click())).toString());
  assert.equal(csv.length, 60);
});

test("a run without records says so", async (bench) => {
  await bench.choose(await bench.write("in", { "1.html": listPage(books(6)) }));
  await bench.until("Records", (rows) => rows.length === 6);
  await bench.page.getByLabel("Name of the extractor").fill("books");
  await bench.page.getByRole("button", { name: "Save as extractor" }).click();
  await bench.said("Saved as books");
  await bench.view("Pages");
  await bench.choose(await bench.write("after", { "1.html": "<p>Closed.</p>" }));
  await bench.page.getByRole("heading", { name: "Lists on this page" }).waitFor();
  await bench.view("Extractors");
  await bench.page.getByRole("button", { name: "Run on all pages" }).click();
  await bench.page.getByText("1 run, and none found a record").waitFor();
  const [run] = (await bench.api("GET", "sites/default/runs")).runs;
  assert.deepEqual([run.records, run.pages], [0, 1]);
});

test("what was found is in sight, however far down the page it stands", async (bench) => {
  const menu = `<ul class="menu">${Array.from({ length: 120 }, (_, i) => `<li><a href="/m">Topic ${i}</a></li>`).join("")}</ul>`;
  const long = (truth) => listPage(truth).replace("<h1>", `${menu}<h1>`).replace(/class="price">/g, 'class="price" style="color:white">');
  await bench.choose(await bench.write("in", { "1.html": long(books(30)), "2.html": long(books(9, 40)) }));
  await bench.said("2 pages added");
  await bench.view("Lists");
  const list = async (of) => { await bench.page.locator(".candidates button", { hasText: of }).click(); };
  const seen = (text) => bench.page.waitForFunction((wanted) => {
    const high = document.querySelector(".frame-box iframe")?.contentWindow.innerHeight;
    const box = document.querySelector(".frame-box")?.drawnMarks?.()?.find((one) => one.kind === "mark" && one.text === wanted)?.boxes[0];
    return box && box.y >= 0 && box.y + box.height <= high;
  }, text);
  await list(books(1)[0].title);
  await seen(books(1)[0].title);
  await bench.page.getByRole("region", { name: "Records" }).locator("tbody tr", { hasText: books(1, 6)[0].title }).click(); // a record that somebody points at
  await seen(books(1, 6)[0].title);
  await bench.page.getByRole("navigation").getByRole("button", { name: "2.html" }).click();
  await list(books(1, 40)[0].title);
  await seen(books(1, 40)[0].title);
  // and can be read in the plain page, whatever colours the page has
  await bench.page.getByRole("checkbox", { name: "plain" }).check();
  await seen(books(1, 40)[0].title);
  const colours = await bench.page.frameLocator(".frame-box iframe").locator(".price").first().evaluate((one) => getComputedStyle(one).color);
  assert.equal(colours, "rgb(29, 27, 22)");
});

// ---- labels ----

const detailsOf = (truth) => Object.fromEntries(truth.map((book, i) => [`${i}.html`, detailPage(book)]));
const addField = async (bench, name) => {
  await bench.page.getByLabel("Name of a new field").fill(name);
  await bench.page.getByRole("button", { name: "Add field" }).click();
  await bench.page.getByRole("radio", { name }).waitFor();
};
const goTo = async (bench, name) => {
  await bench.page.getByRole("navigation").getByRole("button", { name }).click();
  await bench.page.getByTitle(`The page ${name}`).waitFor();
};
const right = (truth) => (rows) => rows.length === truth.length && rows.every((row, i) => row.title === truth[i].title && row.price === truth[i].price);
// A shop some of whose pages have a second price, before or behind the right one.
const doubtful = () => books(10).map((book, i) => ({ ...book, old: i % 3 === 1 ? `${60 + i}.00 EUR` : "", club: i % 3 === 2 ? `${5 + i}.10 EUR` : "" }));

test("label two values, get the site's pages", async (bench) => {
  const truth = books(8);
  await bench.choose(await bench.write("in", detailsOf(truth)));
  await bench.said("8 pages added");
  await bench.view("Labels");
  await addField(bench, "title");
  await addField(bench, "price");
  await bench.page.getByRole("radio", { name: "title" }).click();
  await bench.clickText(truth[0].title);
  await bench.clickText(truth[0].price);
  await bench.until("What was found", right(truth));
  await bench.page.getByLabel("Name of the extractor").fill("books");
  const json = JSON.parse((await bench.download(() => bench.page.getByRole("button", { name: "JSON", exact: true }).click())).toString());
  assert.deepEqual(json, truth.map(({ title, price }) => ({ title, price })));
  const told = await bench.runCommand(" -q"); // the same in a shell
  assert.equal(told, "");
  const { pages } = await bench.api("POST", "sites/default/extract", { wrapper: "books" });
  assert.deepEqual(pages.map((one) => one.found.record.price.value), truth.map((book) => book.price));
  // a label can be taken back
  await bench.page.getByRole("button", { name: /^Undo: price/ }).click();
  await bench.said("Undone");
  assert.deepEqual(Object.keys(JSON.parse(await bench.api("GET", "sites/default/labels")).records[0]), ["title"]);
});

test("label a list: two records, and the rest of all pages fills in", async (bench) => {
  const truth = [books(9), books(4, 40)];
  await bench.choose(await bench.write("in", { "1.html": listPage(truth[0]), "2.html": listPage(truth[1]) }));
  await bench.said("2 pages added");
  await bench.view("Labels");
  await bench.page.getByLabel("a list of records").check();
  await addField(bench, "title");
  await addField(bench, "price");
  await bench.page.getByRole("radio", { name: "title" }).click();
  for (const book of truth[0].slice(0, 2)) { await bench.clickText(book.title); await bench.clickText(book.price); }
  await bench.until("What was found", right(truth.flat()));
});

test("labels that are texts alone, as files have them, and one that stands nowhere", async (bench) => {
  const truth = books(5);
  await bench.choose(await bench.write("in", detailsOf(truth)));
  await bench.said("5 pages added");
  await bench.api("PUT", "sites/default/labels", { page: "0.html", records: [{ title: truth[0].title, price: truth[0].price }] });
  await bench.view("Labels");
  await bench.until("What was found", right(truth));
  await bench.api("PUT", "sites/default/labels", { page: "0.html", records: [{ title: "A title that stands nowhere" }] });
  await bench.page.locator(".why", { hasText: "is not on the page" }).waitFor();
  await bench.page.getByRole("radio", { name: "title" }).click();
  await bench.clickText(truth[0].title); // and is put right
  await bench.until("What was found", (rows) => rows.length === 5 && rows.every((row, i) => row.title === truth[i].title));
});

test("correct one wrong value", async (bench) => {
  const truth = doubtful();
  // captions that do not tell the old price from ours
  const pages = Object.entries(detailsOf(truth)).map(([name, html]) => [name, html.replace(/(Old|Our) price/g, "EUR").replace("For members", "Card")]);
  await bench.choose(await bench.write("in", Object.fromEntries(pages)));
  await bench.said("10 pages added");
  await bench.view("Labels");
  await bench.page.getByLabel("Engine").selectOption("stalker");
  await addField(bench, "title");
  await addField(bench, "price");
  for (const at of [0, 1]) {
    await goTo(bench, `${at}.html`);
    await bench.page.getByRole("radio", { name: "title" }).click();
    await bench.clickText(truth[at].title);
    await bench.page.getByRole("button", { name: `Undo: title: ${truth[at].title}` }).waitFor();
    await bench.clickText(truth[at].price);
    await bench.page.getByRole("button", { name: `Undo: price: ${truth[at].price}` }).waitFor();
  }
  const rows = await bench.until("What was found", (found) => found.length === 10 && found[4].price === truth[4].price && !right(truth)(found));
  const wrong = rows.findIndex((row, i) => row.price !== truth[i].price);
  await bench.page.getByRole("button", { name: `price: ${rows[wrong].price}. Correct it` }).first().click();
  await bench.page.getByText("Click the right value of price").waitFor();
  await bench.page.getByTitle(new RegExp(`The page \\d\\.html`)).waitFor();
  const page = /page (\d)/.exec(await bench.page.locator(".frame-box iframe").getAttribute("title"))[1];
  await bench.clickText(truth[page].price);
  await bench.until("What was found", (found) => found.length === 10 && found.filter((row) => truth.some((book) => book.title === row.title && book.price === row.price)).length === 10);
});

test("two questions of co-testing, and done", async (bench) => {
  const truth = doubtful();
  await bench.choose(await bench.write("in", detailsOf(truth)));
  await bench.said("10 pages added");
  await bench.view("Labels");
  await bench.page.getByLabel("Engine").selectOption("stalker");
  await addField(bench, "title");
  await addField(bench, "price");
  await bench.page.getByRole("radio", { name: "title" }).click();
  await bench.clickText(truth[0].title);
  await bench.page.getByRole("button", { name: `Undo: title: ${truth[0].title}` }).waitFor();
  await bench.clickText(truth[0].price);
  await bench.until("What was found", (found) => found.length === 10 && found[0].price === truth[0].price);
  const asked = new Set();
  for (let i = 0; i < 6; i++) {
    const words = bench.page.locator(".question-head p, .done");
    const next = async () => { const [text] = await words.allInnerTexts(); return text && !asked.has(text) ? text : null; };
    let text = null;
    for (const end = Date.now() + PATIENCE; !(text = await next()) && Date.now() < end;) await bench.page.waitForTimeout(50);
    if (text?.startsWith("Done")) break;
    asked.add(text);
    const [, field, page] = /Which one is (\w+) on (\d)\.html/.exec(text);
    assert.match(text, /(two ways to find it disagree|nothing where there was always something|several texts where there was one); \d+ questions? left/); // why it is asked
    await bench.page.locator(".answers").getByRole("button", { name: truth[page][field] }).first().click();
  }
  await bench.page.locator(".done").waitFor();
  assert.equal(asked.size, 2);
  await bench.until("What was found", (found) => found.filter((row) => truth.some((book) => book.title === row.title && book.price === row.price)).length === 10);
});

// ---- a template ----

test("the template of ten pages with a nested list", async (bench) => {
  const truth = books(10).map((book, i) => ({ ...book, reviews: reviews(i) }));
  const files = Object.fromEntries(truth.map((book, i) => [`${i}.html`, reviewedPage(book, book.reviews)]));
  const hours = (town) => `<table border=1 class=hours><caption>${town}</caption>${["Mon", "Tue", "Wed", "Thu"].map((day) => `<tr><td><font color=red>${day}</font><td><tt>9 to 5</tt></tr>`).join("")}</table><hr><address><dl><dt>Tel<dd>${town.length}</dl></address>`;
  await bench.choose(await bench.write("in", { ...files, "ghent.html": hours("Ghent"), "antwerp.html": hours("Antwerp") }));
  await bench.said("12 pages added");
  await bench.page.getByLabel("by template").check();
  await bench.page.getByText("Template 1: 10 pages").waitFor();
  await bench.page.getByText("Template 2: 2 pages").waitFor();
  await bench.view("Compare pages");
  await bench.page.getByRole("heading", { name: "The template of 10 pages" }).waitFor();
  const rows = await bench.until("What the pages give", (found) => found.length === 10);
  rows.forEach((row, i) => {
    const all = Object.values(row).join(" | ");
    for (const value of [truth[i].title, truth[i].author, truth[i].price, ...truth[i].reviews.flatMap((one) => [one.who, one.text])]) assert.ok(all.includes(value), `${value} in ${all}`);
  });
  await bench.page.getByLabel("Name of the extractor").fill("reviews");
  await bench.page.getByRole("button", { name: "Save as extractor" }).click();
  await bench.said("Saved as reviews");
  const { pages } = await bench.api("POST", "sites/default/extract", { wrapper: "reviews" });
  const ids = (await bench.api("GET", "sites/default/pages")).pages.filter((one) => one.name in files).map((one) => one.id);
  pages.filter((one) => ids.includes(one.id)).forEach((one, i) => { // each review is a record of its own
    const record = one.found.record ?? one.found.records[0];
    const nested = Object.values(record).find((value) => Array.isArray(value) && value.length === truth[i].reviews.length);
    assert.ok(nested, JSON.stringify(record).slice(0, 300));
    nested.forEach((review, at) => { const said = JSON.stringify(review); assert.ok(said.includes(truth[i].reviews[at].who) && said.includes(truth[i].reviews[at].text), said); });
  });
});

// ---- a large page ----

test("a large page shows its beginning first, and the rest as somebody comes there", async (bench) => {
  const html = largePage(2_000_000, true), count = html.split('class="book"').length - 1;
  await bench.choose(await bench.write("in", { "large.html": html, "small.html": listPage(books(5)) }));
  await bench.said("2 pages added");
  await bench.view("Labels");
  await bench.page.getByLabel("a list of records").check();
  await addField(bench, "title");
  await goTo(bench, "large.html");
  await bench.page.locator(".frame-box[aria-busy=false]").waitFor();
  const box = bench.page.locator(".frame-box iframe");
  const shown = () => box.evaluate((one) => [...one.contentDocument.querySelectorAll("li.book")].filter((li) => !li.hasAttribute("l")).length);
  const first = await shown();
  assert.ok(first > 200 && first < count / 4, `${first} of ${count}`);
  assert.equal(await box.evaluate((one) => one.contentDocument.querySelectorAll("li.book").length), count); // all is there
  // two labels fill in the page; marks are on what is shown
  await bench.clickExactly(books(2)[0].title);
  await bench.page.getByRole("button", { name: `Undo: title: ${books(1)[0].title}` }).waitFor();
  await bench.clickExactly(books(2)[1].title);
  await bench.until("What was found", (rows) => rows.length > 10 && rows.every((row, i) => row.title === books(1, i)[0].title));
  // books in sight that have a mark, and how many are in sight
  const isMarked = () => bench.page.evaluate(() => {
    const holder = document.querySelector(".frame-box"), { contentDocument: root, contentWindow: view } = holder.querySelector("iframe"), texts = new Set(holder.drawnMarks()?.map((one) => one.text));
    const inSight = [...root.querySelectorAll("li.book")].filter((li) => { const box = li.getBoundingClientRect(); return box.height && box.top >= 0 && box.bottom <= view.innerHeight; });
    return inSight.length > 1 && inSight.every((li) => texts.has(li.querySelector("a").textContent));
  });
  const untilMarked = async () => { for (let i = 0; i < 1200; i++) { if (await isMarked()) return; await bench.page.waitForTimeout(50); } assert.fail("books in sight have no marks"); };
  await untilMarked();
  // at the end of what is shown more of it comes, as long as there is more; the marks come with it
  for (let before = first; before < count; before = await shown()) {
    await box.evaluate((one) => { const at = one.contentDocument.scrollingElement; at.scrollTop = at.scrollHeight; });
    await bench.page.waitForFunction((had) => [...document.querySelector(".frame-box iframe").contentDocument.querySelectorAll("li.book")].filter((li) => !li.hasAttribute("l")).length > had, before);
  }
  assert.equal(await shown(), count);
  await untilMarked();
  // a label at the very end
  const last = books(1, count - 1)[0];
  await addField(bench, "price");
  await bench.clickText(last.price, -1);
  await bench.page.getByRole("button", { name: `Undo: price: ${last.price}` }).waitFor();
  const line = (await bench.api("GET", "sites/default/labels")).trim().split("\n").map((one) => JSON.parse(one)).find((one) => one.page === "large.html");
  const spot = line.records.at(-1).price;
  assert.equal(html.slice(spot.start, spot.end), last.price);
});

test("a page is removed, and comes back with its labels", async (bench) => {
  const truth = books(4);
  await bench.choose(await bench.write("in", detailsOf(truth)));
  await bench.said("4 pages added");
  const [, second] = (await bench.api("GET", "sites/default/pages")).pages;
  await bench.api("PUT", "sites/default/labels", { page: second.name, records: [{ title: truth[1].title }] });
  const before = await bench.api("GET", `pages/${second.id}/bytes`);
  await bench.page.getByRole("button", { name: `Remove ${second.name}` }).click();
  await bench.page.getByRole("button", { name: `Undo: removal of ${second.name}` }).waitFor();
  assert.deepEqual((await bench.api("GET", "sites/default/pages")).pages.map((page) => page.name), ["0.html", "2.html", "3.html"]);
  assert.equal(await bench.api("GET", "sites/default/labels"), "");
  await bench.page.getByRole("button", { name: /^Undo: removal/ }).click();
  await bench.said("Undone");
  const back = (await bench.api("GET", "sites/default/pages")).pages.find((page) => page.name === second.name);
  assert.equal(await bench.api("GET", `pages/${back.id}/bytes`), before);
  assert.equal(JSON.parse(await bench.api("GET", "sites/default/labels")).records[0].title, truth[1].title);
});

// ---- many pages ----

test("a folder of 5,000 pages is added with progress; a cancel leaves the project sound", async (bench) => {
  const COUNT = 5000, folder = join(bench.folder, "many");
  await bench.write("many", {});
  for (let i = 0; i < COUNT; i++) await writeFile(join(folder, `${String(i).padStart(4, "0")}.html`), bulky(i));
  const add = async (site) => {
    await bench.view("Pages");
    await bench.page.getByRole("button", { name: "New site" }).click();
    await bench.page.getByLabel("Name of the new site").fill(site);
    await bench.page.getByRole("button", { name: "Use" }).click();
    await bench.page.getByLabel("URLs or paths, one per line").fill(folder);
    await bench.page.getByRole("button", { name: "Add", exact: true }).click();
  };
  await add("cancelled");
  await bench.page.getByText(/Adding pages: [1-9]/).waitFor();
  bench.server.kill("SIGSTOP"); // or it may be done before the click comes, where the browser is slow
  await bench.page.getByRole("region", { name: "At work" }).getByRole("button", { name: "Cancel" }).click();
  await bench.page.waitForTimeout(500);
  bench.server.kill("SIGCONT");
  await bench.said("the rest cancelled");
  const some = (await bench.api("GET", "sites/cancelled/pages")).pages.length;
  assert.ok(some > 0 && some < COUNT, `${some} pages`);
  const sound = bench.check();
  assert.equal(sound.status, 0, sound.stderr);
  await add("whole");
  await bench.page.getByText(/Adding pages: [1-9]/).waitFor(); // progress
  await bench.page.locator("caption", { hasText: "5,000 pages" }).waitFor({ timeout: 2 * PATIENCE });
  assert.equal((await bench.api("GET", "sites/whole/pages")).pages.length, COUNT);
  await bench.page.getByRole("button", { name: /^Undo: 5,000 pages added/ }).click(); // and back
  await bench.said("Undone");
  assert.equal((await bench.api("GET", "sites/whole/pages")).pages.length, 0);
  assert.equal(bench.check().status, 0);
});

test("pages come from a web server on this machine", async (bench) => {
  const { createServer } = await import("node:http");
  const truth = books(8), web = createServer((request, answer) => { answer.writeHead(request.url === "/robots.txt" ? 404 : 200, { "Content-Type": "text/html" }); answer.end(listPage(truth)); });
  await new Promise((done) => web.listen(0, "127.0.0.1", done));
  await bench.page.getByLabel("URLs or paths, one per line").fill(`http://127.0.0.1:${web.address().port}/list`);
  await bench.page.getByRole("button", { name: "Add", exact: true }).click();
  await bench.said("1 page added");
  await bench.view("Lists");
  const rows = await bench.until("Records", (found) => found.length === 8);
  rows.forEach((row, i) => assert.ok(Object.values(row).includes(truth[i].title)));
  web.close();
});

test("the command of a wrapper runs in a shell", async (bench) => {
  const truth = books(10);
  await bench.choose(await bench.write("in", { "it's a list.html": listPage(truth) }));
  await bench.until("Records", (rows) => rows.length === 10);
  assert.equal(JSON.parse(await bench.runCommand(" -f json")).length, 10); // a name that a shell must be told
  await bench.page.getByRole("button", { name: "Copy as command" }).click();
  await bench.said("Copied");
  assert.equal(await bench.page.evaluate(() => navigator.clipboard.readText()), await bench.page.locator(".command code").innerText());
  assert.equal(spawnSync(bench.thresh, ["project", "list", bench.project, "pages", "-q", "-f", "ndjson"], { encoding: "utf8" }).stdout.trim().split("\n").length, 1);
});
