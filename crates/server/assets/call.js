// Operations over REST, and the line that says what happened.

const csrf = document.querySelector('meta[name="csrf"]').content;

export class Refused extends Error {
  constructor(message, hint) {
    super(message);
    this.hint = hint;
  }
}

export async function post(url, body) {
  const headers = { "content-type": "application/json" };
  if (csrf) headers["x-hark-csrf"] = csrf;
  let response;
  try {
    response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  } catch {
    throw new Refused("The server does not answer", "nothing was changed; try again");
  }
  const text = await response.text();
  let data = {};
  try {
    data = text ? JSON.parse(text) : {};
  } catch {
    throw new Refused(`The server answered with ${response.status}`, "");
  }
  if (!response.ok) throw new Refused(data.error ?? `The server answered with ${response.status}`, data.hint ?? "");
  return data;
}

// `inbox accept` is POST /v1/inbox/accept.
export const call = (operation, request) => post(`/v1/${operation.replaceAll(" ", "/")}`, request);

const toast = document.getElementById("toast");
let timer = 0;
let undoing = null;

export function say(text, undo = null, bad = false) {
  clearTimeout(timer);
  undoing = undo;
  toast.replaceChildren();
  toast.classList.toggle("bad", bad);
  const line = document.createElement("span");
  line.textContent = text;
  toast.append(line);
  if (undo) {
    const button = document.createElement("button");
    button.textContent = "Undo";
    button.addEventListener("click", () => takeBack());
    toast.append(button);
  }
  toast.hidden = false;
  timer = setTimeout(hush, 10_000);
}

export function hush() {
  toast.hidden = true;
  undoing = null;
}

export const complain = (error) => say(error.hint ? `${error.message} (${error.hint})` : error.message, null, true);

// Undoes what the line says, if it can be undone.
export async function takeBack() {
  const undo = undoing;
  if (!undo) return false;
  hush();
  try {
    await undo();
  } catch (error) {
    complain(error);
  }
  return true;
}

// The same page as the server draws it now.
export async function fetched(url) {
  const response = await fetch(url, { headers: { accept: "text/html" } });
  const text = await response.text();
  return new DOMParser().parseFromString(text, "text/html");
}

// Replaces a part of this page by what the server draws now.
export async function renew(selector, url = location.href) {
  const page = await fetched(url);
  const fresh = page.querySelector(selector);
  const old = document.querySelector(selector);
  if (fresh && old) old.replaceWith(document.adoptNode(fresh));
  renewState(page);
  document.dispatchEvent(new CustomEvent("renewed"));
  return page;
}

export function renewState(page) {
  for (const part of ["#state > a:first-child", "#state > a:nth-child(2)", ".rail ul"]) {
    const fresh = page.querySelector(part);
    const old = document.querySelector(part);
    if (fresh && old && fresh.innerHTML !== old.innerHTML) old.innerHTML = fresh.innerHTML;
  }
}
