# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

ACCLMT_BLOCKS = acclmt_mul acclmt_sqr acclmt_reduce_constant
export PDN_TCL = $(ACCLMT_PLACE)/asap7/pdn_blocks.tcl
export MAX_ROUTING_LAYER = M9
# Channels between the blocks in which cells find rows: these end 2 um ahead of a block.
export CORE_UTILIZATION ?= 45
export MACRO_PLACE_HALO ?= 6 6
# The S-box, in the order of the data, at the bottom; at the top the products, between the queue of the states and that
# of the results; the constants between them.
export ACCLMT_MACRO_ROWS ?= \
  {u_sbox/*x_second* u_sbox/u_square u_sbox/gen_reduce*0* u_sbox/u_fourth u_sbox/gen_reduce*1*} \
  {u_sbox/*x_third* u_sbox/*square_third* u_sbox/u_multiply u_sbox/gen_reduce*2* u_sbox/*x_last* u_first_queue* u_reduce*} \
  {u_index_to_constant* u_to_moved* gen_bank* u_to_product* u_share*} \
  {u_queue* gen_lane* u_sums* u_output*}
export ACCLMT_QUASI_STATIC_INPUTS ?= memory_config_i goldilocks_i prime_i configs_i num_rounds_i alpha_i grid_i \
  most_beats_i pass_through_i number_i
# Not reached in a layout yet: a first attempt.
export ACCLMT_PERIOD_PS ?= 2000
