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
