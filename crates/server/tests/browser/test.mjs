// Every page and every action in a real browser: `node test.mjs BINARY`.
import assert from "node:assert/strict";
import { AXE, Stage, pages } from "./stage.mjs";

const stage = await Stage.set(process.argv[2], { bad: true });
const { ids } = stage;
const sessions = (await stage.call("sessions", { all_projects: true, limit: 20 })).sessions.map((one) => one.id);
const all = { ...pages(ids, sessions), past: "/search?q=package+manager&as_of=2020-01-01", file: "/graph?of=src/auth.ts", missing: "/memories/m-zzzzzzzz", nothing: "/search?q=zxqv+wubble", hostile: "/memories", script: `/memories/${ids.script}`, image: `/memories/${ids.image}`, bidi: `/memories/${ids.bidi}`, long: `/memories/${ids.long}` };
let failed = 0;
let passed = 0;

// Whatever a page must never do, noted as it happens.
function watched(context, page) {
  const wrong = [];
  page.on("console", (said) => {
    if (said.type() === "error" && !page.expected?.test(said.text())) wrong.push(`console: ${said.text()}`);
  });
  page.on("pageerror", (error) => wrong.push(`script: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(stage.base) && !request.url().startsWith("data:")) wrong.push(`request to ${request.url()}`);
  });
  page.wrong = wrong;
  return page;
}

// A second argument runs only the checks whose name matches.
const wanted = new RegExp(process.argv[3] ?? "");
// A debug build takes its time to index a megabyte.
const PATIENCE = 60_000;

async function test(name, work, options) {
  if (!wanted.test(name)) return;
  const context = await stage.context(options);
  context.setDefaultTimeout(PATIENCE);
  const page = watched(context, await context.newPage());
  try {
    await work(page);
    const hacked = await page.evaluate(() => window.hacked).catch(() => undefined);
    assert.equal(hacked, undefined, "a memory ran a script");
    assert.deepEqual(page.wrong, []);
    passed++;
  } catch (error) {
    failed++;
    console.log(`FAILED ${name}\n  ${String(error.message ?? error).split("\n").slice(0, 12).join("\n  ")}`);
    if (process.env.HARK_BROWSER_SHOTS) await page.screenshot({ path: `${process.env.HARK_BROWSER_SHOTS}/${name.replace(/\W+/g, "-")}.png` }).catch(() => {});
  }
  await context.close();
}

const open = (page, path) => page.goto(stage.base + path, { waitUntil: "load" });
const toast = (page, text) => page.locator("#toast", { hasText: text }).waitFor();
const status = async (id) => (await stage.call("show", { ids: [id] })).memories[0];

// A page is checked in a frame of its own: the policy lets no script in from outside.
async function violations(page) {
  await page.evaluate(AXE);
  const found = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
  return found.violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.target.join(" ")} ${node.any[0]?.message ?? ""}`).join(" | ")}`);
}

for (const [name, path] of Object.entries(all)) {
  for (const colorScheme of ["light", "dark"]) {
    await test(`${name} is accessible (${colorScheme})`, async (page) => {
      if (name === "missing") page.expected = /404/;
      await open(page, path);
      assert.deepEqual(await violations(page), []);
    }, { colorScheme });
  }
  await test(`${name} fits a phone`, async (page) => {
    if (name === "missing") page.expected = /404/;
    await open(page, path);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${wide} px too wide`);
  }, { viewport: { width: 390, height: 844 } });
  await test(`${name} reads without scripts`, async (page) => {
    if (name === "missing") page.expected = /404/;
    await open(page, path);
    assert.ok((await page.locator("main").innerText()).length > 40);
    assert.equal(await page.locator(".js:visible").count(), 0, "a button that cannot work");
  }, { javaScriptEnabled: false });
}

await test("a page has no inline script or style, and scripts are small", async (page) => {
  const sizes = [];
  page.on("response", async (response) => {
    if (response.url().endsWith(".js")) sizes.push((await response.body()).length);
  });
  const answer = await open(page, "/");
  assert.match(answer.headers()["content-security-policy"], /default-src 'none'; script-src 'self'; style-src 'self'/);
  const inline = await page.evaluate(() => {
    const handles = (one) => one.getAttributeNames().some((name) => name === "style" || name.startsWith("on"));
    return [...document.querySelectorAll("*")].filter((one) => handles(one) || one.matches("style, script:not([src])")).length;
  });
  assert.equal(inline, 0);
  await page.waitForLoadState("networkidle");
  const size = sizes.reduce((sum, one) => sum + one, 0);
  assert.ok(size > 1000 && size <= 100_000, `${size} bytes of script`);
});

