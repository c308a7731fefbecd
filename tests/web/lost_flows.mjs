// Nothing is lost: quick hands, slow answers, a server that goes and comes back, files that are there already.
import assert from "node:assert/strict";
import { violations } from "./accessibility.mjs";
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
  // somebody else changes things all the time: each of it makes the window look anew; what dies with the server does not matter
  const other = (async () => { for (let i = 0; i < 12; i++) { await bench.api("PUT", "sites/default/labels", { page: "2.html", records: [{ other: `${i}` }] }).catch(() => {}); await bench.page.waitForTimeout(80); } })();
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
}, { modes: ["quick", "human"] });

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
  assert.deepEqual(await violations(bench.page), []);
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
  assert.deepEqual(await violations(bench.page), []);
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

// ---- the server goes ----

const gone = (bench) => bench.page.getByRole("region", { name: "The server does not answer." });
const addField = async (bench, name) => {
  await bench.page.getByLabel("Name of a new field").fill(name);
  await bench.page.getByRole("button", { name: "Add field" }).click();
  await bench.page.getByRole("radio", { name }).waitFor();
};
const labels = async (bench, page) => {
  const line = (await bench.api("GET", "sites/default/labels")).trim().split("\n").filter(Boolean).map((one) => JSON.parse(one)).find((one) => one.page === page);
  return line ? Object.fromEntries(Object.entries(line.records[0]).map(([name, spot]) => [name, spot?.value ?? spot])) : null;
};
const labelSome = async (bench, truth) => {
  await bench.choose(await bench.write("in", detailsOf(truth)));
  await bench.said(`${truth.length} pages added`);
  await bench.view("Labels");
  await addField(bench, "title");
  await addField(bench, "price");
  await bench.page.getByRole("radio", { name: "title" }).click();
  await bench.clickExactly(truth[0].title);
  await bench.page.getByRole("button", { name: `Undo: title: ${truth[0].title}` }).waitFor();
};

test("without a server it is said what is saved; labels go on and are stored when it is back", async (bench) => {
  const truth = books(3);
  await labelSome(bench, truth);
  await bench.kill();
  await gone(bench).getByText("Your work is saved").waitFor();
  await gone(bench).getByText(`thresh serve --project ${bench.project}`).waitFor();
  await bench.clickExactly(truth[0].price);
  await bench.page.getByRole("button", { name: `Undo: price: ${truth[0].price}` }).waitFor(); // it counts at once
  await gone(bench).getByText("1 change since then is kept in this browser").waitFor();
  assert.deepEqual(await violations(bench.page), []);
  await bench.start();
  await gone(bench).getByRole("button", { name: "Try now" }).click();
  await gone(bench).waitFor({ state: "detached" });
  assert.deepEqual(await labels(bench, "0.html"), { title: truth[0].title, price: truth[0].price });
  await bench.until("What was found", (rows) => rows.length === 3 && rows[2].price === truth[2].price); // and what waited goes on
  assert.equal(await bench.page.locator(".message.bad").count(), 0);
});

test("what waits in a window that is closed is stored by the next", async (bench) => {
  const truth = books(3);
  await labelSome(bench, truth);
  await bench.kill();
  await gone(bench).waitFor();
  await bench.clickExactly(truth[0].price);
  await gone(bench).getByText("1 change since then").waitFor();
  await bench.page.close();
  await bench.start();
  assert.deepEqual(await labels(bench, "0.html"), { title: truth[0].title });
  bench.page = await bench.context.newPage();
  await bench.page.goto(bench.address);
  await bench.said("1 change that was waiting in this browser is stored now");
  assert.deepEqual(await labels(bench, "0.html"), { title: truth[0].title, price: truth[0].price });
});

