# One word each; all alike on a laptop and in CI.  Needs Python 3.11 and make, nothing else.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
STAMP := .venv/.installed
CODE := engine service migrations tests bench

.PHONY: install demo up quick test test-long soak bench lint format types

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

# Two workers at least: much of the time a test waits for another process.
WORKERS := $(shell $(PYTHON) -c 'import os; print(min(max(os.cpu_count() or 2, 2), 8))')
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
QUICK := engine tests/engine tests/vectors tests/golden tests/architecture

# The rules alone: no database, no service, under a minute.
quick: $(STAMP)
	$(PYTEST) $(QUICK) $(ARGS)

# What a change needs to be trusted, in minutes.
test: $(STAMP)
	$(PYTEST) -m "not long" $(ARGS)

# The volumes; docs/testing.md lists them.
test-long: $(STAMP)
	$(PYTEST) -m long $(ARGS)

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
