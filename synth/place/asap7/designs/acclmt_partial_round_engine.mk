# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

include $(ACCLMT_PLACE)/asap7/of_sub_engines.mk
export ACCLMT_MACRO_MARGIN ?= 8
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
