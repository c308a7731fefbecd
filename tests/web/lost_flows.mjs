// Nothing is lost: quick hands, slow answers, a server that goes and comes back, files that are there already.
import assert from "node:assert/strict";
import { flow, test } from "./harness.mjs";
import { books, detailPage, listPage } from "./pages_of_ours.mjs";

const detailsOf = (truth) => Object.fromEntries(truth.map((book, i) => [`${i}.html`, detailPage(book)]));

// ---- quick hands, slow answers ----

flow("columns are renamed one after the other while answers come late", async (bench, step) => {
  const truth = books(10), names = ["name", "writer", "cost"];
  await bench.choose(await bench.write("in", { "1.html": listPage(truth), "2.html": listPage(books(9, 30)) }));
  await bench.said("2 pages added");
  await step("see the list", () => bench.view("Lists"));
  const rows = await bench.until("Records", (found) => found.length === 10);
  const columns = Object.keys(rows[0]), wanted = ["title", "author", "price"].map((one) => columns.findIndex((name) => rows[0][name] === truth[0][one]));
  // somebody else changes things all the time: each of it makes the window look anew
  const other = (async () => { for (let i = 0; i < 12; i++) { await bench.api("PUT", "sites/default/labels", { page: "2.html", records: [{ other: `${i}` }] }); await bench.page.waitForTimeout(80); } })();
  for (const [i, at] of wanted.entries()) await step(`rename ${columns[at]}`, async () => {
    const input = bench.page.getByLabel(`Name of column ${at + 1}`, { exact: true });
    await input.fill(names[i]);
    await input.press("Tab");
  });
  await other;
  await bench.until("Records", (found) => found.length === 10 && found.every((row, i) => row.name === truth[i].title && row.writer === truth[i].author && row.cost === truth[i].price));
}, { human: true });

flow("values are clicked quicker than they are stored", async (bench, step) => {
  const truth = books(4);
  await bench.choose(await bench.write("in", detailsOf(truth)));
  await bench.said("4 pages added");
  await bench.view("Labels");
  for (const name of ["title", "author", "price"]) await step(`add ${name}`, async () => {
    await bench.page.getByLabel("Name of a new field").fill(name);
    await bench.page.getByRole("button", { name: "Add field" }).click();
    await bench.page.getByRole("radio", { name }).waitFor();
  });
  const slow = await bench.hold("PUT", /labels/);
  await bench.page.getByRole("radio", { name: "title" }).click();
  for (const value of [truth[0].title, truth[0].author, truth[0].price]) await step(`click ${value}`, () => bench.clickExactly(value));
  await slow.letGo();
  await bench.page.getByRole("button", { name: `Undo: price: ${truth[0].price}` }).waitFor();
  const stored = JSON.parse(await bench.api("GET", "sites/default/labels"));
  assert.deepEqual(Object.entries(stored.records[0]).map(([name, spot]) => [name, spot.value]), [["title", truth[0].title], ["author", truth[0].author], ["price", truth[0].price]]);
}, { human: true });

// ---- files that are there already, or are not pages ----

test("a file of the same name is asked about: replaced, kept beside, or left out", async (bench) => {
  const truth = [books(5), books(6), books(7)];
  const pages = async () => Object.fromEntries(await Promise.all((await bench.api("GET", "sites/default/pages")).pages.map(async (one) => [one.name, await bench.api("GET", `pages/${one.id}/bytes`)])));
  const files = (at) => bench.write(`in${at}`, { "a.html": listPage(truth[at]), "b.html": listPage(truth[at].slice(1)), [`only${at}.html`]: listPage(truth[at].slice(2)) });
  const asked = bench.page.getByRole("alertdialog");
  await bench.choose(await files(0));
  await bench.said("3 pages added");
  await bench.choose(await files(0)); // the same again is no question
  await bench.said("0 pages added, 3 there already");
  // one question for both; what is new is added
  await bench.choose(await files(1), null);
  await asked.getByText("2 pages of these names").waitFor();
  assert.match(await asked.innerText(), /a\.html, b\.html/);
  await bench.page.getByRole("button", { name: "Leave out" }).click();
  await bench.said("2 pages left out");
  assert.deepEqual(await pages(), { "a.html": listPage(truth[0]), "b.html": listPage(truth[0].slice(1)), "only0.html": listPage(truth[0].slice(2)), "only1.html": listPage(truth[1].slice(2)) });
  // under another name
  await bench.choose((await files(1)).slice(0, 2), "Keep both");
  await bench.said("2 pages added");
  assert.deepEqual(Object.keys(await pages()).sort(), ["a (2).html", "a.html", "b (2).html", "b.html", "only0.html", "only1.html"]);
  assert.equal((await pages())["a (2).html"], listPage(truth[1]));
  // replaced: the old one is an earlier version, and comes back when it is undone
  await bench.choose((await files(2)).slice(0, 2), "Replace");
  await bench.said("2 pages added");
  assert.equal((await pages())["a.html"], listPage(truth[2]));
  assert.equal((await bench.api("GET", "sites/default/pages?all=1")).pages.filter((one) => one.name === "a.html").length, 2);
  await bench.page.getByRole("button", { name: "Undo: 2 pages added" }).click();
  await bench.said("Undone");
  assert.equal((await pages())["a.html"], listPage(truth[0]));
});