await test("hostile memories stay text everywhere", async (page) => {
  for (const path of ["/memories", "/", "/search?q=supplier+form+script", `/memories/${ids.script}`, `/memories/${ids.image}`, `/graph?of=${ids.image}`, "/graph"]) {
    await open(page, path);
    assert.equal(await page.locator("main img, main script, main b:has-text('bold')").count(), 0, path);
  }
  await open(page, `/memories/${ids.script}`);
  assert.match(await page.locator("h1").innerText(), /script>window\.hacked = 1/);
  await open(page, `/memories/${ids.bidi}`);
  assert.ok(!/[\u202a-\u202e\u2066-\u2069]/.test(await page.content()), "a character turns the direction");
});

await test("keys: go, search, move, open, help, escape, back", async (page) => {
  await open(page, "/");
  await page.keyboard.press("?");
  await page.locator("#keys[open]").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("m");
  await page.waitForURL("**/memories");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  assert.equal(await page.locator(".row.at").count(), 1);
  const id = await page.locator(".row.at").getAttribute("data-id");
  await page.keyboard.press("o");
  await page.locator(`#beside article[data-memory="${id}"]`).waitFor();
  await page.waitForURL(`**/memories/${id}`);
  await page.keyboard.press("Escape");
  await page.locator("#beside").waitFor({ state: "hidden" });
  await page.waitForURL("**/memories");
  await page.keyboard.press("/");
  await page.keyboard.type("csrf token");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/search?q=csrf*");
  await page.locator(`.hit[data-id="${ids.csrf}"]`).waitFor();
  await page.goBack();
  await page.waitForURL("**/memories");
});

await test("search as you type, with certainty and evidence", async (page) => {
  await open(page, "/search");
  await page.locator("#q").pressSequentially("which package manager", { delay: 20 });
  const first = page.locator(".hit").first();
  await page.locator(`.hit[data-id="${ids.pnpm}"]`).waitFor();
  assert.equal(await first.getAttribute("data-id"), ids.pnpm);
  assert.match(await first.locator(".certainty").innerText(), /sure|likely/);
  await first.locator("summary").click();
  assert.ok((await first.locator(".bars li").count()) >= 2);
  assert.match(page.url(), /q=which\+package\+manager/);
  await page.locator("select[name=kind]").selectOption("constraint");
  await page.waitForURL(/kind=constraint/);
  await page.waitForFunction((id) => !document.querySelector(`.hit[data-id="${id}"]`), ids.pnpm);
});

await test("as of a day, the page is as it was known then", async (page) => {
  const then = new Date(Date.now() - 40 * 86_400_000).toISOString().slice(0, 10);
  await open(page, `/search?q=which+package+manager&as_of=${then}`);
  const text = await page.locator("#results").innerText();
  assert.match(text, /npm for packages/);
  assert.doesNotMatch(text, /pnpm for packages/);
});

await test("a memory shows its chain with what changed", async (page) => {
  await open(page, `/memories/${ids.pnpm}`);
  const rail = page.locator(".history");
  assert.ok((await rail.locator("li").count()) >= 3);
  assert.ok((await rail.locator("ins", { hasText: "pnpm" }).count()) >= 1);
  assert.ok((await rail.locator("del", { hasText: "yarn" }).count()) >= 1);
});

await test("edit in place, and undo", async (page) => {
  await open(page, `/memories/${ids.session1}`);
  await page.keyboard.press("e");
  const text = page.locator("form[data-name=edit] textarea");
  await text.waitFor();
  const before = (await status(ids.session1)).body;
  await text.fill("Sessions live in Redis for 60 minutes.");
  await page.locator("form[data-name=edit] button", { hasText: "Save" }).click();
  await toast(page, "Saved");
  assert.match(await page.locator(".body").innerText(), /60 minutes/);
  await page.keyboard.press("u");
  await page.locator(".body", { hasText: "30 minutes" }).waitFor();
  assert.equal((await status(ids.session1)).body, before);
});

