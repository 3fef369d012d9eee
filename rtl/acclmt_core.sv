// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// AcclMT without a bus: commits to a stream of field elements by a Poseidon Merkle tree.
///
///     in -> to Montgomery -rows-> hash engines -leaves, digests-> tree -> from Montgomery -> out
///                                      ^                           |
///                                      +----------- nodes ---------+
///     registers -> configuration, constants, run control, performance counters
///
/// A run: the host writes configuration and constants, then CONTROL.start; the chip takes as many
/// input words as the run needs, leaf by leaf (rows of several blocks in groups, see
/// acclmt_input_sequencer), and puts out the root or a cap, and every other node that the host
/// asked for, the last word with `out_last_o`. A word is the canonical integer of one element, or
/// of four in Goldilocks mode; an element that is not below its prime is registered as an error and
/// marks the output of the run as void: `out_error_o` is high with the last word of the run, and
/// with those before it that began their way out after the error.
///
/// Handshake:  in, out: ready/valid; neither `in_ready_o` nor `out_valid_o` depends on its partner,
///             and an offered output word is stable, with all that goes with it, until it is taken.
///             Registers: see acclmt_register_file.
/// Latency:    one hash: its rounds times the loop cycles of its sub-engines (CAPS_ENGINE), and
///             about 60 cycles from edge to edge.
/// Throughput: one leaf in the longest segment of the hash engines, see acclmt_hash_engine.
module acclmt_core #(
  /// The large prime field: an odd prime between 2^250 and 2^255; with a run-time modulus its value
  /// after reset, 1 modulo 2^28.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  /// Whether the chip also computes in the Goldilocks field.
  parameter bit Goldilocks = 1'b1,
  /// Whether the modulus is fixed at elaboration (0, `acclmt_pkg::ReductionConstant`) or set at run
  /// time (1, `acclmt_pkg::ReductionRuntime`).
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Hash engines, 1..8.
  parameter int unsigned NumEngines = 2,
  /// Full-round sub-engines of each hash engine, 1..2.
  parameter int unsigned NumFull = 1,
  /// Partial-round sub-engines of each hash engine, 1..6.
  parameter int unsigned NumPartial = 4,
  /// Steps of matrices (3 x 3 chunks) and beats of constant vectors that each full-round sub-engine
  /// stores, powers of two.
  parameter int unsigned MatrixDepth = 64,
  parameter int unsigned ConstantDepth = 256,
  /// Beats of sparse matrices that each partial-round sub-engine stores, a power of two.
  parameter int unsigned PartialDepth = 128,
  /// Whether full-round sub-engines can store the elements of a pass, for exponents that are made
  /// in several passes.
  parameter bit Store = 1'b1,
  /// Whether full-round sub-engines make layers of small integers by adders, in Goldilocks mode.
  parameter bit Adders = 1'b1,
  /// Trees have up to MaxHeight levels above the leaves.
  parameter int unsigned MaxHeight = 32,
  /// Words of the node memory, a power of two: 16 KB.
  parameter int unsigned NodeWords = 512,
  /// Whether memories keep parity, see acclmt_memory.
  parameter bit MemoryParity = 1'b0,
  /// Cycles without work behind which the clock of a hash engine stands still, 64..65536, by
  /// acclmt_clock_gate; 0: it never does.
  parameter int unsigned EngineRestCycles = 0
) (
  /// Clock and asynchronous reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of every memory, see acclmt_memory_pkg; quasi-static, else
  /// `acclmt_memory_pkg::MemoryConfigDefault`.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// Register port.
  input logic reg_valid_i,
  input logic reg_write_i,
  input logic [11:0] reg_addr_i,
  input logic [31:0] reg_wdata_i,
  output logic reg_rvalid_o,
  output logic [31:0] reg_rdata_o,
  output logic reg_error_o,
  /// Data input: field elements.
  input logic in_valid_i,
  output logic in_ready_o,
  input logic [acclmt_pkg::WordWidth-1:0] in_data_i,
  /// Data output: the root, and every other node that the host asked for, with its level and its
  /// index in the level.
  output logic out_valid_o,
  input logic out_ready_i,
  output logic [acclmt_pkg::WordWidth-1:0] out_data_o,
  output logic [acclmt_tree_pkg::LevelWidth-1:0] out_level_o,
  output logic [acclmt_tree_pkg::NodeIndexWidth-1:0] out_index_o,
  output logic out_last_o,
  output logic out_error_o,
  /// An event of INTERRUPT_STATUS is pending that INTERRUPT_ENABLE names.
  output logic irq_o
);

  localparam int unsigned MaxSubEngines = acclmt_pkg::MaxSubEngines;

  if ($bits(memory_config_i) != acclmt_memory_pkg::MemoryConfigWidth) begin : gen_illegal_config
    $error("acclmt_core: MemoryConfigWidth = %0d is not the width of memory_config_t, %0d",
           acclmt_memory_pkg::MemoryConfigWidth, $bits(memory_config_i));
  end

  acclmt_pkg::word_t prime, radix_squared;
  acclmt_pkg::engine_config_t leaf_config, root_config, top_config;
  acclmt_pkg::run_config_t run_config;
  acclmt_tree_pkg::tree_config_t tree_config;
  acclmt_pkg::constant_write_t constant_write;
  logic [NumEngines-1:0] constant_engines, hash_begun;
  logic [NumEngines*MaxSubEngines-1:0] busy;
  acclmt_pkg::events_t events;
  acclmt_tree_pkg::node_traffic_t traffic;
  acclmt_tree_pkg::level_setup_t level_setup;
  acclmt_tree_pkg::node_sweep_t node_sweep;
  // The run of a zeroisation is under way: it takes zero words, and nothing comes out.
  logic flush;
  logic running, start, clear, run_done, run_void, element_error, incomplete;
  logic [63:0] element_index;
  acclmt_pkg::program_fault_t program_fault;
  acclmt_pkg::set_t program_fault_set;
  // Memories show other words than were written.
  acclmt_pkg::memory_fault_t engines_fault, memory_fault_d, memory_fault_q;
  logic input_fault, tree_fault, output_fault;

  acclmt_register_file #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .NumEngines(NumEngines),
    .NumFull(NumFull),
    .NumPartial(NumPartial),
    .MatrixDepth(MatrixDepth),
    .ConstantDepth(ConstantDepth),
    .PartialDepth(PartialDepth),
    .Store(Store),
    .Adders(Adders),
    .MaxHeight(MaxHeight),
    .NodeWords(NodeWords),
    .MemoryParity(MemoryParity)
  ) u_registers (
    .clk_i,
    .rst_ni,
    .reg_valid_i,
    .reg_write_i,
    .reg_addr_i,
    .reg_wdata_i,
    .reg_rvalid_o,
    .reg_rdata_o,
    .reg_error_o,
    .prime_o(prime),
    .radix_squared_o(radix_squared),
    .run_config_o(run_config),
    .tree_config_o(tree_config),
    .leaf_config_o(leaf_config),
    .root_config_o(root_config),
    .top_config_o(top_config),
    .level_setup_o(level_setup),
    .constant_write_o(constant_write),
    .constant_engines_o(constant_engines),
    .node_sweep_o(node_sweep),
    .flush_o(flush),
    .running_o(running),
    .start_o(start),
    .clear_o(clear),
    .run_done_i(run_done),
    .element_error_i(element_error),
    .element_index_i(element_index),
    .incomplete_i(incomplete),
    .memory_fault_i(memory_fault_q),
    .output_fault_i(output_fault),
    .program_fault_i(program_fault),
    .program_fault_set_i(program_fault_set),
    .void_o(run_void),
    .events_i(events),
    .traffic_i(traffic),
    .hash_begun_i(hash_begun),
    .busy_i(busy),
    .irq_o
  );

  // ---- Data input -------------------------------------------------------------------------------

  logic input_open, input_valid, input_taken, output_ready, output_taken, convert_ready;
  acclmt_pkg::input_label_t input_label, element_label;
  acclmt_input_sequencer u_sequencer (
    .clk_i,
    .rst_ni,
    .clear_i(clear),
    .start_i(start),
    .leaves_i(tree_config.leaves),
    .row_i(run_config.row),
    .block_words_i(leaf_config.input_words),
    .open_o(input_open),
    .take_i(input_taken),
    .label_o(input_label)
  );
  assign in_ready_o = input_open && convert_ready && !flush;
  assign input_valid = input_open && (in_valid_i || flush);
  assign input_taken = input_valid && convert_ready;

  // Words taken, and the number of the one that is compared with the prime.
  logic [63:0] words_q, compared_word_q;
  logic [1:0] bad_slice;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) words_q <= '0;
    else if (clear || start) words_q <= '0;
    else words_q <= words_q + 64'(input_taken);
  end
  always_ff @(posedge clk_i) compared_word_q <= words_q;
  assign element_index =
      run_config.goldilocks ? {compared_word_q[61:0], bad_slice} : compared_word_q;

  logic element_valid, element_ready, input_idle;
  acclmt_pkg::word_t element;
  acclmt_to_montgomery #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .LabelWidth(acclmt_pkg::InputLabelWidth),
    .MemoryParity(MemoryParity)
  ) u_to_montgomery (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(input_fault),
    .clear_i(clear),
    .goldilocks_i(run_config.goldilocks),
    .prime_i(prime),
    .radix_squared_i(radix_squared),
    .valid_i(input_valid),
    .ready_o(convert_ready),
    // What is on the input while no run takes it stays outside.
    .element_i((input_open && !flush) ? in_data_i : '0),
    .label_i(input_label),
    .not_below_prime_o(element_error),
    .slice_o(bad_slice),
    .valid_o(element_valid),
    .ready_i(element_ready),
    .residue_o(element),
    .label_o(element_label),
    .idle_o(input_idle)
  );

  // ---- Hash engines -----------------------------------------------------------------------------

  localparam int unsigned PlaceWidth = acclmt_pkg::TagPayloadWidth;
  logic is_tree;
  assign is_tree = tree_config.top != '0;
  logic leaf_valid, leaf_reserve, leaf_ready, leaf_end, operand_valid, operand_ready, operand_end;
  logic digest_valid, digest_is_leaf, engines_idle;
  logic [15:0] leaf_places;
  acclmt_pkg::set_t operand_set;
  logic [PlaceWidth-1:0] leaf_place, operand_place, digest_place;
  acclmt_pkg::word_t leaf, operand, digest;
  acclmt_engine_pool #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .NumEngines(NumEngines),
    .NumFull(NumFull),
    .NumPartial(NumPartial),
    .MatrixDepth(MatrixDepth),
    .ConstantDepth(ConstantDepth),
    .PartialDepth(PartialDepth),
    .Store(Store),
    .Adders(Adders),
    .MemoryParity(MemoryParity),
    .EngineRestCycles(EngineRestCycles)
  ) u_engines (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(engines_fault),
    .clear_i(clear || start),
    .wake_i(reg_valid_i && reg_write_i),
    .prime_i(prime),
    .run_i(run_config),
    .is_tree_i(is_tree),
    .configs_i({top_config, root_config, leaf_config}),
    .constant_write_i(constant_write),
    .constant_engines_i(constant_engines),
    .row_valid_i(element_valid),
    .row_ready_o(element_ready),
    .row_word_i(element),
    .row_label_i(element_label),
    .leaf_valid_o(leaf_valid),
    .leaf_reserve_o(leaf_reserve),
    .leaf_ready_i(leaf_ready),
    .leaf_o(leaf),
    .leaf_end_o(leaf_end),
    .leaf_places_o(leaf_places),
    .leaf_place_i(leaf_place),
    .node_valid_i(operand_valid),
    .node_ready_o(operand_ready),
    .node_word_i(operand),
    .node_end_i(operand_end),
    .node_set_i(operand_set),
    .node_place_i(operand_place),
    .digest_valid_o(digest_valid),
    .digest_o(digest),
    .digest_place_o(digest_place),
    .digest_is_leaf_o(digest_is_leaf),
    .hash_begun_o(hash_begun),
    .busy_o(busy),
    .program_fault_o(program_fault),
    .program_fault_set_o(program_fault_set),
    .idle_o(engines_idle)
  );

  // ---- Tree -------------------------------------------------------------------------------------

  logic node_valid, node_ready, starved, tree_idle;
  acclmt_pkg::word_t node;
  acclmt_tree_pkg::node_label_t label;
  acclmt_tree #(
    .MaxHeight(MaxHeight),
    .NodeWords(NodeWords),
    .MemoryParity(MemoryParity)
  ) u_tree (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(tree_fault),
    .clear_i(clear || start),
    .tree_i(tree_config),
    .setup_i(level_setup),
    .constant_write_i(constant_write),
    .node_sweep_i(node_sweep),
    .reserve_leaves_i(run_config.reserve_leaves),
    .leaf_valid_i(leaf_valid),
    .leaf_reserve_i(leaf_reserve),
    .leaf_ready_o(leaf_ready),
    .leaf_i(leaf),
    .leaf_end_i(leaf_end),
    .leaf_places_i(leaf_places),
    .leaf_place_o(leaf_place),
    .operand_valid_o(operand_valid),
    .operand_ready_i(operand_ready),
    .operand_o(operand),
    .operand_end_o(operand_end),
    .operand_set_o(operand_set),
    .operand_place_o(operand_place),
    .digest_valid_i(digest_valid),
    .digest_i(digest),
    .digest_place_i(digest_place),
    .node_valid_o(node_valid),
    .node_ready_i(node_ready),
    .node_o(node),
    .label_o(label),
    .incomplete_o(incomplete),
    .starved_o(starved),
    .traffic_o(traffic),
    .idle_o(tree_idle)
  );

  // ---- Data output ------------------------------------------------------------------------------

  // Whether the run is void goes with a word from here on, so that it does not change while the
  // word waits. Errors of the data arise before the words that depend on them come here.
  acclmt_tree_pkg::node_label_t out_label;
  logic out_valid, out_void, memory_void_q, word_fault_q;
  acclmt_from_montgomery #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .LabelWidth(1 + acclmt_tree_pkg::NodeLabelWidth),
    .MemoryParity(MemoryParity)
  ) u_from_montgomery (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(output_fault),
    .clear_i(clear),
    .goldilocks_i(run_config.goldilocks),
    .prime_i(prime),
    .valid_i(node_valid),
    .ready_o(node_ready),
    .residue_i(node),
    .label_i({run_void, label}),
    .label_set_i({memory_void_q || memory_fault_q.valid || output_fault,
                  acclmt_tree_pkg::NodeLabelWidth'(0)}),
    .valid_o(out_valid),
    .ready_i(output_ready),
    .element_o(out_data_o),
    .label_o({out_void, out_label})
  );
  assign out_valid_o = out_valid && !flush;
  assign output_ready = out_ready_i || flush;
  assign output_taken = out_valid && output_ready;
  assign out_level_o = out_label.level;
  assign out_index_o = out_label.index;
  assign out_last_o = out_label.last;
  assign run_done = output_taken && out_last_o;

  // A fault of a memory comes with the word that it is about or soon after, well before what is
  // made of it enters the output buffer; one of that buffer comes with the word at its head.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      memory_void_q <= 1'b0;
      word_fault_q <= 1'b0;
    end else begin
      if (clear || start) memory_void_q <= 1'b0;
      else if (memory_fault_q.valid) memory_void_q <= 1'b1;
      word_fault_q <= (output_fault || word_fault_q) && out_valid && !output_ready;
    end
  end
  assign out_error_o = out_void || output_fault || word_fault_q;

  // ---- Faults of memories -----------------------------------------------------------------------

  always_comb begin
    memory_fault_d = engines_fault;
    if (output_fault || tree_fault || input_fault) begin
      memory_fault_d.valid = 1'b1;
      memory_fault_d.engine = '0;
      memory_fault_d.unit = output_fault ? acclmt_pkg::OutputMemories :
                            tree_fault ? acclmt_pkg::EmptySubTrees : acclmt_pkg::InputMemories;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) memory_fault_q <= '0;
    else memory_fault_q <= memory_fault_d;
  end

  // ---- Events -----------------------------------------------------------------------------------

  always_comb begin
    events.input_taken = input_taken;
    events.input_stalled = input_valid && !convert_ready;
    events.input_missing = input_open && !input_valid;
    events.output_taken = output_taken;
    events.output_stalled = out_valid && !output_ready;
    events.leaf_taken = run_config.reserve_leaves ? digest_valid && digest_is_leaf
                                                  : leaf_valid && leaf_ready && leaf_end;
    events.leaf_stalled = (leaf_valid || leaf_reserve) && !leaf_ready;
    events.root_starved = starved && running && is_tree;
  end

`ifndef SYNTHESIS
  output_stable_a : assert property (@(posedge clk_i) disable iff (!rst_ni || clear)
      out_valid_o && !out_ready_i |=> out_valid_o &&
      $stable({out_data_o, out_level_o, out_index_o, out_last_o, out_error_o}))
  else $error("acclmt_core: an output word changed before it was taken");
  output_in_run_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      out_valid_o |-> running)
  else $error("acclmt_core: a word is put out while no run is under way");
  void_with_last_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      out_valid_o && out_last_o |->
      out_error_o == run_void || memory_void_q || output_fault || word_fault_q)
  else $error("acclmt_core: the last word does not say whether the run is void");
  void_is_final_a : assert property (@(posedge clk_i) disable iff (!rst_ni || clear)
      out_valid_o && out_error_o |->
      run_void || memory_void_q || output_fault || word_fault_q)
  else $error("acclmt_core: a word is marked as void in a run that is not");
  flush_is_zero_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      flush && out_valid |-> out_data_o == '0)
  else $error("acclmt_core: a word of the run of a zeroisation is not zero");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({in_ready_o, out_valid_o, reg_rvalid_o, irq_o}))
  else $error("acclmt_core: a handshake is unknown");
  output_known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      out_valid_o |-> !$isunknown({out_last_o, out_error_o, out_level_o, out_index_o}))
  else $error("acclmt_core: what goes with an output word is unknown");
  void_word_waits_c : cover property (@(posedge clk_i)
      out_valid_o && out_error_o && !out_ready_i);
  error_while_word_waits_c : cover property (@(posedge clk_i)
      element_error && out_valid_o && !out_ready_i);
  input_meets_output_c : cover property (@(posedge clk_i) input_taken && output_taken);
  clear_while_word_waits_c : cover property (@(posedge clk_i) clear && out_valid_o);
  idle_between_runs_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      start |-> input_idle && engines_idle && tree_idle)
  else $error("acclmt_core: a run starts while the last one is still inside");
  // Two cycles through the rules of a table of passes and one through the pool.
  logic [1:0] constant_written_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) constant_written_q <= '0;
    else constant_written_q <= {constant_written_q[0], constant_write.valid};
  end
  program_known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      start |-> !constant_write.valid && constant_written_q == '0)
  else $error("acclmt_core: a run starts before its program is known to be sound");
  start_behind_write_c : cover property (@(posedge clk_i)
      $past(constant_written_q[1]) && start);

  // Liveness: while a run is under way, a word moves at an edge or a sub-engine issues a round at
  // least once in this many cycles, unless the host makes the chip wait.
  localparam int unsigned QuietLimit = 1024;
  logic [31:0] quiet_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) quiet_q <= '0;
    else if (!running || input_taken || output_taken || busy != '0 ||
             (input_open && !input_valid) || (out_valid && !output_ready)) quiet_q <= '0;
    else quiet_q <= quiet_q + 32'd1;
  end
  no_hang_a : assert property (@(posedge clk_i) disable iff (!rst_ni) quiet_q < QuietLimit)
  else $error("acclmt_core: a run is under way and nothing moves");
`else
  logic unused_idle;
  assign unused_idle = ^{running, input_idle, engines_idle, tree_idle};
`endif

endmodule
