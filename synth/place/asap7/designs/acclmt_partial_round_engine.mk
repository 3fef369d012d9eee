# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

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
export ACCLMT_MACRO_MARGIN ?= 8
# Blocks that share a buffer of the clock are no further apart than this.
export CTS_ARGS ?= -sink_clustering_enable -repair_clock_nets -macro_clustering_max_diameter 100
# The S-box, in the order of the data, at the bottom, and the products at the top. Between them, where wires have all
# layers, are what every product reads or writes: the constants, and in their middle the queues of the states and of
# the results.
export ACCLMT_MACRO_ROWS ?= \
  {u_sbox/*x_second* u_sbox/u_square u_sbox/gen_reduce*0* u_sbox/u_fourth u_sbox/gen_reduce*1*} \
  {u_sbox/*x_third* u_sbox/*square_third* u_sbox/u_multiply u_sbox/gen_reduce*2* u_sbox/*x_last* u_first_queue* u_reduce*} \
  {u_index_to_constant* u_to_moved* gen_bank*0* gen_bank*1* gen_bank*2* 2 u_queue* 3 u_output* 2 u_sums* \
   gen_bank*3* gen_bank*4* gen_bank*5* gen_bank*6* u_to_product* u_share*} \
  {gen_lane*0* gen_lane*1* gen_lane*2*}
export ACCLMT_QUASI_STATIC_INPUTS ?= memory_config_i goldilocks_i prime_i configs_i num_rounds_i alpha_i grid_i \
  most_beats_i pass_through_i number_i
export ACCLMT_PERIOD_PS ?= 1700
# Its tree takes about as long. Control goes from port to port without a register.
export ACCLMT_CLOCK_LATENCY_PS ?= 700
export ACCLMT_INPUT_SHARE ?= 0.2
export ACCLMT_OUTPUT_SHARE ?= 0.2
