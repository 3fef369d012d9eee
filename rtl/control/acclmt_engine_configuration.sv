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
  parameter bit Adders = 1'b1,
  parameter int unsigned NumPartial = 4,
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
  localparam int unsigned PassCountWidth = acclmt_pkg::PassCountWidth;
  localparam int unsigned MaxNumPartial = acclmt_pkg::MaxNumPartial;
  localparam int unsigned MaxWidth = acclmt_pkg::MaxWidth;
  localparam int unsigned MaxGoldilocksWidth = acclmt_pkg::MaxGoldilocksWidth;
  localparam int unsigned MaxGoldilocksWords = acclmt_pkg::MaxGoldilocksWords;
  localparam int unsigned WordCountWidth = acclmt_pkg::WordCountWidth;
  localparam int unsigned ElementCountWidth = acclmt_pkg::ElementCountWidth;
  localparam int unsigned MapRegisters = acclmt_pkg::MapRegisters;

  // Positions of the registers.
  localparam int unsigned InputWords = 0;
  localparam int unsigned Width = 1;
  localparam int unsigned Alpha = 2;
  localparam int unsigned Passes = 3;
  localparam int unsigned Recurrence = 4;
  localparam int unsigned DigestWords = 5;
  localparam int unsigned InputMap = 6;
  localparam int unsigned DigestMap = InputMap + MapRegisters;
  localparam int unsigned PartialRounds = DigestMap + MapRegisters;
  localparam int unsigned PartialBase = PartialRounds + MaxNumPartial;

  if (PartialBase + 1 != NumRegisters) begin : gen_illegal_map
    $error("acclmt_engine_configuration: NumEngineConfig = %0d is not the number of registers",
           NumRegisters);
  end

  // ---- Parameters of the hash -------------------------------------------------------------------

  logic goldilocks, seven;
  acclmt_pkg::alpha_e alpha;
  acclmt_pkg::element_count_t width;
  acclmt_pkg::word_count_t groups;
  acclmt_pkg::beat_t beats, steps, spacing, grid;
  assign goldilocks = Goldilocks && goldilocks_i;
  logic [31:0] all_elements, beside;
  assign all_elements = 32'(registers_i[Width][acclmt_reg_pkg::LeafWidthElementsLsb+:
                                               ElementCountWidth]);
  assign beside = 32'(registers_i[Width][acclmt_reg_pkg::LeafWidthBesideLsb+:ElementCountWidth]);
  assign width = all_elements[ElementCountWidth-1:0];
  assign seven = alpha == acclmt_pkg::AlphaSeven;
  always_comb begin
    case (registers_i[Alpha])
      32'd3: alpha = acclmt_pkg::AlphaThree;
      32'd7: alpha = acclmt_pkg::AlphaSeven;
      default: alpha = acclmt_pkg::AlphaFive;
    endcase
  end
  always_comb begin
    // ceil(t / 3)
    groups = 4'd1;
    for (int g = 1; g < int'(MaxGoldilocksWidth / acclmt_pkg::Lanes); g++) begin
      if (all_elements > 32'(acclmt_pkg::Lanes) * 32'(g)) groups = 4'(g) + 4'd1;
    end
    beats = groups[2:0];
    if (goldilocks) beats = (groups > 4'(acclmt_pkg::Slices)) ? 3'd2 : 3'd1;
    steps = 3'((groups + 4'd1) >> 1);
    // An S-box takes an element of x^7 in two cycles. A beat of four slices has two pairs of them.
    spacing = (beats > 3'd2 || seven || (goldilocks && beats == 3'd2)) ? 3'd2 : 3'd1;
  end

  // x^7 takes the S-box of a partial-round sub-engine two cycles a state, but in Goldilocks mode.
  acclmt_pkg::beat_t partial_interval;
  assign partial_interval = (beats == 3'd1 && seven && !goldilocks) ? 3'd2 : beats;

  // Lanes with pairs of elements in the last beat that has any; in Goldilocks mode the pairs of
  // slices.
  logic [1:0] last_pairs;
  always_comb begin
    case (groups)
      4'd1, 4'd5: last_pairs = 2'd0;
      4'd2, 4'd6: last_pairs = goldilocks ? 2'd1 : 2'(width - 5'd3);
      4'd3, 4'd7: last_pairs = goldilocks ? 2'd2 : 2'd3;
      default: last_pairs = goldilocks ? 2'd2 : 2'(width - 5'd9);
    endcase
  end

  // Cycles of a round: its steps, the products of its pairs, and what the S-boxes take.
  logic [3:0] full_interval, skew;
  always_comb begin
    full_interval = 4'(beats) * 4'(steps);
    if (4'(last_pairs) > full_interval) full_interval = 4'(last_pairs);
    if (seven && full_interval < {beats, 1'b0}) full_interval = {beats, 1'b0};
    // All slots of states of one beat are of one length.
    grid = 3'd1;
    if (beats == 3'd1) grid = full_interval[2:0];
    else if (seven) grid = 3'd2;
    // The last beat of an odd number, and the pairs of its lanes. In Goldilocks mode every beat has
    // pairs but the second one of five groups; those of the first one take two cycles.
    skew = '0;
    if (beats > 3'd2) skew = 4'(spacing) * ((beats == 3'd4) ? 4'd3 : 4'd1);
    else if (beats == 3'd2) skew = 4'(spacing);
    if (last_pairs != '0) skew = skew + 4'(last_pairs) - 1'b1;
    else if (beats == 3'd2) skew = 4'd1;
  end

  // The last full round makes the first beat only if the digest is in it. With x^7 it takes the
  // S-boxes as long as others.
  acclmt_pkg::beat_t digest_beats;
  logic digest_short;
  acclmt_pkg::position_map_t digest_map;
  assign digest_map =
      acclmt_pkg::map_of_registers(registers_i[DigestMap+MapRegisters-1:DigestMap]);
  assign digest_beats =
      acclmt_pkg::beats_of_digest(digest_map, registers_i[DigestWords][WordCountWidth-1:0]);
  assign digest_short = digest_beats == 3'd1 && beats != 3'd1 && !seven && !goldilocks;

  always_comb begin
    config_o.alpha = alpha;
    config_o.width = width;
    config_o.sbox_width = width - beside[ElementCountWidth-1:0];
    config_o.beats = beats;
    config_o.steps = steps;
    config_o.full_interval = full_interval;
    config_o.spacing = spacing;
    config_o.grid = grid;
    config_o.partial_interval = partial_interval;
    config_o.digest_short = digest_short;
    config_o.digest_beats = digest_short ? 3'd1 : beats;
    config_o.pairs = groups != 4'd1;
    config_o.last_pairs = last_pairs;
    config_o.skew = skew;
    config_o.order =
        registers_i[Recurrence][acclmt_reg_pkg::LeafRecurrenceOrderLsb+:ElementCountWidth];
    config_o.output_enters =
        registers_i[Recurrence][acclmt_reg_pkg::LeafRecurrenceOutputEntersBit];
    config_o.adders = registers_i[Recurrence][acclmt_reg_pkg::LeafRecurrenceAddersBit];
    config_o.passes_first = registers_i[Passes][acclmt_reg_pkg::LeafPassesFirstLsb+:PassCountWidth];
    config_o.passes_last = registers_i[Passes][acclmt_reg_pkg::LeafPassesLastLsb+:PassCountWidth];
    for (int i = 0; i < int'(MaxNumPartial); i++) begin
      config_o.partial_rounds[i] = registers_i[PartialRounds+i][RoundWidth-1:0];
    end
    config_o.partial_base = registers_i[PartialBase][acclmt_pkg::IndexWidth-1:0];
    config_o.input_words = registers_i[InputWords][WordCountWidth-1:0];
    config_o.digest_words = registers_i[DigestWords][WordCountWidth-1:0];
    config_o.input_map =
        acclmt_pkg::map_of_registers(registers_i[InputMap+MapRegisters-1:InputMap]);
    config_o.digest_map = digest_map;
  end

  // ---- Legal values -----------------------------------------------------------------------------

  // What the passes are is checked where they are, see acclmt_full_round_passes.
  localparam int unsigned MostRounds = 2 ** RoundWidth - 1;
  logic recurrence;
  assign recurrence = config_o.order != '0;

  acclmt_pkg::word_count_t most_words;
  assign most_words = WordCountWidth'(goldilocks ? MaxGoldilocksWords : MaxWidth);
  logic [31:0] most_elements;
  assign most_elements = 32'(goldilocks ? MaxGoldilocksWidth : MaxWidth);

  logic [NumRegisters-1:0] illegal;
  always_comb begin
    illegal = '0;
    illegal[InputWords] = registers_i[InputWords] == '0 ||
        registers_i[InputWords] > 32'(most_words) ||
        (inputs_are_nodes_i && registers_i[InputWords] == 32'd1);
    illegal[DigestWords] = registers_i[DigestWords] == '0 ||
        registers_i[DigestWords] > 32'(most_words) ||
        (digests_are_nodes_i && registers_i[DigestWords] != 32'd1);
    illegal[Width] = (registers_i[Width] & ~acclmt_reg_pkg::LeafWidthMask) != '0 ||
        all_elements < 32'd2 || all_elements > most_elements || beside >= all_elements;
    illegal[Alpha] = registers_i[Alpha] != 32'd3 && registers_i[Alpha] != 32'd5 &&
        registers_i[Alpha] != 32'd7;
    illegal[Recurrence] =
        (registers_i[Recurrence] & ~acclmt_reg_pkg::LeafRecurrenceMask) != '0 ||
        32'(config_o.order) >= all_elements || (config_o.output_enters && !recurrence) ||
        (config_o.adders && !(Adders && goldilocks && recurrence &&
                              all_elements <= 32'(acclmt_pkg::AdderMostElements)));

    illegal[Passes] = config_o.passes_first == '0 || config_o.passes_last == '0;
    // The first partial-round sub-engine begins a recurrence.
    for (int i = 0; i < int'(MaxNumPartial); i++) begin
      illegal[PartialRounds+i] = registers_i[PartialRounds+i] > 32'(MostRounds) ||
          (registers_i[PartialRounds+i] != '0 &&
           12'(registers_i[PartialRounds+i][RoundWidth-1:0]) * 12'(beats) +
           12'(config_o.partial_base) > 12'(PartialDepth)) ||
          (registers_i[PartialRounds+i] != '0 && (i >= int'(NumPartial) || !recurrence)) ||
          (i == 0 && registers_i[PartialRounds+i] == '0 && recurrence);
    end
    illegal[PartialBase] = registers_i[PartialBase][31:acclmt_pkg::IndexWidth] != '0;

    // Position codes name elements of the state, or none.
    illegal[InputMap+:MapRegisters] = ~acclmt_pkg::map_is_legal(
        registers_i[InputMap+MapRegisters-1:InputMap], all_elements);
    illegal[DigestMap+:MapRegisters] = ~acclmt_pkg::map_is_legal(
        registers_i[DigestMap+MapRegisters-1:DigestMap], all_elements);
  end

  assign illegal_o = illegal != '0;
  always_comb begin
    illegal_index_o = '0;
    for (int i = int'(NumRegisters) - 1; i >= 0; i--) begin
      if (illegal[i]) illegal_index_o = 5'(i);
    end
  end

endmodule
