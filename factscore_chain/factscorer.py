"""Drop-in for the original package: `from factscore_chain.factscorer import FactScorer`, and its command.

python -m factscore_chain.factscorer --input_path FILE.jsonl --model_name retrieval+ChatGPT
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from factscore_chain.abstain import check_kind
from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import UsageError
from factscore_chain.original import cost
from factscore_chain.original.documents import DocDB
from factscore_chain.original.output import Output, as_output, checked_items
from factscore_chain.original.setup import GivenFacts, Knowledge, Setup, open_knowledge
from factscore_chain.original.store import AnswerStore
from factscore_chain.published_names import parse_model_name
from factscore_chain.report import GenerationReport, Report
from factscore_chain.score import check_gamma
from factscore_chain.values import Generation

Protocol = Literal["default", "original"]

DEFAULT_SOURCE = "enwiki-20230401"
_FOLDER = ".cache/factscore"
_COST_ESTIMATES = ("consider_cache", "ignore_cache")


class FactScorer:
    """Scores generations, called as the original's class of this name.

    Args:
        model_name: "retrieval+ChatGPT", "retrieval+llama", either with "+npm", or "npm"; "no-context+ChatGPT"
            and "no-context+llama" as in the paper.
        data_dir: Holds `demos/demons.json` and the databases, `NAME.db` or `NAME.jsonl`.
        model_dir: Holds `inst-llama-7B`.
        cache_dir: Holds answers, what was retrieved, and the original's caches.
        openai_key: Path of a file whose first line is the key. Without the file, OPENAI_API_KEY counts.
        cost_estimate: "consider_cache" or "ignore_cache" logs an estimate before the work; None does not.
        abstain_detection_type: "generic", "perplexity_ai", "default" (ours), or None and "none" for off.
        batch_size: Texts that GTR encodes together, under the original protocol.
        llm: A chat model or "provider:name" in place of gpt-3.5-turbo; it decomposes as well.
        protocol: "original" keeps the published rules; "default" mends their faults.
        retrieval_type: Under the original protocol "gtr-t5-large" or "bm25"; None takes the first where it
            can be had, and else the second with a warning.

    Raises:
        UsageError: An argument is none of these.
    """

    def __init__(
        self,
        model_name: str = "retrieval+ChatGPT",
        data_dir: str = _FOLDER,
        model_dir: str = _FOLDER,
        cache_dir: str = _FOLDER,
        openai_key: str = "api.key",
        cost_estimate: str | None = "consider_cache",
        abstain_detection_type: str | None = None,
        batch_size: int = 256,
        *,
        llm: Any = None,
        protocol: Protocol = "default",
        retrieval_type: str | None = None,
    ) -> None:
        _check_choice("protocol", protocol, ("default", "original"))
        _check_choice("cost_estimate", cost_estimate, (*_COST_ESTIMATES, None))
        self.model_name = model_name
        self.protocol = protocol
        self.cost_estimate = cost_estimate
        self._setup = Setup(
            model=parse_model_name(model_name),
            data_dir=Path(data_dir),
            model_dir=Path(model_dir),
            cache_dir=Path(cache_dir),
            key_path=openai_key,
            store=AnswerStore(Path(cache_dir) / "answers.db"),
            llm=llm,
            abstain=check_kind(abstain_detection_type or "none"),
            retrieval_type=retrieval_type,
            batch_size=batch_size,
        )
        self._sources: dict[str, Knowledge] = {}
        self._chains: dict[tuple[str, bool], FactScoreChain] = {}
        self.report: Report | None = None
        """The full report of the last call: evidence, failures, and the manifest of what made it."""

    def register_knowledge_source(
        self, name: str = DEFAULT_SOURCE, db_path: str | None = None, data_path: str | None = None
    ) -> None:
        """Opens a knowledge source under a name, or builds its database from a JSONL first.

        Args:
            name: For `get_score`.
            db_path: The database; `data_dir/name.db` by default.
            data_path: JSONL of `{"title", "text"}`; `data_dir/name.jsonl` by default.

        Raises:
            UsageError: The name is taken.
            KnowledgeSourceError: There is nothing to open, or it is not what it should be.
        """
        if name in self._sources:
            raise UsageError(f"The knowledge source {name!r} is registered already. Give another name.")
        folder = self._setup.data_dir
        db = DocDB(db_path or folder / f"{name}.db", data_path or folder / f"{name}.jsonl")
        self._sources[name] = open_knowledge(name, db, self._setup)

    def get_score(
        self,
        topics: str | list[str],
        generations: str | list[str],
        gamma: float | None = 10,
        atomic_facts: list[Any] | None = None,
        knowledge_source: str | None = None,
        verbose: bool = False,
    ) -> Output:
        """Scores generations.

        Args:
            topics: A title, or one for each generation.
            generations: A text, or a list of them.
            gamma: Facts that a generation needs to escape the length penalty; 0 or None for no penalty.
            atomic_facts: Facts of each generation in place of decomposition; None for one that abstained.
            knowledge_source: A registered name; by default "enwiki-20230401".
            verbose: Show a progress bar.

        Returns:
            "score", "respond_ratio", "decisions", "num_facts_per_response" and, with a gamma, "init_score".
            What is undefined is None. `report` has the rest.

        Raises:
            UsageError: Types or lengths do not fit.
            KnowledgeSourceError: The knowledge source cannot be opened.
            FatalModelError: The model cannot be used at all.
        """
        penalty = check_gamma(gamma)
        items = checked_items(topics, generations, atomic_facts)
        name = knowledge_source or DEFAULT_SOURCE
        if name not in self._sources:
            self.register_knowledge_source(name)
        asked = [item for item in items if item is not None]
        chain = self._chain(name, given=atomic_facts is not None, gamma=penalty)
        if self.cost_estimate:
            self._log_costs(chain, asked, name)
        self.report = _run(chain, asked, verbose)
        self.save_cache()
        _warn_of_failures(self.report)
        return as_output(items, self.report, penalty)

    def save_cache(self) -> None:
        """Writes what was retrieved; answers of models are on disk as they come."""
        for source in self._sources.values():
            source.save()

    def print_cost_estimates(self, total_words: float, task: str, model: str) -> None:
        """Logs what prompts of so many words cost."""
        logging.critical(cost.cost_line(total_words, task, model))

    def _get_score(
        self,
        topic: str,
        generation: str,
        atomic_facts: list[str],
        knowledge_source: str | None = None,
        cost_estimate: str | None = None,
    ) -> list[dict[str, Any]]:
        """Decisions on the facts of one generation."""
        out = self.get_score([topic], [generation], 0, [atomic_facts], knowledge_source)
        return out["decisions"][0] or []

    def _chain(self, name: str, *, given: bool, gamma: float) -> FactScoreChain:
        key = (name, given)
        if key not in self._chains:
            self._chains[key] = self._make_chain(name, given)
        kept = self._chains[key]
        return kept.model_copy(update={"scorer": kept.scorer.model_copy(update={"gamma": gamma})})

    def _make_chain(self, name: str, given: bool) -> FactScoreChain:
        # Imported here: these bring every part of the pipeline.
        from factscore_chain.original import mended, published

        setup, source = self._setup, self._sources[name]
        if self.protocol == "original":
            decomposer = GivenFacts() if given else published.published_decomposer(setup)
            return published.published_chain(setup, source, name, decomposer, 0)
        return mended.mended_chain(
            setup, source, GivenFacts() if given else mended.mended_decomposer(setup), 0
        )

    def _log_costs(self, chain: FactScoreChain, asked: Sequence[Generation], name: str) -> None:
        if not chain.models:
            return
        scorer = chain.scorer
        words = cost.decomposition_words(
            scorer.decomposer, asked, consider_cache=self.cost_estimate == "consider_cache"
        )
        for model in scorer.decomposer.models:
            self.print_cost_estimates(words, "atomic fact generation", cost.model_label(model))
        for model in scorer.verifier.models:
            k = 0 if scorer.retrieval is None else scorer.retrieval.k
            words = cost.verification_words(self._sources[name].db, asked, k)
            self.print_cost_estimates(words, "factscore evaluation", cost.model_label(model))


def _run(chain: FactScoreChain, asked: Sequence[Generation], verbose: bool) -> Report:
    if not verbose:
        return chain.score_many(asked)
    from tqdm import tqdm

    with tqdm(total=len(asked), unit="generation") as bar:

        def advance(index: int, report: GenerationReport) -> None:
            bar.update()

        return chain.score_many(asked, on_result=advance)


def _warn_of_failures(report: Report) -> None:
    failed = [one for one in report.generations if one.error is not None and one.status != "no_facts"]
    if failed:
        warnings.warn(
            f"{len(failed)} of {len(report.generations)} generations could not be scored, or not wholly; the "
            f"first of them ({failed[0].topic!r}): {failed[0].error}",
            stacklevel=3,
        )


def _check_choice(name: str, value: str | None, choices: tuple[str | None, ...]) -> None:
    if value not in choices:
        raise UsageError(f"{name} is {value!r}. Choose one of: {', '.join(map(repr, choices))}.")


if __name__ == "__main__":
    from factscore_chain.cli.factscorer import main

    sys.exit(main())
