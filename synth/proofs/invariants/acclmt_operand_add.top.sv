  // c + x, or p - x, with as many bits as that takes; in Goldilocks mode less p where it is not below it.
  logic [WordWidth-1:0] expected, expected_q;
  logic below_prime;
  logic [SliceWidth:0] whole;
  always_comb begin
    expected = (Negative && negative_i) ? Prime - element_i : coefficient_i + element_i;
    below_prime = coefficient_i < Prime && element_i < Prime;
    whole = '0;
    if (goldilocks) begin
      below_prime = 1'b1;
      for (int s = 0; s < int'(Slices); s++) begin
        whole = {1'b0, coefficient_i[int'(SliceWidth)*s+:SliceWidth]} +
                {1'b0, element_i[int'(SliceWidth)*s+:SliceWidth]};
        if (whole >= {1'b0, acclmt_pkg::GoldilocksPrime}) begin
          whole = whole - {1'b0, acclmt_pkg::GoldilocksPrime};
        end
        if (Negative && negative_i && s == 0) begin
          whole = {1'b0, acclmt_pkg::GoldilocksPrime - element_i[SliceWidth-1:0]};
        end
        expected[int'(SliceWidth)*s+:SliceWidth] = whole[SliceWidth-1:0];
        if (coefficient_i[int'(SliceWidth)*s+:SliceWidth] >= acclmt_pkg::GoldilocksPrime ||
            element_i[int'(SliceWidth)*s+:SliceWidth] >= acclmt_pkg::GoldilocksPrime) begin
          below_prime = 1'b0;
        end
      end
    end
  end
  always_ff @(posedge clk_i) expected_q <= expected;
  residues_a : assume property (@(posedge clk_i) below_prime);
  operand_a : assert property (@(posedge clk_i) operand_o == expected_q);
