// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// The register port behind the DMA, which host and DMA use in turns.
///
/// Of a counter of 64 bits the low word is read first; the core keeps the high word that goes with
/// it until the next low word is read. So nothing comes between the two words: behind a low word
/// of the host the high word is fetched here, and the host's reads of high words get that one,
/// whatever the DMA has read meanwhile. (They go to the core, too, which knows whether there is a
/// counter.) Behind a low word of the DMA the next request is the DMA's.
///
/// Handshake:  host: as the register port of the core, a request lasts one cycle and is answered
///             later. DMA: `dma_valid_i` is high until `dma_rvalid_o` answers, and may fall without
///             an answer while `dma_asked_o` is low. Behind the low word of a counter it asks for
///             the high word at once. At most one request is on its way to the core.
/// Latency:    one cycle for requests of the host, none for those of the DMA, and none for answers;
///             a request waits for the answer to that of the other side, and behind the low word
///             of a counter for the high word.
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
  output logic [31:0] host_rdata_o,
  /// Requests of the DMA; one of them is on its way.
  input logic dma_valid_i,
  input logic dma_write_i,
  input logic [acclmt_control_pkg::AddressWidth-1:0] dma_addr_i,
  input logic [31:0] dma_wdata_i,
  output logic dma_rvalid_o,
  output logic dma_asked_o,
  output logic [31:0] dma_rdata_o,
  /// Error of an answer to either.
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

  // Low and high words of counters: from CYCLES to the level table there is nothing else.
  localparam int unsigned HighBit = 2;
  localparam int unsigned PageLsb = 9;
  logic host_counter, dma_counter;
  assign host_counter =
      !host_write_q &&
      host_addr_q[acclmt_control_pkg::AddressWidth-1:PageLsb] ==
      acclmt_reg_pkg::RegCycles[acclmt_control_pkg::AddressWidth-1:PageLsb];
  assign dma_counter =
      !dma_write_i &&
      dma_addr_i[acclmt_control_pkg::AddressWidth-1:PageLsb] ==
      acclmt_reg_pkg::RegCycles[acclmt_control_pkg::AddressWidth-1:PageLsb];

  // In the cycle before the host, or the DMA, has got a low word. The high word of the host's
  // counter is on its way; it.
  logic host_low_q, dma_low_q, fetching_q;
  logic [31:0] high_q;

  logic grant_host, grant_dma, grant_fetch;
  assign grant_fetch = host_low_q;
  assign grant_host = !asked_q && !host_low_q && host_q &&
                      !(dma_valid_i && (host_turn_q || dma_low_q));
  assign grant_dma = !asked_q && !host_low_q && dma_valid_i &&
                     (!host_q || host_turn_q || dma_low_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      host_q <= 1'b0;
      asked_q <= 1'b0;
      host_turn_q <= 1'b0;
      host_low_q <= 1'b0;
      dma_low_q <= 1'b0;
      fetching_q <= 1'b0;
      high_q <= '0;
    end else begin
      host_low_q <= host_rvalid_o && host_counter && !host_addr_q[HighBit] && !core_error_i;
      dma_low_q <= dma_rvalid_o && dma_counter && !dma_addr_i[HighBit] && !core_error_i;
      if (grant_fetch) fetching_q <= 1'b1;
      else if (core_rvalid_i) fetching_q <= 1'b0;
      if (fetching_q && core_rvalid_i) high_q <= core_rdata_i;
      if (host_valid_i) host_q <= 1'b1;
      else if (grant_host) host_q <= 1'b0;
      if (grant_host || grant_dma) begin
        asked_q <= 1'b1;
        host_turn_q <= grant_host;
      end else if (grant_fetch) begin
        asked_q <= 1'b1;
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

  // The last request of the host stays here until the next one comes, and that is not before the
  // cycle in which the high word is asked for.
  logic [acclmt_control_pkg::AddressWidth-1:0] host_addr;
  always_comb begin
    host_addr = host_addr_q;
    if (grant_fetch) host_addr[HighBit] = 1'b1;
  end
  assign core_valid_o = grant_host || grant_dma || grant_fetch;
  assign core_write_o = grant_dma ? dma_write_i : host_write_q;
  assign core_addr_o = grant_dma ? dma_addr_i : host_addr;
  assign core_wdata_o = grant_dma ? dma_wdata_i : host_wdata_q;
  assign host_rvalid_o = asked_q && host_turn_q && !fetching_q && core_rvalid_i;
  assign host_rdata_o =
      (host_counter && host_addr_q[HighBit] && !core_error_i) ? high_q : core_rdata_i;
  assign dma_rvalid_o = asked_q && !host_turn_q && core_rvalid_i;
  assign dma_rdata_o = core_rdata_i;
  assign dma_asked_o = asked_q && !host_turn_q;
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
  assign one_at_a_time = (!core_valid_o || !asked_q) &&
                         2'(grant_host) + 2'(grant_dma) + 2'(grant_fetch) <= 2'd1;
  assign host_kept =
      host_open_q == (host_q || (asked_q && host_turn_q && !fetching_q)) &&
      !(host_q && asked_q && host_turn_q && !fetching_q) && (!fetching_q || host_turn_q);
  assign in_turns = !(core_valid_o && host_q && dma_valid_i) || grant_fetch || dma_low_q ||
                    grant_host != host_turn_q;
  assign answer_given =
      (core_rvalid_i && !fetching_q) ?
      host_rvalid_o == host_turn_q && dma_rvalid_o != host_turn_q :
      !host_rvalid_o && !dma_rvalid_o;

  // A request of the DMA that has gone to the core stays until it is answered.
  logic dma_stays, asked_write_q;
  logic [acclmt_control_pkg::AddressWidth-1:0] asked_addr_q;
  always_ff @(posedge clk_i) begin
    if (core_valid_o) begin
      asked_write_q <= core_write_o;
      asked_addr_q <= core_addr_o;
    end
  end
  assign dma_stays =
      !dma_asked_o || (dma_valid_i && dma_write_i == asked_write_q && dma_addr_i == asked_addr_q);

  // The counter whose high word the core keeps, where it is that of the last low word; the low
  // words that were the last ones of the host and of the DMA, which has not paused since.
  typedef logic [acclmt_control_pkg::AddressWidth-1:HighBit+1] counter_t;
  logic core_counter, core_low, asked_low_q, host_known_q, dma_known_q, kept_pair, kept_high;
  counter_t core_pair_q, host_pair_q, dma_pair_q;
  logic [31:0] fetched_q;
  assign core_counter =
      !core_write_o && core_addr_o[acclmt_control_pkg::AddressWidth-1:PageLsb] ==
      acclmt_reg_pkg::RegCycles[acclmt_control_pkg::AddressWidth-1:PageLsb];
  assign core_low = core_valid_o && core_counter && !core_addr_o[HighBit];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      core_pair_q <= '0;
      asked_low_q <= 1'b0;
      host_known_q <= 1'b0;
      host_pair_q <= '0;
      dma_known_q <= 1'b0;
      dma_pair_q <= '0;
      fetched_q <= '0;
    end else begin
      if (core_valid_o) asked_low_q <= core_low;
      if (core_low) core_pair_q <= core_addr_o[acclmt_control_pkg::AddressWidth-1:HighBit+1];
      host_known_q <= host_rvalid_o && asked_low_q && !core_error_i;
      if (host_rvalid_o) host_pair_q <= core_pair_q;
      if (dma_rvalid_o) dma_known_q <= asked_low_q && !core_error_i;
      else if (!dma_valid_i || (core_valid_o && grant_dma)) dma_known_q <= 1'b0;
      if (dma_rvalid_o) dma_pair_q <= core_pair_q;
      // What the core answers to the request that follows on a low word of the host.
      if (core_rvalid_i && fetching_q) fetched_q <= core_rdata_i;
    end
  end
  // The request behind a low word is for the high word that goes with it, or the DMA's own.
  assign kept_pair =
      (!host_known_q || (core_valid_o && core_counter && core_addr_o[HighBit] &&
                         core_pair_q == host_pair_q &&
                         core_addr_o[acclmt_control_pkg::AddressWidth-1:HighBit+1] ==
                         host_pair_q)) &&
      (!dma_known_q || core_pair_q == dma_pair_q);
  assign kept_high = fetched_q == high_q &&
                     (!(host_rvalid_o && host_counter && host_addr_q[HighBit]) || core_error_i ||
                      host_rdata_o == fetched_q);
  kept_pair_a : assert property (@(posedge clk_i) disable iff (!rst_ni) kept_pair)
  else $error("acclmt_dma_port: a request comes between the two words of a counter");
  kept_high_a : assert property (@(posedge clk_i) disable iff (!rst_ni) kept_high)
  else $error("acclmt_dma_port: the host gets the high word of another counter");
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
  dma_stays_a : assume property (@(posedge clk_i) disable iff (!rst_ni) dma_stays);
`else
  answers_request_a : assert property (@(posedge clk_i) disable iff (!rst_ni) answers_request)
  else $error("acclmt_dma_port: the core answers a request that it did not get");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({host_valid_i, dma_valid_i, core_rvalid_i}))
  else $error("acclmt_dma_port: a request or an answer is unknown");
  host_asks_once_a : assert property (@(posedge clk_i) disable iff (!rst_ni) host_asks_once)
  else $error("acclmt_dma_port: a request of the host comes before the answer to the last one");
  dma_stays_a : assert property (@(posedge clk_i) disable iff (!rst_ni) dma_stays)
  else $error("acclmt_dma_port: a request of the DMA changed before it was answered");
  host_waits_c : cover property (@(posedge clk_i) host_q && dma_asked_o);
  dma_waits_c : cover property (@(posedge clk_i) dma_valid_i && asked_q && host_turn_q);
  fetch_c : cover property (@(posedge clk_i) grant_fetch && dma_valid_i);
  pair_c : cover property (@(posedge clk_i) dma_low_q && host_q);
  both_c : cover property (@(posedge clk_i) host_q && dma_valid_i && !asked_q);
`endif
`endif

endmodule
