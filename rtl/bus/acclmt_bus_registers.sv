// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// The registers of the streams, in front of the register port of the core, and the commands that
/// both obey. docs/buses.md describes the registers.
///
/// Requests for a register that is not here go on to the core, which answers for all that do not
/// exist, and logs them. Start, clear and zeroisation are commands of the core: they act here in
/// the cycle in which it answers that it obeys them.
///
/// Handshake:  as the register port of the core, see acclmt_register_file; both sides have at most
///             one request on its way, and the core may take several cycles to answer it.
/// Latency:    of the registers here: one cycle from a request to its answer.
module acclmt_bus_registers (
  /// Clock and asynchronous reset.
  input logic clk_i,
  input logic rst_ni,
  /// Requests of the bus.
  input logic reg_valid_i,
  input logic reg_write_i,
  input logic [acclmt_control_pkg::AddressWidth-1:0] reg_addr_i,
  input logic [31:0] reg_wdata_i,
  output logic reg_rvalid_o,
  output logic [31:0] reg_rdata_o,
  output logic reg_error_o,
  /// Requests to the core.
  output logic core_valid_o,
  output logic core_write_o,
  output logic [acclmt_control_pkg::AddressWidth-1:0] core_addr_o,
  output logic [31:0] core_wdata_o,
  input logic core_rvalid_i,
  input logic [31:0] core_rdata_i,
  input logic core_error_i,
  /// Commands, of one cycle: a run starts; everything is forgotten; input is discarded up to the
  /// next word with TLAST; no longer.
  output logic start_o,
  output logic clear_o,
  output logic discard_o,
  output logic keep_o,
  /// The state of the streams, and their events of this cycle in the order of STREAM_EVENTS.
  input logic input_open_i,
  input logic discarding_i,
  input logic output_open_i,
  input logic [acclmt_bus_pkg::NumEvents-1:0] events_i,
  /// An event of the streams interrupts.
  output logic irq_o
);

  // ---- Whose request it is ----------------------------------------------------------------------

  logic writable, exists;
  assign writable = reg_addr_i == acclmt_reg_pkg::RegStreamControl ||
                    reg_addr_i == acclmt_reg_pkg::RegStreamEvents ||
                    reg_addr_i == acclmt_reg_pkg::RegStreamEnable;
  assign exists = writable || (!reg_write_i && (reg_addr_i == acclmt_reg_pkg::RegBusVersion ||
                                                reg_addr_i == acclmt_reg_pkg::RegStreamState));
  assign core_valid_o = reg_valid_i && !exists;
  assign core_write_o = reg_write_i;
  assign core_addr_o = reg_addr_i;
  assign core_wdata_o = reg_wdata_i;

  // The request for a register here, which acts in the next cycle, and the command that the core
  // has not answered.
  logic own_q, write_q, start_q, clear_q;
  logic [acclmt_control_pkg::AddressWidth-1:0] addr_q;
  logic [31:0] wdata_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      own_q <= 1'b0;
      start_q <= 1'b0;
      clear_q <= 1'b0;
    end else begin
      own_q <= reg_valid_i && exists;
      if (reg_valid_i) begin
        start_q <= reg_write_i && reg_addr_i == acclmt_reg_pkg::RegControl &&
                   reg_wdata_i[acclmt_reg_pkg::ControlStartBit];
        clear_q <= reg_write_i && reg_addr_i == acclmt_reg_pkg::RegControl &&
                   (reg_wdata_i[acclmt_reg_pkg::ControlClearBit] ||
                    reg_wdata_i[acclmt_reg_pkg::ControlZeroiseBit]);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (reg_valid_i && exists) begin
      write_q <= reg_write_i;
      addr_q <= reg_addr_i;
      wdata_q <= reg_wdata_i;
    end
  end
  assign start_o = start_q && core_rvalid_i && !core_error_i;
  assign clear_o = clear_q && core_rvalid_i && !core_error_i;

  // ---- The registers ----------------------------------------------------------------------------

  logic control_write, events_write, enable_write, illegal;
  logic [31:0] mask, read_data;
  logic [acclmt_bus_pkg::NumEvents-1:0] pending, enabled;
  always_comb begin
    mask = '0;
    read_data = '0;
    case (addr_q)
      acclmt_reg_pkg::RegBusVersion: read_data = acclmt_reg_pkg::BusVersionValue;
      acclmt_reg_pkg::RegStreamState: begin
        read_data[acclmt_reg_pkg::StreamStateInputOpenBit] = input_open_i;
        read_data[acclmt_reg_pkg::StreamStateDiscardingBit] = discarding_i;
        read_data[acclmt_reg_pkg::StreamStateOutputOpenBit] = output_open_i;
      end
      acclmt_reg_pkg::RegStreamControl: begin
        mask = acclmt_reg_pkg::StreamControlMask;
        read_data[acclmt_reg_pkg::StreamControlDiscardBit] = discarding_i;
      end
      acclmt_reg_pkg::RegStreamEvents: begin
        mask = acclmt_reg_pkg::StreamEventsMask;
        read_data = 32'(pending);
      end
      acclmt_reg_pkg::RegStreamEnable: begin
        mask = acclmt_reg_pkg::StreamEventsMask;
        read_data = 32'(enabled);
      end
      default: ;
    endcase
  end
  assign control_write = own_q && write_q && !illegal &&
                         addr_q == acclmt_reg_pkg::RegStreamControl;
  assign events_write =
      own_q && write_q && !illegal && addr_q == acclmt_reg_pkg::RegStreamEvents;
  assign enable_write =
      own_q && write_q && !illegal && addr_q == acclmt_reg_pkg::RegStreamEnable;
  // A bit that no field has; or a packet that a run takes must not be discarded.
  assign illegal =
      write_q && ((wdata_q & ~mask) != '0 ||
                  (addr_q == acclmt_reg_pkg::RegStreamControl && input_open_i &&
                   wdata_q[acclmt_reg_pkg::StreamControlDiscardBit]));
  assign discard_o = control_write && wdata_q[acclmt_reg_pkg::StreamControlDiscardBit];
  assign keep_o = control_write && !wdata_q[acclmt_reg_pkg::StreamControlDiscardBit];

  acclmt_interrupt #(
    .NumEvents(acclmt_bus_pkg::NumEvents)
  ) u_interrupt (
    .clk_i,
    .rst_ni,
    .clear_i(clear_o),
    .events_i,
    .acknowledge_i(events_write),
    .enable_write_i(enable_write),
    .data_i(wdata_q[acclmt_bus_pkg::NumEvents-1:0]),
    .pending_o(pending),
    .enable_o(enabled),
    .irq_o
  );

  assign reg_rvalid_o = own_q || core_rvalid_i;
  assign reg_rdata_o = own_q ? (write_q ? '0 : read_data) : core_rdata_i;
  assign reg_error_o = own_q ? illegal : core_error_i;

`ifndef SYNTHESIS
`ifndef FORMAL
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({reg_valid_i, reg_rvalid_o, start_o, clear_o}))
  else $error("acclmt_bus_registers: a request, its answer or a command is unknown");
  one_answer_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(own_q && core_rvalid_i))
  else $error("acclmt_bus_registers: the core answers a request that it did not get");
  start_c : cover property (@(posedge clk_i) start_o);
  start_refused_c : cover property (@(posedge clk_i) start_q && core_rvalid_i && core_error_i);
  clear_c : cover property (@(posedge clk_i) clear_o);
  illegal_c : cover property (@(posedge clk_i) own_q && illegal);
`endif
`endif

endmodule
