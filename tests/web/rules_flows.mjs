// What is to be seen of rules and templates: tokens that they hit, trees with slots, the papers' numbers.
import assert from "node:assert/strict";
import { test } from "./harness.mjs";
import { books, detailPage, listPage, reviewedPage, reviews } from "./pages_of_ours.mjs";

// What of the frame is marked as hit by rules: tokens inside of texts, and tags beside them.
const marked = async (bench) => {
  const marks = await bench.page.locator(".page-now .frame-box").evaluate((holder) => holder.drawnMarks() ?? []);
  return { tokens: marks.filter((mark) => mark.kind === "rule").map((mark) => mark.text), tags: marks.filter((mark) => mark.kind === "tag").flatMap((mark) => mark.label.split(" ")) };
};
async function until(bench, good) {
  let seen;
  for (let i = 0; i < 300; i++) {
    seen = await marked(bench).catch(() => ({ tokens: [], tags: [] }));
    if (good(seen)) return seen;
    await bench.page.waitForTimeout(50);
  }
  throw new Error(`the marks are ${JSON.stringify(seen)}`);
}

const detailed = async (bench) => {
  const truth = books(6).map((book, i) => ({ ...book, old: i % 3 === 1 ? `${60 + i}.00 EUR` : "" }));
  await bench.choose(await bench.write("in", Object.fromEntries(truth.map((book, i) => [`${i}.html`, detailPage(book)]))));
  await bench.said("6 pages added");
  const lines = [0, 1].map((at) => ({ page: `${at}.html`, records: [{ title: truth[at].title, price: truth[at].price }] }));
  for (const line of lines) await bench.api("PUT", "sites/default/labels", line);
  return truth;
};
const learn = async (bench, engine, more = {}) => {
  const { wrapper } = await bench.api("POST", "sites/default/learn", { engine, ...more });
  await bench.api("POST", "sites/default/wrappers", { name: engine, wrapper });
  return wrapper;
};
const show = async (bench, name) => {
  await bench.view("Extractors");
  await bench.page.locator(".overview").getByRole("button", { name, exact: true }).first().click();
  await bench.page.getByRole("heading", { name: `${name}, version 1` }).waitFor();
};

test("the tokens that rules of STALKER, SoftMealy and paths hit are marked one by one", async (bench) => {
  await detailed(bench);
  for (const engine of ["stalker", "softmealy", "paths"]) await learn(bench, engine);
  const source = await bench.api("GET", `pages/${(await bench.api("GET", "sites/default/pages")).pages[0].id}/text`);
  for (const engine of ["stalker", "softmealy", "paths"]) {
    await show(bench, engine);
    const finds = bench.page.getByLabel("Marked on the page: what finds");
    await finds.selectOption("price");
    const { hits } = await bench.api("POST", "sites/default/hits", { wrapper: engine, page: 1 });
    const mine = hits.filter((hit) => hit.field === "price");
    assert.ok(mine.length > 0);
    for (const hit of mine) assert.equal(Buffer.from(source).subarray(hit.start, hit.end).toString().startsWith(hit.text), true);
    // each token that is no tag is a range of exactly its letters, and each tag stands beside its text
    const seen = await until(bench, ({ tokens, tags }) => mine.every((hit) => hit.text.startsWith("<") ? tags.includes(hit.text.length > 28 ? `${hit.text.slice(0, 27)}…` : hit.text.split(" ")[0]) || tags.join(" ").includes(hit.text.slice(0, 27)) : tokens.includes(hit.text)));
    assert.ok(seen.tokens.length > 0, `${engine}: ${JSON.stringify(seen)}`);
    assert.ok(seen.tokens.every((token) => mine.some((hit) => hit.text.startsWith(token.slice(0, 80)))), `${engine}: ${seen.tokens}`);
    assert.ok(seen.tokens.some((token) => /price/i.test(token)), `${engine}: ${seen.tokens}`); // the caption
    // the same in the source
    await bench.page.getByRole("checkbox", { name: "source" }).check();
    await bench.page.locator(".source mark.rule").first().waitFor();
    const inSource = await bench.page.locator(".source mark.rule").allInnerTexts();
    assert.ok(inSource.length > 0 && inSource.every((text) => mine.some((hit) => hit.text.startsWith(text.slice(0, 40)))), `${engine}: ${inSource}`);
    await bench.page.getByRole("checkbox", { name: "source" }).uncheck();
  }
  await show(bench, "softmealy");
  await bench.page.locator(".graph-box svg").waitFor();
  assert.ok((await bench.page.locator(".graph-box svg g circle.state").count()) >= 4, "the transducer is drawn");
});

