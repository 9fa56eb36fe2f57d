"""What is shown of a text that comes piece by piece, with the layout around what is left out of it."""

from __future__ import annotations

from factscore_chain.edit.splice import Replacement, splice
from factscore_chain.values import Span

_BEFORE = 1000
"""Characters of what was shown that say how a line began and what stands above it."""


class ShownText:
    """Takes the pieces of a text in order, and gives what is to be shown for each.

    What is left out goes as it goes from a whole text: with the blanks beside it, or with its line and list
    mark where it had that for itself. Layout that belongs to others, such as the end of a code block, waits
    for the next piece that is shown, or for the end.
    """

    def __init__(self) -> None:
        self.text = ""
        """All that was shown so far."""
        self._waiting = ""
        self._left_out: list[Span] = []

    def leave_out(self, lead: str, sentence: str) -> None:
        """Leaves a sentence out; `lead` is the layout before it."""
        start = len(self._waiting) + len(lead)
        self._waiting += lead + sentence
        self._left_out.append(Span(start, start + len(sentence)))

    def show(self, text: str) -> str:
        """Shows a piece with its layout; returns what to add to what was shown."""
        added = self._after_gap(text)
        self.text += added
        self._waiting, self._left_out = "", []
        return added

    def _after_gap(self, text: str) -> str:
        if not self._left_out:
            return text
        before = self.text[-_BEFORE:]
        dropped = [
            Replacement(Span(one.start + len(before), one.end + len(before)), "") for one in self._left_out
        ]
        return splice(f"{before}{self._waiting}{text}", dropped).text[len(before) :]
