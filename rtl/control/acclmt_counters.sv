// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Performance counters of a run: 64 bits each, cleared when a run starts and frozen when it ends.
///
/// Counter number n has the byte address 0x200 + 8 * n of the register map (`acclmt_reg_pkg`), but
/// for those of the hash engines from number 2 on, which begin at ENGINE2_HASHES.
/// Sub-engines are counted as busy in a window of the run: from the leaf `window_first_i` on, which
/// is counted from 0 as it leaves the leaf hash engine, to before the leaf `window_last_i`, or to
/// the end of the run if that is 0.
///
/// An event is in its counter two cycles after it.
///
/// Handshake:  none; `value_o` shows counter `select_i` in the same cycle (0 for a number without
///             counter).
module acclmt_counters #(
  /// Hash engines.
  parameter int unsigned NumEngines = 2
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Sets all counters to zero.
  input logic clear_i,
  /// A run is under way: count.
  input logic running_i,
  /// The window; stable during a run.
  input logic [31:0] window_first_i,
  input logic [31:0] window_last_i,
  /// Events of this cycle.
  input acclmt_pkg::events_t events_i,
  input acclmt_tree_pkg::node_traffic_t traffic_i,
  /// Of each hash engine: a permutation begins, the slot of a round is under way.
  input logic [NumEngines-1:0] hash_begun_i,
  input logic [NumEngines*acclmt_pkg::MaxSubEngines-1:0] busy_i,
  /// Read port.
  input logic [6:0] select_i,
  output logic [63:0] value_o,
  /// The number has a counter.
  output logic exists_o
);

  localparam int unsigned SubEngines = acclmt_pkg::MaxSubEngines;
  // Numbers of the register map.
  localparam int unsigned Cycles = 0;
  localparam int unsigned CycleFirstIn = 1;
  localparam int unsigned CycleLastIn = 2;
  localparam int unsigned CycleFirstLeaf = 3;
  localparam int unsigned CycleLastLeaf = 4;
  localparam int unsigned CycleFirstOut = 5;
  localparam int unsigned CycleLastOut = 6;
  localparam int unsigned StallIn = 7;
  localparam int unsigned MissingIn = 8;
  localparam int unsigned StallLeaf = 9;
  localparam int unsigned StarvedRoot = 10;
  localparam int unsigned StallOut = 11;
  localparam int unsigned WindowCycles = 12;
  // Those of a hash engine: permutations, and the work of its sub-engines. The first two hash
  // engines are before the high-water mark, the others behind it.
  localparam int unsigned EngineCounters = 1 + SubEngines;
  localparam int unsigned FirstEngine = 13;
  localparam int unsigned EarlyEngines = 2;
  localparam int unsigned HighWater = FirstEngine + EarlyEngines * EngineCounters;
  localparam int unsigned MoreEngines = HighWater + 1;
  localparam int unsigned NumCounters =
      MoreEngines + ((NumEngines > EarlyEngines) ? NumEngines - EarlyEngines : 0) * EngineCounters;

  /// The first counter of a hash engine.
  function automatic int first_of(input int engine);
    if (engine < int'(EarlyEngines)) first_of = int'(FirstEngine) + engine * int'(EngineCounters);
    else first_of = int'(MoreEngines) + (engine - int'(EarlyEngines)) * int'(EngineCounters);
  endfunction

  if (12'(acclmt_reg_pkg::RegCycles) != 12'h200 ||
      12'(acclmt_reg_pkg::RegWindowCycles) != 12'h200 + 12'(8 * WindowCycles) ||
      12'(acclmt_reg_pkg::RegLeafHashes) != 12'h200 + 12'(8 * first_of(0)) ||
      12'(acclmt_reg_pkg::RegRootBusyFull) != 12'h200 + 12'(8 * (first_of(1) + 1)) ||
      12'(acclmt_reg_pkg::RegHighWater) != 12'h200 + 12'(8 * HighWater) ||
      12'(acclmt_reg_pkg::RegEngine3Hashes) !=
      12'(acclmt_reg_pkg::RegEngine2Hashes) + 12'(8 * (first_of(3) - first_of(2))))
  begin : gen_illegal_map
    $error("acclmt_counters: the numbers of the counters do not agree with acclmt_reg_pkg");
  end

  // Events are counted in the cycle after them, so that they have one to get here.
  acclmt_pkg::events_t events_q;
  acclmt_tree_pkg::node_traffic_t traffic_q;
  logic [NumEngines-1:0] hash_begun_q;
  logic [NumEngines*SubEngines-1:0] busy_q;
  logic counting_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) counting_q <= 1'b0;
    else counting_q <= running_i && !clear_i;
  end
  always_ff @(posedge clk_i) begin
    events_q <= events_i;
    traffic_q <= traffic_i;
    hash_begun_q <= hash_begun_i;
    busy_q <= busy_i;
  end

  // ---- Counters ---------------------------------------------------------------------------------

  acclmt_tree_pkg::leaf_count_t leaves_q;
  logic in_window;
  assign in_window =
      leaves_q >= acclmt_tree_pkg::leaf_count_t'(window_first_i) &&
      (window_last_i == '0 || leaves_q < acclmt_tree_pkg::leaf_count_t'(window_last_i));

  // Counters that add one in each cycle of their event.
  logic [NumCounters-1:0] increment;
  always_comb begin
    increment = '0;
    increment[Cycles] = 1'b1;
    increment[StallIn] = events_q.input_stalled;
    increment[MissingIn] = events_q.input_missing;
    increment[StallLeaf] = events_q.leaf_stalled;
    increment[StarvedRoot] = events_q.root_starved;
    increment[StallOut] = events_q.output_stalled;
    increment[WindowCycles] = in_window;
    for (int e = 0; e < int'(NumEngines); e++) begin
      increment[first_of(e)] = hash_begun_q[e];
      if (in_window) begin
        increment[first_of(e)+1+:SubEngines] = busy_q[int'(SubEngines)*e+:SubEngines];
      end
    end
  end

  // Time stamps that take the number of the cycle, the first one only once.
  logic seen_in_q, seen_leaf_q, seen_out_q;
  logic [NumCounters-1:0] stamp;
  always_comb begin
    stamp = '0;
    stamp[CycleFirstIn] = events_q.input_taken && !seen_in_q;
    stamp[CycleLastIn] = events_q.input_taken;
    stamp[CycleFirstLeaf] = events_q.leaf_taken && !seen_leaf_q;
    stamp[CycleLastLeaf] = events_q.leaf_taken;
    stamp[CycleFirstOut] = events_q.output_taken && !seen_out_q;
    stamp[CycleLastOut] = events_q.output_taken;
  end

  logic [NumCounters-1:0][63:0] counter_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      counter_q <= '0;
      leaves_q <= '0;
      seen_in_q <= 1'b0;
      seen_leaf_q <= 1'b0;
      seen_out_q <= 1'b0;
    end else if (clear_i) begin
      counter_q <= '0;
      leaves_q <= '0;
      seen_in_q <= 1'b0;
      seen_leaf_q <= 1'b0;
      seen_out_q <= 1'b0;
    end else if (counting_q) begin
      for (int i = 0; i < int'(NumCounters); i++) begin
        if (stamp[i]) counter_q[i] <= counter_q[Cycles];
        else if (increment[i]) counter_q[i] <= counter_q[i] + 64'd1;
      end
      leaves_q <= leaves_q + acclmt_tree_pkg::leaf_count_t'(events_q.leaf_taken);
      seen_in_q <= seen_in_q || events_q.input_taken;
      seen_leaf_q <= seen_leaf_q || events_q.leaf_taken;
      seen_out_q <= seen_out_q || events_q.output_taken;
    end
  end

  // ---- High-water mark of the node memory -------------------------------------------------------

  localparam int unsigned WordsWidth = acclmt_tree_pkg::NodeAddressWidth;
  logic [WordsWidth-1:0] words_q, words_d, high_water_q;
  assign words_d = words_q + WordsWidth'(traffic_q.written) - WordsWidth'(traffic_q.freed_count);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      words_q <= '0;
      high_water_q <= '0;
    end else if (clear_i) begin
      words_q <= '0;
      high_water_q <= '0;
    end else if (counting_q) begin
      words_q <= words_d;
      if (words_d > high_water_q) high_water_q <= words_d;
    end
  end

  // ---- Reads ------------------------------------------------------------------------------------

  always_comb begin
    value_o = '0;
    for (int i = 0; i < int'(NumCounters); i++) begin
      if (select_i == 7'(i)) value_o = counter_q[i];
    end
    if (select_i == 7'(HighWater)) value_o = 64'(high_water_q);
  end
  assign exists_o = 32'(select_i) < NumCounters;

`ifndef SYNTHESIS
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({running_i, clear_i}))
  else $error("acclmt_counters: whether a run is under way is unknown");
  outside_window_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      counting_q && !in_window);
`endif

endmodule
