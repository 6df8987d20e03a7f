# `make demo` learns from a shipped table and shows its working; `make test` runs every check.
PYTHON ?= python3
BIN := .venv/bin
KERNELS := $(wildcard src/tallylearn/kernels/*.p* src/tallylearn/kernels/trees/*.p* \
	src/tallylearn/kernels/boosting/*.p*)
KERNEL_TESTS := tests/kernels tests/models/naive_bayes/test_text.py tests/models/glm/test_lms.py \
	tests/tallies/test_scatter.py tests/tallies/test_squares.py tests/test_contract.py tests/models/trees tests/models/boosting
COPIED := src tests examples setup.py pyproject.toml README.md LICENSE
export PIP_DISABLE_PIP_VERSION_CHECK = 1
unexport PYTHONDONTWRITEBYTECODE  # the tests start many processes, each of which would compile again

.PHONY: help browser demo test check docstrings errors notebooks .types .layers .docstrings .tests parity bounds compat lowest processors outside exports bench soak sanitize size sbom wheel clean

help:  ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: .venv/demo  ## install into .venv, learn, score, show the working of one prediction
	@$(BIN)/python examples/demo.py

test: .venv/dev  ## style, types, layers, doctests and tests
	@$(MAKE) --no-print-directory -j2 .types .tests

check: .venv/dev  ## style, types, layers, spelling and public docstrings only
	@$(MAKE) --no-print-directory -j2 .types .layers .docstrings

docstrings: .venv/dev  ## remove the docstrings that are complete from the list of incomplete ones
	$(BIN)/python -m tests.test_docstrings

errors: .venv/dev  ## write docs/errors.md from the source
	$(BIN)/python -m tests.test_errors_page

notebooks: .venv/dev  ## draw the figures of docs/notes, and execute its pages as notebooks in examples/notebooks
	$(BIN)/python -m tests.note_figures
	$(BIN)/python examples/make_notebooks.py

.types:
	$(BIN)/mypy

.layers:
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	$(BIN)/codespell README.md CONTRIBUTING.md CHANGELOG.md docs src examples benchmarks

.docstrings:
	$(BIN)/python -m pytest -n 0 -p no:cacheprovider tests/test_docstrings.py

.tests: .layers  # types are looked at meanwhile, by one processor alone
	$(BIN)/python -m pytest -n 2 --dist worksteal

parity: .venv/dev  ## compare with other programs' results on real tables in ../shared
	@test -d ../shared || { echo "make parity: needs the folder ../shared with the reference results."; exit 1; }
	$(BIN)/python -m pytest -n 2 parity

bounds: .bounds/ready  ## the tests of the kernels, on a build that looks at every index
	cd .bounds && PYTHONPATH=src:tests/bounds ../$(BIN)/python -m pytest -n 2 -p no:unraisableexception \
		tests/bounds/checks.py $(KERNEL_TESTS)

compat: .compat/ready  ## scikit-learn's estimator checks on its version 1.6, in a second environment
	.compat/bin/python -m pytest -n 2 tests/estimators/test_sklearn_checks.py

lowest: .lowest/ready  ## all tests with the lowest versions that pyproject.toml allows
	.lowest/bin/python -m pytest -n 2 tests src

outside: .venv/dev .outside/ready  ## all LaTeX in KaTeX, other packages' tables beside other readers; needs node and those packages
	$(BIN)/python -m outside.latex
	$(BIN)/python -m outside.tables

browser: .venv/dev  ## step pages and reports in real Chromium: controls, what-if, widths, themes, print; needs chromium
	@command -v chromium > /dev/null || command -v google-chrome > /dev/null || \
		{ echo "make browser: needs chromium, such as apt-get install chromium."; exit 1; }
	$(BIN)/python -m pip install --quiet playwright
	$(BIN)/python -m pytest -n 0 browser

exports: .venv/dev  ## exported JavaScript in node, SQL in databases; needs node and PostgreSQL, as root
	@command -v node > /dev/null || { echo "make exports: needs node (18 or newer)."; exit 1; }
	@ls /usr/lib/postgresql/*/bin/initdb > /dev/null || \
		{ echo "make exports: needs PostgreSQL, such as apt-get install postgresql."; exit 1; }
	$(BIN)/python -m pytest -n 2 exports

processors: .venv/dev  ## the tests that calculate, as if on other processors
	$(BIN)/python tests/processors.py

bench: .venv/dev  ## speed beside the peers, as ratios
	@for script in benchmarks/bench_*.py; do $(BIN)/python $$script || exit 1; done

soak: .venv/dev sanitize  ## all combinations of options, many more random tables, forged files, hostile values, 300 kills
	TALLY_SOAK=1 $(BIN)/python -m pytest -n 2 tests

sanitize: .sanitize/ready  ## the tests of the kernels under the address and undefined-behaviour sanitizers
	cd .sanitize && PYTHONPATH=src ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
		LD_PRELOAD="$$(cc -print-file-name=libasan.so) $$(cc -print-file-name=libubsan.so)" \
		../$(BIN)/python -m pytest -p no:xdist $(KERNEL_TESTS)

size:  ## lines of every source file, and the installed size
	@wc -l $$(git ls-files 'src/*.py') | sort -rn
	@sh benchmarks/installed_size.sh $(PYTHON)

sbom: .venv/dev  ## what the tests ran with (constraints.txt), as CycloneDX, into dist/sbom.json
	@mkdir -p dist
	$(BIN)/python -m pip install --quiet cyclonedx-bom
	$(BIN)/cyclonedx-py requirements constraints.txt --output-reproducible --of JSON -o dist/sbom.json

wheel: .venv/dev  ## build a wheel into dist/
	$(BIN)/python -m build --wheel

clean:  ## remove what was built
	rm -rf .venv .compat .lowest .bounds .sanitize .outside build dist src/*.egg-info src/tallylearn/kernels/*.so src/tallylearn/kernels/*/*.so

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

.lowest/ready: pyproject.toml setup.py lowest.txt $(KERNELS)
	$(PYTHON) -m venv .lowest
	.lowest/bin/python -m pip install --quiet --constraint lowest.txt --editable '.[test]'
	@touch $@

# copies of the tree, whose kernels are compiled otherwise; what was compiled there stays
.bounds/ready .sanitize/ready: .venv/dev FORCE
	@mkdir -p $(@D) && find $(@D) \( -name '*.py' -o -name '*.pxd' \) -not -path '$(@D)/build/*' -delete
	@tar -cf - --exclude='*.so' --exclude=__pycache__ $(COPIED) | tar -xf - -C $(@D)
	cd $(@D) && $(FLAVOUR) ../$(BIN)/python setup.py -q build_ext --inplace
	@touch $@
.bounds/ready: FLAVOUR := TALLY_BOUNDSCHECK=1
.sanitize/ready: FLAVOUR := TALLY_SANITIZE=1
FORCE:

.outside/ready: outside/package.json
	@command -v node > /dev/null && command -v npm > /dev/null || \
		{ echo "make outside: needs node (18 or newer) and npm, from https://nodejs.org."; exit 1; }
	@mkdir -p .outside && cp outside/package.json .outside/
	npm install --prefix .outside --no-fund --no-audit --loglevel=error
	@touch $@
