# Every target makes .venv if it is missing and installs into it. PYTHON picks the interpreter, 3.11 to 3.13.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadgroup

.PHONY: demo test test-full bench lint format types clean

demo: .venv/installed
	OMP_NUM_THREADS=2 $(BIN)/python -m agentgym.baselines.demo

test: .venv/installed lint
	$(PYTEST) -m "not full and not bench"

test-full: .venv/installed lint types
	$(PYTEST) -m "not bench"

bench: .venv/installed
	OMP_NUM_THREADS=2 $(BIN)/python tests/benchmarks/run.py

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: .venv/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: .venv/installed
	$(BIN)/python tests/typecheck.py

.venv/installed: pyproject.toml setup.py constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) install --quiet -c constraints.txt -e ".[dev]"
	touch $@

clean:
	rm -rf .venv build dist *.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis
