// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Elaboration arithmetic: the Montgomery radix, constant functions of a prime that is built in,
/// and the signed-digit recoding of the constants by which the reduction multiplies.
package acclmt_prime_pkg;

  /// log2 of the Montgomery radix of the reduction by a constant prime.
  localparam int unsigned ConstantMontgomeryBits = 264;
  typedef logic [ConstantMontgomeryBits-1:0] radix_t;

  /// log2 of the Montgomery radix R.
  function automatic int montgomery_bits(input int reduction);
    if (reduction == int'(acclmt_pkg::ReductionRuntime)) begin
      montgomery_bits = int'(acclmt_latency_pkg::RuntimeDigits * acclmt_pkg::RuntimeDigitBits);
    end else begin
      montgomery_bits = int'(ConstantMontgomeryBits);
    end
  endfunction

  /// -1/prime mod R, for an odd prime.
  function automatic radix_t negative_inverse(input acclmt_pkg::word_t prime);
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
  function automatic acclmt_pkg::word_t power_of_two(input acclmt_pkg::word_t prime,
                                                      input int exponent);
    logic [acclmt_pkg::WordWidth:0] value;
    value = 1;
    for (int i = 0; i < exponent; i++) begin
      value = value << 1;
      if (value >= {1'b0, prime}) value = value - {1'b0, prime};
    end
    power_of_two = value[acclmt_pkg::WordWidth-1:0];
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
  function automatic acclmt_pkg::sum_t negative_correction(input digits_t digits);
    negative_correction = '0;
    for (int i = 0; i < int'(DigitPositions); i++) begin
      if (digits[3*i+2]) negative_correction = negative_correction + (acclmt_pkg::sum_t'(1) << i);
    end
  endfunction

endpackage
