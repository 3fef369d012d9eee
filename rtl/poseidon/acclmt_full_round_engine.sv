// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Full-round sub-engine: the first full rounds and some partial rounds of a hash, and, when the
/// hash returns from the partial-round sub-engines, its last full rounds.
///
/// A round: S-box on all elements (full) or on element 0 (partial), then a dense matrix, then a
/// vector of round constants:
///
///     state' = matrix * sbox(state) + k           (three dot products, one reduction each)
///
/// Rounds are numbered through both visits: `full_rounds_first` full rounds, `partial_rounds[0]`
/// partial rounds, `full_rounds_last` full rounds. The last full round of the first visit uses
/// matrix 1 (the pre-sparse matrix), partial round n uses matrix 2 + n (its sparse matrix, written
/// dense), all others use matrix 0 (the MDS matrix).
///
/// The pipeline is a loop of `acclmt_pkg::LoopCycles` slots that never stalls, as in
/// `acclmt_partial_round_engine`. A returning hash has precedence over a new one for a free slot,
/// and places for both are reserved in their output buffers, so that the ring of sub-engines cannot
/// deadlock: every hash inside leaves after its rounds whatever happens elsewhere.
///
/// Handshake:  ready/valid on all four ports; no `valid_o` depends on a `ready_i`, but
///             `first_ready_o` depends on `last_valid_i` (precedence).
/// Latency:    rounds of the visit * LoopCycles + 2.
/// Throughput: LoopCycles hashes at a time; rounds of both visits cycles a hash.
module acclmt_full_round_engine #(
  /// The modulus.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  /// Matrices that fit, a power of two.
  parameter int unsigned MatrixDepth = 32,
  /// Constant vectors (rounds of both visits) that fit, a power of two.
  parameter int unsigned ConstantDepth = 64,
  /// Places in each output buffer; at least `acclmt_pkg::LoopCycles` keep the loop full.
  parameter int unsigned OutputPlaces = 64
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Forgets every hash.
  input logic clear_i,
  /// Rounds and digest index; stable while hashes are inside.
  input acclmt_pkg::engine_config_t config_i,
  /// Writes of constants: bank 3 * row + column of matrix `index`, bank 9 + i of vector `index`.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// New hashes: the initial state.
  input logic first_valid_i,
  output logic first_ready_o,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] first_state_i,
  input acclmt_pkg::tag_t first_tag_i,
  /// Hashes that leave for the partial-round sub-engines.
  output logic first_valid_o,
  input logic first_ready_i,
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] first_state_o,
  output acclmt_pkg::tag_t first_tag_o,
  /// Hashes that return from them.
  input logic last_valid_i,
  output logic last_ready_o,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] last_state_i,
  input acclmt_pkg::tag_t last_tag_i,
  /// Finished hashes: the digest.
  output logic digest_valid_o,
  input logic digest_ready_i,
  output acclmt_pkg::word_t digest_o,
  output acclmt_pkg::tag_t digest_tag_o,
  /// A round is issued in this cycle (performance counter).
  output logic busy_o,
  /// No hash is inside.
  output logic idle_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned TagWidth = acclmt_pkg::TagWidth;
  localparam int unsigned RoundWidth = acclmt_pkg::RoundWidth;
  localparam int unsigned MatrixAddressWidth = $clog2(MatrixDepth);
  localparam int unsigned ConstantAddressWidth = $clog2(ConstantDepth);
  localparam int unsigned MatrixBanks = acclmt_pkg::FullMatrixBanks;

  if (MatrixDepth < 4 || MatrixDepth > 128 || MatrixDepth != 2 ** MatrixAddressWidth)
  begin : gen_illegal_matrix_depth
    $error("acclmt_full_round_engine: MatrixDepth = %0d is no power of two within 4..128",
           MatrixDepth);
  end
  if (ConstantDepth < 4 || ConstantDepth > 128 || ConstantDepth != 2 ** ConstantAddressWidth)
  begin : gen_illegal_constant_depth
    $error("acclmt_full_round_engine: ConstantDepth = %0d is no power of two within 4..128",
           ConstantDepth);
  end
  if (OutputPlaces < acclmt_pkg::LoopCycles) begin : gen_illegal_places
    $error("acclmt_full_round_engine: OutputPlaces = %0d is below the loop's %0d slots",
           OutputPlaces, acclmt_pkg::LoopCycles);
  end

  // Round numbers at which the first visit ends and the last round is done.
  acclmt_pkg::round_t first_end, last_end;
  assign first_end = config_i.full_rounds_first + config_i.partial_rounds[0];
  assign last_end = first_end + config_i.full_rounds_last;

  // ---- The slot that comes round, and what it takes next ----------------------------------------

  logic slot_valid, slot_last;
  acclmt_pkg::round_t slot_round;
  acclmt_pkg::tag_t slot_tag;
  logic [Lanes-1:0][WordWidth-1:0] slot_state;

  logic slot_first_done, slot_last_done, slot_continues;
  assign slot_first_done = slot_valid && !slot_last && slot_round == first_end;
  assign slot_last_done = slot_valid && slot_last && slot_round == last_end;
  assign slot_continues = slot_valid && !slot_first_done && !slot_last_done;

  logic first_place_available, last_place_available, accept_first, accept_last;
  assign last_ready_o = !slot_continues && last_place_available;
  assign accept_last = last_valid_i && last_ready_o;
  assign first_ready_o = !slot_continues && !accept_last && first_place_available;
  assign accept_first = first_valid_i && first_ready_o;

  logic issue_valid, issue_last;
  acclmt_pkg::round_t issue_round;
  acclmt_pkg::tag_t issue_tag;
  logic [Lanes-1:0][WordWidth-1:0] issue_state;
  always_comb begin
    issue_valid = slot_continues || accept_first || accept_last;
    issue_last = slot_last;
    issue_round = slot_round;
    issue_tag = slot_tag;
    issue_state = slot_state;
    if (!slot_continues) begin
      if (accept_last) begin
        issue_last = 1'b1;
        issue_round = first_end;
        issue_tag = last_tag_i;
        issue_state = last_state_i;
      end else begin
        issue_last = 1'b0;
        issue_round = '0;
        issue_tag = first_tag_i;
        issue_state = first_state_i;
      end
    end
  end
  assign busy_o = issue_valid;

  // What kind of round it is, and its matrix.
  logic issue_partial;
  logic [MatrixAddressWidth-1:0] issue_matrix, partial_index;
  assign partial_index =
      MatrixAddressWidth'(issue_round) - MatrixAddressWidth'(config_i.full_rounds_first);
  assign issue_partial = !issue_last && issue_round >= config_i.full_rounds_first;
  always_comb begin
    issue_matrix = '0;
    if (issue_partial) begin
      issue_matrix = partial_index + MatrixAddressWidth'(2);
    end else if (!issue_last && issue_round + 1'b1 == config_i.full_rounds_first) begin
      issue_matrix = MatrixAddressWidth'(1);
    end
  end

  // ---- Control that accompanies the data --------------------------------------------------------

  // Constants are read the cycle before they are used.
  localparam int unsigned ReadMatrix = acclmt_pkg::SboxLatency - 1;
  localparam int unsigned ReadConstant = acclmt_pkg::LoopCycles - 2;

  logic partial_at_matrix, partial_after_sbox;
  logic [MatrixAddressWidth-1:0] matrix_at_matrix;
  acclmt_delay #(
    .Width(1 + MatrixAddressWidth),
    .Cycles(ReadMatrix)
  ) u_matrix_index (
    .clk_i,
    .rst_ni,
    .data_i({issue_partial, issue_matrix}),
    .data_o({partial_at_matrix, matrix_at_matrix})
  );
  acclmt_delay #(
    .Width(1),
    .Cycles(1)
  ) u_partial (
    .clk_i,
    .rst_ni,
    .data_i(partial_at_matrix),
    .data_o(partial_after_sbox)
  );

  acclmt_pkg::round_t round_at_constant, round_at_end;
  acclmt_delay #(
    .Width(RoundWidth),
    .Cycles(ReadConstant)
  ) u_round_to_constant (
    .clk_i,
    .rst_ni,
    .data_i(issue_round),
    .data_o(round_at_constant)
  );
  acclmt_delay #(
    .Width(RoundWidth),
    .Cycles(acclmt_pkg::LoopCycles - ReadConstant)
  ) u_round_to_end (
    .clk_i,
    .rst_ni,
    .data_i(round_at_constant),
    .data_o(round_at_end)
  );
  assign slot_round = round_at_end + 1'b1;

  acclmt_delay #(
    .Width(1 + TagWidth),
    .Cycles(acclmt_pkg::LoopCycles)
  ) u_tag (
    .clk_i,
    .rst_ni,
    .data_i({issue_last, issue_tag}),
    .data_o({slot_last, slot_tag})
  );
  logic any_slot;
  acclmt_valid_pipe #(
    .Cycles(acclmt_pkg::LoopCycles)
  ) u_valid (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(issue_valid),
    .valid_o(slot_valid),
    .any_o(any_slot)
  );

  // ---- Constants --------------------------------------------------------------------------------

  logic write_constant;
  assign write_constant = constant_write_i.valid && constant_write_i.sub_engine == '0;

  logic [MatrixBanks-1:0][WordWidth-1:0] matrix;
  for (genvar bank = 0; bank < MatrixBanks; bank++) begin : gen_matrix_bank
    acclmt_mem_1r1w #(
      .Width(WordWidth),
      .Depth(MatrixDepth)
    ) u_bank (
      .clk_i,
      .write_enable_i(write_constant &&
                      constant_write_i.bank == acclmt_pkg::BankWidth'(bank)),
      .write_address_i(constant_write_i.index[MatrixAddressWidth-1:0]),
      .write_data_i(constant_write_i.data),
      .read_enable_i(any_slot),
      .read_address_i(matrix_at_matrix),
      .read_data_o(matrix[bank])
    );
  end

  logic [Lanes-1:0][WordWidth-1:0] constant;
  for (genvar i = 0; i < Lanes; i++) begin : gen_constant_bank
    acclmt_mem_1r1w #(
      .Width(WordWidth),
      .Depth(ConstantDepth)
    ) u_bank (
      .clk_i,
      .write_enable_i(write_constant &&
                      constant_write_i.bank == acclmt_pkg::BankWidth'(MatrixBanks + i)),
      .write_address_i(constant_write_i.index[ConstantAddressWidth-1:0]),
      .write_data_i(constant_write_i.data),
      .read_enable_i(any_slot),
      .read_address_i(round_at_constant[ConstantAddressWidth-1:0]),
      .read_data_o(constant[i])
    );
  end

  // ---- Datapath ---------------------------------------------------------------------------------

  logic [Lanes-1:0][WordWidth-1:0] after_sbox;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_sbox
    acclmt_sbox #(
      .Prime(Prime),
      .Bypass(lane != 0)
    ) u_sbox (
      .clk_i,
      .rst_ni,
      .x_i(issue_state[lane]),
      .bypass_i(partial_after_sbox),
      .y_o(after_sbox[lane])
    );
  end

  for (genvar row = 0; row < Lanes; row++) begin : gen_row
    logic [WordWidth-1:0] dot;
    acclmt_dot_product #(
      .Prime(Prime)
    ) u_dot_product (
      .clk_i,
      .element_i(after_sbox),
      .coefficient_i(matrix[Lanes*row+:Lanes]),
      .result_o(dot)
    );
    acclmt_mod_add #(
      .Prime(Prime)
    ) u_add_constant (
      .clk_i,
      .a_i(dot),
      .b_i(constant[row]),
      .sum_o(slot_state[row])
    );
  end

  // ---- Output buffers ---------------------------------------------------------------------------

  logic first_idle, digest_idle;
  acclmt_reserved_fifo #(
    .Width(Lanes * WordWidth + TagWidth),
    .Places(OutputPlaces)
  ) u_first_output (
    .clk_i,
    .rst_ni,
    .clear_i,
    .available_o(first_place_available),
    .reserve_i(accept_first),
    .valid_i(slot_first_done),
    .data_i({slot_tag, slot_state}),
    .valid_o(first_valid_o),
    .ready_i(first_ready_i),
    .data_o({first_tag_o, first_state_o}),
    .idle_o(first_idle)
  );

  logic [WordWidth-1:0] digest;
  always_comb begin
    unique case (config_i.digest_index)
      2'd1: digest = slot_state[1];
      2'd2: digest = slot_state[2];
      default: digest = slot_state[0];
    endcase
  end
  acclmt_reserved_fifo #(
    .Width(WordWidth + TagWidth),
    .Places(OutputPlaces)
  ) u_digest_output (
    .clk_i,
    .rst_ni,
    .clear_i,
    .available_o(last_place_available),
    .reserve_i(accept_last),
    .valid_i(slot_last_done),
    .data_i({slot_tag, digest}),
    .valid_o(digest_valid_o),
    .ready_i(digest_ready_i),
    .data_o({digest_tag_o, digest_o}),
    .idle_o(digest_idle)
  );
  assign idle_o = first_idle && digest_idle;

`ifndef SYNTHESIS
  round_in_range_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      slot_valid |-> slot_round <= (slot_last ? last_end : first_end))
  else $error("acclmt_full_round_engine: a hash ran past its last round");
  no_write_while_busy_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      constant_write_i.valid |-> idle_o)
  else $error("acclmt_full_round_engine: a constant was written while hashes were inside");
`endif

endmodule
