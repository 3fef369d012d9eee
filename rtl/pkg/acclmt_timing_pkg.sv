// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Latencies of blocks that are made of others (see acclmt_latency_pkg for those of the blocks
/// themselves), in cycles, and what fits in the buffers that the latencies ask for.
/// `states_that_fit` and `most_rows` depend on the configuration, the others are constant functions
/// of the parameters.
package acclmt_timing_pkg;

  /// Montgomery reduction.
  function automatic int reduce_latency(input int reduction);
    if (reduction == int'(acclmt_pkg::ReductionRuntime)) begin
      reduce_latency =
          int'(acclmt_latency_pkg::RuntimeDigits + acclmt_latency_pkg::RuntimeReduceStages);
    end else begin
      reduce_latency = int'(acclmt_latency_pkg::ReduceLatency);
    end
  endfunction

  /// Multiplication or squaring followed by its reduction.
  function automatic int mod_mul_latency(input int reduction);
    mod_mul_latency = int'(acclmt_latency_pkg::MulLatency) + reduce_latency(reduction);
  endfunction

  /// S-box: the longest chain of three modular multiplications.
  function automatic int sbox_latency(input int reduction);
    sbox_latency = 3 * mod_mul_latency(reduction);
  endfunction

  /// Dot product: products, their sum, the reduction.
  function automatic int dot_latency(input int reduction);
    dot_latency = int'(acclmt_latency_pkg::MulLatency + acclmt_latency_pkg::AccumulateLatency) +
                  reduce_latency(reduction);
  endfunction

  /// One partial round on a partial-round sub-engine, from issue to re-issue.
  function automatic int partial_loop_cycles(input int reduction);
    partial_loop_cycles =
        sbox_latency(reduction) +
        int'(acclmt_latency_pkg::IssueLatency + acclmt_latency_pkg::AddLatency +
             acclmt_latency_pkg::FifoLatency);
  endfunction

  /// One round of a state of one beat on a full-round sub-engine, from issue to re-issue.
  function automatic int full_loop_cycles(input int reduction);
    full_loop_cycles =
        partial_loop_cycles(reduction) + dot_latency(reduction) +
        int'(acclmt_latency_pkg::TurnLatency + acclmt_latency_pkg::OperandLatency);
  endfunction

  /// A dense layer of one step, from its start in a full-round sub-engine until its beat comes
  /// back.
  function automatic int dense_latency(input int reduction);
    dense_latency =
        full_loop_cycles(reduction) - sbox_latency(reduction) -
        int'(acclmt_latency_pkg::IssueLatency + acclmt_latency_pkg::FifoLatency);
  endfunction

  /// Beats that fit in a sub-engine, and in each of its output buffers: enough to keep the loop
  /// full with states of one to four beats.
  function automatic int places(input int reduction);
    if (reduction == int'(acclmt_pkg::ReductionRuntime)) begin
      places = int'(acclmt_latency_pkg::RuntimePlaces);
    end else begin
      places = int'(acclmt_latency_pkg::ConstantPlaces);
    end
  endfunction

  /// States that fit in the turn memory, where layers are made by adders.
  function automatic int turn_states(input int reduction);
    if (reduction == int'(acclmt_pkg::ReductionRuntime)) begin
      turn_states = int'(acclmt_latency_pkg::RuntimeTurnStates);
    end else begin
      turn_states = int'(acclmt_latency_pkg::ConstantTurnStates);
    end
  endfunction

  /// States of so many beats that fit in a buffer for `capacity` beats.
  function automatic int states_that_fit(input int capacity, input acclmt_pkg::beat_t beats);
    case (beats)
      3'd2: states_that_fit = capacity / 2;
      3'd3: states_that_fit = capacity / 3;
      3'd4: states_that_fit = capacity / 4;
      default: states_that_fit = capacity;
    endcase
  endfunction

  /// Output buffers that states can fill while they wait in a hash engine: one for each of the two
  /// visits of a full-round sub-engine, and one for each partial-round sub-engine with rounds; one
  /// without rounds is a wire.
  function automatic int waiting_buffers(input logic [acclmt_pkg::MaxNumPartial-1:0] has_rounds);
    waiting_buffers = 2;
    for (int i = 0; i < int'(acclmt_pkg::MaxNumPartial); i++) begin
      if (has_rounds[i]) waiting_buffers = waiting_buffers + 1;
    end
  endfunction

  /// Whether `engines` hash engines have room for a group of rows and for `node_limit` nodes each,
  /// in states of so many beats. A buffer may lack up to three beats for the next state, and the
  /// first engine gets a row more than others where they do not go round.
  /// `shared_rows_fit` of the driver is the same rule.
  function automatic logic shared_rows_fit(
      input int reduction, input logic [15:0] group, input int engines,
      input acclmt_pkg::beat_t row_beats, input acclmt_pkg::node_limit_t node_limit,
      input acclmt_pkg::beat_t node_beats, input logic [acclmt_pkg::MaxNumPartial-1:0] has_rounds);
    int room, taken;
    room = engines * waiting_buffers(has_rounds) *
           (places(reduction) - int'(acclmt_pkg::MaxBeats) + 1);
    taken = (int'(group) + engines - 1) * int'(row_beats) +
            engines * int'(node_limit) * int'(node_beats);
    shared_rows_fit = taken <= room;
  endfunction

  /// Most rows of blocks that can be under way together in a hash engine (ROW_GROUP), for states of
  /// so many beats: all first blocks of a group come before the first second block, so that the
  /// states of a whole group wait in the output buffers of the sub-engines.
  /// `ChipRegisters::most_rows` of the driver is the same rule.
  function automatic int most_rows(input int reduction, input acclmt_pkg::beat_t beats,
                                   input logic [acclmt_pkg::MaxNumPartial-1:0] has_rounds);
    most_rows = waiting_buffers(has_rounds) * states_that_fit(places(reduction), beats);
  endfunction

endpackage
