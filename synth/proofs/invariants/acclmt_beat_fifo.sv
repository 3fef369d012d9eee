  // Last beats that are inside, counted one by one.
  logic [31:0] lasts;
  always_comb begin
    lasts = 32'(head_valid_o && last_o);
    for (int unsigned i = 0; i < Depth; i++) begin
      if (32'(u_fifo.count_q) > i) begin
        lasts = lasts + 32'(u_fifo.u_memory.gen_plain.u_memory.memory[(32'(u_fifo.read_pointer_q) + i) % Depth][Width]);
      end
    end
  end
  complete_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(complete_q) == lasts);
