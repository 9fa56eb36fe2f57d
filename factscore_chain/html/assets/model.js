// The report's data, and which of its generations and facts a reader wants to see.

/** The verdict that a reader has to see first comes first. */
const VERDICTS = ["not_supported", "irrelevant", "failed", "undecided", "supported"];

let generations = [];

/** Takes the generations that are to be read, numbered and with the way back from each fact. */
function take(overview) {
  generations = overview;
  generations.forEach((generation, index) => {
    generation.number = index + 1;
    generation.name = generation.title ?? generation.topic ?? generation.id ?? "(no topic)";
    generation.facts.forEach((fact, place) => {
      fact.generation = generation;
      fact.index = place;
      fact.key = `fact-${index + 1}-${place + 1}`;
    });
  });
}

/** What people call supported, the verifier does not, or the other way round. */
function differs(fact) {
  return fact.label !== null && (fact.label === "supported") !== (fact.verdict === "supported");
}

const ORDERS = {
  "file": (one) => one.number,
  "score-up": (one) => one.score,
  "score-down": (one) => (one.score === null ? null : -one.score),
  "facts-down": (one) => -one.facts.length,
  "facts-up": (one) => one.facts.length,
  "topic": (one) => one.name,
  "status": (one) => one.status,
};
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** Compares by the value that an order gives; what has no value comes last, equals keep the file's order. */
function comparing(valueOf) {
  return (a, b) => {
    const [first, second] = [valueOf(a), valueOf(b)];
    if (first === null || second === null) {
      return (first === null) - (second === null) || a.number - b.number;
    }
    const order = typeof first === "string" ? collator.compare(first, second) : first - second;
    return order || a.number - b.number;
  };
}

/** Without case and accents, so that "Marquez" finds "Márquez". */
function fold(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** What is searched; made when it is first needed. */
function searched(generation) {
  generation.searched ??= {
    names: fold([generation.topic, generation.title, generation.id, generation.input].filter(Boolean).join("\n")),
    text: fold(generation.pieces.join("")),
    facts: generation.facts.map((fact) => fold(fact.text)),
  };
  return generation.searched;
}

/** The facts of a generation that contain the query; all of them if only its name or its text does. */
function found(generation, query) {
  const { names, text, facts } = searched(generation);
  if (names.includes(query)) {
    return generation.facts;
  }
  const matching = generation.facts.filter((fact) => facts[fact.index].includes(query));
  return matching.length || !text.includes(query) ? matching : generation.facts;
}

function holds(generation, query) {
  const { names, text, facts } = searched(generation);
  return names.includes(query) || text.includes(query) || facts.some((fact) => fact.includes(query));
}

/** The generations to show, in order, each with its facts to show. */
function selected({ verdicts, differing, query, order }) {
  const folded = fold(query.trim());
  const filtered = verdicts.size > 0 || differing;
  return generations
    .filter((one) => !folded || holds(one, folded))
    .map((generation) => ({
      generation,
      facts: (folded ? found(generation, folded) : generation.facts).filter(
        (fact) => (!verdicts.size || verdicts.has(fact.verdict)) && (!differing || differs(fact)),
      ),
    }))
    .filter(({ facts }) => !filtered || facts.length)
    .sort((a, b) => comparing(ORDERS[order])(a.generation, b.generation));
}
