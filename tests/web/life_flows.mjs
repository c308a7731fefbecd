// The life of a wrapper: a site changes, and it is noticed, repaired and accepted.
import assert from "node:assert/strict";
import { flow, test } from "./harness.mjs";
import { authorlessPage, books, changedPage, detailPage, listPage, plainerPage, pricelessPage } from "./pages_of_ours.mjs";

const named = (truth, look) => Object.fromEntries(truth.map((book, i) => [`${i}.html`, look(book)]));

// Pages, a wrapper learnt from labels and saved in the window, and the same names with a new look.
export async function change(bench, count = 12, look = changedPage, more = []) {
  const truth = books(12), later = books(12, 50);
  await bench.choose(await bench.write("before", named(truth, detailPage)));
  await bench.said("12 pages added");
  await bench.view("Labels");
  for (const [field, value] of ["title", "price", ...more].map((one) => [one, truth[0][one]])) {
    await bench.page.getByLabel("Name of a new field").fill(field);
    await bench.page.getByRole("button", { name: "Add field" }).click();
    await bench.clickText(value);
    await bench.page.getByRole("button", { name: `Undo: ${field}: ${value.slice(0, 30)}` }).waitFor();
  }
  await bench.until("What was found", (rows) => rows.length === 12 && rows.every((row, i) => row.price === truth[i].price));
  await bench.page.getByLabel("Name of the extractor").fill("books");
  await bench.page.getByRole("button", { name: "Save as extractor" }).click();
  await bench.said("Saved as books, version 1");
  await bench.view("Monitor");
  await bench.page.getByRole("button", { name: "Check now" }).click();
  await bench.said("books is fine");
  await bench.view("Pages");
  await bench.choose(await bench.write("after", named(later.slice(0, count), look)));
  await bench.said(`${count} pages added`);
  return later;
}

flow("repair of a broken extractor: noticed, proposed, accepted", async (bench, step) => {
  const later = await change(bench), button = (name) => bench.page.getByRole("button", { name });
  await bench.view("Monitor");
  await step("check the pages", async () => {
    await button("Check now").click();
    await bench.said("books drifts");
    await bench.page.locator(".evidence li.bad").first().waitFor();
  });
  const runs = (await bench.api("GET", "sites/default/runs")).runs.filter((run) => run.finished); // a check that died with its server was begun again
  assert.deepEqual(runs.map((run) => run.verdict), ["drift", "fine"]);
  const { verdicts } = await bench.api("GET", `runs/${runs[0].id}/verdicts`);
  assert.ok(verdicts.some((one) => one.verdict === "drift" && one.evidence.words));
  await step("have a repair proposed", () => button("Propose a repair").click());
  await step("see it", async () => {
    await bench.page.getByRole("heading", { name: "A repair was found and passes the check." }).waitFor();
    await bench.until("After", (rows) => rows.length === 1 && rows[0].price === later[0].price && rows[0].title === later[0].title);
  });
  await step("first no", async () => {
    await button("Refuse").click();
    await bench.said("The repair was refused");
  });
  assert.equal((await bench.api("GET", "sites/default/wrappers")).wrappers.length, 1);
  await step("once more", () => button("Propose a repair").click());
  await step("then yes", async () => {
    await button("Accept as version 2").click();
    await bench.said("books is now at version 2");
  });
  const { pages } = await bench.api("POST", "sites/default/extract", { wrapper: "books" });
  assert.deepEqual(pages.map((one) => { const r = one.found.record ?? one.found.records[0]; return [r.title.value, r.price.value]; }), later.map((b) => [b.title, b.price]));
  await step("check again", async () => {
    await button("Check now").click();
    await bench.said("books is fine");
  });
  await step("undo the repair", async () => {
    await button(/^Undo: repair of books/).click();
    await bench.said("Undone");
  });
  assert.equal((await bench.api("GET", "sites/default/wrappers")).wrappers.length, 1);
});

