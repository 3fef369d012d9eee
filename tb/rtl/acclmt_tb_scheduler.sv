// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: the dispatch scheduler alone, with queues of a few words, so that every level
/// fills up. tb/tests/scheduler.rs plays the memories and the hash engine, and knows the layout.
module acclmt_tb_scheduler #(
  parameter int unsigned MaxHeight = 8,
  parameter int unsigned LeafWords = 4,
  parameter int unsigned RootWords = 4
) (
  input logic clk_i,
  input logic rst_ni,
  /// From the least significant word: control bits, height, level of the operands fetched, level of
  /// the operands of the digest.
  input logic [4*32-1:0] in_i,
  /// Flags, place of the leaf, level of the job, place of the job, place of the digest.
  output logic [5*32-1:0] out_o
);

  localparam int unsigned LevelWidth = acclmt_pkg::LevelWidth;

  logic leaf_ready, job_valid, digest_is_root, idle;
  acclmt_pkg::node_place_t leaf_place, job_place, digest_place;
  acclmt_pkg::level_t job_level;

  acclmt_dispatch_scheduler #(
    .MaxHeight(MaxHeight),
    .LeafWords(LeafWords),
    .RootWords(RootWords)
  ) u_scheduler (
    .clk_i,
    .rst_ni,
    .clear_i(in_i[4]),
    .height_i(in_i[32+:LevelWidth]),
    .leaf_valid_i(in_i[0]),
    .leaf_ready_o(leaf_ready),
    .leaf_place_o(leaf_place),
    .job_valid_o(job_valid),
    .job_ready_i(in_i[1]),
    .job_level_o(job_level),
    .job_place_o(job_place),
    .fetched_i(in_i[2]),
    .fetched_level_i(in_i[64+:LevelWidth]),
    .digest_valid_i(in_i[3]),
    .digest_level_i(in_i[96+:LevelWidth]),
    .digest_place_o(digest_place),
    .digest_is_root_o(digest_is_root),
    .idle_o(idle)
  );

  assign out_o = {
    32'(digest_place), 32'(job_place), 32'(job_level), 32'(leaf_place),
    28'b0, idle, digest_is_root, job_valid, leaf_ready
  };

endmodule
