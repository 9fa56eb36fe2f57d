"""The two networks of the tagger on one encoder, in torch."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import BertModel

from factscore_chain.decompose.tagger import ENTITIES, INSERTIONS, PARTS, TAGS

_MASKED = -1e4


class TaggerNetwork(nn.Module):  # type: ignore[misc]
    """Lower encoder layers shared; two sets of upper layers, the second with a marked anchor.

    The marker is added to the hidden state between the two, so that the lower layers run once for each
    sentence, however many facts it has.
    """

    def __init__(self, encoder: Path, shared_layers: int, dropout: float) -> None:
        super().__init__()
        bert = BertModel.from_pretrained(
            encoder,
            add_pooling_layer=False,
            attn_implementation="eager",
            attention_probs_dropout_prob=0.0,
        )
        width = bert.config.hidden_size
        self.width: int = width
        self.heads_of_attention: int = bert.config.num_attention_heads
        self.embeddings = bert.embeddings
        self.shared = nn.ModuleList(bert.encoder.layer[:shared_layers])
        self.sentence_layers = nn.ModuleList(bert.encoder.layer[shared_layers:])
        self.fact_layers = copy.deepcopy(self.sentence_layers)
        self.marker = nn.Embedding(3, width)
        nn.init.normal_(self.marker.weight, std=0.1)
        with torch.no_grad():
            self.marker.weight[0] = 0
        self.dropout = nn.Dropout(dropout)
        self.anchor, self.tag = nn.Linear(width, 2), nn.Linear(width, len(TAGS))
        self.entity = nn.Linear(width, len(ENTITIES))
        self.part, self.insertion = nn.Linear(width, len(PARTS)), nn.Linear(width, len(INSERTIONS))

    def read(self, ids: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        """Hidden states after the shared layers, of shape (sentences, pieces, width).

        Here and below `mask` is 1 on pieces and 0 on padding; None stands for no padding.
        """
        return self._run(self.shared, self.embeddings(input_ids=ids), mask)

    def sentence(self, hidden: torch.Tensor, mask: torch.Tensor | None) -> tuple[torch.Tensor, ...]:
        """Logits by piece: anchor of either kind, kind of word, kind of name."""
        hidden = self.dropout(self._run(self.sentence_layers, hidden, mask))
        return self.anchor(hidden), self.tag(hidden), self.entity(hidden)

    def fact(
        self, hidden: torch.Tensor, mask: torch.Tensor | None, marks: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits by piece: part in the fact of the marked anchor, and insertion (read at the anchor)."""
        hidden = self.dropout(self._run(self.fact_layers, hidden + self.marker(marks), mask))
        return self.part(hidden), self.insertion(hidden)

    def body(self) -> list[nn.Parameter]:
        """Parameters that come from the encoder, its word embeddings left out."""
        layers: list[Any] = [self.embeddings, self.shared, self.sentence_layers, self.fact_layers]
        return [one for part in layers for one in part.parameters() if one.requires_grad]

    def heads(self) -> list[nn.Parameter]:
        """Parameters that are new."""
        parts = (self.marker, self.anchor, self.tag, self.entity, self.part, self.insertion)
        return [one for part in parts for one in part.parameters()]

    def freeze(self, layers: int) -> None:
        """Keeps the word embeddings and the lowest layers as they are."""
        self.embeddings.word_embeddings.weight.requires_grad = False
        for layer in self.shared[:layers]:
            for parameter in layer.parameters():
                parameter.requires_grad = False

    @staticmethod
    def _run(layers: nn.ModuleList, hidden: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        bias = None if mask is None else (1.0 - mask[:, None, None, :].float()) * _MASKED
        for layer in layers:
            out = layer(hidden, attention_mask=bias)
            hidden = out[0] if isinstance(out, tuple) else out
        return hidden
