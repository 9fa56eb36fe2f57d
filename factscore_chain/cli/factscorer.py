"""The original's command: `python -m factscore_chain.factscorer`, with its flags and its log lines."""

from __future__ import annotations

import argparse
import json
import logging
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from factscore_chain.errors import FactScoreError, KnowledgeSourceError, UsageError
from factscore_chain.evals.labeled import read_rows
from factscore_chain.files import check_writable, write_whole

if TYPE_CHECKING:
    from factscore_chain.original.output import Output

EXIT_DONE, EXIT_USAGE, EXIT_INCOMPLETE = 0, 2, 3
_CACHE = ".cache/factscore/"


class _Fact(BaseModel):
    model_config = ConfigDict(extra="ignore")
    text: str


class _Sentence(BaseModel):
    model_config = ConfigDict(extra="ignore")
    facts: list[_Fact] = Field(default=[], alias="model-atomic-facts")


class _Row(BaseModel):
    model_config = ConfigDict(extra="ignore")
    topic: str
    output: str
    annotations: list[_Sentence] | None = None

    @property
    def facts(self) -> list[str] | None:
        """The model's facts, sentence by sentence; None where the system abstained."""
        if self.annotations is None:
            return None
        return [fact.text.strip() for sentence in self.annotations for fact in sentence.facts]


def main(arguments: Sequence[str] | None = None) -> int:
    """Scores a file; returns the exit code (0 done, 2 wrong use, 3 incomplete)."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(
        format="%(asctime)s - %(name)s - %(message)s",
        datefmt="%m/%d/%Y %H:%M:%S",
        level=logging.ERROR if options.print_rate_limit_error else logging.CRITICAL,
    )
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            complete = _run(options)
    except (UsageError, KnowledgeSourceError) as error:
        return _say(error, EXIT_USAGE)
    except FactScoreError as error:
        return _say(error, EXIT_INCOMPLETE)
    except KeyboardInterrupt:
        return _say("Interrupted; what was answered is kept in the cache.", EXIT_INCOMPLETE)
    for message in dict.fromkeys(str(one.message) for one in caught if one.category is UserWarning):
        _say(message, 0)
    return EXIT_DONE if complete else EXIT_INCOMPLETE


def output_path(source: Path) -> Path:
    """Where results go: beside the input, which is never overwritten."""
    return source.with_name(f"{source.name.removesuffix('.jsonl')}_factscore_output.json")


def _run(options: argparse.Namespace) -> bool:
    from factscore_chain.factscorer import FactScorer

    source = Path(options.input_path)
    target = output_path(source)
    check_writable(target)
    rows, rejected = read_rows(source, _Row.model_validate)
    for line in rejected:
        _say(line, 0)
    rows = rows[: options.n_samples]
    scorer = FactScorer(
        model_name=options.model_name,
        data_dir=options.data_dir,
        model_dir=options.model_dir,
        cache_dir=options.cache_dir,
        openai_key=options.openai_key,
        cost_estimate=options.cost_estimate,
        abstain_detection_type=options.abstain_detection_type,
        llm=_llm(options),
        protocol=options.protocol,
        retrieval_type=options.retrieval_type,
    )
    out = scorer.get_score(
        topics=[row.topic for row in rows],
        generations=[row.output for row in rows],
        gamma=options.gamma,
        atomic_facts=[row.facts for row in rows] if options.use_atomic_facts else None,
        knowledge_source=options.knowledge_source,
        verbose=options.verbose,
    )
    _log(out)
    write_whole(target, json.dumps(out) + "\n")
    if options.report is not None and scorer.report is not None:
        write_whole(options.report, scorer.report.to_json() + "\n")
    return not rejected and scorer.report is not None and scorer.report.complete


def _llm(options: argparse.Namespace) -> Any:
    from factscore_chain.cli.estimating import make_llm

    return make_llm(options)


def _log(out: Output) -> None:
    lines = [("FActScore = ", _percent(out["score"]))]
    if "init_score" in out:
        lines.append(("FActScore w/o length penalty = ", _percent(out["init_score"])))
    facts = out["num_facts_per_response"]
    lines += [
        ("Respond ratio = ", _percent(out["respond_ratio"])),
        ("# Atomic facts per valid response = ", "undefined" if facts is None else f"{facts:.1f}"),
    ]
    for name, value in lines:
        logging.critical("%s%s", name, value)


def _percent(share: float | None) -> str:
    return "undefined" if share is None else f"{100 * share:.1f}%"


def _say(message: object, code: int) -> int:
    print(f"factscore: {message}", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m factscore_chain.factscorer",
        description="Scores a JSONL of topic and output rows, with the flags of the original package.",
    )
    parser.add_argument(
        "--input_path", default="data/labeled/InstructGPT.jsonl", help="JSONL of topic, output"
    )
    parser.add_argument("--model_name", default="retrieval+ChatGPT", help="an estimator's name, or NAME+npm")
    parser.add_argument("--gamma", type=int, default=10, help="of the length penalty; 0 for none")
    parser.add_argument(
        "--openai_key", default="api.key", help="path of a file with the key on its first line"
    )
    parser.add_argument("--data_dir", default=_CACHE, help="demonstrations and databases")
    parser.add_argument("--model_dir", default=_CACHE, help="weights of inst-llama-7B")
    parser.add_argument("--cache_dir", default=_CACHE, help="answers, and caches of the original")
    parser.add_argument("--knowledge_source", help="name of a source in data_dir (enwiki-20230401)")
    parser.add_argument(
        "--cost_estimate",
        default="consider_cache",
        choices=("consider_cache", "ignore_cache"),
        help="whether published prompts that are answered already count in the estimate",
    )
    parser.add_argument(
        "--abstain_detection_type",
        choices=("perplexity_ai", "generic", "none", "default"),
        help="how abstentions are recognised (not at all)",
    )
    parser.add_argument(
        "--use_atomic_facts", action="store_true", help="take the labelled file's model facts"
    )
    parser.add_argument("--verbose", action="store_true", help="show a progress bar")
    parser.add_argument(
        # The short forms were prefixes of this flag alone before there was a --protocol.
        *("--print_rate_limit_error", "--pr", "--p"),
        action="store_true",
        help="log errors of model clients too",
    )
    parser.add_argument("--n_samples", type=int, help="score the first N rows only")
    ours = parser.add_argument_group("beyond the original")
    ours.add_argument(
        "--protocol",
        default="default",
        choices=("default", "original"),
        help="original keeps the published rules and their faults",
    )
    ours.add_argument("--retrieval_type", help="under the original protocol: gtr-t5-large, or bm25")
    ours.add_argument("--llm", metavar="PROVIDER:NAME", help="a chat model in place of gpt-3.5-turbo")
    ours.add_argument("--base-url", metavar="URL", help="server of the chat model")
    ours.add_argument(
        "--report", type=Path, metavar="FILE", help="write the full report with its manifest here"
    )
    return parser
