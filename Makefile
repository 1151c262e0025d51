# mdmem: set-up and gates. Needs python3 (3.11 or newer), make and a package index; everything else goes into .venv.
#   make try [DOCS=folder] [Q="question"]   install, start, register the folder, wait until it is searchable, answer
#   make test                                install and run every gate
#   make bench [DOCS=folder]                 print the numbers of the benchmarks

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
export DOCS ?= $(CURDIR)
export Q    ?= How do I give this to my coding agent?

.PHONY: try test gates lint types imports tests bench format clean stop

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "mdmem needs Python 3.11 or newer; say which with: make PYTHON=python3.12 try" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade --disable-pip-version-check 'pip>=25.1'
	@touch $@

$(VENV)/.run: $(VENV)/.made pyproject.toml
	@echo "Installing mdmem into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(STAMP): $(VENV)/.run
	@echo "Installing the developer tools ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev
	@touch $@

try: $(VENV)/.run
	@$(BIN)/mdmemctl root add --wait -- "$$DOCS"
	@echo
	@$(BIN)/mdmemctl search --root "$$(cd "$$DOCS" && pwd -P)" -- "$$Q"
	@echo
	@$(BIN)/mdmemctl status
	@echo
	@echo "Ask again:             $(BIN)/mdmemctl search \"your question\""
	@echo "Stop the daemon:       $(BIN)/mdmemctl stop"
	@echo "Give it to your agent: $(BIN)/mdmemctl mcp install claude-code"
	@echo "                       $(BIN)/mdmemctl mcp install codex"

test: $(STAMP) gates

gates: lint types imports tests

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

imports: $(STAMP)
	$(BIN)/lint-imports

tests: $(STAMP)
	$(BIN)/python -m pytest

bench: $(STAMP)
	$(BIN)/python tests/bench/run.py "$$DOCS"

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

stop: $(VENV)/.run
	@$(BIN)/mdmemctl stop

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
