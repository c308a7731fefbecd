// A page that tries everything to reach the API, the window around it or the network.
import assert from "node:assert/strict";
import { test } from "./harness.mjs";
import { books, detailPage, hostilePage } from "./pages_of_ours.mjs";
import { hostileAssets, tricksPage } from "./tricks.mjs";

// The document in the frame, once it shows a text. In a frame without scripts nothing that waits can run: so it is asked from outside.
async function shown(bench, text) {
  await bench.page.waitForFunction((words) => {
    const root = document.querySelector(".frame-box[aria-busy=false] iframe")?.contentDocument;
    return root?.body?.textContent.includes(words) && root.readyState === "complete";
  }, text);
  return (what) => bench.page.evaluate(([source]) => {
    const root = document.querySelector(".frame-box iframe").contentDocument;
    return new Function("root", `return (${source})(root)`)(root);
  }, [what.toString()]);
}

// Elements and attributes that do something, in a document.
const actors = (root) => [...root.querySelectorAll("script, iframe, frame, object, embed, base, form, audio, portal, foreignObject, math, animate, set, image, feImage, meta[http-equiv]")].map((one) => one.tagName);
const acting = (root) => [...root.querySelectorAll("*")].flatMap((one) => [...one.attributes].filter(({ name, value }) =>
  /^(on.*|action|formaction|srcdoc|ping|target|srcset|poster|autofocus|name|xlink:href|is)$/.test(name) || (one.localName === "use" && name === "href" && !/^#/.test(value))
  || (/^(href|src|background|data)$/.test(name) && one.localName !== "use" && !/^(data:image\/|\/see\/)/.test(value)))
  .map(({ name, value }) => `${one.localName} ${name}=${value}`));

async function clickAll(bench) {
  await bench.page.evaluate(() => {
    const root = document.querySelector(".frame-box iframe").contentDocument;
    for (const one of root.querySelectorAll("a, p, input, button, textarea, svg, summary, label, video, canvas")) one.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  });
  await bench.page.waitForTimeout(300);
}

test("a hostile page reaches nothing", async (bench) => {
  const asked = [], popups = [];
  const [path] = await bench.write("in", { "hostile.html": hostilePage(bench.origin) });
  await bench.choose([path]);
  const see = (await bench.api("GET", "status")).see;
  bench.page.on("request", (request) => asked.push({ url: request.url(), frame: request.frame() === bench.page.mainFrame(), token: request.headers().authorization }));
  bench.page.on("dialog", (dialog) => { bench.problems.push(`a dialog: ${dialog.message()}`); void dialog.dismiss(); });
  bench.context.on("page", (page) => popups.push(page.url()));
  await bench.view("Labels");
  for (const plain of [false, true]) {
    if (plain) await bench.page.getByRole("checkbox", { name: "plain" }).first().check();
    const ask = await shown(bench, "Plain text of the page");
    await clickAll(bench);
    // nothing of it is left in the frame, and scripts cannot run there at all
    assert.deepEqual(await ask(actors), []);
    assert.deepEqual(await ask(acting), []);
    assert.equal(await bench.page.locator(".frame-box iframe").getAttribute("sandbox"), "allow-same-origin");
  }
  assert.equal(await bench.page.evaluate(() => window.owned), undefined);
  assert.match(await bench.page.title(), /Thresh workbench$/);
  assert.equal(new URL(bench.page.url()).pathname, "/");
  assert.deepEqual(popups, []);
  // the token goes to the API alone, and only the window asks for that
  const ours = (one) => (one.url.startsWith(`${bench.origin}/api/v1/`) ? one.frame && one.token : one.url.startsWith(`${bench.origin}${see}/`) && !one.token);
  assert.deepEqual(asked.filter((one) => !ours(one) || /steal|leave|inside/.test(one.url)), []);
  // the workbench around it is neither covered nor gone
  await bench.view("Pages");
  await bench.page.getByRole("button", { name: "hostile.html" }).first().click();
  assert.equal((await bench.api("GET", "sites")).sites[0].pages, 1);
});

// Every way to have a browser ask for something, all of them to a server that listens: in the page, in sheets and images that
// are stored with it; in the frame, in thumbnails, as a page of its own, and without the policy that forbids it.
test("a hostile page as it looks asks nobody", async (bench) => {
  const { createServer } = await import("node:http");
  const heard = [], asked = [];
  const evil = createServer((request, answer) => { heard.push(request.url); answer.writeHead(200, { "Access-Control-Allow-Origin": "*" }).end(); });
  evil.on("connection", () => heard.push("a connection"));
  await new Promise((done) => evil.listen(0, "127.0.0.1", done));
  const at = `127.0.0.1:${evil.address().port}`;
  for (const [name, body] of Object.entries(hostileAssets(at)))
    await fetch(`${bench.origin}/api/v1/sites/default/assets?name=${name}`, { method: "POST", headers: { Authorization: "Bearer a-token-for-tests-only" }, body });
  const pages = await bench.write("in", { "tricks.html": tricksPage(at), "tricks2.html": tricksPage(at).replace("Tricks", "More tricks") });
  const watch = (page) => page.on("request", (request) => asked.push(request.url()));
  watch(bench.page);
  await bench.choose(pages);
  assert.equal((await bench.api("GET", "sites/default/assets")).assets.length, 5);
  await bench.view("Pages");
  await bench.page.getByLabel("as they look").check(); // thumbnails
  await bench.page.waitForFunction(() => [...document.querySelectorAll("li iframe")].filter(({ contentDocument: root }) => root?.readyState === "complete"
    && root.body.textContent.includes("The end of it") && [...root.querySelectorAll("img.stored")].every((one) => one.naturalWidth) && root.defaultView.getComputedStyle(root.querySelector("h1")).paddingLeft === "7px").length === 2);
  await bench.view("Labels");
  const ask = await shown(bench, "The end of it");
  await clickAll(bench);
  assert.deepEqual(await ask(actors), []);
  assert.deepEqual(await ask(acting), []);
  // what is stored is there: a sheet with its import, and the images
  assert.equal(await ask((root) => [...root.styleSheets].filter((sheet) => sheet.href).length), 1);
  assert.equal(await ask((root) => root.defaultView.getComputedStyle(root.querySelector("h1")).color), "rgb(1, 2, 3)");
  assert.equal(await ask((root) => root.defaultView.getComputedStyle(root.querySelector("h1")).paddingLeft), "7px");
  assert.deepEqual(await ask((root) => [...root.querySelectorAll("img.stored")].map((one) => one.naturalWidth)), [10, 20]);
  assert.equal(await bench.page.evaluate(() => window.owned), undefined);
  // as a page of its own, and then with nothing but the sanitiser between it and the world
  const see = (await bench.api("GET", "status")).see, ids = (await bench.api("GET", "sites/default/pages")).pages.map((page) => page.id);
  const alone = await bench.context.newPage();
  watch(alone);
  alone.on("dialog", (dialog) => { bench.problems.push(`a dialog: ${dialog.message()}`); void dialog.dismiss(); });
  for (const bare of [false, true]) {
    if (bare) await alone.route("**/see/**", async (route) => {
      const response = await route.fetch(), headers = response.headers();
      delete headers["content-security-policy"];
      await route.fulfill({ response, headers });
    });
    await alone.goto(`${bench.origin}${see}/${ids[0]}`, { waitUntil: "load" });
    await alone.waitForTimeout(300);
    assert.equal(await alone.evaluate(() => [window.owned, document.title, document.querySelectorAll("script").length].join()), ",,0");
    if (!bare) for (const one of [1, 2, 3, 4, 5]) await alone.goto(`${bench.origin}${see}/${ids[0]}/${one}`).catch(() => {});
  }
  await alone.close();
  evil.close();
  assert.deepEqual(heard, []);
  assert.deepEqual(asked.filter((url) => !url.startsWith(`${bench.origin}/`) && !url.startsWith("data:")), []);
});

// What a page says is shown in questions as text, whatever it looks like.
test("a hostile text in a question is text", async (bench) => {
  const evil = `<img src=x onerror="top.owned=20"><script>top.owned=21</script>`, text = evil.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const names = (i) => (i ? [`${evil} ${i}`, `"'><svg onload=top.owned=22> ${i}`, `\u202e${i} gnisrever`] : ["Plain 0"]).slice(0, 1 + (i % 3));
  const pages = Object.fromEntries(books(9).map((book, i) => [`${i}.html`, detailPage(book)
    .replace(/by <a href="\/a">.*?<\/a>/, `by ${names(i).map((one) => `<a href="/a">${one.replaceAll("<", "&lt;")}</a>`).join(", ")}`)
    .replace("<table>", i % 2 ? `<p class="award">${text} ${i}</p><table>` : "<table>")]));
  await bench.choose(await bench.write("in", pages));
  await bench.said("9 pages added");
  await bench.api("PUT", "sites/default/labels", { page: "0.html", records: [{ title: books(1)[0].title, author: "Plain 0" }] });
  await bench.view("Labels");
  await bench.page.locator(".answer li", { hasText: "onerror" }).first().waitFor();
  const said = await bench.page.locator(".answer").first().locator("li").allInnerTexts();
  assert.deepEqual(said.slice(0, 2), names(Number(/on (\d)\.html/.exec(await bench.page.locator(".question-head").innerText())[1])).slice(0, 2));
  for (let i = 0; i < 12 && (await bench.page.locator(".new-text").count()) === 0; i++) {
    await bench.page.locator(".answer button, .answers button").first().click();
    await bench.page.waitForTimeout(100);
    await bench.page.locator(".question, .done").first().waitFor();
  }
  await bench.page.locator(".new-text").waitFor();
  assert.match(await bench.page.locator(".question q").innerText(), /<img src=x onerror="top\.owned=20"><script>/);
  assert.equal(await bench.page.locator(".question img, .question script, .question svg").count(), 0);
  assert.equal(await bench.page.evaluate(() => window.owned), undefined);
});

test("another site cannot show the workbench in a frame nor use it", async (bench) => {
  const { createServer } = await import("node:http");
  const web = createServer((request, answer) => { answer.writeHead(200, { "Content-Type": "text/html" }); answer.end(`<iframe src="${bench.origin}/"></iframe>`); });
  await new Promise((done) => web.listen(0, "127.0.0.1", done));
  const page = await bench.context.newPage();
  await page.goto(`http://127.0.0.1:${web.address().port}/`);
  const reached = await page.evaluate((origin) => Promise.all([
    fetch(`${origin}/api/v1/status`, { headers: { Authorization: "Bearer a-token-for-tests-only" } }).then(() => "read", () => "refused"),
    fetch(`${origin}/api/v1/sites/x/pages?name=y`, { method: "POST", body: "<p>z" , mode: "no-cors" }).then(() => "sent", () => "refused"),
  ]), bench.origin);
  assert.equal(reached[0], "refused");
  assert.deepEqual((await bench.api("GET", "sites")).sites, []);
  await page.waitForTimeout(300);
  assert.equal(await page.frames()[1].evaluate(() => document.querySelector("#app")).catch(() => null), null);
  await page.close();
  web.close();
});
