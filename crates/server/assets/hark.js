// Everything beyond reading: keys, changes in place, live rows.
import { say } from "./call.js";
import "./keys.js";
import "./rows.js";
import "./memory.js";
import "./inbox.js";
import "./rules.js";
import "./search.js";
import "./slider.js";
import "./settings.js";
import "./live.js";

// Times in the reader's own zone.
function local() {
  for (const time of document.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.valueOf())) time.title = at.toLocaleString();
  }
}
local();
document.addEventListener("renewed", local);

document.addEventListener("click", async (event) => {
  const source = event.target.closest("[data-copy], .copy");
  if (!source) return;
  const text = source.dataset.copy ?? source.textContent;
  try {
    await navigator.clipboard.writeText(text);
    say(`Copied ${text}`);
  } catch {
    getSelection().selectAllChildren(source);
  }
});

// What the page before wanted to say.
const said = sessionStorage.getItem("said");
if (said) {
  sessionStorage.removeItem("said");
  say(said);
}
