// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Full-round sub-engine: full rounds and some partial rounds of the Poseidon permutation.
///
/// A round: S-box on all elements (full) or on element 0 (partial), then a matrix, then a vector of
/// round constants:
///
///     state' = matrix * sbox(state) + k
///
/// A hash can visit it twice: the first visit has `full_first_i` full rounds and then
/// `partial_first_i` partial rounds, the last visit `partial_last_i` partial rounds and then
/// `full_last_i` full rounds. Rounds are numbered through both. The last full round of the first
/// visit uses matrix 1 (the pre-sparse matrix), the other full rounds matrix 0 (the MDS matrix);
/// each sparse partial round has a matrix of its own; dense partial rounds use matrix 0.
///
/// Nine multipliers take a 3 x 3 chunk of the matrix in a step. A state of b beats needs b row
/// chunks of b steps; in Goldilocks mode a step takes one slice of each lane, broadcast, times a
/// packed column, so that four slices of a row chunk grow in four steps. The steps of a row chunk
/// are added before they are reduced.
///
/// A sparse partial round of more than one beat has one step a beat, in which the nine multipliers
/// are shared out like this (x: element 0 after the S-box, y: the beat):
///
///     row 0   w0*y0 + w1*y1 + w2*y2  -> the dot product, over all beats -> new element 0
///     row 1   v1*x  + 1*y1           -> element 1 of the beat;  v0*x  -+
///     row 2   v2*x  + 1*y2           -> element 2 of the beat;  1*y0  -+-> element 0 of the beat
///
/// Row 0's reduction takes element 0 of the second and later beats, and the dot product in the
/// cycle after the last beat, in which no first beat needs it. The new element 0 waits in a queue
/// of its own for the beat that it belongs to.
///
///     state -> slot -> S-boxes -> turn memory -> steps -> reduction -> + k -> queue -+
///               ^                                                                    |
///               +--------------------------------------------------------------------+--> out
///
/// The pipeline never stalls: see `acclmt_slot_control`. States that come for their last visit have
/// precedence over new ones.
///
/// Handshake:  states on all four ports: `valid` shows a complete state, `take` takes a beat.
/// Latency:    a round takes `acclmt_timing_pkg::full_loop_cycles` + beats * (steps - 1) cycles,
///             rounded up to the grid of steps.
/// Throughput: beats * steps cycles a full round; a partial round that is sparse takes as many cycles
///             as the state has beats (steps, if it is one beat).
module acclmt_full_round_engine #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Steps (3 x 3 chunks of matrices) and beats of constant vectors that fit, powers of two.
  parameter int unsigned MatrixDepth = 128,
  parameter int unsigned ConstantDepth = 256
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Forgets every state.
  input logic clear_i,
  /// Goldilocks mode, run-time modulus, parameters of the hash, and rounds of both visits;
  /// stable while states are inside.
  input logic goldilocks_i,
  input acclmt_pkg::word_t prime_i,
  input acclmt_pkg::engine_config_t config_i,
  input acclmt_pkg::round_t full_first_i,
  input acclmt_pkg::round_t partial_first_i,
  input acclmt_pkg::round_t partial_last_i,
  input acclmt_pkg::round_t full_last_i,
  /// Number of this sub-engine in constant writes; constant.
  input logic [3:0] number_i,
  /// Writes of constants: bank 3 * row + lane at the index of the step (matrix 0, matrix 1, then the
  /// sparse partial rounds), bank 9 + lane at index round * beats + beat.
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
  /// The slot of a round is under way (performance counter).
  output logic busy_o,
  /// No state is inside.
  output logic idle_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned ProductWidth = acclmt_pkg::ProductWidth;
  localparam int unsigned Slices = acclmt_pkg::Slices;
  localparam int unsigned SliceWidth = acclmt_pkg::SliceWidth;
  localparam int unsigned ChunkWidth = acclmt_pkg::ChunkWidth;
  localparam int unsigned TagWidth = acclmt_pkg::TagWidth;
  localparam int unsigned RoundWidth = acclmt_pkg::RoundWidth;
  localparam int unsigned BeatWidth = acclmt_pkg::BeatWidth;
  localparam int unsigned MatrixAddressWidth = $clog2(MatrixDepth);
  localparam int unsigned ConstantAddressWidth = $clog2(ConstantDepth);
  localparam int unsigned MatrixBanks = acclmt_pkg::FullMatrixBanks;
  localparam int unsigned Places = acclmt_timing_pkg::places(int'(Reduction));
  localparam int unsigned TurnDepth = 16;
  localparam int unsigned TurnAddressWidth = $clog2(TurnDepth);

  if (MatrixDepth < 32 || MatrixDepth > 256 || MatrixDepth != 2 ** MatrixAddressWidth)
  begin : gen_illegal_matrix_depth
    $error("acclmt_full_round_engine: MatrixDepth = %0d is no power of two within 32..256",
           MatrixDepth);
  end
  if (ConstantDepth < 16 || ConstantDepth > 256 || ConstantDepth != 2 ** ConstantAddressWidth)
  begin : gen_illegal_constant_depth
    $error("acclmt_full_round_engine: ConstantDepth = %0d is no power of two within 16..256",
           ConstantDepth);
  end

  // Round numbers at which the first visit ends, the last partial round is done, and the last round.
  acclmt_pkg::round_t first_end, partial_end, last_end;
  assign first_end = full_first_i + partial_first_i;
  assign partial_end = first_end + partial_last_i;
  assign last_end = partial_end + full_last_i;

  // Sparse rounds of several beats share the multipliers out; those of one beat are written dense.
  logic sparse_beats;
  logic [BeatWidth-1:0] partial_steps;
  assign sparse_beats = !config_i.partial_dense && config_i.beats != BeatWidth'(1);
  assign partial_steps = sparse_beats ? config_i.beats : config_i.steps;

  logic [4:0] partial_cycles;
  assign partial_cycles = config_i.partial_dense ? config_i.full_interval : 5'(partial_steps);

  // ---- Which state takes the next slot ----------------------------------------------------------

  logic queue_valid, queue_complete, queue_last, head_valid, head_take, head_last;
  logic head_waits_for_first, first_valid, head_done, head_partial;
  logic [Lanes-1:0][WordWidth-1:0] queue_state, head_state;
  acclmt_pkg::tag_t head_tag;
  acclmt_pkg::round_t head_round;

  logic [1:0] place_available, accept;
  logic issue, issue_first, issue_last_beat, leave;
  acclmt_slot_control #(
    .Places(Places)
  ) u_control (
    .clk_i,
    .rst_ni,
    .clear_i,
    .beats_i(config_i.beats),
    .grid_i(config_i.steps),
    .head_valid_i(head_valid),
    .head_complete_i(queue_complete),
    .head_done_i(head_done),
    .head_spaced_i(!(head_partial && sparse_beats)),
    .head_cycles_i(head_partial ? partial_cycles : config_i.full_interval),
    .head_take_o(head_take),
    .new_valid_i(valid_i),
    .new_place_i(place_available),
    .new_spaced_i({!(sparse_beats && partial_last_i != '0), 1'b1}),
    .new_cycles_i({(partial_last_i != '0) ? partial_cycles : config_i.full_interval,
                   config_i.full_interval}),
    .new_take_o(take_o),
    .new_accept_o(accept),
    .issue_o(issue),
    .first_o(issue_first),
    .last_o(issue_last_beat),
    .exit_o(leave),
    .busy_o
  );

  // Of a beat: the visit and the round; of a round: whether it is partial.
  logic [Lanes-1:0][WordWidth-1:0] issue_state;
  acclmt_pkg::round_t issue_round;
  acclmt_pkg::tag_t issue_tag;
  logic issue_last, issue_partial;
  always_comb begin
    issue_state = head_state;
    issue_round = head_round;
    issue_tag = head_tag;
    issue_last = head_last;
    issue_partial = head_partial;
    if (take_o[1]) begin
      issue_state = state_i[1];
      issue_round = first_end;
      issue_tag = tag_i[1];
      issue_last = 1'b1;
      issue_partial = partial_last_i != '0;
    end else if (take_o[0]) begin
      issue_state = state_i[0];
      issue_round = '0;
      issue_tag = tag_i[0];
      issue_last = 1'b0;
      issue_partial = full_first_i == '0;
    end
  end

  // The choice of a beat fills a cycle; what it begins comes in the next one.
  logic issue_q, issue_first_q, issue_partial_q, issue_last_q;
  logic [Lanes-1:0][WordWidth-1:0] issue_state_q;
  acclmt_pkg::round_t issue_round_q;
  acclmt_pkg::tag_t issue_tag_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) issue_q <= 1'b0;
    else issue_q <= issue && !clear_i;
  end
  always_ff @(posedge clk_i) begin
    issue_first_q <= issue_first;
    issue_partial_q <= issue_partial;
    issue_last_q <= issue_last;
    issue_state_q <= issue_state;
    issue_round_q <= issue_round;
    issue_tag_q <= issue_tag;
  end

  // First step of the round's matrix.
  logic [MatrixAddressWidth-1:0] matrix, partial_index;
  assign partial_index = MatrixAddressWidth'(issue_round_q) - MatrixAddressWidth'(full_first_i);
  always_comb begin
    matrix = '0;
    if (issue_partial_q) begin
      if (!config_i.partial_dense) begin
        matrix = MatrixAddressWidth'({config_i.full_interval, 1'b0}) +
            partial_index * MatrixAddressWidth'(partial_steps);
      end
    end else if (!issue_last_q && issue_round_q + 1'b1 == full_first_i) begin
      matrix = MatrixAddressWidth'(config_i.full_interval);
    end
  end

  // ---- S-boxes ----------------------------------------------------------------------------------

  localparam int unsigned AtTurn = acclmt_timing_pkg::sbox_latency(int'(Reduction));

  logic valid_at_turn, first_at_turn, partial_at_turn, last_at_turn, any_issued;
  acclmt_pkg::round_t round_at_turn;
  acclmt_pkg::tag_t tag_at_turn;
  logic [MatrixAddressWidth-1:0] matrix_at_turn;
  acclmt_valid_pipe #(
    .Cycles(AtTurn)
  ) u_valid_to_turn (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(issue_q),
    .valid_o(valid_at_turn),
    .any_o(any_issued)
  );
  acclmt_delay #(
    .Width(3 + RoundWidth + TagWidth + MatrixAddressWidth),
    .Cycles(AtTurn)
  ) u_to_turn (
    .clk_i,
    .rst_ni,
    .data_i({issue_first_q, issue_partial_q, issue_last_q, issue_round_q, issue_tag_q, matrix}),
    .data_o({first_at_turn, partial_at_turn, last_at_turn, round_at_turn, tag_at_turn,
             matrix_at_turn})
  );

  logic [Lanes-1:0][WordWidth-1:0] after_sbox;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_sbox
    logic [Slices-1:0] bypass;
    if (lane == 0) begin : gen_first
      always_comb begin
        bypass = '0;
        if (partial_at_turn) begin
          bypass = !first_at_turn ? '1 : goldilocks_i ? 4'b1110 : 4'b0000;
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
      .clear_i,
      .goldilocks_i,
      .prime_i,
      .alpha_i(config_i.alpha),
      .valid_i(issue_q && (issue_first_q || !(issue_partial_q && sparse_beats))),
      .x_i(issue_state_q[lane]),
      .bypass_i(bypass),
      .y_o(after_sbox[lane])
    );
  end

  // ---- Turn memory: from beats in a row to steps of a matrix ------------------------------------

  logic [TurnAddressWidth-1:0] turn_write_q, turn_read, turn_base_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) turn_write_q <= '0;
    else if (clear_i) turn_write_q <= '0;
    else if (valid_at_turn) turn_write_q <= turn_write_q + 1'b1;
  end

  // The steps start so late that the beats are always there: `skew` cycles after the first one.
  localparam int unsigned MaxSkew = (acclmt_pkg::MaxBeats - 1) * (acclmt_pkg::MaxBeats - 1);
  localparam int unsigned RoundInfoWidth = 2 + RoundWidth + TagWidth + MatrixAddressWidth;
  logic [MaxSkew:0] start_at;
  logic [MaxSkew:0][RoundInfoWidth-1:0] info_at;
  logic [MaxSkew-1:0] start_q;
  logic [MaxSkew-1:0][RoundInfoWidth-1:0] info_q;
  assign start_at = {start_q, valid_at_turn && first_at_turn};
  assign info_at = {info_q, partial_at_turn, last_at_turn, round_at_turn, tag_at_turn,
                    matrix_at_turn};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) start_q <= '0;
    else if (clear_i) start_q <= '0;
    else start_q <= start_at[MaxSkew-1:0];
  end
  always_ff @(posedge clk_i) info_q <= info_at[MaxSkew-1:0];

  logic start;
  assign start = start_at[config_i.skew];

  // ---- Steps ------------------------------------------------------------------------------------

  // Of the round whose matrix is under way: step and row chunk, and what is known of the round.
  logic steps_q, sparse_q, last_q;
  logic [BeatWidth-1:0] step_q, row_q, steps_of_row, rows;
  acclmt_pkg::round_t round_q;
  acclmt_pkg::tag_t tag_q;
  logic [MatrixAddressWidth-1:0] matrix_q;
  logic start_partial, start_last, row_ends, round_ends;
  acclmt_pkg::round_t start_round;
  acclmt_pkg::tag_t start_tag;
  logic [MatrixAddressWidth-1:0] start_matrix;
  assign {start_partial, start_last, start_round, start_tag, start_matrix} =
      info_at[config_i.skew];

  assign steps_of_row = sparse_q ? config_i.beats : config_i.steps;
  assign rows = sparse_q ? BeatWidth'(1) : config_i.beats;
  assign row_ends = step_q + 1'b1 == steps_of_row;
  assign round_ends = row_ends && row_q + 1'b1 == rows;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) steps_q <= 1'b0;
    else if (clear_i) steps_q <= 1'b0;
    else if (start) steps_q <= 1'b1;
    else if (round_ends) steps_q <= 1'b0;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) turn_base_q <= '0;
    else if (clear_i) turn_base_q <= '0;
    else if (steps_q && round_ends) turn_base_q <= turn_base_q + TurnAddressWidth'(config_i.beats);
  end
  always_ff @(posedge clk_i) begin
    if (start) begin
      step_q <= '0;
      row_q <= '0;
      sparse_q <= start_partial && sparse_beats;
      last_q <= start_last;
      round_q <= start_round;
      tag_q <= start_tag;
      matrix_q <= start_matrix;
    end else if (steps_q) begin
      matrix_q <= matrix_q + 1'b1;
      step_q <= row_ends ? '0 : step_q + 1'b1;
      if (row_ends) row_q <= row_q + 1'b1;
    end
  end

  // A step reads the beat of its column chunk; the slices of a state of one beat are chosen later,
  // and steps beyond the beats have coefficients of zero.
  assign turn_read = turn_base_q +
      ((step_q < config_i.beats) ? TurnAddressWidth'(step_q) : TurnAddressWidth'(0));
  logic [Lanes-1:0][WordWidth-1:0] turned;
  acclmt_mem_1r1w #(
    .Width(Lanes * WordWidth),
    .Depth(TurnDepth)
  ) u_turn (
    .clk_i,
    .write_enable_i(valid_at_turn),
    .write_address_i(turn_write_q),
    .write_data_i(after_sbox),
    .read_enable_i(steps_q),
    .read_address_i(turn_read),
    .read_data_o(turned)
  );

  // ---- Coefficients and constants ---------------------------------------------------------------

  logic write_constant;
  assign write_constant = constant_write_i.valid && constant_write_i.sub_engine == number_i;

  logic [MatrixBanks-1:0][WordWidth-1:0] coefficient;
  for (genvar bank = 0; bank < MatrixBanks; bank++) begin : gen_matrix_bank
    acclmt_mem_1r1w #(
      .Width(WordWidth),
      .Depth(MatrixDepth)
    ) u_bank (
      .clk_i,
      .write_enable_i(write_constant &&
                      constant_write_i.bank == acclmt_pkg::BankWidth'(bank)),
      .write_address_i(constant_write_i.index[MatrixAddressWidth-1:0]),
      .write_data_i(constant_write_i.data),
      .read_enable_i(steps_q),
      .read_address_i(matrix_q),
      .read_data_o(coefficient[bank])
    );
  end

  // ---- Control that accompanies a step; its operands are there the cycle after ------------------

  localparam int unsigned ToProduct = acclmt_latency_pkg::MulLatency;
  localparam int unsigned ToSum = ToProduct + acclmt_latency_pkg::AccumulateLatency;
  localparam int unsigned ToDot = acclmt_timing_pkg::dot_latency(int'(Reduction));
  localparam int unsigned ToEnd = ToDot + acclmt_latency_pkg::AddLatency;

  logic step_valid, step_sparse, step_first, step_sparse_first, step_later, step_dense;
  logic step_row_ends, step_round_ends, step_last;
  logic [BeatWidth-1:0] step_number, step_row;
  // Which slice of its lanes the step takes, or the whole words.
  logic [Slices-1:0] step_slice;
  logic step_whole;
  acclmt_pkg::round_t step_round;
  acclmt_pkg::tag_t step_tag;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) step_valid <= 1'b0;
    else if (clear_i) step_valid <= 1'b0;
    else step_valid <= steps_q;
  end
  always_ff @(posedge clk_i) begin
    step_sparse <= sparse_q;
    step_first <= step_q == '0;
    step_sparse_first <= sparse_q && step_q == '0;
    step_later <= sparse_q && step_q != '0;
    step_dense <= !sparse_q && !goldilocks_i;
    step_number <= step_q;
    step_slice <= goldilocks_i ? Slices'(1) << step_q[1:0] : '0;
    step_whole <= !goldilocks_i;
    step_row_ends <= row_ends;
    step_round_ends <= round_ends;
    step_row <= row_q;
    step_last <= last_q;
    step_round <= round_q;
    step_tag <= tag_q;
  end

  // With the products: which of them are added up.
  logic product_sparse, product_first;
  acclmt_delay #(
    .Width(2),
    .Cycles(ToProduct),
    .RegisterOutput(1'b1)
  ) u_to_product (
    .clk_i,
    .rst_ni,
    .data_i({step_sparse, step_first}),
    .data_o({product_sparse, product_first})
  );

  // With the sums: a beat leaves after the steps of its row chunk; in a sparse round after each
  // step, and the dot product a cycle after the last one.
  logic step_beat, step_beat_last, beat_at_sum, any_product, sum_sparse, sum_dot, dot_at_sum;
  logic [BeatWidth-1:0] step_beat_number;
  assign step_beat = step_valid && (step_sparse || step_row_ends);
  assign step_beat_last = step_round_ends;
  assign step_beat_number = step_sparse ? step_number : step_row;
  acclmt_valid_pipe #(
    .Cycles(ToSum)
  ) u_beat_to_sum (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(step_beat),
    .valid_o(beat_at_sum),
    .any_o(any_product)
  );
  acclmt_delay #(
    .Width(2),
    .Cycles(ToSum),
    .RegisterOutput(1'b1)
  ) u_to_sum (
    .clk_i,
    .rst_ni,
    .data_i({step_sparse, step_valid && step_sparse && step_round_ends}),
    .data_o({sum_sparse, sum_dot})
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) dot_at_sum <= 1'b0;
    else if (clear_i) dot_at_sum <= 1'b0;
    else dot_at_sum <= sum_dot && beat_at_sum;
  end

  // With the residues: the constants, which are read the cycle before, and the beat that ends.
  logic beat_at_end, dot_at_end, any_beat, any_dot;
  acclmt_valid_pipe #(
    .Cycles(ToEnd - ToSum)
  ) u_beat_to_end (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(beat_at_sum),
    .valid_o(beat_at_end),
    .any_o(any_beat)
  );
  acclmt_valid_pipe #(
    .Cycles(ToEnd - ToSum)
  ) u_dot_to_end (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(dot_at_sum),
    .valid_o(dot_at_end),
    .any_o(any_dot)
  );

  logic [ConstantAddressWidth-1:0] step_constant, constant_at_read, dot_constant_q;
  logic dot_at_read, dot_at_read_q;
  assign step_constant = ConstantAddressWidth'(step_round) * ConstantAddressWidth'(config_i.beats) +
                         ConstantAddressWidth'(step_beat_number);
  acclmt_delay #(
    .Width(1 + ConstantAddressWidth),
    .Cycles(ToDot - 1)
  ) u_to_constant (
    .clk_i,
    .rst_ni,
    .data_i({step_valid && step_sparse && step_round_ends, step_constant}),
    .data_o({dot_at_read, constant_at_read})
  );
  // The dot product is a cycle behind the last step, and its constant is that of the first beat.
  always_ff @(posedge clk_i) begin
    dot_at_read_q <= dot_at_read;
    dot_constant_q <= constant_at_read + 1'b1 - ConstantAddressWidth'(config_i.beats);
  end

  logic [Lanes-1:0][WordWidth-1:0] constant;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_constant_bank
    acclmt_mem_1r1w #(
      .Width(WordWidth),
      .Depth(ConstantDepth)
    ) u_bank (
      .clk_i,
      .write_enable_i(write_constant &&
                      constant_write_i.bank == acclmt_pkg::BankWidth'(MatrixBanks + lane)),
      .write_address_i(constant_write_i.index[ConstantAddressWidth-1:0]),
      .write_data_i(constant_write_i.data),
      .read_enable_i(any_product || any_beat || any_dot),
      .read_address_i((lane == 0 && dot_at_read_q) ? dot_constant_q : constant_at_read),
      .read_data_o(constant[lane])
    );
  end

  logic end_last, end_beat_last, end_waits;
  acclmt_pkg::round_t end_round;
  acclmt_pkg::tag_t end_tag;
  acclmt_delay #(
    .Width(3 + RoundWidth + TagWidth),
    .Cycles(ToEnd)
  ) u_to_end (
    .clk_i,
    .rst_ni,
    .data_i({step_last, step_beat_last, step_sparse && step_first, step_round, step_tag}),
    .data_o({end_last, end_beat_last, end_waits, end_round, end_tag})
  );

  // ---- Operands ---------------------------------------------------------------------------------

  // In Goldilocks mode a step broadcasts one slice of each lane (zero in the other mode).
  logic [Lanes-1:0][WordWidth-1:0] broadcast, column;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_column
    logic [SliceWidth-1:0] slice;
    always_comb begin
      slice = '0;
      for (int s = 0; s < int'(Slices); s++) begin
        slice |= turned[lane][int'(SliceWidth)*s+:SliceWidth] & {SliceWidth{step_slice[s]}};
      end
    end
    assign broadcast[lane] = {Slices{slice}};
    assign column[lane] = broadcast[lane] | (turned[lane] & {WordWidth{step_whole}});
  end

  // Element 0 after its S-box, kept for the later steps of a sparse round (which has no slices).
  logic [WordWidth-1:0] x_q;
  always_ff @(posedge clk_i) begin
    if (step_first) x_q <= turned[0];
  end

  logic [Lanes-1:0][Lanes-1:0][WordWidth-1:0] operand;
  always_comb begin
    operand[0] = column;
    operand[1] = column;
    operand[2] = column;
    if (step_later) begin
      operand[1][0] = x_q;
      operand[2][0] = x_q;
    end
    operand[1][2] = broadcast[2] | (turned[2] & {WordWidth{step_dense}}) |
        (turned[0] & {WordWidth{step_sparse_first}}) | (x_q & {WordWidth{step_later}});
    operand[2][1] = broadcast[1] | (turned[1] & {WordWidth{step_dense}}) |
        (turned[0] & {WordWidth{step_sparse}});
  end

  // ---- Rows -------------------------------------------------------------------------------------

  logic [Lanes-1:0][Lanes-1:0][ProductWidth-1:0] product;
  logic [Lanes-1:0][Slices-1:0][ChunkWidth-1:0] sum;
  logic [Slices-1:0][ChunkWidth-1:0] element_sum, dot_sum_q, other_sum;
  logic [Lanes-1:0][WordWidth-1:0] residue, result;

  for (genvar row = 0; row < Lanes; row++) begin : gen_row
    // Row 1 gives its product 2, and row 2 its product 1, to element 0 of the beat.
    localparam logic [Lanes-1:0] SparseEnable =
        (row == 0) ? 3'b111 : (row == 1) ? 3'b011 : 3'b101;
    acclmt_dot_product #(
      .Prime(Prime),
      .Goldilocks(Goldilocks),
      .Reduction(Reduction)
    ) u_dot_product (
      .clk_i,
      .goldilocks_i,
      .prime_i,
      .element_i(operand[row]),
      .coefficient_i(coefficient[Lanes*row+:Lanes]),
      .first_i(product_first || (product_sparse && row != 0)),
      .enable_i(product_sparse ? SparseEnable : '1),
      .product_o(product[row]),
      .sum_o(sum[row]),
      .take_other_i(row == 0 && (sum_sparse || dot_at_sum)),
      .other_i(other_sum),
      .result_o(residue[row])
    );
    acclmt_mod_add #(
      .Prime(Prime),
      .Goldilocks(Goldilocks),
      .Reduction(Reduction)
    ) u_add_constant (
      .clk_i,
      .goldilocks_i,
      .prime_i,
      .a_i(residue[row]),
      .b_i(constant[row]),
      .sum_o(result[row])
    );
  end

  acclmt_accumulate #(
    .Goldilocks(Goldilocks)
  ) u_element_sum (
    .clk_i,
    .goldilocks_i,
    .first_i(1'b1),
    .enable_i(3'b011),
    .product_i({product[0][0], product[2][1], product[1][2]}),
    .sum_o(element_sum)
  );
  always_ff @(posedge clk_i) dot_sum_q <= sum[0];
  assign other_sum = dot_at_sum ? dot_sum_q : element_sum;

  // ---- The queues that close the loop -----------------------------------------------------------

  // A beat knows the number of its next round, whether it is partial, and whether there is one.
  acclmt_pkg::round_t next_round;
  logic next_done, next_partial;
  assign next_round = end_round + 1'b1;
  assign next_done = next_round == (end_last ? last_end : first_end);
  assign next_partial = end_last ? next_round < partial_end : next_round >= full_first_i;
  acclmt_beat_fifo #(
    .Width(Lanes * WordWidth + 4 + RoundWidth + TagWidth),
    .Depth(Places)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(beat_at_end),
    .last_i(end_beat_last),
    .data_i({end_waits, end_last, next_done, next_partial, next_round, end_tag, result}),
    .head_valid_o(queue_valid),
    .complete_o(queue_complete),
    .last_o(queue_last),
    .data_o({head_waits_for_first, head_last, head_done, head_partial, head_round, head_tag,
             queue_state}),
    .take_i(head_take)
  );

  logic [WordWidth-1:0] head_first;
  logic first_ready;
  acclmt_fifo #(
    .Width(WordWidth),
    .Depth(Places / 2)
  ) u_first_queue (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(dot_at_end),
    .ready_o(first_ready),
    .data_i(result[0]),
    .valid_o(first_valid),
    .ready_i(head_take && head_waits_for_first),
    .data_o(head_first)
  );
  assign head_valid = queue_valid && (first_valid || !head_waits_for_first);
  always_comb begin
    head_state = queue_state;
    if (head_waits_for_first) head_state[0] = head_first;
  end

  // ---- Output buffers ---------------------------------------------------------------------------

  logic [1:0] buffer_idle;
  for (genvar port = 0; port < 2; port++) begin : gen_output
    acclmt_state_buffer #(
      .Places(Places)
    ) u_output (
      .clk_i,
      .rst_ni,
      .clear_i,
      .beats_i(config_i.beats),
      .available_o(place_available[port]),
      .reserve_i(accept[port]),
      .valid_i(leave && head_last == (port == 1)),
      .last_i(queue_last),
      .state_i(head_state),
      .tag_i(head_tag),
      .valid_o(valid_o[port]),
      .take_i(take_i[port]),
      .state_o(state_o[port]),
      .tag_o(tag_o[port]),
      .idle_o(buffer_idle[port])
    );
  end
  assign idle_o = &buffer_idle;

  logic unused_bits;
  assign unused_bits = ^{config_i, sum, issue_last_beat, any_issued, product[0][2:1], product[1][1:0],
                         product[2][2], product[2][0]};

`ifndef SYNTHESIS
  round_in_range_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      queue_valid && !clear_i |-> head_round <= (head_last ? last_end : first_end))
  else $error("acclmt_full_round_engine: a state ran past its last round");
  one_round_at_a_time_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      start && !clear_i |-> !steps_q || round_ends)
  else $error("acclmt_full_round_engine: two rounds need the matrix in one cycle");
  one_reduction_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      dot_at_sum && beat_at_sum && !clear_i |-> sum_sparse)
  else $error("acclmt_full_round_engine: a dot product and a row need one reduction");
  first_has_room_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      dot_at_end && !clear_i |-> first_ready)
  else $error("acclmt_full_round_engine: a new element 0 comes and there is no room");
  no_write_while_busy_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      constant_write_i.valid |-> idle_o)
  else $error("acclmt_full_round_engine: a constant was written while states were inside");
`else
  logic unused_ready;
  assign unused_ready = first_ready;
`endif

endmodule
