// Settings: saved in place, with the reason where a value is refused.
import { call, complain, post, say } from "./call.js";

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-setting]");
  if (!form) return;
  event.preventDefault();
  const problem = form.querySelector(".problem");
  const field = form.elements.value;
  const name = form.dataset.setting;
  const before = field.defaultValue ?? [...field.options].find((option) => option.defaultSelected)?.value;
  problem.hidden = true;
  try {
    await post("/settings", { name, value: field.value });
    say(`Saved ${name}`, async () => {
      await post("/settings", { name, value: before });
      field.value = before;
    });
  } catch (error) {
    problem.textContent = error.message;
    problem.hidden = false;
    field.focus();
  }
});

document.addEventListener("click", async (event) => {
  const operation = event.target.dataset?.run;
  if (!operation) return;
  event.target.disabled = true;
  try {
    await call(operation, {});
    say(operation === "backup" ? "Backed up" : "The pending work is done");
  } catch (error) {
    complain(error);
  }
  event.target.disabled = false;
});
