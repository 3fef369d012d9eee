// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

`ifndef SYNTHESIS
/// Assertions for an AXI4-Lite slave: the rules of the five channels, no answer without a request,
/// and no more requests on their way than it can hold.
///
/// Handshake:  none. Latency: none.
module acclmt_axi_lite_checks #(
  /// Bits of an address.
  parameter int unsigned AddressWidth = 12,
  /// Writes, and reads, that may be on their way at a time, at most 3.
  parameter int unsigned MostOutstanding = 2
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// The bus.
  input logic awvalid_i,
  input logic awready_i,
  input logic [AddressWidth-1:0] awaddr_i,
  input logic wvalid_i,
  input logic wready_i,
  input logic [31:0] wdata_i,
  input logic [3:0] wstrb_i,
  input logic bvalid_i,
  input logic bready_i,
  input logic [1:0] bresp_i,
  input logic arvalid_i,
  input logic arready_i,
  input logic [AddressWidth-1:0] araddr_i,
  input logic rvalid_i,
  input logic rready_i,
  input logic [31:0] rdata_i,
  input logic [1:0] rresp_i,
  /// Addresses and data of writes, and addresses of reads, that were taken and not answered.
  output logic [1:0] aw_outstanding_o,
  output logic [1:0] w_outstanding_o,
  output logic [1:0] ar_outstanding_o
);

  acclmt_handshake_checks #(.Width(AddressWidth), .Driven(1'b1)) u_aw (
    .clk_i,
    .rst_ni,
    .valid_i(awvalid_i),
    .ready_i(awready_i),
    .payload_i(awaddr_i)
  );
  acclmt_handshake_checks #(.Width(36), .Driven(1'b1)) u_w (
    .clk_i,
    .rst_ni,
    .valid_i(wvalid_i),
    .ready_i(wready_i),
    .payload_i({wstrb_i, wdata_i})
  );
  acclmt_handshake_checks #(.Width(2)) u_b (
    .clk_i,
    .rst_ni,
    .valid_i(bvalid_i),
    .ready_i(bready_i),
    .payload_i(bresp_i)
  );
  acclmt_handshake_checks #(.Width(AddressWidth), .Driven(1'b1)) u_ar (
    .clk_i,
    .rst_ni,
    .valid_i(arvalid_i),
    .ready_i(arready_i),
    .payload_i(araddr_i)
  );
  acclmt_handshake_checks #(.Width(34)) u_r (
    .clk_i,
    .rst_ni,
    .valid_i(rvalid_i),
    .ready_i(rready_i),
    .payload_i({rresp_i, rdata_i})
  );

  logic [1:0] aw_q, w_q, ar_q;
  logic write_answered, read_answered;
  assign write_answered = bvalid_i && bready_i;
  assign read_answered = rvalid_i && rready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_q <= '0;
      w_q <= '0;
      ar_q <= '0;
    end else begin
      aw_q <= aw_q + 2'(awvalid_i && awready_i) - 2'(write_answered);
      w_q <= w_q + 2'(wvalid_i && wready_i) - 2'(write_answered);
      ar_q <= ar_q + 2'(arvalid_i && arready_i) - 2'(read_answered);
    end
  end
  assign aw_outstanding_o = aw_q;
  assign w_outstanding_o = w_q;
  assign ar_outstanding_o = ar_q;

  // An answer needs a whole request, taken in an earlier cycle.
  logic write_requested, read_requested, within_bounds, responses_exist;
  assign write_requested = !bvalid_i || (aw_q != '0 && w_q != '0);
  assign read_requested = !rvalid_i || ar_q != '0;
  assign within_bounds = 32'(aw_q) <= MostOutstanding && 32'(w_q) <= MostOutstanding &&
                         32'(ar_q) <= MostOutstanding;
  assign responses_exist =
      (!bvalid_i || bresp_i == acclmt_bus_pkg::RespOkay ||
       bresp_i == acclmt_bus_pkg::RespSlaveError) &&
      (!rvalid_i || rresp_i == acclmt_bus_pkg::RespOkay ||
       rresp_i == acclmt_bus_pkg::RespSlaveError);
  write_requested_a : assert property (@(posedge clk_i) disable iff (!rst_ni) write_requested)
  else $error("acclmt_axi_lite_checks: BVALID without an address and data of a write");
  read_requested_a : assert property (@(posedge clk_i) disable iff (!rst_ni) read_requested)
  else $error("acclmt_axi_lite_checks: RVALID without an address of a read");
  within_bounds_a : assert property (@(posedge clk_i) disable iff (!rst_ni) within_bounds)
  else $error("acclmt_axi_lite_checks: more requests are on their way than fit");
  responses_exist_a : assert property (@(posedge clk_i) disable iff (!rst_ni) responses_exist)
  else $error("acclmt_axi_lite_checks: an answer is neither OKAY nor SLVERR");

`ifndef FORMAL
  address_first_c : cover property (@(posedge clk_i) aw_q > w_q);
  data_first_c : cover property (@(posedge clk_i) w_q > aw_q);
  write_and_read_c : cover property (@(posedge clk_i) write_answered && read_answered);
`endif

endmodule
`endif
