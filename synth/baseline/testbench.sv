// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Passes the vectors of a file (modulus, -1/modulus, a, b, expected residue; hexadecimal, a line
/// each) through the baseline multiplier, one a cycle for each modulus, and compares.
module testbench;

  localparam int unsigned Latency = 20;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  logic [255:0] prime, negative_inverse, a, b, residue, expected;
  logic [Latency:0][255:0] waiting = '0;
  logic [Latency:0] valid = '0;

  acclmt_baseline_montgomery u_dut (
    .clk_i(clk),
    .rst_ni(rst_n),
    .prime_i(prime),
    .negative_inverse_i(negative_inverse),
    .a_i(a),
    .b_i(b),
    .residue_o(residue)
  );

  always #1 clk = !clk;

  int file, count, wrong;
  string path;
  logic [255:0] next_prime;

  // One cycle: what entered Latency cycles ago is compared just before the clock edge.
  task automatic cycle(input logic enters);
    waiting = {waiting[Latency-1:0], expected};
    valid = {valid[Latency-1:0], enters};
    @(negedge clk);
    if (valid[Latency-1]) begin
      count++;
      if (residue != waiting[Latency-1]) begin
        wrong++;
        $display("wrong: vector %0d: %h instead of %h", count, residue, waiting[Latency-1]);
      end
    end
  endtask

  initial begin
    if (!$value$plusargs("vectors=%s", path)) $fatal(1, "no +vectors=FILE");
    file = $fopen(path, "r");
    if (file == 0) $fatal(1, "%s cannot be opened", path);
    {prime, negative_inverse, a, b, expected} = '0;
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    while ($fscanf(file, "%h %h %h %h %h\n", next_prime, negative_inverse, a, b, expected) == 5) begin
      prime = next_prime;
      cycle(1'b1);
    end
    repeat (Latency + 2) cycle(1'b0);
    $display("compared %0d, wrong %0d", count, wrong);
    $finish;
  end

endmodule
