// Changes of one memory, on its own page or beside a list.
import { call, complain, fetched, renew, say } from "./call.js";
import { on } from "./keys.js";
import { leaving } from "./live.js";

const article = () => document.querySelector("article.memory");
const DONE = { resolve: "Resolved", reopen: "Reopened", archive: "Archived", restore: "Restored", undo: "Undone" };

// Draws the memory again, wherever it is shown.
async function again(id) {
  const url = `/memories/${id}${location.search}`;
  const page = await fetched(url);
  const fresh = page.querySelector("article.memory");
  if (fresh) article()?.replaceWith(document.adoptNode(fresh));
  if (document.getElementById("live")) await renew("#live", document.querySelector(".rail [aria-current]").href);
  document.dispatchEvent(new CustomEvent("renewed"));
}

async function change(id, operation, request, said, undo = () => call("undo", { id })) {
  try {
    await call(operation, request);
    await again(id);
    say(said, undo && (async () => {
      await undo();
      await again(id);
    }));
  } catch (error) {
    complain(error);
  }
}

function form(name) {
  for (const one of article().querySelectorAll("form.inline")) one.hidden = one.dataset.name !== name;
  const opened = article().querySelector(`form[data-name="${name}"]`);
  opened?.querySelector("textarea, input")?.focus();
  return opened;
}

async function edit(id) {
  const { memories } = await call("show", { ids: [id] });
  const opened = form("edit");
  opened.elements.title.value = memories[0].title;
  opened.elements.text.value = memories[0].body;
  opened.elements.why.value = memories[0].why ?? "";
  opened.before = memories[0];
}

async function save(opened, id) {
  const { title, text, why } = opened.elements;
  const before = opened.before;
  const { memories } = await call("show", { ids: [id] });
  if (memories[0].revision !== before.revision) {
    // Somebody else changed it meanwhile: show both, and save only when that was seen.
    const both = opened.querySelector(".both");
    const theirs = document.createElement("pre");
    theirs.textContent = memories[0].body;
    both.replaceChildren("It was changed elsewhere meanwhile. It says now:", theirs, "Save again to replace that by your text.");
    both.hidden = false;
    opened.before = memories[0];
    return;
  }
  const request = { id };
  if (text.value !== before.body) request.text = text.value;
  if (title.value !== before.title) request.title = title.value;
  if (why.value !== (before.why ?? "")) request.why = why.value;
  if (Object.keys(request).length === 1) return form("");
  await change(id, "edit", request, "Saved");
}

// What will go, before it goes.
async function forget(id) {
  const opened = form("forget");
  const list = opened.querySelector(".will-go");
  const preview = await call("forget", { ids: [id] });
  const lines = preview.memories.map((gone) => `${gone.id} ${gone.title}`);
  const item = (text) => Object.assign(document.createElement("li"), { textContent: text });
  const plain = document.createElement("ul");
  plain.className = "plain";
  plain.append(...lines.map(item));
  list.replaceChildren("This removes for good, with its history, its quotes in sessions and its copies in backups:", plain);
}

async function act(button, id) {
  const what = button.dataset.do;
  if (what === "edit") return edit(id);
  if (what === "forget") return forget(id);
  if (what === "undo") return change(id, "undo", { id }, "Undone");
  if (what === "pin") {
    const pin = button.dataset.pin === "true";
    return change(id, "edit", { id, pin }, pin ? "Pinned" : "Unpinned");
  }
  return change(id, what, { ids: [id] }, DONE[what]);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("article.memory button");
  if (!button) return;
  const id = article().dataset.memory;
  if (button.dataset.do) act(button, id).catch(complain);
  else if (button.dataset.form) form(button.dataset.form);
  else if (button.dataset.rate) {
    change(id, "feedback", { ids: [id], feedback: button.dataset.rate }, `Rated ${button.dataset.rate}`);
  } else if (button.hasAttribute("data-close")) form("");
});

document.addEventListener("submit", async (event) => {
  const opened = event.target.closest("article.memory form.inline");
  if (!opened) return;
  event.preventDefault();
  const id = article().dataset.memory;
  const value = (name) => opened.elements[name].value.trim();
  try {
    if (opened.dataset.name === "edit") await save(opened, id);
    else if (opened.dataset.name === "relate") {
      const link = { from: id, to: value("to"), relation: value("relation") };
      await change(id, "relate", link, `Related to ${link.to}`, () => call("relate", { ...link, remove: true }));
    } else if (opened.dataset.name === "supersede") {
      const { memories } = await call("show", { ids: [id] });
      const old = memories[0];
      const next = { text: value("text"), kind: old.kind, supersedes: id };
      if (value("why")) next.why = value("why");
      if (old.project) next.project = old.project;
      else next.global = true;
      const made = await call("remember", next);
      location.assign(`/memories/${made.id}`);
    } else if (opened.dataset.name === "forget" && value("word") === "forget") {
      leaving(true);
      await call("forget", { ids: [id], yes: true });
      sessionStorage.setItem("said", `Forgot ${id}`);
      location.assign("/memories");
    }
  } catch (error) {
    leaving(false);
    complain(error);
  }
});

const isShown = () => article() && article().querySelector("[data-do]");
on("e", () => (isShown() ? void edit(article().dataset.memory).catch(complain) : false));
on("u", () => {
  // The line with Undo goes first; without one, the last change of this memory.
  if (!isShown() || !document.getElementById("toast").hidden) return false;
  const id = article().dataset.memory;
  change(id, "undo", { id }, "Undone");
});
on("Escape", () => {
  const opened = [...(article()?.querySelectorAll("form.inline") ?? [])].filter((one) => !one.hidden);
  if (!opened.length) return false;
  form("");
});
