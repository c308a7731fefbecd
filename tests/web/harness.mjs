// What the tests of the workbench share: a server on an empty project, a browser, pages of our own.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { chromium } from "../../web/node_modules/playwright-core/index.mjs";
import { pauseOf, setPace } from "./person.mjs";

export const PATIENCE = Number(process.env.THRESH_PATIENCE ?? 60_000); // for conditions: the machine may be busy with other tests
const TOKEN = "a-token-for-tests-only";

export async function launch() {
  const path = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  return chromium.launch({
    executablePath: path,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"],
  });
}

// Where a text of the page in the frame is on the screen, brought into sight; null while it is not to be seen. Runs in the window.
function findText({ text, nth, exactly, holder }) {
  const frame = document.querySelector(`${holder}[aria-busy=false] iframe`), root = frame?.contentDocument;
  if (!root?.body) return null;
  const plain = (words) => words.replace(/\s+/g, " ").trim(), wanted = plain(text), lower = wanted.toLowerCase();
  const walker = root.createTreeWalker(root.body, NodeFilter.SHOW_TEXT), range = root.createRange(), all = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if ((exactly ? plain(node.data) === wanted : plain(node.data).toLowerCase().includes(lower)) && node.parentElement.localName !== "style") all.push(node);
  const node = all.at(nth);
  if (!node) return null;
  const boxOf = () => { range.selectNodeContents(node); return [...range.getClientRects()].find((box) => box.width && box.height); };
  const isIn = (box) => box.top >= 0 && box.bottom <= root.defaultView.innerHeight && box.left >= 0 && box.left < root.defaultView.innerWidth;
  if (!boxOf()) return null;
  const isHit = () => { const box = boxOf(), hit = root.elementFromPoint(box.left + Math.min(box.width / 2, 40), box.top + box.height / 2); return hit && (hit === node.parentElement || hit.contains(node) || node.parentElement.contains(hit)); };
  if (!isIn(boxOf()) || !isHit()) node.parentElement.scrollIntoView({ block: "center", behavior: "instant" });
  if (!isIn(boxOf())) root.scrollingElement.scrollBy({ top: boxOf().top - 50, behavior: "instant" });
  frame.scrollIntoView({ block: "nearest" });
  const box = boxOf(), outer = frame.getBoundingClientRect(), scale = outer.width / frame.offsetWidth;
  const x = outer.left + (box.left + Math.min(box.width / 2, 40)) * scale, y = outer.top + (box.top + box.height / 2) * scale;
  return isHit() && document.elementFromPoint(x, y) === frame ? { x, y } : null;
}

