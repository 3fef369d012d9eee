# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

ACCLMT_BLOCKS = acclmt_mul acclmt_sqr acclmt_reduce_constant
export PDN_TCL = $(ACCLMT_PLACE)/asap7/pdn_blocks.tcl
export MAX_ROUTING_LAYER = M9
# Channels between the blocks in which cells find rows: these end 2 um ahead of a block.
export CORE_UTILIZATION ?= 45
export MACRO_PLACE_HALO ?= 6 6
# Not reached in a layout yet: a first attempt.
export ACCLMT_PERIOD_PS ?= 2000
