  // The product of the operands that came `Latency` cycles ago, of every multiplier inside too.
  logic [2*Width*Latency-1:0] expected_q;
  always_ff @(posedge clk_i) begin
    expected_q <= (2 * Width * Latency)'({expected_q, (2 * Width)'(a_i) * (2 * Width)'(b_i)});
  end
  product_a : assert property (@(posedge clk_i)
      product_o == expected_q[2*Width*(Latency-1)+:2*Width]);
