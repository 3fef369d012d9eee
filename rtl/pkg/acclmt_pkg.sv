// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Widths, latencies, types and constant functions that every AcclMT module shares.
///
/// A field element is a word of `WordWidth` bits. Inside the chip it is the canonical residue
/// (below the prime) of x * R mod p with the Montgomery radix R = 2^`MontgomeryBits`. R is 16 times
/// larger than the natural 2^256, so that a sum of twelve full products still reduces to less than
/// 2p (docs/architecture.md, "Arithmetic").
package acclmt_pkg;

  // ---- Widths -----------------------------------------------------------------------------------

  /// Bits of a field element on every bus and in every memory.
  localparam int unsigned WordWidth = 256;
  /// log2 of the Montgomery radix R.
  localparam int unsigned MontgomeryBits = 260;
  /// Bits of a product of two words.
  localparam int unsigned ProductWidth = 2 * WordWidth;
  /// Bits of a sum of up to twelve products: the input of a reduction.
  localparam int unsigned SumWidth = ProductWidth + 4;
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

  // ---- Fields -----------------------------------------------------------------------------------

  /// Scalar field of BLS12-381, the default large prime.
  localparam word_t PrimeBls12381 =
      256'h73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001;

  // ---- Latencies, in cycles ---------------------------------------------------------------------

  /// Three-level Karatsuba multiplier or squarer.
  localparam int unsigned MulLatency = 6;
  /// Addition of the products of a dot product.
  localparam int unsigned SumLatency = 1;
  /// Montgomery reduction by the constant prime.
  localparam int unsigned ReduceLatency = 7;
  /// Modular addition.
  localparam int unsigned AddLatency = 1;
  /// Multiplication or squaring followed by its reduction.
  localparam int unsigned ModMulLatency = MulLatency + ReduceLatency;
  /// S-box x^5: two squarings and a multiplication.
  localparam int unsigned SboxLatency = 3 * ModMulLatency;
  /// Linear layer: products, their sum, the reduction and the addition of the round constant.
  localparam int unsigned LinearLatency = MulLatency + SumLatency + ReduceLatency + AddLatency;
  /// One round from issue to re-issue of the same hash; as many hashes share a sub-engine.
  localparam int unsigned LoopCycles = SboxLatency + LinearLatency;

  // ---- Constant memories: banks of one word each ------------------------------------------------

  /// Banks of the full-round sub-engine: the matrix, row by row, then the constant vector.
  localparam int unsigned FullMatrixBanks = Lanes * Lanes;
  /// Banks of a partial-round sub-engine: first row w, first column v without its head, constant.
  localparam int unsigned PartialBanks = 2 * Lanes;
  /// Bits of a bank number.
  localparam int unsigned BankWidth = 4;
  /// Bits of an index into a bank.
  localparam int unsigned IndexWidth = 8;
  /// Sub-engine number under which the initial vector of a hash is written.
  localparam logic [3:0] InitialSubEngine = 4'd15;

  /// Run-time parameters of a hash engine. All are checked before a run starts.
  typedef struct packed {
    /// Full rounds before and after the partial rounds.
    round_t full_rounds_first;
    round_t full_rounds_last;
    /// Partial rounds: entry 0 on the full-round sub-engine, entry i on partial-round sub-engine i.
    logic [MaxNumPartial:0][RoundWidth-1:0] partial_rounds;
    /// Which element of the final state is the digest.
    logic [1:0] digest_index;
  } engine_config_t;

  /// A write of one constant, broadcast to all sub-engines of an engine.
  typedef struct packed {
    logic valid;
    /// 0: full-round, 1..: partial-round, `InitialSubEngine`: the initial vector.
    logic [3:0] sub_engine;
    logic [BankWidth-1:0] bank;
    logic [IndexWidth-1:0] index;
    word_t data;
  } constant_write_t;

  // ---- The tree ---------------------------------------------------------------------------------

  // Level 0 holds the leaves, level l the nodes whose sub-trees have 2^l leaves. Every level below
  // the root is a queue in one of three memories: the leaf hash buffer (level 0), the root hash
  // buffer (levels 1 up to the two nodes that a standard tree leaves), and the hierarchical
  // intermediate data memory (HIDM: the levels above, which join standard trees).

  /// Bits of a level number.
  localparam int unsigned LevelWidth = 5;
  typedef logic [LevelWidth-1:0] level_t;

  /// Bits of a node address within one memory.
  localparam int unsigned NodeAddressWidth = 16;
  typedef logic [NodeAddressWidth-1:0] node_address_t;

  typedef enum logic [1:0] {
    LeafHashBuffer,
    RootHashBuffer,
    Hidm
  } node_memory_e;

  /// Place of a node.
  typedef struct packed {
    node_memory_e memory;
    node_address_t address;
  } node_place_t;

  /// Words of a level's queue in the HIDM: two pairs, so that one can fill while the other is read.
  localparam int unsigned HidmQueueWords = 4;

  // The level table. Root hash buffer of W words: level l has W / 2^l words from W - W / 2^(l-1)
  // on, down to two words; the levels above have `HidmQueueWords` words each in the HIDM.

  /// Last level whose queue is in the root hash buffer.
  function automatic int last_root_level(input int root_words);
    last_root_level = $clog2(root_words) - 1;
  endfunction

  /// Words of a level's queue.
  function automatic int queue_words(input int level, input int leaf_words, input int root_words);
    if (level == 0) queue_words = leaf_words;
    else if (level <= last_root_level(root_words)) queue_words = root_words >> level;
    else queue_words = int'(HidmQueueWords);
  endfunction

  /// First word of a level's queue in its memory.
  function automatic int queue_base(input int level, input int root_words);
    if (level == 0) queue_base = 0;
    else if (level <= last_root_level(root_words)) begin
      queue_base = root_words - (root_words >> (level - 1));
    end else begin
      queue_base = (level - last_root_level(root_words) - 1) * int'(HidmQueueWords);
    end
  endfunction

  /// Words of the HIDM for trees of up to 2^max_height leaves.
  function automatic int hidm_words(input int max_height, input int root_words);
    hidm_words = (max_height - 1 - last_root_level(root_words)) * int'(HidmQueueWords);
    if (hidm_words < 2) hidm_words = 2;
  endfunction

  // ---- Runs -------------------------------------------------------------------------------------

  /// What a run does; stable during a run.
  typedef struct packed {
    /// Hash elements into leaves (1) or take them as leaves (0).
    logic hash_leaves;
    /// Stream out the leaf digests (1) or fold them into a root (0).
    logic output_digests;
    /// Levels of the tree.
    logic [LevelWidth-1:0] height;
    /// Words of the data input, and of the data output, that belong to this run.
    logic [32:0] input_words;
    logic [31:0] output_words;
  } run_config_t;

  /// What the machine reports in a cycle of a run, for the performance counters.
  typedef struct packed {
    logic input_taken;
    logic input_stalled;
    logic output_taken;
    logic output_stalled;
    logic leaf_hash_done;
    logic root_hash_done;
    /// Bit 0: full-round sub-engine; bit i: partial-round sub-engine i.
    logic [MaxNumPartial:0] leaf_busy;
    logic [MaxNumPartial:0] root_busy;
  } events_t;

  // ---- Constant functions of the prime ----------------------------------------------------------

  typedef logic [MontgomeryBits-1:0] radix_t;

  /// -1/prime mod R, for an odd prime.
  function automatic radix_t negative_inverse(input word_t prime);
    radix_t remainder;
    remainder = 1;
    negative_inverse = '0;
    for (int i = 0; i < int'(MontgomeryBits); i++) begin
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
  localparam int unsigned DigitPositions = MontgomeryBits + 4;
  /// Three bits a position: {negative, magnitude}, magnitude 0: none, 1: one, 2: three, 3: five.
  typedef logic [3*DigitPositions-1:0] digits_t;

  /// Recodes a constant from its least significant bit up. Each digit clears at least three bits.
  function automatic digits_t recode(input radix_t constant);
    logic [DigitPositions:0] rest;
    rest = {{(DigitPositions + 1 - MontgomeryBits) {1'b0}}, constant};
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
