# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Start here: `make help`.

PRESET ?= filecoin-arity-2
CARGO ?= cargo
ACCLMT = $(CARGO) run --quiet --release --bin acclmt --
DEMO_DIR = target/demo
DEMO_FILE = $(DEMO_DIR)/elements-8192.bin

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-all lint clean

help: ## List the targets
	@echo "Targets:"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18
	@echo "  make demo FILE=path  The same with any file of yours, packed 31 bytes an element"

setup: ## Install what is missing (g++, Verilator, libclang, zlib), saying what
	@.ci/setup

demo: setup ## Commit to a file of 8192 field elements on the simulated chip
	$(CARGO) build --release --bin acclmt
ifdef FILE
	$(ACCLMT) commit --preset $(PRESET) --pack "$(FILE)"
else
	@mkdir -p $(DEMO_DIR)
	$(ACCLMT) generate --elements 8192 --seed 1 $(DEMO_FILE)
	$(ACCLMT) commit --preset $(PRESET) $(DEMO_FILE)
endif

test: setup ## Run the tests
	$(CARGO) test --workspace

test-all: setup ## Run the tests, the long ones too
	$(CARGO) test --workspace -- --include-ignored

lint: ## Check format, Rust lints, SystemVerilog lints and elaboration
	@.ci/run setup fmt clippy verilator slang yosys

clean: ## Remove what was built
	$(CARGO) clean
