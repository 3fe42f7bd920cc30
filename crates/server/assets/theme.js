// Before the first paint: the chosen theme, and that scripts run.
const kept = localStorage.getItem("theme");
if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
document.documentElement.classList.add("scripted");
