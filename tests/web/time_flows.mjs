// Sites over time: next pages, fetching again, schedules and alarms, runs beside each other.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { dirname, join, resolve } from "node:path";
import { violations } from "./accessibility.mjs";
import { flow, PATIENCE, test } from "./harness.mjs";
import { books } from "./pages_of_ours.mjs";

const ITEMS = 8; // of a list page

// A shop whose list goes on over several pages, and a place where alarms arrive.
export class Shop {
  constructor(pages = 5) { Object.assign(this, { pages, look: "old", dearer: false, failing: new Set(), posted: [], held: null }); }
  static async open(bench, pages) {
    const shop = new Shop(pages);
    shop.server = createServer((request, answer) => {
      if (request.method === "POST") {
        let body = "";
        request.setEncoding("utf8").on("data", (part) => { body += part; }).on("end", () => { shop.posted.push(JSON.parse(body)); answer.writeHead(200).end("thank you"); });
        return;
      }
      const page = Number(/^\/list(\d+)$/.exec(request.url)?.[1] ?? 0), there = page >= 1 && page <= shop.pages && !shop.failing.has(page);
      answer.writeHead(there ? 200 : page ? 500 : 404, { "Content-Type": "text/html; charset=utf-8" }).end(there ? shop.html(page) : "no");
    });
    await new Promise((done) => shop.server.listen(0, "127.0.0.1", done));
    (bench.hosts ??= []).push(shop.server);
    return shop;
  }
  books(page) { return books(ITEMS, (page - 1) * ITEMS); }
  url(path = "list1") { return `http://127.0.0.1:${this.server.address().port}/${path}`; }
  price(book) { return this.dearer ? book.price.replace(/\d+/, (whole) => String(Number(whole) + 100)) : book.price; }
  html(page) {
    const rows = this.books(page).map((book) => (this.look === "old"
      ? `<li class=book><h3><a href="/b/${encodeURIComponent(book.title)}">${book.title}</a></h3><p class=by>${book.author}</p><b>${this.price(book)}</b></li>`
      : `<tr><td><i>${this.price(book)}</i></td><td><span>${book.author}</span></td><td><em><a href="/b/${encodeURIComponent(book.title)}">${book.title}</a></em></td></tr>`)).join("");
    const next = page < this.pages ? `<a rel=next href="/list${page + 1}">Next page</a>` : "";
    return `<!doctype html><title>Books, page ${page}</title><h1>All books</h1>${this.look === "old" ? `<ul>${rows}</ul>` : `<table><tbody>${rows}</tbody></table>`}<nav>Page ${page} ${next}</nav><footer>Our shop</footer>`;
  }
}

const came = (bench) => bench.page.getByRole("form", { name: "A URL and its next pages" }).getByRole("status");
const until = async (bench, good, what) => {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await bench.page.waitForTimeout(50)) { const found = await good(); if (found) return found; }
  throw new Error(`never: ${what}`);
};

export async function addWithNextPages(bench, shop, most) {
  await bench.page.getByLabel("URL of the first page").fill(shop.url());
  if (most) await bench.page.getByLabel("Pages at most").fill(String(most));
  await bench.page.getByRole("button", { name: "Add with next pages" }).click();
}

// A list of the first page as an extractor, by the API: how it is made is the business of other tests.
export async function learn(bench) {
  const { wrapper } = await bench.api("POST", "sites/default/learn", {});
  await bench.api("POST", "sites/default/wrappers", { name: "books", wrapper });
}

flow("next pages of a local site", async (bench, step) => {
  const shop = await Shop.open(bench, 5), names = (count) => Array.from({ length: count }, (_, i) => shop.url(`list${i + 1}`));
  const pages = async () => (await bench.api("GET", "sites/default/pages")).pages.map((page) => page.name).sort();
  await step("add the first two pages", async () => {
    assert.equal(await bench.page.getByLabel("Pages at most").inputValue(), "10");
    await addWithNextPages(bench, shop, 2);
    await came(bench).getByText("It stopped at the limit: there are more pages.").waitFor();
    assert.deepEqual(await pages(), names(2));
  });
  await step("add all of them", async () => {
    await addWithNextPages(bench, shop, 10);
    await came(bench).getByText("It stopped at the last page: there is no link to a next one.").waitFor();
    assert.deepEqual(await pages(), names(5));
  });
  await step("undo", async () => {
    await bench.page.getByRole("button", { name: /^Undo: \d pages? added/ }).click();
    await until(bench, async () => (await pages()).length < 5, "fewer pages");
    await addWithNextPages(bench, shop, 10);
    await until(bench, async () => (await pages()).length === 5, "all pages");
  });
  await step("fetch again what has changed", async () => {
    shop.dearer = true;
    shop.failing.add(4);
    await bench.page.getByRole("button", { name: "Fetch all again" }).click();
    await bench.page.getByText("4 pages have changed, 0 are as they were.").waitFor();
    await bench.page.locator(".failures", { hasText: /list4: .*500/ }).waitFor();
    shop.failing.clear();
    await bench.page.getByRole("button", { name: `Fetch again: ${shop.url("list4")}` }).click();
    await bench.page.getByText("1 page has changed, 0 are as they were.").waitFor();
    const all = (await bench.api("GET", "sites/default/pages?all=1")).pages;
    assert.equal(all.filter((page) => page.name === shop.url("list4")).length, 2);
    assert.equal(all.filter((page) => page.name === shop.url()).length, 2);
  });
});

