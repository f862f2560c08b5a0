// What pages do beyond HTML: keys, the theme without a reload, copying, and telling of requests that failed.
// Everything works without it; what only a script can do is hidden until it runs.

const byId = (id) => document.getElementById(id);

// ---- Notices ----

let hiding;

export function notify(text) {
  const notice = byId("notice");
  if (!notice) return;
  notice.textContent = text;
  notice.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => (notice.hidden = true), 6000);
}

// ---- Theme ----

function chooseTheme(event) {
  const chosen = event.submitter?.value;
  if (!chosen) return;
  event.preventDefault();
  document.cookie = `pawl_theme=${chosen}; path=/; max-age=31536000; samesite=lax`;
  document.documentElement.dataset.theme = chosen;
  for (const button of event.target.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.value === chosen));
  }
  document.dispatchEvent(new CustomEvent("pawl:theme"));
}

// ---- Copying ----

async function copy(button) {
  const source = byId(button.dataset.copies);
  const text = source.value ?? source.textContent;
  try {
    await navigator.clipboard.writeText(text);
    notify("Copied");
  } catch {
    getSelection().selectAllChildren(source);
    notify("Selected: copy it with your keyboard");
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.copies) copy(button);
  if (button?.dataset.opens) byId(button.dataset.opens).showModal();
});

document.addEventListener("submit", (event) => {
  if (event.target.hasAttribute("data-themes")) chooseTheme(event);
});

// ---- Keys ----

const rows = () => [...document.querySelectorAll("[data-rows] a[data-opens-row]")];

// Rows are links, so that the browser opens them and shows where the focus is.
function moveFocus(by) {
  const links = rows();
  const at = links.indexOf(document.activeElement?.closest("tr")?.querySelector("a[data-opens-row]"));
  const next = at < 0 ? (by > 0 ? 0 : links.length - 1) : at + by;
  links[next]?.focus();
}

let isGoing = false;

function goTo(key) {
  document.querySelector(`nav a[data-key="${CSS.escape(key)}"]`)?.click();
}

const actions = {
  "/": () => document.querySelector("input[type=search]")?.focus(),
  "?": () => byId("keys")?.showModal(),
  j: () => moveFocus(1),
  k: () => moveFocus(-1),
  Escape: () => document.querySelector("a[data-closes]")?.click(),
  "[": () => document.querySelector("a[rel=prev]")?.click(),
  "]": () => document.querySelector("a[rel=next]")?.click(),
  g: () => {
    isGoing = true;
    setTimeout(() => (isGoing = false), 1000);
  },
};

const isWriting = (target) =>
  target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=radio])");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const target = event.target;
  if (isWriting(target)) {
    if (event.key === "Escape") target.blur();
    return;
  }
  if (document.querySelector("dialog[open]")) return;
  if (isGoing) {
    isGoing = false;
    goTo(event.key);
    return;
  }
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

// ---- What only a script can do ----

function reveal(root) {
  for (const element of root.querySelectorAll("[data-copies][hidden], [data-opens][hidden]")) {
    element.hidden = false;
  }
}

byId("timezone")?.addEventListener("focus", () => {
  const zones = Intl.supportedValuesOf("timeZone").map((zone) => new Option(zone));
  byId("timezones").replaceChildren(...zones);
});

reveal(document);
document.addEventListener("htmx:afterSwap", () => reveal(document));

// What was closed gives the focus back to what opened it.
document.addEventListener("htmx:afterSettle", (event) => {
  const opener = event.detail.requestConfig?.elt?.dataset.returnsTo;
  if (opener) byId(opener)?.focus();
});

// ---- Filters ----

// An address without what nobody filled in.
document.addEventListener("htmx:configRequest", (event) => {
  const parameters = event.detail.parameters;
  for (const name of Object.keys(parameters)) {
    if (parameters[name] === "") delete parameters[name];
  }
});

// ---- Requests that failed ----

document.addEventListener("htmx:sendError", () => notify("The server cannot be reached. Nothing was changed."));
document.addEventListener("htmx:responseError", (event) => {
  const id = event.detail.xhr.getResponseHeader("x-request-id");
  notify(`The server answered with an error (${event.detail.xhr.status}), request ${id}. Load the page again.`);
});
