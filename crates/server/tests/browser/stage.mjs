// A browser and a server on a seeded store, shared by the test and the screenshots.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Seed, fill, hostile } from "./seed.mjs";

const TOKEN = "0123456789abcdef0123456789abcdef0123456789abcdef";
// Where npm put the packages, by the folder that the caller names.
const require = createRequire(join(process.env.HARK_BROWSER_PACKAGES ?? process.cwd(), "package.json"));
export const { chromium } = require("playwright-core");
export const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

export class Stage {
  static async set(binary, { bad = false } = {}) {
    const stage = new Stage();
    stage.binary = binary;
    stage.root = mkdtempSync(join(tmpdir(), "hark-pages-"));
    // Filling a store takes a while; a folder that the caller names keeps it for the next run with the same binary.
    const kept = process.env.HARK_BROWSER_STORE;
    if (kept && existsSync(join(kept, "ids.json"))) {
      cpSync(kept, stage.root, { recursive: true });
      stage.ids = JSON.parse(readFileSync(join(kept, "ids.json"), "utf8"));
      stage.seed = Object.create(Seed.prototype);
    } else {
      const seed = new Seed(binary, stage.root, Date.now());
      stage.ids = { ...fill(seed), ...(bad ? hostile(seed) : {}) };
      if (kept) {
        mkdirSync(kept, { recursive: true });
        cpSync(stage.root, kept, { recursive: true });
        writeFileSync(join(kept, "ids.json"), JSON.stringify(stage.ids));
      }
    }
    stage.env = { PATH: process.env.PATH, HOME: join(stage.root, "home"), HARK_HOME: join(stage.root, "store"), HARK_CONFIG: join(stage.root, "config.toml"), HARK_SERVE_TOKEN: TOKEN, LANG: "C.UTF-8" };
    stage.port = await freePort();
    stage.base = `http://127.0.0.1:${stage.port}`;
    await stage.serve();
    stage.browser = await chromium.launch({ executablePath: process.env.HARK_BROWSER ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
    return stage;
  }

  async serve() {
    this.server = spawn(this.binary, ["serve", "--port", String(this.port)], { env: this.env, cwd: this.root, stdio: "ignore" });
    for (let tries = 0; tries < 200; tries++) {
      const there = await fetch(`${this.base}/health`).then((answer) => answer.ok, () => false);
      if (there) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("the server did not start");
  }

  stop() {
    return new Promise((resolve) => {
      this.server.once("exit", resolve);
      this.server.kill("SIGTERM");
    });
  }

  // A browser that a one-time link let in, as `hark ui` does it.
  async context(options = {}) {
    this.cookie ??= await this.login();
    const context = await this.browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    const [name, value] = this.cookie.split(/[=;]/);
    await context.addCookies([{ name, value, url: this.base, httpOnly: true, sameSite: "Strict" }]);
    return context;
  }

  async login() {
    const { code } = await this.call("login-code", {});
    const answer = await fetch(`${this.base}/login?code=${code}`, { redirect: "manual" });
    return answer.headers.get("set-cookie");
  }

  // An operation, as the scripts of a page call it.
  async call(operation, request) {
    const answer = await fetch(`${this.base}/v1/${operation.replaceAll(" ", "/")}`, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify(request),
    });
    const data = await answer.json();
    if (!answer.ok) throw new Error(`${operation}: ${data.error}`);
    return data;
  }

  async strike() {
    await this.browser?.close();
    await this.stop();
    rmSync(this.root, { recursive: true, force: true });
  }
}

export function pages(ids, sessions) {
  return {
    today: "/",
    search: "/search?q=which+package+manager+do+we+use",
    memories: "/memories",
    memory: `/memories/${ids.pnpm}`,
    inbox: "/inbox",
    sessions: "/sessions",
    session: `/sessions/${sessions[1]}`,
    rules: "/rules",
    rule: `/rules/${ids.npm}`,
    insights: "/insights",
    failures: "/failures",
    ledger: "/ledger",
    graph: "/graph",
    around: `/graph?of=${ids.csrf}`,
    health: "/doctor",
    settings: "/settings",
  };
}
