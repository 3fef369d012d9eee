// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Builds the initial state of a hash from its input words: each input element goes to the position
/// that the input map gives it, and the initial vector is added, which holds the tag or capacity
/// value and the round constants that precede the first S-box.
///
/// Input element j is word j of the hash; in Goldilocks mode word w carries the elements 4w .. 4w+3
/// in its slices. An element whose position code has lane 3 is dropped. Positions without an input
/// hold their element of the initial vector.
///
/// Two pages take turns: one is filled while the other is read.
///
/// Handshake:  words: ready/valid, the tag with the first word. States: `valid_o` shows a complete
///             state, `take_i` takes a beat.
/// Latency:    6 cycles from the last word to a state of one beat.
/// Throughput: one word a cycle, one beat a cycle.
module acclmt_state_loader #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Forgets every word.
  input logic clear_i,
  /// Run-time modulus and parameters of the hash; stable while words are inside.
  input acclmt_pkg::word_t prime_i,
  input acclmt_pkg::engine_config_t config_i,
  /// Writes of constants: the initial vector, bank lane, index beat.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// Input words.
  input logic valid_i,
  output logic ready_o,
  input acclmt_pkg::word_t word_i,
  input acclmt_pkg::tag_t tag_i,
  /// Initial states.
  output logic valid_o,
  input logic take_i,
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_o,
  output acclmt_pkg::tag_t tag_o,
  /// No word is inside.
  output logic idle_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned Slices = acclmt_pkg::Slices;
  localparam int unsigned SliceWidth = acclmt_pkg::SliceWidth;
  localparam int unsigned MaxBeats = acclmt_pkg::MaxBeats;
  localparam int unsigned MaxWidth = acclmt_pkg::MaxWidth;
  localparam int unsigned CodeWidth = acclmt_pkg::PositionCodeWidth;
  localparam int unsigned BeatWidth = acclmt_pkg::BeatWidth;
  // Beats of the output buffer.
  localparam int unsigned Places = 8;

  // ---- Filling a page ---------------------------------------------------------------------------

  logic write_page_q, read_page_q;
  logic [1:0] page_full_q;
  logic [3:0] word_q;
  logic [1:0][acclmt_pkg::TagWidth-1:0] tag_q;
  logic take_word, last_word, page_read;
  assign ready_o = !page_full_q[write_page_q];
  assign take_word = valid_i && ready_o;
  assign last_word = word_q + 1'b1 == config_i.input_words;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_page_q <= 1'b0;
      read_page_q <= 1'b0;
      page_full_q <= '0;
      word_q <= '0;
    end else if (clear_i) begin
      write_page_q <= 1'b0;
      read_page_q <= 1'b0;
      page_full_q <= '0;
      word_q <= '0;
    end else begin
      if (take_word) word_q <= last_word ? '0 : word_q + 1'b1;
      if (take_word && last_word) begin
        write_page_q <= !write_page_q;
        page_full_q[write_page_q] <= 1'b1;
      end
      if (page_read) begin
        read_page_q <= !read_page_q;
        page_full_q[read_page_q] <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (take_word && word_q == '0) tag_q[write_page_q] <= tag_i;
  end

  // Position codes of the elements of this word: the word itself, or its four slices.
  logic [CodeWidth-1:0] code;
  logic [Slices-1:0][CodeWidth-1:0] slice_code;
  assign code = config_i.input_map[word_q];
  assign slice_code = acclmt_pkg::slice_codes(config_i.input_map, word_q[1:0]);

  // Which positions have an input: by beat (or slice) and lane.
  logic [MaxBeats-1:0][Lanes-1:0] present;
  always_comb begin
    present = '0;
    for (int j = 0; j < int'(MaxWidth); j++) begin
      if ((config_i.goldilocks ? 4'(j) / 4'(Slices) : 4'(j)) < config_i.input_words &&
          config_i.input_map[j][1:0] != 2'd3) begin
        present[config_i.input_map[j][3:2]][config_i.input_map[j][1:0]] = 1'b1;
      end
    end
  end

  // ---- Reading a page ---------------------------------------------------------------------------

  logic [BeatWidth-1:0] beat_q;
  logic read, read_last, place_available, reserve;
  assign read = page_full_q[read_page_q] && (beat_q != '0 || place_available);
  assign reserve = read && beat_q == '0;
  assign read_last = beat_q + 1'b1 == config_i.beats;
  assign page_read = read && read_last;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_q <= '0;
    else if (clear_i) beat_q <= '0;
    else if (read) beat_q <= read_last ? '0 : beat_q + 1'b1;
  end

  // A read beat is there the cycle after, and its sum with the initial vector one cycle later.
  logic [1:0] valid_q, last_q;
  logic [1:0][acclmt_pkg::TagWidth-1:0] read_tag_q;
  logic [1:0] read_beat_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else if (clear_i) valid_q <= '0;
    else valid_q <= {valid_q[0], read};
  end
  always_ff @(posedge clk_i) begin
    last_q <= {last_q[0], read_last};
    read_tag_q <= {read_tag_q[0], tag_q[read_page_q]};
    read_beat_q <= beat_q[1:0];
  end

  logic [Lanes-1:0][WordWidth-1:0] sum;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    logic [WordWidth-1:0] placed, initial_word;
    for (genvar s = 0; s < Slices; s++) begin : gen_slice
      // In Goldilocks mode any slice of the word may come here, else the same slice of a word.
      logic write;
      logic [SliceWidth-1:0] data, read_data;
      always_comb begin
        write = code[1:0] == 2'(lane);
        data = word_i[SliceWidth*s+:SliceWidth];
        if (config_i.goldilocks) begin
          write = 1'b0;
          for (int from = 0; from < int'(Slices); from++) begin
            if (slice_code[from] == {2'(s), 2'(lane)}) begin
              write = 1'b1;
              data = word_i[SliceWidth*from+:SliceWidth];
            end
          end
        end
      end
      acclmt_mem_1r1w #(
        .Width(SliceWidth),
        .Depth(2 * MaxBeats)
      ) u_page (
        .clk_i,
        .write_enable_i(take_word && write),
        .write_address_i({write_page_q, config_i.goldilocks ? 2'd0 : code[3:2]}),
        .write_data_i(data),
        .read_enable_i(read),
        .read_address_i({read_page_q, beat_q[1:0]}),
        .read_data_o(read_data)
      );
      assign placed[SliceWidth*s+:SliceWidth] =
          present[config_i.goldilocks ? 2'(s) : read_beat_q][lane] ? read_data : '0;
    end

    acclmt_mem_1r1w #(
      .Width(WordWidth),
      .Depth(MaxBeats)
    ) u_initial (
      .clk_i,
      .write_enable_i(constant_write_i.valid &&
                      constant_write_i.sub_engine == acclmt_pkg::InitialSubEngine &&
                      constant_write_i.bank == acclmt_pkg::BankWidth'(lane)),
      .write_address_i(constant_write_i.index[1:0]),
      .write_data_i(constant_write_i.data),
      .read_enable_i(read),
      .read_address_i(beat_q[1:0]),
      .read_data_o(initial_word)
    );
    acclmt_mod_add #(
      .Prime(Prime),
      .Goldilocks(Goldilocks),
      .Reduction(Reduction)
    ) u_add (
      .clk_i,
      .goldilocks_i(config_i.goldilocks),
      .prime_i,
      .a_i(placed),
      .b_i(initial_word),
      .sum_o(sum[lane])
    );
  end

  // ---- Output buffer ----------------------------------------------------------------------------

  logic buffer_idle;
  acclmt_state_buffer #(
    .Places(Places)
  ) u_output (
    .clk_i,
    .rst_ni,
    .clear_i,
    .beats_i(config_i.beats),
    .available_o(place_available),
    .reserve_i(reserve),
    .valid_i(valid_q[1]),
    .last_i(last_q[1]),
    .state_i(sum),
    .tag_i(read_tag_q[1]),
    .valid_o,
    .take_i,
    .state_o,
    .tag_o,
    .idle_o(buffer_idle)
  );
  logic unused_bits;
  assign unused_bits = ^config_i;
  assign idle_o = buffer_idle && page_full_q == '0 && word_q == '0;

endmodule
