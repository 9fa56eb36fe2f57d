// What the reader does, and what follows.

const search = byId("search");

byId("filter").addEventListener("click", ({ target }) => {
  const chip = target.closest("button");
  if (!chip) {
    return;
  }
  const { verdict } = chip.dataset;
  if (verdict === "all") {
    view.verdicts.clear();
    view.differing = false;
  } else if (verdict === "differing") {
    view.differing = !view.differing;
  } else if (!view.verdicts.delete(verdict)) {
    view.verdicts.add(verdict);
  }
  pressChips();
  show();
});

function pressChips() {
  const all = !view.verdicts.size && !view.differing;
  for (const chip of byId("filter").querySelectorAll("button")) {
    const { verdict } = chip.dataset;
    const pressed = verdict === "all" ? all : verdict === "differing" ? view.differing : view.verdicts.has(verdict);
    chip.setAttribute("aria-pressed", String(pressed));
  }
}

let typing = 0;
search.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => {
    view.query = search.value;
    show();
  }, 120);
});

byId("order").addEventListener("change", ({ target }) => {
  view.order = target.value;
  show();
});

byId("more").addEventListener("click", () => more());
const end = new IntersectionObserver(
  (entries) => {
    if (entries.some((entry) => entry.isIntersecting) && more()) {
      // Observed anew, since it may still be in sight and would not be reported again.
      end.unobserve(byId("more"));
      end.observe(byId("more"));
    }
  },
  { rootMargin: "1500px" },
);
end.observe(byId("more"));

KEYS["/"] = () => search.focus();

// On paper nothing can be opened: what made the report and every list is open, and every selected fact is drawn
// with what it rests on in brief; in a very long report, only those that are not supported. A fact that the reader
// has opened is printed whole.
const BRIEF_FOR_ALL = 2000;
let unfolded = [];
addEventListener("beforeprint", () => {
  showAll();
  unfolded = [...document.querySelectorAll("details:not([open])")];
  unfolded.forEach((details) => (details.open = true));
  const which = factOf.size > BRIEF_FOR_ALL ? ':not([data-verdict="supported"])' : "";
  for (const button of list.querySelectorAll(`.fact[aria-expanded="false"]${which}`)) {
    button.after(briefOf(factOf.get(button.id)) ?? "");
  }
});
addEventListener("afterprint", () => {
  unfolded.forEach((details) => (details.open = false));
  list.querySelectorAll(".brief").forEach((brief) => brief.remove());
});

/** Goes to the fact that the address names. */
function follow() {
  const [, generation, fact] = /^#fact-(\d+)-(\d+)$/.exec(location.hash) ?? [];
  const known = generations[generation - 1]?.facts[fact - 1];
  const button = known && buttonOf(known.key);
  if (button) {
    reveal(button);
  }
}
addEventListener("hashchange", follow);

pressChips();
show();
follow();
