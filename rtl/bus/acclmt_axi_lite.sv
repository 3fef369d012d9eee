// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// AXI4-Lite slave, 32 bits of data: makes requests of a register port of what comes over the bus.
///
/// A write takes effect when its address and its data are there, in whichever order they come. It
/// is refused, answered with SLVERR and not passed on, if its address is no multiple of 4 or if
/// WSTRB is not 1111: registers are written as a whole. A read whose address is no multiple of 4 is
/// refused likewise. An error of the register port becomes SLVERR, too. AWPROT and ARPROT have no
/// meaning here.
///
/// Writes and reads take turns where both wait. There is one place for the address of a write, one
/// for its data, one for the address of a read, and one for the answer of each: at most two writes
/// and two reads are on their way.
///
/// Handshake:  bus: AXI4-Lite; every output comes from registers alone, so that there is no
///             combinational path from an input of the bus to an output. Register port: a request
///             lasts one cycle, and is answered by `reg_rvalid_i` in a later one; there is no
///             further request before.
/// Latency:    3 cycles from the later of AWVALID and WVALID to BVALID, and from ARVALID to RVALID,
///             with a register port that answers in the next cycle.
/// Throughput: one write and one read in 4 cycles together, one of either kind alone in 3.
module acclmt_axi_lite #(
  /// Bits of a byte address, at least 3.
  parameter int unsigned AddressWidth = acclmt_control_pkg::AddressWidth
) (
  /// Clock and asynchronous reset.
  input logic clk_i,
  input logic rst_ni,
  /// AXI4-Lite: address and data of a write, its answer.
  input logic awvalid_i,
  output logic awready_o,
  input logic [AddressWidth-1:0] awaddr_i,
  input logic wvalid_i,
  output logic wready_o,
  input logic [31:0] wdata_i,
  input logic [3:0] wstrb_i,
  output logic bvalid_o,
  input logic bready_i,
  output logic [1:0] bresp_o,
  /// Address of a read, its answer.
  input logic arvalid_i,
  output logic arready_o,
  input logic [AddressWidth-1:0] araddr_i,
  output logic rvalid_o,
  input logic rready_i,
  output logic [31:0] rdata_o,
  output logic [1:0] rresp_o,
  /// Register port.
  output logic reg_valid_o,
  output logic reg_write_o,
  output logic [AddressWidth-1:0] reg_addr_o,
  output logic [31:0] reg_wdata_o,
  input logic reg_rvalid_i,
  input logic [31:0] reg_rdata_i,
  input logic reg_error_i
);

  if (AddressWidth < 3) begin : gen_illegal_address_width
    $error("acclmt_axi_lite: AddressWidth = %0d is not at least 3", AddressWidth);
  end

  // What was taken from the bus, and what the bus has not taken yet.
  logic aw_full_q, w_full_q, ar_full_q, b_full_q, r_full_q;
  logic [AddressWidth-1:0] awaddr_q, araddr_q;
  logic [31:0] wdata_q, rdata_q;
  logic whole_word_q, write_error_q, read_error_q;
  // A request was passed on and is not answered; it is a write.
  logic asked_q, asked_write_q;

  logic write_turn, read_turn, write_legal, read_legal;
  assign write_turn = !asked_q && aw_full_q && w_full_q && !b_full_q;
  assign read_turn = !asked_q && ar_full_q && !r_full_q && !write_turn;
  assign write_legal = awaddr_q[1:0] == 2'b00 && whole_word_q;
  assign read_legal = araddr_q[1:0] == 2'b00;

  assign reg_valid_o = (write_turn && write_legal) || (read_turn && read_legal);
  assign reg_write_o = write_turn;
  assign reg_addr_o = write_turn ? awaddr_q : araddr_q;
  assign reg_wdata_o = wdata_q;

  logic answered, write_ends, read_ends;
  assign answered = asked_q && reg_rvalid_i;
  assign write_ends = (write_turn && !write_legal) || (answered && asked_write_q);
  assign read_ends = (read_turn && !read_legal) || (answered && !asked_write_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_full_q <= 1'b0;
      w_full_q <= 1'b0;
      ar_full_q <= 1'b0;
      b_full_q <= 1'b0;
      r_full_q <= 1'b0;
      asked_q <= 1'b0;
    end else begin
      if (aw_full_q) aw_full_q <= !write_turn;
      else aw_full_q <= awvalid_i;
      if (w_full_q) w_full_q <= !write_turn;
      else w_full_q <= wvalid_i;
      if (ar_full_q) ar_full_q <= !read_turn;
      else ar_full_q <= arvalid_i;
      if (b_full_q) b_full_q <= !bready_i;
      else b_full_q <= write_ends;
      if (r_full_q) r_full_q <= !rready_i;
      else r_full_q <= read_ends;
      if (asked_q) asked_q <= !reg_rvalid_i;
      else asked_q <= reg_valid_o;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!aw_full_q) awaddr_q <= awaddr_i;
    if (!w_full_q) begin
      wdata_q <= wdata_i;
      whole_word_q <= wstrb_i == 4'b1111;
    end
    if (!ar_full_q) araddr_q <= araddr_i;
    if (!asked_q) asked_write_q <= write_turn;
    if (write_ends) write_error_q <= !asked_q || reg_error_i;
    if (read_ends) begin
      read_error_q <= !asked_q || reg_error_i;
      rdata_q <= asked_q ? reg_rdata_i : '0;
    end
  end

  assign awready_o = !aw_full_q;
  assign wready_o = !w_full_q;
  assign arready_o = !ar_full_q;
  assign bvalid_o = b_full_q;
  assign bresp_o =
      write_error_q ? acclmt_bus_pkg::RespSlaveError : acclmt_bus_pkg::RespOkay;
  assign rvalid_o = r_full_q;
  assign rdata_o = rdata_q;
  assign rresp_o = read_error_q ? acclmt_bus_pkg::RespSlaveError : acclmt_bus_pkg::RespOkay;

