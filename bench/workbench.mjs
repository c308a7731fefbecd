// How quick the workbench is, in a real browser and over plain HTTP: node bench/workbench.mjs THRESH [NAME]...
//
// The names are page, dense, learning, rows, requests and cancel. Figures are medians of several rounds.
import { Agent, request } from "node:http";
import { readdirSync, readFileSync } from "node:fs";
import { Bench, launch } from "../tests/web/harness.mjs";
import { books, changedPage, detailPage, largePage, listPage } from "../tests/web/pages_of_ours.mjs";

const [thresh, ...wanted] = process.argv.slice(2);
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const ms = (values) => `${median(values).toFixed(0)} ms (${values.map((one) => one.toFixed(0)).join(", ")})`;
// Seconds of processor time that the browser and the server have used: what a busy machine does not change.
function used() {
  const parents = new Map(), times = new Map();
  for (const pid of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
    try {
      const parts = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
      parents.set(Number(pid), Number(parts[1]));
      // the scheduler counts nanoseconds, the usual statistics hundredths of a second
      const threads = readdirSync(`/proc/${pid}/task`).map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]));
      times.set(Number(pid), threads.reduce((sum, one) => sum + one, 0) / 1e9);
    } catch { /* it has ended meanwhile */ }
  }
  const mine = (pid) => { for (let at = parents.get(pid); at; at = parents.get(at)) if (at === process.pid) return true; return false; };
  return [...times.keys()].filter(mine).reduce((sum, pid) => sum + times.get(pid), 0);
}
const clock = async (work) => { const began = performance.now(); await work(); return performance.now() - began; };
const name = async (bench, field) => {
  await bench.page.getByLabel("Name of a new field").fill(field);
  await bench.page.getByRole("button", { name: "Add field" }).click();
};
const settled = (bench) => bench.page.locator(".learnt", { hasText: "Learnt with" }).waitFor();

const STYLES = `<style>body { font: 15px/1.5 serif; background: #f6f1e7; margin: 0 } .nav { position: sticky; top: 0; background: #354; color: #fff; display: flex; gap: 20px }
ul.books { display: grid; grid-template-columns: repeat(auto-fill, minmax(180px, 1fr)); gap: 16px; padding: 20px; list-style: none } .book { background: #fff; border-radius: 8px; box-shadow: 0 2px 8px #0002; padding: 12px }
.book h3 { margin: 0 } .price { color: #a33; font-weight: bold }</style></head>`;

// Milliseconds between two frames while a page in the frame is scrolled, a step a frame.
const scrolled = (bench) => bench.page.evaluate(() => new Promise((resolve) => {
  const box = document.querySelector(".frame-box iframe").contentDocument.scrollingElement, times = [];
  let last = performance.now();
  const step = (now) => { times.push(now - last); last = now; box.scrollTop += 50; if (times.length < 120) requestAnimationFrame(step); else resolve(times.slice(2).sort((a, b) => a - b)); };
  requestAnimationFrame(step);
}));

async function drawLarge(bench, dense) {
  const truth = books(4);
  const paths = await bench.write("in", { "small.html": detailPage(truth[0]), "large.html": largePage(2_000_000, dense).replace("</head>", STYLES) });
  await bench.choose(paths);
  await bench.said("2 pages added");
  await bench.view("Labels");
  await name(bench, "title");
  const open = (page) => bench.page.getByRole("navigation").getByRole("button", { name: page });
  const frame = bench.page.frameLocator(".frame-box iframe");
  const drawn = [], labelled = [], work = [[], []];
  for (let i = 0; i < 5; i++) {
    await open("small.html").click();
    await frame.locator("h1", { hasText: truth[0].title }).waitFor();
    const began = used();
    await open("large.html").click();
    drawn.push(await bench.page.evaluate(async () => {
      const began = performance.now();
      const ready = () => document.querySelector(".frame-box[aria-busy=false] iframe")?.title.includes("large.html");
      while (!ready()) await new Promise((next) => setTimeout(next, 5));
      await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
      return performance.now() - began;
    }));
    work[0].push((used() - began) * 1000);
    // found beforehand: looking through all texts is the bench's own work
    const text = await frame.locator("h3 a").nth(i).elementHandle();
    const before = used();
    labelled.push(await clock(async () => {
      await text.dispatchEvent("click");
      await bench.marks((all) => all.some((mark) => mark.kind === "mark"));
    }));
    work[1].push((used() - before) * 1000);
    await settled(bench);
    await bench.page.getByRole("button", { name: "Remove the labels of this page" }).click();
    await bench.page.getByRole("button", { name: /^Undo: labels of the page/ }).waitFor();
    await bench.marks((all) => !all.some((mark) => mark.kind === "mark"));
  }
  const alone = [], page = await bench.context.newPage();
  for (let i = 0; i < 5; i++) alone.push(await clock(() => page.goto(`file://${paths[1]}`)));
  await page.close();
  // every value marked, as the list that was found
  await bench.view("Lists");
  await bench.marks((all) => all.filter((mark) => mark.kind === "mark").length > 10);
  const frames = await scrolled(bench);
  console.log(`a page of 2 MB${dense ? ", 70,000 elements" : ""}: on the screen ${ms(drawn)}, a label on it ${ms(labelled)}; processor time of all processes ${ms(work[0])} and ${ms(work[1])}; `
    + `the page by itself ${ms(alone)}; scrolled with all values marked, a frame takes ${frames[59].toFixed(1)} ms, one in twenty ${frames[112].toFixed(1)} ms`);
}

