// What changes elsewhere: new rows are announced, never put under the cursor. And whether the server is there.
import { fetched, renewState } from "./call.js";

const gone = document.getElementById("gone");
const pulse = document.getElementById("pulse");
const BEAT = 10_000;
const SOON = 2_000;
let isThere = true;

function found(there) {
  if (there === isThere) return;
  isThere = there;
  gone.hidden = there;
  gone.textContent = there ? "" : "The server does not answer. This page continues by itself when it is back.";
  pulse.querySelector(".mark").className = there ? "mark sure" : "mark wrong";
  pulse.querySelector("span:last-child").textContent = there ? "ok" : "gone";
  if (there) {
    listen();
    look();
  }
}

async function beat() {
  try {
    const response = await fetch("/health", { cache: "no-store" });
    found(response.ok);
  } catch {
    found(false);
  }
  setTimeout(beat, isThere ? BEAT : SOON);
}
setTimeout(beat, BEAT);
addEventListener("unhandledrejection", (event) => {
  // A request that did not reach the server: look at once.
  if (event.reason instanceof TypeError) {
    event.preventDefault();
    found(false);
    setTimeout(beat, SOON);
  }
});

let source = null;
function listen() {
  source?.close();
  source = new EventSource("/v1/events");
  source.addEventListener("changed", () => later());
}

// What a page shows is about to be gone for good: nothing looks for it any more until the next page is there.
let isLeaving = false;
export function leaving(really) {
  isLeaving = really;
}

let timer = 0;
// Several changes in a row are one.
function later() {
  clearTimeout(timer);
  timer = setTimeout(look, 400);
}

export async function look() {
  if (isLeaving) return;
  const here = document.getElementById("live");
  let page;
  try {
    page = await fetched(location.href);
  } catch {
    return found(false);
  }
  renewState(page);
  const there = page.getElementById("live");
  if (!here || !there || location.search.includes("page=")) return;
  const known = new Set([...here.querySelectorAll("[data-id]")].map((row) => row.dataset.id));
  const news = [...there.querySelectorAll("[data-id]")].filter((row) => !known.has(row.dataset.id));
  document.getElementById("news")?.remove();
  if (!news.length) return;
  const line = document.createElement("button");
  line.id = "news";
  line.className = "news";
  line.textContent = `${news.length} new`;
  line.addEventListener("click", () => {
    for (const row of news) row.classList.add("fresh");
    here.replaceWith(document.adoptNode(there));
    line.remove();
    document.dispatchEvent(new CustomEvent("renewed"));
  });
  here.before(line);
}

listen();
