.POSIX:
# Everything works in .venv beside this file; PYTHON chooses the interpreter that makes it.
PYTHON ?= python3
BIN = .venv/bin
PIP = $(BIN)/python -m pip
DEMO = .venv/demo
# Empty runs the tests in one process.
XDIST = -n 2

.PHONY: help demo demo-wikipedia test check format docs clean

help: ## lists these targets
	@grep -E '^[a-z-]+:.*##' Makefile | sed 's/:.*##/:/' | awk -F': *' '{ printf "make %-16s %s\n", $$1, $$2 }'

# Exit code 3 is right for the examples: one of their topics is missing from the knowledge source on purpose.
demo: .venv/installed ## scores examples/ with the embedded estimator, and compares with the labels
	$(BIN)/factscore score examples/generations.jsonl --knowledge examples/knowledge.jsonl || test $$? -eq 3
	$(BIN)/factscore eval agreement examples/labels.jsonl --knowledge examples/knowledge.jsonl

demo-wikipedia: .venv/installed ## the same on 10,033 Wikipedia summaries, downloaded first
	$(BIN)/python examples/wikipedia.py $(DEMO)
	$(BIN)/factscore kb build $(DEMO)/wikipedia.jsonl --out $(DEMO)/wikipedia.db
	$(BIN)/factscore score examples/wikipedia_generations.jsonl --knowledge $(DEMO)/wikipedia.db
	@cat $(DEMO)/ATTRIBUTION

test: check ## lint, types and tests, with everything they need
	$(BIN)/python -m pytest $(XDIST)

check: .venv/installed-dev ## lint and types only
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

format: .venv/installed-dev ## formats the code, and repairs what the linter can
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

docs: .venv/installed-dev ## runs the documentation's code, and writes what it prints into it
	FACTSCORE_WRITE_DOCS=1 $(BIN)/python -m pytest tests/test_readme.py

clean: ## removes the virtual environment and what tools left
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

.venv/bin/python:
	"$(PYTHON)" -m venv .venv

# The stamps make a second run start at once; a change of pyproject.toml installs again.
.venv/installed: .venv/bin/python pyproject.toml
	$(PIP) install --quiet --editable .
	touch $@

.venv/installed-dev: .venv/bin/python pyproject.toml
	$(PIP) install --quiet --editable '.[dev]'
	touch .venv/installed $@
