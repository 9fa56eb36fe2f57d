"""How many tokens texts take, counted word by word, since the words of a language come again and again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.retrievers.tokenize import bare

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

_REMEMBERED = 300_000
"""Words whose costs are kept, some 30 MB; then they are forgotten and learnt anew."""

_costs: dict[str, int] = {}


def token_counts(texts: Sequence[str]) -> list[int]:
    """Tokens of each text by the shipped encoder's tokenizer, without its markers.

    That tokenizer treats what stands between blanks by itself, so counts of words add up to that of the text;
    to more only where control characters part words, which it drops.
    """
    split = [text.split() for text in texts]
    costs = _with(set().union(*split))
    return [sum(map(costs.__getitem__, words)) for words in split]


def encode(text: str) -> Encoding:
    """The tokens of one text with their places."""
    return tokenizer().encode(text, add_special_tokens=False)


@cache
def tokenizer() -> Tokenizer:
    """The shipped encoder's tokenizer, which cuts nothing off.

    Raises:
        KnowledgeSourceError: Its file is missing.
    """
    from tokenizers import Tokenizer

    file = files("factscore_chain.models") / "encoder" / "tokenizer.json"
    if not file.is_file():
        raise KnowledgeSourceError(
            f"The encoder's tokenizer is missing at {file}. Install the package again."
        )
    made = Tokenizer.from_str(file.read_text(encoding="utf-8"))
    made.no_truncation()
    made.no_padding()
    return made


def _with(words: set[str]) -> dict[str, int]:
    """A dict that holds at least these words; when it is full, later calls get a new one."""
    global _costs
    costs = _costs
    missing = words.difference(costs)
    if missing:
        new = _counted(missing, costs)
        if len(costs) + len(new) > _REMEMBERED:
            _costs = costs = {}
            new = _counted(words, costs)
        costs.update(new)
    return costs


def _counted(words: set[str], known: dict[str, int]) -> dict[str, int]:
    """Tokens of words, of which plain ones are known again without the punctuation around them."""
    plain = {word: bare(word) for word in words}
    asked = list({word if base is None else base for word, base in plain.items()}.difference(known))
    found = tokenizer().encode_batch_fast(asked, add_special_tokens=False)
    new = dict(zip(asked, map(len, found), strict=True))
    for word, base in plain.items():
        if base is not None:
            # Every mark of punctuation is a token.
            cost = new[base] if base in new else known[base]
            new[word] = cost + len(word) - len(base)
    return new
