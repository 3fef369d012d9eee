// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: the number of a pass within its visit, from its entry of the table of passes and
/// how often its loop was made before. Looks at the writes of acclmt_full_round_passes.
module acclmt_tb_pass_numbers (
  input logic clk_i,
  /// An entry is written: its index, the passes of its visit ahead of it; whether a loop ends with
  /// it, the first entry of that, and the passes that it has.
  input logic write_i,
  input acclmt_pkg::index_t index_i,
  input acclmt_pkg::pass_count_t passes_i,
  input logic loop_ends_i,
  input acclmt_pkg::pass_index_t loop_begin_i,
  input acclmt_pkg::pass_count_t loop_passes_i,
  /// A pass: its entry, and how often its loop was made before; its number.
  input acclmt_pkg::pass_index_t pass_i,
  input logic [7:0] count_i,
  output acclmt_pkg::pass_count_t number_o
);

  localparam int unsigned CountWidth = acclmt_pkg::PassCountWidth;
  logic [acclmt_pkg::PassTableDepth-1:0][CountWidth-1:0] first_q, loop_q;
  always_ff @(posedge clk_i) begin
    if (write_i) begin
      // A new table begins.
      if (index_i == '0) begin
        first_q <= '0;
        loop_q <= '0;
      end
      first_q[index_i[acclmt_pkg::PassIndexWidth-1:0]] <= passes_i;
      for (int i = 0; i < int'(acclmt_pkg::PassTableDepth); i++) begin
        if (loop_ends_i && i >= int'(loop_begin_i) && i <= int'(index_i)) begin
          loop_q[i] <= loop_passes_i;
        end
      end
    end
  end
  assign number_o = first_q[pass_i] + CountWidth'(count_i) * loop_q[pass_i];

endmodule
