// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Poseidon hash engine: one or two full-round sub-engines and `NumPartial` partial-round
/// sub-engines in a ring.
///
///     NumFull = 1:
///     words -> initial state -> full-round -> partial 1 -> .. -> partial N -> exit -+
///                               ^                                                   |
///                    digest <---+---------------------------------------------------+
///
///     NumFull = 2:
///     words -> initial state -> full-round -> partial 1 -> .. -> partial N -> exit -+
///                                                                                   |
///                                                           digest <- full-round <--+
///
/// The exit makes residues of the sums with which the partial rounds end (`acclmt_sum_reduction`).
/// Without a recurrence there are none: states pass the partial-round sub-engines and the exit by
/// one wire.
/// Every sub-engine loops over the rounds of its own segment, so that all of them work on different
/// hashes at the same time. The host chooses the segments such that the longest is as short as
/// possible (docs/architecture.md, "Segments").
///
/// The engine can have several parameter sets; the tag of a hash names its own. Hashes of all sets
/// go round together, each slot of a sub-engine taken by whichever comes: nothing drains where the
/// set changes. Sets in use have one exponent, and rounds on the same sub-engines.
///
/// Handshake:  words of both sides: ready/valid, the tag with the first word of a hash. Digests of
///             a set leave in the order of their inputs, with their tags; sets overtake each other.
/// Latency:    rounds of the hash * loop cycles, and about ten cycles for each sub-engine.
/// Throughput: the longest segment: one hash in
///             max((RF1 + RF2 + p0) * f + l, p1 * g, .., pN * g) cycles if NumFull = 1, with f, l
///             and g cycles a round of a full-round sub-engine (one of them is the layer behind the
///             recurrence), the last full round, and a round of a partial-round sub-engine; at
///             most one word in and one in two cycles out. With several sets the sum over the
///             hashes of what they take each.
module acclmt_hash_engine #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Full-round and partial-round sub-engines.
  parameter int unsigned NumFull = 1,
  parameter int unsigned NumPartial = 4,
  /// Steps of matrices and beats of constant vectors of a full-round sub-engine.
  parameter int unsigned MatrixDepth = 32,
  parameter int unsigned ConstantDepth = 256,
  /// Beats of the matrices of a partial-round sub-engine.
  parameter int unsigned PartialDepth = 128,
  /// Whether full-round sub-engines can store the elements of a pass, for exponents that are made
  /// in several passes.
  parameter bit Store = 1'b1,
  /// Whether full-round sub-engines make layers of small integers by adders, in Goldilocks mode.
  parameter bit Adders = 1'b1,
  /// Whether the engine hashes rows of blocks: states go round once more for each block.
  parameter bit Sponge = 1'b0,
  /// Parameter sets, whose hashes are mixed.
  parameter int unsigned NumSets = 1,
  /// Whether memories keep parity, see acclmt_memory.
  parameter bit MemoryParity = 1'b0
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// A word that a memory below shows is not the one that was written; one cycle. Engine 0.
  output acclmt_pkg::memory_fault_t memory_fault_o,
  /// Forgets every hash.
  input logic clear_i,
  /// Goldilocks mode, run-time modulus, parameters of the sets, set 0 in the low bits, and the sets
  /// in use; stable while hashes are inside.
  input logic goldilocks_i,
  input acclmt_pkg::word_t prime_i,
  input logic [NumSets*acclmt_pkg::EngineConfigWidth-1:0] configs_i,
  input logic [NumSets-1:0] sets_i,
  /// Writes of constants.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// Input words, residues, with their block, whose last word `block_end` marks. Without `Sponge`
  /// every block begins a hash.
  input logic valid_i,
  output logic ready_o,
  input acclmt_pkg::word_t word_i,
  input acclmt_pkg::block_t block_i,
  input logic block_end_i,
  input acclmt_pkg::tag_t tag_i,
  /// Digest words, residues.
  output logic valid_o,
  input logic ready_i,
  output acclmt_pkg::word_t word_o,
  output logic last_o,
  output acclmt_pkg::tag_t tag_o,
  /// A permutation begins (performance counter).
  output logic begun_o,
  /// The slot of a round is under way: bit 0 first full-round, bit i partial-round i, bit 7 second
  /// full-round sub-engine.
  output logic [acclmt_pkg::MaxSubEngines-1:0] busy_o,
  /// Why the program of a set in use cannot run, of the first such set; a cycle behind the
  /// configuration.
  output acclmt_pkg::program_fault_t program_fault_o,
  output acclmt_pkg::set_t program_fault_set_o,
  /// No hash is inside.
  output logic idle_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned LaneWidth = acclmt_pkg::LaneWidth;
  localparam int unsigned TagWidth = acclmt_pkg::TagWidth;
  localparam int unsigned FaultWidth = 3;
  localparam int unsigned MaxSubEngines = acclmt_pkg::MaxSubEngines;
  localparam int unsigned MaxNumPartial = acclmt_pkg::MaxNumPartial;
  localparam int unsigned Second = MaxSubEngines - 1;

  if (NumFull < 1 || NumFull > acclmt_pkg::MaxNumFull) begin : gen_illegal_num_full
    $error("acclmt_hash_engine: NumFull = %0d is not within 1..%0d", NumFull,
           acclmt_pkg::MaxNumFull);
  end
  if (NumPartial < 1 || NumPartial > acclmt_pkg::MaxNumPartial) begin : gen_illegal_num_partial
    $error("acclmt_hash_engine: NumPartial = %0d is not within 1..%0d", NumPartial,
           acclmt_pkg::MaxNumPartial);
  end

  // ---- Parameters of the sets -------------------------------------------------------------------

  localparam int unsigned ConfigWidth = acclmt_pkg::EngineConfigWidth;
  localparam int unsigned RoundWidth = acclmt_pkg::RoundWidth;

  acclmt_pkg::alpha_e alpha;
  acclmt_pkg::beat_t full_grid, partial_grid, most_beats;
  logic [3:0] skew;
  logic no_recurrence, adders;
  acclmt_mixed_timing #(
    .NumSets(NumSets)
  ) u_timing (
    .configs_i,
    .sets_i,
    .goldilocks_i(Goldilocks && goldilocks_i),
    .alpha_o(alpha),
    .full_grid_o(full_grid),
    .partial_grid_o(partial_grid),
    .most_beats_o(most_beats),
    .skew_o(skew),
    .no_recurrence_o(no_recurrence),
    .adders_o(adders)
  );

  // Rounds of each set on each partial-round sub-engine; one on which no set in use has any is a
  // wire.
  logic [MaxNumPartial:1][NumSets*RoundWidth-1:0] partial_rounds;
  logic [NumSets-1:0][MaxNumPartial:1] has_rounds;
  logic [MaxNumPartial:1] pass_through;
  for (genvar set = 0; set < NumSets; set++) begin : gen_set
    acclmt_pkg::engine_config_t of_set;
    assign of_set = configs_i[ConfigWidth*set+:ConfigWidth];
    for (genvar i = 1; i <= MaxNumPartial; i++) begin : gen_sub_engine
      assign partial_rounds[i][RoundWidth*set+:RoundWidth] = of_set.partial_rounds[i-1];
      assign has_rounds[set][i] = sets_i[set] && of_set.partial_rounds[i-1] != '0;
    end
    if ($bits(of_set) != ConfigWidth) begin : gen_illegal_width
      $error("acclmt_hash_engine: EngineConfigWidth = %0d is not %0d, the bits of a configuration",
             ConfigWidth, $bits(of_set));
    end
    logic unused_bits;
    assign unused_bits = ^of_set;
  end
  always_comb begin
    pass_through = '1;
    for (int set = 0; set < int'(NumSets); set++) begin
      pass_through = pass_through & ~has_rounds[set];
    end
  end
  logic unused_rounds;
  assign unused_rounds = ^{partial_rounds, pass_through};

  // ---- Initial state ----------------------------------------------------------------------------

  logic start_valid, start_take, loader_idle;
  logic [Lanes-1:0][WordWidth-1:0] start_state;
  acclmt_pkg::tag_t start_tag;
  logic final_valid, final_take, back_valid, back_take;
  logic [Lanes-1:0][WordWidth-1:0] final_state;
  acclmt_pkg::tag_t final_tag;
  logic loader_fault;
  acclmt_state_loader #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .Sponge(Sponge),
    .NumSets(NumSets),
    .MemoryParity(MemoryParity)
  ) u_loader (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(loader_fault),
    .clear_i,
    .goldilocks_i,
    .prime_i,
    .configs_i,
    .constant_write_i,
    .valid_i,
    .ready_o,
    .word_i,
    .block_i,
    .block_end_i,
    .tag_i,
    .back_valid_i(back_valid),
    .back_take_o(back_take),
    .back_state_i(final_state),
    .back_tag_i(final_tag),
    .valid_o(start_valid),
    .take_i(start_take),
    .state_o(start_state),
    .tag_o(start_tag),
    .begun_o,
    .idle_o(loader_idle)
  );

  // ---- The ring: link 0 leaves the first full-round sub-engine, link i partial-round i ----------

  logic [NumPartial:0] link_valid, link_take;
  logic [NumPartial:0][Lanes-1:0][LaneWidth-1:0] link_state;
  logic [NumPartial:0][TagWidth-1:0] link_tag;
  logic [Lanes-1:0][WordWidth-1:0] first_state, exit_state;
  logic exit_valid, exit_take, exit_idle, first_take;
  acclmt_pkg::tag_t exit_tag;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_first_lane
    assign link_state[0][lane] = LaneWidth'(first_state[lane]);
  end
  logic [MaxSubEngines-1:0] sub_engine_idle, sub_engine_fault;
  logic [NumSets-1:0][FaultWidth-1:0] faults;

  if (NumFull == 1) begin : gen_one_full
    acclmt_full_round_engine #(
      .Prime(Prime),
      .Goldilocks(Goldilocks),
      .Reduction(Reduction),
      .MatrixDepth(MatrixDepth),
      .ConstantDepth(ConstantDepth),
      .Store(Store),
      .Adders(Adders),
      .Sponge(Sponge),
      .NumSets(NumSets),
      .MemoryParity(MemoryParity)
    ) u_full (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .memory_fault_o(sub_engine_fault[0]),
      .clear_i,
      .goldilocks_i,
      .prime_i,
      .configs_i,
      .grid_i(full_grid),
      .most_beats_i(most_beats),
      .skew_i(skew),
      .adders_i(adders),
      .number_i('0),
      .constant_write_i,
      .valid_i({exit_valid, start_valid}),
      .take_o({exit_take, start_take}),
      .state_i({exit_state, start_state}),
      .tag_i({exit_tag, start_tag}),
      .valid_o({final_valid, link_valid[0]}),
      .take_i({final_take, first_take}),
      .state_o({final_state, first_state}),
      .tag_o({final_tag, link_tag[0]}),
      .faults_o(faults),
      .busy_o(busy_o[0]),
      .idle_o(sub_engine_idle[0])
    );
    assign busy_o[Second] = 1'b0;
    assign sub_engine_idle[Second] = 1'b1;
    assign sub_engine_fault[Second] = 1'b0;
  end else begin : gen_two_full
    // The first one has no last visit, the second one no first visit.
    logic unused_first_valid, unused_first_take, unused_second_valid, unused_second_take;
    logic [Lanes*WordWidth-1:0] unused_first_state, unused_second_state;
    acclmt_pkg::tag_t unused_first_tag, unused_second_tag;
    // Of a set that of the first one, or else that of the second one.
    logic [NumSets*FaultWidth-1:0] first_faults, second_faults;
    for (genvar set = 0; set < NumSets; set++) begin : gen_fault
      logic [FaultWidth-1:0] first_fault;
      assign first_fault = first_faults[FaultWidth*set+:FaultWidth];
      assign faults[set] = (first_fault != acclmt_pkg::ProgramSound)
          ? first_fault : second_faults[FaultWidth*set+:FaultWidth];
    end
    acclmt_full_round_engine #(
      .Prime(Prime),
      .Goldilocks(Goldilocks),
      .Reduction(Reduction),
      .MatrixDepth(MatrixDepth),
      .ConstantDepth(ConstantDepth),
      .Store(Store),
      .Adders(Adders),
      .Visits(2'b01),
      .NumSets(NumSets),
      .MemoryParity(MemoryParity)
    ) u_first (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .memory_fault_o(sub_engine_fault[0]),
      .clear_i,
      .goldilocks_i,
      .prime_i,
      .configs_i,
      .grid_i(full_grid),
      .most_beats_i(most_beats),
      .skew_i(skew),
      .adders_i(adders),
      .number_i('0),
      .constant_write_i,
      .valid_i({1'b0, start_valid}),
      .take_o({unused_first_take, start_take}),
      .state_i({start_state, start_state}),
      .tag_i({start_tag, start_tag}),
      .valid_o({unused_first_valid, link_valid[0]}),
      .take_i({1'b0, first_take}),
      .state_o({unused_first_state, first_state}),
      .tag_o({unused_first_tag, link_tag[0]}),
      .faults_o(first_faults),
      .busy_o(busy_o[0]),
      .idle_o(sub_engine_idle[0])
    );
    acclmt_full_round_engine #(
      .Prime(Prime),
      .Goldilocks(Goldilocks),
      .Reduction(Reduction),
      .MatrixDepth(MatrixDepth),
      .ConstantDepth(ConstantDepth),
      .Store(Store),
      .Adders(Adders),
      .Visits(2'b10),
      .Sponge(Sponge),
      .NumSets(NumSets),
      .MemoryParity(MemoryParity)
    ) u_second (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .memory_fault_o(sub_engine_fault[Second]),
      .clear_i,
      .goldilocks_i,
      .prime_i,
      .configs_i,
      .grid_i(full_grid),
      .most_beats_i(most_beats),
      .skew_i(skew),
      .adders_i(adders),
      .number_i(acclmt_pkg::SecondFullSubEngine),
      .constant_write_i,
      .valid_i({exit_valid, 1'b0}),
      .take_o({exit_take, unused_second_take}),
      .state_i({exit_state, exit_state}),
      .tag_i({exit_tag, exit_tag}),
      .valid_o({final_valid, unused_second_valid}),
      .take_i({final_take, 1'b0}),
      .state_o({final_state, unused_second_state}),
      .tag_o({final_tag, unused_second_tag}),
      .faults_o(second_faults),
      .busy_o(busy_o[Second]),
      .idle_o(sub_engine_idle[Second])
    );
  end

  for (genvar i = 1; i < Second; i++) begin : gen_partial
    if (i <= NumPartial) begin : gen_present
      acclmt_partial_round_engine #(
        .Prime(Prime),
        .Goldilocks(Goldilocks),
        .Reduction(Reduction),
        .Depth(PartialDepth),
        .NumSets(NumSets),
        .MemoryParity(MemoryParity)
      ) u_partial (
        .clk_i,
        .rst_ni,
        .memory_config_i,
        .memory_fault_o(sub_engine_fault[i]),
        .clear_i,
        .goldilocks_i,
        .prime_i,
        .configs_i,
        .num_rounds_i(partial_rounds[i]),
        .alpha_i(alpha),
        .grid_i(partial_grid),
        .most_beats_i(most_beats),
        .pass_through_i(pass_through[i]),
        .number_i(acclmt_pkg::SubEngineWidth'(i)),
        .constant_write_i,
        .valid_i((i == 1) ? link_valid[0] && !no_recurrence : link_valid[i-1]),
        .take_o(link_take[i-1]),
        .state_i(link_state[i-1]),
        .tag_i(link_tag[i-1]),
        .valid_o(link_valid[i]),
        .take_i(link_take[i]),
        .state_o(link_state[i]),
        .tag_o(link_tag[i]),
        .busy_o(busy_o[i]),
        .idle_o(sub_engine_idle[i])
      );
    end else begin : gen_absent
      assign busy_o[i] = 1'b0;
      assign sub_engine_idle[i] = 1'b1;
      assign sub_engine_fault[i] = 1'b0;
    end
  end

  logic sum_valid, sum_take;
  logic [Lanes-1:0][WordWidth-1:0] sum_state;
  acclmt_pkg::tag_t sum_tag;
  logic exit_fault;
  acclmt_sum_reduction #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .NumSets(NumSets),
    .MemoryParity(MemoryParity)
  ) u_exit (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(exit_fault),
    .clear_i,
    .goldilocks_i,
    .prime_i,
    .configs_i,
    .valid_i(link_valid[NumPartial]),
    .take_o(link_take[NumPartial]),
    .state_i(link_state[NumPartial]),
    .tag_i(link_tag[NumPartial]),
    .valid_o(sum_valid),
    .take_i(sum_take),
    .state_o(sum_state),
    .tag_o(sum_tag),
    .idle_o(exit_idle)
  );

  // The wire past the partial rounds.
  assign exit_valid = no_recurrence ? link_valid[0] : sum_valid;
  assign exit_state = no_recurrence ? first_state : sum_state;
  assign exit_tag = no_recurrence ? link_tag[0] : sum_tag;
  assign sum_take = exit_take && !no_recurrence;
  assign first_take = no_recurrence ? exit_take : link_take[0];

  // ---- Digest, or once more ---------------------------------------------------------------------

  logic reader_idle, reader_take, continues;
  assign continues = Sponge && final_tag[acclmt_pkg::TagContinues];
  assign back_valid = final_valid && continues;
  assign final_take = continues ? back_take : reader_take;
  logic reader_fault;
  acclmt_digest_reader #(
    .NumSets(NumSets),
    .MemoryParity(MemoryParity)
  ) u_reader (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(reader_fault),
    .clear_i,
    .goldilocks_i,
    .configs_i,
    .valid_i(final_valid && !continues),
    .take_o(reader_take),
    .state_i(final_state),
    .tag_i(final_tag),
    .valid_o,
    .ready_i,
    .word_o,
    .last_o,
    .tag_o,
    .idle_o(reader_idle)
  );

  // Of the sets in use, the first one whose program cannot run.
  always_comb begin
    program_fault_o = acclmt_pkg::ProgramSound;
    program_fault_set_o = '0;
    for (int set = int'(NumSets) - 1; set >= 0; set--) begin
      if (sets_i[set] && faults[set] != acclmt_pkg::ProgramSound) begin
        program_fault_o = faults[set];
        program_fault_set_o = acclmt_pkg::SetWidth'(set);
      end
    end
  end

  assign idle_o = &sub_engine_idle && exit_idle && loader_idle && reader_idle;

  // ---- Faults of memories -----------------------------------------------------------------------

  // What is around the sub-engines; those have registers of their own.
  logic around_fault_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) around_fault_q <= 1'b0;
    else around_fault_q <= loader_fault || exit_fault || reader_fault;
  end
  always_comb begin
    memory_fault_o = '0;
    memory_fault_o.valid = around_fault_q || sub_engine_fault != '0;
    memory_fault_o.unit = acclmt_pkg::InitialSubEngine;
    for (int i = int'(MaxSubEngines) - 1; i >= 0; i--) begin
      if (sub_engine_fault[i]) memory_fault_o.unit = acclmt_pkg::SubEngineWidth'(i);
    end
  end

`ifndef SYNTHESIS
  rounds_need_a_recurrence_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !idle_o && no_recurrence |-> &pass_through[NumPartial:1])
  else $error("acclmt_hash_engine: partial-round sub-engines have rounds of no recurrence");
  if (NumSets > 1) begin : gen_sets_checks
    set_in_use_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        valid_i && !clear_i |->
            (sets_i & NumSets'(4'd1 << tag_i[acclmt_pkg::TagSet+:acclmt_pkg::SetWidth])) != '0)
    else $error("acclmt_hash_engine: a hash has a parameter set that is not in use");
    for (genvar set = 0; set < NumSets; set++) begin : gen_set_checks
      same_exponent_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
          !idle_o && sets_i[set] |-> gen_set[set].of_set.alpha == alpha)
      else $error("acclmt_hash_engine: sets in use have different exponents");
      same_adders_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
          !idle_o && sets_i[set] |-> gen_set[set].of_set.adders == adders)
      else $error("acclmt_hash_engine: adders are for some of the sets in use only");
      same_sub_engines_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
          !idle_o && sets_i[set] |->
              (has_rounds[set] | pass_through) == '1)
      else $error("acclmt_hash_engine: sets in use have rounds on different sub-engines");
    end
  end
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, ready_o, start_valid, final_valid, final_take, valid_o}))
  else $error("acclmt_hash_engine: a handshake is unknown");
  final_meets_new_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      final_valid && start_valid);
  digest_waits_c : cover property (@(posedge clk_i) disable iff (!rst_ni) valid_o && !ready_i);
  state_waits_for_reader_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      final_valid && !continues && !reader_take);
  if (Sponge) begin : gen_sponge_covers
    once_more_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
        back_valid && back_take);
    waits_for_block_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
        back_valid && !back_take);
  end
`endif

endmodule