await test("a change made elsewhere meanwhile is shown before it is replaced", async (page) => {
  await open(page, `/memories/${ids.round}`);
  await page.keyboard.press("e");
  const text = page.locator("form[data-name=edit] textarea");
  await text.waitFor();
  await page.waitForFunction(() => document.querySelector("form[data-name=edit] textarea").value.length > 3);
  await stage.call("edit", { id: ids.round, text: "Tax is rounded per line, by the auditors' wish." });
  await text.fill("Tax is rounded per line. Mine.");
  await page.locator("form[data-name=edit] button", { hasText: "Save" }).click();
  await page.locator(".both pre", { hasText: "auditors' wish" }).waitFor();
  await page.locator("form[data-name=edit] button", { hasText: "Save" }).click();
  await toast(page, "Saved");
  assert.equal((await status(ids.round)).body, "Tax is rounded per line. Mine.");
});

await test("resolve, reopen, archive, restore, pin, rate", async (page) => {
  const id = ids.discount;
  await open(page, `/memories/${id}`);
  const press = (name) => page.locator(".actions button", { hasText: name }).first().click();
  await press("Resolve");
  await toast(page, "Resolved");
  assert.equal((await status(id)).status, "resolved");
  await press("Reopen");
  await toast(page, "Reopened");
  await press("Archive");
  await toast(page, "Archived");
  assert.equal((await status(id)).status, "archived");
  await press("Restore");
  await toast(page, "Restored");
  assert.equal((await status(id)).status, "active");
  await press("Pin");
  await toast(page, "Pinned");
  assert.equal((await status(id)).pinned, true);
  await press("Stale");
  await toast(page, "Rated stale");
  assert.equal((await status(id)).verdict, "stale");
  await press("Helpful");
  await toast(page, "Rated helpful");
});

await test("relate, supersede, and forget with the word typed", async (page) => {
  await open(page, `/memories/${ids.discount}`);
  await page.locator("[data-form=relate]").click();
  await page.locator("form[data-name=relate] [name=to]").fill(ids.csrf);
  await page.locator("form[data-name=relate] [name=relation]").selectOption("extends");
  await page.locator("form[data-name=relate] button", { hasText: "Relate" }).click();
  await toast(page, `Related to ${ids.csrf}`);
  assert.ok((await stage.call("links", { id: ids.discount })).links.some((link) => link.id === ids.csrf && link.relation === "extends"));
  await page.locator("[data-form=supersede]").click();
  await page.locator("form[data-name=supersede] textarea").fill("Discounts are computed anew on every request.");
  await page.locator("form[data-name=supersede] button", { hasText: "Supersede" }).click();
  await page.locator("h1", { hasText: "computed anew" }).waitFor();
  const id = await page.locator("article").getAttribute("data-memory");
  assert.equal((await status(ids.discount)).superseded_by, id);
  await page.locator("[data-do=forget]").click();
  await page.locator(".will-go li", { hasText: id }).waitFor();
  await page.locator("form[data-name=forget] [name=word]").fill("forge");
  await page.locator("form[data-name=forget] button.danger").click();
  assert.ok(await status(id), "it went without the word");
  await page.locator("form[data-name=forget] [name=word]").fill("forget");
  await page.locator("form[data-name=forget] button.danger").click();
  await page.waitForURL("**/memories");
  await toast(page, `Forgot ${id}`);
  await assert.rejects(status(id));
});

await test("several memories at once", async (page) => {
  await open(page, "/memories?kind=decision&project=github.com/acme/shop");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  const chosen = await page.locator(".row.chosen").evaluateAll((rows) => rows.map((row) => row.dataset.id));
  assert.equal(chosen.length, 2);
  await page.locator("[data-batch=archive]").click();
  await toast(page, "Archived 2 memories");
  for (const id of chosen) assert.equal((await status(id)).status, "archived");
  await page.locator("#toast button").click();
  await page.locator(`.row[data-id="${chosen[0]}"]`).waitFor();
  for (const id of chosen) assert.equal((await status(id)).status, "active");
});

await test("an insight shows what it rests on, in the inbox and on its page", async (page) => {
  await open(page, "/inbox");
  const row = page.locator(".proposal", { hasText: "Handlers in the shop stay thin" });
  await row.locator("summary").click();
  assert.equal(await row.locator(".evidence-list li").count(), 3);
  assert.match(await row.locator(".evidence-list").innerText(), /<b>no logic<\/b> in the handler/);
  await page.locator(".rail a", { hasText: "Insights" }).click();
  await page.waitForURL("**/insights");
  assert.equal(await page.locator(".insight .evidence-list li").count(), 3);
});

