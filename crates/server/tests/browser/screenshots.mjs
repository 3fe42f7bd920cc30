// Pictures of the main pages, from an imaginary team's work: `node screenshots.mjs BINARY FOLDER`.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Stage, pages } from "./stage.mjs";

const [, , binary, folder] = process.argv;
mkdirSync(folder, { recursive: true });
const stage = await Stage.set(binary);
const sessions = (await stage.call("sessions", { all_projects: true, limit: 20 })).sessions.map((one) => one.id);
const all = pages(stage.ids, sessions);

async function shoot(name, path, options, prepare = async () => {}) {
  const context = await stage.context(options);
  const page = await context.newPage();
  await page.goto(stage.base + path, { waitUntil: "load" });
  await prepare(page);
  await page.waitForTimeout(200);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await context.close();
}

const desk = { viewport: { width: 1280, height: 760 } };
for (const [name, path] of Object.entries({ today: all.today, memory: all.memory, inbox: all.inbox, ledger: all.ledger, failures: all.failures, rules: all.rules, rule: all.rule, insights: all.insights, graph: all.graph })) {
  await shoot(name, path, { ...desk, colorScheme: "light" });
}
await shoot("search", all.search, { ...desk, colorScheme: "light" }, (page) => page.locator(".explain summary").first().click());
await shoot("session", `/sessions/${sessions.at(-1)}`, { ...desk, colorScheme: "light" }, (page) => page.locator(".fix summary").first().click());
await shoot("today-dark", all.today, { ...desk, colorScheme: "dark" });
await shoot("rules-dark", all.rules, { ...desk, colorScheme: "dark" });
await shoot("session-dark", `/sessions/${sessions[1]}`, { ...desk, colorScheme: "dark" });
await shoot("phone", all.today, { viewport: { width: 390, height: 760 }, colorScheme: "light" });
await stage.strike();
