# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Start here: `make help`.

PRESET ?= filecoin-arity-2
CARGO ?= cargo
ACCLMT = $(CARGO) run --quiet --release --bin acclmt --
DEMO_DIR = target/demo
OTHER_PRIMES = bls12-377 bn254 pallas vesta starknet
PRIME ?= bn254
PAPER_DIR = target/paper
COVERAGE_DIR = $(CURDIR)/target/coverage
PER_FILE ?= 8
SEED ?= 1
# Of the tests for each mutant, without it.
SECONDS ?= 120
# What has mutants: the core, or what is around it, in the bench of chips with DMA.
DESIGN ?= core
MUTANTS_DIR = $(CURDIR)/target/mutants/$(DESIGN:core=)$(if $(DESIGN:core=),-)$(SEED)-$(PER_FILE)
MUTANTS_OF_core =
MUTANTS_OF_dma = --top acclmt_tb_dma --source synth/mutants/acclmt_tb_build_pkg.sv --source tb/rtl/acclmt_tb_dma_pins.sv \
  --source tb/rtl/acclmt_tb_dma.sv --of rtl/bus --of rtl/crossing --of rtl/dma --of rtl/acclmt_axi_dma.sv
MUTANT_TESTS_core = chip host model zeroisation power_up
MUTANT_TESTS_dma = dma
MUTANT_FILES_core = --records tb/mutants/records.json
MUTANT_FILES_dma = --records tb/mutants/records-dma.json
MUTANTS_PAGE_core = docs/mutants.md
MUTANTS_PAGE_dma = docs/mutants-buses.md
MUTATE = target/venv/bin/python synth/mutants/mutate.py --jobs $(JOBS) --folder $(MUTANTS_DIR)
REPORT_MUTANTS = $(CARGO) run --quiet --package acclmt-mutants -- --mutants $(MUTANTS_DIR)/mutants.json \
  --results $(MUTANTS_DIR)/results.jsonl --json $(MUTANTS_DIR)/report.json $(MUTANT_FILES_$(DESIGN))
# The reference and the model, and a part of their mutants.
REFERENCE = acclmt-poseidon acclmt-merkle acclmt-model
SHARD ?= 7/84
JOBS ?= 2
SMALL_CORE = NumEngines=1 NumPartial=1 Store=0 Adders=0 MaxHeight=8 NodeWords=128
DEMO_FILE = $(DEMO_DIR)/elements-8192.bin

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-all test-prime coverage mutants mutants-rust lint docs area gates prove place energy fpga guest paper results clean

help: ## List the targets
	@echo "Targets:"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18
	@echo "  make demo FILE=path  The same with any file of yours, packed 31 bytes an element"

setup: ## Install what is missing (g++, Verilator, zlib), saying what
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

# The default build with the hash engines of every size, the chip with four of them and that behind its buses with
# one clock, the other large primes, and the run-time modulus.
test-all: setup ## Run the tests, the long ones too, with every large prime and a run-time modulus
	$(CARGO) test --workspace --features acclmt-tb/engines,acclmt-tb/pool,acclmt-tb/axi,acclmt-tb/flips -- --include-ignored
	@set -e; for prime in $(OTHER_PRIMES); do $(MAKE) --no-print-directory test-prime PRIME=$$prime; done
	$(CARGO) test --package acclmt-tb --package acclmt --features acclmt-tb/runtime-modulus

test-prime: setup ## Run the tests of the chip with another large prime: PRIME=bn254
	$(CARGO) test --package acclmt-tb --package acclmt --no-default-features --features acclmt-tb/$(PRIME),acclmt/rtl

# The simulation is built once more, so that it counts.
coverage: setup ## Say what the tests of the RTL reach of its lines, branches, cover properties and bits; docs/coverage.md
	rm -rf $(COVERAGE_DIR)
	mkdir -p $(COVERAGE_DIR)/data
	ACCLMT_COVERAGE=$(COVERAGE_DIR)/data $(CARGO) test --package acclmt-tb --features acclmt-tb/coverage
	$(CARGO) run --quiet --package acclmt-coverage -- --data $(COVERAGE_DIR)/data --json $(COVERAGE_DIR)/report.json \
	  --page docs/coverage.md --check

