# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

export ACCLMT_CLOCK_LATENCY_PS ?= 400
export CORE_UTILIZATION ?= 50
# As a sub-engine: routed in half the rounds, with slews that are repaired behind that.
include $(ACCLMT_PLACE)/asap7/of_sub_engines.mk
export ACCLMT_MACRO_MARGIN ?= 12
ACCLMT_BLOCKS = acclmt_mul__Goldilocks0
# The product, the quotient of its lower half, and its multiple; beside them, what waits for that: the upper half.
export ACCLMT_MACRO_ROWS ?= {u_product u_quotient} {u_high* u_multiple}
export ACCLMT_QUASI_STATIC_INPUTS ?= prime_i negative_inverse_i
export ACCLMT_PERIOD_PS ?= 1600
