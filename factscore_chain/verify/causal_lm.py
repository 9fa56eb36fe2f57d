"""A local causal language model that says True or False with its first token (extra `hf`)."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from factscore_chain.errors import UsageError
from factscore_chain.hub import from_transformers
from factscore_chain.together import Together
from factscore_chain.verify.mentions import ENGLISH, Labels

Floats = npt.NDArray[np.float64]

_Asked = tuple[Sequence[int], tuple[tuple[int, ...], tuple[int, ...]]]
"""A prompt, and the ids of the tokens that its answer is read from."""
_TOKENS_AT_ONCE = 4096
_LONGEST = 1 << 20
"""Tokenizers without a limit of their own name numbers far beyond any model's."""


@lru_cache(maxsize=1)
def load_causal_lm(name: str) -> CausalLM:
    """Loads a causal language model by its name on the hub, or from a folder; once a process.

    Raises:
        MissingExtraError: transformers or torch is not installed.
        WeightsNotFoundError: The weights are not here and cannot be downloaded.
    """
    return CausalLM(*from_transformers(name, "AutoModelForCausalLM", f"Verification by {name}"))


class CausalLM:
    """A causal language model with its tokenizer, on the GPU if there is one.

    Args:
        tokenizer: A transformers tokenizer.
        model: A transformers causal language model.
    """

    def __init__(self, tokenizer: Any, model: Any) -> None:
        import torch

        self._torch = torch
        self._tokenizer = tokenizer
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        # On a CPU half precision is slow, and on some not there at all.
        self._model = (model if self._device == "cuda" else model.float()).eval().to(self._device)
        self._chooses_places = "logits_to_keep" in inspect.signature(model.forward).parameters
        self._together = Together(self._shares)
        limit = getattr(model.config, "max_position_embeddings", None) or _LONGEST
        self.longest: int = min(limit, tokenizer.model_max_length, _LONGEST)
        """Most tokens that the model can read."""

    def count(self, text: str) -> int:
        """Tokens of a text by itself."""
        return len(self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    def ids(self, text: str) -> list[int]:
        """Ids of a plain prompt, with the markers that the tokenizer puts around it."""
        return list(self._tokenizer(text, verbose=False)["input_ids"])

    def chat_ids(self, system: str, question: str) -> list[int]:
        """Ids of a conversation up to where the reply begins, in the model's own chat template.

        A model without a template gets the plain text. One whose template knows no system message gets it
        before the question; one that can think is told not to, since its first token is to be the verdict.
        """
        if getattr(self._tokenizer, "chat_template", None) is None:
            return self.ids(f"{system.strip()}\n\n{question.strip()}\nAnswer:")
        from jinja2.exceptions import TemplateError

        user = {"role": "user", "content": question}
        try:
            return self._templated([{"role": "system", "content": system}, user])
        except TemplateError:
            return self._templated([{"role": "user", "content": f"{system.strip()}\n\n{question}"}])

    def label_ids(self, labels: Labels = ENGLISH) -> tuple[list[int], list[int]]:
        """Ids of the tokens that begin a reply with either label: every case, with a blank before or not.

        Only the first word of each side counts, the one that prompts ask for. Where no spelling of it is one
        token, the first token of its capitalised form stands for it.

        Raises:
            UsageError: The tokenizer begins both labels with the same token.
        """
        yes, no = (self._spellings(words[0]) for words in (labels.supported, labels.not_supported))
        if yes & no:
            raise UsageError(
                "The model's tokenizer begins True and False with the same token, so its first token tells "
                "nothing. Give another model."
            )
        return sorted(yes), sorted(no)

    def first_id(self, word: str) -> int:
        """Id of the first token of a word."""
        return int(self._tokenizer(word, add_special_tokens=False)["input_ids"][0])

    def shares(self, prompts: Sequence[Sequence[int]], yes: Sequence[int], no: Sequence[int]) -> Floats:
        """The weight of `yes` tokens against `no` tokens as the next one, 0 to 1, for each prompt.

        Prompts of like length are read together, with those that other threads ask about meanwhile; the
        result does not depend on what is read with what.
        """
        labels = (tuple(yes), tuple(no))
        return np.array(self._together([(prompt, labels) for prompt in prompts]), np.float64)

    def _shares(self, asked: Sequence[_Asked]) -> list[float]:
        found = np.zeros(len(asked), np.float64)
        for labels in dict.fromkeys(labels for _, labels in asked):
            mine = [place for place, (_, own) in enumerate(asked) if own == labels]
            prompts = [asked[place][0] for place in mine]
            for rows in self._batches(prompts):
                places = [mine[row] for row in rows]
                found[places] = self._run([list(prompts[row]) for row in rows], *labels)
        return [float(one) for one in found]

    def _batches(self, prompts: Sequence[Sequence[int]]) -> Iterator[list[int]]:
        order = sorted(range(len(prompts)), key=lambda row: len(prompts[row]))
        while order:
            size = max(1, _TOKENS_AT_ONCE // max(1, len(prompts[order[-1]])))
            yield [order.pop() for _ in range(min(len(order), size))]

    def _run(self, rows: list[list[int]], yes: Sequence[int], no: Sequence[int]) -> Floats:
        torch, longest = self._torch, max(map(len, rows))
        # Padding stands behind, where a causal model cannot look: no place needs another number for it.
        ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows]).to(self._device)
        mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows]).to(self._device)
        last = torch.tensor([len(row) - 1 for row in rows])
        places, column = torch.unique(last, return_inverse=True)
        options = {"logits_to_keep": places.to(self._device)} if self._chooses_places else {}
        with torch.inference_mode():
            logits = self._model(input_ids=ids, attention_mask=mask, use_cache=False, **options).logits
            column = column if self._chooses_places else last
            ends = logits[torch.arange(len(rows)), column].float().cpu()
            difference = torch.logsumexp(ends[:, list(yes)], 1) - torch.logsumexp(ends[:, list(no)], 1)
            return np.asarray(torch.sigmoid(difference.double()).numpy())

    def _templated(self, turns: list[dict[str, str]]) -> list[int]:
        text = self._tokenizer.apply_chat_template(
            turns, tokenize=False, add_generation_prompt=True, enable_thinking=False
        )
        # The template has the markers already.
        return list(self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    def _spellings(self, word: str) -> set[int]:
        forms = (word.capitalize(), word.lower(), word.upper())
        found = [self._tokenizer(f"{blank}{form}", add_special_tokens=False)["input_ids"]
                 for form in forms for blank in ("", " ")]  # fmt: skip
        return set(_single(found)) or {self.first_id(word.capitalize())}


def _single(found: Iterable[Sequence[int]]) -> Iterator[int]:
    return (int(ids[0]) for ids in found if len(ids) == 1)
