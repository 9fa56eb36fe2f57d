"""How a note about a text looks: plain text that is also harmless as Markdown.

What is quoted in a note was written by a model. It stands on one line, between quotation marks that it cannot
close, without characters that could steer a terminal or be taken for markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from factscore_chain.guard.outcome import Finding, GuardOutcome
from factscore_chain.render import clean
from factscore_chain.values import Verdict

MOST_NAMED = 10
"""Facts that a note names; of more it gives the number."""
LONGEST_NAMED = 200
"""Characters of a fact that are shown."""
MARK = "[not supported by the sources]"
"""What follows a sentence that is not supported, where sentences are shown one by one."""
MARK_UNCHECKED = "[not checked]"
"""What follows a sentence that could not be checked."""

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
# Quotation marks would end the quotation; the others begin code, links, images, tags and tables.
_MARKUP = str.maketrans(
    {'"': "'", "“": "'", "”": "'", "`": "'", "[": "(", "]": ")", "<": "‹", ">": "›", "|": "/"}
)


def annotated(text: str, outcome: GuardOutcome) -> str:
    """The text with a note at its end; every character of the text stays.

    A code block that the text leaves open is closed first, so that the note is none of its code.
    """
    if not text.strip():
        return note(outcome)
    return f"{text.rstrip()}{closing_fence(text)}\n\n{note(outcome)}"


def note(outcome: GuardOutcome) -> str:
    """What a reader should know of the outcome, one or several lines."""
    if outcome.cause == "error":
        return "Note: this answer could not be checked against the sources."
    if outcome.cause == "nothing_to_check":
        return "Note: this answer states nothing that could be checked against the sources."
    if outcome.cause == "undecided":
        return "Note: too little of this answer could be checked against the sources."
    return "\n".join(_findings(outcome))


def named(findings: Sequence[Finding]) -> list[str]:
    """The facts of findings, each on one line between quotation marks."""
    return [f"“{quoted(one.text)}”" for one in findings]


def quoted(text: str) -> str:
    """Text that can stand between quotation marks in a line of a note."""
    line = " ".join(clean(text).split()).translate(_MARKUP)
    return line if len(line) <= LONGEST_NAMED else f"{line[:LONGEST_NAMED].rstrip()} ..."


def closing_fence(text: str) -> str:
    """A line break and the end of a code block, if the text leaves one open; else nothing."""
    open_fence: str | None = None
    for match in _FENCE.finditer(text):
        fence = match[1]
        if open_fence is None:
            open_fence = fence
        elif fence.startswith(open_fence) and not text[match.end() :].split("\n", 1)[0].strip():
            open_fence = None
    return f"\n{open_fence}" if open_fence else ""


def _findings(outcome: GuardOutcome) -> Iterator[str]:
    if not outcome.unsupported and not outcome.undecided:
        yield "Note: every statement in this answer is supported by the sources."
        return
    wrong, still_open = outcome.unsupported, outcome.undecided
    if wrong:
        verb = "is" if len(wrong) == 1 else "are"
        of = f"{len(wrong)} of {outcome.facts} statements in this answer"
        yield f"Note: {of} {verb} not supported by the sources:"
        yield from _listed(wrong)
    if still_open:
        head = "" if wrong else "Note: "
        yield f"{head}{len(still_open)} of {outcome.facts} statements could not be decided:"
        yield from _listed(still_open)


def _listed(findings: Sequence[Finding]) -> Iterator[str]:
    shown = findings[:MOST_NAMED]
    for one, words in zip(shown, named(shown), strict=True):
        why = " (the sources say otherwise)" if _is_contradicted(one) else ""
        yield f"- {words}{why}"
    if len(findings) > len(shown):
        yield f"- and {len(findings) - len(shown)} more"


def _is_contradicted(finding: Finding) -> bool:
    return finding.verdict is Verdict.NOT_SUPPORTED and finding.reason == "contradicted"
