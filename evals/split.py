"""The one place that says which topics may be trained or tuned on, and which are only reported on.

    python -m factscore_chain.evals.split LABELED.jsonl ... > evals/training_topics.json

writes the list of topics, as hashes, that shipped weights and thresholds were fitted on.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Literal

HELD_OUT_ONE_IN = 3

TopicChoice = Literal["held-out", "train", "all"]

RULE = (
    f"a topic is held out if the sha256 of its title is divisible by {HELD_OUT_ONE_IN} "
    "(title in NFC, underscores as blanks, white space collapsed, case folded)"
)
"""The rule in words, for reports and model cards."""


def topic_hash(title: str) -> str:
    """The sha256 of a title, in hex; case, white space and underscores make no difference."""
    folded = unicodedata.normalize("NFC", title).replace("_", " ")
    return sha256(" ".join(folded.split()).casefold().encode("utf-8", "surrogatepass")).hexdigest()


def is_held_out(title: str) -> bool:
    """Whether a topic is kept for reporting: about one in three, for every system and data set alike."""
    return int(topic_hash(title), 16) % HELD_OUT_ONE_IN == 0


@cache
def training_topics() -> frozenset[str]:
    """Hashes of the topics that shipped weights or thresholds were fitted on; none of them is held out."""
    file = files("factscore_chain.evals") / "training_topics.json"
    return frozenset(json.loads(file.read_text(encoding="utf-8"))["topics"])


def is_chosen(topic: str | None, choice: TopicChoice) -> bool:
    """Whether facts about a topic are reported on.

    "held-out" takes what nothing was fitted on: held-out topics, topics of other data, facts without one.
    """
    if choice == "all":
        return True
    fitted = topic is not None and topic_hash(topic) in training_topics()
    return fitted if choice == "train" else not fitted


def main(paths: Sequence[str]) -> None:
    """Prints the training topics of labelled files, as JSON."""
    from factscore_chain.evals.labeled import read_labeled

    topics = {one.topic for path in paths for one in read_labeled(Path(path)).generations}
    hashes = sorted(topic_hash(topic) for topic in topics if topic and not is_held_out(topic))
    print(json.dumps({"rule": RULE, "topics": hashes}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