await test("rules: record, evidence, pause, resume and retire with undo", async (page) => {
  await open(page, "/rules");
  const row = page.locator(`.rule[data-id="${ids.npm}"]`);
  assert.match(await row.innerText(), /command:npm \*/);
  assert.match(await row.innerText(), /told 2 · matched 2 · upheld 1 · broken 1/);
  const rule = async () => (await stage.call("rules show", { id: ids.npm })).rule;
  await row.locator("button", { hasText: "Pause" }).click();
  await toast(page, "Paused");
  assert.equal((await rule()).paused, true);
  await row.locator("button", { hasText: "Resume" }).click();
  await toast(page, "Resumed");
  assert.equal((await rule()).paused, false);
  await row.locator("a.open").click();
  await page.waitForURL(`**/rules/${ids.npm}`);
  assert.equal(await page.locator(".case").count(), 2);
  assert.ok((await page.locator(".history li").count()) >= 2);
  await page.locator("button", { hasText: "Retire" }).click();
  await toast(page, "Retired");
  assert.equal((await rule()).status, "archived");
  await page.keyboard.press("u");
  await page.locator("button", { hasText: "Pause" }).waitFor();
  assert.equal((await rule()).status, "active");
});

await test("inbox to zero by keys, with undo", async (page) => {
  await open(page, "/inbox");
  const waiting = await page.locator(".proposal").count();
  assert.ok(waiting >= 3, `${waiting} proposals`);
  const first = await page.locator(".row.at").getAttribute("data-id");
  await page.keyboard.press("e");
  await page.locator(".proposal textarea").fill("Always run the cart tests before a commit.");
  await page.locator(".proposal .actions button", { hasText: "Save" }).click();
  await toast(page, "Reworded");
  await page.keyboard.press("a");
  await toast(page, `Accepted ${first}`);
  const accepted = await status(first);
  assert.deepEqual([accepted.status, accepted.origin, accepted.body], ["active", "user", "Always run the cart tests before a commit."]);
  await page.keyboard.press("u");
  await page.locator(`.proposal[data-id="${first}"]:not(.leaving)`).waitFor();
  assert.equal((await status(first)).status, "proposed");
  for (let left = waiting; left > 0; left--) {
    await page.keyboard.press(left % 2 ? "a" : "r");
    await page.waitForFunction((most) => document.querySelectorAll(".proposal").length < most, left);
  }
  await page.locator("#zero").waitFor();
  assert.equal((await stage.call("inbox", {})).items.length, 0);
  await page.locator("#state", { hasText: "inbox 0" }).waitFor();
});

await test("a session is a story, and the slider shows what it had been told", async (page) => {
  const id = sessions.at(-1);
  await open(page, `/sessions/${id}`);
  assert.match(await page.locator(".steps-list").innerText(), /discount is gone after a reload/);
  const folded = page.locator(".fix summary").first();
  assert.match(await folded.innerText(), /passed after \d+ min and \d edits?/);
  const late = (await stage.call("told", { session: id })).told.length;
  assert.ok(late >= 1, "nothing was told");
  await page.locator("#moment").fill("0");
  await page.waitForURL(/at=/);
  const shown = await page.locator("#told .told > li").count();
  assert.ok(shown <= late);
  await page.locator("#told .untold summary").click();
  assert.ok((await page.locator("#told .untold li").count()) > 0);
});

await test("sessions and ledger have filters and links that lead on", async (page) => {
  await open(page, "/sessions");
  await page.locator("form.chips [name=q]").fill("discount reload");
  await page.keyboard.press("Enter");
  await page.waitForURL(/q=discount/);
  assert.match(await page.locator(".row .open").first().innerText(), /discount/);
  await open(page, "/ledger");
  assert.ok((await page.locator(".chart .bar").count()) >= 2);
  assert.match(await page.locator(".lead").innerText(), /tokens in \d+ texts/);
  const link = page.locator(".told-row .where a").first();
  await link.click();
  await page.waitForURL(/\/sessions\/s-.*at=/);
});

await test("failures: what came back, what fixed it, by file", async (page) => {
  await open(page, "/failures");
  const row = page.locator(".failure", { hasText: "expected 0 to be 15" });
  assert.match(await row.innerText(), /came back/);
  assert.match(await row.innerText(), /fixed last time by/);
  await page.locator(".columns-list a", { hasText: "src/tax.rs" }).click();
  await page.waitForURL(/of=src/);
  assert.equal(await page.locator(".failure", { hasText: "expected 0 to be 15" }).count(), 0);
});

