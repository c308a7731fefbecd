// Pictures of every view, light and dark, at 390, 1280 and 1920 pixels: node screenshots.mjs THRESH FOLDER [VIEW]...
// Those of docs/, each once: node screenshots.mjs THRESH docs/workbench --docs [PICTURE]... (`make pictures`)
//
// Without a view, or a picture, all of them.
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { Bench, launch } from "./harness.mjs";
import { change } from "./life_flows.mjs";
import { addField } from "./nested_flows.mjs";
import { addWithNextPages, learn, Shop } from "./time_flows.mjs";
import { authored, awarded, picked } from "./question_flows.mjs";
import { withPalette } from "./palette_png.mjs";
import { shopPage, things } from "./shop_pages.mjs";
import { authorlessPage, books, detailPage, oddPage, plainerPage, pricelessPage, reviewedPage, reviews } from "./pages_of_ours.mjs";

const EXAMPLES = fileURLToPath(new URL("../../examples/pages/", import.meta.url));
const [thresh, folder, ...rest] = process.argv.slice(2), forDocs = rest[0] === "--docs", wanted = forDocs ? rest.slice(1) : rest;

const waitForJobs = async (bench) => {
  while ((await bench.api("GET", "jobs")).jobs.some((job) => job.state === "waiting" || job.state === "running")) await bench.page.waitForTimeout(50);
};
const name = async (bench, field) => {
  await bench.page.getByLabel("Name of a new field").fill(field);
  await bench.page.getByRole("button", { name: "Add field" }).click();
};

// A project with some life in it: lists, labelled pages, wrappers, runs, a change of the layout.
async function furnish(bench) {
  const before = books(10).map((book, i) => ({ ...book, old: i % 3 === 1 ? `${60 + i}.00 EUR` : "", club: i % 3 === 2 ? `${5 + i}.10 EUR` : "" }));
  await bench.choose(["bikes.html", "books.html", "concerts.html"].map((one) => join(EXAMPLES, one)));
  await bench.said("3 pages added");
  await bench.view("Lists");
  await bench.until("Records", (rows) => rows.length > 3);
  await bench.page.getByLabel("Name of the extractor").fill("bikes");
  await bench.page.getByRole("button", { name: "Save as extractor" }).click();
  await bench.said("Saved");
  for (let i = 0; i < 3; i++) await bench.api("POST", "sites/default/run", { wrapper: "bikes" });
  await waitForJobs(bench);
  return before;
}

const site = async (bench, named) => {
  await bench.page.getByRole("button", { name: "New site" }).click();
  await bench.page.getByLabel("Name of the new site").fill(named);
  await bench.page.getByRole("button", { name: "Use" }).click();
};

const howFound = async (bench, engine, drawn) => {
  await bench.page.getByLabel("Engine").selectOption(engine);
  await bench.page.locator(".candidates small", { hasText: engine }).first().waitFor();
  await bench.page.locator(".how-found > summary").click();
  await bench.page.locator(drawn).first().waitFor();
};

