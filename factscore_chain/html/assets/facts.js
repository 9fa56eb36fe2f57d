// The facts on the page: opened, gone to, and lit in the text.

const list = byId("generations");
/** The facts that are drawn, by the id of their button. */
const factOf = new Map();

function toggle(button, open = button.getAttribute("aria-expanded") !== "true") {
  const fact = factOf.get(button.id);
  button.setAttribute("aria-expanded", String(open));
  byId(`${fact.key}-detail`)?.remove();
  if (open) {
    button.after(detailOf(fact));
    button.setAttribute("aria-controls", `${fact.key}-detail`);
  } else {
    button.removeAttribute("aria-controls");
  }
}

/** Opens a fact and goes to it. */
function reveal(button) {
  toggle(button, true);
  button.focus({ preventScroll: true });
  button.scrollIntoView({ block: "nearest" });
}

/** Moves the focus by so many facts, across generations. */
function move(from, steps) {
  const buttons = () => [...list.querySelectorAll(".fact")];
  let all = buttons();
  const target = from ? all.indexOf(from) + steps : 0;
  if (target >= all.length && more()) {
    all = buttons();
  }
  const button = all[Math.min(Math.max(target, 0), all.length - 1)];
  button?.focus({ preventScroll: true });
  button?.scrollIntoView({ block: "nearest" });
}

/** The facts that state a piece of the text: what is wrong first, then the shortest. */
function factsAt(mark) {
  const piece = Number(mark.dataset.piece);
  const here = ({ places }) => places.find(([first, end]) => first <= piece && piece < end);
  const width = (fact) => here(fact)[1] - here(fact)[0];
  return [...mark.closest("article").querySelectorAll(".fact")]
    .map((button) => factOf.get(button.id))
    .filter(here)
    .sort((a, b) => (a.verdict === "supported") - (b.verdict === "supported") || width(a) - width(b));
}

/** Lights the place of a fact in the text; null lights nothing. */
function light(button) {
  document.querySelectorAll("mark.lit").forEach((mark) => mark.classList.remove("lit"));
  const fact = button && factOf.get(button.id);
  for (const place of fact?.places ?? []) {
    marksOf.get(fact.generation).slice(...place).forEach((mark) => mark.classList.add("lit"));
  }
}