test("pages that drift are marked in the lists of pages, and the marks go with the repair", async (bench) => {
  await change(bench, 9);
  const rail = bench.page.getByRole("navigation");
  assert.equal(await rail.locator(".drifts").count(), 0);
  await bench.view("Monitor");
  await bench.page.getByRole("button", { name: "Check now" }).click();
  await bench.said("books drifts");
  await rail.locator(".drifts").first().waitFor();
  const marked = async () => (await rail.getByRole("listitem").filter({ has: bench.page.locator(".drifts") }).allInnerTexts()).map((text) => text.split("\n")[0]).sort();
  const changed = Array.from({ length: 9 }, (_, i) => `${i}.html`); // the other three look as they did
  assert.deepEqual(await marked(), changed);
  await bench.page.locator(".evidence summary").first().click();
  assert.equal(await bench.page.locator(".drift-pages li").count(), 9);
  await bench.view("Pages");
  assert.deepEqual((await bench.page.locator("tr", { has: bench.page.locator(".drift-cell") }).locator("td:first-child").allInnerTexts()).sort(), changed);
  assert.match(await bench.page.locator(".drift-cell").first().innerText(), /drifts books: /);
  await bench.view("Monitor");
  await bench.page.getByRole("button", { name: "Propose a repair" }).click();
  await bench.page.getByRole("button", { name: "Accept as version 2" }).click();
  await bench.said("books is now at version 2");
  await bench.page.getByRole("button", { name: "Check now" }).click();
  await bench.page.waitForFunction(() => /books (is fine|drifts|still reads)/.test(document.querySelector(".message").textContent));
  await rail.locator(".drifts", { hasText: "drifts" }).first().waitFor({ state: "detached" }).catch(() => {});
  const runs = (await bench.api("GET", "sites/default/runs")).runs;
  assert.deepEqual(await marked(), runs[0].verdict === "fine" ? [] : (await bench.api("GET", `runs/${runs[0].id}/verdicts`)).verdicts[0].evidence.pages.map((one) => one.page).sort());
});

test("pages that have changed and are still read are told, and nothing is held back", async (bench) => {
  const later = await change(bench, 12, plainerPage, ["author"]);
  await bench.view("Monitor");
  await bench.page.getByRole("button", { name: "Check now" }).click();
  await bench.said("books still reads its pages, which have changed");
  const runs = (await bench.api("GET", "sites/default/runs")).runs;
  assert.deepEqual(runs.map((run) => run.verdict), ["changed", "fine"]);
  // the chart, the table of runs, the fields
  await bench.page.locator(".bar-of.mild").waitFor();
  assert.equal(await bench.page.locator(".bar-of.mild").count(), 1);
  assert.equal(await bench.page.locator(".bar-of.bad, .evidence li.bad, .bad-text").count(), 0);
  assert.match(await bench.page.getByRole("group", { name: /^Chart of runs/ }).getAttribute("aria-label"), /0 runs with an alarm, 1 run with changes/);
  await bench.page.getByRole("heading", { name: `Run ${runs[0].id}: changed` }).waitFor();
  await bench.page.getByText("the records look correct").waitFor();
  const told = bench.page.locator(".evidence li.mild");
  await told.first().waitFor();
  assert.deepEqual(await told.locator("b").allInnerTexts(), ["author"]);
  const { verdicts } = await bench.api("GET", `runs/${runs[0].id}/verdicts`);
  assert.deepEqual(Object.fromEntries(verdicts.map((one) => [one.field ?? "records", one.verdict])), { records: "fine", title: "fine", price: "fine", author: "changed" });
  // the lists of pages
  const rail = bench.page.getByRole("navigation");
  await rail.locator(".drifts", { hasText: "changed" }).first().waitFor();
  assert.equal(await rail.locator(".drifts").count(), 12);
  await bench.view("Pages");
  assert.equal(await bench.page.locator(".drift-cell .mild-text", { hasText: "changed" }).count(), 12);
  assert.match(await bench.page.locator(".drift-cell").first().innerText(), /changed books: author/);
  // what the wrapper gives is what the pages have
  const { pages } = await bench.api("POST", "sites/default/extract", { wrapper: "books" });
  assert.deepEqual(pages.map((one) => { const r = one.found.record ?? one.found.records[0]; return [r.title.value, r.price.value, r.author ?? null]; }), later.map((book) => [book.title, book.price, null]));
  // and the command that stands there says the same and succeeds
  await bench.view("Monitor");
  assert.equal(JSON.parse(await bench.runCommand(" -f json")).verdict, "changed");
});

