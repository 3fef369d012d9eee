# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# What the sub-engines made of hardened blocks have in common; their own files in designs/ name the rows.

# With a fifth of the tracks kept free global routing takes more than twice as many rounds, and with wires chosen
# by their resistance it does not find a legal way for each.
export ROUTING_LAYER_ADJUSTMENT ?= 0.1
export ENABLE_RESISTANCE_AWARE ?= 0
# What is repaired: a hundred paths that are too long behind the clock tree, and slews of some hundred wires that take
# detours through the channels.
export SLEW_MARGIN ?= 30
export SKIP_INCREMENTAL_REPAIR ?= 0
export SKIP_CTS_REPAIR_TIMING ?= 0
export TNS_END_PERCENT ?= 100
include $(ACCLMT_PLACE)/asap7/of_blocks.mk
export CORE_UTILIZATION ?= 40
# Blocks that share a buffer of the clock are no further apart than this.
export CTS_ARGS ?= -sink_clustering_enable -repair_clock_nets -macro_clustering_max_diameter 100
# The tree of a sub-engine takes about as long. Control goes from port to port without a register.
export ACCLMT_CLOCK_LATENCY_PS ?= 700
export ACCLMT_INPUT_SHARE ?= 0.2
export ACCLMT_OUTPUT_SHARE ?= 0.2
