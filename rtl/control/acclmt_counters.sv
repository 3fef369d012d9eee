// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Performance counters of a run: 64 bits each, cleared when a run starts and frozen when it ends.
///
/// Counter number n has the byte address 0x200 + 8 * n of the register map (`acclmt_reg_pkg`).
///
/// Handshake:  none; `value_o` shows counter `select_i` in the same cycle (0 for a number without
///             counter).
module acclmt_counters (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Sets all counters to zero.
  input logic clear_i,
  /// A run is under way: count.
  input logic running_i,
  /// Events of this cycle.
  input acclmt_pkg::events_t events_i,
  /// Read port.
  input logic [4:0] select_i,
  output logic [63:0] value_o,
  /// The number has a counter.
  output logic exists_o
);

  localparam int unsigned SubEngines = acclmt_pkg::MaxNumPartial + 1;
  // Numbers of the register map.
  localparam int unsigned Cycles = 0;
  localparam int unsigned CycleFirstIn = 1;
  localparam int unsigned CycleLastIn = 2;
  localparam int unsigned CycleFirstOut = 3;
  localparam int unsigned CycleLastOut = 4;
  localparam int unsigned StallIn = 5;
  localparam int unsigned StallOut = 6;
  localparam int unsigned LeafBusyFullLast = 7;
  localparam int unsigned LeafHashes = 8;
  localparam int unsigned LeafBusy = 9;
  localparam int unsigned RootHashes = 16;
  localparam int unsigned RootBusy = 17;
  localparam int unsigned RootBusyFullLast = RootBusy + SubEngines;
  localparam int unsigned NumCounters = RootBusyFullLast + 1;

  if (12'(acclmt_reg_pkg::RegCycles) != 12'h200 ||
      12'(acclmt_reg_pkg::RegStallOut) != 12'h200 + 12'(8 * StallOut) ||
      12'(acclmt_reg_pkg::RegLeafBusyFullLast) != 12'h200 + 12'(8 * LeafBusyFullLast) ||
      12'(acclmt_reg_pkg::RegRootBusyFullLast) != 12'h200 + 12'(8 * RootBusyFullLast) ||
      12'(acclmt_reg_pkg::RegLeafBusyFull) != 12'h200 + 12'(8 * LeafBusy) ||
      12'(acclmt_reg_pkg::RegRootBusyFull) != 12'h200 + 12'(8 * RootBusy)) begin : gen_illegal_map
    $error("acclmt_counters: the numbers of the counters do not agree with acclmt_reg_pkg");
  end

  // Counters that add one in each cycle of their event.
  logic [NumCounters-1:0] increment;
  always_comb begin
    increment = '0;
    increment[Cycles] = 1'b1;
    increment[StallIn] = events_i.input_stalled;
    increment[StallOut] = events_i.output_stalled;
    increment[LeafHashes] = events_i.leaf_hash_done;
    increment[LeafBusy+:SubEngines] = events_i.leaf_busy[SubEngines-1:0];
    increment[LeafBusyFullLast] = events_i.leaf_busy[SubEngines];
    increment[RootHashes] = events_i.root_hash_done;
    increment[RootBusy+:SubEngines] = events_i.root_busy[SubEngines-1:0];
    increment[RootBusyFullLast] = events_i.root_busy[SubEngines];
  end

  // Time stamps that take the number of the cycle, the first one only once.
  logic seen_in_q, seen_out_q;
  logic [NumCounters-1:0] stamp;
  always_comb begin
    stamp = '0;
    stamp[CycleFirstIn] = events_i.input_taken && !seen_in_q;
    stamp[CycleLastIn] = events_i.input_taken;
    stamp[CycleFirstOut] = events_i.output_taken && !seen_out_q;
    stamp[CycleLastOut] = events_i.output_taken;
  end

  logic [NumCounters-1:0][63:0] counter_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      counter_q <= '0;
      seen_in_q <= 1'b0;
      seen_out_q <= 1'b0;
    end else if (clear_i) begin
      counter_q <= '0;
      seen_in_q <= 1'b0;
      seen_out_q <= 1'b0;
    end else if (running_i) begin
      for (int i = 0; i < int'(NumCounters); i++) begin
        if (stamp[i]) counter_q[i] <= counter_q[Cycles];
        else if (increment[i]) counter_q[i] <= counter_q[i] + 64'd1;
      end
      seen_in_q <= seen_in_q || events_i.input_taken;
      seen_out_q <= seen_out_q || events_i.output_taken;
    end
  end

  assign exists_o = 32'(select_i) < NumCounters;
  assign value_o = exists_o ? counter_q[select_i] : '0;

endmodule
