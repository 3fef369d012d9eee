// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Chooses what belongs to a parameter set, of a hash engine that has several.
///
/// Handshake: none. Latency: combinational.
module acclmt_set_select #(
  /// Parameter sets, and bits of what each of them has.
  parameter int unsigned NumSets = 1,
  parameter int unsigned Width = acclmt_pkg::EngineConfigWidth
) (
  /// What the sets have, set 0 in the low bits.
  input logic [NumSets*Width-1:0] values_i,
  /// The number of a set; without meaning if there is one set.
  input acclmt_pkg::set_t set_i,
  /// What that set has.
  output logic [Width-1:0] value_o
);

  if (NumSets < 1 || NumSets > acclmt_pkg::MaxNumSets) begin : gen_illegal_num_sets
    $error("acclmt_set_select: NumSets = %0d is not within 1..%0d", NumSets,
           acclmt_pkg::MaxNumSets);
  end

  always_comb begin
    value_o = values_i[Width-1:0];
    for (int set = 1; set < int'(NumSets); set++) begin
      if (set_i == acclmt_pkg::SetWidth'(set)) value_o = values_i[int'(Width)*set+:Width];
    end
  end

  if (NumSets == 1) begin : gen_one_set
    logic unused_set;
    assign unused_set = ^set_i;
  end

endmodule
