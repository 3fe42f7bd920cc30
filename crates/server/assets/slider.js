// The moment in a session: what happened up to it, and what the agent had been told by then.
import { fetched } from "./call.js";

const slider = document.getElementById("moment");
if (slider) {
  const steps = [...document.querySelectorAll("#steps > li")];
  const session = document.querySelector("[data-session]").dataset.session;
  let asked = 0;
  let timer = 0;

  function paint(at) {
    steps.forEach((step, index) => {
      step.classList.toggle("now", index === at);
      step.classList.toggle("later", index > at);
    });
  }

  async function told(at) {
    const mine = ++asked;
    const query = new URLSearchParams(location.search);
    query.set("at", steps[at].dataset.at);
    const url = `/sessions/${session}?${query}`;
    history.replaceState(null, "", url);
    const page = await fetched(url);
    if (mine !== asked) return;
    const fresh = page.getElementById("told");
    if (fresh) document.getElementById("told").replaceWith(document.adoptNode(fresh));
  }

  slider.setAttribute("aria-valuetext", steps[slider.value]?.querySelector(".clock")?.textContent ?? "");
  slider.addEventListener("input", () => {
    const at = Number(slider.value);
    paint(at);
    slider.setAttribute("aria-valuetext", steps[at].querySelector(".clock").textContent);
    clearTimeout(timer);
    timer = setTimeout(() => told(at).catch(() => {}), 80);
  });
  for (const [at, step] of steps.entries()) {
    step.querySelector(".clock").addEventListener("click", (event) => {
      event.preventDefault();
      slider.value = at;
      paint(at);
      told(at).catch(() => {});
    });
  }
}
