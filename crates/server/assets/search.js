// Search as you type, and filters that apply at once.
import { fetched } from "./call.js";

const results = () => document.getElementById("results");
const field = document.querySelector("body[data-page='Search'] .find input[type='search']");
let asked = 0;

async function find(url) {
  const mine = ++asked;
  history.replaceState(null, "", url);
  const page = await fetched(url);
  // A later question has been asked meanwhile.
  if (mine !== asked) return;
  const fresh = page.getElementById("results");
  if (fresh) results().replaceWith(document.adoptNode(fresh));
}

function address() {
  const form = document.getElementById("filters");
  form.elements.q.value = field.value;
  const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
  return `/search?${query}`;
}

if (field) {
  let timer = 0;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => find(address()).catch(() => {}), 150);
  });
  field.form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    find(address()).catch(() => {});
  });
  document.getElementById("filters").addEventListener("change", () => find(address()).catch(() => {}));
  if (!field.value) field.focus();
}

// Elsewhere a filter loads the page again, without empty values in its address.
for (const form of document.querySelectorAll("form.chips:not(#filters)")) {
  const go = (event) => {
    event?.preventDefault();
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    location.assign(`${form.getAttribute("action")}?${query}`);
  };
  form.addEventListener("submit", go);
  form.addEventListener("change", () => go());
}
