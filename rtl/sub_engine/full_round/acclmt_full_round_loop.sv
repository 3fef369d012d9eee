// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Loop closure of a full-round sub-engine: which state takes the next slot, which pass of its
/// program that is, the queue of the states that come round, and the output buffers of both visits.
///
/// What a pass is says an entry of the table (`acclmt_full_round_passes`). It accompanies a state
/// from the moment it comes round, so that nothing is looked up in the cycle of the choice. States
/// that come for their last visit have precedence over new ones.
///
/// The last pass of a hash makes the beat of its digest only, where that is the first one, and so
/// has a shorter slot, in which it takes a beat a cycle; the state that leaves has one beat. With
/// x^7, and where a state is not final, it is a pass like others.
///
/// Where layers are made by adders, states are of one or two beats and `acclmt_adder_control`
/// chooses: a state may also enter behind the S-boxes, dense layers come back past the queue, and
/// states leave as they come out of their last layer.
///
/// Handshake:  states on all four ports: `valid` shows a complete state, `take` takes a beat.
///             Towards the pipeline none: a beat that is issued comes back after its round.
/// Latency:    1 cycle from the choice of a beat to `issue_o`; 2 from a beat that comes back to the
///             choice. Throughput: one beat a cycle, in slots (see `acclmt_slot_control`).
module acclmt_full_round_loop #(
  /// Kind of reduction, and whether there are adders.
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  parameter bit Adders = 1'b0,
  /// States that fit in the turn memory.
  parameter int unsigned TurnDepth = 16,
  /// Whether tags say that a state is not final.
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
  /// Parameters of the sets, the first passes of both visits of each, the grid of the slots and the
  /// beats of the largest states; stable while states are inside.
  input logic [NumSets*acclmt_pkg::EngineConfigWidth-1:0] configs_i,
  input logic [1:0][NumSets*acclmt_pkg::PassFirstWidth-1:0] first_i,
  input acclmt_pkg::beat_t grid_i,
  input acclmt_pkg::beat_t most_beats_i,
  /// Layers are made by adders, those of states of two beats; the second passes of the last visit
  /// of each set, which follow a dense layer.
  input logic adders_i,
  input logic two_beats_i,
  input logic [NumSets*acclmt_pkg::PassEntryWidth-1:0] second_i,
  /// States of port 0 (first visit) and port 1 (last visit) that enter, with their tags.
  input logic [1:0] valid_i,
  output logic [1:0] take_o,
  input logic [1:0][acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_i,
  input logic [1:0][acclmt_pkg::TagWidth-1:0] tag_i,
  /// A beat enters the pipeline: its number in its state, whether it is the last one; the pass;
  /// whether it makes the beat of the digest only; what the program says of the state, and its tag.
  output logic issue_o,
  output acclmt_pkg::beat_t issue_beat_o,
  output logic issue_last_beat_o,
  output acclmt_pkg::pass_entry_t issue_entry_o,
  output logic issue_digest_o,
  output acclmt_pkg::pass_label_t issue_label_o,
  output acclmt_pkg::tag_t issue_tag_o,
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] issue_state_o,
  /// With adders: the multipliers begin a dense layer, and may do so in this cycle.
  input logic dense_start_i,
  output logic may_start_o,
  /// With adders: a beat enters behind the S-boxes; it is on its last visit, and so for a dense
  /// layer; it is the second one and the last one of its state; what the program says of it, the
  /// first step of its matrix, and its tag.
  output logic enter_o,
  output logic enter_dense_o,
  output logic enter_beat_o,
  output logic enter_last_beat_o,
  output acclmt_pkg::pass_label_t enter_label_o,
  output acclmt_pkg::index_t enter_matrix_o,
  output acclmt_pkg::tag_t enter_tag_o,
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] enter_state_o,
  /// A beat comes out of the adders, see `end_i`.
  input logic layer_i,
  input logic layer_beat_last_i,
  input acclmt_pkg::pass_label_t layer_label_i,
  input acclmt_pkg::tag_t layer_tag_i,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] layer_state_i,
  /// A beat comes back: the last one of its state; what the program says of the state, its tag, and
  /// its next pass, or that of a beat that comes out of the adders.
  input logic end_i,
  input logic end_beat_last_i,
  input acclmt_pkg::pass_label_t end_label_i,
  input acclmt_pkg::tag_t end_tag_i,
  input acclmt_pkg::pass_entry_t end_entry_i,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] end_state_i,
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
  localparam int unsigned TagWidth = acclmt_pkg::TagWidth;
  localparam int unsigned EntryWidth = acclmt_pkg::PassEntryWidth;
  localparam int unsigned FirstWidth = acclmt_pkg::PassFirstWidth;
  localparam int unsigned BeatWidth = acclmt_pkg::BeatWidth;
  localparam int unsigned Places = acclmt_timing_pkg::places(int'(Reduction));

  localparam int unsigned ConfigWidth = acclmt_pkg::EngineConfigWidth;
  localparam int unsigned SetWidth = acclmt_pkg::SetWidth;
  localparam int unsigned TagSet = acclmt_pkg::TagSet;

  logic adders;
  assign adders = Adders && adders_i;

  // The beat that goes into the queue: of the multipliers, or of the adders.
  acclmt_pkg::pass_label_t queue_label;
  acclmt_pkg::tag_t queue_tag;
  logic [Lanes-1:0][WordWidth-1:0] queued_state;
  assign queue_label = adders ? layer_label_i : end_label_i;
  assign queue_tag = adders ? layer_tag_i : end_tag_i;
  assign queued_state = adders ? layer_state_i : end_state_i;

  // Of the states of both ports, the one at the head of the queue, and the one that comes
  // back: the parameters of their sets.
  localparam int unsigned OfNew = 0;
  localparam int unsigned OfNewLast = 1;
  localparam int unsigned OfHead = 2;
  localparam int unsigned OfEnd = 3;
  localparam int unsigned NumLooks = 4;
  acclmt_pkg::tag_t head_tag;
  logic [NumLooks-1:0][SetWidth-1:0] look_set;
  logic [NumLooks-1:0][ConfigWidth-1:0] look_config;
  assign look_set[OfNew] = tag_i[0][TagSet+:SetWidth];
  assign look_set[OfNewLast] = tag_i[1][TagSet+:SetWidth];
  assign look_set[OfHead] = head_tag[TagSet+:SetWidth];
  assign look_set[OfEnd] = queue_tag[TagSet+:SetWidth];
  for (genvar look = 0; look < NumLooks; look++) begin : gen_look
    acclmt_set_select #(
      .NumSets(NumSets)
    ) u_config (
      .values_i(configs_i),
      .set_i(look_set[look]),
      .value_o(look_config[look])
    );
  end
  acclmt_pkg::engine_config_t new_config, new_last_config, head_config, end_config;
  assign new_config = look_config[OfNew];
  assign new_last_config = look_config[OfNewLast];
  assign head_config = look_config[OfHead];
  assign end_config = look_config[OfEnd];

  // The first passes of the states of both ports.
  acclmt_pkg::pass_first_t new_first, new_last_first;
  logic [1:0][FirstWidth-1:0] first;
  for (genvar port = 0; port < 2; port++) begin : gen_first
    acclmt_set_select #(
      .NumSets(NumSets),
      .Width(FirstWidth)
    ) u_first (
      .values_i(first_i[port]),
      .set_i(tag_i[port][TagSet+:SetWidth]),
      .value_o(first[port])
    );
  end
  assign new_first = first[0];
  assign new_last_first = first[1];

  // ---- Which state takes the next slot ----------------------------------------------------------

  logic queue_complete, queue_last, head_valid, head_take, head_last, head_done, head_digest;
  acclmt_pkg::beat_t head_spacing, new_last_spacing;
  logic [4:0] head_cycles, new_last_cycles;
  logic [Lanes-1:0][WordWidth-1:0] head_state;
  logic [EntryWidth-1:0] head_entry;
  acclmt_pkg::pass_entry_t head_entry_of;
  assign head_entry_of = head_entry;
  acclmt_pkg::pass_index_t head_pass;
  logic [7:0] head_count;
  acclmt_pkg::index_t head_vector;
  logic new_digest;
  assign new_digest = new_last_first.entry.leaves && new_last_config.digest_short &&
                      !(Sponge && tag_i[1][acclmt_pkg::TagContinues]);

  logic [1:0] place_available, accept, slot_accept, slot_take, line_accept;
  logic issue, issue_last_beat, leave, unused_first, slot_issue, slot_head_take, slot_busy;
  logic line_issue, line_beat, line_return, line_new, line_head_take;
  logic enter, enter_last, enter_beat;
  logic [1:0] line_take;
  acclmt_pkg::beat_t issue_beat;
  assign head_spacing = head_digest ? BeatWidth'(1) : head_config.spacing;
  assign head_cycles = head_digest ? 5'(head_config.beats) : 5'(head_config.full_interval);
  assign new_last_spacing = new_digest ? BeatWidth'(1) : new_last_config.spacing;
  assign new_last_cycles =
      new_digest ? 5'(new_last_config.beats) : 5'(new_last_config.full_interval);
  acclmt_slot_control #(
    .Places(Places)
  ) u_control (
    .clk_i,
    .rst_ni,
    .clear_i,
    .grid_i,
    .most_beats_i,
    .head_valid_i(head_valid && !adders),
    .head_complete_i(queue_complete),
    .head_last_i(queue_last),
    .head_beats_i(head_config.beats),
    .head_arrival_i(head_config.steps),
    .head_done_i(head_done),
    .head_spacing_i(head_spacing),
    .head_cycles_i(head_cycles),
    .head_take_o(slot_head_take),
    .new_valid_i(adders ? 2'b0 : valid_i),
    .new_place_i(place_available),
    .new_beats_i({new_last_config.beats, new_config.beats}),
    .new_spacing_i({new_last_spacing, new_config.spacing}),
    .new_cycles_i({new_last_cycles, 5'(new_config.full_interval)}),
    .new_take_o(slot_take),
    .new_accept_o(slot_accept),
    .issue_o(slot_issue),
    .first_o(unused_first),
    .last_o(issue_last_beat),
    .beat_o(issue_beat),
    .exit_o(leave),
    .busy_o(slot_busy)
  );

  logic head_dense, end_leaves, layer_leaves;
  assign head_dense = head_entry_of.leaves && !head_last;
  assign end_leaves = adders && end_i && end_label_i.leaves;
  assign layer_leaves = adders && layer_i && layer_label_i.leaves;
  if (Adders) begin : gen_adder_control
    acclmt_adder_control #(
      .Places(Places),
      .Lead(acclmt_timing_pkg::sbox_latency(int'(Reduction))),
      .Layer(acclmt_timing_pkg::dense_latency(int'(Reduction))),
      .TurnDepth(TurnDepth)
    ) u_adder_control (
      .clk_i,
      .rst_ni,
      .clear_i,
      .enable_i(adders),
      .two_beats_i,
      .head_valid_i(head_valid),
      .head_dense_i(head_dense),
      .head_take_o(line_head_take),
      .return_i(end_i && !end_label_i.leaves && !(two_beats_i && end_beat_last_i)),
      .new_valid_i(valid_i),
      .new_place_i(place_available),
      .new_enters_i(new_first.entry.sbox == acclmt_pkg::SboxNone),
      .new_dense_i(new_first.entry.leaves),
      .new_accept_o(line_accept),
      .new_take_o(line_take),
      .left_i(2'(end_leaves && end_beat_last_i) + 2'(layer_leaves && layer_beat_last_i)),
      .start_i(dense_start_i),
      .may_start_o,
      .issue_o(line_issue),
      .issue_return_o(line_return),
      .issue_new_o(line_new),
      .issue_beat_o(line_beat),
      .enter_o(enter),
      .enter_last_o(enter_last),
      .enter_beat_o(enter_beat)
    );
  end else begin : gen_slots_only
    assign {line_head_take, line_issue, line_beat, line_return, line_new} = '0;
    assign {enter, enter_last, enter_beat, may_start_o} = '0;
    assign line_accept = '0;
    assign line_take = '0;
    logic unused_line;
    assign unused_line = ^{head_dense, end_leaves, layer_leaves, layer_i, layer_beat_last_i,
                           two_beats_i, dense_start_i, second_i, adders_i};
  end
  assign issue = slot_issue || line_issue;
  assign head_take = slot_head_take || line_head_take;
  assign accept = slot_accept | line_accept;
  assign take_o = slot_take | line_take;
  assign busy_o = slot_busy || line_issue;

  // The beat that comes back from the dense layer of its last visit: of two the first one waits for
  // the second one.
  acclmt_pkg::pass_label_t back_label;
  acclmt_pkg::tag_t back_tag;
  logic [Lanes-1:0][WordWidth-1:0] back_state;
  if (Adders) begin : gen_back
    acclmt_pkg::pass_label_t held_label_q;
    acclmt_pkg::tag_t held_tag_q;
    logic [Lanes*WordWidth-1:0] held_state_q;
    logic hold, is_held;
    // Without two beats, what goes through leaves nothing of them.
    assign hold = !two_beats_i || (end_i && !end_beat_last_i);
    assign is_held = two_beats_i && !line_beat;
    always_ff @(posedge clk_i) begin
      if (hold) begin
        held_label_q <= end_label_i;
        held_tag_q <= end_tag_i;
        held_state_q <= end_state_i;
      end
    end
    assign back_label = is_held ? held_label_q : end_label_i;
    assign back_tag = is_held ? held_tag_q : end_tag_i;
    assign back_state = is_held ? held_state_q : end_state_i;
  end else begin : gen_no_back
    assign back_label = end_label_i;
    assign back_tag = end_tag_i;
    assign back_state = end_state_i;
  end

  // Of a beat: the visit, the pass, how often its loop has been made, its constant vector.
  logic [Lanes-1:0][WordWidth-1:0] issue_state;
  logic [EntryWidth-1:0] issue_entry;
  acclmt_pkg::pass_index_t issue_pass;
  logic [7:0] issue_count;
  acclmt_pkg::index_t issue_vector;
  acclmt_pkg::tag_t issue_tag;
  logic issue_last, issue_digest;
  logic [EntryWidth-1:0] second_entry;
  acclmt_set_select #(
    .NumSets(NumSets),
    .Width(EntryWidth)
  ) u_second (
    .values_i(second_i),
    .set_i(back_tag[TagSet+:SetWidth]),
    .value_o(second_entry)
  );
  always_comb begin
    issue_state = head_state;
    issue_entry = head_entry;
    issue_pass = head_pass;
    issue_count = head_count;
    issue_vector = head_vector;
    issue_tag = head_tag;
    issue_last = head_last;
    issue_digest = head_digest;
    if (Adders && line_return) begin
      issue_state = back_state;
      issue_entry = second_entry;
      issue_pass = back_label.next;
      issue_count = back_label.count;
      issue_vector = back_label.constants;
      if (back_label.add) begin
        issue_vector = back_label.constants + acclmt_pkg::IndexWidth'(most_beats_i);
      end
      issue_tag = back_tag;
      issue_last = 1'b1;
      issue_digest = 1'b0;
    end else if (slot_take[1]) begin
      issue_state = state_i[1];
      issue_entry = new_last_first.entry;
      issue_pass = new_last_first.pass;
      issue_count = '0;
      issue_vector = new_last_first.constants;
      issue_tag = tag_i[1];
      issue_last = 1'b1;
      issue_digest = new_digest;
    end else if (slot_take[0] || line_new) begin
      issue_state = state_i[0];
      issue_entry = new_first.entry;
      issue_pass = new_first.pass;
      issue_count = '0;
      issue_vector = new_first.constants;
      issue_tag = tag_i[0];
      issue_last = 1'b0;
      issue_digest = 1'b0;
    end
  end

  // The choice of a beat fills a cycle; what it begins comes in the next one. Without a beat the
  // operands of the S-boxes stay as they are and cost no energy.
  logic [EntryWidth-1:0] issue_entry_q;
  acclmt_pkg::pass_index_t issue_pass_q;
  logic [7:0] issue_count_q;
  acclmt_pkg::index_t issue_vector_q;
  logic issue_last_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) issue_o <= 1'b0;
    else issue_o <= issue && !clear_i;
  end
  always_ff @(posedge clk_i) begin
    issue_beat_o <= adders ? BeatWidth'(line_beat) : issue_beat;
    issue_last_beat_o <= adders ? line_beat || !two_beats_i : issue_last_beat;
    issue_entry_q <= issue_entry;
    issue_pass_q <= issue_pass;
    issue_count_q <= issue_count;
    issue_vector_q <= issue_vector;
    issue_last_q <= issue_last;
    issue_digest_o <= issue_digest;
    if (issue) issue_state_o <= issue_state;
    issue_tag_o <= issue_tag;
  end
  assign issue_entry_o = issue_entry_q;

  // What enters behind the S-boxes is the first pass of a visit, and is no loop.
  if (Adders) begin : gen_enter
    logic enter_last_q;
    acclmt_pkg::pass_first_t enter_first_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        enter_o <= 1'b0;
        enter_dense_o <= 1'b0;
      end else begin
        enter_o <= enter && !clear_i;
        enter_dense_o <= enter && enter_last && !clear_i;
      end
    end
    always_ff @(posedge clk_i) begin
      enter_last_q <= enter_last;
      enter_beat_o <= enter_beat;
      enter_last_beat_o <= enter_beat || !two_beats_i;
      enter_first_q <= enter_last ? first[1] : first[0];
      enter_tag_o <= tag_i[enter_last];
      enter_state_o <= state_i[enter_last];
    end
    always_comb begin
      enter_label_o.last = enter_last_q;
      enter_label_o.leaves = 1'b0;
      enter_label_o.next = enter_first_q.pass + 1'b1;
      enter_label_o.count = '0;
      enter_label_o.add = enter_first_q.entry.add;
      enter_label_o.constants = enter_first_q.constants;
    end
    assign enter_matrix_o = enter_first_q.entry.matrix;
    logic unused_enter;
    assign unused_enter = ^enter_first_q;
  end else begin : gen_no_enter
    assign enter_o = 1'b0;
    assign enter_dense_o = 1'b0;
    assign enter_beat_o = 1'b0;
    assign enter_last_beat_o = 1'b0;
    assign enter_label_o = '0;
    assign enter_matrix_o = '0;
    assign enter_tag_o = '0;
    assign enter_state_o = '0;
    logic unused_enter;
    assign unused_enter = ^{enter, enter_last, enter_beat};
  end

  // The pass behind it: the first one of its loop, or the next entry of the table.
  logic is_loop, again;
  logic [7:0] next_count;
  assign is_loop = issue_entry_o.times != '0;
  assign next_count = issue_count_q + 1'b1;
  assign again = is_loop && next_count != issue_entry_o.times;
  always_comb begin
    issue_label_o.last = issue_last_q;
    issue_label_o.leaves = issue_entry_o.leaves;
    issue_label_o.next = again ? issue_entry_o.next : issue_pass_q + 1'b1;
    issue_label_o.count = issue_count_q;
    if (is_loop) issue_label_o.count = again ? next_count : '0;
    issue_label_o.add = issue_entry_o.add;
    issue_label_o.constants = issue_vector_q;
  end

  // ---- The queue that closes the loop -----------------------------------------------------------

  // A beat knows its next pass, whether that makes the beat of the digest only, and whether there
  // is one.
  acclmt_pkg::pass_entry_t next_entry;
  acclmt_pkg::index_t next_vector;
  logic next_digest;
  assign next_entry = queue_label.leaves ? EntryWidth'(0) : end_entry_i;
  assign next_vector =
      queue_label.constants +
      (queue_label.add ? acclmt_pkg::IndexWidth'(end_config.beats) : '0);
  // The last pass of a final state.
  assign next_digest = end_config.digest_short && queue_label.last && next_entry.leaves &&
                       !(Sponge && queue_tag[acclmt_pkg::TagContinues]);
  localparam int unsigned QueueWidth = Lanes * WordWidth + 3 + EntryWidth +
      acclmt_pkg::PassIndexWidth + 8 + acclmt_pkg::IndexWidth + TagWidth;
  logic queue_fault;
  acclmt_beat_fifo #(
    .Width(QueueWidth),
    .Depth(Places),
    .MemoryParity(MemoryParity)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(queue_fault),
    .clear_i,
    .valid_i(adders ? layer_i && !layer_label_i.leaves : end_i),
    .last_i(adders ? layer_beat_last_i : end_beat_last_i),
    .data_i({queue_label.last, queue_label.leaves, next_digest, next_entry, queue_label.next,
             queue_label.count, next_vector, queue_tag, queued_state}),
    .head_valid_o(head_valid),
    .complete_o(queue_complete),
    .last_o(queue_last),
    .data_o({head_last, head_done, head_digest, head_entry, head_pass, head_count, head_vector,
             head_tag, head_state}),
    .take_i(head_take)
  );

  // ---- Output buffers ---------------------------------------------------------------------------

  logic [1:0] buffer_idle, output_fault;
  for (genvar port = 0; port < 2; port++) begin : gen_output
    acclmt_state_buffer #(
      .Places(Places),
      .NumSets(NumSets),
      .MemoryParity(MemoryParity)
    ) u_output (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .memory_fault_o(output_fault[port]),
      .clear_i,
      .configs_i,
      .reserve_beats_i((port == 1) ? new_last_config.beats : new_config.beats),
      .most_beats_i,
      .available_o(place_available[port]),
      .reserve_i(accept[port]),
      .valid_i((port == 1) ? (leave && head_last) || layer_leaves
                           : (leave && !head_last) || end_leaves),
      .last_i(!adders ? queue_last : (port == 1) ? layer_beat_last_i : end_beat_last_i),
      .state_i(!adders ? head_state : (port == 1) ? layer_state_i : end_state_i),
      .tag_i(!adders ? head_tag : (port == 1) ? layer_tag_i : end_tag_i),
      .valid_o(valid_o[port]),
      .take_i(take_i[port]),
      .state_o(state_o[port]),
      .tag_o(tag_o[port]),
      .idle_o(buffer_idle[port])
    );
  end
  assign idle_o = &buffer_idle;

  logic unused_bits;
  assign unused_bits = ^{new_config, new_last_config, head_config, end_config, head_entry_of,
                         back_label, second_entry, layer_label_i, layer_tag_i, layer_state_i};

  assign memory_fault_o = queue_fault || output_fault != '0;

`ifndef SYNTHESIS
  program_known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      issue_o |-> !$isunknown({issue_entry_q, issue_pass_q, issue_count_q, issue_vector_q}))
  else $error("acclmt_full_round_loop: the pass of a state is unknown");
  sbox_rests_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !issue_o && !$past(clear_i) |-> $stable(issue_state_o))
  else $error("acclmt_full_round_loop: operands of the S-boxes change without a beat");
  within_table_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      issue_o |-> issue_entry_o.leaves || again || issue_pass_q != '1)
  else $error("acclmt_full_round_loop: a program goes on behind the table");
  one_visit_leaves_layer_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      layer_leaves |-> layer_label_i.last)
  else $error("acclmt_full_round_loop: a first visit ends with a layer of the adders");
  one_visit_leaves_end_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      adders && end_i |-> end_label_i.leaves != end_label_i.last)
  else $error("acclmt_full_round_loop: a dense layer is at neither end of the recurrence");
  layer_needs_adders_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      layer_i |-> adders)
  else $error("acclmt_full_round_loop: a state comes out of adders that are not in use");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, take_o, valid_o, take_i, issue_o, end_i}))
  else $error("acclmt_full_round_loop: a handshake is unknown");
  last_visit_first_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      accept[1] && valid_i[0]);
  comes_round_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      issue && issue_beat == '0 && accept == '0);
  digest_round_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      issue_o && issue_beat_o == '0 && issue_digest_o);
  digest_round_waits_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      head_valid && head_digest && !queue_complete);
  layer_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      issue_o && issue_entry_o.sbox == acclmt_pkg::SboxNone);
  again_c : cover property (@(posedge clk_i) disable iff (!rst_ni) issue_o && again);
  loop_ends_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      issue_o && is_loop && !again);
  long_loop_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      issue_o && again && issue_entry_o.next != issue_pass_q);
  no_vector_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      issue_o && !issue_entry_o.add);
  no_place_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i[0] && !place_available[0]);
`endif

endmodule
