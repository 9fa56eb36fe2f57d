// What a fact rests on, drawn when somebody opens it.

const evidenceRead = new WeakMap();

function evidenceOf(generation) {
  if (!evidenceRead.has(generation)) {
    evidenceRead.set(generation, readEvidence(generation));
  }
  return evidenceRead.get(generation);
}

function detailOf(fact) {
  const { passages, facts } = evidenceOf(fact.generation);
  const known = facts[fact.index];
  return el(
    "div",
    { class: "detail", id: `${fact.key}-detail` },
    el("dl", {}, ...properties(fact, known)),
    known.parts.length ? partsOf(known.parts) : null,
    known.raw === null ? null : [el("h4", {}, "Answer of the model"), el("pre", { dir: "auto" }, known.raw)],
    known.route.length ? routeOf(known.route) : null,
    passagesOf(fact, known.passages, passages),
    el("p", { class: "link" }, el("a", { href: `#${fact.key}` }, "Link to this fact")),
  );
}

function properties(fact, known) {
  const pairs = [
    ["verdict", [words(fact.verdict), fact.reason && words(fact.reason)].filter(Boolean).join(", ")],
    ["people say", fact.label && words(fact.label)],
    ["probability", fact.probability === null ? null : percent(fact.probability)],
    ["verifier", fact.verifier],
    ["cause", known.cause],
    ["note", known.note],
    ["asked again", known.answers.length ? known.answers.map(words).join(", ") : null],
    ["place", fact.places.length ? null : "not given in the text"],
    ["padding", fact.trivial ? "only restates the topic" : null],
    ["repeats", fact.repeats === null ? null : fact.generation.facts[fact.repeats].text],
  ];
  return pairs
    .filter(([, value]) => value !== null)
    .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", { dir: "auto" }, value)));
}

function partsOf(parts) {
  const head = ["verifier", "verdict", "probability", "answer or cause"].map((name) => el("th", { scope: "col" }, name));
  const rows = parts.map((part) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, part.verifier),
      el("td", { "data-verdict": part.verdict }, words(part.verdict)),
      el("td", {}, part.probability === null ? "none" : percent(part.probability)),
      el("td", { dir: "auto" }, part.cause ?? part.raw ?? ""),
    ),
  );
  return [
    el("h4", {}, "Parts of the ensemble"),
    el("table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows)),
  ];
}

/** Each further look for evidence: what was asked, where, and what came of it. */
function routeOf(route) {
  const lines = route.map(({ query, writer, title, added, verdict }) =>
    el(
      "li",
      {},
      el("bdi", {}, query),
      ` (asked by ${writer}, in ${title ?? "the whole source"}): ${some(added, "passage")} more, then ${words(verdict)}`,
    ),
  );
  return [el("h4", {}, "Looked again"), el("ol", { class: "route" }, ...lines)];
}

function passagesOf(fact, retrieved, passages) {
  if (!retrieved.length) {
    return [el("p", { class: "quiet" }, "No passages: none was found, or the verifier reads none.")];
  }
  const wanted = contentWords(fact.text);
  // What the verdict rests on comes first; the sort is stable, so ranks stay in order.
  const ordered = [...retrieved].sort((a, b) => b.rests - a.rests);
  return [
    el("h4", {}, some(retrieved.length, "passage")),
    el("ol", { class: "passages" }, ...ordered.map((one) => passageOf(one, passages[one.index], wanted))),
  ];
}

function passageOf(one, passage, wanted) {
  const origin = [
    one.rank === null ? null : `rank ${one.rank}`,
    one.origins.length ? one.origins.join(", ") : null,
    one.score === null ? null : `score ${one.score.toPrecision(3)}`,
    passage.id,
  ];
  return el(
    "li",
    { class: one.rests ? "rests" : null },
    el(
      "p",
      { class: "source" },
      el("b", { dir: "auto" }, passage.title ?? "untitled"),
      one.rests ? el("span", { class: "tag" }, "the verdict rests on this") : null,
      el("span", {}, origin.filter(Boolean).join(" · ")),
    ),
    el("blockquote", { dir: "auto" }, ...withMarks(passage.text, wanted)),
  );
}

/** For paper: the sentence that the verdict rests on, or the nearest there is. */
function briefOf(fact) {
  const { passages, facts } = evidenceOf(fact.generation);
  const known = facts[fact.index];
  const best = known.passages.find((one) => one.rests) ?? known.passages[0];
  if (!best && known.cause === null) {
    return null;
  }
  const wanted = contentWords(fact.text);
  const passage = best && passages[best.index];
  return el(
    "div",
    { class: "brief" },
    known.cause === null ? null : el("p", { dir: "auto" }, known.cause),
    passage
      ? el(
          "p",
          { dir: "auto" },
          el("b", {}, `${passage.title ?? passage.id}: `),
          ...withMarks(bestSentence(passage, wanted).trim(), wanted),
        )
      : null,
  );
}
