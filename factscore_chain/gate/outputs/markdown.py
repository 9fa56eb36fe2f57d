"""The outcome as Markdown, for a pull request or the summary of a job."""

from __future__ import annotations

from factscore_chain.gate.wording import outcome_lines
from factscore_chain.render import escaped, markdown
from factscore_chain.report import Report

_SIGNS = {"passed": "✅", "failed": "❌", "incomplete": "⚠️"}


def to_markdown(report: Report) -> str:
    """What the gate says, then the report it speaks of."""
    result = "not judged" if report.gate is None else report.gate.result
    lines = [f"- {escaped(line)}" for line in outcome_lines(report)]
    title = f"# FActScore gate: {result} {_SIGNS.get(result, '')}".rstrip()
    return "\n".join([title, "", *lines, "", markdown(report)])
