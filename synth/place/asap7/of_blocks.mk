# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# What modules made of hardened blocks have in common; their own files in designs/ name the blocks and their rows.

ACCLMT_BLOCKS = acclmt_mul acclmt_sqr acclmt_reduce_constant
export PDN_TCL = $(ACCLMT_PLACE)/asap7/pdn_blocks.tcl
export MAX_ROUTING_LAYER = M9
# Of all tracks, what is kept free; the platform has a quarter.
export ROUTING_LAYER_ADJUSTMENT ?= 0.2
# Channels between the blocks in which cells find rows: these end 2 um ahead of a block.
export MACRO_PLACE_HALO ?= 6 6
# Wires between blocks are long: buffers where they would have more than four fifths of the slew that is allowed, which
# move to the next channel where a wire crosses a block. (With half of it some found no place.) Cells are few beside the
# blocks, so that neither timing nor routing need guide their placement; the repair of single paths, some thousand, would
# take hours. What is left behind global routing, nothing in the S-box, is not repaired.
export SLEW_MARGIN ?= 20
export ACCLMT_MAX_WIRE_UM ?= 150
export DETAIL_PLACEMENT_ARGS ?= -max_displacement {1600 320}
export GPL_TIMING_DRIVEN ?= 0
export GPL_ROUTABILITY_DRIVEN ?= 0
export SKIP_CTS_REPAIR_TIMING ?= 1
export SKIP_LAST_GASP ?= 1
export TNS_END_PERCENT ?= 0
export SKIP_INCREMENTAL_REPAIR ?= 1
