// Lists in records, and lists in those, by clicking.
import assert from "node:assert/strict";
import { test } from "./harness.mjs";
import { answeredPage, books, reviewedPage, reviews } from "./pages_of_ours.mjs";

// A field, of a list when one is named; a list that is not there yet is made.
export async function addField(bench, name, list) {
  const what = bench.page.getByLabel("What the field is");
  if (list) {
    const known = await what.locator("option", { hasText: new RegExp(`^in list ${list}$`) }).count();
    await what.selectOption(known ? `in ${list}` : "new");
    if (!known) await bench.page.getByLabel("Name of the new list").fill(list);
  } else {
    await what.selectOption("one");
  }
  await bench.page.getByLabel("Name of a new field").fill(name);
  await bench.page.getByRole("button", { name: "Add field" }).click();
  await bench.page.getByRole("radio", { name: `${list ? `${list}.` : ""}${name}` }).waitFor();
}
// Labels one value and waits until it is stored.
async function label(bench, field, text, nth = 0) {
  await bench.page.getByRole("radio", { name: field }).first().click();
  await bench.clickExactly(text, nth);
  await bench.page.getByRole("button", { name: `Undo: ${field}: ${text.slice(0, 30)}` }).waitFor();
}
const labelsOf = async (bench, page) => (await bench.api("GET", "sites/default/labels")).trim().split("\n").map((line) => JSON.parse(line)).find((line) => line.page === page)?.records;
const plain = (value) => value === null ? null : Array.isArray(value) ? value.map(plain) : typeof value.value === "string" ? value.value : Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
const goTo = async (bench, name) => { await bench.page.getByRole("navigation").getByRole("button", { name }).click(); await bench.page.getByTitle(`The page ${name}`).waitFor(); };

// What the wrapper that was saved gives for all pages.
async function saved(bench, name) {
  await bench.page.getByLabel("Name of the extractor").fill(name);
  await bench.page.getByRole("button", { name: "Save as extractor" }).click();
  await bench.said(`Saved as ${name}`);
  const { pages } = await bench.api("POST", "sites/default/extract", { wrapper: name });
  return pages.map((one) => plain(one.found.record ?? one.found.records[0]));
}

test("a list in the record, by clicking", async (bench) => {
  const truth = books(8).map((book, i) => ({ title: book.title, reviews: reviews(i).map(({ who, text }) => ({ who, text })) }));
  await bench.choose(await bench.write("in", Object.fromEntries(books(8).map((book, i) => [`${i}.html`, reviewedPage(book, reviews(i))]))));
  await bench.said("8 pages added");
  await bench.view("Labels");
  await addField(bench, "title");
  await addField(bench, "who", "reviews");
  await addField(bench, "text", "reviews");
  for (const page of [0, 3]) {
    await goTo(bench, `${page}.html`);
    await label(bench, "title", truth[page].title);
    // the field that is next is chosen by itself, round and round in the list
    await bench.page.getByRole("radio", { name: "reviews.who" }).click();
    for (const { who, text } of truth[page].reviews)
      for (const [field, value] of [["reviews.who", who], ["reviews.text", text]]) {
        assert.equal(await bench.page.locator(".fields [aria-checked=true]").innerText().then((words) => words.startsWith(field)), true, field);
        await bench.clickExactly(value);
        await bench.page.getByRole("button", { name: `Undo: ${field}: ${value.slice(0, 30)}` }).waitFor();
      }
    assert.deepEqual(plain(await labelsOf(bench, `${page}.html`)), [truth[page]]);
  }
  await bench.until("What was found", (rows) => rows.length === 8 && rows.every((row, i) => row.title === truth[i].title && truth[i].reviews.every(({ who, text }) => row.reviews.includes(who) && row.reviews.includes(text))));
  assert.deepEqual(await saved(bench, "books"), truth);
  // the command learns the same
  await bench.runCommand(" -q");
  const { pages } = await bench.api("POST", "sites/default/extract", { wrapper: "books", version: 2 });
  assert.deepEqual(pages.map((one) => plain(one.found.record ?? one.found.records[0])), truth);
});

