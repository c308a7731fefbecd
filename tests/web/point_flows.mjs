// Point once, get all: one click on a value gives the list that it is in, a second makes it exact, corrections hold, and
// fields are links, attributes, parts of texts, renamed, joined and typed.
import assert from "node:assert/strict";
import { flow, PATIENCE, test } from "./harness.mjs";
import { books, detailPage, listPage, reviewedPage, reviews } from "./pages_of_ours.mjs";

const lines = async (bench) => (await bench.api("GET", "sites/default/labels")).trim().split("\n").filter(Boolean).map((line) => JSON.parse(line));
const begin = async (bench, step, pages) => {
  const paths = await bench.write("in", pages);
  await step("choose the files", () => bench.choose(paths));
  await step("open Labels", async () => {
    await bench.page.getByRole("navigation").getByRole("button", { name: Object.keys(pages).at(-1) }).waitFor();
    await bench.view("Labels");
    await goTo(bench, Object.keys(pages)[0]);
  });
};
const goTo = async (bench, name) => {
  await bench.page.getByRole("navigation").getByRole("button", { name }).click();
  await bench.page.getByTitle(`The page ${name}`).waitFor();
};
const offered = (bench) => bench.page.getByRole("dialog", { name: "Take this value" });
// Clicks a value and takes what is offered by that name.
async function take(bench, text, button, name) {
  await bench.clickExactly(text);
  const dialog = offered(bench);
  if (name) await dialog.getByLabel("Name of the field").fill(name);
  await dialog.getByRole("button", { name: button, exact: true }).click();
}
async function menu(bench, column) {
  await bench.page.getByRole("button", { name: `Change ${column}`, exact: true }).click();
  return bench.page.getByRole("dialog", { name: `Change ${column}` });
}
// In the frame nothing can wait: what is done there is done from outside.
async function boxIn(bench, selector) {
  await bench.page.locator(".frame-box[aria-busy=false]").waitFor();
  return bench.page.evaluate((wanted) => {
    const frame = document.querySelector(".frame-box iframe"), element = frame.contentDocument.querySelector(wanted);
    element.scrollIntoView({ block: "center" });
    const box = element.getBoundingClientRect(), outer = frame.getBoundingClientRect(), zoom = outer.width / frame.offsetWidth;
    return { x: outer.left + (box.left + box.width / 2) * zoom, y: outer.top + (box.top + box.height / 2) * zoom };
  }, selector);
}
// Selects the text of the first such element from a letter on, as a mouse does.
async function selectFrom(bench, selector, letter) {
  await bench.page.locator(".frame-box[aria-busy=false]").waitFor();
  await bench.page.evaluate(({ wanted, from }) => {
    const root = document.querySelector(".frame-box iframe").contentDocument, texts = root.createTreeWalker(root.querySelector(wanted), NodeFilter.SHOW_TEXT), text = texts.nextNode();
    root.getSelection().setBaseAndExtent(text, from, text, text.data.length);
    text.parentElement.dispatchEvent(new MouseEvent("mouseup", { bubbles: true }));
  }, { wanted: selector, from: letter });
}
const done = (bench) => bench.page.locator(".done").waitFor();
const found = (bench, good) => bench.until("What was found", good);
const isList = (truth, ...names) => (rows) => rows.length >= Math.min(truth.length, 12) && rows.every((row, i) => names.every((name) => row[name] === truth[i][name]) && Object.keys(row).length === names.length);

flow("list by one click", async (bench, step) => {
  const truth = [books(12), books(9, 40)];
  await begin(bench, step, { "1.html": listPage(truth[0]), "2.html": listPage(truth[1]) });
  await step("a list is preselected", () => bench.page.waitForFunction(() => [...document.querySelectorAll("input[name=many]")].at(-1)?.checked));
  await step("click a title, take all", () => take(bench, truth[0][1].title, "All 12 like this"));
  await step("the records of both pages", () => found(bench, isList(truth.flat(), "title")));
  await step("click a price, take all", () => take(bench, truth[0][2].price, "All 12 like this"));
  await step("click an author, name it", () => take(bench, truth[0][0].author, "All 12 like this", "writer"));
  await step("all columns", () => found(bench, isList(truth.flat().map((b) => ({ ...b, writer: b.author })), "title", "price", "writer")));
  await step("it is done", () => done(bench));
  await step("save it", async () => {
    await bench.page.getByLabel("Name of the extractor").fill("books");
    await bench.page.getByRole("button", { name: "Save as extractor" }).click();
    await bench.page.getByText("Saved as books").first().waitFor();
  });
  const { pages } = await bench.api("POST", "sites/default/extract", { wrapper: "books" });
  assert.deepEqual(pages.map((one) => one.found.records.map((row) => [row.title.value, row.price.value, row.writer.value])), truth.map((all) => all.map((b) => [b.title, b.price, b.author])));
  const [line] = await lines(bench);
  assert.equal(line.records.length, 12);
  assert.deepEqual(Object.keys(line.records[5]), ["title", "price", "writer"]);
}, { human: true });

