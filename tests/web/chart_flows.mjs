// Charts of results, and the drawings of the papers: what they show is what the command line says.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { flow, test } from "./harness.mjs";
import { books, detailPage, reviewedPage, reviews } from "./pages_of_ours.mjs";

const AXE = readFileSync(new URL("../../web/node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
async function clean(bench, what) {
  for (const scheme of ["light", "dark"]) {
    await bench.page.emulateMedia({ colorScheme: scheme });
    await bench.page.evaluate(AXE);
    const { violations } = await bench.page.evaluate(() => window.axe.run({ exclude: [["iframe"]] }, { iframes: false }));
    assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 160)}`), [], `${what}, ${scheme}`);
  }
}
const steps = (bench, args, input) => {
  const done = spawnSync(bench.thresh, args, { encoding: "utf8", input });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout.trim().split("\n").map((line) => JSON.parse(line));
};

// Lists of a shop. On two of the pages nothing is said about stock; one price is no number, one far from the others,
// one title is there twice and one is very long.
const shop = () => Array.from({ length: 6 }, (_, at) => [`${at}.html`, `<!doctype html><title>Shop</title><body><h1>Shop</h1><ul class="list">${Array.from({ length: 10 }, (_, i) => {
  const n = at * 10 + i + 1;
  const title = n === 26 ? "Lamp number 25" : n === 41 ? `Lamp that ${"goes on and ".repeat(20)}on` : `Lamp number ${n}`;
  const price = n === 17 ? "on request" : n === 38 ? "9500.00 EUR" : `${10 + ((n * 7) % 30)}.50 EUR`;
  return `<li class="item"><a class="t" href="/item/${n}">${title}</a> <b class="p">${price}</b> <i class="d">2026-0${1 + (n % 9)}-1${n % 10}</i>${at === 1 || at === 4 ? "" : ` <span class="stock">${n} left</span>`}</li>`;
}).join("\n")}</ul><p>Footer</p></body>`]);

async function shopRun(bench) {
  const { wrapper } = await bench.api("POST", "sites/default/learn", { labels: [] });
  await bench.api("POST", "sites/default/wrappers", { name: "shop", wrapper });
  await bench.api("POST", "sites/default/run", { wrapper: "shop" });
  for (;;) {
    const { runs } = await bench.api("GET", "sites/default/runs");
    if (runs.some((run) => run.finished && run.records)) return;
    await bench.page.waitForTimeout(50);
  }
}
const rowOf = (bench, field) => bench.page.locator(".columns-panel tbody tr").filter({ has: bench.page.locator("th[scope=row]", { hasText: new RegExp(`^${field}$`) }) });
// Marks that are drawn on the page in a part of the window, once there is one such.
async function drawn(bench, holder, kind, text) {
  await bench.page.waitForFunction(([holder, kind, text]) => document.querySelector(`${holder} .frame-box`)?.drawnMarks?.()?.some((one) => one.kind === kind && one.text.includes(text)), [holder, kind, text]);
  return bench.page.evaluate((holder) => document.querySelector(`${holder} .frame-box`).drawnMarks(), holder);
}

flow("results: types, coverage and outliers lead to their pages", async (bench, step) => {
  await step("add the pages", async () => bench.choose(await bench.write("in", Object.fromEntries(shop()))));
  await bench.page.locator(".page-list button").nth(5).waitFor();
  await shopRun(bench);
  await step("open the results", async () => { await bench.view("Results"); await rowOf(bench, "price").waitFor(); });
  const said = await step("read the columns", async () => Object.fromEntries(await bench.page.locator(".columns-panel tbody tr").evaluateAll((rows) => rows.map((row) => [row.cells[0].innerText, [row.cells[1].innerText, row.cells[2].innerText]]))));
  assert.deepEqual([said.title, said.price, said.date, said.stock, said.title_url], [["text", "100%"], ["price", "100%"], ["date", "100%"], ["text", "66%"], ["link", "100%"]]);
  const cells = await rowOf(bench, "stock").locator(".coverage button").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
  assert.deepEqual(cells, [10, 0, 10, 10, 0, 10].map((filled, at) => `${at}.html: ${filled} of 10 records`));
  await step("a price that is far from the others", () => rowOf(bench, "price").getByRole("button", { name: "1 far from the others" }).click());
  await bench.page.getByRole("heading", { name: "Record 38 on 3.html" }).waitFor();
  await drawn(bench, ".record-page", "mark", "9500.00 EUR");
  assert.match(await bench.page.getByRole("region", { name: "Records of the run" }).locator("tr.chosen").innerText(), /Lamp number 38/); // it is in sight
  await step("one that is not a number", () => rowOf(bench, "price").getByRole("button", { name: "1 not a number" }).click());
  await bench.page.getByRole("heading", { name: "Record 17 on 1.html" }).waitFor();
  await step("titles that are there twice", () => rowOf(bench, "title").getByRole("button", { name: "2 used twice" }).click());
  await step("the second of them", () => bench.page.getByRole("button", { name: "Record 26, 2.html: Lamp number 25" }).click());
  await bench.page.getByRole("heading", { name: "Record 26 on 2.html" }).waitFor();
  await step("a page without stock", () => rowOf(bench, "stock").getByRole("button", { name: "4.html: 0 of 10 records" }).click());
  await bench.page.getByRole("heading", { name: "Page 4.html" }).waitFor();
  assert.equal((await drawn(bench, ".record-page", "mark", "Lamp number 42")).some((one) => one.text.includes(" left")), false);
});

test("the charts of results by the keyboard, on a phone, and for axe", async (bench) => {
  await bench.choose(await bench.write("in", Object.fromEntries(shop())));
  await bench.page.locator(".page-list button").nth(5).waitFor();
  await shopRun(bench);
  await bench.view("Results");
  await rowOf(bench, "stock").locator(".coverage button").first().focus();
  await bench.page.keyboard.press("ArrowRight"); // arrows go from page to page
  await bench.page.keyboard.press("Enter");
  await bench.page.getByRole("heading", { name: "Page 1.html" }).waitFor();
  await rowOf(bench, "stock").locator(".coverage button").nth(1).focus();
  await bench.page.keyboard.press("Tab"); // and the strip is one stop: the next is the outlier of the row, or the next strip
  assert.equal(await bench.page.evaluate(() => !!document.activeElement.closest(".coverage") && document.activeElement.closest("tr").cells[0].innerText === "stock"), false);
  // the command line says the same
  const { runs } = await bench.api("GET", "sites/default/runs");
  const own = JSON.parse(spawnSync(bench.thresh, ["project", "columns", bench.project, String(runs[0].id)], { encoding: "utf8" }).stdout);
  assert.deepEqual(own, await bench.api("GET", `runs/${runs[0].id}/columns`));
  await clean(bench, "results");
  await bench.page.setViewportSize({ width: 390, height: 844 });
  assert.ok((await bench.page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await clean(bench, "results on a phone");
  // the documentation is there without a network, at the part that is meant
  const link = bench.page.locator(".columns-panel a.docs"), [docs] = await Promise.all([bench.context.waitForEvent("page"), link.click()]);
  await docs.locator("h2#results").waitFor();
  assert.match(await docs.locator("h1").innerText(), /workbench/i);
  await docs.close();
});

// A frame around these bytes is drawn on the page.
const framed = (bench, start, end) => bench.page.waitForFunction(([start, end]) => document.querySelector(".left .frame-box")?.drawnMarks?.()?.some((one) => one.kind === "record" && one.start === start && one.end === end), [start, end]);

const LIST = `<html><body><h1>Shop</h1><div id=nav><a href=a>Home</a> <a href=b>About</a></div><ul>
${["Lamp", "Chair", "Table", "Shelf", "Rug", "Vase"].map((name, i) => `<li><b>${name}</b> <i>${10 + i}.00</i>${i % 2 ? "" : " <span>new</span>"}</li>`).join("\n")}</ul><p>Footer</p></body></html>`;

test("how MDR and IEPAD found a list: the tag tree and the alignment are those of the trace", async (bench) => {
  await bench.choose(await bench.write("in", { "list.html": LIST }));
  const file = join(bench.folder, "in", "list.html");
  await bench.until("Records", (rows) => rows.length === 6);
  const how = bench.page.locator(".how-found > summary");

  await bench.page.getByLabel("Engine").selectOption("mdr");
  await bench.page.locator(".candidates small", { hasText: "mdr" }).first().waitFor();
  await how.click();
  const trace = steps(bench, ["regions", "--trace", "--engine", "mdr", "-f", "ndjson", file]), region = trace.find((one) => one.step === "region");
  const tree = bench.page.getByRole("region", { name: "The tag tree with its data regions" });
  await tree.waitFor();
  assert.equal(await bench.page.locator(".tag-tree .regions li button").innerText(), `${region.count} generalized nodes in <ul>`);
  assert.deepEqual(await tree.locator(".generalized-number").allInnerTexts(), ["1", "2", "3", "4", "5", "6"]);
  const distances = trace.filter((one) => one.step === "compare" && one.node === region.node && one.combination === 1).map((one) => `distance ${one.distance}${one.similar === "yes" ? ", alike" : ""}`);
  assert.deepEqual(await tree.locator("li:has(> .branch > details > summary .generalized) > .distance").allInnerTexts(), distances);
  await clean(bench, "the tag tree");
  await bench.page.locator(".tag-tree .regions li button").click(); // and on the page
  const list = trace.find((one) => one.step === "node" && one.number === region.node), items = trace.filter((one) => one.step === "node" && one.tag === "li");
  await framed(bench, items[0].start, items.at(-1).end);
  assert.equal(list.tag, "ul");

  await bench.page.getByLabel("Engine").selectOption("iepad");
  await bench.page.locator(".knobs select").first().selectOption("all-tag");
  await bench.page.locator(".candidates small", { hasText: "iepad" }).first().waitFor();
  if (!(await bench.page.locator(".how-found").getAttribute("open") !== null)) await how.click();
  const rows = steps(bench, ["regions", "--trace", "--engine", "iepad", "--encoding", "all-tag", "-f", "ndjson", file]);
  const pattern = rows.findIndex((one) => one.step === "record pattern" && one.records === 6), aligned = rows.slice(pattern + 1, pattern + 7).map((one) => one.row.split(" "));
  const grid = bench.page.getByRole("region", { name: "Alignment of the records" });
  await grid.locator("tbody tr").nth(5).waitFor();
  const cells = await grid.locator("tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].slice(1).map((one) => one.innerText.replace("–", "-"))));
  assert.deepEqual(cells, aligned);
  assert.ok(aligned.some((row) => row.includes("-")) && (await grid.locator("td.gap").count()) === aligned.flat().filter((token) => token === "-").length);
  await grid.getByRole("button", { name: "Show record 4 on the page" }).click();
  await framed(bench, items[3].start, items[3].end);
  await clean(bench, "the alignment");
  await bench.page.setViewportSize({ width: 390, height: 844 });
  assert.ok((await bench.page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
});

async function learnt(bench, engine) {
  const { wrapper } = await bench.api("POST", "sites/default/learn", { engine });
  await bench.api("POST", "sites/default/wrappers", { name: engine, wrapper });
  return wrapper;
}
async function open(bench, name) {
  await bench.view("Extractors");
  await bench.page.locator(".overview").getByRole("button", { name, exact: true }).first().click();
  await bench.page.getByRole("heading", { name: `${name}, version 1` }).waitFor();
}

test("landmarks of STALKER, and the way of a page through SoftMealy's transducer", async (bench) => {
  const truth = books(5);
  await bench.choose(await bench.write("in", Object.fromEntries(truth.map((book, i) => [`${i}.html`, reviewedPage(book, reviews(i))]))));
  await bench.page.locator(".page-list button").nth(4).waitFor();
  for (const at of [0, 1, 2]) await bench.api("PUT", "sites/default/labels", { page: `${at}.html`, records: [{ title: truth[at].title, price: truth[at].price, reviews: reviews(at).map(({ who }) => ({ who })) }] });
  const stalker = await learnt(bench, "stalker"), softmealy = await learnt(bench, "softmealy");
  const page = (await bench.api("GET", "sites/default/pages")).pages.find((one) => one.name === "0.html");
  await bench.page.locator(".page-list").getByRole("button", { name: "0.html" }).click();

  await open(bench, "stalker");
  const tree = bench.page.getByRole("region", { name: "The page as a tree of fields and landmarks" });
  const price = stalker.rules.members.find((one) => one.name === "price");
  await tree.getByText("hits", { exact: false }).first().waitFor();
  const shown = await tree.locator("li").filter({ has: bench.page.locator(":scope > button.slot", { hasText: /^price$/ }) }).locator(".way").first().locator("code").allInnerTexts();
  assert.equal(shown.join(" "), price.forward.start[0]); // the paper's notation, a step each
  assert.ok(await tree.getByRole("button", { name: "who" }).count()); // below the list
  await tree.getByRole("button", { name: "price", exact: true }).click(); // marks what finds it
  assert.equal(await bench.page.getByLabel("Marked on the page: what finds").inputValue(), "price");
  await clean(bench, "landmarks");

  await open(bench, "softmealy");
  const { hits } = await bench.api("POST", "sites/default/hits", { wrapper: softmealy, page: page.id });
  const way = bench.page.locator(".way-of-page li > button");
  await way.first().waitFor();
  const names = await way.evaluateAll((all) => all.map((one) => [...one.querySelectorAll("b")].map((state) => (state.style.textDecoration ? "-" : "") + state.innerText).join(" ")));
  // each value is entered and left once: the way is that of the values of the record, in order
  const entered = names.map((one) => one.split(" ")[1]).filter((state) => !state.startsWith("-") && state !== "e");
  assert.deepEqual(entered, ["title", "price", ...reviews(0).map(() => "reviews.who")]);
  assert.equal(names[0].split(" ")[0], "b");
  for (let i = 1; i < names.length; i++) assert.equal(names[i].split(" ")[0], names[i - 1].split(" ")[1], names.join("; ")); // no state is skipped
  await bench.page.getByRole("button", { name: "Next step" }).click();
  await bench.page.getByRole("button", { name: "Next step" }).click();
  await bench.page.getByText(`Step 2 of ${names.length}`).waitFor();
  assert.equal(await bench.page.locator("svg g.lit > path").count(), 1); // one transition is lit, and the same in the table
  assert.equal(await bench.page.locator(".graph tr.chosen, table tr.chosen:has(code)").count() >= 1, true);
  const rule = hits.find((hit) => hit.rule.startsWith(`s<${names[1].replace(" ", ",")}>`)).rule.replace(/^s<.*?>: /, "");
  assert.ok((await bench.page.locator("tr.chosen code").allInnerTexts()).some((label) => label.startsWith(rule)), rule);
  await clean(bench, "the transducer");
  await bench.page.setViewportSize({ width: 390, height: 844 });
  assert.ok((await bench.page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
});

test("compared pages: the share of the template, and EXALG's classes as the trace has them", async (bench) => {
  const truth = books(4);
  const paths = await bench.write("in", Object.fromEntries(truth.map((book, i) => [`${i}.html`, detailPage(book)])));
  await bench.choose(paths);
  await bench.page.locator(".page-list button").nth(3).waitFor();
  await bench.view("Compare pages");
  const share = bench.page.locator(".page-share p");
  await share.waitFor();
  const [, percent, all] = /^(\d+)% of the (\d+) words/.exec(await share.innerText());
  const body = detailPage(truth[0]).replace(/^.*<body>/s, "").replace(/<[^>]*>/g, " ").split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  assert.equal(Number(all), body);
  assert.ok(Number(percent) > 30 && Number(percent) < 90, percent);
  await bench.page.getByLabel("as published").check();
  await bench.page.locator(".how-found > summary").click();
  const last = bench.page.locator(".classes > details[open] tbody th").first();
  await last.waitFor();
  const trace = steps(bench, ["show", "--trace", "--engine", "exalg", "-f", "ndjson", ...paths]), rounds = trace.filter((one) => one.step === "round").length;
  assert.equal(await bench.page.locator(".classes > details > summary").filter({ hasText: /^Round/ }).count(), rounds);
  const from = trace.findLastIndex((one) => one.step === "round"), classes = trace.slice(from).filter((one) => one.step === "lfeq").map((one) => [`E${one.class}`, String(one.support), one.tokens]);
  const shown = await bench.page.locator(".classes > details[open] table").first().locator("tbody tr").evaluateAll((rows) => rows.map((row) => [row.cells[0].innerText, row.cells[1].innerText, row.cells[3].innerText]));
  assert.deepEqual(shown, classes.slice(0, 40).map(([name, support, tokens]) => [name, support, tokens.length > 400 ? `${tokens.slice(0, 399)}…` : tokens]));
  await clean(bench, "equivalence classes");
});
