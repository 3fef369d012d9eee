// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Conversion of the words that leave the chip: Montgomery residue x * R to canonical integer x, by
/// one reduction. In Goldilocks mode words pass unchanged.
///
/// Handshake:  ready/valid on both sides. A residue enters only while a place is reserved for it in
///             the output buffer, so that the pipeline never stalls.
/// Latency:    reduction + 2 (buffer). Throughput: one word a cycle.
module acclmt_from_montgomery #(
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
  /// Forgets every word.
  input logic clear_i,
  /// Goldilocks mode. Static.
  input logic goldilocks_i,
  /// The modulus with `ReductionRuntime`. Static.
  input logic [acclmt_pkg::WordWidth-1:0] prime_i,
  /// Montgomery residue.
  input logic valid_i,
  output logic ready_o,
  input acclmt_pkg::word_t residue_i,
  input logic [LabelWidth-1:0] label_i,
  /// Bits that are set in the label of a word that enters the output buffer.
  input logic [LabelWidth-1:0] label_set_i,
  /// Canonical integer.
  output logic valid_o,
  input logic ready_i,
  output acclmt_pkg::word_t element_o,
  output logic [LabelWidth-1:0] label_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned SliceWidth = acclmt_pkg::SliceWidth;
  localparam int unsigned ChunkWidth = acclmt_pkg::ChunkWidth;
  localparam int unsigned PipelineCycles = acclmt_timing_pkg::reduce_latency(Reduction);
  // At least three more than the cycles of the pipeline, for one word a cycle.
  localparam int unsigned Places = PipelineCycles + acclmt_latency_pkg::PlacesBesidesStages;

  logic accept, pipe_valid, unused_ahead, unused_idle;
  assign accept = valid_i && ready_o;

  logic [acclmt_pkg::Slices-1:0][ChunkWidth-1:0] value;
  always_comb begin
    value = '0;
    if (Goldilocks && goldilocks_i) begin
      for (int s = 0; s < int'(acclmt_pkg::Slices); s++) begin
        value[s] = ChunkWidth'(residue_i[int'(SliceWidth)*s+:SliceWidth]);
      end
    end else begin
      value[0] = ChunkWidth'(residue_i[2*SliceWidth-1:0]);
      value[1] = ChunkWidth'(residue_i[WordWidth-1:2*SliceWidth]);
    end
  end

  logic [WordWidth-1:0] element;
  acclmt_reduce #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction)
  ) u_reduce (
    .clk_i,
    .goldilocks_i,
    .prime_i,
    .value_i(value),
    .residue_o(element)
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
    .available_o(ready_o),
    .reserve_i(accept),
    .valid_i(pipe_valid),
    .data_i({label | label_set_i, element}),
    .valid_o,
    .ready_i,
    .data_o({label_o, element_o}),
    .idle_o(unused_idle)
  );

  assign memory_fault_o = label_fault || output_fault;

`ifndef SYNTHESIS
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({clear_i, valid_i, ready_o, valid_o, ready_i}))
  else $error("acclmt_from_montgomery: a handshake is unknown");
  full_c : cover property (@(posedge clk_i) valid_i && !ready_o);
  waiting_c : cover property (@(posedge clk_i) valid_o && !ready_i);
`endif

endmodule
