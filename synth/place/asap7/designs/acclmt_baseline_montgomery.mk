# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Behind global routing slews of some fifty wires are to be repaired, and there are few cells to move for it.
export SLEW_MARGIN ?= 30
export SKIP_INCREMENTAL_REPAIR ?= 0
include $(ACCLMT_PLACE)/asap7/of_blocks.mk
ACCLMT_BLOCKS = acclmt_mul__Goldilocks0
export CORE_UTILIZATION ?= 50
# The product, the quotient of its lower half, and its multiple; beside them, what waits for that: the upper half.
export ACCLMT_MACRO_ROWS ?= {u_product u_quotient} {u_high* u_multiple}
export ACCLMT_QUASI_STATIC_INPUTS ?= prime_i negative_inverse_i
export ACCLMT_PERIOD_PS ?= 1600
export ACCLMT_CLOCK_LATENCY_PS ?= 400
export ACCLMT_INPUT_SHARE ?= 0.2
export ACCLMT_OUTPUT_SHARE ?= 0.2
