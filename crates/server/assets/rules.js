// Rules: pause, resume and retire in place, each with its way back.
import { call, complain, renew, say } from "./call.js";

const DONE = { pause: "Paused", resume: "Resumed", retire: "Retired" };

document.addEventListener("click", async (event) => {
  const what = event.target.dataset?.rules;
  if (!what) return;
  const id = event.target.closest("[data-rule]").dataset.rule;
  try {
    await call(`rules ${what}`, { ids: [id] });
    await renew("#live");
    say(`${DONE[what]} ${id}`, async () => {
      await call("undo", { id });
      await renew("#live");
    });
  } catch (error) {
    complain(error);
  }
});
