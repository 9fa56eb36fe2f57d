"""Whether looking often enough makes false facts true: what one page says of its subject, told of another.

    python -m factscore_chain.evals.bench.swapped [--facts 150] [--json]

Takes articles that name another article's subject, and tells what they say of their own of that one ("A was a
chemist", where A's page names B, becomes "B was a chemist"). Such facts are false but for chance, and another
page has just these words and B's name: the trap for evidence seeking. Prints how many the embedded verifier
finds supported by B's own page alone, and how many more once it may seek. Articles are the summaries of
`vital_articles/summaries_en-us.json.gz` in $FACTSCORE_DATA, drawn with a fixed seed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from factscore_chain.errors import UsageError
from factscore_chain.evals.judge import verify
from factscore_chain.retrieve import Retrieval
from factscore_chain.retrievers.ensemble import KnowledgeRetriever
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.seek.verifier import MOST_ROUNDS, make_seeking
from factscore_chain.values import AtomicFact, Claim, Decision, Verdict
from factscore_chain.verify.base import Verifier
from factscore_chain.verify.embedded import EmbeddedVerifier

SUMMARIES = Path("vital_articles") / "summaries_en-us.json.gz"
_NAME = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)+")
_K = 5


@dataclass(frozen=True)
class Trap:
    """How many false facts were found supported."""

    facts: int
    supported: int
    """By the passages of the subject's own page."""
    sought: int
    """Facts that were looked for again."""
    turned: int
    """Facts that became supported by that."""


def swapped(articles: Mapping[str, str], seed: int = 0) -> Iterator[tuple[str, str]]:
    """What an article says of its subject, told of another subject that it names.

    Args:
        articles: Texts by title.
        seed: Of the order in which articles are taken.

    Yields:
        The title of the other subject, and the fact about it; at most one for each article.
    """
    titles = list(articles)
    random.Random(seed).shuffle(titles)
    for title in titles:
        text = articles[title]
        said = re.match(re.escape(title) + r"[^.]*? (?P<what>(?:was|is) an? [^.]{20,120})\.", text)
        others = (name for name in _NAME.findall(text) if name in articles)
        strange = (one for one in others if one not in title and title not in one)
        other = next(strange, None)
        if said is not None and other is not None and other not in said["what"]:
            yield other, f"{other} {said['what']}."


def spring(
    facts: Sequence[tuple[str, str]], source: KnowledgeSource, verifier: Verifier, rounds: int = MOST_ROUNDS
) -> Trap:
    """Judges swapped facts without and with seeking."""
    retrieval = Retrieval(retriever=KnowledgeRetriever(source=source, mode="bm25"), k=_K)
    claims = [Claim(AtomicFact(fact), source.passages(title)[:_K], title) for title, fact in facts]
    before = verify(claims, verifier)
    after = verify(claims, make_seeking(verifier, retrieval, rounds))
    turned = [_supported(late) and not _supported(early) for early, late in zip(before, after, strict=True)]
    return Trap(len(claims), sum(map(_supported, before)), sum(bool(one.route) for one in after), sum(turned))


def _supported(decision: Decision) -> bool:
    return decision.verdict is Verdict.SUPPORTED


def read_articles() -> dict[str, str]:
    """The summaries by title.

    Raises:
        UsageError: They are not in $FACTSCORE_DATA.
    """
    path = Path(os.environ.get("FACTSCORE_DATA", "."), SUMMARIES)
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            rows = json.load(file).values()
    except OSError as error:
        raise UsageError(f"{path} cannot be read. Set FACTSCORE_DATA to the folder of data.") from error
    return {row["title"]: row["extract"] for row in rows if row.get("extract")}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description="Whether seeking makes false facts true.")
    parser.add_argument("--facts", type=int, default=150, help="false facts to try (default: 150)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    try:
        articles = read_articles()
    except UsageError as error:
        print(f"swapped: {error}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "articles.jsonl"
        lines = (json.dumps({"title": title, "text": text}) for title, text in articles.items())
        rows.write_text("\n".join(lines), encoding="utf-8")
        with KnowledgeSource.build(rows, Path(folder) / "articles.db", progress=False) as source:
            found = spring(list(islice(swapped(articles), options.facts)), source, EmbeddedVerifier())
    if options.json:
        print(json.dumps(asdict(found)))
    else:
        print(
            f"{found.facts} false facts: {found.supported} supported without seeking; "
            f"{found.sought} sought, {found.turned} of them turned into supported"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
