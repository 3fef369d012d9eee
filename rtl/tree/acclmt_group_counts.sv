// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Counts the nodes of each group of siblings that are in the node memory, whatever the order in
/// which they are written. A group is named by the address of its first node; every group has two
/// words at least, so that the upper bits of the address tell groups apart.
///
/// Handshake:  none. A group is counted from 0 after it was forgotten, and after a clear.
/// Latency:    none from an address to a count. Throughput: one write and one look-up a cycle.
module acclmt_group_counts #(
  /// Words of the node memory, a power of two.
  parameter int unsigned NodeWords = 512
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Forgets every node.
  input logic clear_i,
  /// A node of this group is written, and so many of its nodes are there then.
  input logic write_i,
  input acclmt_tree_pkg::group_address_t write_group_i,
  output acclmt_tree_pkg::sibling_count_t written_count_o,
  /// So many nodes of this group are there.
  input acclmt_tree_pkg::group_address_t look_group_i,
  output acclmt_tree_pkg::sibling_count_t look_count_o,
  /// Forgets the nodes of this group.
  input logic forget_i,
  input acclmt_tree_pkg::group_address_t forget_group_i
);

  localparam int unsigned Groups = NodeWords / 2;
  localparam int unsigned IndexWidth = $clog2(Groups);

  if (NodeWords < 4) begin : gen_illegal_words
    $error("acclmt_group_counts: NodeWords = %0d is not at least 4", NodeWords);
  end

  logic [Groups-1:0][acclmt_tree_pkg::SiblingCountWidth-1:0] count_q;
  logic [IndexWidth-1:0] write_index, look_index, forget_index;
  assign write_index = write_group_i[IndexWidth:1];
  assign look_index = look_group_i[IndexWidth:1];
  assign forget_index = forget_group_i[IndexWidth:1];

  // An index is decoded as a row and a column: what is written comes late, and goes to every group.
  localparam int unsigned Columns = 2 ** (IndexWidth / 2);
  localparam int unsigned Rows = Groups / Columns;
  logic [Rows-1:0] write_row, forget_row;
  logic [Columns-1:0] write_column, forget_column;
  always_comb begin
    for (int row = 0; row < int'(Rows); row++) begin
      write_row[row] = write_i && 32'(write_index) / Columns == 32'(row);
      forget_row[row] = forget_i && 32'(forget_index) / Columns == 32'(row);
    end
    for (int column = 0; column < int'(Columns); column++) begin
      write_column[column] = 32'(write_index) % Columns == 32'(column);
      forget_column[column] = 32'(forget_index) % Columns == 32'(column);
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else if (clear_i) count_q <= '0;
    else begin
      for (int group = 0; group < int'(Groups); group++) begin
        if (forget_row[group/int'(Columns)] && forget_column[group%int'(Columns)]) begin
          count_q[group] <= '0;
        end
        if (write_row[group/int'(Columns)] && write_column[group%int'(Columns)]) begin
          count_q[group] <= written_count_o;
        end
      end
    end
  end
  assign written_count_o = count_q[write_index] + 1'b1;
  assign look_count_o = count_q[look_index];

  logic unused_bits;
  assign unused_bits = ^{write_group_i, look_group_i, forget_group_i};

`ifndef SYNTHESIS
  forgotten_group_is_not_written_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      forget_i && write_i && !clear_i |-> forget_index != write_index)
  else $error("acclmt_group_counts: a node of a group is written while the group is forgotten");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({write_i, forget_i}))
  else $error("acclmt_group_counts: a command is unknown");
  both_c : cover property (@(posedge clk_i) disable iff (!rst_ni) forget_i && write_i);
`endif

endmodule
