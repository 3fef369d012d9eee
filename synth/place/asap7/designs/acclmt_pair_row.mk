# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

export SLEW_MARGIN ?= 30
export SKIP_INCREMENTAL_REPAIR ?= 0
include $(ACCLMT_PLACE)/asap7/of_blocks.mk
ACCLMT_BLOCKS = acclmt_mul acclmt_reduce_constant
export CORE_UTILIZATION ?= 40
export ACCLMT_MACRO_MARGIN ?= 12
# The reduction takes the sum of all lanes.
export ACCLMT_MACRO_ROWS ?= {gen_lane*0* gen_lane*1*} {gen_lane*2* u_reduce*}
export ACCLMT_QUASI_STATIC_INPUTS ?= goldilocks_i prime_i
export ACCLMT_PERIOD_PS ?= 2000
export ACCLMT_CLOCK_LATENCY_PS ?= 400
export ACCLMT_INPUT_SHARE ?= 0.2
export ACCLMT_OUTPUT_SHARE ?= 0.2
