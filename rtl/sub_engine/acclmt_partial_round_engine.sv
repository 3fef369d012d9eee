// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Partial-round sub-engine: a segment of sparse partial rounds of the Poseidon permutation.
///
/// A round: S-box on element 0, then the sparse matrix (first row w, first column v, identity
/// elsewhere), then the round constant on element 0:
///
///     x   = sbox(s0)
///     s0' = w0 * x + w1 * s1 + .. + k              (one dot product, one reduction)
///     si' = si + vi * x                            (i = 1, 2, ..)
///
/// A state comes in beats of three elements (in Goldilocks mode one beat of twelve). Its beats
/// follow element 0 through the S-box's delay; the dot product grows beat by beat; the updates
/// leave beat by beat, and wait for the new element 0 in the queue that closes the loop.
///
///     state -> slot -> S-box (element 0)  -+-> dot product ---------> queue of element 0 -+
///               ^      delay (the others) -+-> updates ---> queue of beats ---------------+
///               +------------------------------------------------------------------------+--> out
///
/// The pipeline never stalls: see `acclmt_slot_control`. States leave in the order in which they
/// entered. A segment without rounds passes states through.
///
/// Handshake:  states on both sides: `valid` shows a complete state, `take` takes a beat.
/// Latency:    a round takes `acclmt_timing_pkg::partial_loop_cycles` + beats - 1 cycles, rounded
///             up to the grid.
/// Throughput: one state in `num_rounds_i` * g cycles, where g is the number of beats, and at least
///             2 with x^7.
module acclmt_partial_round_engine #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Beats whose constants fit, a power of two.
  parameter int unsigned Depth = 128
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// Forgets every state.
  input logic clear_i,
  /// Goldilocks mode, run-time modulus, parameters of the hash, and rounds of this segment;
  /// stable while states are inside.
  input logic goldilocks_i,
  input acclmt_pkg::word_t prime_i,
  input acclmt_pkg::engine_config_t config_i,
  input acclmt_pkg::round_t num_rounds_i,
  /// Number of this sub-engine in constant writes; constant.
  input acclmt_pkg::sub_engine_t number_i,
  /// Writes of constants: banks 0..2 w and 3..5 v at index round * beats + beat, bank 6 the
  /// constant of element 0 at index round.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// States that enter, with their tags.
  input logic valid_i,
  output logic take_o,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_i,
  input acclmt_pkg::tag_t tag_i,
  /// States that leave.
  output logic valid_o,
  input logic take_i,
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_o,
  output acclmt_pkg::tag_t tag_o,
  /// The slot of a round is under way (performance counter).
  output logic busy_o,
  /// No state is inside.
  output logic idle_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned SliceWidth = acclmt_pkg::SliceWidth;
  localparam int unsigned TagWidth = acclmt_pkg::TagWidth;
  localparam int unsigned RoundWidth = acclmt_pkg::RoundWidth;
  localparam int unsigned BeatWidth = acclmt_pkg::BeatWidth;
  localparam int unsigned AddressWidth = $clog2(Depth);
  localparam int unsigned Banks = acclmt_pkg::PartialBanks;
  localparam int unsigned BankConstant = Banks - 1;
  localparam int unsigned Places = acclmt_timing_pkg::places(int'(Reduction));
  localparam int unsigned QueueDepth = 16;

  // Cycles after the S-box takes a beat at which something happens to it.
  localparam int unsigned AtMatrix = acclmt_timing_pkg::sbox_latency(int'(Reduction));
  localparam int unsigned AtProduct = AtMatrix + acclmt_latency_pkg::MulLatency;
  localparam int unsigned AtUpdated =
      AtMatrix + acclmt_timing_pkg::mod_mul_latency(int'(Reduction)) +
      acclmt_latency_pkg::AddLatency;
  localparam int unsigned AtDot = AtMatrix + acclmt_timing_pkg::dot_latency(int'(Reduction));
  localparam int unsigned AtEnd = AtDot + acclmt_latency_pkg::AddLatency;

  if (Depth < 4 || Depth > 256 || Depth != 2 ** AddressWidth) begin : gen_illegal_depth
    $error("acclmt_partial_round_engine: Depth = %0d is no power of two within 4..256", Depth);
  end

  // ---- Which state takes the next slot ----------------------------------------------------------

  // One beat a cycle; x^7 takes two cycles a state.
  logic [BeatWidth-1:0] grid;
  assign grid = (config_i.beats == BeatWidth'(1) && config_i.alpha == acclmt_pkg::AlphaSeven)
      ? BeatWidth'(2) : config_i.beats;

  logic queue_valid, queue_complete, queue_last, dot_valid, head_valid, head_take, head_begins_q;
  logic head_done;
  logic [Lanes-1:0][WordWidth-1:0] queue_state, head_state;
  acclmt_pkg::tag_t head_tag;
  acclmt_pkg::round_t head_round;
  logic pass_through, place_available, accept, control_take;
  logic issue, issue_first, issue_last, leave, output_valid;
  assign pass_through = num_rounds_i == '0;

  logic unused_take, unused_accept;
  acclmt_slot_control #(
    .Places(Places)
  ) u_control (
    .clk_i,
    .rst_ni,
    .clear_i,
    .beats_i(config_i.beats),
    .grid_i(grid),
    .head_valid_i(head_valid),
    .head_complete_i(queue_complete),
    .head_last_i(queue_last),
    .head_done_i(head_done),
    .head_spacing_i(acclmt_pkg::BeatWidth'(1)),
    .head_cycles_i(5'(grid)),
    .head_take_o(head_take),
    .new_valid_i({1'b0, valid_i && !pass_through}),
    .new_place_i({1'b0, place_available}),
    .new_spacing_i({2{acclmt_pkg::BeatWidth'(1)}}),
    .new_cycles_i({2{5'(grid)}}),
    .new_take_o({unused_take, control_take}),
    .new_accept_o({unused_accept, accept}),
    .issue_o(issue),
    .first_o(issue_first),
    .last_o(issue_last),
    .exit_o(leave),
    .busy_o
  );

  logic [Lanes-1:0][WordWidth-1:0] issue_state;
  acclmt_pkg::round_t issue_round;
  acclmt_pkg::tag_t issue_tag;
  assign issue_state = control_take ? state_i : head_state;
  assign issue_round = control_take ? '0 : head_round;
  assign issue_tag = control_take ? tag_i : head_tag;

  // The choice of a beat fills a cycle; what it begins comes in the next one.
  logic issue_q, issue_first_q, issue_last_q;
  logic [Lanes-1:0][WordWidth-1:0] issue_state_q;
  acclmt_pkg::round_t issue_round_q;
  acclmt_pkg::tag_t issue_tag_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) issue_q <= 1'b0;
    else issue_q <= issue && !clear_i;
  end
  always_ff @(posedge clk_i) begin
    issue_first_q <= issue_first;
    issue_last_q <= issue_last;
    issue_state_q <= issue_state;
    issue_round_q <= issue_round;
    issue_tag_q <= issue_tag;
  end

  // ---- Control that accompanies a beat ----------------------------------------------------------

  // Index of the matrix constants: round * beats + beat.
  logic [AddressWidth-1:0] index, index_q;
  assign index = issue_first_q ? AddressWidth'(issue_round_q) * AddressWidth'(config_i.beats)
                                   : index_q + 1'b1;
  always_ff @(posedge clk_i) begin
    if (issue_q) index_q <= index;
  end

  // Constants are read the cycle before they are used, if they are.
  logic [AddressWidth-1:0] index_at_read;
  acclmt_delay #(
    .Width(AddressWidth),
    .Cycles(AtMatrix - 1)
  ) u_index (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .data_i(index),
    .data_o(index_at_read)
  );

  logic first_at_matrix, last_at_matrix, first_at_product, last_at_updated;
  acclmt_pkg::round_t round_at_matrix, round_at_constant, round_at_updated;
  acclmt_pkg::tag_t tag_at_matrix, tag_at_updated;
  acclmt_delay #(
    .Width(2 + RoundWidth + TagWidth),
    .Cycles(AtMatrix),
    .RegisterOutput(1'b1)
  ) u_to_matrix (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .data_i({issue_first_q, issue_last_q, issue_round_q, issue_tag_q}),
    .data_o({first_at_matrix, last_at_matrix, round_at_matrix, tag_at_matrix})
  );
  acclmt_delay #(
    .Width(1),
    .Cycles(AtProduct - AtMatrix),
    .RegisterOutput(1'b1)
  ) u_first_to_product (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .data_i(first_at_matrix),
    .data_o(first_at_product)
  );
  acclmt_delay #(
    .Width(1 + RoundWidth + TagWidth),
    .Cycles(AtUpdated - AtMatrix)
  ) u_to_updated (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .data_i({last_at_matrix, round_at_matrix, tag_at_matrix}),
    .data_o({last_at_updated, round_at_updated, tag_at_updated})
  );
  acclmt_delay #(
    .Width(RoundWidth),
    .Cycles(AtDot - 1 - AtMatrix)
  ) u_round_to_constant (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .data_i(round_at_matrix),
    .data_o(round_at_constant)
  );

  logic valid_at_matrix, valid_at_updated, valid_at_end;
  logic matrix_is_next, constant_is_next, unused_ahead;
  acclmt_valid_pipe #(
    .Cycles(AtMatrix)
  ) u_valid_to_matrix (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(issue_q),
    .valid_o(valid_at_matrix),
    .ahead_o(matrix_is_next)
  );
  acclmt_valid_pipe #(
    .Cycles(AtUpdated - AtMatrix)
  ) u_valid_to_updated (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(valid_at_matrix),
    .valid_o(valid_at_updated),
    .ahead_o(unused_ahead)
  );
  acclmt_valid_pipe #(
    .Cycles(AtEnd - AtMatrix),
    .Ahead(AtEnd - AtDot + 1)
  ) u_last_to_end (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(valid_at_matrix && last_at_matrix),
    .valid_o(valid_at_end),
    .ahead_o(constant_is_next)
  );

  // ---- Constants --------------------------------------------------------------------------------

  logic [Banks-1:0][WordWidth-1:0] constant;
  for (genvar bank = 0; bank < Banks; bank++) begin : gen_bank
    acclmt_mem_1r1w #(
      .Width(WordWidth),
      .Depth(Depth)
    ) u_bank (
      .clk_i,
      .memory_config_i,
      .write_enable_i(constant_write_i.valid && constant_write_i.sub_engine == number_i &&
                      constant_write_i.bank == acclmt_pkg::BankWidth'(bank)),
      .write_address_i(constant_write_i.index[AddressWidth-1:0]),
      .write_data_i(constant_write_i.data),
      .read_enable_i((bank == BankConstant) ? constant_is_next : matrix_is_next),
      .read_address_i((bank == BankConstant) ? round_at_constant[AddressWidth-1:0]
                                             : index_at_read),
      .read_data_o(constant[bank])
    );
  end

  // ---- Datapath ---------------------------------------------------------------------------------

  // Element 0 passes the S-box, the others wait as long. In Goldilocks mode element 0 is slice 0 of
  // lane 0.
  logic [Lanes-1:0][WordWidth-1:0] element;
  logic [acclmt_pkg::Slices-1:0] bypass;
  assign bypass = first_at_matrix ? acclmt_pkg::slices_beside_element_0(goldilocks_i) : '1;
  acclmt_sbox #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction)
  ) u_sbox (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .clear_i,
    .goldilocks_i,
    .prime_i,
    .alpha_i(config_i.alpha),
    .valid_i(issue_q && issue_first_q),
    .x_i(issue_state_q[0]),
    .bypass_i(bypass),
    .y_o(element[0])
  );
  acclmt_delay #(
    .Width(2 * WordWidth),
    .Cycles(AtMatrix)
  ) u_waiting (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .data_i(issue_state_q[2:1]),
    .data_o(element[2:1])
  );

  // The power of element 0 is kept for the later beats.
  logic [WordWidth-1:0] x, x_q;
  always_comb begin
    x = x_q;
    if (first_at_matrix) begin
      x = goldilocks_i ? {acclmt_pkg::Slices{element[0][SliceWidth-1:0]}} : element[0];
    end
  end
  always_ff @(posedge clk_i) x_q <= x;

  logic [WordWidth-1:0] dot, new_first;
  logic [Lanes-1:0][acclmt_pkg::ProductWidth-1:0] unused_product;
  logic [acclmt_pkg::Slices-1:0][acclmt_pkg::ChunkWidth-1:0] unused_sum;
  acclmt_dot_product #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .Across(1'b1)
  ) u_dot_product (
    .clk_i,
    .goldilocks_i,
    .prime_i,
    .element_i(element),
    .coefficient_i(constant[Lanes-1:0]),
    .first_i(first_at_product),
    .enable_i('1),
    .product_o(unused_product),
    .sum_o(unused_sum),
    .take_other_i(1'b0),
    .other_i('0),
    .result_o(dot)
  );
  acclmt_mod_add #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction)
  ) u_add_constant (
    .clk_i,
    .goldilocks_i,
    .prime_i,
    .a_i(dot),
    .b_i(constant[BankConstant]),
    .sum_o(new_first)
  );

  logic [Lanes-1:0][WordWidth-1:0] updated;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_update
    acclmt_scaled_add #(
      .Prime(Prime),
      .Goldilocks(Goldilocks),
      .Reduction(Reduction)
    ) u_update (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .goldilocks_i,
      .prime_i,
      .addend_i(element[lane]),
      .factor_i(x),
      .coefficient_i(constant[Lanes+lane]),
      .result_o(updated[lane])
    );
  end

  // ---- The queues that close the loop -----------------------------------------------------------

  // A beat knows the number of its next round, and whether there is one.
  acclmt_pkg::round_t next_round;
  assign next_round = round_at_updated + 1'b1;
  acclmt_beat_fifo #(
    .Width(1 + Lanes * WordWidth + RoundWidth + TagWidth),
    .Depth(QueueDepth)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .clear_i,
    .valid_i(valid_at_updated),
    .last_i(last_at_updated),
    .data_i({next_round == num_rounds_i, next_round, tag_at_updated, updated}),
    .head_valid_o(queue_valid),
    .complete_o(queue_complete),
    .last_o(queue_last),
    .data_o({head_done, head_round, head_tag, queue_state}),
    .take_i(head_take)
  );

  // The new element 0 leaves with the first beat.
  logic [WordWidth-1:0] head_first;
  logic dot_ready;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) head_begins_q <= 1'b1;
    else if (clear_i) head_begins_q <= 1'b1;
    else if (head_take) head_begins_q <= queue_last;
  end
  acclmt_fifo #(
    .Width(WordWidth),
    .Depth(QueueDepth)
  ) u_first_queue (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .clear_i,
    .valid_i(valid_at_end),
    .ready_o(dot_ready),
    .data_i(new_first),
    .valid_o(dot_valid),
    .ready_i(head_take && head_begins_q),
    .data_o(head_first)
  );
  assign head_valid = queue_valid && (dot_valid || !head_begins_q);
  always_comb begin
    head_state = queue_state;
    if (head_begins_q) begin
      head_state[0][SliceWidth-1:0] = head_first[SliceWidth-1:0];
      if (!goldilocks_i) head_state[0] = head_first;
    end
  end

  logic unused_bits;
  assign unused_bits = ^{config_i, round_at_constant};

  // ---- Output buffer ----------------------------------------------------------------------------

  logic [Lanes-1:0][WordWidth-1:0] buffer_state;
  acclmt_pkg::tag_t buffer_tag;
  acclmt_state_buffer #(
    .Places(Places)
  ) u_output (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .clear_i,
    .beats_i(config_i.beats),
    .available_o(place_available),
    .reserve_i(accept),
    .valid_i(leave),
    .last_i(queue_last),
    .state_i(head_state),
    .tag_i(head_tag),
    .valid_o(output_valid),
    .take_i(take_i && !pass_through),
    .state_o(buffer_state),
    .tag_o(buffer_tag),
    .idle_o
  );
  assign take_o = pass_through ? take_i : control_take;
  assign valid_o = pass_through ? valid_i : output_valid;
  assign state_o = pass_through ? state_i : buffer_state;
  assign tag_o = pass_through ? tag_i : buffer_tag;

`ifndef SYNTHESIS
  round_in_range_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      queue_valid && !clear_i |-> head_round <= num_rounds_i)
  else $error("acclmt_partial_round_engine: a state ran past its last round");
  dot_has_room_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_at_end && !clear_i |-> dot_ready)
  else $error("acclmt_partial_round_engine: a new element 0 comes and there is no room");
  no_write_while_busy_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      constant_write_i.valid |-> idle_o)
  else $error("acclmt_partial_round_engine: a constant was written while states were inside");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, take_o, valid_o, take_i}))
  else $error("acclmt_partial_round_engine: a handshake is unknown");
  pass_through_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      pass_through && valid_i && take_i);
  waits_for_element_0_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      queue_valid && head_begins_q && !dot_valid);
  no_place_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i && !pass_through && !place_available);
`else
  logic unused_ready;
  assign unused_ready = dot_ready;
`endif

endmodule
