"""Names for the pronouns of a sentence before which another was left out: "It" would mean nothing now."""

from __future__ import annotations

from collections.abc import Sequence

from factscore_chain.decompose.base import overlap
from factscore_chain.edit.base import Policy
from factscore_chain.edit.located import locate
from factscore_chain.edit.naming import namings
from factscore_chain.edit.state import Proposal
from factscore_chain.report import GenerationReport
from factscore_chain.values import Span


def with_name(report: GenerationReport, start: int, left_out: Sequence[Span]) -> str:
    """The last sentence of a text, with a name where only a sentence that was left out said whom it means.

    Args:
        report: The text up to the end of the sentence, with the facts of the sentence.
        start: Where the sentence begins in it.
        left_out: Where the sentences stand that were left out.
    """
    sentence = report.text[start:]
    text = locate(report)
    gone = [
        Proposal(sentence=one.sentence.index, policy=Policy.REMOVE, text="")
        for one in text.sentences
        if any(overlap(one.sentence.span, span) for span in left_out)
    ]
    for naming in namings(text, gone):
        if text.sentences[naming.sentence].sentence.span.start == start:
            return naming.applied(sentence)
    return sentence
