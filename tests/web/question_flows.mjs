// Questions of every kind, to "done": several values, lists in the record, and text that may be a new field.
import assert from "node:assert/strict";
import { PATIENCE, test } from "./harness.mjs";
import { addField } from "./nested_flows.mjs";
import { books, detailPage, reviewedPage, reviews } from "./pages_of_ours.mjs";

const plain = (value) => value === null || typeof value === "string" ? value : Array.isArray(value) ? value.map(plain) : typeof value.value === "string" ? value.value : Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
const labelsOf = async (bench) => Object.fromEntries((await bench.api("GET", "sites/default/labels")).trim().split("\n").filter(Boolean).map((line) => JSON.parse(line)).map((line) => [line.page, plain(line.records)]));
const ignoredOf = async (bench) => (await bench.api("GET", "sites/default/ignored")).questions;

// What the labels of the project give on all pages, by the command's own way.
async function learnt(bench, engine) {
  const { wrapper } = await bench.api("POST", "sites/default/learn", engine ? { engine } : {});
  const { pages } = await bench.api("POST", "sites/default/extract", { wrapper });
  return pages.map((one) => plain(one.found.record ?? one.found.records[0]));
}

// Waits for a question that was not there before, or for the end of them.
export async function nextQuestion(bench, before = "") {
  const said = bench.page.locator(".question-head p, .done");
  for (const end = Date.now() + PATIENCE; Date.now() < end;) {
    const [text] = await said.allInnerTexts();
    if (text && text !== before) return text;
    await bench.page.waitForTimeout(50);
  }
  throw new Error(`nothing is asked after "${before}"`);
}

// The first one; until the last label is learnt from there may be none.
export async function firstQuestion(bench) {
  await bench.page.locator(".question").waitFor();
  return nextQuestion(bench);
}

async function begin(bench, pages, values) {
  await bench.choose(await bench.write("in", pages));
  await bench.said(`${Object.keys(pages).length} pages added`);
  await bench.view("Labels");
  for (const [name, value] of Object.entries(values)) {
    await addField(bench, name);
    await bench.clickExactly(value);
    await bench.page.getByRole("button", { name: `Undo: ${name}: ${value.slice(0, 30)}` }).waitFor();
  }
}

// Books by one author or several.
const authorsOf = (i) => Array.from({ length: 1 + (i % 3) }, (_, k) => books(1, i * 3 + k)[0].author);
export const authored = (count = 9) => Object.fromEntries(books(count).map((book, i) => [`${i}.html`, detailPage(book).replace(/by <a href="\/a">.*?<\/a>/, `by ${authorsOf(i).map((one) => `<a href="/a">${one}</a>`).join(", ")}`)]));

// Reviews, some of which have a second name before that of the reader.
export const picked = (count = 9) => Object.fromEntries(books(count).map((book, i) => [`${i}.html`, i % 3 === 1 ? reviewedPage(book, reviews(i)).replace('<li><span class="who">', `<li><span class="who">Editor's pick</span><span class="who">`) : reviewedPage(book, reviews(i))]));
const reviewsOf = (i) => reviews(i).map(({ who, text }) => ({ who, text }));

// Some books have won a prize.
const prize = (book) => `Winner of the ${book.author} prize`;
export const awarded = (count = 9) => Object.fromEntries(books(count).map((book, i) => [`${i}.html`, i % 3 === 1 ? detailPage(book).replace("<table>", `<p class="award">${prize(book)}</p><table>`) : detailPage(book)]));

