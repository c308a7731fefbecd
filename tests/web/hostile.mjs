// A page that tries everything to reach the API, the window around it or the network.
import assert from "node:assert/strict";
import { test } from "./harness.mjs";
import { books, detailPage, hostilePage } from "./pages_of_ours.mjs";

test("a hostile page reaches nothing", async (bench) => {
  const asked = [];
  const [path] = await bench.write("in", { "hostile.html": hostilePage(bench.origin) });
  await bench.choose([path]);
  bench.page.on("request", (request) => asked.push({ url: request.url(), frame: request.frame() === bench.page.mainFrame(), token: request.headers().authorization }));
  bench.page.on("dialog", (dialog) => { bench.problems.push(`a dialog: ${dialog.message()}`); void dialog.dismiss(); });
  const popups = [];
  bench.context.on("page", (page) => popups.push(page.url()));
  await bench.view("Labels");
  const frame = bench.page.frameLocator(".frame-box iframe");
  await frame.getByText("Plain text of the page").first().waitFor();
  // clicking whatever there is to click
  for (const text of ["Script link", "Leaving link", "Inside link", "Send the form", "Plain text of the page"])
    await frame.getByText(text).first().dispatchEvent("click");
  for (const input of await frame.locator("input, button, textarea").all()) await input.dispatchEvent("click");
  await bench.page.waitForTimeout(500);
  assert.equal(await bench.page.evaluate(() => window.owned), undefined);
  assert.equal(await bench.page.title(), "Thresh workbench");
  assert.equal(new URL(bench.page.url()).pathname, "/");
  assert.deepEqual(popups, []);
  assert.deepEqual(asked.filter((one) => !one.url.startsWith(`${bench.origin}/api/v1/`) || !one.frame || !one.token || /steal|leave|inside/.test(one.url)), []);
  // nothing of it is left in the frame, and scripts cannot run there at all
  const inside = bench.page.frames().filter((one) => one !== bench.page.mainFrame());
  assert.equal(inside.length, 1);
  assert.deepEqual(await inside[0].evaluate(() => [...document.querySelectorAll("script, iframe, object, embed, link, base, form, svg, video, audio, meta[http-equiv]")].map((one) => one.tagName)), []);
  assert.equal(await inside[0].evaluate(() => [...document.querySelectorAll("*")].flatMap((one) => [...one.attributes]).filter((one) => /^on|^(href|action|formaction|srcdoc|ping|target)$/.test(one.name)).length), 0);
  assert.equal(await bench.page.locator(".frame-box iframe").getAttribute("sandbox"), "allow-same-origin");
  // the workbench around it is neither covered nor gone
  await bench.view("Pages");
  await bench.page.getByRole("button", { name: "hostile.html" }).first().click();
  assert.equal((await bench.api("GET", "sites")).sites[0].pages, 1);
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
