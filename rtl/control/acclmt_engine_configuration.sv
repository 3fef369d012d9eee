// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Decodes the configuration registers of a hash engine into its parameters, and finds the first
/// register that holds an illegal value.
///
/// Handshake:  none. Latency: combinational; the registers are stable during a run.
module acclmt_engine_configuration #(
  /// Parameters of the chip that limit the configuration.
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned NumFull = 1,
  parameter int unsigned NumPartial = 3,
  parameter int unsigned MatrixDepth = 128,
  parameter int unsigned ConstantDepth = 256,
  parameter int unsigned PartialDepth = 128
) (
  /// The registers of the engine, INPUT_WORDS first.
  input logic [acclmt_pkg::NumEngineConfig-1:0][31:0] registers_i,
  /// Goldilocks mode.
  input logic goldilocks_i,
  /// Digests are nodes of a tree: they are one word each; inputs are nodes: there are two or more.
  input logic digests_are_nodes_i,
  input logic inputs_are_nodes_i,
  /// What the registers mean.
  output acclmt_pkg::engine_config_t config_o,
  /// A register holds an illegal value, and the index of the first one.
  output logic illegal_o,
  output logic [4:0] illegal_index_o
);

  localparam int unsigned NumRegisters = acclmt_pkg::NumEngineConfig;
  localparam int unsigned RoundWidth = acclmt_pkg::RoundWidth;
  localparam int unsigned MaxSubEngines = acclmt_pkg::MaxSubEngines;
  localparam int unsigned MaxWidth = acclmt_pkg::MaxWidth;
  localparam int unsigned MaxGoldilocksWords = acclmt_pkg::MaxGoldilocksWords;
  localparam int unsigned WordCountWidth = acclmt_pkg::WordCountWidth;
  localparam int unsigned Second = MaxSubEngines - 1;

  // Positions of the registers.
  localparam int unsigned InputWords = 0;
  localparam int unsigned Width = 1;
  localparam int unsigned Alpha = 2;
  localparam int unsigned FullRoundsFirst = 3;
  localparam int unsigned FullRoundsLast = 4;
  localparam int unsigned PartialKind = 5;
  localparam int unsigned DigestWords = 6;
  localparam int unsigned InputMap = 7;
  localparam int unsigned DigestMap = 9;
  localparam int unsigned PartialRounds = 11;

  if (PartialRounds + MaxSubEngines != NumRegisters) begin : gen_illegal_map
    $error("acclmt_engine_configuration: NumEngineConfig = %0d is not the number of registers",
           NumRegisters);
  end

  // ---- Parameters of the hash -------------------------------------------------------------------

  logic goldilocks;
  acclmt_pkg::alpha_e alpha;
  acclmt_pkg::beat_t chunks, beats, steps, partial_steps;
  assign goldilocks = Goldilocks && goldilocks_i;
  always_comb begin
    case (registers_i[Alpha])
      32'd3: alpha = acclmt_pkg::AlphaThree;
      32'd7: alpha = acclmt_pkg::AlphaSeven;
      default: alpha = acclmt_pkg::AlphaFive;
    endcase
    // ceil(t / 3)
    chunks = 3'd4;
    if (registers_i[Width] <= 32'd9) chunks = 3'd3;
    if (registers_i[Width] <= 32'd6) chunks = 3'd2;
    if (registers_i[Width] <= 32'd3) chunks = 3'd1;
    beats = goldilocks ? 3'd1 : chunks;
    steps = (chunks == 3'd1 && alpha == acclmt_pkg::AlphaSeven) ? 3'd2 : chunks;
    partial_steps = (beats == 3'd1) ? steps : beats;
  end

  logic [4:0] full_interval;
  assign full_interval = 5'(beats) * 5'(steps);
  acclmt_pkg::beat_t digest_beats;
  always_comb begin
    digest_beats =
        acclmt_pkg::beats_of_digest({registers_i[DigestMap+1][15:0], registers_i[DigestMap]},
                                    registers_i[DigestWords][WordCountWidth-1:0]);
    // With x^7 an element takes a multiplier in the cycle in which it comes to it and an odd number
    // of cycles later. Elements that come at even distances never need it at once, nor do those at
    // the distances of a grid of three cycles, but not both.
    if (alpha == acclmt_pkg::AlphaSeven) begin
      if (beats != 3'd4) digest_beats = beats;
      else if (digest_beats == 3'd1) digest_beats = 3'd2;
    end
    if (digest_beats > beats || goldilocks) digest_beats = beats;
  end
  always_comb begin
    config_o.alpha = alpha;
    config_o.beats = beats;
    config_o.steps = steps;
    config_o.full_interval = full_interval;
    config_o.digest_beats = digest_beats;
    config_o.skew = 4'(beats - 3'd1) * 4'(steps - 3'd1);
    config_o.full_rounds_first = registers_i[FullRoundsFirst][RoundWidth-1:0];
    config_o.full_rounds_last = registers_i[FullRoundsLast][RoundWidth-1:0];
    for (int i = 0; i < int'(MaxSubEngines); i++) begin
      config_o.partial_rounds[i] = registers_i[PartialRounds+i][RoundWidth-1:0];
    end
    config_o.partial_dense = registers_i[PartialKind][0];
    config_o.input_words = registers_i[InputWords][WordCountWidth-1:0];
    config_o.digest_words = registers_i[DigestWords][WordCountWidth-1:0];
    config_o.input_map = {registers_i[InputMap+1][15:0], registers_i[InputMap]};
    config_o.digest_map = {registers_i[DigestMap+1][15:0], registers_i[DigestMap]};
  end

  // ---- Legal values -----------------------------------------------------------------------------

  // Rounds of each kind of sub-engine; each number is below 256, or its register is illegal anyway.
  localparam int unsigned MostRounds = 2 ** RoundWidth - 1;
  logic [9:0] rounds_first, rounds_last, rounds;
  assign rounds_first = 10'(registers_i[FullRoundsFirst][RoundWidth-1:0]) +
                        10'(registers_i[PartialRounds][RoundWidth-1:0]);
  assign rounds_last = 10'(registers_i[PartialRounds+Second][RoundWidth-1:0]) +
                       10'(registers_i[FullRoundsLast][RoundWidth-1:0]);
  assign rounds = rounds_first + rounds_last;
  // On the sub-engine that has the last full rounds.
  logic [9:0] rounds_with_last;
  assign rounds_with_last = (NumFull == 1) ? rounds : rounds_last;

  logic [11:0] matrix_base;
  assign matrix_base = 12'({full_interval, 1'b0});
  acclmt_pkg::word_count_t most_words;
  assign most_words = WordCountWidth'(goldilocks ? MaxGoldilocksWords : MaxWidth);

  logic [NumRegisters-1:0] illegal;
  always_comb begin
    illegal = '0;
    illegal[InputWords] = registers_i[InputWords] == '0 ||
        registers_i[InputWords] > 32'(most_words) ||
        (inputs_are_nodes_i && registers_i[InputWords] == 32'd1);
    illegal[DigestWords] = registers_i[DigestWords] == '0 ||
        registers_i[DigestWords] > 32'(most_words) ||
        (digests_are_nodes_i && registers_i[DigestWords] != 32'd1);
    illegal[Width] = registers_i[Width] < 32'd2 || registers_i[Width] > 32'(MaxWidth);
    illegal[Alpha] = registers_i[Alpha] != 32'd3 && registers_i[Alpha] != 32'd5 &&
        registers_i[Alpha] != 32'd7;
    illegal[PartialKind] = registers_i[PartialKind] > 32'd1;

    // Rounds that the numbers and the memories of the full-round sub-engines can hold.
    illegal[FullRoundsFirst] = registers_i[FullRoundsFirst] == '0 ||
        registers_i[FullRoundsFirst] > 32'(MostRounds) ||
        12'(rounds_first) * 12'(beats) > 12'(ConstantDepth);
    illegal[FullRoundsLast] = registers_i[FullRoundsLast] == '0 ||
        registers_i[FullRoundsLast] > 32'(MostRounds) ||
        12'(rounds_with_last) * 12'(beats) > 12'(ConstantDepth) ||
        32'(rounds) > 32'(MostRounds);
    illegal[PartialRounds] = registers_i[PartialRounds] > 32'(MostRounds) ||
        (!registers_i[PartialKind][0] &&
         matrix_base + 12'(registers_i[PartialRounds][RoundWidth-1:0]) * 12'(partial_steps) >
         12'(MatrixDepth));
    for (int i = 1; i < int'(Second); i++) begin
      illegal[PartialRounds+i] = registers_i[PartialRounds+i] > 32'(MostRounds) ||
          12'(registers_i[PartialRounds+i][RoundWidth-1:0]) * 12'(beats) > 12'(PartialDepth) ||
          (registers_i[PartialRounds+i] != '0 &&
           (i > int'(NumPartial) || registers_i[PartialKind][0]));
    end
    illegal[PartialRounds+Second] = registers_i[PartialRounds+Second] > 32'(MostRounds) ||
        (registers_i[PartialRounds+Second] != '0 && NumFull == 1) ||
        (!registers_i[PartialKind][0] &&
         matrix_base + 12'(registers_i[PartialRounds+Second][RoundWidth-1:0]) *
         12'(partial_steps) > 12'(MatrixDepth));

    // Position codes name elements of the state, or none.
    for (int j = 0; j < int'(MaxWidth); j++) begin
      if (!acclmt_pkg::position_exists(
              acclmt_pkg::position_code(config_o.input_map, WordCountWidth'(j)),
              registers_i[Width])) begin
        illegal[InputMap+j/8] = 1'b1;
      end
      if (!acclmt_pkg::position_exists(
              acclmt_pkg::position_code(config_o.digest_map, WordCountWidth'(j)),
              registers_i[Width])) begin
        illegal[DigestMap+j/8] = 1'b1;
      end
    end
    if (registers_i[InputMap+1][31:16] != '0) illegal[InputMap+1] = 1'b1;
    if (registers_i[DigestMap+1][31:16] != '0) illegal[DigestMap+1] = 1'b1;
  end

  assign illegal_o = illegal != '0;
  always_comb begin
    illegal_index_o = '0;
    for (int i = int'(NumRegisters) - 1; i >= 0; i--) begin
      if (illegal[i]) illegal_index_o = 5'(i);
    end
  end

endmodule
