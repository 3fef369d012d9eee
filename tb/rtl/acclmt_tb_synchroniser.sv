// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: takes the place of rtl/crossing/acclmt_synchroniser.sv in benches with two
/// clocks. A first flop that is met by a change settles to the old or the new value, each bit for
/// itself.
///
/// A change meets a clock edge if it came in the time step before that of the edge; of what changes
/// in the very step of the edge the flop takes the old value, which is that of a change that comes
/// later. A random bit of 1 takes the old value.
///
/// Handshake and ports as the synchroniser of the design. Latency: `Stages` cycles, or one more
/// where a change meets the clock edge.
module acclmt_synchroniser #(
  /// Bits.
  parameter int unsigned Width = 1,
  /// Flops in a row, at least 2.
  parameter int unsigned Stages = 2
) (
  /// Clock of the output, and asynchronous reset.
  input logic clk_i,
  input logic rst_ni,
  /// Bits of the other clock.
  input logic [Width-1:0] d_i,
  /// The same in this one.
  output logic [Width-1:0] q_o
);

  localparam int unsigned RandomBits = acclmt_tb_steps_pkg::RandomBits;

  if (Stages < 2) begin : gen_illegal_stages
    $error("acclmt_synchroniser: Stages = %0d is not at least 2", Stages);
  end

  // The random bits of this one.
  int unsigned first;
  initial begin
    first = acclmt_tb_steps_pkg::given;
    acclmt_tb_steps_pkg::given = first + Width;
    if (first + Width > RandomBits) begin
      $error("acclmt_synchroniser: %0d random bits are given, more than the bench has",
             first + Width);
    end
  end

  // What came in before this step, and before the one before: the flops of the bench are clocked
  // before those of the design, whose clocks are flops of the bench.
  logic [Width-1:0] before_q, long_before_q;
  always_ff @(posedge acclmt_tb_steps_pkg::step) begin
    before_q <= d_i;
    long_before_q <= before_q;
  end

  logic [Width-1:0] settled;
  for (genvar i = 0; i < Width; i++) begin : gen_bit
    assign settled[i] =
        acclmt_tb_steps_pkg::random[6'(first + i)] ? long_before_q[i] : before_q[i];
  end

  logic [Stages*Width-1:0] stages_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stages_q <= '0;
    else stages_q <= {stages_q[(Stages-1)*Width-1:0], settled};
  end
  assign q_o = stages_q[(Stages-1)*Width+:Width];

endmodule
