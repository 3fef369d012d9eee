// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Poseidon S-box x^3, x^5 or x^7, with two squarers and one multiplier, each followed by a
/// reduction. For exponents that are made in several passes, also x^2 and x^4, and both times a
/// base.
///
///     cycle 0        13                    26                     39    (constant reduction)
///     x --> square --+--> square ----------+
///                    |    (x^5: fourth)    |
///                    |                     +--> multiply --> x^3 = x^2 * x
///                    +--> multiply (x^7) --+                 x^5 = x^4 * x
///                         x^3 = x^2 * x                      x^7 = x^4 * x^3
///                                                            x^2 = x * x, x^4 = x^2 * x^2
///
/// x^7 takes the one multiplier twice, 13 cycles apart: then no two elements may enter an odd
/// number of cycles apart that equals this distance, which a grid of 2, 3 or 4 cycles guarantees.
///
/// In Goldilocks mode the four elements of a word pass together, and x^7 can be made in every cycle
/// where the multiplier makes x^3 beside (`Cube`), or where only the element of slice 0 counts
/// (`Single`): x^3 is made in slice 0 of the multiplier then, and x^7 in slice 1.
///
/// Handshake:  none; a result leaves `acclmt_timing_pkg::sbox_latency` = 39 cycles after its
///             element (57 with the run-time reduction), in order.
/// Throughput: one word a cycle; with x^7 one in two cycles, but for `Cube` and `Single`.
module acclmt_sbox #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Whether powers can be multiplied with a base.
  parameter bit Base = 1'b0,
  /// Goldilocks mode: whether the multiplier makes x^3 beside; whether only the element of slice 0
  /// counts, and the others of the result are any.
  parameter bit Cube = 1'b0,
  parameter bit Single = 1'b0,
  /// Whether memories keep parity, see acclmt_memory.
  parameter bit MemoryParity = 1'b0
) (
  /// Clock and reset (of the delay lines' pointers and the valid bits).
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static. Its bits: a module
  /// that Verilator 5.006 builds by itself (tb/rtl) has no structures at its ports.
  input logic [acclmt_memory_pkg::MemoryConfigWidth-1:0] memory_config_i,
  /// A word that a memory below shows is not the one that was written; one cycle.
  output logic memory_fault_o,
  /// Forgets every element.
  input logic clear_i,
  /// Goldilocks mode and run-time modulus; stable while elements are inside.
  input logic goldilocks_i,
  input acclmt_pkg::word_t prime_i,
  /// In the cycle in which an element needs the multiplier for its power: which one that is. In
  /// other cycles `SboxSeventh` if elements may pass that need it twice.
  input acclmt_pkg::sbox_e power_i,
  /// Element x, canonical residue (four of them in Goldilocks mode).
  input logic valid_i,
  input logic [acclmt_pkg::WordWidth-1:0] x_i,
  /// In the cycle of `power_i`: the element, which can be stored, and the base.
  output logic [acclmt_pkg::WordWidth-1:0] x_o,
  input logic [acclmt_pkg::WordWidth-1:0] base_i,
  /// In the cycle of the result: take x instead of its power, a bit for each slice.
  input logic [acclmt_pkg::Slices-1:0] bypass_i,
  /// The power of x, or x.
  output logic [acclmt_pkg::WordWidth-1:0] y_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned ProductWidth = acclmt_pkg::ProductWidth;
  localparam int unsigned Slices = acclmt_pkg::Slices;
  localparam int unsigned SliceWidth = acclmt_pkg::SliceWidth;
  localparam int unsigned ModMulLatency = acclmt_timing_pkg::mod_mul_latency(int'(Reduction));

  logic [ProductWidth-1:0] product[3];
  logic [WordWidth-1:0] residue[3];
  logic [WordWidth-1:0] square, fourth, x_second, x_third, x_last, square_third, factor, power;

  // The powers: x^2, x^4, and the multiplier's result.
  assign square = residue[0];
  assign fourth = residue[1];
  acclmt_sqr #(
    .Goldilocks(Goldilocks)
  ) u_square (
    .clk_i,
    .goldilocks_i,
    .a_i(x_i),
    .square_o(product[0])
  );
  acclmt_sqr #(
    .Goldilocks(Goldilocks)
  ) u_fourth (
    .clk_i,
    .goldilocks_i,
    .a_i(square),
    .square_o(product[1])
  );
  logic [WordWidth-1:0] beside_a, beside_b;
  logic [ProductWidth-1:0] beside;
  acclmt_mul #(
    .Goldilocks(Goldilocks),
    .Beside((Cube && Goldilocks) ? acclmt_pkg::BesideFour : acclmt_pkg::BesideNone)
  ) u_multiply (
    .clk_i,
    .goldilocks_i,
    .a_i(power),
    .b_i(factor),
    .product_o(product[2]),
    .beside_a_i(beside_a),
    .beside_b_i(beside_b),
    .beside_o(beside)
  );
  for (genvar i = 0; i < 3; i++) begin : gen_reduce
    acclmt_reduce #(
      .Prime(Prime),
      .Goldilocks(Goldilocks),
      .Reduction(Reduction)
    ) u_reduce (
      .clk_i,
      .goldilocks_i,
      .prime_i,
      .value_i(acclmt_pkg::product_as_sum(product[i])),
      .residue_o(residue[i])
    );
  end

  // Goldilocks mode: x^3 that the multiplier does not make.
  logic goldilocks, seventh_each_cycle;
  logic [WordWidth-1:0] cube;
  assign goldilocks = Goldilocks && goldilocks_i;
  assign seventh_each_cycle = goldilocks && (Cube || Single);

  // x and x^2 wait for the multiplier, and x for the bypass.
  logic x_second_fault;
  acclmt_delay #(
    .Width(WordWidth),
    .Cycles(ModMulLatency),
    .MemoryParity(MemoryParity)
  ) u_x_second (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(x_second_fault),
    .data_i(x_i),
    .data_o(x_second)
  );
  logic x_last_fault;
  acclmt_delay #(
    .Width(WordWidth),
    .Cycles(ModMulLatency),
    .RegisterOutput(1'b1),
    .MemoryParity(MemoryParity)
  ) u_x_last (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(x_last_fault),
    .data_i(x_third),
    .data_o(x_last)
  );
  // So long x^3 takes where it is made beside: the product two cycles less than others, the
  // reduction two. x and x^2 wait for it, and then as long.
  localparam int unsigned CubeLatency = acclmt_latency_pkg::MulLatency;
  logic [1:0] third_fault;
  if (Cube && Goldilocks) begin : gen_cube
    logic [WordWidth-1:0] x_cube, square_cube;
    acclmt_delay #(
      .Width(2 * WordWidth),
      .Cycles(ModMulLatency - CubeLatency),
      .MemoryParity(MemoryParity)
    ) u_to_cube (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .memory_fault_o(third_fault[0]),
      .data_i({x_second, square}),
      .data_o({x_cube, square_cube})
    );
    acclmt_delay #(
      .Width(2 * WordWidth),
      .Cycles(CubeLatency),
      .MemoryParity(MemoryParity)
    ) u_to_third (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .memory_fault_o(third_fault[1]),
      .data_i({x_cube, square_cube}),
      .data_o({x_third, square_third})
    );
    // The multiplier makes them beside.
    assign beside_a = x_cube;
    assign beside_b = square_cube;
    logic [WordWidth-1:0] cube_residue, cube_q;
    acclmt_reduce_goldilocks u_reduce_cube (
      .clk_i,
      .value_i(acclmt_pkg::product_as_sum(beside)),
      .residue_o(cube_residue)
    );
    always_ff @(posedge clk_i) cube_q <= cube_residue;
    assign cube = goldilocks ? cube_q : residue[2];
  end else begin : gen_no_cube
    acclmt_delay #(
      .Width(WordWidth),
      .Cycles(ModMulLatency),
      .MemoryParity(MemoryParity)
    ) u_x_third (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .memory_fault_o(third_fault[0]),
      .data_i(x_second),
      .data_o(x_third)
    );
    acclmt_delay #(
      .Width(WordWidth),
      .Cycles(ModMulLatency),
      .MemoryParity(MemoryParity)
    ) u_square_third (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .memory_fault_o(third_fault[1]),
      .data_i(square),
      .data_o(square_third)
    );
    assign cube = residue[2];
    assign beside_a = '0;
    assign beside_b = '0;
    logic unused_product_beside;
    assign unused_product_beside = ^beside;
  end

  // Operands of the multiplier.
  logic third_valid, unused_ahead;
  acclmt_valid_pipe #(
    .Cycles(2 * ModMulLatency)
  ) u_valid (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i,
    .valid_o(third_valid),
    .ahead_o(unused_ahead)
  );
  // The first product of x^7 is made in a cycle in which no element needs the multiplier for its
  // power. A single element has one exponent, always the same.
  logic single_seventh;
  assign single_seventh = goldilocks && power_i == acclmt_pkg::SboxSeventh;
  always_comb begin
    case (power_i)
      acclmt_pkg::SboxSquare: power = x_third;
      acclmt_pkg::SboxFourth, acclmt_pkg::SboxThird, acclmt_pkg::SboxSquareBase:
      power = square_third;
      acclmt_pkg::SboxSeventh: power = (third_valid || seventh_each_cycle) ? fourth : square;
      default: power = fourth;
    endcase
    case (power_i)
      acclmt_pkg::SboxFourth: factor = square_third;
      acclmt_pkg::SboxSeventh: factor = (third_valid || seventh_each_cycle) ? cube : x_second;
      acclmt_pkg::SboxSquareBase, acclmt_pkg::SboxFourthBase: factor = Base ? base_i : x_third;
      default: factor = x_third;
    endcase
    // The single element of a word: x^3 in slice 0, x^7 in slice 1.
    if (Single && single_seventh) begin
      power[SliceWidth-1:0] = square[SliceWidth-1:0];
      factor[SliceWidth-1:0] = x_second[SliceWidth-1:0];
      power[SliceWidth+:SliceWidth] = fourth[SliceWidth-1:0];
      factor[SliceWidth+:SliceWidth] = residue[2][SliceWidth-1:0];
    end
  end
  assign x_o = x_third;

  logic [WordWidth-1:0] result;
  always_comb begin
    result = residue[2];
    if (Single && single_seventh) result[SliceWidth-1:0] = residue[2][SliceWidth+:SliceWidth];
  end
  for (genvar s = 0; s < Slices; s++) begin : gen_bypass
    assign y_o[SliceWidth*s+:SliceWidth] =
        bypass_i[s] ? x_last[SliceWidth*s+:SliceWidth] : result[SliceWidth*s+:SliceWidth];
  end

  if (!Base) begin : gen_no_base
    logic unused_base;
    assign unused_base = ^base_i;
  end

  assign memory_fault_o = x_second_fault || x_last_fault || third_fault != '0;

`ifndef SYNTHESIS
  logic second_valid, unused_ahead_second;
  acclmt_valid_pipe #(
    .Cycles(ModMulLatency)
  ) u_second_valid (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i,
    .valid_o(second_valid),
    .ahead_o(unused_ahead_second)
  );
  one_product_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      power_i == acclmt_pkg::SboxSeventh && !seventh_each_cycle |-> !(second_valid && third_valid))
  else $error("acclmt_sbox: two elements need the multiplier in one cycle");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni) !$isunknown(valid_i))
  else $error("acclmt_sbox: whether an element enters is unknown");
  twice_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      power_i == acclmt_pkg::SboxSeventh && third_valid);
`endif

endmodule