// Advertisements between the books, in the same elements but for a class.
const withAds = (items, ads) => {
  const [head, ...rest] = listPage(items).split("</li>\n"), all = [head, ...rest];
  const ad = (b) => `<li class="ad"><h3><a href="/ad">${b.title}</a></h3><p class="by">${b.author}</p><span class="price">${b.price}</span>`;
  return all.flatMap((item, i) => (i % 4 === 3 && ads[(i - 3) / 4] ? [item, ad(ads[(i - 3) / 4])] : [item])).join("</li>\n");
};

flow("list by two clicks", async (bench, step) => {
  const truth = books(12), ads = books(2, 70), second = books(8, 30);
  await begin(bench, step, { "1.html": withAds(truth, ads), "2.html": withAds(second, books(1, 90)) });
  await step("one click gives too many", async () => {
    await bench.clickExactly(truth[0].title);
    await offered(bench).getByRole("button", { name: "All 14 like this" }).waitFor();
  });
  await step("a second one, of what does not belong, makes it exact", async () => {
    await bench.clickExactly(ads[1].title);
    await offered(bench).getByRole("button", { name: "All 12 like this" }).click();
  });
  await step("the books alone, on the other page too", () => found(bench, isList([...truth, ...second], "title")));
  await step("a column more", () => take(bench, truth[1].price, "All 12 like this"));
  await step("of the books alone", () => found(bench, isList([...truth, ...second], "title", "price")));
  await step("it is done", () => done(bench));
  const [line] = await lines(bench);
  assert.equal(line.records.length, 12);
  assert.ok(line.nothing.length >= 2, JSON.stringify(line.nothing));
  await step("undo the column", async () => {
    await bench.page.getByRole("button", { name: /^Undo: price/ }).click();
    await found(bench, isList([...truth, ...second], "title"));
  });
  assert.deepEqual(Object.keys((await lines(bench))[0].records[0]), ["title"]);
}, { human: true });

// Too few: a book that is shown in other elements belongs, too.
test("a list is widened by a value that was not counted", async (bench) => {
  const truth = books(9), html = listPage(truth.slice(1)).replace("<h1>", `<div class="today"><h2><a href="/t">${truth[0].title}</a></h2><b>${truth[0].price}</b></div><h1>`);
  await begin(bench, (_, act) => act(), { "1.html": html });
  await bench.clickExactly(truth[3].title);
  await offered(bench).getByRole("button", { name: "All 8 like this" }).waitFor();
  await bench.clickExactly(truth[0].title);
  await offered(bench).getByRole("button", { name: "All 9 like this" }).click();
  await found(bench, isList(truth, "title"));
});

// A shop with old prices, whose captions do not tell them from ours.
const doubtful = () => books(8).map((book, i) => ({ ...book, old: i % 3 === 1 ? `${60 + i}.00 EUR` : "", club: i % 3 === 2 ? `${5 + i}.10 EUR` : "" }));
const vague = (book) => detailPage(book).replace(/(Old|Our) price/g, "EUR").replace("For members", "Card");

flow("detail pages by labels, with a correction that holds", async (bench, step) => {
  const truth = doubtful();
  await begin(bench, step, Object.fromEntries(truth.map((book, i) => [`${i}.html`, vague(book)])));
  assert.equal(await bench.page.getByLabel("a list of records").isChecked(), false);
  await step("a title", () => take(bench, truth[0].title, "Only this one", "title"));
  await step("a price", () => take(bench, truth[0].price, "Only this one", "price"));
  await step("all pages fill in", () => found(bench, (rows) => rows.length === 8 && rows.every((row, i) => row.title === truth[i].title)));
  // page 1 has an old price before ours: what is wrong there is put right, whatever was found
  await step("go to a page with two prices", () => goTo(bench, "1.html"));
  await step("correct the price", async () => {
    const [row] = (await bench.rows("What was found")).slice(1, 2);
    await bench.page.getByRole("region", { name: "What was found" }).locator("tbody tr").nth(1).getByRole("button", { name: `price: ${row.price || "nothing"}. Correct it` }).click();
    await bench.page.getByText("Click the right value of price for record 1").waitFor();
    await bench.clickExactly(truth[1].price);
  });
  await step("it is right", () => found(bench, (rows) => rows.length === 8 && rows[1].price === truth[1].price));
  // labels of other pages do not bring the wrong value back
  for (const at of [2, 4]) {
    await step(`go to page ${at}`, () => goTo(bench, `${at}.html`));
    await step(`label page ${at}`, async () => {
      await bench.page.getByRole("radio", { name: "price" }).click();
      await bench.clickExactly(truth[at].price);
      await bench.page.getByRole("button", { name: `Undo: price: ${truth[at].price}` }).waitFor();
    });
    const rows = await found(bench, (all) => all.length === 8 && all[at].price === truth[at].price && all[1].price === truth[1].price);
    assert.equal(rows[1].title, truth[1].title);
  }
  const all = await lines(bench);
  assert.equal(all.find((line) => line.page === "1.html").records[0].price.value, truth[1].price);
}, { human: true });

