// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// S-boxes and turn memory of a full-round sub-engine: the beats of a state come in a row, pass the
/// S-boxes, and wait in a small memory from which the steps of the matrix read them in any order.
///
/// In a partial round only element 0 passes its S-box; the others take as long.
///
/// Handshake:  none. `start_o` marks the first beat of a round in the cycle in which it is written
///             to the turn memory, with what `round_i` said of the round. Its beats are at the
///             addresses from the number of beats before it on; a read word is there the cycle
///             after.
/// Latency:    `acclmt_timing_pkg::sbox_latency` to `start_o`, one more until a beat can be read.
/// Throughput: one beat a cycle.
module acclmt_full_round_sboxes #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Bits of what is known of a round.
  parameter int unsigned RoundInfoWidth = 8,
  /// Bits of an address of the turn memory.
  parameter int unsigned TurnAddressWidth = 4
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// Forgets every state.
  input logic clear_i,
  /// Goldilocks mode, run-time modulus and exponent; stable while states are inside.
  input logic goldilocks_i,
  input acclmt_pkg::word_t prime_i,
  input acclmt_pkg::alpha_e alpha_i,
  /// Only the first beat of a partial round has an S-box to pass; stable while states are inside.
  input logic sparse_beats_i,
  /// A beat: the first one of its state, of a partial round; what is known of the round.
  input logic valid_i,
  input logic first_i,
  input logic partial_i,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_i,
  input logic [RoundInfoWidth-1:0] round_i,
  /// The first beat of a round is written to the turn memory; what is known of the round.
  output logic start_o,
  output logic partial_o,
  output logic [RoundInfoWidth-1:0] round_o,
  /// Read port of the turn memory.
  input logic read_i,
  input logic [TurnAddressWidth-1:0] read_address_i,
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned Slices = acclmt_pkg::Slices;
  localparam int unsigned TurnDepth = 2 ** TurnAddressWidth;
  localparam int unsigned AtTurn = acclmt_timing_pkg::sbox_latency(int'(Reduction));

  // ---- Control that accompanies a beat ----------------------------------------------------------

  logic valid_at_turn, first_at_turn, partial_at_turn, unused_ahead;
  acclmt_valid_pipe #(
    .Cycles(AtTurn)
  ) u_valid_to_turn (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i,
    .valid_o(valid_at_turn),
    .ahead_o(unused_ahead)
  );
  acclmt_delay #(
    .Width(2 + RoundInfoWidth),
    .Cycles(AtTurn)
  ) u_to_turn (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .data_i({first_i, partial_i, round_i}),
    .data_o({first_at_turn, partial_at_turn, round_o})
  );
  assign start_o = valid_at_turn && first_at_turn;
  assign partial_o = partial_at_turn;

  // ---- S-boxes ----------------------------------------------------------------------------------

  logic [Lanes-1:0][WordWidth-1:0] after_sbox;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_sbox
    logic [Slices-1:0] bypass;
    if (lane == 0) begin : gen_first
      always_comb begin
        bypass = '0;
        if (partial_at_turn) begin
          bypass = first_at_turn ? acclmt_pkg::slices_beside_element_0(goldilocks_i) : '1;
        end
      end
    end else begin : gen_other
      assign bypass = {Slices{partial_at_turn}};
    end
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
      .alpha_i,
      .valid_i(valid_i && (first_i || !(partial_i && sparse_beats_i))),
      .x_i(state_i[lane]),
      .bypass_i(bypass),
      .y_o(after_sbox[lane])
    );
  end

  // ---- Turn memory: from beats in a row to steps of a matrix ------------------------------------

  logic [TurnAddressWidth-1:0] turn_write_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) turn_write_q <= '0;
    else if (clear_i) turn_write_q <= '0;
    else if (valid_at_turn) turn_write_q <= turn_write_q + 1'b1;
  end
  acclmt_mem_1r1w #(
    .Width(Lanes * WordWidth),
    .Depth(TurnDepth)
  ) u_turn (
    .clk_i,
    .memory_config_i,
    .write_enable_i(valid_at_turn),
    .write_address_i(turn_write_q),
    .write_data_i(after_sbox),
    .read_enable_i(read_i),
    .read_address_i(read_address_i),
    .read_data_o(state_o)
  );

`ifndef SYNTHESIS
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, start_o, read_i}))
  else $error("acclmt_full_round_sboxes: a beat, a start or a read is unknown");
  partial_c : cover property (@(posedge clk_i) disable iff (!rst_ni) start_o && partial_o);
  write_meets_read_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      valid_at_turn && read_i);
`endif

endmodule
