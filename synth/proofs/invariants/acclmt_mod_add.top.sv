  // a + b, less the prime where it is not below it, with as many bits as that takes.
  logic [WordWidth-1:0] expected_q;
  logic [WordWidth:0] whole;
  logic [Slices-1:0][SliceWidth:0] of_slice;
  logic below_prime;
  always_comb begin
    whole = {1'b0, a_i} + {1'b0, b_i};
    below_prime = a_i < Prime && b_i < Prime;
    for (int s = 0; s < int'(Slices); s++) begin
      of_slice[s] = {1'b0, a_i[int'(SliceWidth)*s+:SliceWidth]} +
                    {1'b0, b_i[int'(SliceWidth)*s+:SliceWidth]};
    end
    if (goldilocks) begin
      below_prime = 1'b1;
      for (int s = 0; s < int'(Slices); s++) begin
        if (a_i[int'(SliceWidth)*s+:SliceWidth] >= acclmt_pkg::GoldilocksPrime ||
            b_i[int'(SliceWidth)*s+:SliceWidth] >= acclmt_pkg::GoldilocksPrime) begin
          below_prime = 1'b0;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    expected_q <= WordWidth'((whole >= {1'b0, Prime}) ? whole - {1'b0, Prime} : whole);
    for (int s = 0; s < int'(Slices); s++) begin
      if (goldilocks) begin
        expected_q[int'(SliceWidth)*s+:SliceWidth] <= SliceWidth'(
            (of_slice[s] >= {1'b0, acclmt_pkg::GoldilocksPrime})
                ? of_slice[s] - {1'b0, acclmt_pkg::GoldilocksPrime} : of_slice[s]);
      end
    end
  end
  residues_a : assume property (@(posedge clk_i) below_prime);
  sum_a : assert property (@(posedge clk_i) sum_o == expected_q);