// Articles with a link, a picture, a date and a number in attributes.
const articles = Array.from({ length: 6 }, (_, i) => ({ ...books(1, i)[0], link: `/a/${i}`, image: `/img/${i}.png`, date: `2026-0${i + 1}-15`, sku: `SKU-${100 + i}`, said: `${i + 1} days ago` }));
const articlePage = (all) => `<!doctype html><html><head><title>News</title></head><body><h1>News</h1><div class="news">${all.map((a) =>
  `<article data-sku="${a.sku}"><a href="${a.link}"><h2>${a.title}</h2></a><img src="${a.image}" alt="Photo of ${a.title}" width="20" height="20"><time datetime="${a.date}">${a.said}</time><p>by ${a.author}</p></article>`).join("\n")}</div></body></html>`;

flow("link and attribute fields", async (bench, step) => {
  await begin(bench, step, { "news.html": articlePage(articles) });
  const kind = (column, label) => step(`${column} is ${label}`, async () => (await menu(bench, column)).getByLabel("Take").selectOption({ label }));
  await step("the titles", () => take(bench, articles[0].title, "All 6 like this", "link"));
  await step("the dates", () => take(bench, articles[1].said, "All 6 like this", "date"));
  await step("the records", () => found(bench, (rows) => rows.length === 6 && rows[5].date === articles[5].said));
  await kind("link", "the link");
  await step("links", () => found(bench, (rows) => rows.length === 6 && rows.every((row, i) => row.link === articles[i].link)));
  await kind("date", "datetime of <time>");
  await step("dates", () => found(bench, (rows) => rows.length === 6 && rows.every((row, i) => row.date === articles[i].date)));
  await step("the authors", () => take(bench, `by ${articles[2].author}`, "All 6 like this", "sku"));
  await kind("sku", "data-sku of <article>");
  await step("numbers", () => found(bench, (rows) => rows.length === 6 && rows.every((row, i) => row.sku === articles[i].sku)));
  await step("the pictures", async () => {
    const at = await boxIn(bench, "img");
    await bench.page.mouse.click(at.x, at.y);
    await offered(bench).getByLabel("Name of the field").fill("image");
    await offered(bench).getByRole("button", { name: "All 6 like this", exact: true }).click();
  });
  const rows = await step("all of them", () => found(bench, (all) => all.length === 6 && all[0].image));
  assert.deepEqual(rows, articles.map(({ link, date, sku, image }) => ({ link, date, sku, image })));
  await kind("link", "its text");
  await step("and back", () => found(bench, (all) => all.every((row, i) => row.link === articles[i].title)));
});