test("a change that waited and has met another one stays offered", async (bench) => {
  const truth = books(3);
  await labelSome(bench, truth);
  await bench.kill();
  await gone(bench).waitFor();
  await bench.clickExactly(truth[0].price);
  await gone(bench).getByText("1 change since then").waitFor();
  await bench.context.setOffline(true); // the window does not see the server before somebody else has changed the page
  await bench.start();
  await bench.api("PUT", "sites/default/labels", { page: "0.html", records: [{ title: truth[0].title, note: truth[0].author }] });
  await bench.context.setOffline(false);
  const left = bench.page.getByRole("alert", { name: "Changes that were not stored" });
  await left.getByText("labels of 0.html").waitFor();
  assert.deepEqual(await labels(bench, "0.html"), { title: truth[0].title, note: truth[0].author });
  await left.getByRole("button", { name: "Store anyway: labels of 0.html" }).click();
  await left.waitFor({ state: "detached" });
  assert.deepEqual(await labels(bench, "0.html"), { title: truth[0].title, price: truth[0].price });
});

test("a server that is started again by hand has the same address; with another token it is said what to do", async (bench) => {
  const { spawn } = await import("node:child_process");
  const { once } = await import("node:events");
  const { env } = process, project = `${bench.folder}/own.thresh`;
  delete env.THRESH_TOKEN;
  let server;
  const start = async (...options) => {
    server = spawn(bench.thresh, ["serve", "--project", project, "--no-browser", ...options], { stdio: ["ignore", "pipe", "ignore"], env });
    return String((await once(server.stdout, "data"))[0]).trim();
  };
  const kill = async () => { const died = once(server, "close"); server.kill("SIGKILL"); await died; };
  const address = await start(), page = await bench.context.newPage(), origin = new URL(address).origin;
  const ask = (token, method, path, body) => fetch(`${origin}/api/v1/${path}`, { method, body, headers: { Authorization: `Bearer ${token}` } });
  await ask(/token=(.*)/.exec(address)[1], "POST", "sites/shop/pages?name=1.html", listPage(books(4)));
  await page.goto(address);
  await page.getByRole("heading", { name: "Pages of shop" }).waitFor(); // the site that there is, not an empty one
  await kill();
  await page.getByRole("region", { name: "The server does not answer." }).waitFor();
  assert.equal(await start(), address);
  await page.getByRole("region", { name: "The server does not answer." }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "1.html", exact: true }).first().waitFor();
  // somebody else listens there: it is shown no token (but what was on its way when the server died, the browser sends again)
  await kill();
  await page.getByRole("region", { name: "The server does not answer." }).waitFor();
  const { createServer } = await import("node:http");
  const heard = [], other = createServer((request, answer) => { heard.push(JSON.stringify(request.headers)); answer.writeHead(404).end("{}"); });
  await new Promise((done) => other.listen(Number(new URL(address).port), "127.0.0.1", done));
  await page.getByText("Open the address that it printed").waitFor();
  assert.ok(heard.length > 0 && heard.every((one) => !/bearer/i.test(one)), heard.join("\n"));
  other.closeAllConnections();
  await new Promise((done) => other.close(done));
  // with another token: its address is pasted into the window
  const fresh = await start("--new-address", "--port", new URL(address).port);
  assert.notEqual(fresh, address);
  await page.getByText("Open the address that it printed").waitFor();
  await page.getByText("Nothing is lost").waitFor();
  await page.goto(fresh);
  await page.getByText("Nothing is lost").waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "Pages of shop" }).waitFor();
  await kill();
});

// ---- many pages ----