# The netlist is made once for a sample, the simulation of it built once, and a run that was interrupted goes on. What no
# test has found is compared with the design in the end.
mutants: setup ## Run the tests on mutants of the netlist: [DESIGN=core|dma] [PER_FILE=8] [SEED=1] [SECONDS=120] [JOBS=2]; docs/mutants.md
	@$(if $(MUTANT_TESTS_$(DESIGN)),,echo "mutants: DESIGN is '$(DESIGN)', and not core or dma"; exit 1)
	@.ci/setup --area
	@mkdir -p $(MUTANTS_DIR)
	@test -f $(MUTANTS_DIR)/mutants.json || $(MUTATE) --per-file $(PER_FILE) --seed $(SEED) $(MUTANTS_OF_$(DESIGN))
	@echo "mutants: builds the simulation of the netlist, which takes a while; see $(MUTANTS_DIR)/build.log"
	@ACCLMT_NETLIST=$(MUTANTS_DIR)/netlist.sv $(CARGO) test --package acclmt-tb --features acclmt-tb/netlist \
	  $(MUTANT_TESTS_$(DESIGN):%=--test %) --no-run >$(MUTANTS_DIR)/build.log 2>&1 || { cat $(MUTANTS_DIR)/build.log; exit 1; }
	$(REPORT_MUTANTS) --jobs $(JOBS) $(if $(SECONDS),--seconds $(SECONDS)) \
	  $$(sed -n 's/^ *Executable .* (\(.*\))$$/--test \1/p' $(MUTANTS_DIR)/build.log)
	@$(MUTATE) --compare
	$(REPORT_MUTANTS) --page $(MUTANTS_PAGE_$(DESIGN)) --check

mutants-rust: ## Run the tests of the reference and the model on mutants of them, by cargo-mutants: [SHARD=7/84] [JOBS=2]
	@cargo mutants --version >/dev/null 2>&1 || \
	  { echo "mutants-rust: cargo-mutants is missing; install it: cargo install cargo-mutants --locked --version 27.1.0"; exit 1; }
	cargo mutants $(REFERENCE:%=--package %) --shard $(SHARD) --jobs $(JOBS) --output target/mutants

lint: ## Check format, Rust lints, SystemVerilog lints and elaboration
	@.ci/run setup fmt clippy verilator slang yosys

docs: ## Build the book of docs/ into target/book, and refuse dead links
	@.ci/setup --docs
	@.ci/book

# LIB=asap7 and LIB=sg13g2 take the Liberty files from the folders ASAP7_DIR and SG13G2_DIR.
area: ## Area and timing: [LIB=generic|asap7|sg13g2] [TOP=module] [JOBS=2]; synth/README.md
	@.ci/setup --area $(if $(filter-out generic,$(LIB)),--timing)
	@ASAP7_DIR="$(ASAP7_DIR)" SG13G2_DIR="$(SG13G2_DIR)" target/venv/bin/python synth/area.py \
	  --library $(or $(LIB),generic) --jobs $(JOBS) $(if $(TOP),--top $(TOP)) && \
	  $(if $(TOP),true,target/venv/bin/python synth/area_page.py)

# The netlists are those of `make area`; what is not there yet is synthesised.
gates: ## Simulate netlists and prove equivalences: LIB=generic|asap7|sg13g2 [BLOCKS=names] [QUICK=1]; docs/gates.md
	@.ci/setup --area $(if $(filter-out generic,$(LIB)),--timing)
	@ASAP7_DIR="$(ASAP7_DIR)" SG13G2_DIR="$(SG13G2_DIR)" target/venv/bin/python synth/gates/gates.py \
	  --library $(or $(LIB),generic) --jobs $(JOBS) $(if $(BLOCKS),--blocks $(BLOCKS)) $(if $(QUICK),--quick) \
	  --json target/gates/$(or $(LIB),generic).json

