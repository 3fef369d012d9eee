// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Chooses among requests by turns: the first one at or behind the place whose turn it is.
///
/// Handshake:  `choice_o` in the cycle of the requests; the turn moves by `advance_i` only.
/// Latency:    none. Throughput: a choice a cycle.
module acclmt_turns #(
  /// Places.
  parameter int unsigned Count = 2
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// It is the turn of place 0.
  input logic clear_i,
  /// Requests, and the one that is chosen: one-hot, or none if there is no request.
  input logic [Count-1:0] request_i,
  output logic [Count-1:0] choice_o,
  /// The next turn is that of the place behind this one: one-hot, or none.
  input logic [Count-1:0] advance_i
);

  if (Count < 1) begin : gen_illegal_count
    $error("acclmt_turns: Count = %0d is not at least 1", Count);
  end

  /// The lowest bit that is set, alone.
  function automatic logic [Count-1:0] lowest(input logic [Count-1:0] bits);
    lowest = bits & (~bits + Count'(1));
  endfunction

  // The places at or behind the turn; none stands for all, as behind the last place.
  logic [Count-1:0] from_q, from;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) from_q <= '0;
    else if (clear_i) from_q <= '0;
    else if (advance_i != '0) from_q <= ~(advance_i | (advance_i - Count'(1)));
  end
  assign from = request_i & from_q;
  assign choice_o = lowest((from != '0) ? from : request_i);

`ifndef SYNTHESIS
  one_place_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0(advance_i) && $onehot0(choice_o))
  else $error("acclmt_turns: several places are chosen");
  choice_has_request_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      (choice_o & ~request_i) == '0 && (choice_o == '0) == (request_i == '0))
  else $error("acclmt_turns: the choice is none of the requests");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({request_i, advance_i}))
  else $error("acclmt_turns: a request is unknown");
  wraps_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      request_i != '0 && from_q != '0 && from == '0);
`endif

endmodule