test("what wrappers of lists and templates go by is marked", async (bench) => {
  const truth = books(7);
  await bench.choose(await bench.write("in", { "1.html": listPage(truth), "2.html": listPage(books(5, 30)) }));
  await bench.said("2 pages added");
  for (const engine of ["lists", "mdr", "iepad"]) {
    await learn(bench, engine, { labels: [], pages: [1], pick: 1 });
    await show(bench, engine);
    await bench.page.getByLabel("Marked on the page: what finds").selectOption("all fields");
    await until(bench, (seen) => seen.tags.length >= 7 && seen.tags.some((tag) => tag.startsWith("<li")));
  }
  await bench.api("POST", "sites/default/learn", { engine: "template", labels: [] }).then(({ wrapper }) => bench.api("POST", "sites/default/wrappers", { name: "template", wrapper }));
  await show(bench, "template");
  await bench.page.getByRole("region", { name: "The template as a tree" }).locator(".slot").first().waitFor();
  await until(bench, (seen) => seen.tags.length > 0);
});

test("the template is a tree with slots, and the paper's numbers change it at once", async (bench) => {
  const truth = books(10).map((book, i) => ({ ...book, reviews: reviews(i) }));
  await bench.choose(await bench.write("in", Object.fromEntries(truth.map((book, i) => [`${i}.html`, reviewedPage(book, book.reviews)]))));
  await bench.said("10 pages added");
  await bench.view("Compare pages");
  const tree = bench.page.getByRole("region", { name: "The template as a tree" });
  await bench.until("What the pages give", (rows) => rows.length === 10);
  // slots stand in the elements that hold them: those of the list below its own
  assert.equal(await tree.locator("li", { has: bench.page.locator("> code", { hasText: "<h1>" }) }).last().locator("> .slot").innerText(), "title");
  const list = tree.locator("li", { has: bench.page.locator("> .slot", { hasText: "reviews" }) }).last();
  assert.deepEqual((await list.locator("ul .slot").allInnerTexts()).slice(0, 2), ["who", "stars"]);
  assert.ok((await tree.locator(".shared").allInnerTexts()).includes("What readers say"));
  // as published, with other numbers
  const slots = async () => (await tree.locator(".slot").allInnerTexts()).join();
  const first = await slots();
  await bench.page.getByLabel("as published").check();
  await bench.page.waitForFunction((before) => [...document.querySelectorAll(".template-tree .slot")].map((one) => one.innerText).join() !== before, first);
  const published = await slots();
  const asked = [];
  bench.page.on("request", (request) => { if (/learn$/.test(request.url())) asked.push(request.postDataJSON()); });
  await bench.page.getByLabel("SIZETHRES").fill("40");
  await bench.page.waitForFunction((before) => [...document.querySelectorAll(".template-tree .slot")].map((one) => one.innerText).join() !== before, published);
  await bench.page.getByLabel("SUPTHRES").fill("0.5");
  for (let i = 0; i < 200 && !asked.some((one) => one.support_threshold === 0.5); i++) await bench.page.waitForTimeout(50);
  assert.deepEqual((({ size_threshold, support_threshold, paper }) => ({ size_threshold, support_threshold, paper }))(asked.at(-1)), { size_threshold: 40, support_threshold: 0.5, paper: true });
  await bench.page.getByRole("button", { name: "The paper's values" }).click();
  await bench.page.waitForFunction((before) => [...document.querySelectorAll(".template-tree .slot")].map((one) => one.innerText).join() === before, first);
});

test("SoftMealy reads a part of the page, and labels mend its rules", async (bench) => {
  const html = "<h2>Old</h2><ul><li><b>Aal</b> 1</ul><h2>New</h2><ul><li><b>Berg</b> 2<li><b>City</b> 3<li><b>Dale</b> 4</ul><h3>End</h3>";
  await bench.choose(await bench.write("in", { "a.html": html }));
  await bench.said("1 page added");
  await bench.api("PUT", "sites/default/labels", { page: "a.html", records: [{ name: "Berg", no: "2" }, { name: "City", no: "3" }] });
  await bench.view("Labels");
  await bench.page.getByLabel("Engine").selectOption("softmealy");
  await bench.until("What was found", (rows) => rows.length === 4);
  // answers to earlier clicks may still be on their way
  const rules = async (good) => (await bench.page.waitForResponse(async (answer) => answer.url().endsWith("/learn") && good(answer.request().postData(), await answer.json()))).json();
  await bench.page.getByRole("button", { name: "Only a part of this page has records" }).click();
  await bench.clickExactly("Berg");
  await bench.page.getByText("Click the last text").waitFor();
  const learnt = rules((asked, answer) => answer.wrapper?.rules.head?.length > 0);
  await bench.clickText("4");
  await bench.page.getByText(/Records are at bytes \d+ to \d+ of/).waitFor();
  assert.ok((await learnt).wrapper.rules.head.length > 0);
  await bench.until("What was found", (rows) => rows.length === 3);
  const mended = rules((asked) => asked.includes('"correct"'));
  await bench.page.getByLabel("mend the rules").check();
  // what is right already stays, and the records are as they were
  assert.ok((await mended).wrapper.rules.edges.length >= (await learnt).wrapper.rules.edges.length);
  await bench.until("What was found", (rows) => rows.length === 3);
  await bench.page.getByRole("button", { name: "They can be anywhere" }).click();
  await bench.page.getByRole("button", { name: "Only a part of this page has records" }).waitFor();
});
