# One word each; all alike on a laptop and in CI.  Needs Python 3.11 and make, nothing else.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
STAMP := .venv/.installed
CODE := engine service migrations tests bench

.PHONY: install demo up test soak bench lint format types

install: $(STAMP)

# The lock holds every package with its hashes; the project itself is installed editable.
$(STAMP): requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(STAMP)

demo: $(STAMP)
	@$(BIN)/holotable demo $(ARGS)

up: $(STAMP)
	@$(BIN)/holotable up $(ARGS)

test: $(STAMP)
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal $(ARGS)

# Random tables for as long as ARGS="--seconds 3600" says; prints the seed it began with.
soak: $(STAMP)
	$(BIN)/python -m tests.properties.soak $(ARGS)

bench: $(STAMP)
	$(BIN)/python -m bench $(ARGS)

lint: $(STAMP)
	$(BIN)/ruff check $(CODE)
	$(BIN)/lint-imports

format: $(STAMP)
	$(BIN)/ruff format $(CODE)
	$(BIN)/ruff check --fix --select I $(CODE)

types: $(STAMP)
	$(BIN)/mypy
