"""`factscore serve`: scoring and editing over HTTP, with a page for people."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factscore_chain.cli.score import add_estimator_arguments, make_chain
from factscore_chain.errors import UsageError
from factscore_chain.generation_files import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from factscore_chain.chain import FactScoreChain
    from factscore_chain.server.settings import Access, Serving, Upstream
    from factscore_chain.server.sources import Sources

TOKEN_VARIABLE = "FACTSCORE_TOKEN"  # noqa: S105  the name of a variable
"""Environment variable with the token that clients have to send."""
KEY_VARIABLE = "FACTSCORE_UPSTREAM_KEY"
"""Environment variable with the key that the upstream is sent in place of the client's."""

ON_FAIL = ("annotate", "replace", "correct", "remove", "raise", "retry")
OTHERWISE = ("annotate", "replace", "raise")
ON_EMPTY = ("pass", "annotate", "fail")
ON_ERROR = ("annotate", "open", "closed")
_POLICY = (
    "threshold",
    "on_fail",
    "otherwise",
    "message",
    "max_retries",
    "on_empty",
    "on_error",
    "min_coverage",
)


def add_parser(commands: Any) -> None:
    """Declares the command and its arguments."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "serve",
        help="serve scoring and editing over HTTP, with a page for people",
        description="Serves POST /score, POST /edit, GET /knowledge, /metrics for Prometheus, /openapi.json, "
        "at / a page on which a person checks a text, and with --upstream an OpenAI-compatible way to any "
        "chat model on which every answer is checked. Needs the extra server.",
    )
    add_estimator_arguments(parser, gamma=None, several=True, concurrency="--model-concurrency")
    parser.add_argument("--editor", choices=("embedded", "llm"), help="llm with --llm, else embedded")
    _add_proxy(parser)
    _add_address(parser)
    _add_limits(parser)
    parser.set_defaults(run=run)


def _add_proxy(parser: argparse.ArgumentParser) -> None:
    proxy = parser.add_argument_group("answers checked on their way (POST /v1/chat/completions)")
    proxy.add_argument(
        "--upstream",
        metavar="URL",
        help="base URL of the OpenAI-compatible server to ask, such as https://api.openai.com/v1; its key is "
        f"what the client sends, or the variable {KEY_VARIABLE}",
    )
    proxy.add_argument(
        "--evidence",
        action="append",
        choices=("tool", "system", "developer", "user"),
        help="role of messages that an answer is checked against, beside the knowledge source; may be "
        "repeated (default: tool)",
    )
    proxy.add_argument(
        "--threshold",
        type=float,
        metavar="SHARE",
        help="of the facts that has to be supported (default: 0.8)",
    )
    proxy.add_argument(
        "--on-fail", choices=ON_FAIL, help="what is done about an unsupported answer (default: annotate)"
    )
    proxy.add_argument(
        "--otherwise",
        choices=OTHERWISE,
        help="what is done where correct, remove or retry did not help (default: replace)",
    )
    proxy.add_argument("--message", metavar="TEXT", help="what is shown in place of a withheld answer")
    proxy.add_argument(
        "--max-retries", type=int, metavar="N", help="times that --on-fail retry asks again (default: 1)"
    )
    proxy.add_argument(
        "--on-empty",
        choices=ON_EMPTY,
        help="about an answer that states nothing to check (default: pass)",
    )
    proxy.add_argument(
        "--on-error", choices=ON_ERROR, help="where the check itself fails (default: annotate)"
    )
    proxy.add_argument(
        "--min-coverage",
        type=float,
        metavar="SHARE",
        help="of the facts that has to be decided, else --on-error applies (default: 0.5)",
    )


def _add_address(parser: argparse.ArgumentParser) -> None:
    address = parser.add_argument_group("address and access")
    address.add_argument("--host", default="127.0.0.1", help="default: 127.0.0.1, this machine only")
    address.add_argument("--port", type=int, default=8000, help="default: 8000; 0 takes a free one")
    address.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help=f"a file with the token that clients have to send (default: the variable {TOKEN_VARIABLE}; "
        "without either, whoever reaches the server may use it)",
    )
    address.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="another name to answer to, where there is no token; may be repeated",
    )


def _add_limits(parser: argparse.ArgumentParser) -> None:
    limits = parser.add_argument_group("limits")
    limits.add_argument(
        "--max-body", type=int, default=1_000_000, metavar="BYTES", help="of a request (default: 1000000)"
    )
    limits.add_argument(
        "--max-text", type=int, default=20_000, metavar="N", help="characters of a text (default: 20000)"
    )
    limits.add_argument(
        "--concurrency",
        type=int,
        default=16,
        metavar="N",
        help="requests in work at once; more are answered 429 (default: 16)",
    )
    limits.add_argument(
        "--timeout", type=float, default=120, metavar="SECONDS", help="for one request's work (default: 120)"
    )


def run(options: argparse.Namespace) -> bool:
    """Serves until it is told to stop."""
    from factscore_chain.server import check_installed, run_server

    check_installed()
    serving = _serving(options)
    run_server(_sources(options), serving)
    return True


def _serving(options: argparse.Namespace) -> Serving:
    from factscore_chain.server.settings import Limits, Serving

    limits = Limits(options.max_body, options.max_text, options.concurrency, options.timeout)
    return Serving(options.host, options.port, limits, _access(options), _upstream(options))


def _upstream(options: argparse.Namespace) -> Upstream | None:
    from factscore_chain.guard.policy import GuardPolicy
    from factscore_chain.server.settings import Upstream

    given = {name: getattr(options, name) for name in _POLICY if getattr(options, name) is not None}
    if options.upstream is None:
        for name in (*given, *(["evidence"] if options.evidence else [])):
            raise UsageError(
                f"--{name.replace('_', '-')} is about the answers of an upstream, and there is none. Give "
                "--upstream, or leave it out."
            )
        return None
    roles = frozenset(options.evidence or ("tool",))
    # "function" is what the role was called before.
    roles |= {"function"} if "tool" in roles else frozenset()
    return Upstream(options.upstream, GuardPolicy(**given), os.environ.get(KEY_VARIABLE) or None, roles)


def _access(options: argparse.Namespace) -> Access:
    from factscore_chain.server.settings import Access

    token = os.environ.get(TOKEN_VARIABLE) or None
    if options.token_file is not None:
        token = read_text(options.token_file).strip()
    return Access(token, frozenset(name.lower() for name in options.allow_host))


def _sources(options: argparse.Namespace) -> Sources:
    from factscore_chain.server.sources import Sources

    return Sources.of(list(_chains(options)), options.editor)


def _without(options: argparse.Namespace) -> Any:
    """What stands for a knowledge source where the evidence comes with each request."""
    from factscore_chain.retrievers.context import ContextOnly

    return ContextOnly() if options.upstream is not None else None


def _chains(options: argparse.Namespace) -> Iterator[FactScoreChain]:
    """A chain for each knowledge source; all ask the same model, within one budget."""
    first, *others = options.knowledge or [None]
    chain = make_chain(argparse.Namespace(**{**vars(options), "knowledge": first}), without=_without(options))
    yield chain
    shared = {"llm": chain.models[0], "base_url": None, "max_cost": None} if chain.models else {}
    for path in others:
        yield make_chain(argparse.Namespace(**{**vars(options), **shared, "knowledge": path}))
