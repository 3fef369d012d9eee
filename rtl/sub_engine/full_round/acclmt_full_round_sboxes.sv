// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// S-boxes and turn memory of a full-round sub-engine: the beats of a state come in a row, pass the
/// S-boxes, and wait in a small memory from which the steps of the matrix read them in any order,
/// in pairs: even beats are in one bank, odd ones in the other.
///
/// In a partial round only element 0 passes its S-box, in a pass without S-boxes none, and elements
/// that stand beside the permutation never do; the others take as long.
///
/// With `Store` a pass can store the elements that come, and later passes multiply their powers
/// with them. States go round in their order, and so do the bases of those that have one: a queue.
///
/// With adders a beat that comes out of the S-boxes goes to them, or to the turn memory if its
/// layer is dense, where it may wait for the multipliers; and one may enter behind the S-boxes, for
/// the unit that the other one does not need.
///
/// Handshake:  none. `start_o` marks the first beat of a round in the cycle in which it is written
///             to the turn memory, with what `round_i` said of the round. Its pairs of beats are at
///             the addresses from the number of pairs of beats before it on (a last beat without
///             another one counts as a pair); a read word is there the cycle after.
/// Latency:    `acclmt_timing_pkg::sbox_latency` to `start_o`, one more until a beat can be read.
/// Throughput: one beat a cycle.
module acclmt_full_round_sboxes #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Whether bases can be stored, and whether there are adders.
  parameter bit Store = 1'b1,
  parameter bit Adders = 1'b0,
  /// Bits of what is known of a round.
  parameter int unsigned RoundInfoWidth = 8,
  /// Bits of an address of the turn memory.
  parameter int unsigned TurnAddressWidth = 3,
  /// Whether memories keep parity, see acclmt_memory.
  parameter bit MemoryParity = 1'b0
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// A word that a memory below shows is not the one that was written; one cycle.
  output logic memory_fault_o,
  /// Forgets every state.
  input logic clear_i,
  /// Goldilocks mode and run-time modulus; stable while states are inside.
  input logic goldilocks_i,
  input acclmt_pkg::word_t prime_i,
  /// A beat: its number, whether it is the last one of its state, what the S-boxes make of it, or
  /// of element 0 only, or of as many as have S-boxes, what becomes of its base; what is known of
  /// the round.
  input logic valid_i,
  input acclmt_pkg::beat_t beat_i,
  input logic last_beat_i,
  input acclmt_pkg::sbox_e sbox_i,
  input logic first_only_i,
  input acclmt_pkg::element_count_t sbox_width_i,
  input acclmt_pkg::store_e store_i,
  /// An entry of the table of passes is written, while no state is inside; its index. A place of
  /// the bases is overwritten with it, so that none outlives a table written from end to end.
  input logic sweep_i,
  input acclmt_pkg::index_t sweep_place_i,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_i,
  input logic [RoundInfoWidth-1:0] round_i,
  /// Adders are in use. Whether the layer of a beat is dense then; a beat enters behind the
  /// S-boxes, it enters for a dense layer, is the second one and the last one of its state, and
  /// what is known of its round.
  input logic adders_i,
  input logic dense_i,
  input logic enter_i,
  input logic enter_dense_i,
  input logic enter_beat_i,
  input logic enter_last_beat_i,
  input logic [RoundInfoWidth-1:0] enter_round_i,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] enter_state_i,
  /// A beat for the adders, the second one of its state, and what is known of its round.
  output logic layer_o,
  output logic layer_beat_o,
  output logic [RoundInfoWidth-1:0] layer_round_o,
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] layer_state_o,
  /// The first beat of a round is written to the turn memory; what is known of the round.
  output logic start_o,
  output logic [RoundInfoWidth-1:0] round_o,
  /// A beat as it is written to the turn memory, and its number.
  output logic valid_o,
  output acclmt_pkg::beat_t beat_o,
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] after_sbox_o,
  /// Read port of the turn memory: an even beat, an odd beat.
  input logic [1:0] read_i,
  input logic [TurnAddressWidth-1:0] read_address_i,
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] even_o,
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] odd_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned Slices = acclmt_pkg::Slices;
  localparam int unsigned TurnDepth = 2 ** TurnAddressWidth;
  localparam int unsigned AtTurn = acclmt_timing_pkg::sbox_latency(int'(Reduction));

  // ---- Control that accompanies a beat ----------------------------------------------------------

  localparam int unsigned BeatWidth = acclmt_pkg::BeatWidth;
  localparam int unsigned ElementCountWidth = acclmt_pkg::ElementCountWidth;
  logic valid_at_turn, last_at_turn, unused_ahead;
  acclmt_pkg::beat_t beat_at_turn;
  acclmt_pkg::element_count_t sbox_width_at_turn;
  logic all_at_turn, first_at_turn, dense_at_turn;
  logic [RoundInfoWidth-1:0] round_at_turn;
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
  logic passes;
  assign passes = sbox_i != acclmt_pkg::SboxNone;
  logic to_turn_fault;
  acclmt_delay #(
    .Width(BeatWidth + ElementCountWidth + 4 + RoundInfoWidth),
    .Cycles(AtTurn),
    .MemoryParity(MemoryParity)
  ) u_to_turn (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(to_turn_fault),
    .data_i({beat_i, last_beat_i, sbox_width_i, passes && !first_only_i, passes && first_only_i,
             Adders && dense_i, round_i}),
    .data_o({beat_at_turn, last_at_turn, sbox_width_at_turn, all_at_turn, first_at_turn,
             dense_at_turn, round_at_turn})
  );

  // What goes to the turn memory, and to the adders.
  logic adders, turn_enters;
  logic [Lanes-1:0][WordWidth-1:0] power_at_turn;
  assign adders = Adders && adders_i;
  assign turn_enters = Adders && enter_dense_i;
  assign valid_o = (valid_at_turn && (!adders || dense_at_turn)) || turn_enters;
  assign beat_o = turn_enters ? BeatWidth'(enter_beat_i) : beat_at_turn;
  assign start_o = valid_o && beat_o == '0;
  assign round_o = turn_enters ? enter_round_i : round_at_turn;
  assign after_sbox_o = turn_enters ? enter_state_i : power_at_turn;
  if (Adders) begin : gen_adders
    logic layer_enters;
    assign layer_enters = enter_i && !enter_dense_i;
    assign layer_o = (adders && valid_at_turn && !dense_at_turn) || layer_enters;
    assign layer_beat_o = layer_enters ? enter_beat_i : beat_at_turn[0];
    assign layer_round_o = layer_enters ? enter_round_i : round_at_turn;
    assign layer_state_o = layer_enters ? enter_state_i : power_at_turn;
