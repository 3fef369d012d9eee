# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Design configuration of OpenROAD-flow-scripts for a module on ASAP7: see ../common.mk.

export PLATFORM = asap7
# Typical corner, 0.70 V and 0 C, as `make area` has it.
export CORNER = TC

export ACCLMT_UNITS_PER_PS = 1
export ACCLMT_DRIVER = BUFx2_ASAP7_75t_R
export ACCLMT_LOAD = 3.898
# The limit of the library's cells, for the inputs of memories and blocks, whose abstracts have none.
export ACCLMT_MAX_SLEW = 320

# Space around the core in um.
export CORE_MARGIN = 2
# The library has no cells against antennas.
export SKIP_ANTENNA_REPAIR = 1
# Of a block in another module: power and wires up to M5, the layers above are that one's.
ACCLMT_HARDENED_LAYER = M5
ACCLMT_HARDENED_PDN = $(PLATFORM_DIR)/openRoad/pdn/BLOCK_grid_strategy.tcl

include $(dir $(DESIGN_CONFIG))../common.mk

export ACCLMT_PERIOD_PS ?= 1250
# Memories and blocks are a few um wide: the 10 um of the platform are too many.
export MACRO_PLACE_HALO ?= 2 2