flow("fields are renamed, moved, joined, typed, cut and deleted", async (bench, step) => {
  const truth = books(10), html = listPage(truth).replace(/<span class="price">/g, '<span class="price">Now: ');
  await begin(bench, step, { "1.html": html });
  await step("titles", () => take(bench, truth[0].title, "All 10 like this"));
  await step("prices", () => take(bench, `Now: ${truth[0].price}`, "All 10 like this", "cost"));
  await step("authors", () => take(bench, truth[0].author, "All 10 like this", "author"));
  await step("three columns", () => found(bench, (rows) => rows.length === 10 && rows[0].author));
  await step("rename", async () => {
    const open = await menu(bench, "cost");
    await open.getByLabel("Name").fill("price");
    await open.getByRole("button", { name: "Rename" }).click();
  });
  await step("it has the name", () => found(bench, (rows) => rows.length === 10 && rows.every((row, i) => row.price === `Now: ${truth[i].price}` && !("cost" in row))));
  await step("a part of the text: drag over it", async () => {
    await selectFrom(bench, ".price", 5);
    await bench.page.getByRole("button", { name: "Only this part, in all values of price" }).click();
  });
  await step("the part alone", () => found(bench, (rows) => rows.length === 10 && rows.every((row, i) => row.price === truth[i].price)));
  await step("move", async () => { const open = await menu(bench, "price"); await open.getByRole("button", { name: "← Move before" }).click(); await open.getByRole("button", { name: "Close" }).click(); });
  await step("it is first", () => found(bench, (rows) => Object.keys(rows[0] ?? {}).join() === "price,title,author"));
  await step("join", async () => {
    const open = await menu(bench, "title");
    await open.getByLabel("Join with").selectOption("author");
    await open.getByLabel("between them").selectOption(", ");
    await open.getByRole("button", { name: "Join", exact: true }).click();
  });
  await step("two columns", () => found(bench, (rows) => rows.length === 10 && rows.every((row, i) => Object.keys(row).join() === "price,title" && row.title === `${truth[i].title}, ${truth[i].author}`)));
  await step("type", async () => (await menu(bench, "price")).getByLabel("Type").selectOption({ label: "price" }));
  await step("save it", async () => {
    await bench.page.getByRole("button", { name: "Undo: price: price" }).waitFor();
    await bench.page.getByLabel("Name of the extractor").fill("books");
    await bench.page.getByRole("button", { name: "Save as extractor" }).click();
    await bench.page.getByText("Saved as books").first().waitFor();
  });
  const { wrapper } = await bench.api("GET", "sites/default/wrappers/books/latest");
  assert.deepEqual(wrapper.select.filter((one) => !one.rest).map((one) => [one.name, one.type, one.join]), [["price", "price", undefined], ["title", undefined, ", "]]);
  const { pages } = await bench.api("POST", "sites/default/extract", { wrapper: "books" });
  assert.deepEqual(pages[0].found.records.map((row) => [row.price.value, row.title.value]), truth.map((b) => [b.price, `${b.title}, ${b.author}`]));
  await step("separate again, and delete", async () => {
    await (await menu(bench, "title")).getByRole("button", { name: "Separate again" }).click();
    await found(bench, (rows) => rows[0]?.author);
    await (await menu(bench, "author")).getByRole("button", { name: "Delete the field" }).click();
  });
  await step("it is gone", () => found(bench, (rows) => rows.length === 10 && Object.keys(rows[0]).join() === "price,title" && rows.every((row, i) => row.title === truth[i].title)));
  await step("and undone", async () => {
    await bench.page.getByRole("button", { name: "Undo: field author deleted" }).click();
    await found(bench, (rows) => Object.keys(rows[0] ?? {}).join() === "price,title,author");
  });
});

test("a list is preselected on list pages and one record on detail pages", async (bench) => {
  const sets = { lists: [listPage(books(9)), listPage(books(7, 20))], one: [listPage(books(5))], details: books(4).map(detailPage), reviewed: books(4).map((b, i) => reviewedPage(b, reviews(i))), single: [detailPage(books(1)[0])] };
  const list = { lists: true, one: true, details: false, reviewed: false, single: false };
  for (const [site, pages] of Object.entries(sets)) for (const [i, html] of pages.entries())
    await fetch(`${bench.origin}/api/v1/sites/${site}/pages?name=${i}.html`, { method: "POST", headers: { Authorization: "Bearer a-token-for-tests-only" }, body: html });
  await bench.page.reload();
  await bench.view("Labels");
  for (const site of Object.keys(sets)) {
    await bench.page.locator(".sites select").selectOption(site);
    await bench.page.getByTitle("The page 0.html").waitFor();
    const want = list[site];
    await bench.page.waitForFunction((is) => [...document.querySelectorAll("input[name=many]")].at(-1)?.checked === is, want);
    if (!want) { await bench.page.waitForTimeout(400); assert.equal(await bench.page.getByLabel("a list of records").isChecked(), false, site); }
  }
});

test("Done is there only when every label is reproduced", async (bench) => {
  const truth = books(5);
  await begin(bench, (_, act) => act(), Object.fromEntries(truth.map((book, i) => [`${i}.html`, detailPage(book)])));
  const put = (at, price) => bench.api("PUT", "sites/default/labels", { page: `${at}.html`, records: [{ title: truth[at].title, price }] });
  await put(0, truth[0].price);
  await put(1, truth[1].price);
  await done(bench);
  // a label that no rule gives: it is told, the table shows it, and it can be dropped for what is read
  await put(2, "Sent");
  const panel = bench.page.getByRole("region", { name: "Labels that the extractor does not give" });
  await panel.waitFor();
  assert.equal(await bench.page.locator(".done").count(), 0);
  assert.match(await panel.innerText(), /price of record 1 on 2\.html: your label is “Sent”, the extractor reads/);
  await found(bench, (rows) => rows.length === 5 && rows[2].price === "Sent");
  await panel.getByRole("button", { name: "It is right as the extractor reads it" }).click();
  await done(bench);
  await found(bench, (rows) => rows.length === 5 && rows.every((row, i) => row.price === truth[i].price));
  // a field without a value
  await bench.page.getByLabel("Name of a new field").fill("author");
  await bench.page.getByRole("button", { name: "Add field" }).click();
  await bench.page.getByText("No value yet: author").waitFor();
  assert.equal(await bench.page.locator(".done").count(), 0);
});

