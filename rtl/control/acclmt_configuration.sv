// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Decodes the configuration registers into the parameters of the hash engines and of the run, and
/// finds the first register that holds an illegal value.
///
/// Handshake:  none. Latency: combinational; the registers are stable during a run.
module acclmt_configuration #(
  /// Parameters of the chip that limit the configuration.
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned NumFull = 1,
  parameter int unsigned NumPartial = 3,
  parameter int unsigned MatrixDepth = 128,
  parameter int unsigned ConstantDepth = 256,
  parameter int unsigned PartialDepth = 128,
  parameter int unsigned MaxHeight = 13
) (
  /// The configuration registers, MODE first.
  input logic [acclmt_pkg::NumConfig-1:0][31:0] config_i,
  /// What they mean.
  output acclmt_pkg::engine_config_t engine_config_o,
  output acclmt_pkg::run_config_t run_config_o,
  /// A register holds an illegal value, and the byte address of the first one.
  output logic illegal_o,
  output logic [11:0] illegal_address_o
);

  localparam int unsigned NumConfig = acclmt_pkg::NumConfig;
  localparam int unsigned RoundWidth = acclmt_pkg::RoundWidth;
  localparam int unsigned MaxSubEngines = acclmt_pkg::MaxSubEngines;
  localparam int unsigned MaxWidth = acclmt_pkg::MaxWidth;
  localparam int unsigned Second = MaxSubEngines - 1;

  // Positions of the registers.
  localparam int unsigned Mode = 0;
  localparam int unsigned Arity = 1;
  localparam int unsigned Leaves = 2;
  localparam int unsigned Field = 3;
  localparam int unsigned Width = 4;
  localparam int unsigned Alpha = 5;
  localparam int unsigned FullRoundsFirst = 6;
  localparam int unsigned FullRoundsLast = 7;
  localparam int unsigned PartialKind = 8;
  localparam int unsigned DigestWords = 9;
  localparam int unsigned InputMap = 10;
  localparam int unsigned DigestMap = 12;
  localparam int unsigned PartialRounds = 14;

  if (acclmt_reg_pkg::RegWidth != acclmt_reg_pkg::RegMode + 12'(4 * Width) ||
      acclmt_reg_pkg::RegDigestWords != acclmt_reg_pkg::RegMode + 12'(4 * DigestWords) ||
      acclmt_reg_pkg::RegPartialRounds7 != acclmt_reg_pkg::RegMode + 12'(4 * (NumConfig - 1)))
  begin : gen_illegal_map
    $error("acclmt_configuration: the positions of the registers do not agree with acclmt_reg_pkg");
  end

  // ---- Parameters of the hash -------------------------------------------------------------------

  logic goldilocks;
  acclmt_pkg::alpha_e alpha;
  logic [31:0] alpha_value;
  acclmt_pkg::beat_t chunks, beats, steps, partial_steps;
  assign alpha_value = config_i[Alpha];
  assign goldilocks = Goldilocks && config_i[Field][0];
  always_comb begin
    case (alpha_value)
      32'd3: alpha = acclmt_pkg::AlphaThree;
      32'd7: alpha = acclmt_pkg::AlphaSeven;
      default: alpha = acclmt_pkg::AlphaFive;
    endcase
    // ceil(t / 3)
    chunks = 3'd4;
    if (config_i[Width] <= 32'd9) chunks = 3'd3;
    if (config_i[Width] <= 32'd6) chunks = 3'd2;
    if (config_i[Width] <= 32'd3) chunks = 3'd1;
    beats = goldilocks ? 3'd1 : chunks;
    steps = (chunks == 3'd1 && alpha == acclmt_pkg::AlphaSeven) ? 3'd2 : chunks;
    partial_steps = (beats == 3'd1) ? steps : beats;
  end

  logic [4:0] full_interval;
  assign full_interval = 5'(beats) * 5'(steps);
  always_comb begin
    engine_config_o.goldilocks = goldilocks;
    engine_config_o.alpha = alpha;
    engine_config_o.beats = beats;
    engine_config_o.steps = steps;
    engine_config_o.full_interval = full_interval;
    engine_config_o.skew = 4'(beats - 3'd1) * 4'(steps - 3'd1);
    engine_config_o.full_rounds_first = config_i[FullRoundsFirst][RoundWidth-1:0];
    engine_config_o.full_rounds_last = config_i[FullRoundsLast][RoundWidth-1:0];
    for (int i = 0; i < int'(MaxSubEngines); i++) begin
      engine_config_o.partial_rounds[i] = config_i[PartialRounds+i][RoundWidth-1:0];
    end
    engine_config_o.partial_dense = config_i[PartialKind][0];
    engine_config_o.input_words = config_i[Arity][3:0];
    engine_config_o.digest_words = config_i[DigestWords][3:0];
    engine_config_o.input_map = {config_i[InputMap+1][15:0], config_i[InputMap]};
    engine_config_o.digest_map = {config_i[DigestMap+1][15:0], config_i[DigestMap]};
  end

  // ---- The run ----------------------------------------------------------------------------------

  logic [31:0] leaves;
  logic leaves_are_power_of_two, hash_leaves, output_digests;
  assign leaves = config_i[Leaves];
  assign leaves_are_power_of_two = leaves != '0 && (leaves & (leaves - 32'd1)) == '0;
  assign hash_leaves = config_i[Mode][acclmt_reg_pkg::ModeLeafKindBit];
  assign output_digests = config_i[Mode][acclmt_reg_pkg::ModeOutputBit];
  always_comb begin
    run_config_o.hash_leaves = hash_leaves;
    run_config_o.output_digests = output_digests;
    run_config_o.height = '0;
    for (int i = 1; i <= int'(MaxHeight); i++) begin
      if (leaves[i]) run_config_o.height = acclmt_pkg::LevelWidth'(i);
    end
    run_config_o.input_words = 36'(leaves);
    if (hash_leaves) run_config_o.input_words = 36'(leaves) * 36'(config_i[Arity][3:0]);
    run_config_o.output_words = 36'd1;
    if (output_digests) begin
      run_config_o.output_words = 36'(leaves) * 36'(config_i[DigestWords][3:0]);
    end
  end

  // ---- Legal values -----------------------------------------------------------------------------

  // Rounds of each kind of sub-engine; each number is below 256, or its register is illegal anyway.
  localparam int unsigned MostRounds = 2 ** RoundWidth - 1;
  logic [9:0] rounds_first, rounds_last, rounds;
  assign rounds_first = 10'(config_i[FullRoundsFirst][RoundWidth-1:0]) +
                        10'(config_i[PartialRounds][RoundWidth-1:0]);
  assign rounds_last = 10'(config_i[PartialRounds+Second][RoundWidth-1:0]) +
                       10'(config_i[FullRoundsLast][RoundWidth-1:0]);
  assign rounds = rounds_first + rounds_last;
  // On the sub-engine that has the last full rounds.
  logic [9:0] rounds_with_last;
  assign rounds_with_last = (NumFull == 1) ? rounds : rounds_last;

  logic [11:0] matrix_base;
  assign matrix_base = 12'({full_interval, 1'b0});
  logic [3:0] most_words;
  assign most_words = goldilocks ? 4'd3 : 4'(MaxWidth);

  logic [NumConfig-1:0] illegal;
  always_comb begin
    illegal = '0;
    // Digests of leaves that are not hashed would be the input itself.
    illegal[Mode] = config_i[Mode][31:2] != '0 || (output_digests && !hash_leaves);
    // The dispatch scheduler folds pairs of one-word nodes.
    illegal[Arity] = config_i[Arity] == '0 || config_i[Arity] > 32'(most_words) ||
        (!output_digests && config_i[Arity] != 32'd2);
    illegal[DigestWords] = config_i[DigestWords] == '0 ||
        config_i[DigestWords] > 32'(most_words) ||
        (!output_digests && config_i[DigestWords] != 32'd1);
    if (output_digests) illegal[Leaves] = leaves == '0;
    else begin
      illegal[Leaves] = !leaves_are_power_of_two || leaves < 32'd2 ||
          leaves > 32'(2 ** MaxHeight);
    end
    illegal[Field] = config_i[Field] > 32'(Goldilocks);
    illegal[Width] = config_i[Width] < 32'd2 || config_i[Width] > 32'(MaxWidth);
    illegal[Alpha] = config_i[Alpha] != 32'd3 && config_i[Alpha] != 32'd5 &&
        config_i[Alpha] != 32'd7;
    illegal[PartialKind] = config_i[PartialKind] > 32'd1;

    // Rounds that the numbers and the memories of the full-round sub-engines can hold.
    illegal[FullRoundsFirst] = config_i[FullRoundsFirst] == '0 ||
        config_i[FullRoundsFirst] > 32'(MostRounds) ||
        12'(rounds_first) * 12'(beats) > 12'(ConstantDepth);
    illegal[FullRoundsLast] = config_i[FullRoundsLast] == '0 ||
        config_i[FullRoundsLast] > 32'(MostRounds) ||
        12'(rounds_with_last) * 12'(beats) > 12'(ConstantDepth) ||
        32'(rounds) > 32'(MostRounds);
    illegal[PartialRounds] = config_i[PartialRounds] > 32'(MostRounds) ||
        (!config_i[PartialKind][0] &&
         matrix_base + 12'(config_i[PartialRounds][RoundWidth-1:0]) * 12'(partial_steps) >
         12'(MatrixDepth));
    for (int i = 1; i < int'(Second); i++) begin
      illegal[PartialRounds+i] = config_i[PartialRounds+i] > 32'(MostRounds) ||
          12'(config_i[PartialRounds+i][RoundWidth-1:0]) * 12'(beats) > 12'(PartialDepth) ||
          (config_i[PartialRounds+i] != '0 &&
           (i > int'(NumPartial) || config_i[PartialKind][0]));
    end
    illegal[PartialRounds+Second] = config_i[PartialRounds+Second] > 32'(MostRounds) ||
        (config_i[PartialRounds+Second] != '0 && NumFull == 1) ||
        (!config_i[PartialKind][0] &&
         matrix_base + 12'(config_i[PartialRounds+Second][RoundWidth-1:0]) *
         12'(partial_steps) > 12'(MatrixDepth));

    // Position codes name elements of the state, or none.
    for (int j = 0; j < int'(MaxWidth); j++) begin
      if (engine_config_o.input_map[j][1:0] != 2'd3 &&
          32'(engine_config_o.input_map[j][3:2]) * 32'd3 +
          32'(engine_config_o.input_map[j][1:0]) >= config_i[Width]) begin
        illegal[InputMap+j/8] = 1'b1;
      end
      if (engine_config_o.digest_map[j][1:0] != 2'd3 &&
          32'(engine_config_o.digest_map[j][3:2]) * 32'd3 +
          32'(engine_config_o.digest_map[j][1:0]) >= config_i[Width]) begin
        illegal[DigestMap+j/8] = 1'b1;
      end
    end
    if (config_i[InputMap+1][31:16] != '0) illegal[InputMap+1] = 1'b1;
    if (config_i[DigestMap+1][31:16] != '0) illegal[DigestMap+1] = 1'b1;
  end

  assign illegal_o = illegal != '0;
  always_comb begin
    illegal_address_o = '0;
    for (int i = int'(NumConfig) - 1; i >= 0; i--) begin
      if (illegal[i]) illegal_address_o = acclmt_reg_pkg::RegMode + 12'(4 * i);
    end
  end

endmodule
