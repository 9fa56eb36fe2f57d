// Which words of a passage are those of a fact.

const COMMON = new Set(
  (
    "a about after also an and are as at be been before but by did do does during for from had has have he her " +
    "hers him his in into is it its not of on or over she that the their them then there these they this those " +
    "to under was were when where which while who whom whose will with would"
  ).split(" "),
);
const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
const STEM = /^\p{L}{4,}$/u;
const ENDING = /^(?:\p{L}{1,2}|ing|ers)$/u;

/** The words of a fact that carry its content. */
function contentWords(text) {
  const all = [...segmenter.segment(text)].filter((part) => part.isWordLike).map((part) => fold(part.segment));
  return new Set(all.filter((word) => !COMMON.has(word)));
}

/** Whether two words are the same but for an ending, as "paint" and "painted" are. */
function alike(one, other) {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short === long || (STEM.test(short) && long.startsWith(short) && ENDING.test(long.slice(short.length)));
}

const sentences = new Intl.Segmenter(undefined, { granularity: "sentence" });

const OF_THE_TITLE = 0.1;

/** The sentence of a passage that shares most words with the fact; those of the title say little. */
function bestSentence(passage, wanted) {
  passage.names ??= contentWords(passage.title ?? "");
  passage.sentences ??= [...sentences.segment(passage.text)].map(({ segment }) => [segment, contentWords(segment)]);
  const worth = (word) => (passage.names.has(word) ? OF_THE_TITLE : 1);
  const shared = (own) => [...wanted].reduce((sum, word) => sum + (own.has(word) ? worth(word) : 0), 0);
  let best = { sentence: "", shared: -1 };
  for (const [sentence, own] of passage.sentences) {
    best = shared(own) > best.shared ? { sentence, shared: shared(own) } : best;
  }
  return best.sentence;
}

/** A passage as pieces of text, with the words that are wanted marked. */
function withMarks(text, wanted) {
  const pieces = [];
  let plain = "";
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    const word = isWordLike ? fold(segment) : "";
    if (word && !COMMON.has(word) && (wanted.has(word) || [...wanted].some((one) => alike(one, word)))) {
      pieces.push(plain, el("mark", { class: "match" }, segment));
      plain = "";
    } else {
      plain += segment;
    }
  }
  return [...pieces, plain];
}
