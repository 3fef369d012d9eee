// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Widths, latencies, types and constant functions that every AcclMT module shares.
///
/// An element of a large prime field is a word of `WordWidth` bits. Inside the chip it is the
/// canonical residue (below the prime) of x * R mod p with a Montgomery radix R =
/// 2^`montgomery_bits` that is larger than the natural 2^256, so that a sum of twelve full products
/// still reduces to less than 2p (docs/architecture.md, "Arithmetic"). In Goldilocks mode a word
/// holds four elements of the Goldilocks field, plain canonical integers, one in each slice.
package acclmt_pkg;

  // ---- Widths -----------------------------------------------------------------------------------

  /// Bits of a field element on every bus and in every memory.
  localparam int unsigned WordWidth = 256;
  /// Bits of a product of two words.
  localparam int unsigned ProductWidth = 2 * WordWidth;
  /// Bits of a sum of up to twelve products of large-prime elements.
  localparam int unsigned SumWidth = ProductWidth + 4;
  /// Goldilocks mode: elements in a word and bits of one.
  localparam int unsigned Slices = 4;
  localparam int unsigned SliceWidth = WordWidth / Slices;
  /// Bits of a chunk of a sum, the input of a reduction: `Slices` chunks, each with four bits of
  /// room above 128. Goldilocks mode: a sum in each chunk. Large prime: bits 128k..128k+127 in the
  /// lower bits of chunk k; the upper four bits are zero but for those of the last chunk.
  localparam int unsigned ChunkWidth = 2 * SliceWidth + 4;
  /// Words of a beat: the native width of both kinds of sub-engine. Element 0 is in the low word. A
  /// beat is written out as a packed array: Yosys' own front end loses the dimensions of a type
  /// from a package.
  localparam int unsigned Lanes = 3;
  /// Bits of the tag that accompanies a hash through an engine.
  localparam int unsigned TagWidth = 8;
  /// Bits of a round counter.
  localparam int unsigned RoundWidth = 8;
  /// Most partial-round sub-engines that the register map has room for.
  localparam int unsigned MaxNumPartial = 6;

  typedef logic [WordWidth-1:0] word_t;
  typedef logic [ProductWidth-1:0] product_t;
  typedef logic [SumWidth-1:0] sum_t;
  typedef logic [TagWidth-1:0] tag_t;
  typedef logic [RoundWidth-1:0] round_t;

  /// A bare product as a sum: its bits in the lower bits of the chunks.
  function automatic logic [Slices*ChunkWidth-1:0] product_as_sum(input product_t product);
    product_as_sum = '0;
    for (int k = 0; k < int'(Slices); k++) begin
      product_as_sum[int'(ChunkWidth)*k+:2*SliceWidth] =
          product[2*int'(SliceWidth)*k+:2*SliceWidth];
    end
  endfunction

  // ---- Fields -----------------------------------------------------------------------------------

  /// Scalar field of BLS12-381, the default large prime.
  localparam word_t PrimeBls12381 =
      256'h73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001;
  // A build chooses one of the primes below, by the parameter of the top module.
  /* verilator lint_off UNUSEDPARAM */

  /// Scalar field of BN254.
  localparam word_t PrimeBn254 =
      256'h30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001;
  /// Base field of Pallas, the scalar field of Vesta.
  localparam word_t PrimePallas =
      256'h40000000000000000000000000000000224698fc094cf91b992d30ed00000001;
  /// Base field of Vesta, the scalar field of Pallas.
  localparam word_t PrimeVesta =
      256'h40000000000000000000000000000000224698fc0994a8dd8c46eb2100000001;
  /// Field of Starknet, 2^251 + 17 * 2^192 + 1.
  localparam word_t PrimeStarknet =
      256'h0800000000000011000000000000000000000000000000000000000000000001;

  /* verilator lint_on UNUSEDPARAM */

  /// Goldilocks field, 2^64 - 2^32 + 1.
  localparam logic [SliceWidth-1:0] GoldilocksPrime = 64'hffffffff00000001;

  // How the large prime is built in: which reduction.

  /// The prime is fixed at elaboration.
  localparam int unsigned ReductionConstant = 0;
  /// The prime is set at run time: any prime p = 1 mod 2^`RuntimeDigitBits`, 2^250 < p < 2^255.
  localparam int unsigned ReductionRuntime = 1;

  /// log2 of the Montgomery radix of the reduction by a constant prime.
  localparam int unsigned ConstantMontgomeryBits = 260;
  /// Reduction by a run-time prime: bits that a step clears.
  localparam int unsigned RuntimeDigitBits = 28;
  /// Reduction by a run-time prime: bits of p above the lowest digit.
  localparam int unsigned RuntimeMultiplierBits = 255 - RuntimeDigitBits;

  /// log2 of the Montgomery radix R.
  function automatic int montgomery_bits(input int reduction);
    if (reduction == int'(ReductionRuntime)) begin
      montgomery_bits = int'(acclmt_latency_pkg::RuntimeDigits * RuntimeDigitBits);
    end else begin
      montgomery_bits = int'(ConstantMontgomeryBits);
    end
  endfunction

  // ---- Latencies of blocks that are made of others, in cycles (see acclmt_latency_pkg) ----------

  /// Montgomery reduction.
  function automatic int reduce_latency(input int reduction);
    if (reduction == int'(ReductionRuntime)) begin
      reduce_latency =
          int'(acclmt_latency_pkg::RuntimeDigits + acclmt_latency_pkg::RuntimeReduceStages);
    end else begin
      reduce_latency = int'(acclmt_latency_pkg::ReduceLatency);
    end
  endfunction

  /// Multiplication or squaring followed by its reduction.
  function automatic int mod_mul_latency(input int reduction);
    mod_mul_latency = int'(acclmt_latency_pkg::MulLatency) + reduce_latency(reduction);
  endfunction

  /// S-box: the longest chain of three modular multiplications.
  function automatic int sbox_latency(input int reduction);
    sbox_latency = 3 * mod_mul_latency(reduction);
  endfunction

  /// Dot product: products, their sum, the reduction.
  function automatic int dot_latency(input int reduction);
    dot_latency = int'(acclmt_latency_pkg::MulLatency + acclmt_latency_pkg::AccumulateLatency) +
                  reduce_latency(reduction);
  endfunction

  /// One partial round of a state of one beat on a partial-round sub-engine, from issue to re-issue.
  function automatic int partial_loop_cycles(input int reduction);
    partial_loop_cycles =
        sbox_latency(reduction) + dot_latency(reduction) +
        int'(acclmt_latency_pkg::IssueLatency + acclmt_latency_pkg::AddLatency +
             acclmt_latency_pkg::FifoLatency);
  endfunction

  /// One round of a state of one beat on a full-round sub-engine, from issue to re-issue.
  function automatic int full_loop_cycles(input int reduction);
    full_loop_cycles = partial_loop_cycles(reduction) + int'(acclmt_latency_pkg::TurnLatency);
  endfunction

  /// Beats that fit in a sub-engine, and in each of its output buffers: enough to keep the loop full
  /// with states of one to four beats.
  function automatic int places(input int reduction);
    places = (reduction == int'(ReductionRuntime)) ? int'(acclmt_latency_pkg::RuntimePlaces)
                                                   : int'(acclmt_latency_pkg::ConstantPlaces);
  endfunction

  // ---- Run-time parameters of a hash engine -----------------------------------------------------

  // A state has up to 12 elements. Element e is in lane e mod 3; e div 3 is its beat or, in
  // Goldilocks mode, its 64-bit slice: then a state of any width is one beat.

  /// Most beats of a state, and most column chunks of a matrix.
  localparam int unsigned MaxBeats = 4;
  /// Most elements of a state.
  localparam int unsigned MaxWidth = 12;
  /// Bits of a number of beats or steps.
  localparam int unsigned BeatWidth = 3;
  /// Position code of a state element: {beat or slice, lane}; lane 3 is no element.
  localparam int unsigned PositionCodeWidth = 4;

  typedef logic [BeatWidth-1:0] beat_t;

  /// States of so many beats that fit in a buffer for `capacity` beats.
  function automatic int states_that_fit(input int capacity, input beat_t beats);
    case (beats)
      3'd2: states_that_fit = capacity / 2;
      3'd3: states_that_fit = capacity / 3;
      3'd4: states_that_fit = capacity / 4;
      default: states_that_fit = capacity;
    endcase
  endfunction

  /// A map of positions: entry j belongs to element j of the words of a hash.
  typedef logic [MaxWidth-1:0][PositionCodeWidth-1:0] position_map_t;

  /// Whether a position code names an element of a state of `width` elements, or none.
  function automatic logic position_exists(input logic [PositionCodeWidth-1:0] code,
                                           input logic [31:0] width);
    position_exists = code[1:0] == 2'd3 || 32'(code[3:2]) * 32'd3 + 32'(code[1:0]) < width;
  endfunction

  /// Goldilocks mode: the entries of the four elements in word `word`, 0 to 2.
  function automatic logic [Slices*PositionCodeWidth-1:0] slice_codes(
      input position_map_t map, input logic [1:0] word);
    case (word)
      2'd1: slice_codes = map[2*Slices-1:Slices];
      2'd2: slice_codes = map[3*Slices-1:2*Slices];
      default: slice_codes = map[Slices-1:0];
    endcase
  endfunction

  /// One of the four slices of a word.
  function automatic logic [SliceWidth-1:0] slice_of(input word_t word, input logic [1:0] slice);
    case (slice)
      2'd1: slice_of = word[2*SliceWidth-1:SliceWidth];
      2'd2: slice_of = word[3*SliceWidth-1:2*SliceWidth];
      2'd3: slice_of = word[4*SliceWidth-1:3*SliceWidth];
      default: slice_of = word[SliceWidth-1:0];
    endcase
  endfunction

  /// Exponent of the S-box.
  typedef enum logic [1:0] {
    AlphaThree,
    AlphaFive,
    AlphaSeven
  } alpha_e;

  /// Most full-round sub-engines, and the number of the second one in constant writes and counters.
  localparam int unsigned MaxNumFull = 2;
  localparam logic [3:0] SecondFullSubEngine = 4'd7;
  /// Sub-engine numbers with counters: full-round, partial-round 1 to 6, second full-round.
  localparam int unsigned MaxSubEngines = MaxNumPartial + 2;

  /// Run-time parameters of a hash engine. All are checked before a run starts.
  typedef struct packed {
    alpha_e alpha;
    /// Beats of a state: ceil(t / 3), or 1 in Goldilocks mode.
    beat_t beats;
    /// Column chunks of a matrix, which are also the cycles from one beat of a full round to the
    /// next: ceil(t / 3), at least 2 with x^7.
    beat_t steps;
    /// Cycles of a full round: beats * steps.
    logic [4:0] full_interval;
    /// Cycles that the matrix of a full-round sub-engine starts later than its first element is
    /// there, so that it never waits for one: (beats - 1) * (steps - 1).
    logic [3:0] skew;
    /// Full rounds before and after the partial rounds.
    round_t full_rounds_first;
    round_t full_rounds_last;
    /// Partial rounds: entry 0 on the first full-round sub-engine, entry i on partial-round
    /// sub-engine i, entry 7 on the second full-round sub-engine.
    logic [MaxSubEngines-1:0][RoundWidth-1:0] partial_rounds;
    /// Partial rounds have the dense MDS matrix instead of sparse ones.
    logic partial_dense;
    /// Words that a hash takes and that its digest has.
    logic [3:0] input_words;
    logic [3:0] digest_words;
    /// Position codes of the input elements and of the digest elements.
    position_map_t input_map;
    position_map_t digest_map;
  } engine_config_t;

  // ---- Constant memories: banks of one word each ------------------------------------------------

  /// Banks of a full-round sub-engine: the matrix, row by row, then the constant vector.
  localparam int unsigned FullMatrixBanks = Lanes * Lanes;
  /// Banks of a partial-round sub-engine: first row w, first column v, constant.
  localparam int unsigned PartialBanks = 2 * Lanes + 1;
  /// Bits of a bank number.
  localparam int unsigned BankWidth = 4;
  /// Bits of an index into a bank.
  localparam int unsigned IndexWidth = 8;
  /// Sub-engine number under which the initial vector of a hash is written: one bank a lane.
  localparam logic [3:0] InitialSubEngine = 4'd15;

  typedef logic [IndexWidth-1:0] index_t;

  /// A write of one constant, broadcast to all sub-engines of an engine.
  typedef struct packed {
    logic valid;
    /// 0: full-round, 1..: partial-round, `SecondFullSubEngine`, `InitialSubEngine`.
    logic [3:0] sub_engine;
    logic [BankWidth-1:0] bank;
    logic [IndexWidth-1:0] index;
    word_t data;
  } constant_write_t;

  // ---- The tree ---------------------------------------------------------------------------------

  // Level 0 holds the leaves, level l + 1 the hashes of the nodes of level l. Every level below the
  // top is a queue in one of the node memories.

  /// Bits of a level number.
  localparam int unsigned LevelWidth = 5;
  typedef logic [LevelWidth-1:0] level_t;

  /// Bits of a node address within one memory, and of a number of groups of siblings.
  localparam int unsigned NodeAddressWidth = 16;
  typedef logic [NodeAddressWidth-1:0] node_address_t;

  /// The node memories, see acclmt_node_memory.
  localparam int unsigned NumNodeMemories = 5;
  localparam int unsigned NodeMemoryWidth = 3;
  typedef enum logic [NodeMemoryWidth-1:0] {
    LeafHashBuffer,
    RootHashBuffer,
    ScratchPad,
    HidmLevel0,
    HidmLevel1
  } node_memory_e;

  /// Words of the node memory with this number, of the words of all.
  function automatic int node_words(input int memory, input int leaf_words, input int root_words,
                                    input int scratch_words, input int hidm_words_0,
                                    input int hidm_words_1);
    case (memory)
      0: node_words = leaf_words;
      1: node_words = root_words;
      2: node_words = scratch_words;
      3: node_words = hidm_words_0;
      default: node_words = hidm_words_1;
    endcase
  endfunction

  /// Place of a node.
  typedef struct packed {
    node_memory_e memory;
    node_address_t address;
  } node_place_t;

  /// Entry of the level table: the memory that holds the queue of a level, and the groups of siblings
  /// that it has room for.
  localparam int unsigned LevelEntryWidth = NodeMemoryWidth + NodeAddressWidth;
  typedef struct packed {
    node_memory_e memory;
    node_address_t groups;
  } level_entry_t;

  /// Set-up of the queue of a level: its entry of the level table, and its first word.
  typedef struct packed {
    logic valid;
    level_t level;
    node_memory_e memory;
    node_address_t base;
    node_address_t groups;
  } level_setup_t;

  /// A group of siblings to be hashed: its level, the place of the first one, their number, and
  /// whether it is the last group of its level.
  typedef struct packed {
    level_t level;
    node_place_t place;
    logic [3:0] count;
    logic last;
  } node_job_t;

  /// What a node that goes out is: its level, its index in the level, and whether it is the last one
  /// of the run.
  localparam int unsigned NodeIndexWidth = 32;
  localparam int unsigned NodeLabelWidth = LevelWidth + NodeIndexWidth + 1;
  typedef struct packed {
    level_t level;
    logic [NodeIndexWidth-1:0] index;
    logic last;
  } node_label_t;

  /// The tree of a run.
  typedef struct packed {
    /// Number of leaves.
    logic [31:0] leaves;
    /// The level whose nodes end the run: the root or a cap; 0: there is no tree.
    level_t top;
    /// Groups may lack siblings, which then have the value of an empty sub-tree of their level.
    logic pad;
    /// Levels whose nodes go out besides those of the top level.
    logic [2**LevelWidth-1:0] emit;
  } tree_config_t;

  /// Words written to and freed in the node memories in a cycle.
  typedef struct packed {
    logic leaf_written;
    logic digest_written;
    node_memory_e digest_memory;
    logic [3:0] freed_count;
    node_memory_e freed_memory;
  } node_traffic_t;

  /// Sub-engine number under which the values of empty sub-trees are written: bank 0, index level.
  localparam logic [3:0] EmptySubTrees = 4'd14;

  // ---- Runs -------------------------------------------------------------------------------------

  /// Configuration registers of a run, from MODE on, and of each hash engine, from INPUT_WORDS on:
  /// consecutive words of the register map.
  localparam int unsigned NumRunConfig = 12;
  localparam int unsigned NumEngineConfig = 19;

  /// A leaf is a row of blocks, each of which is absorbed before a permutation.
  typedef struct packed {
    /// A block takes the place of the rate elements instead of being added to them.
    logic overwrite;
    /// Blocks of a row, and rows that are under way together.
    logic [31:0] blocks;
    logic [15:0] group;
    /// Words of the last block, and the position codes of its elements.
    logic [3:0] last_words;
    position_map_t last_map;
  } row_config_t;

  /// What a word of the data input is: of the first block or of the last block of its row, and the
  /// last one of its block.
  localparam int unsigned InputLabelWidth = 3;
  typedef struct packed {
    logic first_block;
    logic last_block;
    logic block_end;
  } input_label_t;

  /// Bit of a tag that says that the state is not final: another block is to be absorbed.
  localparam int unsigned TagContinues = TagWidth - 1;

  /// What a run does; stable during a run.
  typedef struct packed {
    /// The field: Goldilocks, four elements a word, or the large prime.
    logic goldilocks;
    /// Hash elements into leaves (1) or take them as leaves (0).
    logic hash_leaves;
    /// What a leaf is.
    row_config_t row;
    /// The tree.
    tree_config_t tree;
  } run_config_t;

  /// What the machine reports in a cycle of a run, for the performance counters.
  typedef struct packed {
    logic input_taken;
    logic input_stalled;
    logic input_missing;
    logic output_taken;
    logic output_stalled;
    /// A leaf goes to the tree or out; one waits for that; the root hash engine waits for a group.
    logic leaf_taken;
    logic leaf_stalled;
    logic root_starved;
    /// A permutation begins.
    logic leaf_hash_begun;
    logic root_hash_begun;
    /// Words written and freed in the node memories.
    node_traffic_t traffic;
    /// Bit 0: first full-round sub-engine; bit i: partial-round sub-engine i; bit 7: second
    /// full-round sub-engine.
    logic [MaxSubEngines-1:0] leaf_busy;
    logic [MaxSubEngines-1:0] root_busy;
  } events_t;

  // ---- Constant functions of the prime ----------------------------------------------------------

  typedef logic [ConstantMontgomeryBits-1:0] radix_t;

  /// -1/prime mod R, for an odd prime.
  function automatic radix_t negative_inverse(input word_t prime);
    radix_t remainder;
    remainder = 1;
    negative_inverse = '0;
    for (int i = 0; i < int'(ConstantMontgomeryBits); i++) begin
      if (remainder[i]) begin
        negative_inverse[i] = 1'b1;
        remainder = remainder + (radix_t'(prime) << i);
      end
    end
  endfunction

  /// 2^exponent mod prime.
  function automatic word_t power_of_two(input word_t prime, input int exponent);
    logic [WordWidth:0] value;
    value = 1;
    for (int i = 0; i < exponent; i++) begin
      value = value << 1;
      if (value >= {1'b0, prime}) value = value - {1'b0, prime};
    end
    power_of_two = value[WordWidth-1:0];
  endfunction

  // Signed-digit recoding with the odd digits 1, 3 and 5: about one digit in seven positions.

  /// Positions of a recoded constant (a carry may leave its top).
  localparam int unsigned DigitPositions = ConstantMontgomeryBits + 4;
  /// Three bits a position: {negative, magnitude}, magnitude 0: none, 1: one, 2: three, 3: five.
  typedef logic [3*DigitPositions-1:0] digits_t;

  /// Recodes a constant from its least significant bit up. Each digit clears at least three bits.
  function automatic digits_t recode(input radix_t constant);
    logic [DigitPositions:0] rest;
    rest = {{(DigitPositions + 1 - ConstantMontgomeryBits) {1'b0}}, constant};
    recode = '0;
    for (int i = 0; i < int'(DigitPositions); i++) begin
      if (rest[0]) begin
        case (rest[3:0])
          4'd1, 4'd9: begin
            recode[3*i+:3] = 3'b001;
            rest = rest - 1;
          end
          4'd3: begin
            recode[3*i+:3] = 3'b010;
            rest = rest - 3;
          end
          4'd5: begin
            recode[3*i+:3] = 3'b011;
            rest = rest - 5;
          end
          4'd11: begin
            recode[3*i+:3] = 3'b111;
            rest = rest + 5;
          end
          4'd13: begin
            recode[3*i+:3] = 3'b110;
            rest = rest + 3;
          end
          default: begin
            recode[3*i+:3] = 3'b101;
            rest = rest + 1;
          end
        endcase
      end
      rest = rest >> 1;
    end
  endfunction

  /// Number of digits that are not zero.
  function automatic int count_digits(input digits_t digits);
    count_digits = 0;
    for (int i = 0; i < int'(DigitPositions); i++) begin
      if (digits[3*i+:2] != 2'b00) count_digits = count_digits + 1;
    end
  endfunction

  /// Most digits of a constant.
  localparam int unsigned MaxDigits = 64;
  /// Bits of a position.
  localparam int unsigned PositionWidth = 9;

  /// Positions of the digits that are not zero, the least significant first: one table, because a
  /// constant function is slow in some tools.
  function automatic logic [MaxDigits*PositionWidth-1:0] digit_positions(input digits_t digits);
    int found;
    digit_positions = '0;
    found = 0;
    for (int i = 0; i < int'(DigitPositions); i++) begin
      if (digits[3*i+:2] != 2'b00 && found < int'(MaxDigits)) begin
        digit_positions[PositionWidth*found+:PositionWidth] = PositionWidth'(i);
        found = found + 1;
      end
    end
  endfunction

  /// Sum of 2^position over the negative digits: completes their two's complements.
  function automatic sum_t negative_correction(input digits_t digits);
    negative_correction = '0;
    for (int i = 0; i < int'(DigitPositions); i++) begin
      if (digits[3*i+2]) negative_correction = negative_correction + (sum_t'(1) << i);
    end
  endfunction

endpackage
