// The inbox: one key per decision, and the next proposal at once.
import { call, complain, renewState, fetched, say } from "./call.js";
import { on } from "./keys.js";
import { current, mark } from "./rows.js";

const list = document.getElementById("inbox");
if (list) {
  const rows = () => [...list.querySelectorAll(".row:not(.leaving)")];
  const count = () => {
    const left = rows().length;
    document.getElementById("left").textContent = left
      ? `${left} ${left === 1 ? "proposal waits" : "proposals wait"} for your decision.`
      : "Nothing waits.";
    document.getElementById("zero").hidden = left > 0;
  };
  const renewed = async () => renewState(await fetched(location.href));

  async function decide(row, what) {
    const { id } = row.dataset;
    const all = rows();
    const next = all[all.indexOf(row) + 1] ?? all[all.indexOf(row) - 1];
    const place = row.nextElementSibling;
    row.classList.add("leaving");
    mark(next);
    count();
    try {
      await call(`inbox ${what}`, { ids: [id] });
      row.remove();
      renewed();
      say(what === "accept" ? `Accepted ${id}` : `Rejected ${id}`, async () => {
        await call("undo", { id });
        row.classList.remove("leaving");
        list.insertBefore(row, place?.isConnected ? place : null);
        mark(row);
        count();
        renewed();
      });
    } catch (error) {
      row.classList.remove("leaving");
      mark(row);
      complain(error);
    }
    count();
  }

  function edit(row) {
    if (row.querySelector("textarea")) return;
    const text = row.querySelector(".text");
    const field = document.createElement("textarea");
    field.value = text.textContent;
    field.rows = 3;
    field.setAttribute("aria-label", "Text of the proposal");
    const close = () => {
      field.remove();
      buttons.remove();
      text.hidden = false;
    };
    const save = async () => {
      try {
        const { items } = await call("inbox edit", { id: row.dataset.id, text: field.value });
        text.textContent = items[0].text;
        close();
        say(`Reworded ${row.dataset.id}`, async () => {
          const { memory } = await call("undo", { id: row.dataset.id });
          text.textContent = memory.body;
        });
      } catch (error) {
        complain(error);
      }
    };
    const buttons = document.createElement("p");
    buttons.className = "actions";
    const button = (word, action) => {
      const made = Object.assign(document.createElement("button"), { type: "button", textContent: word });
      made.addEventListener("click", action);
      return made;
    };
    buttons.append(button("Save", save), button("Cancel", close));
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
      if (event.key === "Escape") close();
    });
    text.hidden = true;
    text.after(field, buttons);
    field.focus();
  }

  const act = (row, what) => (what === "edit" ? edit(row) : decide(row, what));
  list.addEventListener("click", (event) => {
    const what = event.target.dataset.decide;
    if (what) act(event.target.closest(".row"), what);
  });
  const key = (what) => () => {
    const row = current() ?? rows()[0];
    if (!row) return false;
    mark(row);
    act(row, what);
  };
  on("a", key("accept"));
  on("r", key("reject"));
  on("e", key("edit"));
  mark(rows()[0], false);
}
