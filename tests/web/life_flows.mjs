// The life of a wrapper: a site changes, and it is noticed, repaired and accepted.
import assert from "node:assert/strict";
import { test } from "./harness.mjs";
import { books, changedPage, detailPage } from "./pages_of_ours.mjs";

const named = (truth, look) => Object.fromEntries(truth.map((book, i) => [`${i}.html`, look(book)]));

// Pages, a wrapper learnt from labels and saved in the window, and the same names with a new look.
export async function change(bench) {
  const truth = books(12), later = books(12, 50);
  await bench.choose(await bench.write("before", named(truth, detailPage)));
  await bench.said("12 pages added");
  await bench.view("Labels");
  for (const [field, value] of [["title", truth[0].title], ["price", truth[0].price]]) {
    await bench.page.getByLabel("Name of a new field").fill(field);
    await bench.page.getByRole("button", { name: "Add field" }).click();
    await bench.clickText(value);
    await bench.page.getByRole("button", { name: `Undo: ${field}: ${value.slice(0, 30)}` }).waitFor();
  }
  await bench.until("What was found", (rows) => rows.length === 12 && rows.every((row, i) => row.price === truth[i].price));
  await bench.page.getByLabel("Name of the wrapper").fill("books");
  await bench.page.getByRole("button", { name: "Save as wrapper" }).click();
  await bench.said("Saved as books, version 1");
  await bench.view("Life");
  await bench.page.getByRole("button", { name: "Check now" }).click();
  await bench.said("books is fine");
  await bench.view("Pages");
  await bench.choose(await bench.write("after", named(later, changedPage)));
  await bench.said("12 pages added");
  return later;
}

test("a changed layout is noticed, repaired and accepted", async (bench) => {
  const later = await change(bench);
  await bench.view("Life");
  await bench.page.getByRole("button", { name: "Check now" }).click();
  await bench.said("books drifts");
  await bench.page.locator(".evidence li.bad").first().waitFor();
  const runs = (await bench.api("GET", "sites/default/runs")).runs;
  assert.deepEqual(runs.map((run) => run.verdict), ["drift", "fine"]);
  const { verdicts } = await bench.api("GET", `runs/${runs[0].id}/verdicts`);
  assert.ok(verdicts.some((one) => one.verdict === "drift" && one.evidence.words));
  await bench.page.getByRole("button", { name: "Propose a repair" }).click();
  await bench.page.getByRole("heading", { name: "A repair was found and passes the check." }).waitFor();
  await bench.until("After", (rows) => rows.length === 1 && rows[0].price === later[0].price && rows[0].title === later[0].title);
  await bench.page.getByRole("button", { name: "Refuse" }).click(); // first no
  await bench.said("The repair was refused");
  assert.equal((await bench.api("GET", "sites/default/wrappers")).wrappers.length, 1);
  await bench.page.getByRole("button", { name: "Propose a repair" }).click();
  await bench.page.getByRole("button", { name: "Accept as version 2" }).click(); // then yes
  await bench.said("books is now at version 2");
  const { pages } = await bench.api("POST", "sites/default/extract", { wrapper: "books" });
  assert.deepEqual(pages.map((one) => { const r = one.found.record ?? one.found.records[0]; return [r.title.value, r.price.value]; }), later.map((b) => [b.title, b.price]));
  await bench.page.getByRole("button", { name: "Check now" }).click();
  await bench.said("books is fine");
  await bench.page.getByRole("button", { name: /^Undo: repair of books/ }).click();
  await bench.said("Undone");
  assert.equal((await bench.api("GET", "sites/default/wrappers")).wrappers.length, 1);
});
