# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Its tree takes 1.5 to 1.8 ns, and less to the blocks, which have trees of their own: in the middle of what inputs and outputs
# have left.
export ACCLMT_CLOCK_LATENCY_PS ?= 1000
# Short paths have this much in hand behind the clock tree: behind global routing a buffer moves wires, and takes half a minute.
export HOLD_SLACK_MARGIN ?= 60
include $(ACCLMT_PLACE)/asap7/of_sub_engines.mk
export CORE_ASPECT_RATIO ?= 0.6
export ACCLMT_MACRO_MARGIN ?= 12
# Three rows of blocks: the S-box of a lane at the left, the dot product of a row at the right. What enters an S-box and
# what leaves it, and the sums of a row, are in the middle of the core, where all lanes meet: between the rows are the queue of
# the states, what waits for the products, and the constants.
acclmt_lane = {u_sboxes.gen_sbox*$(1)*u_sbox/gen_reduce*0* u_sboxes.gen_sbox*$(1)*u_sbox/u_fourth \
  u_sboxes.gen_sbox*$(1)*u_sbox/gen_reduce*1* u_sboxes.gen_sbox*$(1)*u_sbox/*square_third* \
  u_sboxes.gen_sbox*$(1)*u_sbox/*x_third* u_sboxes.gen_sbox*$(1)*u_sbox/*x_second* u_sboxes.gen_sbox*$(1)*u_sbox/u_square \
  u_sboxes.gen_sbox*$(1)*u_sbox/u_multiply u_sboxes.gen_sbox*$(1)*u_sbox/*x_last* \
  u_sboxes.gen_sbox*$(1)*u_sbox/gen_reduce*2* \
  3 u_rows.gen_row*$(1)*u_row/u_reduce* u_rows.gen_row*$(1)*u_row/gen_lane*}
acclmt_banks = $(foreach bank,$(1),u_rows.gen_matrix_bank??$(bank)??.u_bank*)
export ACCLMT_MACRO_ROWS ?= \
  $(call acclmt_lane,0) \
  {u_sboxes.gen_store* 8 u_sboxes.u_to* 6 u_loop.u_queue* 4 u_sboxes.gen_turn* 3 u_rows.u_to* u_rows.gen_constant_bank*0* \
   u_rows.gen_constant_bank*1* 2 $(call acclmt_banks,0 1 2 9 10 11 3 4 5)} \
  $(call acclmt_lane,1) \
  {u_passes* 8 u_loop.gen_output* 4 u_pairs* 2 u_rows.gen_constant_bank*2* 2 $(call acclmt_banks,12 13 14 6 7 8 15 16 17)} \
  $(call acclmt_lane,2)
export ACCLMT_QUASI_STATIC_INPUTS ?= memory_config_i goldilocks_i prime_i configs_i skew_i adders_i number_i
export ACCLMT_PERIOD_PS ?= 2500
