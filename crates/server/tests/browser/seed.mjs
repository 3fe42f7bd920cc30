// Fills a store with the work of an imaginary team, by the same commands and hooks that people and assistants use.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

export class Seed {
  constructor(binary, root, now) {
    this.binary = binary;
    this.now = now;
    this.home = join(root, "store");
    this.people = join(root, "home");
    this.env = {
      PATH: process.env.PATH,
      HOME: this.people,
      HARK_HOME: this.home,
      HARK_CONFIG: join(root, "config.toml"),
      LANG: "C.UTF-8",
    };
    mkdirSync(this.people, { recursive: true });
    this.shop = this.repository(root, "shop", "git@github.com:acme/shop.git");
    this.billing = this.repository(root, "billing-api", "git@github.com:acme/billing-api.git");
  }

  repository(root, name, remote) {
    const folder = join(root, "code", name);
    mkdirSync(join(folder, "src"), { recursive: true });
    const git = (...words) => execFileSync("git", words, { cwd: folder, env: this.env, stdio: "ignore" });
    git("init", "-b", "main");
    git("remote", "add", "origin", remote);
    for (const file of ["src/auth.ts", "src/cart.ts", "src/checkout.ts", "src/invoice.rs", "src/tax.rs", "README.md"]) {
      writeFileSync(join(folder, file), `// ${file}\n`);
    }
    git("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "add", ".");
    git("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "-m", "First");
    return folder;
  }

  at(ago) {
    return String(this.now - ago);
  }

  run(cwd, ago, words, { input = "", env = {} } = {}) {
    const made = spawnSync(this.binary, words, {
      cwd,
      env: { ...this.env, HARK_NOW: this.at(ago), ...env },
      input,
      encoding: "utf8",
      maxBuffer: 64 << 20,
    });
    if (made.status !== 0) throw new Error(`hark ${words.slice(0, 3).join(" ")}: ${made.stderr || made.stdout}`);
    return made.stdout;
  }

  remember(cwd, ago, text, ...more) {
    const { env, rest } = split(more);
    return JSON.parse(this.run(cwd, ago, ["remember", "--json", ...rest, "--", text], { env })).id;
  }

  hook(cwd, ago, session, event, more) {
    const payload = { session_id: session, transcript_path: "/nowhere/t.jsonl", cwd, permission_mode: "default", hook_event_name: event, ...more };
    return this.run(cwd, ago, ["hook", "claude-code", event], { input: JSON.stringify(payload) });
  }
}

function split(more) {
  const last = more.at(-1);
  return typeof last === "object" ? { env: last.env, rest: more.slice(0, -1) } : { env: {}, rest: more };
}

// One session: what was asked, and what was done for it.
function session(seed, cwd, ago, name, turns, ends = true) {
  let left = ago;
  const tick = (minutes = 1) => (left = Math.max(left - minutes * MINUTE, 1000));
  let call = 0;
  seed.hook(cwd, left, name, "SessionStart", { source: "startup" });
  for (const turn of turns) {
    tick();
    seed.hook(cwd, left, name, "UserPromptSubmit", { prompt: turn.ask });
    for (const [what, target, outcome] of turn.do ?? []) {
      tick();
      const id = `${name}-${++call}`;
      if (what === "edit") {
        const input = { file_path: join(cwd, target), old_string: "a", new_string: outcome ?? "b" };
        seed.hook(cwd, left, name, "PreToolUse", { tool_name: "Edit", tool_input: input, tool_use_id: id });
        seed.hook(cwd, left, name, "PostToolUse", { tool_name: "Edit", tool_input: input, tool_use_id: id, tool_response: { filePath: target } });
      } else if (what === "read") {
        seed.hook(cwd, left, name, "PostToolUse", { tool_name: "Read", tool_input: { file_path: join(cwd, target) }, tool_use_id: id, tool_response: { content: "…" } });
      } else if (what === "fail") {
        seed.hook(cwd, left, name, "PostToolUseFailure", { tool_name: "Bash", tool_input: { command: target }, tool_use_id: id, error: outcome });
      } else {
        if (what === "try") seed.hook(cwd, left, name, "PreToolUse", { tool_name: "Bash", tool_input: { command: target }, tool_use_id: id });
        seed.hook(cwd, left, name, "PostToolUse", { tool_name: "Bash", tool_input: { command: target }, tool_use_id: id, tool_response: { stdout: outcome ?? "ok", stderr: "", interrupted: false } });
      }
    }
    tick();
    seed.hook(cwd, left, name, "Stop", { stop_hook_active: false, last_assistant_message: turn.said ?? "Done." });
  }
  if (ends) seed.hook(cwd, tick(), name, "SessionEnd", { reason: "other" });
}

// An insight as the worker would leave it, with its evidence.
function insight(seed, shop) {
  const made = (days) => new Date(seed.now - days * DAY).toISOString();
  const key = JSON.parse(seed.run(shop, 0, ["project", "--json"])).projects.find((one) => one.current).key;
  const folder = join(seed.home, "memories", "insight");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "migrations_0a1b2c3d.md"), `---
id: 019a87f2-5f10-7c3a-9b1e-3f6f0c7b2a41
kind: insight
title: Handlers in the shop stay thin; the work is done in services.
status: proposed
project: ${key}
confidence: 0.6
origin: assistant
when: ["file:src/*.ts"]
evidence:
  - {at: ${made(9)}, sort: correction, session: b7d0-cart, text: "No, keep the handler thin, put that into the service"}
  - {at: ${made(4)}, sort: correction, session: c1a9-tax, text: "Again: <b>no logic</b> in the handler"}
  - {at: ${made(1)}, sort: undone, session: e8f3-auth, text: "src/checkout.ts: the edit was taken back by hand"}
created: ${made(1)}
updated: ${made(1)}
---

Handlers in the shop stay thin; the work is done in services.
`);
}