# The figures of CPUs are measured here and now: let the machine rest meanwhile.
paper: setup ## Repeat the evaluation of the AcclMT paper, with hashers of a CPU beside it: target/paper/report.html
	@mkdir -p $(PAPER_DIR)
	$(CARGO) build --release --bin acclmt
	$(CARGO) run --release --manifest-path sim-rs/bench-peers/Cargo.toml -- --json >$(PAPER_DIR)/peers.partial
	@mv $(PAPER_DIR)/peers.partial $(PAPER_DIR)/peers.json
	@rm -rf $(PAPER_DIR)/engines
	$(CARGO) run --release --package acclmt-tb --features dma_utilisation --bin dma_utilisation \
	  >$(PAPER_DIR)/dma.partial
	@mv $(PAPER_DIR)/dma.partial $(PAPER_DIR)/dma.json
	$(ACCLMT) sweep docs/examples/paper.toml --backend model --out $(PAPER_DIR)/engines
	$(ACCLMT) bench paper --out $(PAPER_DIR) --peers $(PAPER_DIR)/peers.json --dma $(PAPER_DIR)/dma.json \
	  --label "$$(git describe --always --dirty)"

results: paper ## Write the results of `make paper` into the book, as docs/results.md
	$(ACCLMT) report $(PAPER_DIR) --markdown docs/results.md

prove: ## Prove what buses, crossings, control and arithmetic blocks promise, and find planted faults; docs/proofs.md
	@.ci/setup --area
	@target/venv/bin/python synth/protocol/protocol.py
	@target/venv/bin/python synth/protocol/crossing.py
	@target/venv/bin/python synth/proofs/control.py
	@target/venv/bin/python synth/proofs/arithmetic.py
	@target/venv/bin/python synth/front_ends.py $(SMALL_CORE:%=--parameter %)
	@target/venv/bin/python synth/front_ends.py --top acclmt_hash_engine --parameter Goldilocks=0
	@target/venv/bin/python synth/front_ends.py --top acclmt_hash_engine --parameter Reduction=1 --parameter NumFull=2 \
	  --parameter MemoryParity=1

# ORFS_DIR names a clone of OpenROAD-flow-scripts. NETLIST, PERIOD_PS and UTILIZATION are optional.
place: ## Place and route a module by OpenROAD-flow-scripts: LIB=asap7|sg13g2 TOP=module; docs/place.md
	@python3 synth/place/place.py --library "$(or $(LIB),asap7)" --top "$(or $(TOP),acclmt_hash_engine)" \
	  $(if $(NETLIST),--netlist "$(NETLIST)") $(if $(PERIOD_PS),--period-ps "$(PERIOD_PS)") \
	  $(if $(UTILIZATION),--utilization "$(UTILIZATION)")

# Opt-in: it skips, with a reason, where OpenROAD or a layout of `make place` is missing.
energy: ## Energy of the arithmetic blocks, by simulated activity on their layouts: LIB=asap7|sg13g2; docs/energy.md
	@.ci/setup --area --timing
	@ASAP7_DIR="$(ASAP7_DIR)" SG13G2_DIR="$(SG13G2_DIR)" target/venv/bin/python synth/energy/energy.py \
	  --library $(or $(LIB),asap7)

fpga: ## Count LUTs, DSPs, FFs and BRAM of an FPGA: [FAMILY=xcup|ecp5] [TOP=module] [PARAMETERS="N=1 ..."] [ROUTE=1]; docs/fpga.md
	@.ci/setup --area
	@$(if $(ROUTE),target/venv/bin/pip install --quiet --disable-pip-version-check -r synth/fpga/requirements.txt)
	@target/venv/bin/python synth/fpga/fpga.py --family $(or $(FAMILY),xcup) --jobs $(JOBS) \
	  $(if $(TOP),--top $(TOP)) $(foreach value,$(PARAMETERS),--parameter $(value)) $(if $(ROUTE),--route)

# Opt-in: it skips, with a reason, where the guest cannot run.
guest: setup ## Commit to a file in a Linux guest under QEMU, whose PCI device is the simulated chip; docs/guest.md
	@.ci/guest

clean: ## Remove what was built
	$(CARGO) clean