const VIEWS = {
  pages: async (bench) => { await furnish(bench); await bench.view("Pages"); },
  thumbnails: async (bench) => { await furnish(bench); await bench.view("Pages"); await bench.page.getByLabel("as they look").check(); await bench.page.waitForTimeout(600); },
  lists: async (bench) => { await furnish(bench); },
  iepad: async (bench) => {
    await furnish(bench);
    await bench.page.getByRole("navigation").getByRole("button", { name: "concerts.html" }).click();
    await bench.page.getByLabel("Engine").selectOption("iepad");
    await bench.until("Records", (rows) => rows.length > 3);
    await bench.page.getByLabel("grey the template").check();
  },
  source: async (bench) => { await furnish(bench); await bench.page.getByLabel("source").check(); await bench.page.locator(".source mark").first().waitFor(); },
  labels: async (bench) => {
    const truth = await furnish(bench);
    await bench.view("Pages");
    await site(bench, "shop");
    await bench.choose(await bench.write("in", Object.fromEntries(truth.map((book, i) => [`${i}.html`, detailPage(book)]))));
    await bench.said("10 pages added");
    await bench.view("Labels");
    await bench.page.getByLabel("Engine").selectOption("stalker");
    await name(bench, "title");
    await bench.clickText(truth[0].title);
    await bench.page.getByRole("button", { name: /^Undo: title/ }).waitFor();
    await name(bench, "price");
    await bench.clickText(truth[0].price);
    await bench.page.locator(".question").waitFor();
    return truth;
  },
  done: async (bench) => {
    const truth = await VIEWS.labels(bench), said = bench.page.locator(".question-head p, .done");
    for (let text = "", last = ""; !text.startsWith("Done"); last = text) {
      for (text = last; text === last || !text;) { await bench.page.waitForTimeout(50); text = (await said.allInnerTexts())[0] ?? ""; }
      const [, field, page] = /Which one is (\w+) on (\d)\.html/.exec(text) ?? [];
      if (field) await bench.page.locator(".answers").getByRole("button", { name: truth[page][field] }).first().click();
    }
  },
  wrappers: async (bench) => { await furnish(bench); await bench.view("Extractors"); await bench.page.locator(".rules").waitFor(); },
  transducer: async (bench) => {
    await VIEWS.labels(bench);
    await bench.page.getByLabel("Engine").selectOption("softmealy");
    await bench.page.getByText("Learnt with softmealy").waitFor();
    await bench.page.getByLabel("Name of the extractor").fill("books");
    await bench.page.getByRole("button", { name: "Save as extractor" }).click();
    await bench.said("Saved");
    await bench.view("Extractors");
    await bench.page.locator(".graph-box svg").waitFor();
  },
  landmarks: async (bench) => {
    await VIEWS.labels(bench);
    await bench.page.getByLabel("Name of the extractor").fill("books");
    await bench.page.getByRole("button", { name: "Save as extractor" }).click();
    await bench.said("Saved");
    await bench.view("Extractors");
    await bench.page.getByLabel("Marked on the page: what finds").selectOption("price");
    await bench.page.locator(".page-now").scrollIntoViewIfNeeded();
  },
  nested: async (bench) => {
    const truth = books(6).map((book, i) => ({ ...book, reviews: reviews(i) }));
    await bench.choose(await bench.write("in", Object.fromEntries(truth.map((book, i) => [`${i}.html`, reviewedPage(book, book.reviews)]))));
    await bench.said("6 pages added");
    await bench.view("Labels");
    await addField(bench, "title");
    await bench.clickExactly(truth[0].title);
    await addField(bench, "who", "reviews");
    await addField(bench, "text", "reviews");
    await bench.page.getByRole("radio", { name: "reviews.who" }).click();
    for (const { who, text } of truth[0].reviews) for (const value of [who, text]) {
      await bench.clickExactly(value);
      await bench.page.getByRole("button", { name: `: ${value.slice(0, 30)}` }).first().waitFor();
    }
    await bench.until("What was found", (rows) => rows.length === 6);
  },
  several: async (bench) => {
    await bench.choose(await bench.write("in", authored()));
    await bench.said("9 pages added");
    const [first] = books(1);
    await bench.api("PUT", "sites/default/labels", { page: "0.html", records: [{ title: first.title, author: first.author }] });
    await bench.view("Labels");
    await bench.page.locator(".question .answer").first().waitFor();
    await bench.page.getByRole("button", { name: "Show it on the page" }).click();
  },
  tables: async (bench) => {
    await bench.choose(await bench.write("in", picked()));
    await bench.said("9 pages added");
    await bench.api("PUT", "sites/default/labels", { page: "0.html", records: [{ title: books(1)[0].title, reviews: reviews(0).map(({ who, text }) => ({ who, text })) }] });
    await bench.view("Labels");
    await bench.page.locator(".question .answer table").first().waitFor();
    await bench.page.getByRole("button", { name: "Show it on the page" }).click();
  },
  newtext: async (bench) => {
    await bench.choose(await bench.write("in", awarded()));
    await bench.said("9 pages added");
    const [first] = books(1);
    await bench.api("PUT", "sites/default/labels", { page: "0.html", records: [{ title: first.title, price: first.price }] });
    await bench.view("Labels");
    await bench.page.locator(".question .new-text").waitFor();
    await bench.page.getByRole("button", { name: "Show it on the page" }).click();
    await bench.marks((all) => all.some((mark) => mark.kind === "asked"));
  },
  records: async (bench) => { await furnish(bench); await bench.view("Results"); await bench.until("Records of the run", (rows) => rows.length > 3); },
  template: async (bench) => {
    const truth = books(10).map((book, i) => ({ ...book, reviews: reviews(i) }));
    await bench.choose(await bench.write("in", Object.fromEntries(truth.map((book, i) => [`${i}.html`, reviewedPage(book, book.reviews)]))));
    await bench.said("10 pages added");
    await bench.view("Compare pages");
    await bench.until("What the pages give", (rows) => rows.length === 10);
  },
  published: async (bench) => {
    await VIEWS.template(bench);
    await bench.page.getByLabel("as published").check();
    await bench.page.getByLabel("SIZETHRES").fill("5");
    await bench.page.waitForTimeout(600);
  },
  drift: async (bench) => { await VIEWS.life(bench); await bench.view("Pages"); await bench.page.locator(".drift-cell").first().waitFor(); },
  changed: async (bench) => {
    await change(bench, 12, plainerPage, ["author"]);
    await bench.view("Monitor");
    await bench.page.getByRole("button", { name: "Check now" }).click();
    await bench.said("books still reads");
    await bench.page.locator(".evidence li.mild").first().waitFor();
  },
  changedpages: async (bench) => { await VIEWS.changed(bench); await bench.view("Pages"); await bench.page.locator(".drift-cell").first().waitFor(); },
  lost: async (bench) => {
    await change(bench, 12, authorlessPage, ["author"]);
    await bench.view("Monitor");
    await bench.page.getByRole("button", { name: "Check now" }).click();
    await bench.said("books drifts");
    await bench.page.getByRole("button", { name: "Propose a repair" }).click();
    await bench.page.locator(".repair .why").waitFor();
    await bench.page.waitForTimeout(500);
  },
  fields: async (bench) => {
    await change(bench, 12, pricelessPage, ["author"]);
    await bench.view("Monitor");
    await bench.page.getByRole("button", { name: "Check now" }).click();
    await bench.page.locator(".evidence li.bad").first().waitFor();
  },
  versions: async (bench) => {
    await VIEWS.repair(bench);
    await bench.page.getByRole("button", { name: "Accept as version 2" }).click();
    await bench.said("books is now at version 2");
    await bench.page.getByRole("button", { name: "Check now" }).click();
    await bench.said("books is fine");
    await bench.page.getByRole("button", { name: "Go back to version 1" }).click();
    await bench.page.getByRole("button", { name: "Go back to version 2" }).waitFor();
    await bench.page.locator(".versions", { hasText: "the same as version 1" }).waitFor();
  },
  // a site over time: prices rise, a page fails, a page comes, the layout changes
  watched: async (bench, changes = 5) => {
    const shop = await Shop.open(bench, 3);
    await addWithNextPages(bench, shop);
    await bench.page.getByText("It stopped at the last page").waitFor();
    await learn(bench);
    const steps = [() => {}, () => { shop.dearer = true; }, () => {}, () => { shop.pages = 2; }, () => { shop.pages = 3; }, () => { shop.look = "new"; }];
    for (const act of steps.slice(0, changes + 1)) {
      act();
      await bench.api("POST", "sites/default/monitor", { wrapper: "books" });
      await waitForJobs(bench);
    }
    await bench.view("Monitor");
    await bench.page.locator(".bar-of").nth(changes).waitFor();
  },
  schedule: async (bench) => {
    await VIEWS.watched(bench);
    await bench.api("PUT", "sites/default/schedules", { wrapper: "books", every: 21600, webhook: "https://example.org/alarm" });
    const panel = bench.page.getByRole("region", { name: "Check by itself" });
    await panel.getByText("Next check:").waitFor();
    await bench.page.locator(".evidence li").first().waitFor();
  },
  compare: async (bench) => {
    await VIEWS.watched(bench, 1);
    await bench.page.getByText("Compare two runs").click();
    await bench.until("Records that have changed", (all) => all.length > 0);
    await bench.page.getByText("Compare two runs").scrollIntoViewIfNeeded();
  },
  // how the engines of the papers find a list
  alignment: async (bench) => {
    await VIEWS.shop(bench);
    await howFound(bench, "iepad", ".alignment td");
  },
  tree: async (bench) => {
    await VIEWS.shop(bench);
    await howFound(bench, "mdr", ".generalized-number");
  },
  // the shop in its styles
  start: async (bench) => { await bench.page.getByRole("button", { name: "Try it with a sample" }).waitFor(); },
  shop: async (bench) => {
    await bench.choose(await bench.write("in", { "kitchen.html": shopPage(12), "garden.html": shopPage(9, 3) }));
    await bench.said("2 pages added");
    await bench.view("Lists");
    await bench.until("Records", (rows) => rows.length === 12);
    await bench.marks((all) => all.length > 10);
  },
  pointed: async (bench) => {
    await bench.choose(await bench.write("in", { "kitchen.html": shopPage(12), "garden.html": shopPage(9, 3) }));
    await bench.said("2 pages added");
    await bench.view("Labels");
    await bench.page.getByRole("navigation").getByRole("button", { name: "kitchen.html" }).click();
    await bench.page.getByTitle("The page kitchen.html").waitFor();
  },
  all: async (bench) => {
    await VIEWS.pointed(bench);
    await bench.clickExactly(things(12)[1].title);
    await bench.page.getByRole("dialog", { name: "Take this value" }).getByRole("button", { name: "All 12 like this" }).waitFor();
  },
  columns: async (bench) => {
    await VIEWS.pointed(bench);
    for (const [text, name] of [[things(12)[1].title, "title"], [things(12)[1].price, "price"], [things(12)[1].said, "since"]]) {
      await bench.clickExactly(text);
      const dialog = bench.page.getByRole("dialog", { name: "Take this value" });
      await dialog.getByLabel("Name of the field").fill(name);
      await dialog.getByRole("button", { name: "All 12 like this" }).click();
      await bench.until("What was found", (rows) => rows.length >= 12 && name in rows[0]);
    }
  },
  menu: async (bench) => {
    await VIEWS.columns(bench);
    await bench.page.getByRole("button", { name: "Change since", exact: true }).click();
    await bench.page.getByRole("dialog", { name: "Change since" }).waitFor();
  },
  hover: async (bench) => {
    await VIEWS.columns(bench);
    const card = bench.page.frameLocator(".frame-box iframe").locator(".card h3").nth(2);
    await card.hover();
  },
  arabic: async (bench) => {
    await VIEWS.shop(bench);
    await bench.page.locator("select.language").selectOption("ar");
    await bench.page.locator("html[dir=rtl]").waitFor();
    await bench.page.locator("#tab-lists").click();
    await bench.marks((all) => all.length > 10);
  },
  contrast: async (bench) => { await bench.page.emulateMedia({ contrast: "more", colorScheme: "dark" }); await VIEWS.columns(bench); },
  // what is at the edge: nothing yet, nothing found, other scripts, long names and values, errors
  empty: async (bench) => { await bench.view("Pages"); },
  nothing: async (bench) => { await bench.choose(await bench.write("in", { "plain.html": "<p>One sentence, and no list.</p>" })); await bench.page.getByText("No list of records").waitFor(); },
  alone: async (bench) => { await VIEWS.nothing(bench); await bench.view("Compare pages"); await bench.page.getByText("a template needs two pages").waitFor(); },
  odd: async (bench) => { await bench.choose(await bench.write("in", { "كتب في المتجر.html": oddPage() })); await bench.until("Records", (rows) => rows.length === 6); },
  oddlabels: async (bench) => {
    await VIEWS.odd(bench);
    await bench.view("Labels");
    await bench.page.getByLabel("a list of records").check();
    await addField(bench, "a_name_of_a_field_that_goes_on_and_on_much_longer_than_anybody_would_want_to_type");
    await bench.clickText("كتاب 1");
    await bench.page.locator(".undo", { hasText: "كتاب" }).waitFor();
    await bench.clickText("كتاب 2");
    await bench.page.waitForTimeout(1500);
  },
  oddrecords: async (bench) => {
    await VIEWS.odd(bench);
    await bench.page.getByLabel("Name of the extractor").fill("a name of a wrapper that is rather long for one");
    await bench.page.getByRole("button", { name: "Save as extractor" }).click();
    await bench.said("Saved");
    await bench.view("Extractors");
    await bench.page.getByRole("button", { name: "Run on all pages" }).click();
    await bench.until("Records of the run", (rows) => rows.length === 6);
  },
  unlearnt: async (bench) => {
    await bench.choose(await bench.write("in", Object.fromEntries(books(3).map((book, i) => [`${i}.html`, detailPage(book)]))));
    await bench.said("3 pages added");
    await bench.api("PUT", "sites/default/labels", { page: "0.html", records: [{ title: "A title that stands nowhere" }] });
    await bench.view("Labels");
    await bench.page.locator(".why").waitFor();
  },
  life: async (bench) => {
    await change(bench);
    await bench.view("Monitor");
    await bench.page.getByRole("button", { name: "Check now" }).click();
    await bench.said("books drifts");
    await bench.page.locator(".evidence li.bad").first().waitFor();
  },
  repair: async (bench) => {
    await VIEWS.life(bench);
    await bench.page.getByRole("button", { name: "Propose a repair" }).click();
    await bench.page.getByRole("button", { name: "Accept as version 2" }).waitFor();
    await bench.until("After", (rows) => rows.length > 0);
  },
};