const VITEST = `Exit code 1
 FAIL  src/cart.test.ts > cart > keeps the discount after a reload
AssertionError: expected 0 to be 15
 ❯ src/cart.ts:42:18
Test Files  1 failed | 11 passed (12)`;
const CARGO = `Exit code 101
---- tax::tests::rounds_per_line stdout ----
thread 'tax::tests::rounds_per_line' panicked at src/tax.rs:31:9:
assertion \`left == right\` failed
  left: 1999
 right: 2000
test result: FAILED. 41 passed; 1 failed`;

export function fill(seed) {
  const { shop, billing } = seed;
  const assistant = { env: { CLAUDECODE: "1" } };
  const first = seed.remember(shop, 60 * DAY, "We use npm for packages in the shop.", "--kind", "decision", "--topic", "package manager");
  seed.remember(shop, 32 * DAY, "We use yarn for packages in the shop: npm was slow in CI.", "--kind", "decision", "--topic", "package manager", "--why", "CI took nine minutes with npm");
  const pnpm = seed.remember(shop, 12 * DAY, "We use pnpm for packages in the shop, never npm or yarn: CI takes four minutes and the lock file is strict.", "--kind", "decision", "--topic", "package manager", "--why", "Strict lock file, and four minutes of CI instead of nine", "--file", "README.md", "--tag", "tooling");
  const session1 = seed.remember(shop, 20 * DAY, "Sessions live in Redis for 30 minutes; src/auth.ts renews them on every request.", "--kind", "fact", "--file", "src/auth.ts", "--tag", "auth");
  const csrf = seed.remember(shop, 19 * DAY, "Every form that changes something sends the CSRF token that src/auth.ts puts into the page.", "--kind", "convention", "--file", "src/auth.ts", "--tag", "auth", "--why", "A scanner found a form without it");
  seed.remember(shop, 18 * DAY, "The checkout in src/checkout.ts must never call the payment provider twice: use the order id as idempotency key.", "--kind", "constraint", "--file", "src/checkout.ts", "--tag", "payments", "--importance", "5");
  const discount = seed.remember(shop, 9 * DAY, "Discounts are kept with the cart, not in the browser: a reload lost them twice.", "--kind", "lesson", "--file", "src/cart.ts", "--tag", "cart");
  seed.remember(shop, 8 * DAY, "Load the cart in src/cart.ts in one query: five queries made the page take 900 ms.", "--kind", "solution", "--file", "src/cart.ts");
  seed.remember(shop, 6 * DAY, "Deploys go out on Tuesdays and Thursdays, never on Fridays; Ann decides on exceptions.", "--kind", "constraint", "--tag", "deploy");
  seed.remember(shop, 5 * DAY, "Move the product images to the new bucket before the old one closes in December.", "--kind", "task", "--tag", "images");
  seed.remember(shop, 4 * DAY, "The staging database is a copy from Sunday night without names and addresses.", "--kind", "fact", "--tag", "staging");
  seed.remember(shop, 3 * DAY, "Run vitest with --pool=forks: threads crash with the native image library.", "--kind", "procedure", "--tag", "testing");
  seed.remember(shop, 2 * DAY, "Never force-push to main.", "--kind", "directive", "--importance", "5");
  seed.remember(billing, 40 * DAY, "Amounts are integers in cents everywhere; src/tax.rs rounds half up, per line.", "--kind", "convention", "--file", "src/tax.rs", "--tag", "money");
  const round = seed.remember(billing, 15 * DAY, "Tax is rounded per line and not on the sum: the auditors want every line to add up.", "--kind", "decision", "--file", "src/tax.rs", "--tag", "money", "--why", "Audit of August");
  seed.remember(billing, 14 * DAY, "Invoices in src/invoice.rs are immutable once sent; corrections are credit notes.", "--kind", "constraint", "--file", "src/invoice.rs", "--importance", "5");
  seed.remember(billing, 10 * DAY, "The invoice numbers of src/invoice.rs come from a sequence per year, without gaps.", "--kind", "fact", "--file", "src/invoice.rs");
  seed.remember(billing, 7 * DAY, "The nightly job retries three times and then pages @ben.", "--kind", "procedure", "--tag", "jobs");
  seed.remember(billing, 1 * DAY, "Waiting for the new certificate of the bank before the transfer tests can run again.", "--kind", "blocker", "--tag", "bank");
  seed.run(shop, 11 * DAY, ["relate", csrf, session1, "--as", "extends"]);
  seed.run(shop, 8 * DAY, ["relate", discount, session1, "--as", "related"]);
  seed.run(shop, 7 * DAY, ["edit", discount, "--text", "Discounts are kept with the cart on the server, not in the browser: a reload lost them twice, and a second tab showed another price."]);
  seed.run(shop, 6 * DAY, ["feedback", pnpm, "helpful"]);
  for (let at = 0; at < 28; at++) {
    const subject = ["search page", "order mail", "stock import", "address form", "price list", "customer export", "image service"][at % 7];
    const words = ["caches for ten minutes", "logs the order id with every line", "retries twice and then gives up", "reads its settings from the environment", "is tested with recorded answers", "has its own feature flag", "sends metrics every minute", "is owned by the platform team", "validates before it writes", "keeps ninety days of history"][Math.floor(at / 7)];
    seed.remember(at % 3 ? shop : billing, (28 - at) * 1.5 * DAY, `The ${subject} ${words}.`, "--kind", ["fact", "convention", "decision"][at % 3]);
  }

  const rule = (cwd, ago, text, ...more) => JSON.parse(seed.run(cwd, ago, ["rules", "add", "--json", text, ...more])).id;
  const npm = rule(shop, 5 * DAY, "Use pnpm in the shop, never npm or yarn.", "--when", "command:npm *", "--when", "command:yarn *", "--action", "warn", "--why", "A second lock file broke the build of 3 August");
  rule(shop, 5 * DAY, "Ask before you change the checkout: payments go through it.", "--when", "file:src/checkout.ts", "--action", "ask");
  rule(billing, 9 * DAY, "Never round an amount with round(); use half_up().", "--when", "file:src/tax.rs", "--action", "tell");
  const tests = rule(shop, 12 * DAY, "Run the tests before you say that something works.");
  seed.run(shop, 3 * DAY, ["rules", "pause", tests]);
  const old = rule(shop, 50 * DAY, "Write the changelog by hand.", "--when", "file:CHANGELOG.md", "--action", "tell");
  seed.run(shop, 20 * DAY, ["rules", "retire", old]);
  insight(seed, shop);
  session(seed, shop, 6 * DAY, "b7d0-cart", [
    { ask: "The discount is gone after a reload. Find out why.", do: [["read", "src/cart.ts"], ["read", "src/checkout.ts"], ["fail", "pnpm vitest run src/cart.test.ts", VITEST], ["edit", "src/cart.ts"], ["fail", "pnpm vitest run src/cart.test.ts", VITEST], ["edit", "src/cart.ts", "await save(cart)"], ["pass", "pnpm vitest run src/cart.test.ts", "Test Files  12 passed (12)"]], said: "The cart was saved before the discount was applied. It is saved afterwards now, and the test passes." },
    { ask: "Good. Commit that.", do: [["pass", "git commit -am 'cart: save after the discount'", "[main 4f2c1aa] cart: save after the discount"]], said: "Committed." },
  ]);
  session(seed, billing, 3 * DAY, "c1a9-tax", [
    { ask: "Round the tax per line in src/tax.rs", do: [["read", "src/tax.rs"], ["edit", "src/tax.rs"], ["fail", "cargo test", CARGO], ["edit", "src/tax.rs", "half_up(line)"], ["pass", "cargo test", "test result: ok. 42 passed; 0 failed"]], said: "Each line is rounded half up now." },
  ]);
  session(seed, shop, 2 * DAY, "a3c2-mail", [
    { ask: "Add a library that sends the order mails", do: [["try", "npm install mailer", "added 1 package"], ["try", "npm uninstall mailer", "removed 1 package"], ["try", "pnpm add mailer", "done"]], said: "The library is there, with pnpm." },
  ]);
  session(seed, shop, 30 * 60 * MINUTE, "a9e7-images", [
    { ask: "Which library resizes the images? Update it", do: [["try", "npm outdated", "sharp 0.33"], ["try", "pnpm update sharp", "done"]], said: "Updated with pnpm." },
  ]);
  session(seed, billing, 20 * 60 * MINUTE, "d4e2-tax", [
    { ask: "Add the reduced rate for books to src/tax.rs", do: [["read", "src/tax.rs"], ["edit", "src/tax.rs"], ["fail", "cargo test", CARGO], ["read", "src/invoice.rs"], ["edit", "src/tax.rs"], ["pass", "cargo test", "test result: ok. 43 passed; 0 failed"]], said: "Books have the reduced rate. The rounding test failed again on the way; the fix of last time helped." },
  ]);
  session(seed, shop, 5 * 60 * MINUTE, "e8f3-auth", [
    { ask: "How long do sessions live, and where are they renewed? Show me src/auth.ts", do: [["read", "src/auth.ts"]], said: "Thirty minutes, in Redis; src/auth.ts renews them on every request." },
    { ask: "Add the CSRF token to the new address form and use the right package manager for the new library", do: [["edit", "src/auth.ts"], ["pass", "pnpm add csrf", "done"], ["fail", "pnpm vitest run src/cart.test.ts", VITEST]], said: "The form sends the token. One test of the cart fails again; I have not looked into it yet." },
  ]);
  session(seed, shop, 18 * MINUTE, "f0b5-live", [
    { ask: "Which package manager do we use in the shop? Then make the checkout in src/checkout.ts safe against double payment", do: [["read", "src/checkout.ts"], ["read", "src/cart.ts"], ["edit", "src/checkout.ts"], ["pass", "pnpm vitest run src/checkout.test.ts", "Test Files  1 passed (1)"]], said: "The order id is the idempotency key now." },
  ], false);

  seed.remember(shop, 4 * 60 * MINUTE, "Always run the cart tests before a commit that touches src/cart.ts.", "--kind", "directive", "--why", "The same test failed in two sessions", assistant);
  seed.remember(shop, 3 * 60 * MINUTE, "Ask before adding a dependency to the shop.", "--kind", "directive", assistant);
  seed.remember(billing, 2 * 60 * MINUTE, "Use half_up() from src/tax.rs for every amount, never round().", "--kind", "directive", "--why", "round() rounds half to even", assistant);
  seed.run(shop, 0, ["backup"]);
  return { npm, first, pnpm, discount, csrf, round, session1 };
}

// Texts that try to leave their place.
export function hostile(seed) {
  const rtl = "\u202e";
  return {
    script: seed.remember(seed.shop, 50 * MINUTE, "<script>window.hacked = 1</script> is what the form of the supplier sends.", "--kind", "fact", "--title", "<script>window.hacked = 1</script>"),
    image: seed.remember(seed.shop, 49 * MINUTE, 'A name was <img src=x onerror="window.hacked = 2"> and broke the report.', "--kind", "fact", "--tag", '"><b>bold', "--file", 'src/"><img src=x onerror=alert(1)>.ts'),
    bidi: seed.remember(seed.shop, 48 * MINUTE, `The file ${rtl}gpj.exe${rtl} is not a picture.`, "--kind", "fact"),
    long: JSON.parse(seed.run(seed.shop, 47 * MINUTE, ["remember", "--json", "--kind", "fact", "--title", "One line of a megabyte", "-"], { input: "supplier-".repeat(116_000) })).id,
  };
}
