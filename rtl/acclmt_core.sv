// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// AcclMT without a bus: commits to a stream of field elements by a Poseidon Merkle tree.
///
///     in -> to Montgomery -> leaf hash engine -+-> root hash engine -> + -> from Montgomery -> out
///                                              +--------(digests)------+
///     registers -> configuration, constants, run control, performance counters
///
/// A run: the host writes configuration and constants, then CONTROL.start; the chip takes as many
/// input words as the run needs (LEAVES, times ARITY if leaves are hashed), and puts out the root (or
/// every leaf digest), the last word with `out_last_o`. A word is the canonical integer of one
/// element, or of four in Goldilocks mode; an element that is not below its prime is registered as an
/// error and marks the output of the run as void (`out_error_o`).
///
/// Handshake:  in, out: ready/valid; neither `in_ready_o` nor `out_valid_o` depends on its partner,
///             and an offered output word is stable until it is taken. Registers: see
///             acclmt_register_file.
/// Latency:    one hash: its rounds times the loop cycles of its sub-engines (CAPS_ENGINE), and about
///             60 cycles from edge to edge.
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
  /// Full-round sub-engines of each hash engine, 1..2.
  parameter int unsigned NumFull = 1,
  /// Partial-round sub-engines of each hash engine, 1..6.
  parameter int unsigned NumPartial = 3,
  /// Steps of matrices (3 x 3 chunks) and beats of constant vectors that each full-round sub-engine
  /// stores, powers of two.
  parameter int unsigned MatrixDepth = 128,
  parameter int unsigned ConstantDepth = 256,
  /// Beats of sparse matrices that each partial-round sub-engine stores, a power of two.
  parameter int unsigned PartialDepth = 128,
  /// Trees have up to 2^MaxHeight leaves.
  parameter int unsigned MaxHeight = 13,
  /// Words of the leaf hash buffer (128 KB) and of the root hash buffer (64 KB), powers of two.
  parameter int unsigned LeafWords = 4096,
  parameter int unsigned RootWords = 2048
) (
  /// Clock and asynchronous reset.
  input logic clk_i,
  input logic rst_ni,
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
  /// Data output: the root or the digests.
  output logic out_valid_o,
  input logic out_ready_i,
  output logic [acclmt_pkg::WordWidth-1:0] out_data_o,
  output logic out_last_o,
  output logic out_error_o,
  /// A run is done, or an error is registered.
  output logic irq_o
);

  localparam int unsigned MaxSubEngines = acclmt_pkg::MaxSubEngines;

  acclmt_pkg::word_t prime, radix_squared;
  acclmt_pkg::engine_config_t engine_config;
  acclmt_pkg::run_config_t run_config;
  acclmt_pkg::constant_write_t leaf_constant_write, root_constant_write;
  acclmt_pkg::events_t events;
  logic running, start, clear, run_done, run_void, element_error;
  logic [31:0] element_index_q;

  acclmt_register_file #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .NumFull(NumFull),
    .NumPartial(NumPartial),
    .MatrixDepth(MatrixDepth),
    .ConstantDepth(ConstantDepth),
    .PartialDepth(PartialDepth),
    .MaxHeight(MaxHeight),
    .LeafWords(LeafWords),
    .RootWords(RootWords)
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
    .engine_config_o(engine_config),
    .run_config_o(run_config),
    .leaf_constant_write_o(leaf_constant_write),
    .root_constant_write_o(root_constant_write),
    .running_o(running),
    .start_o(start),
    .clear_o(clear),
    .run_done_i(run_done),
    .element_error_i(element_error),
    .element_index_i(element_index_q),
    .error_o(run_void),
    .events_i(events),
    .irq_o
  );

  // ---- Words of the run that are still to come in and to go out ---------------------------------

  logic [35:0] input_left_q, output_left_q;
  logic input_taken, output_taken;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      input_left_q <= '0;
      output_left_q <= '0;
      element_index_q <= '0;
    end else if (clear) begin
      input_left_q <= '0;
      output_left_q <= '0;
      element_index_q <= '0;
    end else if (start) begin
      input_left_q <= run_config.input_words;
      output_left_q <= run_config.output_words;
      element_index_q <= '0;
    end else begin
      input_left_q <= input_left_q - 36'(input_taken);
      output_left_q <= output_left_q - 36'(output_taken);
      element_index_q <= element_index_q + 32'(input_taken);
    end
  end

  // ---- Data input -------------------------------------------------------------------------------

  logic input_open, convert_ready, not_below_prime;
  assign input_open = input_left_q != '0;
  assign in_ready_o = input_open && convert_ready;
  assign input_taken = in_valid_i && in_ready_o;
  assign element_error = not_below_prime;

  logic element_valid, element_ready, input_idle;
  acclmt_pkg::word_t element;
  acclmt_to_montgomery #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction)
  ) u_to_montgomery (
    .clk_i,
    .rst_ni,
    .clear_i(clear),
    .goldilocks_i(engine_config.goldilocks),
    .prime_i(prime),
    .radix_squared_i(radix_squared),
    .valid_i(in_valid_i && input_open),
    .ready_o(convert_ready),
    .element_i(in_data_i),
    .not_below_prime_o(not_below_prime),
    .valid_o(element_valid),
    .ready_i(element_ready),
    .residue_o(element),
    .idle_o(input_idle)
  );

  // ---- Engines ----------------------------------------------------------------------------------

  logic leaf_valid, leaf_ready, leaf_hash_done, leaf_idle;
  logic [MaxSubEngines-1:0] leaf_busy;
  acclmt_pkg::word_t leaf;
  acclmt_leaf_hash_engine #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .NumFull(NumFull),
    .NumPartial(NumPartial),
    .MatrixDepth(MatrixDepth),
    .ConstantDepth(ConstantDepth),
    .PartialDepth(PartialDepth)
  ) u_leaf_hash_engine (
    .clk_i,
    .rst_ni,
    .clear_i(clear),
    .prime_i(prime),
    .config_i(engine_config),
    .hash_leaves_i(run_config.hash_leaves),
    .constant_write_i(leaf_constant_write),
    .valid_i(element_valid),
    .ready_o(element_ready),
    .word_i(element),
    .valid_o(leaf_valid),
    .ready_i(leaf_ready),
    .leaf_o(leaf),
    .hash_done_o(leaf_hash_done),
    .busy_o(leaf_busy),
    .idle_o(leaf_idle)
  );

  logic tree_ready, root_valid, root_ready, root_hash_done, root_idle;
  logic [MaxSubEngines-1:0] root_busy;
  acclmt_pkg::word_t root;
  acclmt_root_hash_engine #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .NumFull(NumFull),
    .NumPartial(NumPartial),
    .MatrixDepth(MatrixDepth),
    .ConstantDepth(ConstantDepth),
    .PartialDepth(PartialDepth),
    .MaxHeight(MaxHeight),
    .LeafWords(LeafWords),
    .RootWords(RootWords)
  ) u_root_hash_engine (
    .clk_i,
    .rst_ni,
    .clear_i(clear),
    .prime_i(prime),
    .config_i(engine_config),
    .height_i(run_config.height),
    .constant_write_i(root_constant_write),
    .valid_i(leaf_valid && !run_config.output_digests),
    .ready_o(tree_ready),
    .leaf_i(leaf),
    .valid_o(root_valid),
    .ready_i(root_ready),
    .root_o(root),
    .hash_done_o(root_hash_done),
    .busy_o(root_busy),
    .idle_o(root_idle)
  );

  // ---- Data output ------------------------------------------------------------------------------

  logic output_valid, output_ready;
  acclmt_pkg::word_t output_word;
  assign output_valid = run_config.output_digests ? leaf_valid : root_valid;
  assign output_word = run_config.output_digests ? leaf : root;
  assign leaf_ready = run_config.output_digests ? output_ready : tree_ready;
  assign root_ready = !run_config.output_digests && output_ready;

  acclmt_from_montgomery #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction)
  ) u_from_montgomery (
    .clk_i,
    .rst_ni,
    .clear_i(clear),
    .goldilocks_i(engine_config.goldilocks),
    .prime_i(prime),
    .valid_i(output_valid),
    .ready_o(output_ready),
    .residue_i(output_word),
    .valid_o(out_valid_o),
    .ready_i(out_ready_i),
    .element_o(out_data_o)
  );
  assign output_taken = out_valid_o && out_ready_i;
  assign out_last_o = output_left_q == 36'd1;
  assign out_error_o = run_void;
  assign run_done = output_taken && out_last_o;

  // ---- Events -----------------------------------------------------------------------------------

  always_comb begin
    events.input_taken = input_taken;
    events.input_stalled = in_valid_i && input_open && !in_ready_o;
    events.output_taken = output_taken;
    events.output_stalled = out_valid_o && !out_ready_i;
    events.leaf_hash_done = leaf_hash_done;
    events.root_hash_done = root_hash_done;
    events.leaf_busy = leaf_busy;
    events.root_busy = root_busy;
  end

