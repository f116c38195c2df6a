# The same targets on a laptop and in CI.  They need only Python 3.11 and make.

# The interpreters to try, those that were built with their optimisations first: they need a tenth less
# processor. Debian's is one of them, and pyenv's often is not. `make bench` says which
# runs. `make install PYTHON=...` chooses another, in a checkout without .venv.
NAMED = $(foreach name,python3.11 python3,$(wildcard $(addsuffix /$(name),$(subst :, ,$(PATH)))))
RANK = import sys; from sysconfig import get_config_var as told; \
  slow = sys.base_prefix != "/usr" and "--enable-optimizations" not in str(told("CONFIG_ARGS")); \
  sys.version_info < (3, 11) or print(int(slow), sys.executable)
PYTHON ?= $(shell for it in $(NAMED); do $$it -c '$(RANK)' 2>/dev/null; done | sort -s -k1,1 | cut -d" " -f2-)
BIN := .venv/bin
STAMP := .venv/.installed
CODE := engine service migrations tests bench

# The tests start hundreds of interpreters.  Without bytecode each compiles the service again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: install demo up quick test test-long soak soak-tables chaos bench lint format types api-lint sdk clients api-fuzz

install: $(STAMP)

# The lock pins every package by hash, dependencies included.  pip resolves nothing, so that no later
# release enters.  The project itself is installed editable.  The check finds what the lock lacks.
# An interpreter of Debian may lack venv, and leaves half an environment then. The next one is tried.
$(STAMP): requirements.lock pyproject.toml
	@test -x $(BIN)/python || for it in $(PYTHON); do $$it -m venv .venv >/dev/null 2>&1 && exit; rm -rf .venv; done; \
	  test -x $(BIN)/python || { echo "no Python 3.11 or newer can make an environment: apt-get install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	$(BIN)/python -m pip check --disable-pip-version-check
	touch $(STAMP)

demo: $(STAMP)
	@$(BIN)/holotable demo $(ARGS)

up: $(STAMP)
	@$(BIN)/holotable up $(ARGS)

# One worker more than there are cores, because tests often wait for another process.
WORKERS = $(shell $(BIN)/python -c 'import os; print(min((os.cpu_count() or 2) + 1, 8))')
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
QUICK := engine tests/engine tests/bench tests/vectors tests/golden tests/architecture

# The rules alone: no database, under a minute.
quick: $(STAMP)
	$(PYTEST) $(QUICK) $(ARGS)

# Enough to trust a change, in minutes.
test: $(STAMP)
	$(PYTEST) -m "not long and not clients" $(ARGS)

# The large volumes; docs/testing.md lists them.  Each needs the cores for itself: with one worker more,
# some wait longer than they may.
test-long: WORKERS = $(shell $(BIN)/python -c 'import os; print(min(max(os.cpu_count() or 2, 2), 8))')
test-long: $(STAMP)
	$(PYTEST) -m long $(ARGS)

# A million steps of the whole service, simulated.  Prints its first seed.
soak: $(STAMP)
	$(BIN)/python -m tests.simulation.soak $(ARGS)

# Random tables, for the time in ARGS="--seconds 3600".  Prints its first seed.
soak-tables: $(STAMP)
	$(BIN)/python -m tests.properties.soak $(ARGS)

# A whole installation under faults while bots play, for so many minutes.  Prints its seed.
MINUTES := 3
chaos: $(STAMP)
	$(BIN)/python -m tests.chaos --minutes $(MINUTES) $(ARGS)

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

# The document is what the code makes, and three linters find nothing.
api-lint: $(STAMP)
	$(BIN)/holotable openapi --check api-spec/openapi.yaml
	api-spec/tools/run lint

# Typed clients for Python and TypeScript, each with a bot, in build/sdk.
sdk: $(STAMP)
	api-spec/tools/run sdk

# The clients of three generators, compiled. Each plays a tournament to its end.
clients: $(STAMP)
	api-spec/tools/run clients
	$(BIN)/python -m pytest -m clients tests/journeys/test_clients.py $(ARGS)

# Schemathesis, with all its checks, against a running API with a league at play.
api-fuzz: $(STAMP)
	api-spec/tools/run fuzzer
	$(BIN)/python -m tests.api_fuzz $(ARGS)
