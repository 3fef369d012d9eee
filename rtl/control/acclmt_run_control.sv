// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Run control: starts runs and ends them, and says how the last one went.
///
/// A start is refused at once while a run is under way or while the configuration is illegal; else
/// the queues of the tree are laid out first, which may refuse it as well, and so may a program
/// that cannot run. A clear forgets the run.
///
///     idle -- start --> set-up of the queues -- done --> run -- last word --> idle
///      ^                      |                           |
///      +-------- illegal -----+---------- clear ----------+
///
/// A zeroisation makes a run of its own, see acclmt_zeroiser. It begins with a clear, and until it
/// ends every command is refused. At its end the machine forgets that run.
///
/// Handshake:  commands last one cycle. `start_o` begins the run in the machine, `clear_o` lets it
///             forget everything, `run_done_i` tells that the last word of the run leaves.
/// Latency:    `acclmt_latency_pkg::LevelSetupLatency` cycles and one for each level up to the top
///             (one without a tree) from `start_i` to `start_o`.
module acclmt_run_control #(
  /// Parameters of the hash engines, which decide what constants there are.
  parameter int unsigned NumFull = 1,
  parameter int unsigned NumPartial = 4,
  parameter int unsigned MatrixDepth = 64,
  parameter int unsigned ConstantDepth = 256,
  parameter int unsigned PartialDepth = 128,
  parameter bit Adders = 1'b1,
  /// Levels above the leaves that a tree can have, and words of the node memory.
  parameter int unsigned MaxHeight = 32,
  parameter int unsigned NodeWords = 512
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Commands of the host.
  input logic start_i,
  input logic clear_i,
  input logic zeroise_i,
  /// Configuration or a constant is written.
  input logic config_write_i,
  /// A register of the configuration holds an illegal value.
  input logic illegal_i,
  /// Level table, children of a node of each parameter set, and the tree; stable from a start to
  /// the end of its run.
  input logic [MaxHeight:0][acclmt_tree_pkg::LevelEntryWidth-1:0] level_table_i,
  input logic [acclmt_pkg::NumSets*acclmt_tree_pkg::SiblingCountWidth-1:0] arities_i,
  input acclmt_tree_pkg::tree_config_t tree_i,
  /// Places that the queue of the leaves needs at least.
  input logic [15:0] leaf_places_i,
  /// A parameter set of the run has no program that can run; known with the end of the set-up.
  input logic program_illegal_i,
  /// Set-up of the queues of the tree's levels, before a run starts.
  output acclmt_tree_pkg::level_setup_t level_setup_o,
  /// The machine: a run starts in the next cycle; forget everything; the last word leaves.
  output logic start_o,
  output logic clear_o,
  input logic run_done_i,
  /// Errors and events are forgotten.
  output logic clear_events_o,
  /// An input element is not below the prime; a group of nodes lacks siblings.
  input logic element_error_i,
  input logic incomplete_i,
  /// A memory shows a word that is not the one that was written.
  input logic memory_fault_i,
  /// A run is under way; a run or a zeroisation is.
  output logic running_o,
  output logic busy_o,
  /// Zeroisation: what is swept, its run is under way, the configuration of that run is to be
  /// loaded, all is done and the configuration is to be as after a reset; nothing was written since
  /// then.
  output acclmt_tree_pkg::node_sweep_t node_sweep_o,
  output acclmt_pkg::constant_write_t constant_sweep_o,
  output logic flush_o,
  output logic flush_load_o,
  output logic zeroise_done_o,
  output logic zeroised_o,
  /// The last run that started is complete; its output is void; the last start was refused.
  output logic done_o,
  output logic void_o,
  output logic start_refused_o,
  /// Counters are to begin from 0.
  output logic clear_counters_o,
  /// Events for the error log: why a start is refused, and a tree that lacks nodes.
  output logic command_while_busy_o,
  output logic configuration_illegal_o,
  output logic level_illegal_o,
  output acclmt_tree_pkg::level_t illegal_level_o,
  output logic program_illegal_o,
  output logic incomplete_o
);

  logic running_q, done_q, void_q, refused_q, zeroised_q;
  logic start_legal, setup_done, setup_illegal, clear, zeroise, zeroising, flush_start;
  assign command_while_busy_o =
      ((start_i || zeroise_i) && busy_o) || (clear_i && zeroising);
  assign configuration_illegal_o = start_i && !busy_o && illegal_i;
  assign start_legal = (start_i && !busy_o && !illegal_i) || flush_start;
  assign zeroise = zeroise_i && !busy_o;
  assign clear_events_o = (clear_i && !zeroising) || zeroise;
  assign clear = clear_events_o || zeroise_done_o;

  // ---- Zeroisation ------------------------------------------------------------------------------

  logic sweep_valid;
  acclmt_pkg::sub_engine_t sweep_sub_engine;
  logic [acclmt_pkg::BankWidth-1:0] sweep_bank;
  acclmt_pkg::index_t sweep_index;
  acclmt_zeroiser #(
    .NumFull(NumFull),
    .NumPartial(NumPartial),
    .MatrixDepth(MatrixDepth),
    .ConstantDepth(ConstantDepth),
    .PartialDepth(PartialDepth),
    .Adders(Adders),
    .MaxHeight(MaxHeight),
    .NodeWords(NodeWords)
  ) u_zeroiser (
    .clk_i,
    .rst_ni,
    .start_i(zeroise),
    .run_done_i,
    .busy_o(zeroising),
    .flush_o,
    .node_sweep_o,
    .constant_valid_o(sweep_valid),
    .constant_sub_engine_o(sweep_sub_engine),
    .constant_bank_o(sweep_bank),
    .constant_index_o(sweep_index),
    .load_o(flush_load_o),
    .start_run_o(flush_start),
    .done_o(zeroise_done_o)
  );
  // What is left of the programs of full-round sub-engines is that of the run behind it.
  always_comb begin
    constant_sweep_o.valid = sweep_valid;
    constant_sweep_o.sub_engine = sweep_sub_engine;
    constant_sweep_o.bank = sweep_bank;
    constant_sweep_o.index = sweep_index;
    constant_sweep_o.data = acclmt_control_pkg::flush_constant(sweep_sub_engine, sweep_bank,
                                                               sweep_index, int'(NumFull));
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) zeroised_q <= 1'b0;
    else if (zeroise_done_o) zeroised_q <= 1'b1;
    else if (zeroise || start_legal || config_write_i) zeroised_q <= 1'b0;
  end
  assign zeroised_o = zeroised_q;

  // ---- Runs -------------------------------------------------------------------------------------

  acclmt_level_setup #(
    .MaxHeight(MaxHeight),
    .NodeWords(NodeWords)
  ) u_level_setup (
    .clk_i,
    .rst_ni,
    .clear_i(clear),
    .start_i(start_legal),
    .level_table_i,
    .arities_i,
    .top_i(tree_i.top),
    .leaf_places_i,
    .setup_o(level_setup_o),
    .done_o(setup_done),
    .illegal_o(setup_illegal),
    .illegal_level_o
  );
  // A clear that comes with it wins.
  assign level_illegal_o = setup_illegal;
  // The program of a zeroisation is fixed.
  assign program_illegal_o = setup_done && program_illegal_i && !zeroising;
  assign start_o = setup_done && !program_illegal_o;
  assign clear_o = clear;
  assign clear_counters_o = clear || start_legal || start_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
      done_q <= 1'b0;
      refused_q <= 1'b0;
    end else begin
      if (clear) begin
        running_q <= 1'b0;
        done_q <= 1'b0;
      end else if (start_legal) begin
        running_q <= 1'b1;
        done_q <= 1'b0;
      end else if (setup_illegal || program_illegal_o) begin
        running_q <= 1'b0;
      end else if (run_done_i) begin
        running_q <= 1'b0;
        done_q <= !zeroising;
      end
      // The run of a zeroisation answers no start of the host.
      if (clear_events_o) refused_q <= 1'b0;
      else if (start_legal && !zeroising) refused_q <= 1'b0;
      else if (start_i || setup_illegal || program_illegal_o) refused_q <= 1'b1;
    end
  end

  // A bad element, an incomplete tree and a fault of a memory make the output of a run void; the
  // other errors change nothing.
  assign incomplete_o = incomplete_i && !tree_i.pad;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) void_q <= 1'b0;
    else if (clear || start_legal) void_q <= 1'b0;
    else if (element_error_i || incomplete_o || memory_fault_i) void_q <= 1'b1;
  end

  assign running_o = running_q;
  assign busy_o = running_q || zeroising;
  assign done_o = done_q;
  assign void_o = void_q;
  assign start_refused_o = refused_q;

  logic unused_bits;
  assign unused_bits = ^tree_i;

