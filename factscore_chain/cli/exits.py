"""Exit codes of the command."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """What the command ends with."""

    DONE = 0
    BELOW = 1
    """A gate is closed: below what was required, or worse than the baseline."""
    USAGE = 2
    INCOMPLETE = 3