test("a repair that loses a field says so beside what it gains", async (bench) => {
  const truth = books(12), later = books(12, 50);
  await bench.choose(await bench.write("before", named(truth, detailPage)));
  await bench.said("12 pages added");
  for (const at of [0, 1]) await bench.api("PUT", "sites/default/labels", { page: `${at}.html`, records: [{ title: truth[at].title, author: truth[at].author, price: truth[at].price }] });
  const { wrapper } = await bench.api("POST", "sites/default/learn", {});
  await bench.api("POST", "sites/default/wrappers", { name: "books", wrapper });
  await bench.choose(await bench.write("after", named(later, authorlessPage)));
  await bench.said("12 pages added");
  await bench.view("Monitor");
  await bench.page.getByRole("button", { name: "Check now" }).click();
  await bench.said("books drifts");
  await bench.page.getByRole("button", { name: "Propose a repair" }).click();
  await bench.page.getByRole("heading", { name: "A repair was found that loses 1 field." }).waitFor();
  assert.match(await bench.page.locator(".repair .why").innerText(), /^Lost: author\./);
  assert.match(await bench.page.locator(".repair .gain").innerText(), /^Found again: title and price/);
  const row = (field) => bench.page.locator(".repair tbody tr", { has: bench.page.locator("td:first-child", { hasText: new RegExp(`^${field}$`) }) });
  await bench.until("After", (rows) => rows.length === 1 && rows[0].price === later[0].price && rows[0].author === "");
  assert.equal(await row("author").locator("td").nth(1).innerText(), "lost");
  assert.deepEqual(await row("author").locator("td.number").allInnerTexts().then((cells) => cells.slice(1)), ["0", "0%"]);
  assert.equal(await row("title").locator("td").nth(3).innerText(), "12");
  await bench.page.getByRole("button", { name: "Accept as version 2, without author" }).click();
  await bench.said("books is now at version 2");
  const { pages } = await bench.api("POST", "sites/default/extract", { wrapper: "books" });
  assert.deepEqual(pages.map((one) => (one.found.record ?? one.found.records[0]).title.value), later.map((book) => book.title));
  await bench.page.getByRole("button", { name: /^Undo: repair of books/ }).click();
  await bench.said("Undone");
  assert.equal((await bench.api("GET", "sites/default/wrappers")).wrappers.length, 1);
});

