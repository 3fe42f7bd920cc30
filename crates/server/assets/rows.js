// Rows: moving with j and k, opening beside the list, and selecting several.
import { call, complain, fetched, renew, say } from "./call.js";
import { on } from "./keys.js";

const beside = document.getElementById("beside");
const wide = matchMedia("(min-width: 1101px)");
const list = () => [...document.querySelectorAll("main .rows > .row")];
export const current = () => document.querySelector("main .row.at");

export function mark(row, scroll = true) {
  current()?.classList.remove("at");
  if (!row) return;
  row.classList.add("at");
  if (scroll) row.scrollIntoView({ block: "nearest" });
}

function move(by) {
  const rows = list();
  if (!rows.length) return false;
  const at = rows.indexOf(current());
  mark(rows[Math.min(Math.max(at + by, 0), rows.length - 1)]);
  const link = current().querySelector("a.open");
  if (!beside.hidden && link) show(link.href, false);
  else (link ?? current()).focus({ preventScroll: true });
}

on("j", () => move(1));
on("k", () => move(-1));
const open = () => {
  const link = current()?.querySelector("a.open, a.item, a");
  if (!link) return false;
  link.click();
};
on("o", open);
on("Enter", (event) => (event.target.closest("a, button, summary") ? false : open()));
on("x", () => {
  const row = current();
  if (!row || !document.getElementById("batch")) return false;
  row.classList.toggle("chosen");
  counted();
});

const chosen = () => [...document.querySelectorAll("main .row.chosen")].map((row) => row.dataset.id);
function counted() {
  const bar = document.getElementById("batch");
  bar.hidden = !chosen().length;
  document.getElementById("chosen").textContent = `${chosen().length} selected`;
}
document.getElementById("batch")?.addEventListener("click", async (event) => {
  const what = event.target.dataset.batch;
  if (what === undefined) return;
  const ids = chosen();
  for (const row of document.querySelectorAll(".row.chosen")) row.classList.remove("chosen");
  counted();
  if (!what) return;
  try {
    await call(what, { ids });
    await renew("#live");
    const done = what === "archive" ? "Archived" : "Resolved";
    say(`${done} ${ids.length === 1 ? ids[0] : `${ids.length} memories`}`, async () => {
      await call(what === "archive" ? "restore" : "reopen", { ids });
      await renew("#live");
    });
  } catch (error) {
    complain(error);
  }
});

// Details beside the list. The address is that of the page itself, so it can be shared and reloaded.
const home = location.href;
export async function show(url, push = true) {
  const page = await fetched(url);
  const detail = page.querySelector("article.detail");
  if (!detail) return location.assign(url);
  const close = document.createElement("button");
  close.className = "close";
  close.textContent = "Close";
  close.addEventListener("click", () => history.back());
  beside.replaceChildren(close, document.adoptNode(detail));
  beside.hidden = false;
  beside.scrollTop = 0;
  if (push && !history.state?.beside) history.pushState({ beside: url }, "", url);
  else history.replaceState({ beside: url }, "", url);
  document.dispatchEvent(new CustomEvent("renewed"));
}

document.querySelector("main").addEventListener("click", (event) => {
  const link = event.target.closest("[data-beside] a.open");
  if (!link || !wide.matches || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  mark(link.closest(".row"), false);
  show(link.href).catch(() => location.assign(link.href));
});
addEventListener("popstate", (event) => {
  if (event.state?.beside) show(event.state.beside, false);
  else if (location.href === home) beside.hidden = true;
  else location.reload();
});
on("Escape", () => {
  if (beside.hidden) return false;
  history.back();
});
