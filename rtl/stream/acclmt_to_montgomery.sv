// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Conversion of the elements that enter the chip: canonical integer x to Montgomery residue x * R.
///
/// Multiplies by R^2 mod prime and reduces: by `acclmt_const_mul` with a constant prime, by a
/// multiplier with a prime that is set at run time. In Goldilocks mode words pass unchanged. An
/// element that is not below the prime is reported in the cycle after it is taken; its residue is
/// that of the element modulo the prime.
///
/// Handshake:  ready/valid on both sides. An element enters only while a place is reserved for it
///             in the output buffer, so that the pipeline never stalls.
/// Latency:    5 (product by a constant) or 6 (multiplier) + reduction + 2 (buffer).
/// Throughput: one word a cycle.
module acclmt_to_montgomery #(
  /// The modulus with `ReductionConstant`.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  /// Whether Goldilocks mode exists.
  parameter bit Goldilocks = 1'b1,
  /// `acclmt_pkg::ReductionConstant` or `acclmt_pkg::ReductionRuntime`.
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Bits that accompany a word.
  parameter int unsigned LabelWidth = 1,
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
  /// Forgets every element.
  input logic clear_i,
  /// Goldilocks mode. Static.
  input logic goldilocks_i,
  /// With `ReductionRuntime`: the modulus, and R^2 modulo it. Static.
  input logic [acclmt_pkg::WordWidth-1:0] prime_i,
  input logic [acclmt_pkg::WordWidth-1:0] radix_squared_i,
  /// Canonical integer, or four of them.
  input logic valid_i,
  output logic ready_o,
  input acclmt_pkg::word_t element_i,
  input logic [LabelWidth-1:0] label_i,
  /// High in the cycle after that in which a word is taken of which an element is not below its
  /// prime, and in Goldilocks mode the lowest slice that is not (0 else).
  output logic not_below_prime_o,
  output logic [1:0] slice_o,
  /// Montgomery residue, or the word that came in.
  output logic valid_o,
  input logic ready_i,
  output acclmt_pkg::word_t residue_o,
  output logic [LabelWidth-1:0] label_o,
  /// No element is inside.
  output logic idle_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned SumWidth = acclmt_pkg::SumWidth;
  localparam int unsigned Slices = acclmt_pkg::Slices;
  localparam int unsigned SliceWidth = acclmt_pkg::SliceWidth;
  localparam int unsigned ChunkWidth = acclmt_pkg::ChunkWidth;
  localparam bit Runtime = Reduction == acclmt_pkg::ReductionRuntime;
  localparam int unsigned ProductCycles =
      Runtime ? acclmt_latency_pkg::MulLatency : acclmt_latency_pkg::EnterProductLatency;
  localparam int unsigned PipelineCycles =
      ProductCycles + acclmt_timing_pkg::reduce_latency(Reduction);
  // At least three more than the cycles of the pipeline, for one word a cycle.
  localparam int unsigned Places = PipelineCycles + acclmt_latency_pkg::PlacesBesidesStages;

  logic goldilocks;
  assign goldilocks = Goldilocks && goldilocks_i;

  logic accept, place_available;
  assign ready_o = place_available;
  assign accept = valid_i && ready_o;

  // ---- Elements below the prime: compared in the cycle after they are taken ---------------------

  logic accept_q, not_below_prime;
  logic [WordWidth-1:0] element_q, prime;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) accept_q <= 1'b0;
    else accept_q <= accept && !clear_i;
  end
  always_ff @(posedge clk_i) element_q <= element_i;

  always_comb begin
    not_below_prime = !goldilocks && element_q >= prime;
    slice_o = '0;
    for (int s = int'(Slices) - 1; s >= 0; s--) begin
      if (goldilocks &&
          element_q[int'(SliceWidth)*s+:SliceWidth] >= acclmt_pkg::GoldilocksPrime) begin
        not_below_prime = 1'b1;
        slice_o = 2'(s);
      end
    end
  end
  assign not_below_prime_o = accept_q && not_below_prime;

  // ---- Residues ---------------------------------------------------------------------------------

  // Product with R^2; in Goldilocks mode with one.
  logic [SumWidth-1:0] product;
  if (Runtime) begin : gen_runtime
    assign prime = prime_i;

    logic [WordWidth-1:0] factor;
    assign factor = goldilocks ? {Slices{SliceWidth'(1)}} : radix_squared_i;
    logic [acclmt_pkg::ProductWidth-1:0] factor_product;
    acclmt_pkg::product_t unused_beside;
    acclmt_mul #(
      .Goldilocks(Goldilocks)
    ) u_product (
      .clk_i,
      .goldilocks_i,
      .a_i(element_i),
      .b_i(factor),
      .product_o(factor_product),
      .beside_a_i('0),
      .beside_b_i('0),
      .beside_o(unused_beside)
    );
    assign product = SumWidth'(factor_product);
  end else begin : gen_constant
    localparam acclmt_pkg::word_t RadixSquared =
        acclmt_prime_pkg::power_of_two(Prime, 2 * acclmt_prime_pkg::montgomery_bits(Reduction));
    // The constant in four parts: one product of its size would have too many rows for a cycle.
    localparam int unsigned Parts = 4;
    localparam int unsigned PartWidth = WordWidth / Parts;
    localparam int unsigned PartProductWidth = WordWidth + PartWidth;
    localparam int unsigned HalfProductWidth = PartProductWidth + PartWidth;
    assign prime = Prime;

    // Odd multiples; redundant form of the products with the parts; these products; sums of two.
    logic [WordWidth+1:0] x3_q;
    logic [WordWidth+2:0] x5_q;
    logic [Parts*PartProductWidth-1:0] sum_q, carry_q, part_q;
    logic [HalfProductWidth-1:0] low_q, high_q;
    logic [SumWidth-1:0] product_q;
    for (genvar part = 0; part < Parts; part++) begin : gen_part
      localparam int unsigned Lsb = PartProductWidth * part;
      logic [PartProductWidth-1:0] sum, carry, slice;
      logic unused_below;
      acclmt_const_mul #(
        .LowColumn(0),
        .HighColumn(PartProductWidth),
        .Constant(acclmt_prime_pkg::radix_t'(RadixSquared[PartWidth*part+:PartWidth])),
        .ChunkColumns(9)
      ) u_product (
        .x1_i(PartProductWidth'(element_q)),
        .x3_i(PartProductWidth'(x3_q)),
        .x5_i(PartProductWidth'(x5_q)),
        .sum_o(sum),
        .carry_o(carry),
        .below_o(unused_below)
      );
      // In Goldilocks mode a part is a slice as it is, where it comes to stand in a place of two.
      assign slice =
          PartProductWidth'(element_q[SliceWidth*part+:SliceWidth]) << (PartWidth * part);
      always_ff @(posedge clk_i) begin
        sum_q[Lsb+:PartProductWidth] <= goldilocks ? slice : sum;
        carry_q[Lsb+:PartProductWidth] <= goldilocks ? '0 : carry;
        part_q[Lsb+:PartProductWidth] <=
            sum_q[Lsb+:PartProductWidth] + carry_q[Lsb+:PartProductWidth];
      end
    end
    always_ff @(posedge clk_i) begin
      x3_q <= {2'b0, element_i} + {1'b0, element_i, 1'b0};
      x5_q <= {3'b0, element_i} + {1'b0, element_i, 2'b0};
      low_q <= HalfProductWidth'(part_q[0+:PartProductWidth]) +
               {part_q[PartProductWidth+:PartProductWidth], PartWidth'(0)};
      high_q <= HalfProductWidth'(part_q[2*PartProductWidth+:PartProductWidth]) +
                {part_q[3*PartProductWidth+:PartProductWidth], PartWidth'(0)};
      product_q <= SumWidth'(low_q) + SumWidth'({high_q, (2 * PartWidth)'(0)});
    end
    assign product = product_q;
    logic unused_radix_squared;
    assign unused_radix_squared = ^radix_squared_i;
  end

  logic [WordWidth-1:0] residue;
  acclmt_reduce #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction)
  ) u_reduce (
    .clk_i,
    .goldilocks_i,
    .prime_i,
    .value_i({
      product[SumWidth-1:6*SliceWidth], ChunkWidth'(product[6*SliceWidth-1:4*SliceWidth]),
      ChunkWidth'(product[4*SliceWidth-1:2*SliceWidth]), ChunkWidth'(product[2*SliceWidth-1:0])
    }),
    .residue_o(residue)
  );

  logic [LabelWidth-1:0] label;
  logic label_fault;
  acclmt_delay #(
    .Width(LabelWidth),
    .Cycles(PipelineCycles),
    .MemoryParity(MemoryParity)
  ) u_label (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(label_fault),
    .data_i(label_i),
    .data_o(label)
  );

  logic pipe_valid, unused_ahead;
  acclmt_valid_pipe #(
    .Cycles(PipelineCycles)
  ) u_valid (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(accept),
    .valid_o(pipe_valid),
    .ahead_o(unused_ahead)
  );
  logic output_fault;
  acclmt_reserved_fifo #(
    .Width(LabelWidth + WordWidth),
    .Places(Places),
    .MemoryParity(MemoryParity)
  ) u_output (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(output_fault),
    .clear_i,
    .available_o(place_available),
    .reserve_i(accept),
    .valid_i(pipe_valid),
    .data_i({label, residue}),
    .valid_o,
    .ready_i,
    .data_o({label_o, residue_o}),
    .idle_o
  );

  assign memory_fault_o = label_fault || output_fault;

`ifndef SYNTHESIS
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({clear_i, valid_i, ready_o, valid_o, ready_i, not_below_prime_o}))
  else $error("acclmt_to_montgomery: a handshake is unknown");
  not_below_prime_c : cover property (@(posedge clk_i) not_below_prime_o);
  full_c : cover property (@(posedge clk_i) valid_i && !ready_o);
  waiting_c : cover property (@(posedge clk_i) valid_o && !ready_i);
`endif

endmodule
