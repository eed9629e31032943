# maskc. `make help` lists the targets.

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
STDLIB := $$($(BIN)/python -c "import sysconfig; print(sysconfig.get_path('stdlib'))")

.DEFAULT_GOAL := help
.PHONY: help venv run test check slow bench format clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

venv: $(STAMP) ## create .venv and install maskc into it, with everything for development

$(STAMP): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

run: $(STAMP) ## compile Python for the llama3 tokenizer, look at it, verify it on the standard library
	$(BIN)/maskc compile grammars/python.lark --tokenizer llama3
	$(BIN)/maskc inspect python.llama3.maskc
	$(BIN)/maskc verify python.llama3.maskc --corpus "$(STDLIB)"

test: $(STAMP) ## format check, lint, types, tests: what CI runs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2

check: test ## the same as test

slow: $(STAMP) ## the tests with ten times as many random examples
	$(BIN)/pytest -n 2 --hypothesis-profile=slow

bench: $(STAMP) ## time fill, accept and step on json and python
	$(BIN)/python benchmarks/bench.py

format: $(STAMP) ## format the code and fix what lint can fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## remove what was compiled and cached, but not .venv
	rm -rf *.maskc dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find maskc tests -name __pycache__ -prune -exec rm -rf {} +
