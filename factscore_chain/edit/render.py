"""Edited texts for people: what changed, what for, and what it did to the score."""

from __future__ import annotations

from collections.abc import Iterator

from factscore_chain.edit.records import EditRecord
from factscore_chain.edit.report import EditedGeneration, EditReport
from factscore_chain.html.edits import Change, word_changes
from factscore_chain.render import escaped, excerpt, percent, verdict_words
from factscore_chain.report import GenerationReport, Report


def markdown(report: EditReport) -> str:
    """The report as Markdown: scores, then each text with deletions struck out and insertions in bold."""
    head = ["# Edits", "", *(f"- {line}" for line in summary_lines(report))]
    body = [
        line
        for number, (one, after) in enumerate(
            zip(report.generations, report.after.generations, strict=True), 1
        )
        for line in _section(number, one, after)
    ]
    return "\n".join([*head, *body, ""])


def summary_lines(report: EditReport) -> list[str]:
    """The headline: scores before and after with their coverage, by each estimator, and what was done."""
    lines = [score_line(report.before, report.after)]
    if report.second is not None:
        lines.append(f"second opinion: {score_line(report.second.before, report.second.after)}")
    kept = [edit for edit in report.edits if edit.kept]
    statuses = [one.status for one in report.generations]
    manifest = report.manifest
    return [
        *lines,
        f"unsupported facts {len(report.before.unsupported)} → {len(report.after.unsupported)}, "
        f"supported facts {report.before.counts.supported} → {report.after.counts.supported}",
        f"{len(statuses)} texts: {statuses.count('edited')} edited, {statuses.count('unchanged')} unchanged, "
        f"{statuses.count('failed')} failed; {len(kept)} of {len(report.edits)} edits kept",
        f"editor {editor_words(report)}, policy {manifest.policy}, "
        f"model calls {manifest.usage.get('calls', 0)}",
    ]


def score_line(before: Report, after: Report) -> str:
    """What rose or fell by one estimator, first the share of facts supported: an edit changes that.

    The length penalty hides it in short texts, and punishes what was taken out; so it comes second.
    """
    old, new, gamma = before.init_score, after.init_score, before.manifest.gamma
    moved = "" if old is None or new is None else f" ({_points(new - old)})"
    penalised = (
        f", with length penalty (gamma {gamma:g}) {percent(before.score)} → {percent(after.score)}"
        if gamma
        else ""
    )
    return (
        f"FActScore {percent(old)} → {percent(new)}{moved}{penalised}, "
        f"coverage {percent(before.coverage)} → {percent(after.coverage)}, "
        f"estimator {before.manifest.estimator}"
    )


def _points(change: float) -> str:
    rounded = round(100 * change, 1)
    return "unchanged" if not rounded else f"{'up' if rounded > 0 else 'down'} {abs(rounded):.1f} points"


def editor_words(report: EditReport) -> str:
    """The editor in a few words, such as "llm facts+passages gpt-4o-mini"."""
    identity = report.manifest.editor
    return " ".join(identity[name] for name in ("kind", "variant", "model") if name in identity)


def outcome_words(edit: EditRecord) -> str:
    """What became of a proposal, in a clause."""
    if edit.error is not None:
        return f"no edit: {edit.error}"
    if edit.kept:
        said = f"kept: {edit.why}" if edit.why else "kept"
        return said if edit.after else "kept: sentence dropped"
    return f"not kept: {edit.why}" if edit.after is not None else f"left: {edit.why}"


def _section(number: int, one: EditedGeneration, after: GenerationReport) -> Iterator[str]:
    yield f"\n## {number}. {escaped(one.topic or '(whole source)')}\n"
    if one.error is not None:
        yield f"- {escaped(one.error)}\n"
    yield _marked(word_changes(one.before, one.text))
    for edit in one.edits:
        yield from _edit(edit)
    for fact in after.unsupported:
        yield f"\n- still **{verdict_words(fact)}**: {escaped(fact.text)}"


def _marked(changes: tuple[Change, ...]) -> str:
    return "".join(_mark(change) for change in changes)


def _mark(change: Change) -> str:
    """A piece of text with its mark around what is not blank, so that Markdown reads the mark as one."""
    mark = {"same": "", "removed": "~~", "added": "**"}[change.kind]
    return "\n".join(_line(line, mark) for line in change.text.split("\n"))


def _line(line: str, mark: str) -> str:
    inner = line.strip()
    if not inner:
        return line
    start = line.index(inner)
    return f"{line[:start]}{mark}{escaped(inner)}{mark}{line[start + len(inner) :]}"


def _edit(edit: EditRecord) -> Iterator[str]:
    yield f"\n- round {edit.round}, {escaped(outcome_words(edit))}: {escaped(edit.before)}"
    if edit.after is not None and not edit.kept:
        yield f"  - proposed: {escaped(edit.after or '(dropped)')}"
    for action in edit.actions:
        yield f"  - {action.action}: {escaped(action.fact)} ({escaped(action.why)})"
    for passage in edit.passages:
        found = excerpt(passage.text, edit.after or edit.before)
        yield f"  - {escaped(passage.title or passage.id)}: {escaped(found)}"
