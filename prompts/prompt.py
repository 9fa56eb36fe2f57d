"""Prompts are data: a YAML file each, with a version, read once.

User text and passages are put in verbatim. They stand between fences whose mark is chosen so that it does not
occur in the text itself, so nothing that is inserted can close its fence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from importlib.resources import files
from string import Template
from typing import Any
from unicodedata import normalize

import yaml
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel, ConfigDict, ValidationError

from factscore_chain.errors import UsageError

_UNSEEN = re.compile(r"[\s\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]+")


class Demonstration(BaseModel):
    """One worked example: the values of the prompt's fields, and the reply wanted."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fields: dict[str, str]
    reply: str


class Prompt(BaseModel):
    """One prompt: what is asked, in which words, with which demonstrations."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    version: int
    """Raised with every change of wording; part of each report's manifest."""
    instructions: str
    """The system message; it never holds user text."""
    template: str
    """The user message; `$field` stands for a value."""
    fenced: tuple[str, ...] = ()
    """Fields that stand between fences of their own name, in demonstrations and question alike."""
    demonstrations: tuple[Demonstration, ...] = ()
    pool: tuple[Demonstration, ...] = ()
    """Further demonstrations, of which those near to the question may be shown."""

    @property
    def identity(self) -> str:
        """Name, version and a hash of the content, such as "decompose@1:3f2a9c01"."""
        return f"{self.name}@{self.version}:{sha256(self.model_dump_json().encode()).hexdigest()[:8]}"

    def messages(
        self, demonstrations: tuple[Demonstration, ...] | None = None, **fields: str
    ) -> list[BaseMessage]:
        """Builds the conversation: instructions, demonstrations as earlier turns, then the question.

        Raises:
            UsageError: A field of the template was not given.
        """
        shown = self.demonstrations if demonstrations is None else demonstrations
        turns: list[BaseMessage] = [SystemMessage(self.instructions)]
        for demonstration in shown:
            turns += [HumanMessage(self._fill(demonstration.fields)), AIMessage(demonstration.reply)]
        return [*turns, HumanMessage(self._fill(fields))]

    def _fill(self, fields: dict[str, str]) -> str:
        values = {
            name: fence(value, name, fields.values()) if name in self.fenced else value
            for name, value in fields.items()
        }
        try:
            return Template(self.template).substitute(values)
        except KeyError as error:
            raise UsageError(f"The prompt {self.name!r} needs a value for {error}.") from error


@cache
def load_prompt(name: str) -> Prompt:
    """Reads a shipped prompt by its file's name without ".yaml".

    Raises:
        UsageError: There is no such prompt, or the file is not one.
    """
    source = files("factscore_chain.prompts") / f"{name}.yaml"
    try:
        content: Any = yaml.safe_load(source.read_text(encoding="utf-8"))
        return Prompt.model_validate(content)
    except FileNotFoundError as error:
        raise UsageError(f"There is no prompt named {name!r}.") from error
    except (yaml.YAMLError, ValidationError) as error:
        raise UsageError(f"The prompt file {name}.yaml is not valid: {error}") from error


def fence(text: str, tag: str, beside: Iterable[str] = ()) -> str:
    """Puts `text`, unchanged, between marks that nothing inserted can open or close.

    The mark is `<tag>`; while it occurs in what is inserted, a number is added. Occurrences count that only
    look like it: of another case, of wide letters, with blanks or invisible characters in between.

    Args:
        text: What is to be judged.
        tag: Says what it is.
        beside: What else is inserted into the same prompt.
    """
    mark, attempt, read = tag, 1, "\n".join(map(_as_read, (text, *beside)))
    while f"<{mark}" in read or f"</{mark}" in read:
        attempt += 1
        mark = f"{tag}-{attempt}"
    return f"<{mark}>\n{text}\n</{mark}>"


def _as_read(text: str) -> str:
    return _UNSEEN.sub("", normalize("NFKC", text)).lower()
