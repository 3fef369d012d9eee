// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Register port across two clocks: a request goes over, its answer comes back, one at a time.
///
/// A request, and an answer, is held in flops; a level that toggles with each of them goes through
/// a synchroniser, and what is held is looked at when that has arrived. A request that comes, or is
/// on its way, while the core is in reset is answered with an error. While the clock of the core
/// stands still, a request waits: the clock of the bus alone cannot tell that from a slow one.
///
/// Handshake:  as acclmt_register_file on both sides: a request lasts one cycle and is answered in
///             a later one; one is on its way at most.
/// Latency:    from a request to its answer 1 + `Stages` cycles of the bus and 2 + `Stages` of the
///             core, besides those that the core takes to answer, and one more of either where a
///             change meets the clock edge.
module acclmt_register_crossing #(
  /// Bits of a byte address.
  parameter int unsigned AddressWidth = acclmt_control_pkg::AddressWidth,
  /// Flops of a synchroniser.
  parameter int unsigned Stages = 2
) (
  /// Clock and asynchronous reset of the bus; the core is there; forget.
  input logic clk_i,
  input logic rst_ni,
  input logic up_i,
  input logic clear_i,
  /// Register port on the side of the bus.
  input logic reg_valid_i,
  input logic reg_write_i,
  input logic [AddressWidth-1:0] reg_addr_i,
  input logic [31:0] reg_wdata_i,
  output logic reg_rvalid_o,
  output logic [31:0] reg_rdata_o,
  output logic reg_error_o,
  /// Clock and asynchronous reset of the core.
  input logic core_clk_i,
  input logic core_rst_ni,
  /// An answer of the core waits here.
  input logic core_hold_i,
  /// Register port on the side of the core.
  output logic core_valid_o,
  output logic core_write_o,
  output logic [AddressWidth-1:0] core_addr_o,
  output logic [31:0] core_wdata_o,
  input logic core_rvalid_i,
  input logic [31:0] core_rdata_i,
  input logic core_error_i
);

  // ---- Bus --------------------------------------------------------------------------------------

  logic asked_q, failed_q, request_toggle_q, answer_toggle, answer_toggle_synced, answered;
  logic request_write_q;
  logic [AddressWidth-1:0] request_addr_q;
  logic [31:0] request_wdata_q, answer_rdata_q;
  logic answer_error_q;
  acclmt_synchroniser #(
    .Width(1),
    .Stages(Stages)
  ) u_answer_synchroniser (
    .clk_i,
    .rst_ni,
    .d_i(answer_toggle),
    .q_o(answer_toggle_synced)
  );
  assign answered = asked_q && up_i && answer_toggle_synced == request_toggle_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asked_q <= 1'b0;
      failed_q <= 1'b0;
      request_toggle_q <= 1'b0;
    end else begin
      asked_q <= up_i && (reg_valid_i || (asked_q && !answered));
      failed_q <= !up_i && (reg_valid_i || asked_q);
      if (clear_i) request_toggle_q <= 1'b0;
      else if (reg_valid_i && up_i) request_toggle_q <= !request_toggle_q;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      request_write_q <= 1'b0;
      request_addr_q <= '0;
      request_wdata_q <= '0;
    end else if (reg_valid_i && up_i) begin
      request_write_q <= reg_write_i;
      request_addr_q <= reg_addr_i;
      request_wdata_q <= reg_wdata_i;
    end
  end
  assign reg_rvalid_o = answered || failed_q;
  assign reg_rdata_o = answered ? answer_rdata_q : '0;
  assign reg_error_o = answered ? answer_error_q : failed_q;

  // ---- Core -------------------------------------------------------------------------------------

  logic request_toggle_synced, seen_toggle_q, answer_toggle_q, answer_waits_q;
  acclmt_synchroniser #(
    .Width(1),
    .Stages(Stages)
  ) u_request_synchroniser (
    .clk_i(core_clk_i),
    .rst_ni(core_rst_ni),
    .d_i(request_toggle_q),
    .q_o(request_toggle_synced)
  );
  always_ff @(posedge core_clk_i or negedge core_rst_ni) begin
    if (!core_rst_ni) begin
      seen_toggle_q <= 1'b0;
      answer_toggle_q <= 1'b0;
      answer_waits_q <= 1'b0;
    end else begin
      seen_toggle_q <= request_toggle_synced;
      if (core_rvalid_i) answer_waits_q <= 1'b1;
      else if (!core_hold_i) answer_waits_q <= 1'b0;
      if (answer_waits_q && !core_hold_i) answer_toggle_q <= seen_toggle_q;
    end
  end
  always_ff @(posedge core_clk_i or negedge core_rst_ni) begin
    if (!core_rst_ni) begin
      answer_rdata_q <= '0;
      answer_error_q <= 1'b0;
    end else if (core_rvalid_i) begin
      answer_rdata_q <= core_rdata_i;
      answer_error_q <= core_error_i;
    end
  end
  assign answer_toggle = answer_toggle_q;
  assign core_valid_o = request_toggle_synced != seen_toggle_q;
  // The request is held from before its toggle to its answer.
  assign core_write_o = request_write_q;
  assign core_addr_o = core_valid_o ? request_addr_q : '0;
  assign core_wdata_o = core_valid_o ? request_wdata_q : '0;

`ifndef SYNTHESIS
  logic one_request, one_answer;
  assign one_request = !(reg_valid_i && asked_q && !answered) && !(reg_valid_i && failed_q);
  assign one_answer = !core_rvalid_i || (seen_toggle_q != answer_toggle_q && !answer_waits_q);
  one_request_a : assert property (@(posedge clk_i) disable iff (!rst_ni) one_request)
  else $error("acclmt_register_crossing: a request before the answer to the one before");
  one_answer_a : assert property (@(posedge core_clk_i) disable iff (!core_rst_ni) one_answer)
  else $error("acclmt_register_crossing: the core answers what was not asked");
`ifndef FORMAL
  failed_c : cover property (@(posedge clk_i) failed_q);
  held_c : cover property (@(posedge core_clk_i) answer_waits_q && core_hold_i);
`endif
`endif

endmodule
