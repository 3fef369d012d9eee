// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// The register port behind the DMA, which host and DMA use in turns.
///
/// Handshake:  host: as the register port of the core, a request lasts one cycle and is answered
///             later. DMA: `dma_valid_i` is high until `dma_rvalid_o` answers, and may fall without
///             an answer while `dma_asked_o` is low. At most one request is on its way to the core.
/// Latency:    one cycle for requests of the host, none for those of the DMA, and none for answers;
///             a request waits for the answer to that of the other side.
module acclmt_dma_port (
  /// Clock and asynchronous reset.
  input logic clk_i,
  input logic rst_ni,
  /// Requests of the host.
  input logic host_valid_i,
  input logic host_write_i,
  input logic [acclmt_control_pkg::AddressWidth-1:0] host_addr_i,
  input logic [31:0] host_wdata_i,
  output logic host_rvalid_o,
  /// Requests of the DMA; one of them is on its way.
  input logic dma_valid_i,
  input logic dma_write_i,
  input logic [acclmt_control_pkg::AddressWidth-1:0] dma_addr_i,
  input logic [31:0] dma_wdata_i,
  output logic dma_rvalid_o,
  output logic dma_asked_o,
  /// Data and error of an answer to either.
  output logic [31:0] rdata_o,
  output logic error_o,
  /// The core.
  output logic core_valid_o,
  output logic core_write_o,
  output logic [acclmt_control_pkg::AddressWidth-1:0] core_addr_o,
  output logic [31:0] core_wdata_o,
  input logic core_rvalid_i,
  input logic [31:0] core_rdata_i,
  input logic core_error_i
);

  // A request of the host waits; one is on its way; the last one on its way was the host's.
  logic host_q, asked_q, host_turn_q;
  logic host_write_q;
  logic [acclmt_control_pkg::AddressWidth-1:0] host_addr_q;
  logic [31:0] host_wdata_q;

  logic grant_host, grant_dma;
  assign grant_host = !asked_q && host_q && !(dma_valid_i && host_turn_q);
  assign grant_dma = !asked_q && dma_valid_i && (!host_q || host_turn_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      host_q <= 1'b0;
      asked_q <= 1'b0;
      host_turn_q <= 1'b0;
    end else begin
      if (host_valid_i) host_q <= 1'b1;
      else if (grant_host) host_q <= 1'b0;
      if (grant_host || grant_dma) begin
        asked_q <= 1'b1;
        host_turn_q <= grant_host;
      end else if (core_rvalid_i) begin
        asked_q <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (host_valid_i) begin
      host_write_q <= host_write_i;
      host_addr_q <= host_addr_i;
      host_wdata_q <= host_wdata_i;
    end
  end

  assign core_valid_o = grant_host || grant_dma;
  assign core_write_o = grant_dma ? dma_write_i : host_write_q;
  assign core_addr_o = grant_dma ? dma_addr_i : host_addr_q;
  assign core_wdata_o = grant_dma ? dma_wdata_i : host_wdata_q;
  assign host_rvalid_o = asked_q && host_turn_q && core_rvalid_i;
  assign dma_rvalid_o = asked_q && !host_turn_q && core_rvalid_i;
  assign dma_asked_o = asked_q && !host_turn_q;
  assign rdata_o = core_rdata_i;
  assign error_o = core_error_i;

`ifndef SYNTHESIS
  // What the host has asked and what goes on from it, without a look at the states above.
  logic host_open_q, answers_request, host_asks_once, one_at_a_time, host_kept, in_turns;
  logic answer_given;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) host_open_q <= 1'b0;
    else if (host_valid_i) host_open_q <= 1'b1;
    else if (host_rvalid_o) host_open_q <= 1'b0;
  end
  assign answers_request = !core_rvalid_i || asked_q;
  assign host_asks_once = !host_valid_i || !host_open_q;
  assign one_at_a_time = !core_valid_o || !asked_q;
  assign host_kept = host_open_q == (host_q || (asked_q && host_turn_q)) &&
                     !(host_q && asked_q && host_turn_q);
  assign in_turns = !(core_valid_o && host_q && dma_valid_i) || grant_host != host_turn_q;
  assign answer_given =
      core_rvalid_i ? host_rvalid_o == host_turn_q && dma_rvalid_o != host_turn_q :
                      !host_rvalid_o && !dma_rvalid_o;
  one_at_a_time_a : assert property (@(posedge clk_i) disable iff (!rst_ni) one_at_a_time)
  else $error("acclmt_dma_port: a request does not wait for the answer to the one before");
  host_kept_a : assert property (@(posedge clk_i) disable iff (!rst_ni) host_kept)
  else $error("acclmt_dma_port: a request of the host was lost or doubled");
  in_turns_a : assert property (@(posedge clk_i) disable iff (!rst_ni) in_turns)
  else $error("acclmt_dma_port: one side comes twice in a row while the other one waits");
  answer_given_a : assert property (@(posedge clk_i) disable iff (!rst_ni) answer_given)
  else $error("acclmt_dma_port: an answer goes to the wrong side");
`ifdef FORMAL
  answers_request_a : assume property (@(posedge clk_i) disable iff (!rst_ni) answers_request);
  host_asks_once_a : assume property (@(posedge clk_i) disable iff (!rst_ni) host_asks_once);
`else
  answers_request_a : assert property (@(posedge clk_i) disable iff (!rst_ni) answers_request)
  else $error("acclmt_dma_port: the core answers a request that it did not get");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({host_valid_i, dma_valid_i, core_rvalid_i}))
  else $error("acclmt_dma_port: a request or an answer is unknown");
  host_asks_once_a : assert property (@(posedge clk_i) disable iff (!rst_ni) host_asks_once)
  else $error("acclmt_dma_port: a request of the host comes before the answer to the last one");
  host_waits_c : cover property (@(posedge clk_i) host_q && dma_asked_o);
  dma_waits_c : cover property (@(posedge clk_i) dma_valid_i && asked_q && host_turn_q);
  both_c : cover property (@(posedge clk_i) host_q && dma_valid_i && !asked_q);
`endif
`endif

endmodule