`ifndef SYNTHESIS
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({start_i, clear_i, zeroise_i, run_done_i, element_error_i, start_o, running_q,
                   done_q}))
  else $error("acclmt_run_control: a command, a state or an event is unknown");
  one_command_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0({start_i, clear_i, zeroise_i}))
  else $error("acclmt_run_control: two commands at once");
  done_only_when_running_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      run_done_i |-> running_q)
  else $error("acclmt_run_control: a run ended that was not under way");
  not_busy_and_done_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(running_q && done_q))
  else $error("acclmt_run_control: a run is under way and complete");
  // A start leaves a trace in any case: a run, or the flag.
  start_shows_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      start_i |=> running_q || refused_q)
  else $error("acclmt_run_control: a start had no effect that the host can see");
  refused_setup_shows_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      (setup_illegal || program_illegal_o) && !clear |=> !running_q && refused_q)
  else $error("acclmt_run_control: a start was refused and the host cannot see it");
  flush_starts_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      zeroising |-> !setup_illegal)
  else $error("acclmt_run_control: the run of a zeroisation does not start");
  zeroise_c : cover property (@(posedge clk_i) zeroise);
  zeroise_refused_c : cover property (@(posedge clk_i) zeroise_i && running_q);
  clear_in_zeroisation_c : cover property (@(posedge clk_i) clear_i && zeroising);
  start_in_zeroisation_c : cover property (@(posedge clk_i) start_i && zeroising);
  start_c : cover property (@(posedge clk_i) start_o);
  done_c : cover property (@(posedge clk_i) run_done_i);
  void_c : cover property (@(posedge clk_i) run_done_i && void_q);
  start_after_done_c : cover property (@(posedge clk_i) start_legal && done_q);
  refused_illegal_c : cover property (@(posedge clk_i) configuration_illegal_o);
  refused_program_c : cover property (@(posedge clk_i) program_illegal_o);
  refused_level_c : cover property (@(posedge clk_i) setup_illegal);
  refused_running_c : cover property (@(posedge clk_i) command_while_busy_o);
  clear_idle_c : cover property (@(posedge clk_i) clear_i && !running_q);
  clear_running_c : cover property (@(posedge clk_i) clear_i && running_q);
  clear_setup_c : cover property (@(posedge clk_i) clear_i && level_setup_o.valid);
  clear_meets_done_c : cover property (@(posedge clk_i) clear_i && run_done_i);
`endif

endmodule
