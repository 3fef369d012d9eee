  within_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(count_q) <= Depth && write_pointer_q <= Last && read_pointer_q <= Last);
  pointers_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      (32'(read_pointer_q) + 32'(count_q)) % Depth == 32'(write_pointer_q));