test("a check and a repair are jobs that are watched and cancelled", async (bench) => {
  const COUNT = 300, truth = books(COUNT);
  await bench.write("many", named(truth, detailPage));
  await bench.page.getByLabel("URLs or paths, one per line").fill(`${bench.folder}/many`);
  await bench.page.getByRole("button", { name: "Add", exact: true }).click();
  await bench.said(`${COUNT} pages added`);
  const page = (await bench.api("GET", "sites/default/pages")).pages.find((one) => one.name.endsWith("/0.html"));
  await bench.api("PUT", "sites/default/labels", { page: page.name, records: [{ title: truth[0].title, price: truth[0].price }] });
  const { wrapper } = await bench.api("POST", "sites/default/learn", { pages: [page.id, page.id + 1, page.id + 2] });
  await bench.api("POST", "sites/default/wrappers", { name: "books", wrapper });
  await bench.view("Monitor");
  await bench.page.getByRole("button", { name: "Check now" }).click();
  await bench.said("books is fine");
  const jobs = async () => (await bench.api("GET", "jobs")).jobs.filter((job) => job.kind !== "add").map(({ kind, state, done, total }) => [kind, state, done, total]);
  assert.deepEqual(await jobs(), [["verify", "done", COUNT, COUNT]]);
  const letGo = await bench.block();
  for (const button of ["Check now", "Propose a repair"]) {
    await bench.page.getByRole("button", { name: button }).click();
    await bench.page.locator(".bar").getByRole("button", { name: "Cancel" }).click();
    await bench.said("Cancelled; nothing has changed");
    await bench.view("Pages");
    await bench.view("Monitor");
  }
  letGo();
  assert.deepEqual((await jobs()).map(([kind, state]) => [kind, state]), [["verify", "done"], ["verify", "cancelled"], ["repair", "cancelled"]]);
  assert.equal((await bench.api("GET", "sites/default/runs")).runs.length, 1);
  assert.equal(bench.check().status, 0);
});

test("a repair is cancelled while it looks for the fields, and nothing is changed", async (bench) => {
  const many = (book, n, old) => { const say = books(2200, n * 7).map((one) => old ? `<li><b>${one.author}</b><p>${one.title}, ${one.title} and ${one.author}</p></li>` : `<tr><td>${one.author}<td><q>${one.title}, ${one.title} and ${one.author}</q></tr>`).join(""); return old ? detailPage(book).replace("</main>", `<ul>${say}</ul></main>`) : changedPage(book).replace("</main>", `<table>${say}</table></main>`); };
  const add = async (folder, truth, old) => {
    await bench.view("Pages");
    await bench.choose(await bench.write(folder, Object.fromEntries(truth.map((book, i) => [`${i}.html`, many(book, i, old)]))));
    await bench.said("14 pages added");
  };
  const truth = books(14);
  await add("before", truth, true);
  await bench.api("PUT", "sites/default/labels", { page: "0.html", records: [{ title: truth[0].title, price: truth[0].price }] });
  const { wrapper } = await bench.api("POST", "sites/default/learn", { engine: "stalker" });
  await bench.api("POST", "sites/default/wrappers", { name: "books", wrapper });
  await add("after", books(14, 50), false);
  await bench.view("Monitor");
  const looking = bench.page.getByText("Looking for a repair: 14 of 15");
  const propose = async () => { await bench.page.getByRole("button", { name: "Propose a repair" }).click(); await looking.waitFor(); return Date.now(); };
  let began = await propose();
  await bench.page.getByRole("button", { name: "Refuse" }).waitFor();
  const whole = Date.now() - began;
  await bench.page.getByRole("button", { name: "Refuse" }).click();
  await bench.said("The repair was refused");
  await propose();
  began = Date.now();
  await bench.page.locator(".bar").getByRole("button", { name: "Cancel" }).click();
  await bench.said("Cancelled; nothing has changed");
  const took = Date.now() - began;
  assert.ok(took < whole / 2, `${took} ms to cancel what takes ${whole} ms`);
  const jobs = (await bench.api("GET", "jobs")).jobs.filter((job) => job.kind === "repair");
  assert.deepEqual(jobs.map((job) => job.state), ["done", "cancelled"]);
  assert.deepEqual((await bench.api("GET", "sites/default/wrappers")).wrappers.map((one) => one.version), [1]);
  assert.equal(bench.check().status, 0);
});

const click = (bench, name) => bench.page.getByRole("button", { name }).click();
const repairs = async (bench) => (await bench.api("GET", "jobs")).jobs.filter((job) => job.kind === "repair").length;