await test("today begins with a sentence", async (page) => {
  await open(page, "/");
  assert.match(await page.locator(".sentence").innerText(), /^Since yesterday: \d sessions/);
  await page.locator(".range summary").click();
  await page.locator(".range a", { hasText: "last week" }).click();
  await page.waitForURL(/since=7d/);
  assert.match(await page.locator(".sentence").innerText(), /^In the last week/);
  await page.locator(".top .picker summary").click();
  await page.locator(".top .picker a", { hasText: "billing-api" }).click();
  await page.waitForURL(/project=/);
  assert.match(page.url(), /since=7d/);
});

await test("the graph leads from box to box", async (page) => {
  await open(page, `/graph?of=${ids.csrf}`);
  assert.ok((await page.locator(".graph .edge-name", { hasText: "extends" }).count()) >= 1);
  await page.locator(".graph a.node", { hasText: "src/auth.ts" }).first().click();
  await page.waitForURL(/of=src/);
  assert.ok((await page.locator(".graph a.node").count()) >= 3);
  await page.locator(".chip.whole").click();
  await page.waitForURL(/\/graph$/);
  assert.ok((await page.locator(".ring a.node").count()) >= 2);
});

await test("settings are checked when they are saved", async (page) => {
  page.expected = /400/;
  await open(page, "/settings");
  const form = page.locator("form[data-setting='recall.limit']");
  await form.locator("input[name=value]").fill("many");
  await form.locator("button").click();
  await form.locator(".problem", { hasText: "invalid value" }).waitFor();
  await form.locator("input[name=value]").fill("12");
  await form.locator("button").click();
  await toast(page, "Saved recall.limit");
  assert.equal((await stage.call("config get", { name: "recall.limit" })).value, 12);
  await page.locator("#toast button").click();
  await page.waitForTimeout(500);
  assert.equal((await stage.call("config get", { name: "recall.limit" })).value, 8);
});

await test("health names backups, and makes one", async (page) => {
  await open(page, "/doctor");
  assert.match(await page.locator("main").innerText(), /Backups/);
  await page.locator("[data-run=backup]").click();
  await toast(page, "Backed up");
});

await test("the theme is chosen and remembered", async (page) => {
  await open(page, "/");
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  assert.equal(await ground(), "rgb(255, 255, 255)");
  await page.locator("#theme").click();
  assert.equal(await ground(), "rgb(15, 18, 22)");
  await open(page, "/memories");
  assert.equal(await ground(), "rgb(15, 18, 22)");
}, { colorScheme: "light" });

await test("lists are paged", async (page) => {
  await open(page, "/memories");
  if ((await page.locator(".paging a[rel=next]").count()) === 0) return;
  assert.equal(await page.locator(".row").count(), 50);
  await page.locator(".paging a[rel=next]").click();
  await page.waitForURL(/page=2/);
  assert.ok((await page.locator(".row").count()) >= 1);
  await page.locator(".paging a[rel=prev]").click();
  await page.waitForURL(/\/memories$/);
});

await test("what is stored elsewhere is announced above the list", async (page) => {
  await open(page, "/memories");
  await page.waitForTimeout(500);
  const before = await page.locator(".row").first().getAttribute("data-id");
  const { id } = await stage.call("remember", { text: "The lighthouse blinks twice at dusk.", kind: "fact", global: true });
  await page.locator("#news", { hasText: "1 new" }).waitFor();
  assert.equal(await page.locator(".row").first().getAttribute("data-id"), before, "rows moved by themselves");
  await page.locator("#news").click();
  await page.locator(`.row[data-id="${id}"]`).waitFor();
});

await test("a stranger sees nothing, and another page's request changes nothing", async (page) => {
  const stranger = await stage.browser.newContext();
  const answer = await (await stranger.newPage()).goto(`${stage.base}/memories`);
  assert.equal(answer.status(), 401);
  await stranger.close();
  page.expected = /403/;
  await open(page, "/memories");
  const refused = await page.evaluate(() => fetch("/v1/remember", { method: "POST", headers: { "content-type": "application/json" }, body: '{"text":"forged"}' }).then((one) => one.status));
  assert.equal(refused, 403, "a change without the proof of its page");
});

await test("a server that is gone is one quiet banner that heals", async (page) => {
  page.expected = /ERR_CONNECTION_REFUSED|Failed to load|net::ERR/;
  await open(page, "/memories");
  await stage.stop();
  await page.locator("#gone", { hasText: "does not answer" }).waitFor({ timeout: 30_000 });
  await stage.serve();
  await page.locator("#gone").waitFor({ state: "hidden", timeout: 30_000 });
  assert.match(await page.locator("#pulse").innerText(), /ok/);
});

await stage.strike();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