test("a field may have several values: both answers are lists, and it becomes one", async (bench) => {
  const truth = books(9);
  await begin(bench, authored(), { title: truth[0].title, author: authorsOf(0)[0] });
  let text = await firstQuestion(bench);
  assert.match(text, /Which are the values of author on \d\.html\? several texts where there was one; \d+ questions left/);
  const page = Number(/on (\d)\.html/.exec(text)[1]);
  const shown = await bench.page.locator(".answer").evaluateAll((all) => all.map((one) => [...one.querySelectorAll("li")].map((item) => item.textContent)));
  assert.ok(shown.some((items) => JSON.stringify(items) === JSON.stringify(authorsOf(page))), JSON.stringify(shown));
  assert.equal(await bench.page.locator(".done").count(), 0);
  await bench.page.getByRole("button", { name: "All of these: author has several values" }).first().click();
  text = await nextQuestion(bench, text);
  assert.deepEqual(await labelsOf(bench), { "0.html": [{ title: truth[0].title, author: authorsOf(0) }], [`${page}.html`]: [{ title: truth[page].title, author: authorsOf(page) }] });
  for (let i = 0; i < 8 && !text.startsWith("Done"); i++) {
    const at = Number(/Which are the values of author\[\] on (\d)\.html/.exec(text)[1]);
    const right = bench.page.locator(".answer").filter({ has: bench.page.locator(`li:nth-child(${authorsOf(at).length})`) });
    assert.deepEqual(await right.first().locator("li").allInnerTexts(), authorsOf(at));
    await right.first().getByRole("button", { name: "These are right" }).click();
    text = await nextQuestion(bench, text);
  }
  assert.match(text, /^Done: nothing left to check on all 9 pages/);
  assert.deepEqual(await learnt(bench), truth.map((book, i) => ({ title: book.title, author: authorsOf(i) })));
  // the whole can be undone: the field has one value again
  while (await bench.page.locator(".undo").isEnabled() && Object.keys(await labelsOf(bench)).length > 1) {
    await bench.page.getByRole("button", { name: /^Undo/ }).click();
    await bench.said("Undone");
  }
  assert.deepEqual(await labelsOf(bench), { "0.html": [{ title: truth[0].title, author: authorsOf(0)[0] }] });
  await bench.page.getByRole("radio", { name: "author", exact: false }).waitFor();
  assert.equal(await bench.page.getByRole("radio", { name: "author[]" }).count(), 0);
});

test("values of a list are marked by hand when no answer is right", async (bench) => {
  const truth = books(9);
  await bench.choose(await bench.write("in", authored()));
  await bench.said("9 pages added");
  for (const at of [0, 1]) await bench.api("PUT", "sites/default/labels", { page: `${at}.html`, records: [{ title: truth[at].title, author: authorsOf(at) }] });
  await bench.view("Labels");
  const text = await firstQuestion(bench);
  const page = Number(/Which are the values of author\[\] on (\d)\.html\? more values than ever/.exec(text)[1]);
  await bench.page.getByRole("button", { name: /^None of these is right: let me mark them/ }).click();
  await bench.page.getByText(/^Click values of author\[\] that record 1 lacks/).waitFor();
  await bench.page.getByTitle(`The page ${page}.html`).waitFor();
  await bench.clickExactly(authorsOf(page)[2]); // it is none: taken out
  await bench.page.getByRole("button", { name: `Undo: author[]: ${authorsOf(page)[2]}` }).waitFor();
  assert.deepEqual((await labelsOf(bench))[`${page}.html`], [{ title: truth[page].title, author: authorsOf(page).slice(0, 2) }]);
  await bench.clickExactly(authorsOf(page)[2]); // and put in again
  for (const end = Date.now() + PATIENCE; (await labelsOf(bench))[`${page}.html`][0].author.length < 3 && Date.now() < end;) await bench.page.waitForTimeout(50);
  assert.deepEqual((await labelsOf(bench))[`${page}.html`], [{ title: truth[page].title, author: authorsOf(page) }]);
  await bench.page.getByRole("button", { name: "All are right now" }).click();
  const next = await nextQuestion(bench, text);
  assert.ok(!next.includes(`on ${page}.html`), next); // what is labelled is answered
});