`ifndef SYNTHESIS
    dense_enters_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        enter_dense_i |-> enter_i)
    else $error("acclmt_full_round_sboxes: a beat is of a dense layer and does not enter");
    one_to_a_unit_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        enter_i && valid_at_turn |-> enter_dense_i != dense_at_turn)
    else $error("acclmt_full_round_sboxes: two beats need a unit in one cycle");
    both_units_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
        enter_i && valid_at_turn);
`endif
  end else begin : gen_no_adders
    assign layer_o = 1'b0;
    assign layer_beat_o = 1'b0;
    assign layer_round_o = '0;
    assign layer_state_o = '0;
    logic unused_enter;
    assign unused_enter = ^{adders_i, dense_i, enter_i, enter_dense_i, enter_beat_i,
                            enter_last_beat_i, enter_round_i, enter_state_i, dense_at_turn};
  end

  // With the operands of the last product: which power it makes.
  localparam int unsigned AtPower = 2 * acclmt_timing_pkg::mod_mul_latency(int'(Reduction));
  logic valid_at_power, valid_ahead;
  logic [2:0] sbox_ahead, sbox_at_power_q;
  logic [1:0] store_ahead, store_at_power_q;
  acclmt_pkg::sbox_e power;
  acclmt_valid_pipe #(
    .Cycles(AtPower)
  ) u_valid_to_power (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i,
    .valid_o(valid_at_power),
    .ahead_o(valid_ahead)
  );
  logic to_power_fault;
  acclmt_delay #(
    .Width(5),
    .Cycles(AtPower - 1),
    .MemoryParity(MemoryParity)
  ) u_to_power (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(to_power_fault),
    .data_i({sbox_i, store_i}),
    .data_o({sbox_ahead, store_ahead})
  );
  always_ff @(posedge clk_i) {sbox_at_power_q, store_at_power_q} <= {sbox_ahead, store_ahead};
  assign power =
      valid_at_power ? acclmt_pkg::sbox_e'(sbox_at_power_q) : acclmt_pkg::SboxSeventh;

  // ---- Bases ------------------------------------------------------------------------------------

  // A base is read with every pass of its state and written back, but for the last one.
  logic [Lanes-1:0][WordWidth-1:0] at_power, base;
  logic bases_fault;
  if (Store) begin : gen_store
    localparam int unsigned Places = acclmt_timing_pkg::places(int'(Reduction));
    localparam int unsigned PlaceWidth = $clog2(Places);
    logic put, keep, read;
    logic [PlaceWidth-1:0] write_q, read_q, sweep_place, sweep_other;
    logic [Lanes*WordWidth-1:0] written;
    // Another place is read, so that the port shows no old base in the end.
    assign sweep_place = sweep_place_i[PlaceWidth-1:0];
    assign sweep_other = {!sweep_place[PlaceWidth-1], sweep_place[PlaceWidth-2:0]};
    always_comb begin
      written = put ? at_power : base;
      if (sweep_i) written = '0;
    end
    logic unused_sweep;
    assign unused_sweep = ^sweep_place_i;
    // What a sweep shows was perhaps never written.
    logic shown_fault;
    if (MemoryParity) begin : gen_parity
      logic base_read_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) base_read_q <= 1'b0;
        else base_read_q <= read;
      end
      assign bases_fault = shown_fault && base_read_q;
    end else begin : gen_no_parity
      assign bases_fault = shown_fault;
    end
    assign put = valid_at_power && store_at_power_q == acclmt_pkg::StorePut;
    assign keep = valid_at_power && store_at_power_q == acclmt_pkg::StoreKeep;
    assign read = valid_ahead && (store_ahead == acclmt_pkg::StoreKeep ||
                                  store_ahead == acclmt_pkg::StoreTake);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        write_q <= '0;
        read_q <= '0;
      end else if (clear_i) begin
        write_q <= '0;
        read_q <= '0;
      end else begin
        if (put || keep) write_q <= write_q + 1'b1;
        if (read) read_q <= read_q + 1'b1;
      end
    end
    acclmt_memory #(
      .Width(Lanes * WordWidth),
      .Depth(Places),
      .MemoryParity(MemoryParity)
    ) u_bases (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .memory_fault_o(shown_fault),
      .write_enable_i(put || keep || sweep_i),
      .write_address_i(sweep_i ? sweep_place : write_q),
      .write_data_i(written),
      .read_enable_i(read || sweep_i),
      .read_address_i(sweep_i ? sweep_other : read_q),
      .read_data_o(base)
    );
    if (Places != 2 ** PlaceWidth) begin : gen_illegal_places
      $error("acclmt_full_round_sboxes: Places = %0d is no power of two", Places);
    end
