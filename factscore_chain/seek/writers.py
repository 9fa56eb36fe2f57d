"""Who writes the query of a further look: the words that found no match, or a chat model."""

from __future__ import annotations

import re
from collections.abc import Sequence

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from pydantic import Field

from factscore_chain.errors import FatalModelError, ModelCallError
from factscore_chain.language_model import AnyModel
from factscore_chain.prompts.prompt import Prompt, fence, load_prompt
from factscore_chain.seek.names import mentions
from factscore_chain.seek.values import Gap, Query
from factscore_chain.stage import LocalStage, Stage
from factscore_chain.thinking import without_thinking
from factscore_chain.verify.unmatched import unmatched_words

_LONGEST = 300
"""Characters of a query; a longer reply is a remark rather than a query."""
_EXCERPT = 400
"""Characters of each passage that the model is shown."""
_SHOWN = 5


class QueryWriter(Stage[Gap, Query]):
    """Writes one query for a fact that lacks evidence."""

    @property
    def identity(self) -> str:
        """Who writes, for the report's manifest."""
        raise NotImplementedError


class WordsWriter(QueryWriter, LocalStage[Gap, Query]):
    """Takes the words of the fact that no passage answers for, and the subject's name; needs no model."""

    @property
    def identity(self) -> str:
        """The kind of writer."""
        return "words"

    def _compute(self, values: Sequence[Gap]) -> list[Query]:
        missing = unmatched_words([gap.claim for gap in values])
        return [Query(_query(gap, words), self.identity) for gap, words in zip(values, missing, strict=True)]


def _query(gap: Gap, missing: Sequence[str]) -> str:
    # Where all words have a match somewhere, it is their being together that is looked for.
    words = " ".join(missing) or gap.claim.fact.text
    named = gap.place.own or mentions(words, gap.subject.name)
    return words if named else f"{gap.subject.name} {words}"


class ModelWriter(QueryWriter):
    """Asks a chat model, once; where its reply is no query, or the call fails, the words are taken.

    Raises:
        FatalModelError: Every further call would fail the same way.
    """

    model: AnyModel
    """A `LanguageModel`, a LangChain chat model, or "provider:name"."""
    prompt: Prompt = Field(default_factory=lambda: load_prompt("seek"))
    """Its fields are `topic`, `passages`, `asked` and `statement`."""

    @property
    def identity(self) -> str:
        """Model and prompt."""
        return f"{self.model.name}, {self.prompt.identity}"

    async def _process(self, value: Gap, config: RunnableConfig) -> Query:
        try:
            reply = await self.model.complete(self._messages(value), config)
        except FatalModelError:
            raise
        except ModelCallError:
            return await WordsWriter().ainvoke(value, config)
        query = read_query(reply.text, self.model.name) if reply.finish_reason == "stop" else None
        return query or await WordsWriter().ainvoke(value, config)

    def _messages(self, gap: Gap) -> list[BaseMessage]:
        last = gap.claim.passages[-_SHOWN:]
        texts = [f"{passage.title or ''}\n{passage.text[:_EXCERPT]}".strip() for passage in last]
        shown = [fence(text, f"passage-{number}", texts) for number, text in enumerate(texts, 1)]
        return self.prompt.messages(
            topic=gap.claim.topic or gap.subject.name,
            passages="\n".join(shown),
            asked="\n".join(gap.asked),
            statement=gap.claim.fact.text,
        )


_LINE = re.compile(r"\W*(?P<kind>query|search|page|title)\s*:\s*(?P<text>.*\w.*)", re.IGNORECASE)


def read_query(reply: str, writer: str) -> Query | None:
    """Reads "QUERY: words" or "PAGE: title" from a reply; None where it holds neither.

    A reply of one short line without a label is taken for a query.
    """
    answer, broken_off = without_thinking(reply)
    lines = [line.strip() for line in answer.splitlines() if line.strip()]
    if broken_off or not lines:
        return None
    labelled = next((match for line in lines if (match := _LINE.fullmatch(line))), None)
    if labelled is None and len(lines) > 1:
        return None
    text = " ".join((labelled["text"] if labelled else lines[0]).split()).strip("\"'`*“”")
    if not any(map(str.isalnum, text)) or text.endswith(":") or len(text) > _LONGEST:
        return None
    page = labelled is not None and labelled["kind"].lower() in {"page", "title"}
    return Query(text, writer, title=text if page else None)