// ---- the pictures of docs/ ----

// What they show, and how: the view above, in the dark, with this height, with the pointer where it is.
const PICTURES = {
  start: {},
  lists: { view: "shop" },
  hover: { pointed: true },
  all: {},
  menu: { dark: true },
  questions: { view: "labels" },
  several: {},
  newtext: {},
  nested: {},
  template: {},
  transducer: {},
  landmarks: {},
  drift: {},
  fields: {},
  lost: {},
  versions: { dark: true },
  changed: {},
  schedule: { height: 1000 },
  compare: { height: 900 },
  tree: { height: 900 },
  alignment: { height: 900 },
  results: { view: "records" },
  arabic: {},
  contrast: {},
};

// The same on every machine and every day: times count from one morning on, and the project lies in a folder of everybody's.
async function settle(bench) {
  const times = new Map(), first = Date.UTC(2026, 4, 4, 9, 30);
  const fixed = (time) => {
    const ahead = Math.round((Date.parse(time) - Date.now()) / 3_600_000); // hours, of what is to come
    if (!times.has(time)) times.set(time, new Date(first + (ahead > 0 ? ahead * 3_600_000 : 0) + times.size * 60_000).toISOString().replace(/[.]\d+/, ""));
    return times.get(time);
  };
  await bench.page.clock.setFixedTime(new Date(first + 3_600_000));
  await bench.page.route(/\/api\/v1\/(?!events|pages)/, async (route) => {
    try {
      const response = await route.fetch(), type = response.headers()["content-type"] ?? "";
      if (!type.startsWith("application/json")) { await route.fulfill({ response }); return; }
      const text = (await response.text()).replaceAll(bench.folder, "/home/me").replace(/http:\/\/127[.]0[.]0[.]1:\d+\//g, "https://shop.example/").replace(/"20\d\d-\d\d-\d\dT[\d:.]+Z"/g, (time) => `"${fixed(time.slice(1, -1))}"`);
      await route.fulfill({ response, body: text });
    } catch { /* the window may be gone */ }
  });
}

async function takePictures(browser, names) {
  for (const [name, how] of Object.entries(PICTURES)) {
    if (names.length && !names.includes(name)) continue;
    const bench = await Bench.start(thresh, browser, { dark: how.dark, viewport: { width: 1280, height: how.height ?? 800 } });
    await settle(bench);
    await bench.page.reload();
    await VIEWS[how.view ?? name](bench);
    if (!how.pointed) await bench.page.mouse.move(0, 0);
    await bench.page.waitForFunction(() => !document.querySelector(".frame-box[aria-busy=true], .beside"));
    await writeFile(join(folder, `${name}.png`), withPalette(await bench.page.screenshot({ animations: "disabled", caret: "hide" })));
    console.log(`${name}${bench.problems.length ? `: ${bench.problems}` : ""}`);
    await bench.stop();
  }
  if (!names.length) for (const file of await readdir(folder)) if (!(file.replace(/[.]png$/, "") in PICTURES)) await rm(join(folder, file));
}

const browser = await launch();
await mkdir(folder, { recursive: true });
if (forDocs) await takePictures(browser, wanted);
else for (const view of wanted.length ? wanted : Object.keys(VIEWS)) {
  const bench = await Bench.start(thresh, browser);
  await VIEWS[view](bench);
  for (const dark of [false, true])
    for (const [width, height] of [[390, 844], [1280, 800], [1920, 1080]]) {
      await bench.page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
      await bench.page.setViewportSize({ width, height });
      await bench.page.mouse.move(0, 0);
      await bench.page.waitForTimeout(250);
      await bench.page.screenshot({ path: join(folder, `${view}-${dark ? "dark" : "light"}-${width}.png`), fullPage: width === 390 });
    }
  console.log(`${view}${bench.problems.length ? `: ${bench.problems}` : ""}`);
  await bench.stop();
}
await browser.close();
