# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Design configuration of OpenROAD-flow-scripts for a module on IHP SG13G2: see ../common.mk.

export PLATFORM = ihp-sg13g2

export PDN_TCL = $(dir $(DESIGN_CONFIG))pdn.tcl
export ACCLMT_UNITS_PER_PS = 0.001
export ACCLMT_DRIVER = sg13g2_buf_4
export ACCLMT_LOAD = 0.006
# The limit of the library's cells, for the inputs of memories, whose abstracts have none.
export ACCLMT_MAX_SLEW = 2.5074

# Space around a memory in um; the platform has 40.
export MACRO_PLACE_HALO ?= 10 10

include $(dir $(DESIGN_CONFIG))../common.mk

export ACCLMT_PERIOD_PS ?= 10000
