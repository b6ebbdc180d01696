# One command each, from a fresh clone: setup, train, play, test, test-all, docs, bench.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
STAMP := $(VENV)/.setup

.PHONY: setup train play test test-all javascript docs bounds bench gpu

setup: $(STAMP)

# Repeated only when the requirements change. The pins keep every machine on the same versions.
$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install -c constraints.txt -e '.[dev]'
	touch $@

# No shell or pipe around python: Ctrl-C in the terminal goes to it, and make waits until it has saved its checkpoint.
train: setup
	$(RUN) train.py game=doudizhu $(ARGS)

# A table in the browser; ARGS="port=0 browser=false" and the like.
play: setup
	$(RUN) play.py $(ARGS)

# What must pass before a commit. A worker per core, a file of tests to one worker; ARGS="-n0 …" runs them in this process. Types
# are checked beside them: both must pass.
WORKERS := -n auto --maxprocesses 4 --dist loadfile
test: setup
	$(RUN) -m ruff check .
	$(RUN) -m mypy & types=$$!; $(RUN) -m pytest $(WORKERS) $(ARGS); tests=$$?; wait $$types && exit $$tests

# Every test, those that are slow, rare or statistical too.
test-all: setup
	$(RUN) -m pytest $(WORKERS) -m "not gpu" $(ARGS)

# The files of the page, formatted by prettier, which needs node; ARGS=--write formats them.
javascript:
	npx --yes prettier@3.6.2 --print-width 100 --html-whitespace-sensitivity ignore $(or $(ARGS),--check) 'fpmcts/web/static/*.{js,css,html}'

# The documentation site, in docs/_build; a broken link or reference is an error.
docs: setup
	$(RUN) -m pip install -q -c constraints.txt -e '.[docs]'
	$(RUN) -m sphinx -W --keep-going -q docs docs/_build

# The suite once more with numba's bounds checks, in a cache of its own: kernels take several times as long.
bounds: setup
	NUMBA_BOUNDSCHECK=1 XDG_CACHE_HOME=$(CURDIR)/$(VENV)/.bounds $(RUN) -m pytest $(ARGS)

bench: setup
	$(RUN) -m benchmarks $(ARGS)

# On a machine with a GPU, after installing a torch that knows it: the answers are those of the CPU, a run learns, and the rates.
gpu: setup
	$(RUN) -m pytest -m gpu $(ARGS)
	$(RUN) -m benchmarks gpu
