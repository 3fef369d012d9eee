// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Full-round sub-engine: the passes of a permutation that its program says, among them full
/// rounds, some partial rounds, and the dense layers around the recurrence of the other partial
/// rounds.
///
/// A pass: a power of all elements, of element 0 or of none, then a matrix, then a vector of
/// constants or none:
///
///     state' = matrix * sbox(state) + k
///
/// Powers with larger exponents are made in several passes: the elements of a pass are stored, and
/// later ones multiply with them.
///
/// A hash can visit it twice: before the partial-round sub-engines and behind them. The last pass
/// of a hash makes the beat of its digest only (`acclmt_full_round_loop`).
///
/// A matrix takes half a multiplication an entry: elements are multiplied in pairs
/// (`acclmt_full_round_rows`).
///
/// Its rooms:
///
///     acclmt_full_round_passes     the program: the table of passes, and whether it can run
///     acclmt_full_round_loop       which state takes the next slot; queue and output buffers
///     acclmt_full_round_sboxes     S-boxes, bases and turn memory
///     acclmt_full_round_pairs      products of the pairs of elements
///     acclmt_full_round_sequencer  steps of the matrix
///     acclmt_full_round_rows       multipliers, their memories, sums and reductions
///     acclmt_full_round_adders     a matrix of small integers, without multipliers (optional)
///
///     state -> slot -> S-boxes -> turn memory -> steps -> reduction -> + k -> queue -+
///               ^          \--> pairs ----------------^                              |
///               +--------------------------------------------------------------------+--> out
///
/// The pipeline never stalls: see `acclmt_slot_control`. States that come for their last visit have
/// precedence over new ones.
///
/// With `Adders`, parameter sets of up to sixteen Goldilocks elements whose matrix is one of small
/// integers can have it made by adders; the multipliers make the dense layers around the recurrence
/// then (`acclmt_adder_control`).
///
/// Handshake:  states on all four ports: `valid` shows a complete state, `take` takes a beat.
/// Latency:    a pass takes `acclmt_timing_pkg::full_loop_cycles` + `skew_i` + steps - 1 cycles
///             until its first beat comes round.
/// Throughput: 1, 2, 3, 6, 8 cycles a pass for t = 2 and 3, 4 and 5, 6, 7 to 9, 10 to 12; with x^7
///             two for each beat at least; in Goldilocks mode 1, 2, 6, 8 for t up to 6, 12, 18, 24;
///             with adders one beat a cycle, and for dense layers a state in 1, 2, 6 cycles.
module acclmt_full_round_engine #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Steps (3 x 3 chunks of matrices) and beats of constant vectors that fit, powers of two.
  parameter int unsigned MatrixDepth = 32,
  parameter int unsigned ConstantDepth = 256,
  /// Whether the elements of a pass can be stored, and whether there are adders.
  parameter bit Store = 1'b1,
  parameter bit Adders = 1'b0,
  /// Visits: the first one, the last one.
  parameter bit [1:0] Visits = 2'b11,
  /// Whether tags say that a state is not final: it goes round once more, with all its beats.
  parameter bit Sponge = 1'b0,
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
  /// Goldilocks mode, run-time modulus, parameters of the sets, and what they have in common
  /// (`acclmt_mixed_timing`); stable while states are inside.
  input logic goldilocks_i,
  input acclmt_pkg::word_t prime_i,
  input logic [NumSets*acclmt_pkg::EngineConfigWidth-1:0] configs_i,
  input acclmt_pkg::beat_t grid_i,
  input acclmt_pkg::beat_t most_beats_i,
  input logic [3:0] skew_i,
  input logic adders_i,
  /// Number of this sub-engine in constant writes; constant.
  input acclmt_pkg::sub_engine_t number_i,
  /// Writes of constants: bank 3 * row + lane for elements of even beats and 9 + 3 * row + lane for
  /// those of odd beats, at the index of the step; bank 18 + lane at the index of the beat of a
  /// constant vector; bank 21 at the index of a pass (`acclmt_pkg::pass_entry`); with adders bank
  /// 22 + lane at the index of a beat of a dense layer, and bank 25 at that of a word of the
  /// adders.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// States of port 0 (first visit) and port 1 (last visit) that enter, with their tags.
  input logic [1:0] valid_i,
  output logic [1:0] take_o,
  input logic [1:0][acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_i,
  input logic [1:0][acclmt_pkg::TagWidth-1:0] tag_i,
  /// States of both ports that leave.
  output logic [1:0] valid_o,
  input logic [1:0] take_i,
  output logic [1:0][acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_o,
  output logic [1:0][acclmt_pkg::TagWidth-1:0] tag_o,
  /// Why the program of a set cannot run, for each set (`acclmt_pkg::program_fault_t`); a
  /// cycle behind the configuration.
  output logic [NumSets-1:0][2:0] faults_o,
  /// The slot of a round is under way (performance counter).
  output logic busy_o,
  /// No state is inside.
  output logic idle_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned MatrixAddressWidth = $clog2(MatrixDepth);
  localparam bit HasAdders = Adders && Goldilocks;
  // Pairs of beats in the turn memory: of rounds that are written, wait for their steps, and are
  // read; with several sets states of one beat may wait longer, and so do those of dense layers.
  localparam int unsigned TurnAddressWidth =
      HasAdders ? $clog2(acclmt_timing_pkg::turn_states(int'(Reduction)))
                : (NumSets == 1) ? 3 : 4;
  localparam int unsigned LabelWidth = acclmt_pkg::PassLabelWidth;
  localparam int unsigned RoundInfoWidth =
      1 + LabelWidth + acclmt_pkg::TagWidth + MatrixAddressWidth;

  logic issue, issue_last_beat, issue_digest;
  acclmt_pkg::beat_t issue_beat;
  acclmt_pkg::pass_entry_t issue_entry;
  acclmt_pkg::pass_label_t issue_label;
  acclmt_pkg::tag_t issue_tag;
  logic [Lanes-1:0][WordWidth-1:0] issue_state;
  logic beat_end, beat_end_last, pass_read, pass_made;
  acclmt_pkg::pass_index_t pass;
  acclmt_pkg::pass_label_t end_label;
  acclmt_pkg::pass_entry_t end_entry;
  acclmt_pkg::tag_t end_tag;
  logic [Lanes-1:0][WordWidth-1:0] end_state;
  logic [1:0][NumSets*acclmt_pkg::PassFirstWidth-1:0] first;
  logic table_write, erase, two_beats;
  logic [1:0] adders_loaded;
  logic [NumSets*acclmt_pkg::PassEntryWidth-1:0] second;
  // The next pass of a beat of the multipliers, and of a state of the adders.
  logic rows_pass_read, rows_pass_made, layer_pass_read, layer_pass_made;
  acclmt_pkg::pass_index_t rows_pass, layer_pass;
  logic adders;
  assign adders = HasAdders && adders_i;
  assign two_beats = adders && most_beats_i != acclmt_pkg::BeatWidth'(1);
  assign pass_read = adders ? layer_pass_read : rows_pass_read;
  assign pass_made = adders ? layer_pass_made : rows_pass_made;
  assign pass = adders ? layer_pass : rows_pass;
  logic passes_fault;
  acclmt_full_round_passes #(
    .MatrixDepth(MatrixDepth),
    .ConstantDepth(ConstantDepth),
    .Store(Store),
    .Adders(HasAdders),
    .Visits(Visits),
    .NumSets(NumSets),
    .MemoryParity(MemoryParity)
  ) u_passes (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(passes_fault),
    .configs_i,
    .number_i,
    .constant_write_i,
    .adders_loaded_i(adders_loaded),
    .first_o(first),
    .second_o(second),
    .faults_o,
    .write_o(table_write),
    .erase_o(erase),
    .read_i(pass_read),
    .made_i(pass_made),
    .pass_i(pass),
    .entry_o(end_entry)
  );

  logic enter, enter_dense, enter_beat, enter_last_beat, layer_end, layer_end_last, dense_start;
  logic may_start;
  acclmt_pkg::pass_label_t enter_label, layer_end_label;
  acclmt_pkg::index_t enter_matrix;
  acclmt_pkg::tag_t enter_tag, layer_end_tag;
  logic [Lanes-1:0][WordWidth-1:0] enter_state, layer_end_state;
  logic loop_fault;
  acclmt_full_round_loop #(
    .Reduction(Reduction),
    .Adders(HasAdders),
    .TurnDepth(2 ** TurnAddressWidth),
    .Sponge(Sponge),
    .NumSets(NumSets),
    .MemoryParity(MemoryParity)
  ) u_loop (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(loop_fault),
    .clear_i,
    .configs_i,
    .first_i(first),
    .grid_i,
    .most_beats_i,
    .adders_i,
    .two_beats_i(two_beats),
    .second_i(second),
    .valid_i,
    .take_o,
    .state_i,
    .tag_i,
    .issue_o(issue),
    .issue_beat_o(issue_beat),
    .issue_last_beat_o(issue_last_beat),
    .issue_entry_o(issue_entry),
    .issue_digest_o(issue_digest),
    .issue_label_o(issue_label),
    .issue_tag_o(issue_tag),
    .issue_state_o(issue_state),
    .dense_start_i(dense_start),
    .may_start_o(may_start),
    .enter_o(enter),
    .enter_dense_o(enter_dense),
    .enter_beat_o(enter_beat),
    .enter_last_beat_o(enter_last_beat),
    .enter_label_o(enter_label),
    .enter_matrix_o(enter_matrix),
    .enter_tag_o(enter_tag),
    .enter_state_o(enter_state),
    .layer_i(layer_end),
    .layer_beat_last_i(layer_end_last),
    .layer_label_i(layer_end_label),
    .layer_tag_i(layer_end_tag),
    .layer_state_i(layer_end_state),
    .end_i(beat_end),
    .end_beat_last_i(beat_end_last),
    .end_label_i(end_label),
    .end_tag_i(end_tag),
    .end_entry_i(end_entry),
    .end_state_i(end_state),
    .valid_o,
    .take_i,
    .state_o,
    .tag_o,
    .busy_o,
    .idle_o
  );

  // The set of a beat says which elements have S-boxes.
  acclmt_pkg::engine_config_t of_issue;
  acclmt_set_select #(
    .NumSets(NumSets)
  ) u_issue_config (
    .values_i(configs_i),
    .set_i(issue_tag[acclmt_pkg::TagSet+:acclmt_pkg::SetWidth]),
    .value_o(of_issue)
  );

  logic start, turn_valid, read, step_valid;
  logic [1:0] turn_read;
  acclmt_pkg::beat_t turn_beat;
  logic [RoundInfoWidth-1:0] turn_info;
  logic [TurnAddressWidth-1:0] turn_address;
  logic [MatrixAddressWidth-1:0] matrix_address;
  logic [Lanes-1:0][WordWidth-1:0] after_sbox, even, odd;
  logic layer, layer_beat;
  logic [RoundInfoWidth-1:0] layer_info;
  logic [Lanes-1:0][WordWidth-1:0] layer_state;
  acclmt_pkg::full_round_step_t step;
  logic sboxes_fault;
  acclmt_full_round_sboxes #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .Store(Store),
    .Adders(HasAdders),
    .RoundInfoWidth(RoundInfoWidth),
    .TurnAddressWidth(TurnAddressWidth),
    .MemoryParity(MemoryParity)
  ) u_sboxes (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(sboxes_fault),
    .clear_i,
    .goldilocks_i,
    .prime_i,
    .valid_i(issue),
    .beat_i(issue_beat),
    .last_beat_i(issue_last_beat),
    .sbox_i(issue_entry.sbox),
    .first_only_i(issue_entry.first),
    .sbox_width_i(of_issue.sbox_width),
    .store_i(issue_entry.store),
    .sweep_i(table_write),
    .sweep_place_i(constant_write_i.index),
    .state_i(issue_state),
    .round_i({issue_digest, issue_label, issue_tag, issue_entry.matrix[MatrixAddressWidth-1:0]}),
    .adders_i,
    .dense_i(issue_label.leaves && !issue_label.last),
    .enter_i(enter),
    .enter_dense_i(enter_dense),
    .enter_beat_i(enter_beat),
    .enter_last_beat_i(enter_last_beat),
    .enter_round_i({1'b0, enter_label, enter_tag, enter_matrix[MatrixAddressWidth-1:0]}),
    .enter_state_i(enter_state),
    .layer_o(layer),
    .layer_beat_o(layer_beat),
    .layer_round_o(layer_info),
    .layer_state_o(layer_state),
    .start_o(start),
    .round_o(turn_info),
    .valid_o(turn_valid),
    .beat_o(turn_beat),
    .after_sbox_o(after_sbox),
    .read_i(turn_read),
    .read_address_i(turn_address),
    .even_o(even),
    .odd_o(odd)
  );

  logic turn_digest;
  logic [LabelWidth-1:0] turn_label;
  acclmt_pkg::tag_t turn_tag;
  logic [MatrixAddressWidth-1:0] turn_matrix;
  assign {turn_digest, turn_label, turn_tag, turn_matrix} = turn_info;

  // The set of a beat says whether its state has pairs.
  acclmt_pkg::engine_config_t of_beat;
  acclmt_set_select #(
    .NumSets(NumSets)
  ) u_config (
    .values_i(configs_i),
    .set_i(turn_tag[acclmt_pkg::TagSet+:acclmt_pkg::SetWidth]),
    .value_o(of_beat)
  );
  logic unused_bits;
  assign unused_bits = ^{of_issue, of_beat, issue_entry, enter_matrix};

  // ---- Adders -----------------------------------------------------------------------------------

  logic layer_read, adders_fault;
  acclmt_pkg::index_t layer_address;
  logic [Lanes-1:0][WordWidth-1:0] layer_constant;
  if (HasAdders) begin : gen_adders
    logic unused_digest;
    logic [LabelWidth-1:0] layer_label;
    acclmt_pkg::tag_t layer_tag;
    logic [MatrixAddressWidth-1:0] unused_matrix;
    assign {unused_digest, layer_label, layer_tag, unused_matrix} = layer_info;
    acclmt_full_round_adders #(
      .Prime(Prime),
      .Reduction(Reduction),
      .MemoryParity(MemoryParity)
    ) u_adders (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .memory_fault_o(adders_fault),
      .clear_i,
      .number_i,
      .constant_write_i,
      .erase_i(erase),
      .loaded_o(adders_loaded),
      .two_beats_i(two_beats),
      .valid_i(layer),
      .second_i(layer_beat),
      .state_i(layer_state),
      .label_i(layer_label),
      .tag_i(layer_tag),
      .constant_read_o(layer_read),
      .constant_address_o(layer_address),
      .constant_i(layer_constant),
      .pass_read_o(layer_pass_read),
      .pass_made_o(layer_pass_made),
      .pass_o(layer_pass),
      .valid_o(layer_end),
      .last_o(layer_end_last),
      .label_o(layer_end_label),
      .tag_o(layer_end_tag),
      .state_o(layer_end_state)
    );
  end else begin : gen_no_adders
    assign adders_fault = 1'b0;
    assign {adders_loaded, layer_read, layer_pass_read, layer_pass_made} = '0;
    assign {layer_end, layer_end_last} = '0;
    assign layer_address = '0;
    assign layer_pass = '0;
    assign layer_end_label = '0;
    assign layer_end_tag = '0;
    assign layer_end_state = '0;
    logic unused_layer;
    assign unused_layer =
        ^{erase, layer, layer_beat, layer_info, layer_state, layer_constant, two_beats};
  end

  logic pairs_take;
  logic [acclmt_pkg::Slices-1:0][acclmt_pkg::ChunkWidth-1:0] pairs;
  logic pairs_fault;
  acclmt_full_round_pairs #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .Adders(HasAdders),
    .TurnDepth(2 ** TurnAddressWidth),
    .NumSets(NumSets),
    .MemoryParity(MemoryParity)
  ) u_pairs (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(pairs_fault),
    .clear_i,
    .goldilocks_i,
    .prime_i,
    .configs_i,
    .adders_i,
    .valid_i(turn_valid && of_beat.pairs && !turn_digest),
    .beat_i(turn_beat),
    .set_i(turn_tag[acclmt_pkg::TagSet+:acclmt_pkg::SetWidth]),
    .state_i(after_sbox),
    .take_i(pairs_take),
    .sum_o(pairs)
  );

  logic sequencer_fault;
  acclmt_full_round_sequencer #(
    .MatrixAddressWidth(MatrixAddressWidth),
    .TurnAddressWidth(TurnAddressWidth),
    .Adders(HasAdders),
    .NumSets(NumSets),
    .MemoryParity(MemoryParity)
  ) u_sequencer (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(sequencer_fault),
    .clear_i,
    .goldilocks_i,
    .configs_i,
    .skew_i,
    .adders_i,
    .may_start_i(may_start),
    .dense_start_o(dense_start),
    .start_i(start),
    .digest_i(turn_digest),
    .label_i(turn_label),
    .tag_i(turn_tag),
    .matrix_i(turn_matrix),
    .read_o(read),
    .turn_read_o(turn_read),
    .turn_address_o(turn_address),
    .matrix_address_o(matrix_address),
    .step_valid_o(step_valid),
    .step_o(step)
  );

  logic rows_fault;
  acclmt_full_round_rows #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .MatrixDepth(MatrixDepth),
    .ConstantDepth(ConstantDepth),
    .Adders(HasAdders),
    .NumSets(NumSets),
    .MemoryParity(MemoryParity)
  ) u_rows (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(rows_fault),
    .clear_i,
    .goldilocks_i,
    .prime_i,
    .configs_i,
    .number_i,
    .constant_write_i,
    .read_i(read),
    .read_address_i(matrix_address),
    .step_valid_i(step_valid),
    .step_i(step),
    .even_i(even),
    .odd_i(odd),
    .pairs_take_o(pairs_take),
    .pairs_i(pairs),
    .adders_i,
    .layer_read_i(layer_read),
    .layer_address_i(layer_address),
    .layer_constant_o(layer_constant),
    .pass_read_o(rows_pass_read),
    .pass_made_o(rows_pass_made),
    .pass_o(rows_pass),
    .valid_o(beat_end),
    .beat_last_o(beat_end_last),
    .label_o(end_label),
    .tag_o(end_tag),
    .state_o(end_state)
  );

  // ---- Faults of memories -----------------------------------------------------------------------

  logic memory_fault, memory_fault_q;
  assign memory_fault = passes_fault || loop_fault || sboxes_fault || adders_fault ||
                        pairs_fault || sequencer_fault || rows_fault;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) memory_fault_q <= 1'b0;
    else memory_fault_q <= memory_fault;
  end
`ifndef SYNTHESIS
  memory_fault_known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown(memory_fault_o))
  else $error("acclmt_full_round_engine: a word that matters was never written");
`endif
  assign memory_fault_o = memory_fault_q;

`ifndef SYNTHESIS
  no_write_while_busy_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      constant_write_i.valid |-> idle_o)
  else $error("acclmt_full_round_engine: a constant was written while states were inside");
`endif

endmodule