test("a proposed repair is there when somebody comes back, for its pages and its wrapper alone", async (bench) => {
  const later = await change(bench), accept = bench.page.getByRole("button", { name: "Accept as version 2" }), old = bench.page.locator(".old-proposal");
  const come = async () => { await bench.view("Pages"); await bench.view("Monitor"); };
  const isGone = async () => { await old.waitFor(); assert.equal(await bench.page.locator(".repair").count(), 0); };
  await bench.view("Monitor");
  await click(bench, "Propose a repair");
  await accept.waitFor();
  await come();
  await bench.until("After", (rows) => rows.length === 1 && rows[0].price === later[0].price);
  await bench.page.reload();
  await bench.view("Monitor");
  await accept.waitFor();
  assert.equal(await repairs(bench), 1);
  // other pages: one more, the same as before, one of them as it is now
  await bench.view("Pages");
  await bench.choose(await bench.write("more", { "more.html": changedPage(books(1, 90)[0]) }));
  await bench.page.getByRole("heading", { name: "Lists on this page" }).waitFor(); // a page alone is opened
  await bench.view("Monitor");
  await isGone();
  await click(bench, /^Undo: 1 page/);
  await accept.waitFor();
  await bench.view("Pages");
  await bench.choose(await bench.write("again", { "3.html": changedPage(books(1, 91)[0]) }));
  await bench.page.getByRole("heading", { name: "Lists on this page" }).waitFor();
  await bench.view("Monitor");
  await isGone();
  // another wrapper, of the same name and version
  await click(bench, "Propose a repair");
  await accept.waitFor();
  const { wrapper } = await bench.api("POST", "sites/default/learn", { labels: [{ page: "0.html", records: [{ title: later[0].title }] }] });
  const held = (await bench.api("GET", "sites/default/wrappers/books/latest")).wrapper;
  await bench.api("DELETE", "sites/default/wrappers/books/1");
  await bench.api("POST", "sites/default/wrappers", { name: "books", wrapper });
  assert.deepEqual((await bench.api("GET", "sites/default/wrappers")).wrappers.map((one) => one.version), [1]);
  await isGone();
  await come();
  await isGone();
  await bench.api("DELETE", "sites/default/wrappers/books/1");
  await bench.api("POST", "sites/default/wrappers", { name: "books", wrapper: held });
  await accept.waitFor();
  // what is refused does not come back
  await click(bench, "Refuse");
  await bench.said("The repair was refused");
  await come();
  await bench.page.locator(".versions tbody td:nth-child(3) div").first().waitFor();
  assert.equal(await bench.page.locator(".repair, .old-proposal").count(), 0);
  assert.equal((await bench.api("GET", "sites/default/wrappers/books/repair")).job, null);
});

test("work on a wrapper is still watched when somebody comes back", async (bench) => {
  await change(bench);
  await bench.view("Monitor");
  const letGo = await bench.block(), cancel = bench.page.locator(".bar").getByRole("button", { name: "Cancel" });
  await click(bench, "Propose a repair");
  await cancel.waitFor();
  for (const again of [() => bench.view("Pages"), () => bench.page.reload()]) {
    await again();
    await bench.view("Monitor");
    await cancel.waitFor();
    assert.match(await bench.page.locator(".life-view .bar [role=status]").innerText(), /^Looking for a repair…/);
    assert.equal(await bench.page.getByRole("button", { name: "Check now" }).isDisabled(), true);
  }
  letGo();
  await bench.page.getByRole("button", { name: "Accept as version 2" }).waitFor(); // nobody asked for it since
  assert.equal(await repairs(bench), 1);
});