test("files that are not pages are refused by name, the others are added", async (bench) => {
  const list = bench.page.getByRole("region", { name: "Not added" });
  const zeros = Buffer.alloc(2000).map((_, i) => (i * 7919) % 251);
  await bench.choose(await bench.write("in", {
    "list.html": listPage(books(5)), "paper.pdf": "%PDF-1.4 and so on", "empty.html": "", "packed.zip": "PK\x03\x04 and so on", "odd.html": zeros, "words": "Just some words.",
    "style.css": "body { color: red }", "app.js": "alert(1)",
  }));
  await bench.said("1 page added");
  const told = (await list.getByRole("listitem").allInnerTexts()).sort();
  assert.deepEqual(told, ["empty.html: the file is empty", "odd.html: looks like a binary file, not a web page", "packed.zip: looks like a ZIP file, not a web page",
    "paper.pdf: looks like a PDF file, not a web page", "words: no HTML is in it"].sort());
  assert.deepEqual((await bench.api("GET", "sites/default/pages")).pages.map((one) => one.name), ["list.html"]);
  await bench.view("Pages");
  await bench.choose(await bench.write("mended", { "empty.html": listPage(books(3)), "other.html": listPage(books(4)) })); // what is put right is not listed any more
  await bench.said("2 pages added");
  await bench.choose(await bench.write("alone", { "photo.png": Buffer.from("\x89PNG\r\n\x01\x02 and so on", "latin1") }));
  await list.getByText("photo.png: looks like").waitFor();
});

test("each URL that fails is listed with its reason, and can be tried again", async (bench) => {
  const { createServer } = await import("node:http");
  let mended = false;
  const web = createServer((request, answer) => {
    if (request.url === "/robots.txt") answer.writeHead(404).end();
    else if (request.url === "/good" || mended) answer.writeHead(200, { "Content-Type": "text/html" }).end(listPage(books(4)));
    else answer.writeHead(request.url === "/gone" ? 410 : 404, { "Content-Type": "text/html" }).end("no");
  });
  await new Promise((done) => web.listen(0, "127.0.0.1", done));
  const url = (name) => `http://127.0.0.1:${web.address().port}/${name}`, list = bench.page.getByRole("region", { name: "Not added" });
  await bench.page.getByLabel("URLs or paths, one per line").fill([url("good"), url("gone"), url("lost"), "/nowhere/at-all.html"].join("\n"));
  await bench.page.getByRole("button", { name: "Add", exact: true }).click();
  await bench.said("1 page added, 3 could not be read");
  const told = await list.getByRole("listitem").allInnerTexts();
  assert.equal(told.length, 3);
  assert.match(told.find((one) => one.startsWith(url("gone"))), /410/);
  assert.match(told.find((one) => one.startsWith(url("lost"))), /404/);
  assert.match(told.find((one) => one.startsWith("/nowhere/at-all.html")), /No such file/);
  mended = true;
  await list.getByRole("button", { name: `Try again: ${url("gone")}` }).click();
  await bench.said("1 page added");
  await list.getByText(url("gone")).waitFor({ state: "detached" });
  assert.equal(await list.getByRole("listitem").count(), 2);
  await list.getByRole("button", { name: "Try all again" }).click();
  await bench.said("1 page added, 1 could not be read");
  assert.equal(await list.getByRole("listitem").count(), 1);
  await list.getByRole("button", { name: "Hide this list" }).click();
  await list.waitFor({ state: "detached" });
  assert.equal((await bench.api("GET", "sites/default/pages")).pages.length, 3);
  web.close();
});
