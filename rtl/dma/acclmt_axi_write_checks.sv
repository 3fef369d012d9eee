// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

`ifndef SYNTHESIS
/// Assertions for the write channels of an AXI4 master with one ID that bursts with INCR: the rules
/// of the channels, no burst across a multiple of 4096 bytes, as many beats as were announced. This
/// master begins a burst when address and data of the one before were taken. That the memory
/// answers what was asked is asserted in a simulation and taken for granted by a proof.
///
/// Handshake:  none. Latency: none.
module acclmt_axi_write_checks #(
  /// Bits of a beat and of an address.
  parameter int unsigned DataWidth = 256,
  parameter int unsigned AddressWidth = 64,
  /// Bursts that may wait for their answers.
  parameter int unsigned MostOutstanding = 7
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// The bus.
  input logic awvalid_i,
  input logic awready_i,
  input logic [AddressWidth-1:0] awaddr_i,
  input logic [7:0] awlen_i,
  input logic wvalid_i,
  input logic wready_i,
  input logic [DataWidth-1:0] wdata_i,
  input logic [DataWidth/8-1:0] wstrb_i,
  input logic wlast_i,
  input logic bvalid_i,
  input logic bready_i,
  input logic [1:0] bresp_i,
  /// Of the burst that is being written: its address was taken and data are left, and its length;
  /// so many beats were taken; all of them were, and the address was not. Bursts that were taken as
  /// a whole and not answered.
  output logic address_taken_o,
  output logic [7:0] length_o,
  output logic [7:0] beat_o,
  output logic data_taken_o,
  output logic [7:0] outstanding_o
);

  localparam int unsigned BeatBytes = DataWidth / 8;
  localparam int unsigned PageBytes = 4096;

  acclmt_handshake_checks #(.Width(AddressWidth + 8)) u_aw (
    .clk_i,
    .rst_ni,
    .valid_i(awvalid_i),
    .ready_i(awready_i),
    .payload_i({awaddr_i, awlen_i})
  );
  acclmt_handshake_checks #(.Width(DataWidth + BeatBytes + 1)) u_w (
    .clk_i,
    .rst_ni,
    .valid_i(wvalid_i),
    .ready_i(wready_i),
    .payload_i({wdata_i, wstrb_i, wlast_i})
  );
  acclmt_handshake_checks #(.Width(2), .Driven(1'b1)) u_b (
    .clk_i,
    .rst_ni,
    .valid_i(bvalid_i),
    .ready_i(bready_i),
    .payload_i(bresp_i)
  );

  logic address_q, data_q;
  logic [7:0] length_q, beat_q, outstanding_q;
  logic address, beat, ends, whole;
  assign address = awvalid_i && awready_i;
  assign beat = wvalid_i && wready_i;
  assign ends = beat && wlast_i;
  assign whole = (address || address_q) && (ends || data_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      address_q <= 1'b0;
      data_q <= 1'b0;
      beat_q <= '0;
      outstanding_q <= '0;
    end else begin
      address_q <= (address_q || address) && !whole;
      data_q <= (data_q || ends) && !whole;
      if (beat) beat_q <= wlast_i ? '0 : beat_q + 8'd1;
      outstanding_q <= outstanding_q + 8'(whole) - 8'(bvalid_i && bready_i);
    end
  end
  always_ff @(posedge clk_i) begin
    if (address) length_q <= awlen_i;
  end
  assign address_taken_o = address_q;
  assign length_o = length_q;
  assign beat_o = beat_q;
  assign data_taken_o = data_q;
  assign outstanding_o = outstanding_q;

  logic within_page, announced, length_holds, one_at_a_time, asked, within_bounds;
  logic [31:0] last_byte;
  logic [7:0] length;
  assign last_byte = 32'(awaddr_i[11:0]) + (32'(awlen_i) + 32'd1) * BeatBytes;
  assign within_page =
      !awvalid_i || (last_byte <= PageBytes && 32'(awaddr_i[11:0]) % BeatBytes == 0);
  assign length = address_q ? length_q : awlen_i;
  assign announced = !wvalid_i || address_q || (awvalid_i && !data_q);
  assign length_holds = !wvalid_i || wlast_i == (beat_q == length);
  assign one_at_a_time = !(awvalid_i && address_q);
  assign asked = !bvalid_i || outstanding_q != '0;
  assign within_bounds = 32'(outstanding_q) <= MostOutstanding;
  within_page_a : assert property (@(posedge clk_i) disable iff (!rst_ni) within_page)
  else $error("acclmt_axi_write_checks: a burst is not aligned or crosses a multiple of 4096");
  announced_a : assert property (@(posedge clk_i) disable iff (!rst_ni) announced)
  else $error("acclmt_axi_write_checks: data of a burst that was not announced");
  length_holds_a : assert property (@(posedge clk_i) disable iff (!rst_ni) length_holds)
  else $error("acclmt_axi_write_checks: WLAST is not with the last beat");
  one_at_a_time_a : assert property (@(posedge clk_i) disable iff (!rst_ni) one_at_a_time)
  else $error("acclmt_axi_write_checks: a burst is announced before the data of the last one");
  within_bounds_a : assert property (@(posedge clk_i) disable iff (!rst_ni) within_bounds)
  else $error("acclmt_axi_write_checks: more bursts wait for their answers than may");
`ifdef FORMAL
  asked_a : assume property (@(posedge clk_i) disable iff (!rst_ni) asked);
`else
  asked_a : assert property (@(posedge clk_i) disable iff (!rst_ni) asked)
  else $error("acclmt_axi_write_checks: BVALID without a burst");
  data_first_c : cover property (@(posedge clk_i) data_q);
  address_first_c : cover property (@(posedge clk_i) address_q && beat_q == '0);
`endif

  logic unused_bits;
  assign unused_bits = ^awaddr_i;

endmodule
`endif