flow("columns of a list are changed where they are", async (bench, step) => {
  const [path] = await bench.write("in", { "news.html": articlePage(articles) });
  await step("choose the file", () => bench.choose([path]));
  await step("the list", async () => { await bench.view("Lists"); await bench.until("Records", (rows) => rows.length === 6); });
  const menuOf = async (text) => { await bench.clickExactly(text); return bench.page.getByRole("dialog", { name: /^Change / }); };
  const rename = async (open, name) => { await open.getByLabel("Name").fill(name); await open.getByRole("button", { name: "Rename" }).click(); };
  await step("click a value, name its column", async () => rename(await menuOf(articles[0].title), "title"));
  await step("click a date", async () => rename(await menuOf(articles[1].said), "posted"));
  await step("take what is behind it", async () => (await menuOf(articles[1].said)).getByLabel("Take").selectOption({ label: "datetime of <time>" }));
  await step("dates", () => bench.until("Records", (rows) => rows.length === 6 && rows.every((row, i) => row.posted === articles[i].date && row.title === articles[i].title)));
  await step("save it", async () => {
    await bench.page.getByLabel("Name of the extractor").fill("news");
    await bench.page.getByRole("button", { name: "Save as extractor" }).click();
    await bench.page.getByText("Saved as news").first().waitFor();
  });
  const { pages } = await bench.api("POST", "sites/default/extract", { wrapper: "news" });
  assert.deepEqual(pages[0].found.records.map((row) => [row.title.value, row.posted.value]), articles.map((one) => [one.title, one.date]));
  await step("undo all but the names", async () => {
    await bench.page.getByRole("button", { name: /^Undo/ }).click();
    await bench.page.getByRole("button", { name: "Undo: posted: datetime of <time>" }).click();
    await bench.until("Records", (rows) => rows.every((row, i) => row.posted === articles[i].said));
  });
});

test("the record below the pointer is outlined, and one that does not belong stays out", async (bench) => {
  const truth = books(12), ads = books(2, 70);
  await begin(bench, (_, act) => act(), { "1.html": withAds(truth, ads) });
  const drawn = (kind) => bench.page.evaluate((wanted) => (document.querySelector(".frame-box").drawnMarks?.() ?? []).filter((one) => one.kind === wanted).length, kind);
  const at = await boxIn(bench, ".price");
  await bench.page.mouse.move(at.x, at.y);
  for (const end = Date.now() + PATIENCE; !((await drawn("record")) && (await drawn("hint")) > 1);) { assert.ok(Date.now() < end, "nothing is outlined"); await bench.page.waitForTimeout(50); }
  await take(bench, truth[0].title, "All 14 like this");
  await found(bench, (rows) => rows.length === 14);
  await bench.clickExactly(ads[0].title);
  await bench.page.getByRole("dialog", { name: "Correct this value" }).getByRole("button", { name: "Not this, nor the 1 that is built like it" }).click();
  await found(bench, isList(truth, "title"));
  await take(bench, truth[3].price, "All 12 like this"); // a later label does not bring them back
  await found(bench, isList(truth, "title", "price"));
  await done(bench);
});

test("values of a record that are clicked one after the other are all taken", async (bench) => {
  const truth = books(9);
  await begin(bench, (_, act) => act(), { "1.html": listPage(truth) });
  await bench.page.waitForFunction(() => [...document.querySelectorAll("input[name=many]")].at(-1)?.checked);
  await bench.clickExactly(truth[7].title);
  await bench.clickExactly(truth[7].price); // takes the titles
  await bench.clickExactly(truth[7].author); // and the prices
  const dialog = offered(bench);
  await bench.page.waitForFunction(() => document.querySelector(".offer input")?.value === "by");
  await dialog.getByRole("button", { name: "All 9 like this", exact: true }).click();
  await found(bench, (rows) => rows.length === 9 && rows.every((row, i) => row.title === truth[i].title && row.price === truth[i].price && row.by === truth[i].author));
  assert.equal((await lines(bench))[0].records.length, 9);
});