test("a list in the record is asked as a whole, as small tables", async (bench) => {
  const truth = books(9);
  await bench.choose(await bench.write("in", picked()));
  await bench.said("9 pages added");
  await bench.api("PUT", "sites/default/labels", { page: "0.html", records: [{ title: truth[0].title, reviews: reviewsOf(0) }] });
  await bench.view("Labels");
  const asked = [];
  let text = await firstQuestion(bench);
  for (; asked.length < 6 && !text.startsWith("Done"); text = await nextQuestion(bench, text)) {
    const page = Number(/Which are the values of reviews on (\d)\.html/.exec(text)[1]);
    asked.push(page);
    const tables = await bench.page.locator(".answer").evaluateAll((all) => all.map((one) => [...one.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent))));
    const at = tables.findIndex((rows) => JSON.stringify(rows) === JSON.stringify(reviewsOf(page).map(({ who, text: said }) => [who, said])));
    assert.ok(at >= 0, JSON.stringify(tables));
    assert.ok(tables.length > 1 && tables[1 - at][0][0] === "Editor's pick");
    assert.deepEqual(await bench.page.locator(".answer").nth(at).locator("thead th").allInnerTexts(), ["who", "text"]);
    assert.deepEqual(await bench.page.locator(".answer").nth(at).locator(".differs").allInnerTexts(), [reviewsOf(page)[0].who]); // what they differ in
    await bench.page.locator(".answer").nth(at).getByRole("button", { name: "These are right" }).click();
    await bench.page.waitForFunction((of) => document.querySelector(".undo").textContent.includes("reviews: ") && of, page);
  }
  assert.ok(text.startsWith("Done"), text);
  assert.ok(asked.length >= 1 && asked.every((page) => page % 3 === 1), String(asked));
  const labels = await labelsOf(bench);
  for (const page of asked) assert.deepEqual(labels[`${page}.html`], [{ title: truth[page].title, reviews: reviewsOf(page) }]);
  assert.deepEqual(await learnt(bench), truth.map((book, i) => ({ title: book.title, reviews: reviewsOf(i) })));
});

