  // Counts of one group, whichever it is, by themselves.
  logic [IndexWidth-1:0] watched_q;
  always_ff @(posedge clk_i) if (!rst_ni) watched_q <= write_index;
  acclmt_tree_pkg::sibling_count_t written_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) written_q <= '0;
    else if (clear_i) written_q <= '0;
    else if (forget_i && forget_index == watched_q) written_q <= '0;
    else if (write_i && write_index == watched_q) written_q <= written_q + 1'b1;
  end
  counted_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      count_q[watched_q] == written_q);
  written_count_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      write_i && write_group_i[IndexWidth:1] == watched_q |-> written_count_o == written_q + 1'b1);
  look_count_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      look_group_i[IndexWidth:1] == watched_q |-> look_count_o == written_q);
