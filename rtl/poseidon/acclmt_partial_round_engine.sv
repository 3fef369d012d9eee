// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Partial-round sub-engine: a segment of sparse partial rounds of the Poseidon permutation.
///
/// A round: S-box on element 0, then the sparse matrix (first row w, first column v, identity
/// elsewhere), then the round constant on element 0:
///
///     x   = s0^5
///     s0' = w0 * x + w1 * s1 + w2 * s2 + k        (one dot product, one reduction)
///     si' = si + vi * x                           (i = 1, 2)
///
/// The pipeline is a loop of `acclmt_pkg::LoopCycles` slots that never stalls: a hash that has
/// rounds left re-enters as it leaves the pipeline; a hash that is done goes to the output buffer,
/// and its slot takes the next hash in the same cycle. A hash enters only while a place is reserved
/// for it in the output buffer. Hashes leave in the order in which they entered.
///
/// Handshake:  ready/valid on both sides; `valid_o` does not depend on `ready_i`. `ready_o` depends
///             on the slot that comes round, not on `valid_i`.
/// Latency:    `num_rounds_i` * LoopCycles + 2; no rounds pass the state on unchanged in 2.
/// Throughput: LoopCycles hashes in LoopCycles * `num_rounds_i` cycles: `num_rounds_i` cycles a
///             hash.
module acclmt_partial_round_engine #(
  /// The modulus.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  /// Rounds whose constants fit, a power of two.
  parameter int unsigned Depth = 64,
  /// Places in the output buffer; at least `acclmt_pkg::LoopCycles` keep the loop full.
  parameter int unsigned OutputPlaces = 64,
  /// Number of this sub-engine in constant writes.
  parameter logic [3:0] Number = 4'd1
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Forgets every hash.
  input logic clear_i,
  /// Rounds of this segment, at most Depth; stable while hashes are inside.
  input acclmt_pkg::round_t num_rounds_i,
  /// Writes of constants: bank 0..2 w, bank 3..4 v1, v2, bank 5 k; index = round.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// State that enters, with its tag.
  input logic valid_i,
  output logic ready_o,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_i,
  input acclmt_pkg::tag_t tag_i,
  /// State that leaves.
  output logic valid_o,
  input logic ready_i,
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_o,
  output acclmt_pkg::tag_t tag_o,
  /// A round is issued in this cycle (performance counter).
  output logic busy_o,
  /// No hash is inside.
  output logic idle_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned TagWidth = acclmt_pkg::TagWidth;
  localparam int unsigned RoundWidth = acclmt_pkg::RoundWidth;
  localparam int unsigned AddressWidth = $clog2(Depth);
  localparam int unsigned Banks = acclmt_pkg::PartialBanks;
  localparam int unsigned BankConstant = Banks - 1;

  if (Depth < 2 || Depth > 128 || Depth != 2 ** AddressWidth) begin : gen_illegal_depth
    $error("acclmt_partial_round_engine: Depth = %0d is no power of two within 2..128", Depth);
  end
  if (OutputPlaces < acclmt_pkg::LoopCycles) begin : gen_illegal_places
    $error("acclmt_partial_round_engine: OutputPlaces = %0d is below the loop's %0d slots",
           OutputPlaces, acclmt_pkg::LoopCycles);
  end

  // ---- The slot that comes round, and what it takes next ----------------------------------------

  logic slot_valid;
  acclmt_pkg::round_t slot_round;
  acclmt_pkg::tag_t slot_tag;
  logic [Lanes-1:0][WordWidth-1:0] slot_state;

  logic pass_through, slot_continues, slot_done, place_available, accept;
  assign pass_through = num_rounds_i == '0;
  assign slot_continues = slot_valid && slot_round != num_rounds_i;
  assign slot_done = slot_valid && slot_round == num_rounds_i;
  assign ready_o = !slot_continues && place_available;
  assign accept = valid_i && ready_o;

  logic issue_valid;
  acclmt_pkg::round_t issue_round;
  acclmt_pkg::tag_t issue_tag;
  logic [Lanes-1:0][WordWidth-1:0] issue_state;
  assign issue_valid = slot_continues || (accept && !pass_through);
  assign issue_round = slot_continues ? slot_round : '0;
  assign issue_tag = slot_continues ? slot_tag : tag_i;
  assign issue_state = slot_continues ? slot_state : state_i;
  assign busy_o = issue_valid;

  // ---- Control that accompanies the data --------------------------------------------------------

  // Constants are read the cycle before they are used.
  localparam int unsigned ReadMatrix = acclmt_pkg::SboxLatency - 1;
  localparam int unsigned ReadConstant = acclmt_pkg::LoopCycles - 2;

  acclmt_pkg::round_t round_at_matrix, round_at_constant, round_at_end;
  acclmt_delay #(
    .Width(RoundWidth),
    .Cycles(ReadMatrix)
  ) u_round_to_matrix (
    .clk_i,
    .rst_ni,
    .data_i(issue_round),
    .data_o(round_at_matrix)
  );
  acclmt_delay #(
    .Width(RoundWidth),
    .Cycles(ReadConstant - ReadMatrix)
  ) u_round_to_constant (
    .clk_i,
    .rst_ni,
    .data_i(round_at_matrix),
    .data_o(round_at_constant)
  );
  acclmt_delay #(
    .Width(RoundWidth),
    .Cycles(acclmt_pkg::LoopCycles - ReadConstant)
  ) u_round_to_end (
    .clk_i,
    .rst_ni,
    .data_i(round_at_constant),
    .data_o(round_at_end)
  );
  assign slot_round = round_at_end + 1'b1;

  acclmt_delay #(
    .Width(TagWidth),
    .Cycles(acclmt_pkg::LoopCycles)
  ) u_tag (
    .clk_i,
    .rst_ni,
    .data_i(issue_tag),
    .data_o(slot_tag)
  );
  logic any_slot;
  acclmt_valid_pipe #(
    .Cycles(acclmt_pkg::LoopCycles)
  ) u_valid (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(issue_valid),
    .valid_o(slot_valid),
    .any_o(any_slot)
  );

  // ---- Constants --------------------------------------------------------------------------------

  logic [Banks-1:0][WordWidth-1:0] constant;
  for (genvar bank = 0; bank < Banks; bank++) begin : gen_bank
    acclmt_mem_1r1w #(
      .Width(WordWidth),
      .Depth(Depth)
    ) u_bank (
      .clk_i,
      .write_enable_i(constant_write_i.valid && constant_write_i.sub_engine == Number &&
                      constant_write_i.bank == acclmt_pkg::BankWidth'(bank)),
      .write_address_i(constant_write_i.index[AddressWidth-1:0]),
      .write_data_i(constant_write_i.data),
      .read_enable_i(any_slot),
      .read_address_i((bank == BankConstant) ? round_at_constant[AddressWidth-1:0]
                                             : round_at_matrix[AddressWidth-1:0]),
      .read_data_o(constant[bank])
    );
  end

  // ---- Datapath ---------------------------------------------------------------------------------

  // Elements 1 and 2 wait while element 0 is in the S-box.
  logic [WordWidth-1:0] x;
  logic [1:0][WordWidth-1:0] waiting;
  acclmt_sbox #(
    .Prime(Prime)
  ) u_sbox (
    .clk_i,
    .rst_ni,
    .x_i(issue_state[0]),
    .bypass_i(1'b0),
    .y_o(x)
  );
  acclmt_delay #(
    .Width(2 * WordWidth),
    .Cycles(acclmt_pkg::SboxLatency)
  ) u_waiting (
    .clk_i,
    .rst_ni,
    .data_i(issue_state[2:1]),
    .data_o(waiting)
  );

  logic [WordWidth-1:0] dot;
  acclmt_dot_product #(
    .Prime(Prime)
  ) u_dot_product (
    .clk_i,
    .element_i({waiting, x}),
    .coefficient_i(constant[2:0]),
    .result_o(dot)
  );
  acclmt_mod_add #(
    .Prime(Prime)
  ) u_add_constant (
    .clk_i,
    .a_i(dot),
    .b_i(constant[BankConstant]),
    .sum_o(slot_state[0])
  );
  for (genvar i = 1; i < Lanes; i++) begin : gen_update
    acclmt_scaled_add #(
      .Prime(Prime)
    ) u_update (
      .clk_i,
      .rst_ni,
      .addend_i(waiting[i-1]),
      .factor_i(x),
      .coefficient_i(constant[Lanes+i-1]),
      .result_o(slot_state[i])
    );
  end

  // ---- Output buffer ----------------------------------------------------------------------------

  logic through;
  assign through = accept && pass_through;
  acclmt_reserved_fifo #(
    .Width(Lanes * WordWidth + TagWidth),
    .Places(OutputPlaces)
  ) u_output (
    .clk_i,
    .rst_ni,
    .clear_i,
    .available_o(place_available),
    .reserve_i(accept),
    .valid_i(slot_done || through),
    .data_i(slot_done ? {slot_tag, slot_state} : {tag_i, state_i}),
    .valid_o,
    .ready_i,
    .data_o({tag_o, state_o}),
    .idle_o
  );

`ifndef SYNTHESIS
  round_in_range_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      slot_valid |-> slot_round <= num_rounds_i)
  else $error("acclmt_partial_round_engine: a hash ran past its last round");
  one_exit_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(slot_done && through))
  else $error("acclmt_partial_round_engine: two hashes leave in one cycle");
  no_write_while_busy_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      constant_write_i.valid |-> idle_o)
  else $error("acclmt_partial_round_engine: a constant was written while hashes were inside");
`endif

endmodule
