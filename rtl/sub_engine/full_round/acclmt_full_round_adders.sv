// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Adders of a full-round sub-engine: a matrix of small integers times a Goldilocks state of one
/// beat, or of up to sixteen elements in two, without multipliers.
///
/// `acclmt_adder_rows` has the digits and makes the rows. Here digits are checked as they are
/// loaded, what is known of a state accompanies it, and constants are added.
///
/// Handshake:  none; a state leaves `Latency` cycles after it enters, one of two beats one cycle
///             later, in order. What the state does next, and the constants, are read through
///             ports.
/// Latency:    `acclmt_latency_pkg::AddersLatency`. Throughput: one beat a cycle.
module acclmt_full_round_adders #(
  /// The modulus of the other mode, and the kind of its reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
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
  /// Number of the sub-engine in constant writes; constant.
  input acclmt_pkg::sub_engine_t number_i,
  /// Writes of constants: bank `acclmt_pkg::AdderBank` at the index of a unit, for the second beat
  /// `acclmt_pkg::AdderWidth` behind it, its entries from the low bits on, each a digit after
  /// another: x, 2x, negative.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// No matrix is loaded any more, but for words that are written in this cycle.
  input logic erase_i,
  /// All rows are loaded, and their digits are legal: those of states of one beat, of two.
  output logic [1:0] loaded_o,
  /// States have two beats; stable while states are inside.
  input logic two_beats_i,
  /// A beat, the second one of its state; what the program says of the state, and its tag.
  input logic valid_i,
  input logic second_i,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_i,
  input acclmt_pkg::pass_label_t label_i,
  input acclmt_pkg::tag_t tag_i,
  /// The constants of a state are read; they are there in the next cycle.
  output logic constant_read_o,
  output acclmt_pkg::index_t constant_address_o,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] constant_i,
  /// The next pass of a state is read, in the cycle before it leaves; whether it is made.
  output logic pass_read_o,
  output logic pass_made_o,
  output acclmt_pkg::pass_index_t pass_o,
  /// A beat of the state after the pass, the last one; what is known of the state.
  output logic valid_o,
  output logic last_o,
  output acclmt_pkg::pass_label_t label_o,
  output acclmt_pkg::tag_t tag_o,
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned TagWidth = acclmt_pkg::TagWidth;
  localparam int unsigned LabelWidth = acclmt_pkg::PassLabelWidth;
  localparam int unsigned Width = acclmt_pkg::AdderWidth;
  localparam int unsigned Words = acclmt_pkg::AdderWords;
  localparam int unsigned Digits = acclmt_pkg::AdderDigits;
  localparam int unsigned DigitWidth = acclmt_pkg::AdderDigitWidth;
  localparam int unsigned EntryWidth = Digits * DigitWidth;
  localparam int unsigned RowWidth = acclmt_pkg::AdderRowWidth;
  localparam int unsigned IndexWidth = acclmt_pkg::IndexWidth;
  localparam int unsigned WordIndexWidth = $clog2(Words);
  localparam int unsigned Latency = acclmt_latency_pkg::AddersLatency;

  // Entries of half a unit; elements, and so rows, of a second beat; units that make one of those.
  localparam int unsigned Columns = Width / 2;
  localparam int unsigned More = acclmt_pkg::AdderMostElements - Width;
  localparam int unsigned Helpers = Width / More;

  // Rows, and the sum with the constants.
  if (Latency != 5 + 1) begin : gen_illegal_latency
    $error("acclmt_full_round_adders: AddersLatency = %0d is not 6", Latency);
  end

  // ---- The matrix -------------------------------------------------------------------------------

  // The word of a unit, and behind those the second ones. A cycle later it counts as loaded.
  logic write, legal, loads_q, legal_q;
  logic [WordIndexWidth-1:0] loads_index_q;
  logic [Words-1:0] loaded_q;
  logic [RowWidth-1:0] row_data;
  assign write = constant_write_i.valid && constant_write_i.sub_engine == number_i &&
                 32'(constant_write_i.bank) == acclmt_pkg::AdderBank;
  assign row_data = constant_write_i.data[RowWidth-1:0];
  // No digit is both x and 2x, and none is where a second word has no element.
  always_comb begin
    legal = constant_write_i.data[WordWidth-1:RowWidth] == '0;
    for (int d = 0; d < int'(Width * Digits); d++) begin
      if (row_data[int'(DigitWidth)*d+:2] == 2'b11) legal = 1'b0;
    end
    for (int unsigned unit = 0; unit < Width; unit++) begin
      if (constant_write_i.index == IndexWidth'(Width + unit)) begin
        for (int unsigned i = 0; i < Columns; i++) begin
          if (i >= More && row_data[EntryWidth*i+:EntryWidth] != '0) legal = 1'b0;
          if (Columns * (unit % Helpers) + i >= Width + More &&
              row_data[EntryWidth*(Columns+i)+:EntryWidth] != '0) begin
            legal = 1'b0;
          end
        end
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      loads_q <= 1'b0;
      loaded_q <= '0;
    end else begin
      loads_q <= write && 32'(constant_write_i.index) < Words;
      if (erase_i) loaded_q <= '0;
      else if (loads_q) loaded_q[loads_index_q] <= legal_q;
    end
  end
  always_ff @(posedge clk_i) begin
    loads_index_q <= constant_write_i.index[WordIndexWidth-1:0];
    legal_q <= legal;
  end
  assign loaded_o = {&loaded_q, &loaded_q[Width-1:0]};

  // ---- Rows -------------------------------------------------------------------------------------

  logic [Lanes-1:0][WordWidth-1:0] residue;
  acclmt_adder_rows u_rows (
    .clk_i,
    .rst_ni,
    .write_i(write),
    .index_i(constant_write_i.index),
    .word_i(row_data),
    .two_beats_i,
    // What a cleared S-box still has in it is no second beat: it would take the sums of the one
    // before it.
    .second_i(valid_i && second_i),
    .state_i,
    .residue_o(residue)
  );

  // ---- Constants --------------------------------------------------------------------------------

  logic adds_q;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    acclmt_mod_add #(
      .Prime(Prime),
      .Goldilocks(1'b1),
      .Reduction(Reduction)
    ) u_add_constant (
      .clk_i,
      .goldilocks_i(1'b1),
      .prime_i('0),
      .a_i(residue[lane]),
      .b_i(adds_q ? constant_i[lane] : '0),
      .sum_o(state_o[lane])
    );
  end

  // ---- Control that accompanies a beat ----------------------------------------------------------

  // A beat of two comes a cycle later.
  localparam int unsigned InfoWidth = 1 + LabelWidth + TagWidth;
  logic valid_q, enters;
  logic [InfoWidth-1:0] info_q, info;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid_i && two_beats_i && !clear_i;
  end
  always_ff @(posedge clk_i) begin
    info_q <= {second_i, label_i, tag_i};
  end
  assign enters = two_beats_i ? valid_q : valid_i;
  assign info = two_beats_i ? info_q : {1'b0, label_i, tag_i};

  // Two cycles before it leaves its constants are read, one cycle before its next pass is.
  logic second_at_constant, second_at_pass_q, second_out_q;
  logic [LabelWidth-1:0] label_at_constant;
  logic [TagWidth-1:0] tag_at_constant;
  acclmt_pkg::pass_label_t of_constant, label_q;
  logic constant_comes, pass_comes_q;
  acclmt_pkg::tag_t tag_q;
  acclmt_valid_pipe #(
    .Cycles(Latency),
    .Ahead(2)
  ) u_valid (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(enters),
    .valid_o,
    .ahead_o(constant_comes)
  );
  acclmt_delay #(
    .Width(InfoWidth),
    .Cycles(Latency - 2),
    .MemoryParity(MemoryParity)
  ) u_label (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o,
    .data_i(info),
    .data_o({second_at_constant, label_at_constant, tag_at_constant})
  );
  assign of_constant = label_at_constant;
  // Nothing is read that is not there: no constant where none is added, no pass behind the last.
  assign constant_read_o = constant_comes && of_constant.add;
  assign constant_address_o = of_constant.constants + IndexWidth'(second_at_constant);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) pass_comes_q <= 1'b0;
    else pass_comes_q <= constant_comes && !clear_i;
  end
  always_ff @(posedge clk_i) begin
    second_at_pass_q <= second_at_constant;
    label_q <= label_at_constant;
    tag_q <= tag_at_constant;
    second_out_q <= second_at_pass_q;
    label_o <= label_q;
    tag_o <= tag_q;
  end
  assign last_o = !two_beats_i || second_out_q;
  assign adds_q = label_q.add;
  assign pass_read_o = pass_comes_q;
  assign pass_made_o = !label_q.leaves;
  assign pass_o = label_q.next;

  logic unused_bits;
  assign unused_bits = ^{of_constant, constant_write_i};

`ifndef SYNTHESIS
  logic before_valid_q;
  always_ff @(posedge clk_i) before_valid_q <= valid_i;
  loaded_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i && !clear_i |-> (two_beats_i ? loaded_o[1] : loaded_o[0]))
  else $error("acclmt_full_round_adders: a state comes and no matrix is loaded");
  first_before_second_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i && second_i && !clear_i |-> two_beats_i && before_valid_q)
  else $error("acclmt_full_round_adders: a second beat comes without the first one");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, write, valid_o, loaded_o}))
  else $error("acclmt_full_round_adders: a state, a write or an end is unknown");
  back_to_back_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i && !second_i && before_valid_q);
  illegal_c : cover property (@(posedge clk_i) disable iff (!rst_ni) write && !legal);
`endif

endmodule