`ifndef SYNTHESIS
  output_stable_a : assert property (@(posedge clk_i) disable iff (!rst_ni || clear)
      out_valid_o && !out_ready_i |=> out_valid_o && $stable(out_data_o))
  else $error("acclmt_core: an output word changed before it was taken");
  output_in_run_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      out_valid_o |-> running)
  else $error("acclmt_core: a word is put out while no run is under way");
  idle_between_runs_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      start |-> input_idle && leaf_idle && root_idle)
  else $error("acclmt_core: a run starts while the last one is still inside");

  // Liveness: while a run is under way, a word moves at an edge or a sub-engine issues a round at
  // least once in this many cycles, unless the host makes the chip wait.
  localparam int unsigned QuietLimit = 1024;
  logic [31:0] quiet_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) quiet_q <= '0;
    else if (!running || input_taken || output_taken || leaf_busy != '0 || root_busy != '0 ||
             (input_open && !in_valid_i) || (out_valid_o && !out_ready_i)) quiet_q <= '0;
    else quiet_q <= quiet_q + 32'd1;
  end
  no_hang_a : assert property (@(posedge clk_i) disable iff (!rst_ni) quiet_q < QuietLimit)
  else $error("acclmt_core: a run is under way and nothing moves");
`else
  logic unused_idle;
  assign unused_idle = ^{running, input_idle, leaf_idle, root_idle};
`endif

endmodule
