  // A queue beside it: words leave in the order in which they came, none is lost, none is there twice.
  localparam int unsigned Most = Depth + 1;
  logic [Most-1:0][Width-1:0] queue_q;
  logic [$clog2(Most+1)-1:0] held_q;
  logic pop;
  assign pop = valid_o && ready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_q <= '0;
    else if (clear_i) held_q <= '0;
    else held_q <= held_q + $bits(held_q)'(push) - $bits(held_q)'(pop);
  end
  always_ff @(posedge clk_i) begin
    if (pop) queue_q <= queue_q >> Width;
    if (push) queue_q[held_q-$bits(held_q)'(pop)] <= data_i;
  end
  first_out_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_o |-> data_o == queue_q[0]);
  none_lost_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(held_q) == 32'(count_q) + 32'(head_valid_q));
  for (genvar i = 0; i < int'(Depth); i++) begin : gen_word
    word_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        32'(count_q) > i |->
        u_memory.gen_plain.u_memory.memory[(32'(read_pointer_q) + i) % Depth] == queue_q[i + 32'(head_valid_q)]);
  end
  // It takes a word when it is not full, and shows one two cycles behind it.
  shows_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      count_q != '0 && !clear_i |=> valid_o);
