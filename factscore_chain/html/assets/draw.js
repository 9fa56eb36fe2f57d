// A generation: its text with the facts marked, and the list of the facts.

const SVG = "http://www.w3.org/2000/svg";
/** The marks of a generation by the number of their piece, as far as they are drawn. */
const marksOf = new Map();
const GLYPHS = { supported: "✓", not_supported: "✗", irrelevant: "≠", undecided: "?", failed: "!" };

/** The head of a generation, to which its rows are added. */
function articleOf(generation) {
  const heading = `generation-${generation.number}-name`;
  marksOf.set(generation, []);
  return el(
    "article",
    { class: "generation", id: `generation-${generation.number}`, "aria-labelledby": heading },
    headOf(generation, heading),
    generation.input === null ? null : el("p", { class: "prompt", dir: "auto" }, generation.input),
    generation.error ? el("p", { class: "note", dir: "auto" }, generation.error) : null,
  );
}

/** What stands under the rows of a generation. */
function afterwordsOf(generation) {
  return [
    generation.edit ? editOf(generation.edit) : null,
    generation.recall ? recallOf(generation.recall) : null,
    lostOf(generation),
  ].filter(Boolean);
}

function headOf(generation, heading) {
  const supported = generation.facts.filter((fact) => fact.verdict === "supported").length;
  const about = [
    words(generation.status),
    generation.facts.length ? `${supported} of ${some(generation.facts.length, "fact")} supported` : null,
    generation.coverage === null ? null : `coverage ${percent(generation.coverage)}`,
    generation.precision === null || generation.score === generation.precision ? null : `${percent(generation.precision)} without length penalty`,
    generation.id === null || generation.id === generation.name ? null : generation.id,
    generation.topic === null || generation.topic === generation.name ? null : `asked as ${generation.topic}`,
    generation.line,
  ];
  return el(
    "header",
    {},
    el("h3", { id: heading }, el("span", { class: "number" }, `${generation.number} `), el("bdi", {}, generation.name)),
    el("p", { class: "score" }, percent(generation.score)),
    el("p", { class: "about", dir: "auto" }, about.filter(Boolean).join(" · ")),
    // Moved, not made again, when the view changes: a long bar has thousands of ticks.
    generation.facts.length ? (generation.bar ??= barOf(generation.facts)) : null,
  );
}

/** One thin tick a fact, in the order of the text: where the trouble lies is seen at a glance. */
function barOf(facts) {
  const bar = document.createElementNS(SVG, "svg");
  bar.setAttribute("class", "ticks");
  bar.setAttribute("aria-hidden", "true");
  bar.setAttribute("preserveAspectRatio", "none");
  bar.setAttribute("viewBox", `0 0 ${facts.length} 1`);
  for (let start = 0, end; start < facts.length; start = end) {
    for (end = start + 1; end < facts.length && facts[end].verdict === facts[start].verdict; end += 1);
    const part = document.createElementNS(SVG, "rect");
    part.setAttribute("x", start);
    part.setAttribute("width", end - start);
    part.setAttribute("height", 1);
    part.setAttribute("data-verdict", facts[start].verdict);
    bar.append(part);
  }
  return bar;
}

/** A stretch of the text beside the facts that begin in it. */
function columnsOf(row) {
  return el("div", { class: "columns" }, row.end > row.first ? textOf(row) : null, factsOf(row));
}

function textOf({ generation, along, first, end }) {
  const marks = marksOf.get(generation);
  const pieces = generation.pieces.slice(first, end).map((piece, offset) => {
    const { verdicts, signs } = along[first + offset];
    if (!verdicts.length) {
      return piece;
    }
    const attributes = {
      "data-piece": first + offset,
      "data-verdict": verdicts[0],
      "data-mixed": verdicts.length > 1,
      "data-signs": signs || null,
    };
    marks[first + offset] = el("mark", attributes, piece);
    return marks[first + offset];
  });
  // Where spaces are layout, as in code and tables, they are kept; elsewhere they must not hang over the line.
  generation.laidOut ??= /[ \t]{2}/.test(generation.pieces.join(""));
  const shape = generation.laidOut ? "text laid-out" : "text";
  const group = { class: shape, role: "group", tabindex: "0", "aria-label": `Text of ${generation.name}`, dir: "auto" };
  return el("div", group, ...pieces);
}

function factsOf({ generation, facts, opens, closes }) {
  if (!facts.length) {
    const none = generation.facts.length ? "No fact passes the filter." : "No facts.";
    return opens && closes ? el("p", { class: "quiet" }, none) : null;
  }
  const list = el("ul", { class: "facts", "aria-label": `Facts of ${generation.name}` }, ...facts.map(itemOf));
  // One stop for the tab key in each list; the arrow keys move inside.
  list.querySelector("button").tabIndex = 0;
  return list;
}

function itemOf(fact) {
  const said = [words(fact.verdict), fact.reason && words(fact.reason)].filter(Boolean).join(", ");
  const button = {
    class: "fact",
    type: "button",
    id: fact.key,
    tabindex: "-1",
    "aria-expanded": "false",
    "data-verdict": fact.verdict,
  };
  return el(
    "li",
    {},
    el(
      "button",
      button,
      el("span", { class: "claim", dir: "auto" }, fact.text),
      el("span", { class: fact.verdict === "supported" ? "unseen" : "said" }, ` ${said}`),
      differs(fact) ? el("span", { class: "differs" }, ` people: ${words(fact.label)}`) : null,
      fact.probability === null ? null : el("span", { class: "probability" }, ` ${(100 * fact.probability).toFixed(0)}%`),
    ),
  );
}

function editOf({ changes, before, after, reasons }) {
  const tags = { same: "span", removed: "del", added: "ins" };
  const scores = before === null && after === null ? "" : `: ${percent(before)} before, ${percent(after)} after`;
  return el(
    "details",
    { class: "edit", open: true },
    el("summary", {}, `Edited${scores}`),
    el("p", { dir: "auto" }, ...changes.map(([kind, text]) => el(tags[kind], {}, text))),
    el("ul", {}, ...reasons.map((reason) => el("li", { dir: "auto" }, reason))),
  );
}

function recallOf({ source, value, stated, missing, undecided, partial, error }) {
  if (error !== null) {
    return el("p", { class: "note", dir: "auto" }, `No recall: ${error}`);
  }
  const lines = [
    ...missing.map((fact) => `Not stated: ${fact}`),
    ...undecided.map((fact) => `Undecided, counts as not stated: ${fact}`),
  ];
  const found = `${stated} of ${some(stated + lines.length, "fact")} of ${source} stated`;
  return linesUnder(`Recall ${percent(value)}: ${found}${partial ? ", of the first that were looked for" : ""}`, lines);
}

/** Lines under a heading that opens. */
function linesUnder(summary, lines) {
  const items = lines.map((line) => el("li", { dir: "auto" }, line));
  return el("details", { class: "lines" }, el("summary", { dir: "auto" }, summary), el("ul", {}, ...items));
}

function lostOf({ dropped, failures }) {
  const lines = [
    ...failures.map(({ cause, raw }) => `A sentence could not be broken into facts: ${cause}${raw ? ` (${raw})` : ""}`),
    ...dropped.map(({ text, cause }) => `Left out, since the text does not state it: ${text} (${cause})`),
  ];
  return lines.length ? linesUnder(`${some(lines.length, "record")} of what was not judged`, lines) : null;
}