`ifndef SYNTHESIS
  logic [1:0] aw_outstanding, w_outstanding, ar_outstanding;
  acclmt_axi_lite_checks #(
    .AddressWidth(AddressWidth),
    .MostOutstanding(2)
  ) u_checks (
    .clk_i,
    .rst_ni,
    .awvalid_i,
    .awready_i(awready_o),
    .awaddr_i,
    .wvalid_i,
    .wready_i(wready_o),
    .wdata_i,
    .wstrb_i,
    .bvalid_i(bvalid_o),
    .bready_i,
    .bresp_i(bresp_o),
    .arvalid_i,
    .arready_i(arready_o),
    .araddr_i,
    .rvalid_i(rvalid_o),
    .rready_i,
    .rdata_i(rdata_o),
    .rresp_i(rresp_o),
    .aw_outstanding_o(aw_outstanding),
    .w_outstanding_o(w_outstanding),
    .ar_outstanding_o(ar_outstanding)
  );

  // Every request of the bus is in one place: nothing is lost, and nothing is answered twice.
  logic write_inside, writes_kept, reads_kept, port_legal, port_answers, room_for_answer;
  logic answer_shows, refusal_shows, write_refused_q, read_refused_q;
  logic write_answered_q, read_answered_q, port_error_q;
  logic [31:0] port_rdata_q;
  assign write_inside = b_full_q || (asked_q && asked_write_q);
  assign writes_kept = aw_outstanding == 2'(aw_full_q) + 2'(write_inside) &&
                       w_outstanding == 2'(w_full_q) + 2'(write_inside);
  assign reads_kept =
      ar_outstanding == 2'(ar_full_q) + 2'(r_full_q || (asked_q && !asked_write_q));
  assign room_for_answer = !asked_q || (asked_write_q ? !b_full_q : !r_full_q);
  // What the bus gave last is what is passed on.
  logic [AddressWidth-1:0] given_awaddr_q, given_araddr_q;
  logic [31:0] given_wdata_q;
  logic [3:0] given_wstrb_q;
  always_ff @(posedge clk_i) begin
    if (awvalid_i && awready_o) given_awaddr_q <= awaddr_i;
    if (arvalid_i && arready_o) given_araddr_q <= araddr_i;
    if (wvalid_i && wready_o) begin
      given_wdata_q <= wdata_i;
      given_wstrb_q <= wstrb_i;
    end
  end
  logic request_given;
  assign request_given = (!aw_full_q || awaddr_q == given_awaddr_q) &&
                         (!ar_full_q || araddr_q == given_araddr_q) &&
                         (!w_full_q || (wdata_q == given_wdata_q &&
                                        whole_word_q == (given_wstrb_q == 4'b1111)));
  assign port_legal =
      !reg_valid_o ||
      (!asked_q && reg_addr_o[1:0] == 2'b00 &&
       (reg_write_o ? reg_addr_o == given_awaddr_q && reg_wdata_o == given_wdata_q &&
                      given_wstrb_q == 4'b1111 : reg_addr_o == given_araddr_q));
  assign port_answers = !reg_rvalid_i || asked_q;
  // What the register port answers, or what is refused, shows in the next cycle.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_refused_q <= 1'b0;
      read_refused_q <= 1'b0;
      write_answered_q <= 1'b0;
      read_answered_q <= 1'b0;
    end else begin
      write_refused_q <= write_turn && !write_legal;
      read_refused_q <= read_turn && !read_legal;
      write_answered_q <= answered && asked_write_q;
      read_answered_q <= answered && !asked_write_q;
    end
  end
  always_ff @(posedge clk_i) begin
    port_error_q <= reg_error_i;
    port_rdata_q <= reg_rdata_i;
  end
  assign answer_shows =
      (!write_answered_q ||
       (bvalid_o && (bresp_o == acclmt_bus_pkg::RespSlaveError) == port_error_q)) &&
      (!read_answered_q ||
       (rvalid_o && (rresp_o == acclmt_bus_pkg::RespSlaveError) == port_error_q &&
        rdata_o == port_rdata_q));
  assign refusal_shows =
      (!write_refused_q || (bvalid_o && bresp_o == acclmt_bus_pkg::RespSlaveError)) &&
      (!read_refused_q || (rvalid_o && rresp_o == acclmt_bus_pkg::RespSlaveError));
  writes_kept_a : assert property (@(posedge clk_i) disable iff (!rst_ni) writes_kept)
  else $error("acclmt_axi_lite: a write was lost or doubled");
  reads_kept_a : assert property (@(posedge clk_i) disable iff (!rst_ni) reads_kept)
  else $error("acclmt_axi_lite: a read was lost or doubled");
  room_for_answer_a : assert property (@(posedge clk_i) disable iff (!rst_ni) room_for_answer)
  else $error("acclmt_axi_lite: a request was passed on whose answer has no place");
  request_given_a : assert property (@(posedge clk_i) disable iff (!rst_ni) request_given)
  else $error("acclmt_axi_lite: a request is not what the bus gave");
  port_legal_a : assert property (@(posedge clk_i) disable iff (!rst_ni) port_legal)
  else $error("acclmt_axi_lite: a request of the register port is illegal");
  refusal_shows_a : assert property (@(posedge clk_i) disable iff (!rst_ni) refusal_shows)
  else $error("acclmt_axi_lite: a refused request is not answered with SLVERR");
  answer_shows_a : assert property (@(posedge clk_i) disable iff (!rst_ni) answer_shows)
  else $error("acclmt_axi_lite: the answer of the register port is lost or changed");
`ifdef FORMAL
  port_answers_a : assume property (@(posedge clk_i) disable iff (!rst_ni) port_answers);
`else
  port_answers_a : assert property (@(posedge clk_i) disable iff (!rst_ni) port_answers)
  else $error("acclmt_axi_lite: the register port answers what was not asked");
  read_waits_for_write_c : cover property (@(posedge clk_i) write_turn && ar_full_q);
  write_refused_c : cover property (@(posedge clk_i) write_turn && !write_legal);
  read_refused_c : cover property (@(posedge clk_i) read_turn && !read_legal);
  port_error_c : cover property (@(posedge clk_i) answered && reg_error_i);
`endif
`endif

endmodule
