// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: the sweep of a zeroisation over a node memory and over the constants of a small
/// hash engine. Says how many words of the node memory are not zero afterwards, and how
/// many constants were not overwritten, for tb/tests/faults.rs.
module acclmt_tb_zeroiser;

  localparam int unsigned NumFull = 2;
  localparam int unsigned NumPartial = 2;
  localparam int unsigned MatrixDepth = 32;
  localparam int unsigned ConstantDepth = 16;
  localparam int unsigned PartialDepth = 4;
  localparam int unsigned MaxHeight = 5;
  localparam int unsigned NodeWords = 2048;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  always #5 clk = !clk;

  logic start = 1'b0;
  logic run_done = 1'b0;
  logic busy, flush, constant_valid, done;
  logic [3:0] sub_engine;
  logic [acclmt_pkg::BankWidth-1:0] bank;
  logic [acclmt_pkg::IndexWidth-1:0] index;
  acclmt_tree_pkg::node_sweep_t node_sweep;
  acclmt_zeroiser #(
    .NumFull(NumFull),
    .NumPartial(NumPartial),
    .MatrixDepth(MatrixDepth),
    .ConstantDepth(ConstantDepth),
    .PartialDepth(PartialDepth),
    .MaxHeight(MaxHeight),
    .NodeWords(NodeWords)
  ) u_zeroiser (
    .clk_i(clk),
    .rst_ni(rst_n),
    .start_i(start),
    .run_done_i(run_done),
    .busy_o(busy),
    .flush_o(flush),
    .node_sweep_o(node_sweep),
    .constant_valid_o(constant_valid),
    .constant_sub_engine_o(sub_engine),
    .constant_bank_o(bank),
    .constant_index_o(index),
    .load_o(),
    .start_run_o(),
    .done_o(done)
  );

  acclmt_node_memory #(
    .NodeWords(NodeWords)
  ) u_memory (
    .clk_i(clk),
    .rst_ni(rst_n),
    .memory_config_i('0),
    .sweep_i(node_sweep),
    .write_i(1'b0),
    .write_address_i('0),
    .write_data_i('0),
    .read_i(1'b0),
    .read_address_i('0),
    .read_data_o()
  );

  // ---- What is left -----------------------------------------------------------------------------

  int unsigned nodes = 0;
  initial begin
    for (int unsigned i = 0; i < NodeWords; i++) begin
      u_memory.u_memory.gen_plain.u_memory.memory[i] = '1;
    end
    u_memory.u_memory.gen_plain.u_memory.read_data_q = '1;
  end
  always @(posedge clk) begin
    if (done) begin
      for (int unsigned i = 0; i < NodeWords; i++) begin
        if (u_memory.u_memory.gen_plain.u_memory.memory[i] != '0) nodes = nodes + 1;
      end
      if (u_memory.u_memory.gen_plain.u_memory.read_data_q != '0) nodes = nodes + 1;
    end
  end

  // The places of constants, from the register map's side.
  bit written[16][32][256];
  int unsigned constants, depth;
  always @(posedge clk) begin
    if (constant_valid) written[sub_engine][bank][index] <= 1'b1;
  end

  initial begin
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    @(negedge clk);
    start = 1'b1;
    @(negedge clk);
    start = 1'b0;
    while (!flush) @(negedge clk);
    repeat (10) @(negedge clk);
    run_done = 1'b1;
    @(negedge clk);
    run_done = 1'b0;
    while (busy) @(negedge clk);
    @(negedge clk);
    constants = 0;
    for (int unsigned s = 0; s < 16; s++) begin
      for (int unsigned b = 0; b < 32; b++) begin
        for (int unsigned i = 0; i < 256; i++) begin
          depth = acclmt_control_pkg::constant_depth(
              4'(s), 8'(b), NumFull, NumPartial, MatrixDepth, ConstantDepth, PartialDepth,
              MaxHeight, 1'b1);
          if (i < depth && !written[s][b][i]) constants = constants + 1;
        end
      end
    end
    $display("left: %0d nodes, %0d constants", nodes, constants);
    $finish;
  end

endmodule
