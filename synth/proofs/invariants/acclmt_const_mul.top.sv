  // The product by the operator, and what its columns below tell of those that are not delivered.
  logic [HighColumn-1:0] product;
  logic [HighColumn-LowColumn-1:0] delivered;
  assign product = x1_i * HighColumn'(Constant);
  if (LowColumn == 0) begin : gen_all
    assign delivered = sum_o + carry_o;
  end else begin : gen_high
    assign delivered =
        sum_o + carry_o + (HighColumn - LowColumn)'(below_o && !product[LowColumn-1]);
  end
  always_comb begin
    assume (x3_i == x1_i + x1_i + x1_i);
    assume (x5_i == x3_i + x1_i + x1_i);
    assert (delivered == product[HighColumn-1:LowColumn]);
  end
