// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Reads the digest out of the final state of a hash: the words that the digest map names, in
/// order. A final state has `digest_beats` beats, the first ones.
///
/// Digest word d is the element with position code d of the map; in Goldilocks mode slice s of word
/// w is the element with code 4w + s, and a code with lane 3 gives 0.
///
/// Handshake:  states: `valid_i` shows a complete state, `take_o` takes a beat. Words: ready/valid.
/// Latency:    3 cycles from a state of one beat to the first word.
/// Throughput: one state in its beats and twice its words in cycles.
module acclmt_digest_reader #(
  /// Parameter sets.
  parameter int unsigned NumSets = 1,
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
  /// Goldilocks mode and parameters of the sets; stable while states are inside.
  input logic goldilocks_i,
  input logic [NumSets*acclmt_pkg::EngineConfigWidth-1:0] configs_i,
  /// Final states.
  input logic valid_i,
  output logic take_o,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_i,
  input acclmt_pkg::tag_t tag_i,
  /// Digest words.
  output logic valid_o,
  input logic ready_i,
  output acclmt_pkg::word_t word_o,
  output logic last_o,
  output acclmt_pkg::tag_t tag_o,
  /// No state is inside.
  output logic idle_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned Slices = acclmt_pkg::Slices;
  localparam int unsigned SliceWidth = acclmt_pkg::SliceWidth;
  localparam int unsigned CodeWidth = acclmt_pkg::PositionCodeWidth;
  localparam int unsigned BeatWidth = acclmt_pkg::BeatWidth;
  localparam logic [1:0] NoLane = acclmt_pkg::NoLane;

  typedef enum logic [1:0] {
    Load,
    Fetch,
    Offer
  } phase_e;
  phase_e phase_d, phase_q;
  logic [BeatWidth-1:0] beat_d, beat_q;
  acclmt_pkg::word_count_t word_d, word_q;
  logic write, read, last_beat, last_word;
  // The parameters of the set of the state that comes, and of the one whose words are read.
  acclmt_pkg::tag_t tag_q;
  acclmt_pkg::engine_config_t of_state, of_words;
  acclmt_set_select #(
    .NumSets(NumSets)
  ) u_state_config (
    .values_i(configs_i),
    .set_i(tag_i[acclmt_pkg::TagSet+:acclmt_pkg::SetWidth]),
    .value_o(of_state)
  );
  acclmt_set_select #(
    .NumSets(NumSets)
  ) u_words_config (
    .values_i(configs_i),
    .set_i(tag_q[acclmt_pkg::TagSet+:acclmt_pkg::SetWidth]),
    .value_o(of_words)
  );
  assign last_beat = beat_q + 1'b1 == of_state.digest_beats;
  assign last_word = word_q + 1'b1 == of_words.digest_words;

  always_comb begin
    phase_d = phase_q;
    beat_d = beat_q;
    word_d = word_q;
    write = 1'b0;
    read = 1'b0;
    valid_o = 1'b0;
    unique case (phase_q)
      Load: begin
        write = beat_q != '0 || valid_i;
        if (write) beat_d = last_beat ? '0 : beat_q + 1'b1;
        if (write && last_beat) phase_d = Fetch;
      end
      Fetch: begin
        read = 1'b1;
        phase_d = Offer;
      end
      Offer: begin
        valid_o = 1'b1;
        if (ready_i) begin
          word_d = last_word ? '0 : word_q + 1'b1;
          phase_d = last_word ? Load : Fetch;
        end
      end
      default: phase_d = Load;
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q <= Load;
      beat_q <= '0;
      word_q <= '0;
    end else if (clear_i) begin
      phase_q <= Load;
      beat_q <= '0;
      word_q <= '0;
    end else begin
      phase_q <= phase_d;
      beat_q <= beat_d;
      word_q <= word_d;
    end
  end
  assign take_o = write;
  assign last_o = last_word;
  assign idle_o = phase_q == Load && beat_q == '0;

  always_ff @(posedge clk_i) begin
    if (write) tag_q <= tag_i;
  end
  assign tag_o = tag_q;

  // Position codes of the elements of this word.
  logic [acclmt_pkg::WordPositionWidth-1:0] code;
  logic [Slices-1:0][CodeWidth-1:0] slice_code;
  assign code = acclmt_pkg::word_position(of_words.digest_map, word_q);
  assign slice_code = acclmt_pkg::slice_codes(of_words.digest_map, word_q[2:0]);

  // Even and odd beats have memories of their own: in Goldilocks mode a word may have elements of
  // both.
  logic [1:0][Lanes*WordWidth-1:0] beat;
  logic [1:0] state_fault;
  for (genvar odd = 0; odd < 2; odd++) begin : gen_beats
    acclmt_memory #(
      .Width(Lanes * WordWidth),
      .Depth(acclmt_pkg::MaxBeats / 2),
      .MemoryParity(MemoryParity)
    ) u_state (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .memory_fault_o(state_fault[odd]),
      .write_enable_i(write && beat_q[0] == 1'(odd)),
      .write_address_i(beat_q[1]),
      .write_data_i(state_i),
      .read_enable_i(read),
      .read_address_i(!goldilocks_i && code[3]),
      .read_data_o(beat[odd])
    );
  end

  // The slice that each lane offers.
  logic [Slices-1:0][Lanes-1:0][SliceWidth-1:0] candidate;
  logic [Slices-1:0] even_is_read, odd_is_read;
  for (genvar s = 0; s < Slices; s++) begin : gen_slice
    logic [1:0] from_slice, from_lane;
    logic from_odd;
    assign from_odd = goldilocks_i ? slice_code[s][4] : code[2];
    assign from_slice = goldilocks_i ? slice_code[s][3:2] : 2'(s);
    assign from_lane = goldilocks_i ? slice_code[s][1:0] : code[1:0];
    assign even_is_read[s] = from_lane != NoLane && !from_odd;
    assign odd_is_read[s] = from_lane != NoLane && from_odd;
    for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
      assign candidate[s][lane] = acclmt_pkg::slice_of(
          from_odd ? beat[1][WordWidth*lane+:WordWidth] : beat[0][WordWidth*lane+:WordWidth],
          from_slice);
    end
    always_comb begin
      case (from_lane)
        2'd0: word_o[SliceWidth*s+:SliceWidth] = candidate[s][0];
        2'd1: word_o[SliceWidth*s+:SliceWidth] = candidate[s][1];
        2'd2: word_o[SliceWidth*s+:SliceWidth] = candidate[s][2];
        default: word_o[SliceWidth*s+:SliceWidth] = '0;
      endcase
    end
  end

  logic unused_bits;
  assign unused_bits = ^{of_state, of_words};

  // The other memory may show what was never written.
  assign memory_fault_o = (state_fault[0] && even_is_read != '0) ||
                          (state_fault[1] && odd_is_read != '0);

`ifndef SYNTHESIS
  word_stable_a : assert property (@(posedge clk_i) disable iff (!rst_ni || clear_i)
      valid_o && !ready_i |=> valid_o && $stable(word_o))
  else $error("acclmt_digest_reader: a word changed before it was taken");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, take_o, valid_o}))
  else $error("acclmt_digest_reader: a handshake is unknown");
  ready_known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_o |-> !$isunknown(ready_i))
  else $error("acclmt_digest_reader: ready_i is unknown");
  waits_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      valid_o && !ready_i);
  several_words_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      valid_o && ready_i && !last_word);
`endif

endmodule
