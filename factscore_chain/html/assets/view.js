// What is on the page now: drawn in batches as the reader comes near the end of what there is.

const FACTS_AT_ONCE = 300;
/** What a row costs beside its facts, counted in facts. */
const COST_OF_A_ROW = 8;

const view = { verdicts: new Set(), differing: false, query: "", order: "file" };
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