`ifndef SYNTHESIS
    // Bases that are stored.
    logic [PlaceWidth:0] bases_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) bases_q <= '0;
      else if (clear_i) bases_q <= '0;
      else bases_q <= bases_q + (PlaceWidth + 1)'(put || keep) - (PlaceWidth + 1)'(read);
    end
    base_is_there_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        read && !clear_i |-> bases_q != '0)
    else $error("acclmt_full_round_sboxes: a base is read that is not stored");
    base_has_place_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        put && !clear_i |-> 32'(bases_q) < Places)
    else $error("acclmt_full_round_sboxes: a base is stored and there is no place");
    put_c : cover property (@(posedge clk_i) disable iff (!rst_ni) put);
    keep_c : cover property (@(posedge clk_i) disable iff (!rst_ni) keep);
    put_meets_read_c : cover property (@(posedge clk_i) disable iff (!rst_ni) put && read);
`endif
  end else begin : gen_no_store
    assign base = '0;
    assign bases_fault = 1'b0;
    logic unused_store;
    assign unused_store = ^{at_power, store_at_power_q, valid_ahead, sweep_i, sweep_place_i};
  end

  // ---- S-boxes ----------------------------------------------------------------------------------

  logic [Lanes-1:0] sbox_fault;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_sbox
    logic [Slices-1:0] bypass;
    acclmt_pkg::element_count_t element;
    always_comb begin
      bypass = '1;
      for (int s = 0; s < int'(Slices); s++) begin
        element = ElementCountWidth'(lane) + ElementCountWidth'(Lanes) *
                  (goldilocks_i ? ElementCountWidth'({beat_at_turn[0], 2'(s)})
                                : ElementCountWidth'(beat_at_turn));
        if (all_at_turn && element < sbox_width_at_turn) bypass[s] = 1'b0;
      end
      if (lane == 0 && first_at_turn && beat_at_turn == '0) begin
        bypass = acclmt_pkg::slices_beside_element_0(goldilocks_i);
      end
    end
    acclmt_sbox #(
      .Prime(Prime),
      .Goldilocks(Goldilocks),
      .Reduction(Reduction),
      .Base(Store),
      .Cube(Adders),
      .MemoryParity(MemoryParity)
    ) u_sbox (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .memory_fault_o(sbox_fault[lane]),
      .clear_i,
      .goldilocks_i,
      .prime_i,
      .power_i(power),
      .valid_i,
      .x_i(state_i[lane]),
      .x_o(at_power[lane]),
      .base_i(base[lane]),
      .bypass_i(bypass),
      .y_o(power_at_turn[lane])
    );
  end

  // ---- Turn memory: from beats in a row to steps of a matrix ------------------------------------

  logic [TurnAddressWidth-1:0] turn_write_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) turn_write_q <= '0;
    else if (clear_i) turn_write_q <= '0;
    else if (valid_o && (beat_o[0] || (turn_enters ? enter_last_beat_i : last_at_turn))) begin
      turn_write_q <= turn_write_q + 1'b1;
    end
  end
  logic [1:0][Lanes*WordWidth-1:0] turned;
  logic [1:0] turn_fault;
  for (genvar bank = 0; bank < 2; bank++) begin : gen_turn
    acclmt_memory #(
      .Width(Lanes * WordWidth),
      .Depth(TurnDepth),
      .MemoryParity(MemoryParity)
    ) u_turn (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .memory_fault_o(turn_fault[bank]),
      .write_enable_i(valid_o && beat_o[0] == (bank == 1)),
      .write_address_i(turn_write_q),
      .write_data_i(after_sbox_o),
      .read_enable_i(read_i[bank]),
      .read_address_i(read_address_i),
      .read_data_o(turned[bank])
    );
  end
  assign even_o = turned[0];
  assign odd_o = turned[1];

  assign memory_fault_o = to_turn_fault || to_power_fault || bases_fault || sbox_fault != '0 ||
                          turn_fault != '0;

`ifndef SYNTHESIS
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, start_o, read_i}))
  else $error("acclmt_full_round_sboxes: a beat, a start or a read is unknown");
  partial_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      start_o && !turn_enters && first_at_turn);
  none_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      start_o && !turn_enters && !all_at_turn && !first_at_turn);
  write_meets_read_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      valid_at_turn && read_i != '0);
`endif

endmodule