// A server with a project and a folder of its own, and a window on it.
export class Bench {
  static async start(thresh, browser, options = {}) {
    const bench = new Bench();
    bench.thresh = thresh;
    bench.folder = await mkdtemp(join(tmpdir(), "thresh-web-"));
    bench.project = join(bench.folder, "p.thresh");
    await bench.serve(options.serve ?? ["--allow-private"]); // for what `block` fetches
    bench.context = await browser.newContext({ viewport: options.viewport ?? { width: 1280, height: 800 }, colorScheme: options.dark ? "dark" : "light", acceptDownloads: true });
    await bench.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    bench.page = await bench.context.newPage();
    bench.page.setDefaultTimeout(PATIENCE);
    bench.problems = [];
    // THRESH_SLOW=300: every answer takes up to so many milliseconds more, on its way to the server and back,
    // none the same, which brings out what relies on their order.
    const slow = Number(process.env.THRESH_SLOW ?? 0), later = () => new Promise((resolve) => setTimeout(resolve, (Math.random() * slow) / 2));
    if (slow) await bench.page.route(/\/(api|see)\//, async (route) => {
      try {
        await later();
        if (route.request().url().endsWith("/events")) { await route.continue(); return; }
        const response = await route.fetch();
        await later();
        await route.fulfill({ response });
      } catch { /* the window may be gone */ }
    });
    bench.page.on("pageerror", (error) => bench.problems.push(error.message));
    await bench.page.goto(bench.address);
    await bench.page.waitForSelector("main");
    return bench;
  }

  async serve(options) {
    this.options = options;
    this.server = spawn(this.thresh, ["serve", "--project", this.project, "--no-browser", ...options],
      { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, THRESH_TOKEN: TOKEN } });
    this.errors = "";
    this.server.stderr.setEncoding("utf8").on("data", (text) => (this.errors += text));
    const [line] = await once(this.server.stdout.setEncoding("utf8"), "data");
    this.address = line.trim();
    this.origin = new URL(this.address).origin;
  }

  // The server dies as in a power cut and is there again after a while, under the same address.
  async kill() {
    const died = once(this.server, "close");
    this.server.kill("SIGKILL");
    await died;
  }
  async start() { await this.serve([...this.options.filter((_, i, all) => all[i] !== "--port" && all[i - 1] !== "--port"), "--port", new URL(this.origin).port]); }

  // Waits until the window has found the server again and everything that waited in the browser is stored.
  async stored() { await this.page.waitForFunction(() => !localStorage.getItem("thresh-waiting") && !document.querySelector(".waiting")); }

  async stop() {
    for (const letGo of this.holds ?? []) letGo();
    await this.context.close();
    for (const host of this.hosts ?? []) { host.close(); host.closeAllConnections(); }
    const ended = once(this.server, "close");
    this.server.kill("SIGTERM");
    const stuck = setTimeout(() => this.server.kill("SIGKILL"), PATIENCE);
    const [code] = await ended;
    clearTimeout(stuck);
    await rm(this.folder, { recursive: true, force: true });
    // what a sanitizer finds is seen by nobody else
    return code === 0 && !/runtime error|Sanitizer/.test(this.errors) ? null : `the server ended with ${code}: ${this.errors}`;
  }

  async api(method, path, body) {
    await this.back; // of a server that was killed
    const answer = await fetch(`${this.origin}/api/v1/${path}`, {
      method, headers: { Authorization: `Bearer ${TOKEN}`, ...(body ? { "Content-Type": "application/json" } : {}) },
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return answer.headers.get("content-type") === "application/json" ? JSON.parse(text) : text;
  }

  // A job that does not end before it is let go, or for a minute: it fetches from a host that does not answer.
  // What comes behind it waits.
  async block() {
    const held = [];
    let open = false;
    const send = (answer) => answer.writeHead(200, { "Content-Type": "text/html" }).end("<p>page");
    const host = createServer((request, answer) => {
      if (request.url === "/robots.txt") answer.writeHead(404).end();
      else if (open) send(answer);
      else held.push(answer);
    });
    (this.hosts ??= []).push(host);
    await new Promise((done) => host.listen(0, "127.0.0.1", done));
    await this.api("POST", "sites/other/inputs", { inputs: ["a", "b", "c"].map((name) => `http://127.0.0.1:${host.address().port}/${name}`) });
    return () => { open = true; held.forEach(send); };
  }

  // Keeps requests of a method and path back, unsent or with their answers here, until `letGo` lets the
  // first of them go, the second and so on, or all of them and those to come. `caught` waits for so many.
  async hold(method, path, { unsent = false, change = (text) => text } = {}) {
    const held = []; // each lets its request go and tells when its answer is there
    let open = false;
    (this.holds ??= []).push(() => { open = true; for (const one of held) one(); });
    const handler = async (route) => {
      const request = route.request();
      if (open || request.method() !== method || !path.test(request.url())) { await route.fallback(); return; }
      const answer = unsent ? null : route.fetch().then(async (response) => ({ response, body: change(await response.text()) }));
      answer?.catch(() => {}); // the window may be gone
      let gone;
      const send = async () => {
        await (unsent ? route.fallback() : route.fulfill(await answer));
        await (await request.response())?.finished();
      };
      held.push(() => (gone ??= send().catch(() => {})));
    };
    await this.page.route(/\/(api|see)\//, handler);
    return {
      count: () => held.length,
      caught: async (count = 1) => {
        for (const end = Date.now() + PATIENCE; held.length < count;) {
          if (Date.now() > end) throw new Error(`${held.length} of ${count} requests came: ${method} ${path}`);
          await this.page.waitForTimeout(20);
        }
      },
      letGo: async (index) => {
        if (index === undefined) open = true;
        await Promise.all((index === undefined ? held : [held[index]]).map((one) => one()));
        await this.page.evaluate(() => new Promise((resolve) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(resolve)))));
      },
    };
  }

  // Writes pages { name: html } into a folder and gives their paths.
  async write(folder, pages) {
    await mkdir(join(this.folder, folder), { recursive: true });
    const paths = [];
    for (const [name, html] of Object.entries(pages)) {
      paths.push(join(this.folder, folder, name));
      await writeFile(paths[paths.length - 1], html);
    }
    return paths;
  }

  // Adds files as somebody who chooses them.
  // Where a page of such a name has another content, the question is answered: null leaves it to the test.
  async choose(paths, answer = "Replace") {
    const site = await this.page.evaluate(() => localStorage.getItem("thresh-site") ?? "default");
    const there = new Map((await this.api("GET", `sites/${encodeURIComponent(site)}/pages`)).pages.map((page) => [page.name, page.id]));
    let others = false;
    for (const path of paths) {
      const id = there.get(basename(path));
      others ||= id !== undefined && (await this.api("GET", `pages/${id}/bytes`)) !== (await readFile(path, "utf8"));
    }
    await this.page.setInputFiles("input[type=file]:not([webkitdirectory])", paths);
    if (others && answer) await this.page.getByRole("alertdialog").getByRole("button", { name: answer, exact: true }).click();
  }
  async view(name) { await this.page.getByRole("tab", { name, exact: true }).click(); }
  async said(words) { await this.page.locator(".message", { hasText: words }).waitFor(); }
  // Clicks a text of the page in the frame, with the mouse: the nth that is such, or from the end for -1 and so on. In a frame
  // without scripts no timer ever ends, so nothing that waits can run inside of it.
  async press({ text, nth = 0, exactly = false, in: holder = ".frame-box" }) {
    await this.page.locator(`${holder}[aria-busy=false]`).waitFor();
    let before = null;
    for (const end = Date.now() + PATIENCE; ; await this.page.waitForTimeout(20)) {
      const at = await this.page.evaluate(findText, { text, nth, exactly, holder });
      if (at && before && at.x === before.x && at.y === before.y) { await this.page.mouse.click(at.x, at.y); return; }
      if (Date.now() > end) throw new Error(`the page never showed the text ${JSON.stringify(text)} (${nth}) where it can be clicked`);
      before = at;
    }
  }
  // A text that has these words.
  async clickText(text, nth = 0) { await this.press({ text, nth }); }
  // The text that is just that.
  async clickExactly(text, nth = 0) { await this.press({ text, nth, exactly: true }); }

  // The marks that are drawn on the page, with their boxes in the window of the frame, once they are such.
  async marks(good = () => true, holder = ".frame-box") {
    let marks = null;
    for (const end = Date.now() + PATIENCE; Date.now() < end; await this.page.waitForTimeout(30)) {
      marks = await this.page.evaluate((which) => document.querySelector(which)?.drawnMarks?.() ?? null, holder);
      if (marks && good(marks)) return marks;
    }
    throw new Error(`the marks never became what they should be: ${JSON.stringify(marks)?.slice(0, 1500)}`);
  }

  // The rows of the table of that label, as objects by column.
  async rows(label) {
    return this.page.getByRole("region", { name: label }).evaluate((region) => {
      const names = [...region.querySelectorAll("thead th")].map((head) => head.querySelector("input.name")?.value ?? head.textContent.replace(/ [▴▾]$/, ""));
      return [...region.querySelectorAll("tbody tr:not([aria-hidden])")].map((row) =>
        Object.fromEntries([...row.cells].map((one, index) => [names[index], one.textContent === "–" ? "" : one.textContent])));
    });
  }
  // Waits until the rows of a table are such.
  async until(label, good) {
    const end = Date.now() + PATIENCE;
    let rows = [];
    while (Date.now() < end) {
      rows = (await this.page.getByRole("region", { name: label }).count()) ? await this.rows(label) : [];
      if (good(rows)) return rows;
      await this.page.waitForTimeout(50);
    }
    throw new Error(`the table "${label}" never became what it should be; it has ${JSON.stringify(rows).slice(0, 1500)}`);
  }

  // The file that a click gives.
  async download(click) {
    const [given] = await Promise.all([this.page.waitForEvent("download"), click()]);
    const stream = await given.createReadStream(), parts = [];
    for await (const part of stream) parts.push(part);
    return Buffer.concat(parts);
  }

  // What the command on the screen gives in a shell, in the folder of the test.
  async runCommand(more = "", nth = 0) {
    const command = (await this.page.locator(".command code").nth(nth).innerText()) + more;
    const done = spawnSync("sh", ["-c", command], { encoding: "utf8", cwd: this.folder, env: { ...process.env, PATH: `${dirname(resolve(this.thresh))}:${process.env.PATH}` } });
    if (done.status !== 0) throw new Error(`${command}\n${done.stderr}`);
    return done.stdout;
  }
  check() { return spawnSync(this.thresh, ["project", "check", this.project], { encoding: "utf8" }); }
}

