// A long generation is shown in rows: a stretch of its text beside the facts that begin in it.

const FEW_FACTS = 60;
const MANY_FACTS = 120;
const LONG_STRETCH = 6000;

/** For each piece of the text: the verdicts of the facts that state it, and a sign for each that ends with it. */
function verdictsAlong(generation, facts) {
  const along = generation.pieces.map(() => ({ begin: [], end: [] }));
  for (const fact of facts) {
    fact.places.forEach(([first, end]) => {
      along[first].begin.push(fact.verdict);
      along[end - 1].end.push(fact.verdict);
    });
  }
  const open = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0]));
  return along.map(({ begin, end }) => {
    begin.forEach((verdict) => (open[verdict] += 1));
    const verdicts = VERDICTS.filter((verdict) => open[verdict] > 0);
    end.forEach((verdict) => (open[verdict] -= 1));
    const signs = end.filter((verdict) => verdict !== "supported").map((verdict) => GLYPHS[verdict]);
    return { verdicts, signs: signs.join(""), crossed: VERDICTS.some((verdict) => open[verdict] > 0) };
  });
}

/** The rows of a generation, one after the other, so that only those are made that are drawn. */
function* rowsOf({ generation, facts }) {
  const along = verdictsAlong(generation, facts);
  const common = { generation, along };
  const end = generation.pieces.length;
  const characters = generation.pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (facts.length <= MANY_FACTS && characters <= 2 * LONG_STRETCH) {
    yield { ...common, first: 0, end, facts, opens: true, closes: true };
    return;
  }
  const stretches = [...stretchesOf(generation, facts, along)];
  for (const [index, stretch] of stretches.entries()) {
    yield { ...common, ...stretch, opens: index === 0, closes: index === stretches.length - 1 };
  }
}

/** Stretches of the text with their facts, cut between facts where that is possible; then facts without place. */
function* stretchesOf(generation, facts, along) {
  const beginning = Map.groupBy(facts, ({ places }) => places[0]?.[0]);
  let [first, here, characters] = [0, [], 0];
  for (const [index, piece] of generation.pieces.entries()) {
    here.push(...(beginning.get(index) ?? []));
    characters += piece.length;
    const full = here.length >= FEW_FACTS || characters >= LONG_STRETCH;
    const over = here.length >= MANY_FACTS || characters >= 2 * LONG_STRETCH;
    if (full && (over || !along[index].crossed)) {
      yield { first, end: index + 1, facts: here };
      [first, here, characters] = [index + 1, [], 0];
    }
  }
  const rest = [...here, ...(beginning.get(undefined) ?? [])];
  const end = generation.pieces.length;
  for (let start = 0; start < rest.length || first < end; start += MANY_FACTS, first = end) {
    yield { first, end, facts: rest.slice(start, start + MANY_FACTS) };
  }
}
