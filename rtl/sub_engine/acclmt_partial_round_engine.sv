// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Partial-round sub-engine: a segment of partial rounds of the Poseidon permutation, as a linear
/// recurrence (docs/half-the-products.md).
///
/// A state is the element y that passes the S-box, the output x of the S-box before it, and t - 1
/// sums S_1, S_2, .. that become y in the rounds to come. A round:
///
///     x' = sbox(y)
///     S_i += (a_i + x)(b_i + y) + eta      with eta = (p - x) y, the same for all sums
///     y' = x' + S_1 + k                    (one reduction)
///     S_1, .., S_m := S_2, .., S_m, 0      (the first `order` sums move up, the others stay)
///
/// In the first round of a hash, which comes from a full-round sub-engine, the sums are zero and in
/// place of y every sum takes a residue of its own. A state comes in beats of three places (in
/// Goldilocks mode of twelve): y and x are place 0, sum i is place i. Sums are not reduced
/// until they have become y; the last sub-engine hands them to `acclmt_sum_reduction`.
///
///     state -> slot -> S-box (y) ------------------------+-> + -> queue of y and x -+
///               ^      products -> sums -+-> reduction --+                          |
///               |                        +-> queue of beats ------------------------+
///               +-------------------------------------------------------------------+--> out
///
/// The pipeline never stalls: see `acclmt_slot_control`. States leave in the order in which they
/// entered. A segment without rounds passes states through.
///
/// Handshake:  states on both sides: `valid` shows a complete state, `take` takes a beat.
/// Latency:    a round takes `acclmt_timing_pkg::partial_loop_cycles` cycles, rounded up to the
///             grid.
/// Throughput: one state in `num_rounds_i` * g cycles, where g is the number of beats, and at least
///             2 with x^7, but in Goldilocks mode; with sets of different sizes a multiple of 2
///             with x^7.
module acclmt_partial_round_engine #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Beats whose constants fit, a power of two.
  parameter int unsigned Depth = 128,
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
  /// Goldilocks mode, run-time modulus, parameters of the sets, their rounds of this segment, and
  /// what they have in common: exponent, grid, beats of the largest states, and that no set has
  /// rounds here; stable while states are inside.
  input logic goldilocks_i,
  input acclmt_pkg::word_t prime_i,
  input logic [NumSets*acclmt_pkg::EngineConfigWidth-1:0] configs_i,
  input logic [NumSets*acclmt_pkg::RoundWidth-1:0] num_rounds_i,
  input acclmt_pkg::alpha_e alpha_i,
  input acclmt_pkg::beat_t grid_i,
  input acclmt_pkg::beat_t most_beats_i,
  input logic pass_through_i,
  /// Number of this sub-engine in constant writes; constant.
  input acclmt_pkg::sub_engine_t number_i,
  /// Writes of constants: banks 0..2 a and 3..5 b at index `partial_base` of the set + round *
  /// beats + beat, bank 6 the constant k at the index of beat 0.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// States that enter, with their tags.
  input logic valid_i,
  output logic take_o,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::LaneWidth-1:0] state_i,
  input acclmt_pkg::tag_t tag_i,
  /// States that leave.
  output logic valid_o,
  input logic take_i,
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::LaneWidth-1:0] state_o,
  output acclmt_pkg::tag_t tag_o,
  /// The slot of a round is under way (performance counter).
  output logic busy_o,
  /// No state is inside.
  output logic idle_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned LaneWidth = acclmt_pkg::LaneWidth;
  localparam int unsigned ProductWidth = acclmt_pkg::ProductWidth;
  localparam int unsigned Slices = acclmt_pkg::Slices;
  localparam int unsigned SliceWidth = acclmt_pkg::SliceWidth;
  localparam int unsigned ChunkWidth = acclmt_pkg::ChunkWidth;
  localparam int unsigned TagWidth = acclmt_pkg::TagWidth;
  localparam int unsigned RoundWidth = acclmt_pkg::RoundWidth;
  localparam int unsigned BeatWidth = acclmt_pkg::BeatWidth;
  localparam int unsigned AddressWidth = $clog2(Depth);
  localparam int unsigned Banks = acclmt_pkg::PartialBanks;
  localparam int unsigned BankConstant = Banks - 1;
  localparam int unsigned Places = acclmt_timing_pkg::places(int'(Reduction));
  // States whose new element waits for their slot. Of one set a state comes back as its slot does;
  // where slots of several lengths are mixed, one that enters in place of a shorter one delays
  // those behind it, until the loop is as long as all the beats inside.
  localparam int unsigned LoopCycles = acclmt_timing_pkg::partial_loop_cycles(int'(Reduction));
  localparam int unsigned FirstQueueDepth =
      (NumSets == 1) ? 16 : 2 ** $clog2(Places - LoopCycles + 8);

  // Cycles after a beat is issued at which something happens to it: its operands are there, its
  // products, its sums, and these have moved; the sum that is complete is reduced and its constant
  // added; the S-box has its output; the new element leaves.
  localparam int unsigned AtOperand = 1;
  localparam int unsigned AtProduct =
      AtOperand + acclmt_latency_pkg::OperandLatency + acclmt_latency_pkg::MulLatency;
  localparam int unsigned AtSum = AtProduct + 1;
  localparam int unsigned AtMoved = AtSum + 1;
  localparam int unsigned AtResidue =
      AtSum + acclmt_latency_pkg::ResolveLatency +
      acclmt_timing_pkg::reduce_latency(int'(Reduction));
  localparam int unsigned AtShare = AtResidue + acclmt_latency_pkg::AddLatency;
  localparam int unsigned AtOutput = acclmt_timing_pkg::sbox_latency(int'(Reduction));
  localparam int unsigned AtEnd = AtOutput + acclmt_latency_pkg::AddLatency;

  if (Depth < 4 || Depth > 256 || Depth != 2 ** AddressWidth) begin : gen_illegal_depth
    $error("acclmt_partial_round_engine: Depth = %0d is no power of two within 4..256", Depth);
  end

  logic goldilocks;
  assign goldilocks = Goldilocks && goldilocks_i;

  // ---- Which state takes the next slot ----------------------------------------------------------

  localparam int unsigned SetWidth = acclmt_pkg::SetWidth;
  localparam int unsigned TagSet = acclmt_pkg::TagSet;

  logic queue_valid, queue_complete, queue_last, first_valid, head_valid, head_take, head_begins_q;
  logic head_done;
  logic [Lanes-1:0][LaneWidth-1:0] queue_state, head_state;
  acclmt_pkg::tag_t head_tag;
  acclmt_pkg::round_t head_round;
  logic [AddressWidth-1:0] head_index;
  logic place_available, accept, control_take;
  logic issue, issue_first, issue_last, leave, output_valid;
  acclmt_pkg::beat_t issue_beat;

  // The parameters of the sets of the state that enters, of the one that comes round, and of a beat
  // that is issued.
  acclmt_pkg::engine_config_t new_config, head_config, of_issue;
  acclmt_set_select #(
    .NumSets(NumSets)
  ) u_new_config (
    .values_i(configs_i),
    .set_i(tag_i[TagSet+:SetWidth]),
    .value_o(new_config)
  );
  acclmt_set_select #(
    .NumSets(NumSets)
  ) u_head_config (
    .values_i(configs_i),
    .set_i(head_tag[TagSet+:SetWidth]),
    .value_o(head_config)
  );
  assign of_issue = control_take ? new_config : head_config;

  logic unused_take, unused_accept;
  acclmt_slot_control #(
    .Places(Places)
  ) u_control (
    .clk_i,
    .rst_ni,
    .clear_i,
    .grid_i,
    .most_beats_i,
    .head_valid_i(head_valid),
    .head_complete_i(queue_complete),
    .head_last_i(queue_last),
    .head_beats_i(head_config.beats),
    .head_arrival_i(BeatWidth'(1)),
    .head_done_i(head_done),
    .head_spacing_i(BeatWidth'(1)),
    .head_cycles_i(5'(head_config.partial_interval)),
    .head_take_o(head_take),
    .new_valid_i({1'b0, valid_i && !pass_through_i}),
    .new_place_i({1'b0, place_available}),
    .new_beats_i({2{new_config.beats}}),
    .new_spacing_i({2{BeatWidth'(1)}}),
    .new_cycles_i({2{5'(new_config.partial_interval)}}),
    .new_take_o({unused_take, control_take}),
    .new_accept_o({unused_accept, accept}),
    .issue_o(issue),
    .first_o(issue_first),
    .last_o(issue_last),
    .beat_o(issue_beat),
    .exit_o(leave),
    .busy_o
  );

  // The choice of a beat fills a cycle; what it begins comes in the next one. A beat knows the
  // index of its coefficients. Without a beat none is the first one, so that operands stay as they
  // are and cost no energy.
  logic issue_q, issue_first_q, issue_last_q;
  acclmt_pkg::beat_t issue_beat_q;
  logic [Lanes-1:0][LaneWidth-1:0] issue_state_q;
  acclmt_pkg::round_t issue_round_q;
  acclmt_pkg::tag_t issue_tag_q;
  logic [AddressWidth-1:0] issue_index_q;
  acclmt_pkg::round_t issue_round;
  assign issue_round = control_take ? '0 : head_round;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      issue_q <= 1'b0;
      issue_first_q <= 1'b0;
    end else begin
      issue_q <= issue && !clear_i;
      issue_first_q <= issue && issue_first && !clear_i;
    end
  end
  always_ff @(posedge clk_i) begin
    issue_beat_q <= issue_beat;
    issue_last_q <= issue_last;
    issue_state_q <= control_take ? state_i : head_state;
    issue_round_q <= issue_round;
    issue_tag_q <= control_take ? tag_i : head_tag;
    issue_index_q <=
        control_take ? new_config.partial_base[AddressWidth-1:0] + AddressWidth'(issue_beat)
                     : head_index;
  end

  // ---- Control that accompanies a beat ----------------------------------------------------------

  // The first round of a hash: residues, not sums, come in.
  logic fresh;
  assign fresh = issue_q && number_i == acclmt_pkg::SubEngineWidth'(1) && issue_round_q == '0;

  logic first_at_operand, fresh_at_product, first_at_product, unused_ahead;
  always_ff @(posedge clk_i) first_at_operand <= issue_first_q;
  logic to_product_fault;
  acclmt_delay #(
    .Width(2),
    .Cycles(AtProduct),
    .RegisterOutput(1'b1),
    .MemoryParity(MemoryParity)
  ) u_to_product (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(to_product_fault),
    .data_i({issue_first_q, fresh}),
    .data_o({first_at_product, fresh_at_product})
  );

  logic valid_at_moved, last_at_moved;
  acclmt_pkg::beat_t beat_at_moved;
  acclmt_pkg::round_t round_at_moved;
  acclmt_pkg::tag_t tag_at_moved;
  logic [AddressWidth-1:0] index_at_moved;
  logic to_moved_fault;
  acclmt_delay #(
    .Width(BeatWidth + 1 + RoundWidth + TagWidth + AddressWidth),
    .Cycles(AtMoved),
    .MemoryParity(MemoryParity)
  ) u_to_moved (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(to_moved_fault),
    .data_i({issue_beat_q, issue_last_q, issue_round_q, issue_tag_q, issue_index_q}),
    .data_o({beat_at_moved, last_at_moved, round_at_moved, tag_at_moved, index_at_moved})
  );
  acclmt_valid_pipe #(
    .Cycles(AtMoved)
  ) u_valid_to_moved (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(issue_q),
    .valid_o(valid_at_moved),
    .ahead_o(unused_ahead)
  );

  logic valid_at_end, constant_is_next;
  logic [AddressWidth-1:0] index_at_constant;
  acclmt_valid_pipe #(
    .Cycles(AtEnd),
    .Ahead(AtEnd - AtResidue + 1)
  ) u_first_to_end (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(issue_first_q),
    .valid_o(valid_at_end),
    .ahead_o(constant_is_next)
  );
  logic index_to_constant_fault;
  acclmt_delay #(
    .Width(AddressWidth),
    .Cycles(AtResidue - 1),
    .MemoryParity(MemoryParity)
  ) u_index_to_constant (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(index_to_constant_fault),
    .data_i(issue_index_q),
    .data_o(index_at_constant)
  );

  // Whether the output of the S-box enters the new element, when that is there.
  logic enters_at_output, enters_fault;
  if (NumSets == 1) begin : gen_one_set
    assign enters_at_output = new_config.output_enters;
    assign enters_fault = 1'b0;
  end else begin : gen_sets
    logic issue_enters_q;
    always_ff @(posedge clk_i) issue_enters_q <= of_issue.output_enters;
    acclmt_delay #(
      .Width(1),
      .Cycles(AtOutput),
      .MemoryParity(MemoryParity)
    ) u_enters (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .memory_fault_o(enters_fault),
      .data_i(issue_enters_q),
      .data_o(enters_at_output)
    );
  end

  // ---- Constants: read the cycle before they are used -------------------------------------------

  logic [Banks-1:0][WordWidth-1:0] constant;
  logic [Banks-1:0] bank_fault;
  for (genvar bank = 0; bank < Banks; bank++) begin : gen_bank
    acclmt_memory #(
      .Width(WordWidth),
      .Depth(Depth),
      .MemoryParity(MemoryParity)
    ) u_bank (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .memory_fault_o(bank_fault[bank]),
      .write_enable_i(constant_write_i.valid && constant_write_i.sub_engine == number_i &&
                      constant_write_i.bank == acclmt_pkg::BankWidth'(bank)),
      .write_address_i(constant_write_i.index[AddressWidth-1:0]),
      .write_data_i(constant_write_i.data),
      .read_enable_i((bank == BankConstant) ? constant_is_next : issue_q),
      .read_address_i((bank == BankConstant) ? index_at_constant : issue_index_q),
      .read_data_o(constant[bank])
    );
  end

  // ---- Products and sums ------------------------------------------------------------------------

  // Of the state: y, and x, which stay for its later beats. In Goldilocks mode they are in slice 0,
  // and are broadcast.
  logic [WordWidth-1:0] y, x, y_q, x_q;
  always_comb begin
    y = issue_state_q[0][WordWidth-1:0];
    x = issue_state_q[0][WordWidth+:WordWidth];
    if (goldilocks) begin
      y = {Slices{issue_state_q[0][SliceWidth-1:0]}};
      x = {Slices{issue_state_q[0][SliceWidth+:SliceWidth]}};
    end
    if (fresh) x = '0;
    if (!issue_first_q) begin
      y = y_q;
      x = x_q;
    end
  end
  always_ff @(posedge clk_i) begin
    y_q <= y;
    x_q <= x;
  end

  logic [Lanes-1:0][WordWidth-1:0] factor_q;
  always_ff @(posedge clk_i) begin
    for (int lane = 0; lane < int'(Lanes); lane++) begin
      factor_q[lane] <= fresh ? issue_state_q[lane][WordWidth-1:0] : y;
    end
  end

  // Place 0 has no sum; its multiplier makes eta, which stays for the later beats.
  logic [Lanes-1:0][ProductWidth-1:0] product;
  logic [ProductWidth-1:0] common, common_q, common_product;
  always_comb begin
    common_product = product[0];
    if (goldilocks) common_product = {Slices{product[0][2*SliceWidth-1:0]}};
    common = first_at_product ? common_product : common_q;
  end
  always_ff @(posedge clk_i) common_q <= common;

  logic [Lanes-1:0][LaneWidth-1:0] sum_at_product;
  logic sums_fault;
  acclmt_delay #(
    .Width(Lanes * LaneWidth),
    .Cycles(AtProduct),
    .MemoryParity(MemoryParity)
  ) u_sums (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(sums_fault),
    .data_i(issue_state_q),
    .data_o(sum_at_product)
  );

  logic [Lanes-1:0][Slices-1:0][ChunkWidth-1:0] sum;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    acclmt_pair_product #(
      .Prime(Prime),
      .Goldilocks(Goldilocks),
      .Reduction(Reduction),
      .Negative(lane == 0)
    ) u_product (
      .clk_i,
      .goldilocks_i,
      .prime_i,
      .a_i(constant[lane]),
      .x_i(x_q),
      .b_i(constant[Lanes+lane]),
      .y_i(factor_q[lane]),
      .negative_i(lane == 0 && first_at_operand),
      .product_o(product[lane])
    );
    acclmt_slot_sum u_sum (
      .clk_i,
      .keep_i(!fresh_at_product),
      .sum_i(sum_at_product[lane]),
      .product_i(product[lane]),
      .common_i(common),
      .sum_o(sum[lane])
    );
  end

  // ---- The new element --------------------------------------------------------------------------

  // Sum 1 is complete; it is in lane 1 of the first beat.
  // The sums of the later beats are not reduced, and in Goldilocks mode those beside it.
  logic first_at_sum_q;
  logic [Slices-1:0][ChunkWidth-1:0] complete, resolved_q;
  logic [WordWidth-1:0] residue, share, share_at_output, output_of_sbox, output_q, new_first;
  always_comb begin
    complete = sum[1];
    if (goldilocks) complete[Slices-1:1] = '0;
  end
  always_ff @(posedge clk_i) begin
    first_at_sum_q <= first_at_product;
    if (first_at_sum_q) resolved_q <= acclmt_pkg::resolve_carries(goldilocks, complete);
  end
  acclmt_reduce #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction)
  ) u_reduce (
    .clk_i,
    .goldilocks_i,
    .prime_i,
    .value_i(resolved_q),
    .residue_o(residue)
  );
  acclmt_mod_add #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction)
  ) u_add_constant (
    .clk_i,
    .goldilocks_i,
    .prime_i,
    .a_i(residue),
    .b_i(constant[BankConstant]),
    .sum_o(share)
  );
  logic share_fault;
  acclmt_delay #(
    .Width(WordWidth),
    .Cycles(AtOutput - AtShare),
    .RegisterOutput(1'b1),
    .MemoryParity(MemoryParity)
  ) u_share (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(share_fault),
    .data_i(share),
    .data_o(share_at_output)
  );
  // Of a state only y passes the S-box, which holds it still for the later beats; in Goldilocks
  // mode nothing is beside it.
  logic [WordWidth-1:0] to_sbox;
  always_comb begin
    to_sbox = y;
    if (goldilocks) to_sbox[WordWidth-1:SliceWidth] = '0;
  end
  acclmt_pkg::word_t unused_x;
  acclmt_pkg::sbox_e power;
  always_comb begin
    case (alpha_i)
      acclmt_pkg::AlphaThree: power = acclmt_pkg::SboxThird;
      acclmt_pkg::AlphaSeven: power = acclmt_pkg::SboxSeventh;
      default: power = acclmt_pkg::SboxFifth;
    endcase
  end
  logic sbox_fault;
  acclmt_sbox #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .Single(1'b1),
    .MemoryParity(MemoryParity)
  ) u_sbox (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(sbox_fault),
    .clear_i,
    .goldilocks_i,
    .prime_i,
    .power_i(power),
    .valid_i(issue_first_q),
    .x_i(to_sbox),
    .x_o(unused_x),
    .base_i('0),
    .bypass_i('0),
    .y_o(output_of_sbox)
  );
  acclmt_mod_add #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction)
  ) u_add_output (
    .clk_i,
    .goldilocks_i,
    .prime_i,
    .a_i(enters_at_output ? output_of_sbox : '0),
    .b_i(share_at_output),
    .sum_o(new_first)
  );
  always_ff @(posedge clk_i) output_q <= output_of_sbox;

  // ---- Sums move up -----------------------------------------------------------------------------

  // A beat moves when the next one is there, whose lane 0 may come into its lane 2. Place q has
  // sum q + 1 if that one moves, nothing if sum q is the last one that does, or sum q. Place 0 is
  // free for y and x.
  acclmt_pkg::engine_config_t of_moved;
  acclmt_pkg::round_t rounds_of_moved;
  acclmt_set_select #(
    .NumSets(NumSets)
  ) u_moved_config (
    .values_i(configs_i),
    .set_i(tag_at_moved[TagSet+:SetWidth]),
    .value_o(of_moved)
  );
  acclmt_set_select #(
    .NumSets(NumSets),
    .Width(RoundWidth)
  ) u_moved_rounds (
    .values_i(num_rounds_i),
    .set_i(tag_at_moved[TagSet+:SetWidth]),
    .value_o(rounds_of_moved)
  );
  localparam int unsigned PlaceWidth = acclmt_pkg::ElementCountWidth;
  logic [Lanes-1:0][LaneWidth-1:0] sum_q, moved;
  always_ff @(posedge clk_i) sum_q <= sum;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_moved_lane
    for (genvar s = 0; s < Slices; s++) begin : gen_moved_slice
      localparam int unsigned Lsb = ChunkWidth * s;
      logic [PlaceWidth-1:0] place;
      logic [ChunkWidth-1:0] following;
      assign place = PlaceWidth'(lane) + PlaceWidth'(Lanes) *
                     (goldilocks ? PlaceWidth'({beat_at_moved[0], 2'(s)})
                                 : PlaceWidth'(beat_at_moved));
      // The sum of the place that follows: in the next lane, or behind lane 2 in lane 0.
      if (lane + 1 < Lanes) begin : gen_next_lane
        assign following = sum_q[lane+1][Lsb+:ChunkWidth];
      end else if (s + 1 < Slices) begin : gen_next_slice
        assign following = goldilocks ? sum_q[0][Lsb+ChunkWidth+:ChunkWidth] : sum[0][s];
      end else begin : gen_next_beat
        assign following = goldilocks ? sum[0][0] : sum[0][s];
      end
      always_comb begin
        moved[lane][Lsb+:ChunkWidth] = sum_q[lane][Lsb+:ChunkWidth];
        if (place < of_moved.order) moved[lane][Lsb+:ChunkWidth] = following;
        else if (place == of_moved.order) moved[lane][Lsb+:ChunkWidth] = '0;
      end
    end
  end

  // ---- The queues that close the loop -----------------------------------------------------------

  // A beat knows the number of its next round, the index of its coefficients, and whether there is
  // such a round.
  acclmt_pkg::round_t next_round;
  logic [AddressWidth-1:0] next_index;
  assign next_round = round_at_moved + 1'b1;
  assign next_index = index_at_moved + AddressWidth'(of_moved.beats);
  logic queue_fault;
  acclmt_beat_fifo #(
    .Width(1 + Lanes * LaneWidth + RoundWidth + TagWidth + AddressWidth),
    .Depth(Places),
    .MemoryParity(MemoryParity)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(queue_fault),
    .clear_i,
    .valid_i(valid_at_moved),
    .last_i(last_at_moved),
    .data_i({next_round == rounds_of_moved, next_round, next_index, tag_at_moved, moved}),
    .head_valid_o(queue_valid),
    .complete_o(queue_complete),
    .last_o(queue_last),
    .data_o({head_done, head_round, head_index, head_tag, queue_state}),
    .take_i(head_take)
  );

  // The new element and the output of the S-box leave with the first beat.
  logic [1:0][WordWidth-1:0] head_first;
  logic first_ready;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) head_begins_q <= 1'b1;
    else if (clear_i) head_begins_q <= 1'b1;
    else if (head_take) head_begins_q <= queue_last;
  end
  logic first_queue_fault;
  acclmt_fifo #(
    .Width(2 * WordWidth),
    .Depth(FirstQueueDepth),
    .MemoryParity(MemoryParity)
  ) u_first_queue (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(first_queue_fault),
    .clear_i,
    .valid_i(valid_at_end),
    .ready_o(first_ready),
    .data_i({output_q, new_first}),
    .valid_o(first_valid),
    .ready_i(head_take && head_begins_q),
    .data_o(head_first)
  );
  assign head_valid = queue_valid && (first_valid || !head_begins_q);
  always_comb begin
    head_state = queue_state;
    if (head_begins_q) begin
      head_state[0][2*SliceWidth-1:0] = {head_first[1][SliceWidth-1:0],
                                         head_first[0][SliceWidth-1:0]};
      if (!goldilocks) head_state[0] = LaneWidth'(head_first);
    end
  end

  logic unused_bits;
  assign unused_bits = ^{new_config, head_config, of_issue, of_moved,
                         issue_state_q[0][LaneWidth-1:2*WordWidth]};

  // ---- Output buffer ----------------------------------------------------------------------------

  logic [Lanes-1:0][LaneWidth-1:0] buffer_state;
  acclmt_pkg::tag_t buffer_tag;
  logic output_fault;
  acclmt_state_buffer #(
    .LaneWidth(LaneWidth),
    .Places(Places),
    .NumSets(NumSets),
    .MemoryParity(MemoryParity)
  ) u_output (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(output_fault),
    .clear_i,
    .configs_i,
    .reserve_beats_i(new_config.beats),
    .most_beats_i,
    .available_o(place_available),
    .reserve_i(accept),
    .valid_i(leave),
    .last_i(queue_last),
    .state_i(head_state),
    .tag_i(head_tag),
    .valid_o(output_valid),
    .take_i(take_i && !pass_through_i),
    .state_o(buffer_state),
    .tag_o(buffer_tag),
    .idle_o
  );
  assign take_o = pass_through_i ? take_i : control_take;
  assign valid_o = pass_through_i ? valid_i : output_valid;
  assign state_o = pass_through_i ? state_i : buffer_state;
  assign tag_o = pass_through_i ? tag_i : buffer_tag;

  // ---- Faults of memories -----------------------------------------------------------------------

  logic memory_fault, memory_fault_q;
  assign memory_fault = to_product_fault || to_moved_fault || index_to_constant_fault ||
                        enters_fault || bank_fault != '0 || sums_fault || share_fault ||
                        sbox_fault || queue_fault || first_queue_fault || output_fault;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) memory_fault_q <= 1'b0;
    else memory_fault_q <= memory_fault;
  end
  assign memory_fault_o = memory_fault_q;

