// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Poseidon hash engine: a full-round sub-engine and `NumPartial` partial-round sub-engines in a
/// ring.
///
///     inputs -> + initial vector -> full-round sub-engine -> partial 1 -> .. -> partial N -+
///                                   ^                                                      |
///                        digest <---+------------------------------------------------------+
///
/// Every sub-engine loops over the rounds of its own segment, so that all of them work on different
/// hashes at the same time. The host chooses the segments such that the longest is as short as
/// possible:
///
///     cycles per hash = max(RF1 + RF2 + p0, p1, .., pN)
///
/// The state of a new hash is (0, x0, x1) plus the initial vector, which holds the domain tag (or
/// capacity value) and the round constants that precede the first S-box.
///
/// Handshake:  ready/valid on both sides; digests leave in the order of their inputs, with their
///             tags.
/// Latency:    (RF1 + RF2 + RP) * LoopCycles + a few cycles for each sub-engine.
/// Throughput: see above, once LoopCycles hashes a sub-engine are inside; at most one hash in two
///             cycles.
module acclmt_hash_engine #(
  /// The modulus.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  /// Partial-round sub-engines.
  parameter int unsigned NumPartial = 3,
  /// Matrices and constant vectors of the full-round sub-engine.
  parameter int unsigned MatrixDepth = 32,
  parameter int unsigned ConstantDepth = 64,
  /// Rounds of a partial-round sub-engine.
  parameter int unsigned PartialDepth = 64
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Forgets every hash.
  input logic clear_i,
  /// Run-time parameters; stable while hashes are inside.
  input acclmt_pkg::engine_config_t config_i,
  /// Writes of constants.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// Elements 1 and 2 of a new hash, Montgomery residues (the first input in the low word).
  input logic valid_i,
  output logic ready_o,
  input logic [acclmt_pkg::Lanes-2:0][acclmt_pkg::WordWidth-1:0] inputs_i,
  input acclmt_pkg::tag_t tag_i,
  /// Digest, a Montgomery residue.
  output logic valid_o,
  input logic ready_i,
  output acclmt_pkg::word_t digest_o,
  output acclmt_pkg::tag_t tag_o,
  /// A round is issued in this cycle: bit 0 full-round, bit i partial-round sub-engine i.
  output logic [NumPartial:0] busy_o,
  /// No hash is inside.
  output logic idle_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned TagWidth = acclmt_pkg::TagWidth;
  localparam int unsigned OutputPlaces = 64;

  if (NumPartial < 1 || NumPartial > acclmt_pkg::MaxNumPartial) begin : gen_illegal_num_partial
    $error("acclmt_hash_engine: NumPartial = %0d is not within 1..%0d", NumPartial,
           acclmt_pkg::MaxNumPartial);
  end

  // ---- Initial state ----------------------------------------------------------------------------

  // The inputs are held until their sums have been taken, so that the adders need no stall.
  logic [Lanes-1:0][WordWidth-1:0] initial_q;
  logic [Lanes-2:0][WordWidth-1:0] inputs_q;
  acclmt_pkg::tag_t start_tag_q;
  logic loaded_q, summed_q, start_ready;
  assign ready_o = !loaded_q || (summed_q && start_ready);

  always_ff @(posedge clk_i) begin
    if (constant_write_i.valid &&
        constant_write_i.sub_engine == acclmt_pkg::InitialSubEngine) begin
      for (int lane = 0; lane < int'(Lanes); lane++) begin
        if (constant_write_i.bank == acclmt_pkg::BankWidth'(lane)) begin
          initial_q[lane] <= constant_write_i.data;
        end
      end
    end
    if (valid_i && ready_o) begin
      inputs_q <= inputs_i;
      start_tag_q <= tag_i;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      loaded_q <= 1'b0;
      summed_q <= 1'b0;
    end else if (clear_i) begin
      loaded_q <= 1'b0;
      summed_q <= 1'b0;
    end else if (ready_o) begin
      loaded_q <= valid_i;
      summed_q <= 1'b0;
    end else begin
      summed_q <= 1'b1;
    end
  end

  logic [Lanes-1:0][WordWidth-1:0] start_state;
  assign start_state[0] = initial_q[0];
  for (genvar lane = 1; lane < Lanes; lane++) begin : gen_initial
    acclmt_mod_add #(
      .Prime(Prime)
    ) u_add (
      .clk_i,
      .a_i(inputs_q[lane-1]),
      .b_i(initial_q[lane]),
      .sum_o(start_state[lane])
    );
  end

  // ---- The ring: link 0 leaves the full-round sub-engine, link i partial-round sub-engine i -----

  logic [NumPartial:0] link_valid, link_ready, sub_engine_idle;
  logic [NumPartial:0][Lanes-1:0][WordWidth-1:0] link_state;
  logic [NumPartial:0][TagWidth-1:0] link_tag;

  acclmt_full_round_engine #(
    .Prime(Prime),
    .MatrixDepth(MatrixDepth),
    .ConstantDepth(ConstantDepth),
    .OutputPlaces(OutputPlaces)
  ) u_full (
    .clk_i,
    .rst_ni,
    .clear_i,
    .config_i,
    .constant_write_i,
    .first_valid_i(summed_q),
    .first_ready_o(start_ready),
    .first_state_i(start_state),
    .first_tag_i(start_tag_q),
    .first_valid_o(link_valid[0]),
    .first_ready_i(link_ready[0]),
    .first_state_o(link_state[0]),
    .first_tag_o(link_tag[0]),
    .last_valid_i(link_valid[NumPartial]),
    .last_ready_o(link_ready[NumPartial]),
    .last_state_i(link_state[NumPartial]),
    .last_tag_i(link_tag[NumPartial]),
    .digest_valid_o(valid_o),
    .digest_ready_i(ready_i),
    .digest_o,
    .digest_tag_o(tag_o),
    .busy_o(busy_o[0]),
    .idle_o(sub_engine_idle[0])
  );

  for (genvar i = 1; i <= NumPartial; i++) begin : gen_partial
    acclmt_partial_round_engine #(
      .Prime(Prime),
      .Depth(PartialDepth),
      .OutputPlaces(OutputPlaces),
      .Number(4'(i))
    ) u_partial (
      .clk_i,
      .rst_ni,
      .clear_i,
      .num_rounds_i(config_i.partial_rounds[i]),
      .constant_write_i,
      .valid_i(link_valid[i-1]),
      .ready_o(link_ready[i-1]),
      .state_i(link_state[i-1]),
      .tag_i(link_tag[i-1]),
      .valid_o(link_valid[i]),
      .ready_i(link_ready[i]),
      .state_o(link_state[i]),
      .tag_o(link_tag[i]),
      .busy_o(busy_o[i]),
      .idle_o(sub_engine_idle[i])
    );
  end

  assign idle_o = &sub_engine_idle && !loaded_q;

`ifndef SYNTHESIS
  digest_stable_a : assert property (@(posedge clk_i) disable iff (!rst_ni || clear_i)
      valid_o && !ready_i |=> valid_o && $stable(digest_o))
  else $error("acclmt_hash_engine: a digest changed before it was taken");
`endif

endmodule
