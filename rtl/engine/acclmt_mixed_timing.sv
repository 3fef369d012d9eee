// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// What the parameter sets that are mixed in a hash engine have in common: the exponent, and when
/// slots and matrices begin.
///
/// Slots begin on a grid only where all of them are of one length, or where the S-boxes need it
/// (x^7: an element in two cycles, but on partial-round sub-engines in Goldilocks mode). The matrix
/// of a full-round sub-engine starts as late after the first element of a round as that of the set
/// that needs longest, so that no round waits for the one before.
///
/// Handshake: none. Latency: combinational; all inputs are stable during a run.
module acclmt_mixed_timing #(
  /// Parameter sets.
  parameter int unsigned NumSets = 1
) (
  /// Parameters of the sets, set 0 in the low bits, and which of them are in use, at least one.
  input logic [NumSets*acclmt_pkg::EngineConfigWidth-1:0] configs_i,
  input logic [NumSets-1:0] sets_i,
  /// Goldilocks mode.
  input logic goldilocks_i,
  /// Exponent of the S-box.
  output acclmt_pkg::alpha_e alpha_o,
  /// The grid on which slots begin, of the full-round and of the partial-round sub-engines.
  output acclmt_pkg::beat_t full_grid_o,
  output acclmt_pkg::beat_t partial_grid_o,
  /// Beats of the largest states.
  output acclmt_pkg::beat_t most_beats_o,
  /// Cycles that the matrix of a full-round sub-engine starts later than its first element is
  /// there.
  output logic [3:0] skew_o,
  /// There is no recurrence: partial-round sub-engines have no rounds, and states pass their exit.
  output logic no_recurrence_o,
  /// Layers of the full-round sub-engines are made by adders.
  output logic adders_o
);

  localparam int unsigned ConfigWidth = acclmt_pkg::EngineConfigWidth;
  localparam int unsigned BeatWidth = acclmt_pkg::BeatWidth;

  logic [NumSets-1:0][1:0] alpha;
  logic [NumSets-1:0][BeatWidth-1:0] full_grid, partial_interval, beats;
  logic [NumSets-1:0][3:0] skew;
  logic [NumSets-1:0] no_recurrence, adders;
  for (genvar set = 0; set < NumSets; set++) begin : gen_set
    acclmt_pkg::engine_config_t of_set;
    assign of_set = configs_i[ConfigWidth*set+:ConfigWidth];
    assign alpha[set] = of_set.alpha;
    assign full_grid[set] = of_set.grid;
    assign beats[set] = of_set.beats;
    assign partial_interval[set] = of_set.partial_interval;
    assign skew[set] = of_set.skew;
    assign no_recurrence[set] = of_set.order == '0;
    assign adders[set] = of_set.adders;
    logic unused_bits;
    assign unused_bits = ^of_set;
  end

  // The first set in use, and what another one changes.
  logic found, intervals_differ;
  logic [1:0] first_alpha;
  always_comb begin
    found = 1'b0;
    intervals_differ = 1'b0;
    first_alpha = alpha[0];
    full_grid_o = full_grid[0];
    partial_grid_o = partial_interval[0];
    most_beats_o = beats[0];
    skew_o = skew[0];
    no_recurrence_o = no_recurrence[0];
    adders_o = adders[0];
    for (int set = 0; set < int'(NumSets); set++) begin
      if (sets_i[set] && !found) begin
        first_alpha = alpha[set];
        full_grid_o = full_grid[set];
        partial_grid_o = partial_interval[set];
        most_beats_o = beats[set];
        skew_o = skew[set];
        no_recurrence_o = no_recurrence[set];
        adders_o = adders[set];
      end else if (sets_i[set]) begin
        if (full_grid[set] < full_grid_o) full_grid_o = full_grid[set];
        if (partial_interval[set] != partial_grid_o) intervals_differ = 1'b1;
        if (beats[set] > most_beats_o) most_beats_o = beats[set];
        if (skew[set] > skew_o) skew_o = skew[set];
      end
      if (sets_i[set]) found = 1'b1;
    end
    if (intervals_differ) begin
      partial_grid_o =
          (first_alpha == acclmt_pkg::AlphaSeven && !goldilocks_i) ? BeatWidth'(2) : BeatWidth'(1);
    end
  end
  assign alpha_o = acclmt_pkg::alpha_e'(first_alpha);

endmodule