`ifndef SYNTHESIS
  // The last round of each set, and its order.
  acclmt_pkg::engine_config_t of_issued;
  acclmt_pkg::round_t rounds_of_issued;
  acclmt_set_select #(
    .NumSets(NumSets)
  ) u_issued_config (
    .values_i(configs_i),
    .set_i(issue_tag_q[TagSet+:SetWidth]),
    .value_o(of_issued)
  );
  acclmt_set_select #(
    .NumSets(NumSets),
    .Width(RoundWidth)
  ) u_issued_rounds (
    .values_i(num_rounds_i),
    .set_i(issue_tag_q[TagSet+:SetWidth]),
    .value_o(rounds_of_issued)
  );
  logic unused_issued;
  assign unused_issued = ^of_issued;
  round_in_range_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      issue_q |-> issue_round_q < rounds_of_issued)
  else $error("acclmt_partial_round_engine: a state ran past its last round");
  order_in_range_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      issue_q |-> of_issued.order != '0 && of_issued.order < of_issued.width)
  else $error("acclmt_partial_round_engine: %0d sums move up", of_issued.order);
  sbox_rests_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !issue_first_q |-> $stable({x, y}))
  else $error("acclmt_partial_round_engine: operands change and no state begins a round");
  first_has_room_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_at_end && !clear_i |-> first_ready)
  else $error("acclmt_partial_round_engine: a new element 0 comes and there is no room");
  no_write_while_busy_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      constant_write_i.valid |-> idle_o)
  else $error("acclmt_partial_round_engine: a constant was written while states were inside");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, take_o, valid_o, take_i}))
  else $error("acclmt_partial_round_engine: a handshake is unknown");
  pass_through_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      pass_through_i && valid_i && take_i);
  waits_for_element_0_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      queue_valid && head_begins_q && !first_valid);
  no_place_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i && !pass_through_i && !place_available);
`else
  logic unused_ready;
  assign unused_ready = first_ready;
`endif

endmodule
