  // Places that are reserved for what is still in the pipeline: a datum comes only where one is.
  logic [CountWidth-1:0] coming_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) coming_q <= '0;
    else if (clear_i) coming_q <= '0;
    else coming_q <= coming_q + CountWidth'(reserve_i) - CountWidth'(valid_i);
  end
  datum_has_place_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i |-> coming_q != '0 || reserve_i);
  none_lost_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(taken_q) == 32'(coming_q) + 32'(u_fifo.count_q) + 32'(u_fifo.head_valid_q));
  within_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(taken_q) <= Places);
  never_full_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i |-> fifo_ready);
