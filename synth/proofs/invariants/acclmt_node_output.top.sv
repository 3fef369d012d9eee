  // Nodes of one level, whichever it is, have their numbers in their order.
  logic [acclmt_tree_pkg::LevelWidth-1:0] watched_q;
  always_ff @(posedge clk_i) if (!rst_ni) watched_q <= level_i;
  level_exists_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      32'(level_i) < NumLevels && 32'(watched_q) < NumLevels);
  logic [IndexWidth-1:0] nodes_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) nodes_q <= '0;
    else if (clear_i) nodes_q <= '0;
    else if (valid_i && ready_o && end_i && level_i == watched_q) nodes_q <= nodes_q + 1'b1;
  end
  number_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      index_q[watched_q] == nodes_q);
  label_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i && level_i == watched_q |-> label.index == nodes_q && label.level == level_i && label.last == last_i);
