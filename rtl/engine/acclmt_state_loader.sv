// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Builds the state before a permutation from its input words: each input element goes to the
/// position that the input map gives it, and the initial vector is added, which holds the tag or
/// capacity value and the round constants that precede the first S-box.
///
/// With `Sponge`, the state after a permutation comes back for the next block of its row, which is
/// added to it or takes the place of its rate elements; what is added then are the round constants
/// alone. Each block has a number of words and an input map of its own.
///
/// Of its tag a row keeps what came with its first block for the user of the digest; the rest is
/// that of the last block.
///
/// Input element j is word j of the block; in Goldilocks mode word w carries the elements 4w ..
/// 4w+3 in its slices. An element whose position code has lane 3 is dropped. Positions without an
/// input hold their element of the initial vector.
///
/// Two pages take turns: one is filled while the other is read.
///
/// Handshake:  words: ready/valid, the tag with the first word. States on both sides: `valid` shows
///             a complete state, `take` takes a beat.
/// Latency:    6 cycles from the last word to a state of one beat, with `Sponge` 7.
/// Throughput: one word a cycle, one beat a cycle.
module acclmt_state_loader #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Whether states come back.
  parameter bit Sponge = 1'b0,
  /// Parameter sets.
  parameter int unsigned NumSets = 1,
  /// Whether memories keep parity, see acclmt_memory.
  parameter bit MemoryParity = 1'b0
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// A word that a memory below shows is not the one that was written; one cycle.
  output logic memory_fault_o,
  /// Forgets every word.
  input logic clear_i,
  /// Goldilocks mode, run-time modulus and parameters of the sets; stable while words are inside.
  input logic goldilocks_i,
  input acclmt_pkg::word_t prime_i,
  input logic [NumSets*acclmt_pkg::EngineConfigWidth-1:0] configs_i,
  /// Writes of constants: the initial vector, bank lane, index 2 * `MaxBeats` * set + beat; with
  /// `Sponge` also the vector for later blocks, `MaxBeats` more.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// Input words with their block, the same for all of them; `block_end` marks the last one.
  input logic valid_i,
  output logic ready_o,
  input acclmt_pkg::word_t word_i,
  input acclmt_pkg::block_t block_i,
  input logic block_end_i,
  input acclmt_pkg::tag_t tag_i,
  /// States that come back, with their tags.
  input logic back_valid_i,
  output logic back_take_o,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] back_state_i,
  input acclmt_pkg::tag_t back_tag_i,
  /// States before a permutation.
  output logic valid_o,
  input logic take_i,
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_o,
  output acclmt_pkg::tag_t tag_o,
  /// A permutation begins (performance counter).
  output logic begun_o,
  /// No word is inside.
  output logic idle_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned Slices = acclmt_pkg::Slices;
  localparam int unsigned SliceWidth = acclmt_pkg::SliceWidth;
  localparam int unsigned MaxBeats = acclmt_pkg::MaxBeats;
  localparam int unsigned Codes = acclmt_pkg::PositionCodes;
  localparam int unsigned MaxGroups = Codes / Lanes;
  localparam int unsigned CodeWidth = acclmt_pkg::PositionCodeWidth;
  localparam int unsigned BeatWidth = acclmt_pkg::BeatWidth;
  localparam int unsigned CountWidth = acclmt_pkg::WordCountWidth;
  localparam logic [1:0] NoLane = acclmt_pkg::NoLane;
  // Beats of the output buffer.
  localparam int unsigned Places = acclmt_latency_pkg::LoaderPlaces;

  // ---- Filling a page ---------------------------------------------------------------------------

  logic write_page_q, read_page_q;
  logic [1:0] page_full_q, page_first_q;
  acclmt_pkg::word_count_t word_q;
  logic [1:0][acclmt_pkg::TagWidth-1:0] tag_q;
  // Which positions have an input, and take it alone: by group and lane.
  logic [MaxGroups-1:0][Lanes-1:0] present, replaced;
  logic [1:0][MaxGroups-1:0][Lanes-1:0] page_present_q, page_replaced_q;
  logic take_word, last_word, page_read;
  assign ready_o = !page_full_q[write_page_q];
  assign take_word = valid_i && ready_o;
  assign last_word = block_end_i;

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
    if (take_word && word_q == '0) begin
      tag_q[write_page_q] <= tag_i;
      page_first_q[write_page_q] <= block_i.first;
      page_present_q[write_page_q] <= present;
      page_replaced_q[write_page_q] <= replaced;
    end
  end

  // Position codes of the elements of this word: the word itself, or its four slices.
  logic [acclmt_pkg::WordPositionWidth-1:0] code;
  logic [Slices-1:0][CodeWidth-1:0] slice_code;
  assign code = acclmt_pkg::word_position(block_i.input_map, word_q);
  assign slice_code = acclmt_pkg::slice_codes(block_i.input_map, word_q[2:0]);

  logic [CodeWidth-1:0] element_code;
  always_comb begin
    present = '0;
    replaced = '0;
    element_code = '0;
    for (int j = 0; j < int'(Codes); j++) begin
      element_code = block_i.input_map[int'(CodeWidth)*j+:CodeWidth];
      if ((goldilocks_i ? CountWidth'(j / int'(Slices)) < block_i.input_words
                        : 32'(j) < 32'(block_i.input_words)) && element_code[1:0] != NoLane) begin
        present[element_code[4:2]][element_code[1:0]] = 1'b1;
        if (32'(j) >= 32'(block_i.added)) begin
          replaced[element_code[4:2]][element_code[1:0]] = 1'b1;
        end
      end
    end
  end

  // ---- Reading a page ---------------------------------------------------------------------------

  // The parameters of the set of the page.
  localparam int unsigned SetWidth = acclmt_pkg::SetWidth;
  localparam int unsigned TagSet = acclmt_pkg::TagSet;
  acclmt_pkg::set_t page_set;
  acclmt_pkg::engine_config_t of_page;
  assign page_set = tag_q[read_page_q][TagSet+:SetWidth];
  acclmt_set_select #(
    .NumSets(NumSets)
  ) u_config (
    .values_i(configs_i),
    .set_i(page_set),
    .value_o(of_page)
  );

  logic [BeatWidth-1:0] beat_q;
  logic read, read_last, place_available, reserve, is_first, state_is_back;
  assign is_first = !Sponge || page_first_q[read_page_q];
  assign state_is_back = is_first || back_valid_i;
  assign read = page_full_q[read_page_q] && (beat_q != '0 || (place_available && state_is_back));
  assign back_take_o = read && !is_first;
  assign reserve = read && beat_q == '0;
  assign begun_o = reserve;
  assign read_last = beat_q + 1'b1 == of_page.beats;
  assign page_read = read && read_last;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_q <= '0;
    else if (clear_i) beat_q <= '0;
    else if (read) beat_q <= read_last ? '0 : beat_q + 1'b1;
  end

  // A read beat is there the cycle after, and its sum with the vector one addition later; with
  // `Sponge` two additions.
  localparam int unsigned SumStages = 1 + (Sponge ? 2 : 1) * acclmt_latency_pkg::AddLatency;
  logic [SumStages-1:0] valid_q, last_q;
  logic [SumStages-1:0][acclmt_pkg::TagWidth-1:0] read_tag_q;
  acclmt_pkg::tag_t read_tag;
  always_comb begin
    read_tag = tag_q[read_page_q];
    if (Sponge && !is_first) begin
      read_tag[acclmt_pkg::TagPayloadWidth-1:0] = back_tag_i[acclmt_pkg::TagPayloadWidth-1:0];
    end
  end
  // What the state keeps of itself: all but what is replaced.
  logic read_first_block_q;
  logic [Slices-1:0][Lanes-1:0] present_q, replaced_q;
  logic read_odd_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else if (clear_i) valid_q <= '0;
    else valid_q <= {valid_q[SumStages-2:0], read};
  end
  always_ff @(posedge clk_i) begin
    last_q <= {last_q[SumStages-2:0], read_last};
    read_tag_q <= {read_tag_q[SumStages-2:0], read_tag};
    read_odd_q <= beat_q[0];
    read_first_block_q <= is_first;
    for (int s = 0; s < int'(Slices); s++) begin
      present_q[s] <=
          page_present_q[read_page_q][goldilocks_i ? {beat_q[0], 2'(s)} : {1'b0, beat_q[1:0]}];
      replaced_q[s] <=
          page_replaced_q[read_page_q][goldilocks_i ? {beat_q[0], 2'(s)} : {1'b0, beat_q[1:0]}];
    end
  end
  logic [Lanes-1:0][WordWidth-1:0] back_q;
  if (Sponge) begin : gen_back
    always_ff @(posedge clk_i) begin
      if (back_take_o) back_q <= back_state_i;
    end
  end else begin : gen_no_back
    assign back_q = '0;
  end

  // The vector of later blocks is behind the first one.
  localparam int unsigned BlockAddressWidth = Sponge ? 3 : 2;
  localparam int unsigned InitialAddressWidth = BlockAddressWidth + ((NumSets > 1) ? SetWidth : 0);
  localparam int unsigned InitialWidth = $clog2(NumSets * 2 ** BlockAddressWidth);
  logic [InitialAddressWidth-1:0] initial_address, initial_write_address;
  assign initial_address[1:0] = beat_q[1:0];
  assign initial_write_address[1:0] = constant_write_i.index[1:0];
  if (Sponge) begin : gen_later_vector
    assign initial_address[2] = !is_first;
    assign initial_write_address[2] = constant_write_i.index[2];
  end
  if (NumSets > 1) begin : gen_set_vectors
    assign initial_address[BlockAddressWidth+:SetWidth] = page_set;
    assign initial_write_address[BlockAddressWidth+:SetWidth] =
        constant_write_i.index[3+:SetWidth];
  end
  logic [Lanes-1:0][WordWidth-1:0] sum;
  logic [Lanes-1:0][Slices-1:0][1:0] page_fault;
  logic [Lanes-1:0][Slices-1:0] slice_fault;
  logic [Lanes-1:0] initial_fault;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    logic [WordWidth-1:0] placed, kept, initial_word;
    for (genvar s = 0; s < Slices; s++) begin : gen_slice
      // Even and odd beats have pages of their own: in Goldilocks mode a word may have an element
      // for each. Any slice of it may come here then, else the same slice of a word.
      logic [SliceWidth-1:0] read_data;
      logic [2*SliceWidth-1:0] read_beats;
      for (genvar odd = 0; odd < 2; odd++) begin : gen_beats
        logic write;
        logic [SliceWidth-1:0] data;
        always_comb begin
          write = code[2:0] == {1'(odd), 2'(lane)};
          data = word_i[SliceWidth*s+:SliceWidth];
          if (goldilocks_i) begin
            write = 1'b0;
            for (int from = 0; from < int'(Slices); from++) begin
              if (slice_code[from] == {1'(odd), 2'(s), 2'(lane)}) begin
                write = 1'b1;
                data = word_i[SliceWidth*from+:SliceWidth];
              end
            end
          end
        end
        acclmt_memory #(
          .Width(SliceWidth),
          .Depth(MaxBeats),
          .MemoryParity(MemoryParity)
        ) u_page (
          .clk_i,
          .rst_ni,
          .memory_config_i,
          .memory_fault_o(page_fault[lane][s][odd]),
          .write_enable_i(take_word && write),
          .write_address_i({write_page_q, !goldilocks_i && code[3]}),
          .write_data_i(data),
          .read_enable_i(read && beat_q[0] == 1'(odd)),
          .read_address_i({read_page_q, beat_q[1]}),
          .read_data_o(read_beats[SliceWidth*odd+:SliceWidth])
        );
      end
      assign read_data =
          read_odd_q ? read_beats[SliceWidth+:SliceWidth] : read_beats[0+:SliceWidth];
      logic has_input;
      assign has_input = present_q[s][lane];
      // What is not of this block may never have been written.
      assign slice_fault[lane][s] = has_input && page_fault[lane][s] != '0;
      assign placed[SliceWidth*s+:SliceWidth] = has_input ? read_data : '0;
      assign kept[SliceWidth*s+:SliceWidth] =
          (read_first_block_q || replaced_q[s][lane])
          ? '0 : back_q[lane][SliceWidth*s+:SliceWidth];
    end

    acclmt_memory #(
      .Width(WordWidth),
      .Depth(NumSets * 2 ** BlockAddressWidth),
      .MemoryParity(MemoryParity)
    ) u_initial (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .memory_fault_o(initial_fault[lane]),
      .write_enable_i(constant_write_i.valid &&
                      constant_write_i.sub_engine == acclmt_pkg::InitialSubEngine &&
                      constant_write_i.bank == acclmt_pkg::BankWidth'(lane)),
      .write_address_i(initial_write_address[InitialWidth-1:0]),
      .write_data_i(constant_write_i.data),
      .read_enable_i(read),
      .read_address_i(initial_address[InitialWidth-1:0]),
      .read_data_o(initial_word)
    );
    logic [WordWidth-1:0] first_sum;
    acclmt_mod_add #(
      .Prime(Prime),
      .Goldilocks(Goldilocks),
      .Reduction(Reduction)
    ) u_add (
      .clk_i,
      .goldilocks_i,
      .prime_i,
      .a_i(placed),
      .b_i(initial_word),
      .sum_o(first_sum)
    );
    if (Sponge) begin : gen_sponge
      logic [WordWidth-1:0] kept_q;
      always_ff @(posedge clk_i) kept_q <= kept;
      acclmt_mod_add #(
        .Prime(Prime),
        .Goldilocks(Goldilocks),
        .Reduction(Reduction)
      ) u_add_kept (
        .clk_i,
        .goldilocks_i,
        .prime_i,
        .a_i(first_sum),
        .b_i(kept_q),
        .sum_o(sum[lane])
      );
    end else begin : gen_hash
      assign sum[lane] = first_sum;
      logic unused_kept;
      assign unused_kept = ^kept;
    end
  end

  // ---- Output buffer ----------------------------------------------------------------------------

  logic buffer_idle;
  logic output_fault;
  acclmt_state_buffer #(
    .Places(Places),
    .NumSets(NumSets),
    .MemoryParity(MemoryParity)
  ) u_output (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(output_fault),
    .clear_i,
    .configs_i,
    .reserve_beats_i(of_page.beats),
    .most_beats_i(of_page.beats),
    .available_o(place_available),
    .reserve_i(reserve),
    .valid_i(valid_q[SumStages-1]),
    .last_i(last_q[SumStages-1]),
    .state_i(sum),
    .tag_i(read_tag_q[SumStages-1]),
    .valid_o,
    .take_i,
    .state_o,
    .tag_o,
    .idle_o(buffer_idle)
  );
  logic unused_bits;
  assign unused_bits = ^{of_page, page_set, initial_address, initial_write_address, back_valid_i,
                         back_state_i, back_tag_i};
  assign idle_o = buffer_idle && page_full_q == '0 && word_q == '0;

  assign memory_fault_o = slice_fault != '0 || initial_fault != '0 || output_fault;

`ifndef SYNTHESIS
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, ready_o, valid_o, take_i, back_take_o}))
  else $error("acclmt_state_loader: a handshake is unknown");
  both_pages_full_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      &page_full_q);
  waits_for_state_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      page_full_q[read_page_q] && !state_is_back);
  no_place_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      page_full_q[read_page_q] && beat_q == '0 && !place_available);
`endif

endmodule