// Tests in order, by name; gives how many failed.
const tests = [];
export const test = (name, run) => tests.push({ name, run });

// A flow is what a person does, written as steps; it asserts its data by itself and runs several times:
//
//   flow("first list", async (bench, step) => {
//     const [path] = await bench.write("in", { "list.html": listPage(books(12)) });   // what is there before: no step
//     await step("choose the file", () => bench.choose([path]));
//     const rows = await step("see the records", () => bench.until("Records", (found) => found.length === 12));
//     assert.equal(rows[0].title, ...);
//   }, { human: true });
//
//   quick     at ten times the speed of a person: a pause before each click, key and choice; texts letter by letter
//   restart   so, and before the step in the middle the server is killed (kill -9). The step begins at once, without
//             a server; AWAY ms later the server is back: same address, same project
//   human     at the speed of a person; with { human: true } alone, as it takes long
//   every     as restart, but killed before each step: when somebody asks for it
//
// A step in which the server was killed ends when the server is back and what was done without it is stored.
// In a step use the locators and functions of the bench as everywhere: conditions, no waits. `bench.api` waits for
// the server. A step gives what its function gives. A step may come several times (in a loop), each counts.
// { modes: ["quick"] } chooses modes of a flow; THRESH_FLOWS=human,quick,restart,every those of a run, for all flows.
const SPEED = { human: 1, quick: 0.1, restart: 0.1, every: 0.1 };
const AWAY = 700;
const MODES = process.env.THRESH_FLOWS?.split(",");

