// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Widths, latencies, types and constant functions that every AcclMT module shares.
///
/// A field element is a word of `WordWidth` bits. Inside the chip it is the canonical residue (below
/// the prime) of x * R mod p with the Montgomery radix R = 2^`MontgomeryBits`. R is 16 times larger
/// than the natural 2^256, so that a sum of twelve full products still reduces to less than 2p
/// (docs/architecture.md, "Arithmetic").
package acclmt_pkg;

  // ---- Widths ------------------------------------------------------------------------------------

  /// Bits of a field element on every bus and in every memory.
  localparam int unsigned WordWidth = 256;
  /// log2 of the Montgomery radix R.
  localparam int unsigned MontgomeryBits = 260;
  /// Bits of a product of two words.
  localparam int unsigned ProductWidth = 2 * WordWidth;
  /// Bits of a sum of up to twelve products: the input of a reduction.
  localparam int unsigned SumWidth = ProductWidth + 4;
  /// Words of a beat: the native width of both kinds of sub-engine.
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
  /// One beat: element 0 is in the least significant word.
  typedef logic [Lanes-1:0][WordWidth-1:0] beat_t;

  // ---- Fields ------------------------------------------------------------------------------------

  /// Scalar field of BLS12-381, the default large prime.
  localparam word_t PrimeBls12381 =
      256'h73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001;

  // ---- Latencies, in cycles ----------------------------------------------------------------------

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

  // ---- Constant memories: banks of one word each -------------------------------------------------

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

  // ---- Constant functions of the prime -----------------------------------------------------------

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

  /// Position of digit number `index`, counted from 0 at the least significant end.
  function automatic int digit_position(input digits_t digits, input int index);
    int found;
    digit_position = 0;
    found = 0;
    for (int i = 0; i < int'(DigitPositions); i++) begin
      if (digits[3*i+:2] != 2'b00) begin
        if (found == index) digit_position = i;
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