test("every version says what it changed, and there is a way back to it", async (bench) => {
  await change(bench);
  await bench.view("Monitor");
  await click(bench, "Propose a repair");
  await click(bench, "Accept as version 2");
  await bench.said("books is now at version 2");
  const told = () => bench.page.locator(".versions tbody tr").evaluateAll((rows) => rows.map((row) => [row.cells[0].textContent, row.cells[2].textContent, row.cells[3].textContent]));
  const until = async (good) => { for (const end = Date.now() + 60_000; !good(await told());) { assert.ok(Date.now() < end, JSON.stringify(await told())); await bench.page.waitForTimeout(50); } };
  await until((rows) => rows.length === 2 && /title: repaired, now such as "[^"]+".*price: repaired/.test(rows[0][1]) && rows[0][2] === "in use" && rows[1][1] === "learnt from pages");
  await bench.page.getByText("This is of version 1. Version 2 has not been checked since").waitFor();
  await bench.page.getByRole("button", { name: "Go back to version 1" }).focus();
  await bench.page.keyboard.press("Enter");
  await bench.said("books is again what version 1 was, as version 3");
  await until((rows) => rows.length === 3 && rows[0][1] === "the same as version 1" && rows[0][2] === "in use");
  const text = async (version) => (await bench.api("GET", `sites/default/wrappers/books/${version}`)).wrapper;
  assert.deepEqual(await text(3), await text(1));
  await click(bench, /^Undo: return of books to version 1/);
  await bench.said("Undone");
  await until((rows) => rows.length === 2);
});

test("a drift is told field by field: what values were, what they are, and what a repair makes of them", async (bench) => {
  const later = await change(bench, 9, pricelessPage);
  await bench.view("Monitor");
  await click(bench, "Check now");
  await bench.said("books drifts");
  const field = (name) => bench.page.locator(".evidence > li", { has: bench.page.locator(`b:text-is("${name}")`) });
  const values = (name, when) => field(name).locator(`dt:text-is("${when}") + dd code`).allInnerTexts();
  await field("price").and(bench.page.locator(".bad")).waitFor();
  const learnt = books(12);
  for (const name of ["title", "price"]) {
    const before = await values(name, "before");
    assert.ok(before.length > 1 && before.every((value) => learnt.some((book) => book[name] === value)), `${name}: ${before}`);
  }
  const said = await values("price", "now");
  assert.ok(said.some((value) => /^(Ask in the shop|Sold out, sorry|Not for sale yet)$/.test(value)), said.join());
  assert.ok((await values("title", "now")).every((value) => [...later, ...learnt].some((book) => book.title === value)));
  assert.match(await bench.page.getByRole("region", { name: "What the check found" }).innerText(), /Not what the extractor was made for: price\./);
  await field("price").locator("summary").click();
  assert.deepEqual((await field("price").locator(".drift-pages button").allInnerTexts()).sort(), Array.from({ length: 9 }, (_, i) => `${i}.html`)); // the other three look as they did
  await bench.page.waitForFunction(() => document.querySelectorAll(".rail .drifts").length === 9);
  // a repair, as a phone shows it: a card a field, nothing beside the screen
  await bench.view("Pages");
  await bench.choose(await bench.write("third", named(later, changedPage)));
  await bench.said("12 pages added");
  await bench.view("Monitor");
  await click(bench, "Propose a repair");
  await bench.page.getByRole("button", { name: "Accept as version 2" }).waitFor();
  await bench.page.setViewportSize({ width: 390, height: 844 });
  const fields = bench.page.locator(".repair > .overview");
  const cells = (name) => fields.locator("tr", { has: bench.page.locator(`td:first-child:text-is("${name}")`) }).locator("td").allInnerTexts();
  await fields.locator("td[data-is='When learnt']", { hasText: learnt[0].price }).waitFor();
  const [, outcome, , , , before, now] = await cells("price");
  assert.deepEqual([outcome, before, now], ["found again", learnt[0].price, later[0].price]);
  for (const scheme of ["light", "dark"]) {
    await bench.page.emulateMedia({ colorScheme: scheme });
    assert.ok((await bench.page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    assert.deepEqual(await fields.evaluate((table) => [...table.querySelectorAll("td")].filter((cell) => cell.getBoundingClientRect().right > innerWidth).map((cell) => cell.textContent)), []);
    assert.equal(await fields.evaluate((table) => table.scrollWidth <= table.clientWidth), true);
  }
});
