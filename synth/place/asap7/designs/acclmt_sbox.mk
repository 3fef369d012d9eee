# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

include $(ACCLMT_PLACE)/asap7/of_blocks.mk
export CORE_UTILIZATION ?= 50
export CORE_ASPECT_RATIO ?= 1.4
# In the order of the data, from the bottom: x^2, x^4 and the last product, each with its reduction.
export ACCLMT_MACRO_ROWS ?= \
  {*x_second* u_square gen_reduce*0*} \
  {*x_third* *square_third* u_fourth gen_reduce*1*} \
  {*x_last* u_multiply gen_reduce*2*}
export ACCLMT_QUASI_STATIC_INPUTS ?= memory_config_i goldilocks_i prime_i
export ACCLMT_PERIOD_PS ?= 1600
export ACCLMT_CLOCK_LATENCY_PS ?= 400
export ACCLMT_INPUT_SHARE ?= 0.2
export ACCLMT_OUTPUT_SHARE ?= 0.2
