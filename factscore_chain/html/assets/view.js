// What is on the page now: drawn in batches as the reader comes near the end of what there is.

const FACTS_AT_ONCE = 300;
const GENERATIONS_AT_ONCE = 30;

const view = { verdicts: new Set(), differing: false, query: "", order: "file" };
const list = byId("generations");
const factOf = new Map();
let waiting = [];

/** Draws anew what the view asks for. */
function show() {
  waiting = selected(view);
  const facts = waiting.reduce((sum, one) => sum + one.facts.length, 0);
  byId("shown").textContent = `${some(facts, "fact")} in ${some(waiting.length, "generation")} shown.`;
  factOf.clear();
  list.replaceChildren();
  if (!waiting.length) {
    list.append(el("p", { class: "quiet" }, "Nothing matches. Clear the search, or choose other verdicts."));
  }
  more();
}

/** Draws the next batch; false if there was none left. */
function more(limit = FACTS_AT_ONCE) {
  const articles = [];
  for (let facts = 0; waiting.length && facts < limit && articles.length < GENERATIONS_AT_ONCE; ) {
    const one = waiting.shift();
    one.facts.forEach((fact) => factOf.set(fact.key, fact));
    articles.push(articleOf(one.generation, one.facts));
    facts += one.facts.length;
  }
  list.append(...articles);
  byId("more").hidden = !waiting.length;
  return articles.length > 0;
}

function showAll() {
  while (more(Infinity));
}

/** The button of a fact, drawing as far as it takes; null if the filter leaves it out. */
function buttonOf(key) {
  while (!factOf.has(key) && more());
  return factOf.has(key) ? byId(key) : null;
}

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
  const marks = fact ? marksOf.get(button.closest("article").querySelector(".text")) : [];
  for (const place of fact?.places ?? []) {
    marks.slice(...place).forEach((mark) => mark.classList.add("lit"));
  }
}
