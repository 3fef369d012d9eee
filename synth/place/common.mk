# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# What the design configurations of the libraries share. One configuration serves every module: its name is
# DESIGN_NAME, its netlist the one of `make area`, and LIBRARY/designs/NAME.mk has what it needs beyond.
# OpenROAD-flow-scripts reads it by
#
#   make -C OpenROAD-flow-scripts/flow DESIGN_CONFIG=.../synth/place/asap7/config.mk DESIGN_NAME=acclmt_mul
#
# once `make place` or memories.py has prepared the netlist (docs/place.md). Everything by ?= can be set in
# the environment.

ACCLMT_PLACE := $(abspath $(dir $(lastword $(MAKEFILE_LIST))))
ACCLMT_LIBRARY := $(notdir $(patsubst %/,%,$(dir $(DESIGN_CONFIG))))

export DESIGN_NAME ?= acclmt_hash_engine
export WORK_HOME ?= $(abspath $(ACCLMT_PLACE)/../../target/place)
export FLOW_VARIANT ?= base
# The netlist with its memories named by their sizes, and abstracts of these (memories.py).
ACCLMT_NETLIST = $(WORK_HOME)/netlists/$(ACCLMT_LIBRARY)/$(DESIGN_NAME)
export SYNTH_NETLIST_FILES = $(ACCLMT_NETLIST)/netlist.v
export SDC_FILE = $(ACCLMT_PLACE)/constraints.sdc
# Not to be read from the constraints, which take it from the environment.
export ABC_CLOCK_PERIOD_IN_PS = $(ACCLMT_PERIOD_PS)

export MACRO_PLACEMENT_TCL ?= $(ACCLMT_PLACE)/macros.tcl
# Modules below this one that have a layout of their own; 1 if this one is to be such a block.
ACCLMT_BLOCKS =
ACCLMT_HARDENED =
-include $(ACCLMT_PLACE)/$(ACCLMT_LIBRARY)/designs/$(DESIGN_NAME).mk

# Of the period, what the neighbours take at inputs and at outputs.
export ACCLMT_INPUT_SHARE ?= 0.4
export ACCLMT_OUTPUT_SHARE ?= 0.4
# What the clock needs to the registers of neighbours, where ours has a deep tree.
export ACCLMT_CLOCK_LATENCY_PS ?= 0
# The rows of memories and blocks (macros.tcl).
export ACCLMT_MACRO_ROWS ?=
# Room between them and the edges of the core, in um, for the cells at the ports.
export ACCLMT_MACRO_MARGIN ?= 0
# Inputs of configuration, from which no path is judged.
export ACCLMT_QUASI_STATIC_INPUTS ?=
# The longest wire without a buffer, in um, where slews do not decide (before_resizing.tcl); none if empty.
export ACCLMT_MAX_WIRE_UM ?=
ifneq ($(ACCLMT_MAX_WIRE_UM),)
export PRE_RESIZE_TCL = $(ACCLMT_PLACE)/before_resizing.tcl
endif
# Repairs behind global routing place cells likewise (before_routing.tcl); the step erases the variable.
export ACCLMT_DETAIL_PLACEMENT_ARGS = $(DETAIL_PLACEMENT_ARGS)
export CORE_UTILIZATION ?= 65
export PLACE_DENSITY_LB_ADDON ?= 0.1

ACCLMT_RESULTS_OF = $(WORK_HOME)/results/$(PLATFORM)/$(1)/$(FLOW_VARIANT)/$(1)
export ADDITIONAL_LEFS += $(wildcard $(ACCLMT_NETLIST)/memories.lef) \
  $(foreach block,$(ACCLMT_BLOCKS),$(call ACCLMT_RESULTS_OF,$(block)).lef)
export ADDITIONAL_LIBS += $(wildcard $(ACCLMT_NETLIST)/memories.lib) \
  $(foreach block,$(ACCLMT_BLOCKS),$(call ACCLMT_RESULTS_OF,$(block))_typ.lib)

# A module that is to be a block in another one leaves the upper layers to that.
ifeq ($(ACCLMT_HARDENED),1)
ifdef ACCLMT_HARDENED_LAYER
export MAX_ROUTING_LAYER = $(ACCLMT_HARDENED_LAYER)
export PDN_TCL = $(ACCLMT_HARDENED_PDN)
endif
endif
