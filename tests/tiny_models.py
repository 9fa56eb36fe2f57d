"""Tiny real models of transformers, made on the spot and saved as published ones are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

WORDS = "fact : . ? the a was in she he ada london paris born died wrote notes true false output input"
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
VOCABULARY = len(SPECIAL) + len(WORDS.split())
CHAT_TEMPLATE = (
    "{% for turn in messages %}{% if turn.role == 'system' %}fact : {{ turn.content }}{% else %}"
    "input : {{ turn.content }}{% endif %}{% endfor %}{% if add_generation_prompt %} output :{% endif %}"
)


def save_tokenizer(folder: Path, *, longest: int = 64, chat_template: str | None = None) -> Any:
    """A tokenizer of whole words, in lower case."""
    tokenizers = pytest.importorskip("tokenizers")
    transformers = pytest.importorskip("transformers")
    vocabulary = {word: number for number, word in enumerate([*SPECIAL, *WORDS.split()])}
    model = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="<unk>"))
    model.normalizer = tokenizers.normalizers.Lowercase()
    model.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    names = dict(zip(["bos", "pad", "eos", "unk", "mask"], SPECIAL, strict=True))
    special = {f"{name}_token": token for name, token in names.items()}
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=model, model_max_length=longest, **special
    )
    tokenizer.chat_template = chat_template
    tokenizer.save_pretrained(folder)
    return tokenizer


def save_causal(folder: Path, *, longest: int = 64, chat_template: str | None = None) -> str:
    """A causal model with random weights, the same each time; returns its folder."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    save_tokenizer(folder, longest=longest, chat_template=chat_template)
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=VOCABULARY, n_embd=16, n_layer=1, n_head=2, n_positions=longest,
        bos_token_id=0, eos_token_id=2, initializer_range=0.5,
    )  # fmt: skip
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    return str(folder)


def save_masked(folder: Path) -> str:
    """A masked model of RoBERTa's kind, likewise."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    save_tokenizer(folder)
    torch.manual_seed(0)
    config = transformers.RobertaConfig(
        vocab_size=VOCABULARY, hidden_size=16, intermediate_size=32,
        num_hidden_layers=2, num_attention_heads=2, max_position_embeddings=66,
        pad_token_id=1, bos_token_id=0, eos_token_id=2,
        initializer_range=0.5,
    )  # fmt: skip
    transformers.RobertaForMaskedLM(config).save_pretrained(folder)
    return str(folder)