export function flow(name, run, { human = false, modes = MODES ?? ["quick", "restart", ...(human ? ["human"] : [])] } = {}) {
  let steps = (run.toString().match(/\bstep\(/g) ?? []).length; // until it has been counted
  for (const mode of modes) {
    if (!(mode in SPEED)) throw new Error(`no such mode of a flow: ${mode}`);
    test(`${name} [${mode}]`, async (bench) => {
      let count = 0;
      setPace(bench.page, SPEED[mode]);
      const step = async (words, act) => {
        const killed = mode === "every" || (mode === "restart" && count === Math.floor(steps / 2));
        count++;
        await pauseOf(bench.page);
        if (killed) {
          await bench.kill();
          bench.back = new Promise((resolve) => setTimeout(resolve, AWAY)).then(() => bench.start());
        }
        try { return await act(); } catch (error) {
          error.message = `in step ${count}, "${words}"${killed ? ", when the server was killed" : ""}: ${error.message}`;
          error.stack = `${error.message}\n${error.stack}`;
          throw error;
        } finally {
          await bench.back;
          if (killed) await bench.stored();
        }
      };
      await run(bench, step);
      steps = count;
      if (count < 2) throw new Error("a flow has steps");
    });
  }
}

// `--part 1/2` among the names takes every second test; a flow is taken in all of its modes.
function partOf(wanted) {
  const at = wanted.indexOf("--part"), [part, parts] = (at >= 0 ? wanted.splice(at, 2)[1] : "1/1").split("/").map(Number);
  const flowOf = (name) => name.replace(/ \[\w+\]$/, ""), flows = [...new Set(tests.map(({ name }) => flowOf(name)))];
  return tests.filter(({ name }) => flows.indexOf(flowOf(name)) % parts === part - 1);
}

// Runs a test with a server of its own; gives what is wrong, or null.
async function problemOf(name, run, thresh, generator, browser) {
  let bench, problem = null;
  try {
    bench = await Bench.start(thresh, browser);
    bench.generator = generator;
    bench.browser = browser;
    await run(bench);
    if (bench.problems.length) throw new Error(`errors in the page: ${bench.problems.join("; ")}`);
  } catch (error) {
    problem = `${error.stack ?? error}`;
    if (process.env.THRESH_SHOTS && bench) await bench.page.screenshot({ path: join(process.env.THRESH_SHOTS, `failed-${name.replace(/\W+/g, "-")}.png`) }).catch(() => {});
  }
  const end = await bench?.stop();
  return problem ?? end ?? null;
}

// A browser on a busy machine is late now and then: two tests of a run may pass at their second try, which is told.
const SECOND_TRIES = 2;

export async function runTests(thresh, generator, wanted) {
  const browser = await launch();
  let failed = 0, again = 0;
  for (const { name, run } of partOf(wanted)) {
    if (wanted.length && !wanted.some((word) => name.includes(word))) continue;
    const began = Date.now(), attempt = () => problemOf(name, run, thresh, generator, browser);
    let problem = await attempt();
    if (problem && again < SECOND_TRIES) {
      again++;
      console.log(`LATE ${name}\n${problem}`);
      problem = await attempt();
    }
    if (problem) failed++;
    console.log(problem ? `FAIL ${name}\n${problem}` : `ok   ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  }
  await browser.close();
  return failed;
}