const BENCHES = {
  // A page of 2 MB: from a click on its name until it is drawn, and from a click on a value until the
  // label is stored and marked.
  page: (bench) => drawLarge(bench, false),
  dense: (bench) => drawLarge(bench, true),

  // Ten pages of 100 KB: from a click on a value until all ten have been read with what was learnt.
  learning: async (bench) => {
    const truth = books(10), filler = books(700).map((b) => `<p>${b.title} by ${b.author}, which was sold for ${b.price} to somebody who will read it in the evening, by the fire</p>`).join("\n").slice(0, 98_000);
    await bench.choose(await bench.write("in", Object.fromEntries(truth.map((b, i) => [`${i}.html`, detailPage(b).replace("<footer>", `<div class="more">${filler}</div><footer>`)]))));
    await bench.said("10 pages added");
    const ids = (await bench.api("GET", "sites/default/pages")).pages.map((page) => page.id);
    await bench.view("Labels");
    await name(bench, "title");
    await name(bench, "price");
    const clicks = [], server = [], work = [];
    for (let i = 0; i < 5; i++) {
      await bench.page.getByRole("radio", { name: "title" }).click();
      await bench.clickText(truth[0].title);
      await bench.page.getByRole("button", { name: /^Undo: title/ }).waitFor();
      await settled(bench);
      const began = used();
      clicks.push(await clock(async () => {
        await bench.clickText(truth[0].price);
        await bench.page.waitForFunction((price) => [...document.querySelectorAll("button.cell")].some((one) => one.textContent === price), truth[9].price, { polling: 10 });
      }));
      work.push((used() - began) * 1000);
      server.push(await clock(async () => {
        const { wrapper } = await bench.api("POST", "sites/default/learn", { pages: ids });
        await bench.api("POST", "sites/default/extract", { wrapper, pages: ids });
      }));
      await settled(bench);
      await bench.page.getByRole("button", { name: "Remove the labels of this page" }).click();
      await bench.page.getByRole("button", { name: /^Undo: labels of the page/ }).waitFor();
    }
    console.log(`learning after a label, ten pages of 100 KB: in the browser ${ms(clicks)}, of which the server ${ms(server)}; processor time of all processes ${ms(work)}`);
  },

  // 100,000 rows: frames while scrolling from end to end, with the charts above and then with a record on its page beside.
  rows: async (bench) => {
    const pages = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${i}.html`, listPage(books(1000, i * 1000))]));
    await bench.write("in", pages);
    await bench.api("POST", "sites/default/inputs", { inputs: [`${bench.folder}/in`] });
    while ((await bench.api("GET", "sites/default/pages")).pages.length < 100) await bench.page.waitForTimeout(100);
    const [first] = (await bench.api("GET", "sites/default/pages")).pages;
    const { wrapper } = await bench.api("POST", "sites/default/learn", { pages: [first.id], labels: [] });
    await bench.api("POST", "sites/default/wrappers", { name: "books", wrapper });
    const { job } = await bench.api("POST", "sites/default/run", { wrapper: "books" });
    while ((await bench.api("GET", `jobs/${job}`)).state !== "done") await bench.page.waitForTimeout(100);
    const shown = await clock(async () => { await bench.view("Results"); await bench.page.getByText("100,000 of 100,000 records").waitFor(); });
    const charts = await clock(() => bench.page.locator(".coverage button").first().waitFor());
    const scroll = () => bench.page.getByRole("region", { name: "Records of the run" }).evaluate(async (box) => {
      const times = [], steps = 300;
      let last = performance.now();
      for (let i = 1; i <= steps; i++) {
        box.scrollTop = (box.scrollHeight * i) / steps;
        await new Promise((next) => requestAnimationFrame(next));
        const now = performance.now();
        times.push(now - last);
        last = now;
      }
      return times.sort((a, b) => a - b);
    });
    const frames = await scroll();
    const look = await clock(async () => { await bench.page.locator(".scroll tbody tr").nth(8).click(); await bench.page.locator(".record-page .frame-box[aria-busy=false]").waitFor(); });
    const beside = await scroll();
    const sorted = await clock(async () => {
      await bench.page.getByRole("region", { name: "Records of the run" }).getByRole("button", { name: "title", exact: true }).click();
      await bench.page.locator("th[aria-sort=ascending]").waitFor();
    });
    console.log(`100,000 rows: all there after ${(shown / 1000).toFixed(1)} s; a frame while scrolling: median ${frames[150].toFixed(1)} ms, 95th ${frames[285].toFixed(1)} ms; with its page beside, which came after ${look.toFixed(0)} ms: median ${beside[150].toFixed(1)} ms, 95th ${beside[285].toFixed(1)} ms; charts ${charts.toFixed(0)} ms behind the rows; sorted in ${sorted.toFixed(0)} ms`);
  },

  // A repair of 14 pages of 1 MB, and how long one takes to end that is cancelled at ten moments of it.
  cancel: async (bench) => {
    const tale = (n, old) => books(6600, n * 7).map((one) => (old ? `<li><b>${one.author}</b><p>${one.title}, ${one.title} and ${one.author}</p></li>` : `<tr><td>${one.author}<td><q>${one.title}, ${one.title} and ${one.author}</q></tr>`)).join("");
    const add = async (truth, old) => bench.choose(await bench.write(old ? "old" : "new", Object.fromEntries(truth.map((book, n) => [`${n}.html`, old ? detailPage(book).replace("</main>", `<ul>${tale(n, old)}</ul></main>`) : changedPage(book).replace("</main>", `<table>${tale(n, old)}</table></main>`)]))));
    const truth = books(14), until = async (job, good) => { for (;;) { const now = await bench.api("GET", `jobs/${job}`); if (good(now)) return now; await bench.page.waitForTimeout(5); } };
    const looking = (job) => job.done >= 14, ended = (job) => job.state !== "waiting" && job.state !== "running";
    await add(truth, true);
    await bench.said("14 pages added");
    await bench.api("PUT", "sites/default/labels", { page: "0.html", records: [{ title: truth[0].title, price: truth[0].price }] });
    const engines = ["paths", "stalker", "softmealy", "auto", "template"];
    for (const engine of engines) {
      const { wrapper } = await bench.api("POST", "sites/default/learn", ["auto", "template"].includes(engine) ? { engine, labels: [] } : { engine });
      await bench.api("POST", "sites/default/wrappers", { name: engine, wrapper });
    }
    await bench.view("Pages");
    await add(books(14, 50), false);
    await bench.said("14 pages added");
    for (const engine of engines) {
      const start = async () => { const { job } = await bench.api("POST", "sites/default/repair", { wrapper: engine }); await until(job, looking); return job; };
      const first = await start(), whole = await clock(() => until(first, ended)), cancels = [];
      for (let i = 0; i < 10; i++) {
        const job = await start();
        await bench.page.waitForTimeout((whole * i) / 11);
        cancels.push(await clock(async () => { await bench.api("DELETE", `jobs/${job}`); await until(job, ended); }));
      }
      console.log(`${engine}: a repair of 14 pages of 1 MB looks for ${(whole / 1000).toFixed(1)} s; cancelled, it ends in ${ms(cancels)}, the longest ${Math.max(...cancels).toFixed(0)} ms`);
    }
  },

  // 100,000 requests over 8 connections.
  requests: async (bench) => {
    await bench.choose(await bench.write("in", { "1.html": listPage(books(10)) }));
    const COUNT = 100_000, agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const url = new URL(`${bench.origin}/api/v1/sites`);
    const one = () => new Promise((done, fail) => request(url, { agent, headers: { Authorization: "Bearer a-token-for-tests-only" } }, (answer) => {
      answer.resume();
      answer.on("end", () => (answer.statusCode === 200 ? done() : fail(new Error(String(answer.statusCode)))));
    }).on("error", fail).end());
    const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${bench.server.pid}/status`, "utf8"))[1]) / 1024;
    const burst = async (count) => { let left = count; await Promise.all(Array.from({ length: 8 }, async () => { while (left-- > 0) await one(); })); };
    await burst(2000);
    const before = memory();
    const took = await clock(() => burst(COUNT));
    console.log(`requests: ${COUNT.toLocaleString("en")} in ${(took / 1000).toFixed(1)} s, ${Math.round(COUNT / (took / 1000)).toLocaleString("en")} a second; memory ${before.toFixed(1)} MB before, ${memory().toFixed(1)} MB after`);
    agent.destroy();
  },
};

const browser = await launch();
for (const one of wanted.length ? wanted : Object.keys(BENCHES)) {
  const bench = await Bench.start(thresh, browser);
  try { await BENCHES[one](bench); } finally { await bench.stop(); }
}
await browser.close();
