  // The square of the operand that came `Latency` cycles ago, of every squarer inside too.
  logic [2*Width*Latency-1:0] expected_q;
  always_ff @(posedge clk_i) begin
    expected_q <= (2 * Width * Latency)'({expected_q, (2 * Width)'(a_i) * (2 * Width)'(a_i)});
  end
  square_a : assert property (@(posedge clk_i)
      square_o == expected_q[2*Width*(Latency-1)+:2*Width]);
