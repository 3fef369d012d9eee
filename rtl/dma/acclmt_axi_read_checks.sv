// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

`ifndef SYNTHESIS
/// Assertions for the read channels of an AXI4 master with one ID that bursts with INCR: the rules
/// of the channels, no burst across a multiple of 4096 bytes. That the memory answers what was
/// asked, with as many beats, is asserted in a simulation and taken for granted by a proof.
///
/// Handshake:  none. Latency: none.
module acclmt_axi_read_checks #(
  /// Bits of a beat and of an address.
  parameter int unsigned DataWidth = 256,
  parameter int unsigned AddressWidth = 64,
  /// Bursts that may be on their way, a power of two.
  parameter int unsigned MostOutstanding = 16
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// The bus.
  input logic arvalid_i,
  input logic arready_i,
  input logic [AddressWidth-1:0] araddr_i,
  input logic [7:0] arlen_i,
  input logic rvalid_i,
  input logic rready_i,
  input logic [DataWidth-1:0] rdata_i,
  input logic [1:0] rresp_i,
  input logic rlast_i,
  /// Bursts that were taken and have not come as a whole.
  output logic [$clog2(MostOutstanding):0] outstanding_o
);

  localparam int unsigned BeatBytes = DataWidth / 8;
  localparam int unsigned PageBytes = 4096;
  localparam int unsigned PlaceWidth = $clog2(MostOutstanding);

  acclmt_handshake_checks #(.Width(AddressWidth + 8)) u_ar (
    .clk_i,
    .rst_ni,
    .valid_i(arvalid_i),
    .ready_i(arready_i),
    .payload_i({araddr_i, arlen_i})
  );
  acclmt_handshake_checks #(.Width(DataWidth + 3), .Driven(1'b1)) u_r (
    .clk_i,
    .rst_ni,
    .valid_i(rvalid_i),
    .ready_i(rready_i),
    .payload_i({rdata_i, rresp_i, rlast_i})
  );

  // The lengths of the bursts on their way.
  logic [PlaceWidth-1:0] asked_q, come_q;
  logic [PlaceWidth:0] outstanding_q;
  logic [MostOutstanding-1:0][7:0] length_q;
  logic [7:0] beat_q;
  logic address, beat;
  assign address = arvalid_i && arready_i;
  assign beat = rvalid_i && rready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asked_q <= '0;
      come_q <= '0;
      outstanding_q <= '0;
      beat_q <= '0;
    end else begin
      if (address) asked_q <= asked_q + 1'b1;
      if (beat && rlast_i) come_q <= come_q + 1'b1;
      outstanding_q <= outstanding_q + (PlaceWidth + 1)'(address) -
                       (PlaceWidth + 1)'(beat && rlast_i);
      if (beat) beat_q <= rlast_i ? '0 : beat_q + 8'd1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (address) length_q[asked_q] <= arlen_i;
  end
  assign outstanding_o = outstanding_q;

  logic within_page, asked, length_holds, within_bounds;
  logic [31:0] last_byte;
  assign last_byte = 32'(araddr_i[11:0]) + (32'(arlen_i) + 32'd1) * BeatBytes;
  assign within_page =
      !arvalid_i || (last_byte <= PageBytes && 32'(araddr_i[11:0]) % BeatBytes == 0);
  assign asked = !rvalid_i || outstanding_q != '0;
  assign length_holds = !rvalid_i || rlast_i == (beat_q == length_q[come_q]);
  assign within_bounds = 32'(outstanding_q) + 32'(address) <= MostOutstanding;
  within_page_a : assert property (@(posedge clk_i) disable iff (!rst_ni) within_page)
  else $error("acclmt_axi_read_checks: a burst is not aligned or crosses a multiple of 4096");
  within_bounds_a : assert property (@(posedge clk_i) disable iff (!rst_ni) within_bounds)
  else $error("acclmt_axi_read_checks: more bursts are on their way than may");
`ifdef FORMAL
  asked_a : assume property (@(posedge clk_i) disable iff (!rst_ni) asked);
  length_holds_a : assume property (@(posedge clk_i) disable iff (!rst_ni) length_holds);
`else
  asked_a : assert property (@(posedge clk_i) disable iff (!rst_ni) asked)
  else $error("acclmt_axi_read_checks: RVALID without a burst");
  length_holds_a : assert property (@(posedge clk_i) disable iff (!rst_ni) length_holds)
  else $error("acclmt_axi_read_checks: RLAST is not with the last beat");
  full_c : cover property (@(posedge clk_i) 32'(outstanding_q) == MostOutstanding);
`endif

  logic unused_bits;
  assign unused_bits = ^araddr_i;

endmodule
`endif
