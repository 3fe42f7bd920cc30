// Keys that work on every page.
import { takeBack } from "./call.js";

const help = document.getElementById("keys");
const handlers = new Map();
let going = 0;

// A page's own key. Returning false passes it on.
export const on = (key, handler) => handlers.set(key, [handler, ...(handlers.get(key) ?? [])]);

const isTyping = (target) => target.closest("input, textarea, select, [contenteditable]") !== null;

function go(letter) {
  const link = document.querySelector(`[data-go="${CSS.escape(letter)}"]`);
  if (link) location.assign(link.href);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const { key, target } = event;
  if (key === "Escape") {
    if (isTyping(target)) target.blur();
    for (const handler of handlers.get(key) ?? []) if (handler(event) !== false) break;
    for (const open of document.querySelectorAll("details.picker[open]")) open.open = false;
    return;
  }
  if (isTyping(target) || help.open) return;
  if (Date.now() - going < 1500) {
    going = 0;
    event.preventDefault();
    return go(key);
  }
  for (const handler of handlers.get(key) ?? []) {
    if (handler(event) !== false) {
      event.preventDefault();
      return;
    }
  }
  if (key === "/") {
    event.preventDefault();
    const field = document.querySelector(".find input");
    field.focus();
    field.select();
  } else if (key === "g") going = Date.now();
  else if (key === "?") help.showModal();
  else if (key === "u") takeBack();
});

document.getElementById("help").addEventListener("click", () => help.showModal());
document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
});
// One menu at a time, and none once the pointer is elsewhere.
document.addEventListener("click", (event) => {
  for (const open of document.querySelectorAll("details.picker[open]")) {
    if (!open.contains(event.target)) open.open = false;
  }
});
