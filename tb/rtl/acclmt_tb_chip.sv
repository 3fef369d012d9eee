// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: the chip with the parameters that the features of tb/verilated choose, and what
/// a timeline of it is made of. The design knows nothing of that: this module looks into it.
module acclmt_tb_chip #(
  /// Parameters of the chip that the observation depends on: its default values.
  localparam int unsigned NumEngines = 2,
  localparam int unsigned NumFull = 1,
  localparam int unsigned NumPartial = 4,
  localparam int unsigned MaxHeight = 32,
  localparam int unsigned FirstQueue = 1 + NumEngines * acclmt_pkg::MaxSubEngines,
  localparam int unsigned ObservedWords = FirstQueue + MaxHeight + 1
) (
  input logic clk_i,
  input logic rst_ni,
  /// As acclmt_core.
  input logic reg_valid_i,
  input logic reg_write_i,
  input logic [11:0] reg_addr_i,
  input logic [31:0] reg_wdata_i,
  output logic reg_rvalid_o,
  output logic [31:0] reg_rdata_o,
  output logic reg_error_o,
  input logic in_valid_i,
  output logic in_ready_o,
  input logic [acclmt_pkg::WordWidth-1:0] in_data_i,
  output logic out_valid_o,
  input logic out_ready_i,
  output logic [acclmt_pkg::WordWidth-1:0] out_data_o,
  output logic [acclmt_tree_pkg::LevelWidth-1:0] out_level_o,
  output logic [acclmt_tree_pkg::NodeIndexWidth-1:0] out_index_o,
  output logic out_last_o,
  output logic out_error_o,
  output logic irq_o,
  /// What is observed in this cycle, for cpp/shim.h. Word 0: bits 0 to 4 the stalls that the
  /// performance counters count, bit 5 a cycle of a run is counted, bit 6 the counters are cleared,
  /// bit 7 a group of siblings is taken to be hashed, bits 15 to 8 the level of it.
  /// Words 1 to 8: the sub-engines of hash engine 0, 9 to 16 those of hash engine 1,
  /// in the order of acclmt_hash_engine.busy_o: bit 31 a slot of a round begins, bit 24 its visit,
  /// bits 23 to 16 its cycles, bits 15 to 0 the round of its visit. Words from 17 on: the groups of
  /// which a place is taken in the queues of levels 0, 1, ..
  output logic [ObservedWords-1:0][31:0] observed_o
);

  acclmt_core #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Reduction(acclmt_tb_build_pkg::Reduction),
    .NumEngines(NumEngines),
    .NumFull(NumFull),
    .NumPartial(NumPartial),
    .MaxHeight(MaxHeight)
  ) u_core (
    .clk_i,
    .rst_ni,
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .reg_valid_i,
    .reg_write_i,
    .reg_addr_i,
    .reg_wdata_i,
    .reg_rvalid_o,
    .reg_rdata_o,
    .reg_error_o,
    .in_valid_i,
    .in_ready_o,
    .in_data_i,
    .out_valid_o,
    .out_ready_i,
    .out_data_o,
    .out_level_o,
    .out_index_o,
    .out_last_o,
    .out_error_o,
    .irq_o
  );

  // ---- Observation ------------------------------------------------------------------------------

  // A netlist shows its ports alone.