test("a URL that cannot be followed says why", async (bench) => {
  const shop = await Shop.open(bench);
  await bench.page.getByLabel("URL of the first page").fill("shop/list");
  await bench.page.getByRole("button", { name: "Add with next pages" }).click();
  await bench.page.getByText("A URL begins with https:// or http://").waitFor();
  shop.failing.add(1);
  await addWithNextPages(bench, shop);
  await came(bench).getByText(/list1: .*500/).waitFor();
  assert.equal(await bench.page.getByLabel("URL of the first page").inputValue(), shop.url()); // to be tried again
});

flow("schedule and alarm", async (bench, step) => {
  const shop = await Shop.open(bench, 3), panel = bench.page.getByRole("region", { name: "Check by itself" });
  const runs = async () => (await bench.api("GET", "sites/default/runs")).runs.filter((run) => run.finished && run.command === "monitor");
  await step("add a site and an extractor", async () => {
    await addWithNextPages(bench, shop);
    await came(bench).getByText("It stopped at the last page").waitFor();
    await until(bench, async () => { await learn(bench); return true; }, "an extractor");
  });
  await step("check once by hand", async () => {
    await bench.view("Monitor");
    await bench.page.getByRole("button", { name: "Fetch again and check" }).click();
    await bench.said("books is fine");
    assert.deepEqual((await runs()).map((run) => [run.pages, run.records, run.verdict]), [[3, 3 * ITEMS, "fine"]]);
  });
  await step("set a schedule with a webhook", async () => {
    await panel.getByLabel("Every", { exact: true }).first().check();
    await panel.getByRole("spinbutton", { name: "Every" }).fill("1");
    await panel.getByLabel("Unit").selectOption("minutes");
    await panel.getByLabel("Webhook").fill(shop.url("alarm"));
    await panel.getByRole("button", { name: "Start" }).click();
    await panel.getByText("Next check:").waitFor();
    await panel.getByText("This works only while the server is running").waitFor();
    const { schedules } = await bench.api("GET", "sites/default/schedules");
    assert.deepEqual(schedules.map((one) => [one.wrapper, one.every, one.webhook, one.paused]), [["books", 60, shop.url("alarm"), false]]);
  });
  await step("send a test", async () => {
    await panel.getByRole("button", { name: "Send a test" }).click();
    await panel.getByText("the webhook took it").waitFor();
    assert.equal(shop.posted.at(-1).test, true);
  });
  await step("the site changes its template", async () => {
    shop.look = "new";
    // no minute is waited for here: the schedule is set to seconds as the window set it to minutes
    await bench.api("PUT", "sites/default/schedules", { wrapper: "books", every: 2, webhook: shop.url("alarm") });
    const alarm = await until(bench, async () => shop.posted.find((one) => !one.test), "an alarm");
    await bench.api("PUT", "sites/default/schedules", { wrapper: "books", every: 3600, webhook: shop.url("alarm") });
    assert.deepEqual([alarm.site, alarm.extractor, alarm.verdict], ["default", "books", "drift"]);
    await bench.page.locator(".bar-of.bad").first().waitFor();
    await panel.getByText(/Last check: .*drift/).waitFor();
    await panel.getByText("Last alarm:").waitFor();
    await bench.page.locator(".evidence li.bad").first().waitFor();
    const bad = (await runs()).find((run) => run.verdict === "drift");
    assert.equal(bad.records, 0);
  });
  await step("remove the schedule, and undo that", async () => {
    await panel.getByRole("button", { name: "Remove" }).click();
    await panel.getByText("Not scheduled.").waitFor();
    await bench.page.getByRole("button", { name: "Undo: schedule of books" }).click();
    await panel.getByText("Next check:").waitFor();
    assert.equal((await bench.api("GET", "sites/default/schedules")).schedules[0].every, 3600);
  });
});

