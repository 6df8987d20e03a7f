# `make demo` learns from a shipped table and shows its working; `make test` runs every check.
PYTHON ?= python3
BIN := .venv/bin
KERNELS := $(wildcard src/tallylearn/kernels/*.py)
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: help demo test check parity compat bench soak size wheel clean

help:  ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

demo: .venv/demo  ## install into .venv, learn, score, show the working of one prediction
	@$(BIN)/python examples/demo.py

test: check  ## style, types, layers, doctests and tests
	$(BIN)/python -m pytest -n 2

check: .venv/dev  ## style, types and layers only
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

parity: .venv/dev  ## compare with other programs' results on real tables in ../shared
	@test -d ../shared || { echo "make parity: needs the folder ../shared with the reference results."; exit 1; }
	$(BIN)/python -m pytest -n 2 parity

compat: .compat/ready  ## scikit-learn's estimator checks on its version 1.6, in a second environment
	.compat/bin/python -m pytest -n 2 tests/test_estimators.py

bench: .venv/dev  ## speed beside the peers, as ratios
	@for script in benchmarks/bench_*.py; do $(BIN)/python $$script || exit 1; done

soak: .venv/dev  ## the laws over many more random tables, forged files, hostile values
	TALLY_SOAK=1 $(BIN)/python -m pytest -n 2 tests/test_laws.py tests/test_oracle.py tests/hostile

size:  ## lines of every source file, and the installed size
	@wc -l $$(git ls-files 'src/*.py') | sort -rn
	@sh benchmarks/installed_size.sh $(PYTHON)

wheel: .venv/dev  ## build a wheel into dist/
	$(BIN)/python -m build --wheel

clean:  ## remove what was built
	rm -rf .venv .compat build dist src/*.egg-info src/tallylearn/kernels/*.so

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "tallylearn needs Python 3.11 or newer: make PYTHON=python3.12 demo"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/demo: .venv/bin/python pyproject.toml setup.py $(KERNELS)
	@echo "Installing into .venv (a minute with the downloads) ..."
	@$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/dev: .venv/bin/python pyproject.toml setup.py $(KERNELS)
	@echo "Installing into .venv, with the tools of development (two minutes with the downloads) ..."
	@$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@ .venv/demo

.compat/ready: pyproject.toml setup.py $(KERNELS)
	$(PYTHON) -m venv .compat
	.compat/bin/python -m pip install --quiet --editable '.[test]' 'scikit-learn==1.6.*'
	@touch $@
