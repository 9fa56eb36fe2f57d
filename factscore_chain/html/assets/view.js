// What is on the page now: drawn in batches as the reader comes near the end of what there is.

const FACTS_AT_ONCE = 300;
/** What a row costs beside its facts, counted in facts. */
const COST_OF_A_ROW = 8;

const view = { verdicts: new Set(), differing: false, query: "", order: "file" };
const list = byId("generations");
const factOf = new Map();
let waiting = [].values();

/** Draws anew what the view asks for. */
function show() {
  const shown = selected(view);
  const facts = shown.reduce((sum, one) => sum + one.facts.length, 0);
  byId("shown").textContent = `${some(facts, "fact")} in ${some(shown.length, "generation")} shown.`;
  factOf.clear();
  list.replaceChildren();
  if (!shown.length) {
    list.append(el("p", { class: "quiet" }, "Nothing matches. Clear the search, or choose other verdicts."));
  }
  waiting = rowsOfAll(shown);
  more();
}

function* rowsOfAll(shown) {
  for (const one of shown) {
    yield* rowsOf(one);
  }
}

/** Draws the next rows; false if there was none left. */
function more(limit = FACTS_AT_ONCE) {
  let cost = 0;
  while (cost < limit) {
    const { value: row, done } = waiting.next();
    byId("more").hidden = done;
    if (done) {
      break;
    }
    draw(row);
    cost += row.facts.length + COST_OF_A_ROW;
  }
  return cost > 0;
}

function draw(row) {
  row.facts.forEach((fact) => factOf.set(fact.key, fact));
  if (row.opens) {
    list.append(articleOf(row.generation));
  }
  list.lastElementChild.append(columnsOf(row), ...(row.closes ? afterwordsOf(row.generation) : []));
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
  for (const place of fact?.places ?? []) {
    marksOf.get(fact.generation).slice(...place).forEach((mark) => mark.classList.add("lit"));
  }
}
