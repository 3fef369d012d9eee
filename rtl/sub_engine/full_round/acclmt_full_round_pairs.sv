// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Products of the pairs of a state, which all rows of a matrix share: the sum E of
///
///     (p - x) * y
///
/// over the elements x of even beats and y of the odd beats behind them, lane by lane; in
/// Goldilocks mode, over the elements of slices 0 and 1, and 2 and 3, of every beat. Every row of
/// the matrix adds it to its own sum of (a + y)(b + x), see `acclmt_pair_product`.
///
/// One multiplier makes the lanes of a pair of beats one by one, in Goldilocks mode all of them at
/// once. The sum of a state stays until that of the next state is complete; with several parameter
/// sets up to `WaitingSums` sums wait until they are taken.
///
/// With adders states may come in every cycle, and wait for the multipliers: the pairs of a beat
/// are all made at once, those of slices 2 and 3 by what the multiplier makes beside, and the sums
/// of as many states wait as fit in the turn memory.
///
/// Handshake:  none. Beats of a state come as they enter the turn memory. `valid_i` only for rounds
///             whose rows have pairs.
/// Latency:    the sum is there `OperandLatency` + `MulLatency` + 2 cycles after the last pair is
///             taken: a lane in the cycle of its odd beat and in each of the next ones; in
///             Goldilocks mode slices 0 and 1 in the cycle of their beat, 2 and 3 in the next one.
///             With adders one cycle later, for the last beat with pairs.
/// Throughput: one product a cycle.
module acclmt_full_round_pairs #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Whether there are adders, and states that fit in the turn memory.
  parameter bit Adders = 1'b0,
  parameter int unsigned TurnDepth = 16,
  /// Parameter sets.
  parameter int unsigned NumSets = 1,
  /// Whether memories keep parity, see acclmt_memory.
  parameter bit MemoryParity = 1'b0
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memory below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// A word that a memory below shows is not the one that was written; one cycle.
  output logic memory_fault_o,
  /// Forgets every state.
  input logic clear_i,
  /// Goldilocks mode, run-time modulus and parameters of the sets; stable while states are inside.
  input logic goldilocks_i,
  input logic [acclmt_pkg::WordWidth-1:0] prime_i,
  input logic [NumSets*acclmt_pkg::EngineConfigWidth-1:0] configs_i,
  /// Adders are in use.
  input logic adders_i,
  /// A beat behind the S-boxes, its number in its state, and the set of that.
  input logic valid_i,
  input acclmt_pkg::beat_t beat_i,
  input acclmt_pkg::set_t set_i,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_i,
  /// The sum of a state, in chunks; it is not needed any more.
  input logic take_i,
  output logic [acclmt_pkg::Slices-1:0][acclmt_pkg::ChunkWidth-1:0] sum_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned Slices = acclmt_pkg::Slices;
  localparam int unsigned SliceWidth = acclmt_pkg::SliceWidth;
  localparam int unsigned ChunkWidth = acclmt_pkg::ChunkWidth;
  localparam int unsigned DigitWidth = acclmt_pkg::DigitWidth;
  localparam int unsigned MaxBeats = acclmt_pkg::MaxBeats;
  localparam int unsigned ToProduct =
      acclmt_latency_pkg::OperandLatency + acclmt_latency_pkg::MulLatency;
  // A sum of t = 4 every two cycles, beside t = 12, whose matrix starts seven cycles later.
  localparam int unsigned WaitingSums = 6;

  logic goldilocks, adders;
  assign goldilocks = Goldilocks && goldilocks_i;
  assign adders = Adders && adders_i;
  acclmt_pkg::engine_config_t of_beat;
  acclmt_set_select #(
    .NumSets(NumSets)
  ) u_config (
    .values_i(configs_i),
    .set_i,
    .value_o(of_beat)
  );

  // ---- Which pair is next -----------------------------------------------------------------------

  // A pair of beats, or of slices, is there: the first one of its state, the last one, and its
  // lanes (in Goldilocks mode all are made at once, and it is the pairs of slices that are
  // counted; the second beat of a state may have none).
  logic comes, first, final_pair, waiting, final_q;
  logic [1:0] lanes, waiting_q;
  always_comb begin
    comes = valid_i && beat_i[0];
    first = !beat_i[1];
    final_pair = of_beat.beats != acclmt_pkg::BeatWidth'(MaxBeats) || beat_i[1];
    lanes = final_pair ? of_beat.last_pairs : 2'(Lanes);
    if (goldilocks) begin
      first = beat_i == '0;
      lanes = (first && of_beat.beats != acclmt_pkg::BeatWidth'(1)) ? 2'd2 : of_beat.last_pairs;
      comes = valid_i && lanes != '0;
      final_pair = !first || of_beat.beats == acclmt_pkg::BeatWidth'(1) || of_beat.last_pairs == '0;
    end
  end
  assign waiting = waiting_q != '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waiting_q <= '0;
    else if (clear_i) waiting_q <= '0;
    else if (comes) waiting_q <= adders ? '0 : lanes - 1'b1;
    else if (waiting) waiting_q <= waiting_q - 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (comes) final_q <= final_pair;
  end

  // Goldilocks mode: lane l in slice l of a word.
  logic [Slices-1:0][WordWidth-1:0] slice_word;
  always_comb begin
    slice_word = '0;
    for (int s = 0; s < int'(Slices); s++) begin
      for (int lane = 0; lane < int'(Lanes); lane++) begin
        slice_word[s][int'(SliceWidth)*lane+:SliceWidth] =
            state_i[lane][int'(SliceWidth)*s+:SliceWidth];
      end
    end
  end

  // The elements of this pair, which comes while none waits, and those that wait.
  logic [Lanes-1:0][WordWidth-1:0] even_q;
  logic [Lanes-2:0][WordWidth-1:0] x_q, y_q;
  logic [WordWidth-1:0] x, y;
  always_comb begin
    x = goldilocks ? slice_word[0] : even_q[0];
    y = goldilocks ? slice_word[1] : state_i[0];
    if (waiting) begin
      x = x_q[0];
      y = y_q[0];
    end
  end
  always_ff @(posedge clk_i) begin
    if (valid_i) even_q <= state_i;
    if (comes) begin
      x_q[0] <= goldilocks ? slice_word[2] : even_q[1];
      y_q[0] <= goldilocks ? slice_word[3] : state_i[1];
    end else begin
      x_q[0] <= x_q[1];
      y_q[0] <= y_q[1];
    end
    if (comes) begin
      x_q[1] <= even_q[2];
      y_q[1] <= state_i[2];
    end
  end

  // ---- Products ---------------------------------------------------------------------------------

  logic [WordWidth-1:0] prime;
  if (Reduction == acclmt_pkg::ReductionRuntime) begin : gen_runtime
    assign prime = goldilocks ? {Slices{acclmt_pkg::GoldilocksPrime}} : prime_i;
  end else begin : gen_constant
    assign prime = goldilocks ? {Slices{acclmt_pkg::GoldilocksPrime}} : Prime;
    logic unused_prime;
    assign unused_prime = ^prime_i;
  end
  // An element is below its prime, so that no slice borrows from the next one. Without a pair the
  // operands stay as they are and cost no energy.
  logic [WordWidth-1:0] negative_q, factor_q;
  always_ff @(posedge clk_i) begin
    if (comes || waiting) begin
      negative_q <= prime - x;
      factor_q <= y;
    end
  end

  // With adders, slices 2 and 3 beside, where they have pairs.
  logic [WordWidth-1:0] negative_beside, factor_beside;
  acclmt_pkg::product_t beside;
  if (Adders) begin : gen_beside_operands
    logic [WordWidth-1:0] negative_beside_q, factor_beside_q;
    always_ff @(posedge clk_i) begin
      if (comes) begin
        negative_beside_q <= prime - slice_word[2];
        factor_beside_q <= (lanes == 2'd1) ? '0 : slice_word[3];
      end
    end
    assign negative_beside = negative_beside_q;
    assign factor_beside = factor_beside_q;
  end else begin : gen_no_beside_operands
    assign negative_beside = '0;
    assign factor_beside = '0;
  end

  logic [acclmt_pkg::ProductWidth-1:0] product;
  acclmt_mul #(
    .Goldilocks(Goldilocks),
    .Beside(Adders ? acclmt_pkg::BesideFour : acclmt_pkg::BesideNone)
  ) u_mul (
    .clk_i,
    .goldilocks_i,
    .a_i(negative_q),
    .b_i(factor_q),
    .product_o(product),
    .beside_a_i(negative_beside),
    .beside_b_i(factor_beside),
    .beside_o(beside)
  );

  // ---- Their sum --------------------------------------------------------------------------------

  logic pair_last, product_valid, product_last, last_q;
  logic unused_valid_ahead, unused_ahead;
  assign pair_last = comes ? final_pair && (adders || lanes == 2'd1)
                           : final_q && waiting_q == 2'd1;
  acclmt_valid_pipe #(
    .Cycles(ToProduct)
  ) u_valid_to_product (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(comes || waiting),
    .valid_o(product_valid),
    .ahead_o(unused_valid_ahead)
  );
  acclmt_valid_pipe #(
    .Cycles(ToProduct)
  ) u_last_to_product (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(pair_last),
    .valid_o(product_last),
    .ahead_o(unused_ahead)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) last_q <= 1'b0;
    else last_q <= product_last && !clear_i;
  end

  // Products beside come two cycles earlier.
  localparam int unsigned BesideWidth = DigitWidth + 2;
  logic [BesideWidth-1:0] beside_sum;
  if (Adders) begin : gen_beside_sum
    logic [BesideWidth-1:0] first_q, second_q;
    always_ff @(posedge clk_i) begin
      first_q <= BesideWidth'(beside[0+:DigitWidth]) +
                 BesideWidth'(beside[DigitWidth+:DigitWidth]) +
                 BesideWidth'(beside[2*DigitWidth+:DigitWidth]);
      second_q <= first_q;
    end
    assign beside_sum = adders ? second_q : '0;
    logic unused_beside;
    assign unused_beside = ^beside[3*DigitWidth+:DigitWidth];
  end else begin : gen_no_beside_sum
    assign beside_sum = '0;
    logic unused_beside;
    assign unused_beside = ^{beside, adders_i};
  end

  // In Goldilocks mode the slices are added up. What grows begins at zero: it is left so by the
  // last product of a state.
  logic [Slices-1:0][ChunkWidth-1:0] digit, sum, growing_q, complete_q, whole;
  always_comb begin
    for (int k = 0; k < int'(Slices); k++) begin
      digit[k] = ChunkWidth'(product[int'(DigitWidth)*k+:DigitWidth]);
      sum[k] = growing_q[k] + digit[k];
    end
    if (goldilocks) begin
      sum[0] = growing_q[0] + digit[0] + digit[1] + digit[2] + ChunkWidth'(beside_sum);
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) growing_q <= '0;
    else if (clear_i || product_last) growing_q <= '0;
    else if (product_valid) growing_q <= sum;
  end
  always_ff @(posedge clk_i) begin
    if (product_last) complete_q <= sum;
  end
  assign whole = goldilocks ? {Slices{complete_q[0]}} : complete_q;

  // With one parameter set a sum is there until the next one comes, which is late enough; with
  // several ones the matrix may start later, and sums wait for it.
  localparam int unsigned SumsWidth = Slices * ChunkWidth;
  logic [Slices-1:0][ChunkWidth-1:0] few_sums;
  logic few_last, few_take;
  assign few_last = last_q && !adders;
  assign few_take = take_i && !adders;
  if (NumSets == 1) begin : gen_one_set
    logic [SumsWidth-1:0] sum_q;
    always_ff @(posedge clk_i) begin
      if (few_last) sum_q <= whole;
    end
    assign few_sums = sum_q;
    logic unused_take;
    assign unused_take = few_take;
  end else begin : gen_sets
    localparam int unsigned CountWidth = $clog2(WaitingSums + 1);
    // The sum at the head is in the low bits.
    logic [WaitingSums*SumsWidth-1:0] queue_q;
    logic [CountWidth-1:0] sums_q, sums_left;
    assign sums_left = sums_q - CountWidth'(few_take);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) sums_q <= '0;
      else if (clear_i) sums_q <= '0;
      else sums_q <= sums_left + CountWidth'(few_last);
    end
    always_ff @(posedge clk_i) begin
      for (int place = 0; place < int'(WaitingSums); place++) begin
        if (few_last && sums_left == CountWidth'(place)) begin
          queue_q[int'(SumsWidth)*place+:SumsWidth] <= whole;
        end else if (few_take) begin
          // What is behind the last sum goes as well, so that a flush leaves nothing.
          queue_q[int'(SumsWidth)*place+:SumsWidth] <=
              (place + 1 == int'(WaitingSums)) ? '0 :
              queue_q[int'(SumsWidth)*((place+1)%int'(WaitingSums))+:SumsWidth];
        end
      end
    end
    assign few_sums = queue_q[SumsWidth-1:0];
`ifndef SYNTHESIS
    room_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        few_last && !clear_i |-> sums_left != CountWidth'(WaitingSums))
    else $error("acclmt_full_round_pairs: a sum comes and there is no place for it");
    take_what_is_there_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        few_take && !clear_i |-> sums_q != '0)
    else $error("acclmt_full_round_pairs: a sum is taken that is not there");
    full_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
        sums_q == CountWidth'(WaitingSums));
`endif
  end

  // With adders those of all states that wait, which are of slices. Without, what goes through
  // leaves nothing of them.
  if (Adders) begin : gen_dense_sums
    logic dense_valid, dense_ready;
    logic [ChunkWidth-1:0] dense_sum;
    acclmt_fifo #(
      .Width(ChunkWidth),
      .Depth(TurnDepth),
      .MemoryParity(MemoryParity)
    ) u_sums (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .memory_fault_o,
      .clear_i,
      .valid_i(last_q),
      .ready_o(dense_ready),
      .data_i(complete_q[0]),
      .valid_o(dense_valid),
      .ready_i(take_i || !adders),
      .data_o(dense_sum)
    );
    assign sum_o = adders ? {Slices{dense_sum}} : few_sums;
`ifndef SYNTHESIS
    dense_room_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        last_q && !clear_i |-> dense_ready)
    else $error("acclmt_full_round_pairs: a sum of a dense layer comes and has no place");
    dense_is_there_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        take_i && adders && !clear_i |-> dense_valid)
    else $error("acclmt_full_round_pairs: a sum of a dense layer is taken that is not there");
`else
    logic unused_dense;
    assign unused_dense = ^{dense_ready, dense_valid};
`endif
  end else begin : gen_few_sums
    assign sum_o = few_sums;
    assign memory_fault_o = 1'b0;
    logic unused_config;
    assign unused_config = ^memory_config_i;
  end

  logic unused_bits;
  assign unused_bits = ^{of_beat, beat_i[2]};

`ifndef SYNTHESIS
  one_pair_at_a_time_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      comes && !clear_i |-> !waiting)
  else $error("acclmt_full_round_pairs: a pair of beats comes while lanes of another one wait");
  rests_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$past(comes || waiting) |-> $stable({negative_q, factor_q}))
  else $error("acclmt_full_round_pairs: operands change without a pair");
  has_lanes_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      comes && !clear_i |-> lanes != '0)
  else $error("acclmt_full_round_pairs: a pair of beats has no lane");
  ends_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      product_last && !clear_i |-> product_valid)
  else $error("acclmt_full_round_pairs: the last product of a state does not come");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni) !$isunknown(valid_i))
  else $error("acclmt_full_round_pairs: whether a beat comes is unknown");
  lanes_wait_c : cover property (@(posedge clk_i) disable iff (!rst_ni) waiting);
  second_pair_c : cover property (@(posedge clk_i) disable iff (!rst_ni) comes && !first);
`endif

endmodule
