// What the reader of facts does with mouse and keys, and the theme of the page.

let reached = "";
list.addEventListener("click", ({ target }) => {
  const button = target.closest(".fact");
  const mark = target.closest(".text mark");
  if (button) {
    toggle(button);
  } else if (mark && !String(getSelection())) {
    // A second click on the same words goes to the next of their facts.
    const keys = factsAt(mark).map((fact) => fact.key);
    reached = keys[(keys.indexOf(reached) + 1) % keys.length];
    reveal(byId(reached));
  }
});

list.addEventListener("focusin", ({ target }) => {
  if (target.matches(".fact")) {
    target.closest("ul").querySelector('.fact[tabindex="0"]').tabIndex = -1;
    target.tabIndex = 0;
    light(target);
  }
});

list.addEventListener("mouseover", ({ target }) => {
  const mark = target.closest(".text mark");
  if (mark) {
    mark.title = factsAt(mark).map((fact) => `${GLYPHS[fact.verdict]} ${fact.text}`).join("\n");
  }
  const focused = document.activeElement?.closest(".fact");
  light(target.closest("li")?.querySelector(".fact") ?? focused);
});

function close() {
  const item = document.activeElement?.closest(".facts > li");
  const button = item?.querySelector(".fact") ?? list.querySelector('.fact[aria-expanded="true"]');
  if (button?.getAttribute("aria-expanded") === "true") {
    toggle(button, false);
    button.focus({ preventScroll: true });
  }
}

const KEYS = {
  j: (fact) => move(fact, 1),
  k: (fact) => move(fact, -1),
  Escape: close,
};
const INSIDE = { ArrowDown: KEYS.j, ArrowUp: KEYS.k };

document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || target.matches("input, select, textarea")) {
    return;
  }
  // Outside of the lists, the arrow keys scroll the page as ever.
  const fact = target.closest(".facts > li")?.querySelector(".fact") ?? null;
  const action = KEYS[key] ?? (target.matches(".fact") ? INSIDE[key] : undefined);
  if (action) {
    event.preventDefault();
    action(fact ?? list.querySelector(".fact:focus"));
  }
});

const theme = byId("theme");
const dark = matchMedia("(prefers-color-scheme: dark)");

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : dark.matches;
}

function sayTheme() {
  theme.setAttribute("aria-pressed", String(isDark()));
}

theme.addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  sayTheme();
});
dark.addEventListener("change", sayTheme);
sayTheme();