`ifdef ACCLMT_TB_NETLIST
  assign observed_o = '0;
`else
  // The events as the counters take them.
  `define ACCLMT_TB_COUNTERS u_core.u_registers.u_counters
  `define ACCLMT_TB_TREE u_core.u_tree
  always_comb begin
    observed_o[0] = '0;
    observed_o[0][0] = `ACCLMT_TB_COUNTERS.events_i.input_stalled;
    observed_o[0][1] = `ACCLMT_TB_COUNTERS.events_i.input_missing;
    observed_o[0][2] = `ACCLMT_TB_COUNTERS.events_i.leaf_stalled;
    observed_o[0][3] = `ACCLMT_TB_COUNTERS.events_i.root_starved;
    observed_o[0][4] = `ACCLMT_TB_COUNTERS.events_i.output_stalled;
    observed_o[0][5] = `ACCLMT_TB_COUNTERS.running_i && !`ACCLMT_TB_COUNTERS.clear_i;
    observed_o[0][6] = `ACCLMT_TB_COUNTERS.clear_i;
    observed_o[0][7] = `ACCLMT_TB_TREE.job_valid && `ACCLMT_TB_TREE.job_ready &&
                       !`ACCLMT_TB_TREE.job.is_top;
    observed_o[0][15:8] = 8'(`ACCLMT_TB_TREE.job.level);
  end

  `define ACCLMT_TB_HASH(e) u_core.u_engines.gen_engine[e].u_hash_engine
  `define ACCLMT_TB_FULL(word, engine) \
    acclmt_pkg::pass_count_t number; \
    acclmt_tb_pass_numbers u_pass_numbers ( \
      .clk_i, \
      .write_i(engine.u_passes.write_pass_q), \
      .index_i(engine.u_passes.index_q), \
      .passes_i(engine.u_passes.known.passes), \
      .loop_ends_i(engine.u_passes.loop_ends), \
      .loop_begin_i(engine.u_passes.known.loop_begin), \
      .loop_passes_i(acclmt_pkg::pass_count_t'(engine.u_passes.known_d.body_passes)), \
      .pass_i(engine.u_loop.issue_pass), \
      .count_i(engine.u_loop.issue_count), \
      .number_o(number) \
    ); \
    assign observed_o[word] = { \
      (engine.u_loop.line_issue && !engine.u_loop.line_beat) || \
          (engine.u_loop.u_control.first_o && engine.u_loop.u_control.busy_o), 6'b0, \
      engine.u_loop.issue_last, \
      engine.u_loop.line_issue ? 8'(engine.u_loop.most_beats_i) \
                               : 8'(engine.u_loop.u_control.start_cycles), \
      number};
  `define ACCLMT_TB_PARTIAL(word, engine) \
    assign observed_o[word] = { \
      engine.u_control.first_o && engine.u_control.busy_o, 7'b0, \
      8'(engine.u_control.start_cycles), 16'(engine.issue_round)};
  `define ACCLMT_TB_ENGINE(first, engine) \
    if (NumFull == 1) begin : gen_one_full \
      `ACCLMT_TB_FULL(first, engine.gen_one_full.u_full) \
      assign observed_o[first+acclmt_pkg::MaxSubEngines-1] = '0; \
    end else begin : gen_two_full \
      if (1) begin : gen_first \
        `ACCLMT_TB_FULL(first, engine.gen_two_full.u_first) \
      end \
      if (1) begin : gen_second \
        `ACCLMT_TB_FULL(first+acclmt_pkg::MaxSubEngines-1, engine.gen_two_full.u_second) \
      end \
    end \
    for (genvar i = 1; i < acclmt_pkg::MaxSubEngines - 1; i++) begin : gen_partial \
      if (i <= NumPartial) begin : gen_present \
        `ACCLMT_TB_PARTIAL(first+i, engine.gen_partial[i].gen_present.u_partial) \
      end else begin : gen_absent \
        assign observed_o[first+i] = '0; \
      end \
    end
  for (genvar e = 0; e < NumEngines; e++) begin : gen_engine
    `ACCLMT_TB_ENGINE(1 + e * acclmt_pkg::MaxSubEngines, `ACCLMT_TB_HASH(e))
  end

  for (genvar l = 0; l <= MaxHeight; l++) begin : gen_queue
    assign observed_o[FirstQueue+l] = 32'(
        u_core.u_tree.u_scheduler.gen_level[l].u_queue.groups_used_q);
  end

  `undef ACCLMT_TB_COUNTERS
  `undef ACCLMT_TB_TREE
  `undef ACCLMT_TB_HASH
  `undef ACCLMT_TB_FULL
  `undef ACCLMT_TB_PARTIAL
  `undef ACCLMT_TB_ENGINE
`endif

endmodule