test("text that no labelled page has becomes a new field", async (bench) => {
  const truth = books(9);
  await begin(bench, awarded(), { title: truth[0].title, price: truth[0].price });
  const text = await firstQuestion(bench);
  assert.match(text, /^Is this data\? “?"?Winner of the .* prize/);
  assert.match(text, /on 1\.html and 2 pages more text where no labelled page has any; 1 question left/);
  // it is shown where it stands
  await bench.page.getByRole("button", { name: "Show it on the page" }).click();
  await bench.page.getByTitle("The page 1.html").waitFor();
  await bench.marks((all) => all.some((mark) => mark.kind === "asked" && mark.text.includes(prize(truth[1]))));
  // a name that is taken, or none, is refused where it is typed
  await bench.page.getByRole("button", { name: "This text is its value" }).click();
  await bench.page.getByText("A name is missing.").waitFor();
  await bench.page.getByLabel("A new field:").fill("price");
  await bench.page.getByRole("button", { name: "This text is its value" }).click();
  await bench.page.getByText("There is a field price already.").waitFor();
  await bench.page.getByLabel("A new field:").fill("award");
  await bench.page.keyboard.press("Enter");
  await bench.page.getByRole("button", { name: "Undo: award: Winner" }).waitFor();
  assert.deepEqual((await labelsOf(bench))["1.html"], [{ title: truth[1].title, price: truth[1].price, award: prize(truth[1]) }]);
  assert.match(await nextQuestion(bench, text), /^Done/);
  await bench.until("What was found", (rows) => rows.length === 9 && rows.every((row, i) => row.award === (i % 3 === 1 ? prize(truth[i]) : "") && row.price === truth[i].price));
  assert.deepEqual((await learnt(bench)).map((one) => one.award ?? null), truth.map((book, i) => (i % 3 === 1 ? prize(book) : null)));
  await bench.page.getByRole("button", { name: "Undo: award: Winner" }).click();
  await bench.said("Undone");
  assert.deepEqual(Object.keys(await labelsOf(bench)), ["0.html"]);
  await firstQuestion(bench); // it is asked again
  assert.equal(await bench.page.getByRole("radio", { name: "award" }).count(), 0);
});

test("text that is no data is not asked about again, in this window or the next", async (bench) => {
  const truth = books(9);
  await begin(bench, awarded(), { title: truth[0].title, price: truth[0].price });
  const text = await firstQuestion(bench);
  await bench.page.getByRole("button", { name: "Not data: do not ask again" }).click();
  assert.match(await nextQuestion(bench, text), /^Done/);
  assert.equal((await ignoredOf(bench)).length, 1);
  assert.match((await ignoredOf(bench))[0], /p\.award/);
  assert.deepEqual(Object.keys(await labelsOf(bench)), ["0.html"]); // nothing is labelled by it
  await bench.page.reload();
  await bench.page.waitForSelector("main");
  await bench.view("Labels");
  assert.match(await nextQuestion(bench), /^Done/);
  // it is a change like others: in another window it can be undone, and is asked again
  await bench.api("PUT", "sites/default/ignored", { questions: await ignoredOf(bench), ignore: false });
  assert.match(await nextQuestion(bench, "Done"), /Is this data|^Done/);
  await bench.page.locator(".question", { hasText: "Is this data?" }).waitFor();
  await bench.page.getByRole("button", { name: "Not data: do not ask again" }).click();
  await bench.page.locator(".done").waitFor();
  await bench.page.getByRole("button", { name: "Undo: 1 question set aside" }).click();
  await bench.page.locator(".question", { hasText: "Is this data?" }).waitFor();
  assert.deepEqual(await ignoredOf(bench), []);
});

test("text that no labelled page has is a part of a field, or the whole of it", async (bench) => {
  const truth = books(9), sub = (i) => `A tale of ${truth[i].author}`;
  const pages = Object.fromEntries(truth.map((book, i) => [`${i}.html`, i % 3 === 1 ? detailPage(book).replace("</h1>", `</h1><h2 class="sub">${sub(i)}</h2>`) : detailPage(book)]));
  await begin(bench, pages, { title: truth[0].title, price: truth[0].price });
  await firstQuestion(bench);
  const choose = bench.page.getByLabel("Or it is");
  const options = await choose.locator("option").allInnerTexts();
  assert.deepEqual(options, [`a part of title, with “${truth[1].title}”`, `the value of title, instead of “${truth[1].title}”`, `a part of price, with “${truth[1].price}”`, `the value of price, instead of “${truth[1].price}”`]);
  await choose.selectOption({ label: options[0] });
  await bench.page.getByRole("button", { name: "Yes, it is" }).click();
  await bench.page.getByRole("button", { name: "Undo: title: A tale" }).waitFor();
  const line = (await bench.api("GET", "sites/default/labels")).trim().split("\n").map((one) => JSON.parse(one)).find((one) => one.page === "1.html");
  const { start, end } = line.records[0].title;
  assert.equal(pages["1.html"].slice(start, end), `${truth[1].title}</h1><h2 class="sub">${sub(1)}`);
  assert.equal(line.records[0].price.value, truth[1].price);
  // a title of two elements is read whole elsewhere too; two labels leave doubts, and these are asked
  await bench.until("What was found", (rows) => rows.length === 9 && rows[4].title === `${truth[4].title} ${sub(4)}` && rows[5].title === truth[5].title);
  await bench.page.locator(".question", { hasText: "Which one is title" }).waitFor();
  assert.equal(await bench.page.locator(".done").count(), 0);
});

test("questions are answered by the keyboard alone", async (bench) => {
  const truth = books(9);
  await begin(bench, authored(), { title: truth[0].title, author: authorsOf(0)[0] });
  const text = await firstQuestion(bench);
  const page = Number(/on (\d)\.html/.exec(text)[1]);
  await bench.page.getByRole("button", { name: "Show it on the page" }).focus();
  const names = [];
  for (let i = 0; i < 12 && !/All of these/.test(names.at(-1) ?? ""); i++) {
    await bench.page.keyboard.press("Tab");
    names.push(await bench.page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent));
  }
  assert.match(names.at(-1), /All of these/, names.join(" / "));
  await bench.page.keyboard.press("Enter");
  await nextQuestion(bench, text);
  assert.deepEqual((await labelsOf(bench))[`${page}.html`][0].author, authorsOf(page));
  // the next question has the focus, and its answers come next
  await bench.page.waitForFunction(() => document.activeElement?.closest(".question, .done"));
});

test("beside an engine with one view another is asked", async (bench) => {
  const truth = books(9);
  await begin(bench, awarded(), { title: truth[0].title, price: truth[0].price });
  await bench.page.getByLabel("Engine").selectOption("softmealy");
  await bench.page.getByText("Learnt with softmealy").waitFor();
  await bench.page.locator(".question", { hasText: "Winner of the" }).waitFor();
});