test("the line for cron does what the schedule does", async (bench) => {
  const shop = await Shop.open(bench, 2);
  await addWithNextPages(bench, shop);
  await came(bench).getByText("It stopped at the last page").waitFor();
  await learn(bench);
  await bench.view("Monitor");
  const panel = bench.page.getByRole("region", { name: "Check by itself" });
  await panel.getByText("Without the workbench").click();
  const line = await panel.locator(".cron code").innerText();
  assert.match(line, /^0 6 \* \* \* thresh monitor --project \//);
  const command = line.split(" ").slice(5).join(" ").replaceAll("\\%", "%");
  const done = await new Promise((resolve_) => {
    // not spawnSync: the shop is in this process
    import("node:child_process").then(({ execFile }) => execFile("sh", ["-c", command], { cwd: "/", env: { ...process.env, PATH: `${dirname(resolve(bench.thresh))}:${process.env.PATH}` } }, (error, stdout, stderr) => resolve_({ code: error?.code ?? 0, stdout, stderr })));
  });
  assert.equal(done.code, 0, done.stderr);
  const told = JSON.parse(done.stdout);
  assert.deepEqual([told.pages, told.records, told.verdict], [2, 2 * ITEMS, "fine"]);
  const [run] = (await bench.api("GET", "sites/default/runs")).runs;
  assert.deepEqual([run.command, run.wrapper, run.pages, run.records, run.verdict], ["monitor", "books", 2, 2 * ITEMS, "fine"]);
});

test("runs as a chart, and two of them beside each other", async (bench) => {
  const shop = await Shop.open(bench, 3);
  await addWithNextPages(bench, shop);
  await came(bench).getByText("It stopped at the last page").waitFor();
  await learn(bench);
  await bench.view("Monitor");
  const check = async () => { await bench.page.getByRole("button", { name: "Fetch again and check" }).click(); await bench.said("books is fine"); };
  await check();
  shop.dearer = true;
  shop.pages = 2;
  await bench.view("Pages");
  await bench.view("Monitor");
  await bench.page.getByRole("button", { name: "Fetch again and check" }).click();
  await bench.page.locator(".bar-of").nth(1).waitFor();
  const [after, before] = (await bench.api("GET", "sites/default/runs")).runs.map((run) => run.id);
  await bench.page.locator(`.bar-of.chosen[data-run="${after}"]`).waitFor();
  await bench.page.getByRole("button", { name: "Fetch again and check", disabled: false }).waitFor();
  // the keyboard goes from run to run
  await bench.page.locator(".bar-of.chosen").focus();
  await bench.page.keyboard.press("ArrowLeft");
  await bench.page.keyboard.press("Enter");
  await bench.page.getByRole("heading", { name: new RegExp(`^Run ${before}:`) }).waitFor();
  // the table behind it
  await bench.page.getByText("The chart as a table").click();
  const rows = await bench.rows("Runs, the oldest first");
  assert.deepEqual(rows.map((row) => [row.Run, row.Records, row.title]), [[String(before), "24", "100%"], [String(after), "16", "100%"]]);
  // beside each other
  await bench.page.getByText("Compare two runs").click();
  await bench.page.getByText("16 changed").waitFor();
  const changed = await bench.until("Records that have changed", (all) => all.length === 16);
  assert.equal(changed.length, 16);
  await bench.page.getByLabel("8 removed").check();
  const removed = await bench.until("Records that were removed", (all) => all.length === 8);
  assert.deepEqual(removed.map((row) => row.title), shop.books(3).map((book) => book.title));
  await bench.page.getByLabel("Found again by").selectOption("price");
  await bench.page.getByText("24 removed").waitFor();
});

test("axe finds nothing in a site over time, and nothing is cut off on a phone", async (bench) => {
  const shop = await Shop.open(bench, 3), shots = process.env.THRESH_SHOTS;
  const look = async (what) => {
    for (const colorScheme of ["light", "dark"]) {
      await bench.page.emulateMedia({ colorScheme });
      assert.deepEqual(await violations(bench.page), [], `${what}, ${colorScheme}`);
      if (shots) await bench.page.screenshot({ path: join(shots, `time-${what}-${colorScheme}.png`), fullPage: true });
    }
    await bench.page.emulateMedia({ colorScheme: "light" });
  };
  const narrow = async (what) => assert.ok((await bench.page.evaluate(() => document.documentElement.scrollWidth)) <= 390, `${what} is wider than the window`);
  const job = async (path, body) => { const { job: id } = await bench.api("POST", path, body); return until(bench, async () => { const told = await bench.api("GET", `jobs/${id}`); return told.state === "done" && told; }, path); };
  shop.failing.add(3);
  await addWithNextPages(bench, shop);
  await came(bench).getByText("It stopped where a page could not be read.").waitFor();
  await look("added");
  shop.failing.clear();
  await learn(bench);
  await job("sites/default/monitor", { wrapper: "books" });
  shop.dearer = true;
  await job("sites/default/monitor", { wrapper: "books" });
  shop.look = "new";
  await job("sites/default/monitor", { wrapper: "books" });
  await bench.api("PUT", "sites/default/schedules", { wrapper: "books", every: 3600, webhook: shop.url("alarm") });
  await job("sites/default/alarm", { wrapper: "books" });
  await bench.view("Monitor");
  const panel = bench.page.getByRole("region", { name: "Check by itself" });
  await panel.getByText("the webhook took it").waitFor();
  await look("monitor");
  await panel.getByText("Without the workbench").click();
  await bench.page.getByText("The chart as a table").click();
  await bench.page.getByText("Compare two runs").click();
  await bench.until("Records that have changed", (all) => all.length > 0);
  await look("opened");
  await bench.page.setViewportSize({ width: 390, height: 844 });
  await narrow("Monitor");
  await look("phone");
  await bench.view("Pages");
  await narrow("Pages");
  await look("phone-pages");
});
