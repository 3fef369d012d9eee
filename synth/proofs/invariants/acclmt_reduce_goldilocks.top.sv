  // Below the prime, and congruent to x0 + x1 * (2^32 - 1) - x2, with as many bits as that takes,
  // which is congruent to the value: 2^64 = 2^32 - 1 and 2^96 = -1.
  localparam int unsigned Wide = SliceWidth + 40;
  for (genvar s = 0; s < acclmt_pkg::Slices; s++) begin : gen_residue
    logic [Wide-1:0] total, left;
    logic [SliceWidth-1:0] residue;
    always_ff @(posedge clk_i) begin
      total <= Wide'(value_i[s][63:0]) + (Wide'(value_i[s][95:64]) << 32) -
               Wide'(value_i[s][95:64]) - Wide'(value_i[s][acclmt_pkg::ChunkWidth-1:96]);
    end
    assign residue = residue_o[SliceWidth*s+:SliceWidth];
    assign left = total - Wide'(residue);
    congruent_a : assert property (@(posedge clk_i)
        left == '0 || left == Wide'(acclmt_pkg::GoldilocksPrime) ||
        left == -Wide'(acclmt_pkg::GoldilocksPrime));
    canonical_a : assert property (@(posedge clk_i) residue < acclmt_pkg::GoldilocksPrime);
  end