// What a view takes on a project with so many pages; the machine may be busy, so the bounds are wide.
const manyPages = (count, bound) => test(`a project of ${count.toLocaleString("en")} pages: all views stay quick`, async (bench) => {
  const folder = (await bench.write("many", Object.fromEntries(Array.from({ length: count }, (_, i) => [`${String(i).padStart(4, "0")}.html`, detailPage(books(1, i)[0])]))))[0].replace(/\/[^/]*$/, "");
  const { job } = await bench.api("POST", "sites/default/inputs", { inputs: [folder] });
  while ((await bench.api("GET", `jobs/${job}`)).state !== "done") await bench.page.waitForTimeout(100);
  const { wrapper } = await bench.api("POST", "sites/default/learn", { pages: (await bench.api("GET", "sites/default/pages")).pages.slice(0, 4).map((one) => one.id) });
  await bench.api("POST", "sites/default/wrappers", { name: "books", wrapper });
  const times = {};
  const within = async (name, act) => { const began = Date.now(); await act(); times[name] = Date.now() - began; };
  const page = bench.page;
  await within("reload", async () => { await page.reload(); await page.locator("caption", { hasText: `${count.toLocaleString("en")} pages` }).waitFor(); });
  await within("find", async () => { await page.getByLabel("Find a page").fill("0123"); await page.getByRole("navigation").getByRole("button", { name: /0123\.html/ }).waitFor(); });
  await within("open", async () => { await page.getByRole("navigation").getByRole("button", { name: /0123\.html/ }).click(); await page.getByLabel("Find a page").fill(""); });
  await within("Lists", async () => { await bench.view("Lists"); await page.locator(".frame-box[aria-busy=false]").waitFor(); });
  await within("Labels", async () => { await bench.view("Labels"); await page.locator(".frame-box[aria-busy=false]").waitFor(); });
  await within("label", async () => {
    await addField(bench, "title");
    await bench.clickExactly(books(1, 123)[0].title);
    await bench.until("What was found", (rows) => rows.length > 10);
  });
  await within("Extractors", async () => { await bench.view("Extractors"); await page.getByRole("button", { name: "Run on all pages" }).waitFor(); });
  await within("Monitor", async () => { await bench.view("Monitor"); await page.getByRole("heading").first().waitFor(); });
  await within("Pages", async () => { await bench.view("Pages"); await page.locator("caption", { hasText: `${count.toLocaleString("en")} pages` }).waitFor(); });
  await within("as they look", async () => { await page.getByLabel("as they look").check(); await page.locator(".grid li").first().waitFor(); });
  await within("remove", async () => { await page.getByLabel("as a table").check(); await page.getByRole("button", { name: /^Remove .*0001\.html/ }).click(); await page.getByRole("button", { name: /^Undo: removal/ }).waitFor(); });
  if (process.env.THRESH_TIMES) console.log(JSON.stringify(times));
  for (const [name, time] of Object.entries(times)) assert.ok(time < bound, `${name} takes ${time} ms`);
});
manyPages(200, 10_000);
manyPages(5000, 10_000);

// ---- errors ----

test("an error goes away when what caused it works, and what failed to load is not empty", async (bench) => {
  await bench.choose(await bench.write("in", { "1.html": listPage(books(5)), "2.html": listPage(books(4)) }));
  await bench.said("2 pages added");
  let broken = true;
  await bench.page.route("**/api/v1/sites/default/pages", async (route) => {
    if (broken && route.request().method() === "GET") await route.fulfill({ status: 500, contentType: "application/json", body: '{"error":"the disk is full of sand"}' });
    else await route.fallback();
  });
  await bench.page.reload();
  await bench.said("the disk is full of sand");
  assert.equal(await bench.page.getByText("Try it with a sample").count(), 0); // it is not known whether it is empty
  broken = false;
  await bench.page.locator("caption", { hasText: "2 pages" }).waitFor(); // asked for again by itself
  await bench.page.locator(".message", { hasText: "sand" }).waitFor({ state: "detached" });
  // a request that somebody makes: its error is over when the same works
  await bench.view("Lists");
  await bench.until("Records", (rows) => rows.length === 5);
  let refused = true;
  await bench.page.route("**/api/v1/sites/default/wrappers", async (route) => {
    if (refused && route.request().method() === "POST") await route.fulfill({ status: 422, contentType: "application/json", body: '{"error":"no room for it"}' });
    else await route.fallback();
  });
  await bench.page.getByLabel("Name of the extractor").fill("books");
  await bench.page.getByRole("button", { name: "Save as extractor" }).click();
  await bench.said("no room for it");
  refused = false;
  await bench.page.getByRole("button", { name: "Save as extractor" }).click();
  await bench.said("Saved as books");
  assert.equal(await bench.page.locator(".message.bad").count(), 0);
});