test("values of a list come in any order, and a click takes one out", async (bench) => {
  const truth = reviews(0);
  await bench.choose(await bench.write("in", { "0.html": reviewedPage(books(1)[0], truth), "1.html": reviewedPage(books(1, 1)[0], reviews(1)) }));
  await bench.said("2 pages added");
  await bench.view("Labels");
  await addField(bench, "who", "reviews");
  await addField(bench, "stars", "reviews");
  await label(bench, "reviews.who", truth[1].who); // the second first
  await label(bench, "reviews.who", truth[0].who);
  await label(bench, "reviews.stars", truth[1].stars);
  await label(bench, "reviews.stars", truth[0].stars);
  const whole = [{ reviews: truth.map(({ who, stars }) => ({ who, stars })) }];
  assert.deepEqual(plain(await labelsOf(bench, "0.html")), whole);
  await bench.page.getByRole("radio", { name: "reviews.stars" }).click();
  await bench.clickExactly(truth[0].stars);
  await bench.page.waitForFunction(() => document.querySelector(".undo").textContent.includes("reviews.stars"));
  for (let i = 0; i < 100 && JSON.stringify(plain(await labelsOf(bench, "0.html"))) === JSON.stringify(whole); i++) await bench.page.waitForTimeout(50);
  assert.deepEqual(plain(await labelsOf(bench, "0.html")), [{ reviews: [{ who: truth[0].who }, whole[0].reviews[1]] }]);
  await bench.page.getByRole("button", { name: /^Undo: reviews.stars/ }).click();
  await bench.said("Undone");
  assert.deepEqual(plain(await labelsOf(bench, "0.html")), whole);
  // a name that is both a list and a field is refused where it is typed
  await bench.page.getByLabel("What the field is").selectOption("one");
  await bench.page.getByLabel("Name of a new field").fill("reviews");
  await bench.page.getByRole("button", { name: "Add field" }).click();
  await bench.page.getByText("A name is that of a list or that of a field, not both.").waitFor();
});

test("a list in a list, by clicking", async (bench) => {
  const answers = (n, i) => Array.from({ length: 1 + ((n + i) % 3) }, (_, k) => ({ by: `${books(1, n * 3 + i + k)[0].author}`, say: `Thanks ${n}${i}${k} for that` }));
  const truth = books(8).map((book, n) => ({ title: book.title, reviews: reviews(n).map((one, i) => ({ who: one.who, answers: answers(n, i) })) }));
  await bench.choose(await bench.write("in", Object.fromEntries(truth.map((book, n) => [`${n}.html`, answeredPage(books(1, n)[0], book.reviews)]))));
  await bench.said("8 pages added");
  await bench.view("Labels");
  await addField(bench, "title");
  await addField(bench, "who", "reviews");
  await addField(bench, "by", "reviews.answers");
  await addField(bench, "say", "reviews.answers");
  for (const page of [0, 2]) {
    await goTo(bench, `${page}.html`);
    await label(bench, "title", truth[page].title);
    for (const review of truth[page].reviews) {
      await label(bench, "reviews.who", review.who);
      for (const answer of review.answers) {
        const nth = truth[page].reviews.flatMap((one) => one.answers).filter((one) => one.by === answer.by).indexOf(answer);
        await label(bench, "reviews.answers.by", answer.by, nth);
        await label(bench, "reviews.answers.say", answer.say);
      }
    }
    assert.deepEqual(plain(await labelsOf(bench, `${page}.html`)), [truth[page]]);
  }
  await bench.until("What was found", (rows) => rows.length === 8 && rows.every((row, i) => row.title === truth[i].title));
  assert.deepEqual(await saved(bench, "deep"), truth);
});
