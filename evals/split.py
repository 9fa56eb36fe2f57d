"""The one place that says which topics may be trained or tuned on, and which are only reported on."""

from __future__ import annotations

import unicodedata
from hashlib import sha256

HELD_OUT_ONE_IN = 3

RULE = (
    f"a topic is held out if the sha256 of its title is divisible by {HELD_OUT_ONE_IN} "
    "(title in NFC, underscores as blanks, white space collapsed, case folded)"
)
"""The rule in words, for reports."""


def topic_hash(title: str) -> str:
    """The sha256 of a title, in hex; case, white space and underscores make no difference."""
    folded = unicodedata.normalize("NFC", title).replace("_", " ")
    return sha256(" ".join(folded.split()).casefold().encode("utf-8", "surrogatepass")).hexdigest()


def is_held_out(title: str) -> bool:
    """Whether a topic is kept for reporting: about one in three, for every system and data set alike."""
    return int(topic_hash(title), 16) % HELD_OUT_ONE_IN == 0
