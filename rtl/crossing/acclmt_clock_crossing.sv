// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Between a bus and acclmt_packet_core: nothing but wires with one clock, a crossing with two.
///
/// With two clocks, of any ratio and phase:
///
///     register port --> acclmt_register_crossing ------------------------> register port
///     input packets --> acclmt_packet_gate -> acclmt_gray_fifo
///                         -> acclmt_packet_window -----------------------> input packets
///     output packets <- acclmt_stream_output <- acclmt_gray_fifo <-------- output packets
///     interrupt <------ acclmt_synchroniser <----------------------------- interrupt
///     resets ---------> acclmt_crossing_reset ---------------------------> reset
///
/// docs/buses.md says what this means for a host. `rst_ni` resets both sides. `core_rst_ni` resets
/// what is in the clock of the core: requests are answered with an error, and a packet of the
/// output that has begun ends with an abort word.
///
/// Handshake:  as acclmt_packet_core on both sides; no combinational path from an input of the bus
///             to an output of the bus.
/// Latency:    with one clock none. With two: see the modules above; one cycle of the bus more for
///             words of the output.
/// Throughput: one word a cycle of the slower clock on either stream, if `Words` is at least
///             2 * `Stages` + 4.
module acclmt_clock_crossing #(
  /// 0: everything is in `clk_i`, and `core_clk_i` and `core_rst_ni` have no meaning. 1: two
  /// clocks.
  parameter bit SeparateClocks = 1'b0,
  /// Flops of a synchroniser, at least 2.
  parameter int unsigned Stages = 2,
  /// Words of the buffer of either stream, a power of two and at least 4.
  parameter int unsigned Words = 8,
  /// Bits of a word and of what goes with one of the output.
  parameter int unsigned Width = acclmt_pkg::WordWidth,
  parameter int unsigned UserWidth = acclmt_bus_pkg::UserWidth,
  /// What goes with an abort word.
  parameter logic [UserWidth-1:0] AbortUser = acclmt_bus_pkg::AbortUser
) (
  /// The bus: clock, and asynchronous reset that is released with it.
  input logic clk_i,
  input logic rst_ni,
  /// The core: clock, and asynchronous reset.
  input logic core_clk_i,
  input logic core_rst_ni,
  /// Clock and reset for what is behind the crossing.
  output logic core_clk_o,
  output logic core_rst_no,
  /// Register port of the bus.
  input logic reg_valid_i,
  input logic reg_write_i,
  input logic [acclmt_control_pkg::AddressWidth-1:0] reg_addr_i,
  input logic [31:0] reg_wdata_i,
  output logic reg_rvalid_o,
  output logic [31:0] reg_rdata_o,
  output logic reg_error_o,
  /// Input packets of the bus.
  input logic in_tvalid_i,
  output logic in_tready_o,
  input logic [Width-1:0] in_tdata_i,
  input logic [Width/8-1:0] in_tkeep_i,
  input logic in_tlast_i,
  /// Output packets for the bus.
  output logic out_tvalid_o,
  input logic out_tready_i,
  output logic [Width-1:0] out_tdata_o,
  output logic [UserWidth-1:0] out_tuser_o,
  output logic out_tlast_o,
  /// Interrupt for the bus.
  output logic irq_o,
  /// The other side: ports of acclmt_packet_core.
  output logic core_reg_valid_o,
  output logic core_reg_write_o,
  output logic [acclmt_control_pkg::AddressWidth-1:0] core_reg_addr_o,
  output logic [31:0] core_reg_wdata_o,
  input logic core_reg_rvalid_i,
  input logic [31:0] core_reg_rdata_i,
  input logic core_reg_error_i,
  input logic core_in_open_i,
  output logic core_in_tvalid_o,
  input logic core_in_tready_i,
  output logic [Width-1:0] core_in_tdata_o,
  output logic [Width/8-1:0] core_in_tkeep_o,
  output logic core_in_tlast_o,
  input logic core_out_tvalid_i,
  output logic core_out_tready_o,
  input logic [Width-1:0] core_out_tdata_i,
  input logic [UserWidth-1:0] core_out_tuser_i,
  input logic core_out_tlast_i,
  output logic core_out_pending_o,
  input logic core_irq_i
);

  if (!SeparateClocks) begin : gen_one_clock
    assign core_clk_o = clk_i;
    assign core_rst_no = rst_ni;
    assign core_reg_valid_o = reg_valid_i;
    assign core_reg_write_o = reg_write_i;
    assign core_reg_addr_o = reg_addr_i;
    assign core_reg_wdata_o = reg_wdata_i;
    assign reg_rvalid_o = core_reg_rvalid_i;
    assign reg_rdata_o = core_reg_rdata_i;
    assign reg_error_o = core_reg_error_i;
    assign core_in_tvalid_o = in_tvalid_i;
    assign in_tready_o = core_in_tready_i;
    assign core_in_tdata_o = in_tdata_i;
    assign core_in_tkeep_o = in_tkeep_i;
    assign core_in_tlast_o = in_tlast_i;
    assign out_tvalid_o = core_out_tvalid_i;
    assign core_out_tready_o = out_tready_i;
    assign out_tdata_o = core_out_tdata_i;
    assign out_tuser_o = core_out_tuser_i;
    assign out_tlast_o = core_out_tlast_i;
    assign core_out_pending_o = 1'b0;
    assign irq_o = core_irq_i;
    logic unused_bits;
    assign unused_bits = ^{core_clk_i, core_rst_ni, core_in_open_i};
  end else begin : gen_two_clocks

    // ---- Resets ---------------------------------------------------------------------------------

    logic up, clear, core_rst_n;
    acclmt_crossing_reset #(
      .Stages(Stages)
    ) u_reset (
      .clk_i,
      .rst_ni,
      .core_clk_i,
      .core_rst_ni,
      .up_o(up),
      .clear_o(clear),
      .core_rst_no(core_rst_n)
    );
    assign core_clk_o = core_clk_i;
    assign core_rst_no = core_rst_n;

    // ---- Registers and interrupt ----------------------------------------------------------------

    logic settling, irq_synced;
    acclmt_register_crossing #(
      .AddressWidth(acclmt_control_pkg::AddressWidth),
      .Stages(Stages)
    ) u_registers (
      .clk_i,
      .rst_ni,
      .up_i(up),
      .clear_i(clear),
      .reg_valid_i,
      .reg_write_i,
      .reg_addr_i,
      .reg_wdata_i,
      .reg_rvalid_o,
      .reg_rdata_o,
      .reg_error_o,
      .core_clk_i,
      .core_rst_ni(core_rst_n),
      .core_hold_i(settling),
      .core_valid_o(core_reg_valid_o),
      .core_write_o(core_reg_write_o),
      .core_addr_o(core_reg_addr_o),
      .core_wdata_o(core_reg_wdata_o),
      .core_rvalid_i(core_reg_rvalid_i),
      .core_rdata_i(core_reg_rdata_i),
      .core_error_i(core_reg_error_i)
    );
    // The level comes out of a flop.
    logic irq_q;
    always_ff @(posedge core_clk_i or negedge core_rst_n) begin
      if (!core_rst_n) irq_q <= 1'b0;
      else irq_q <= core_irq_i;
    end
    acclmt_synchroniser #(
      .Width(1),
      .Stages(Stages)
    ) u_irq_synchroniser (
      .clk_i,
      .rst_ni,
      .d_i(irq_q),
      .q_o(irq_synced)
    );
    assign irq_o = irq_synced && up;

    // ---- Input ----------------------------------------------------------------------------------

    logic ask, ask_synced, asked, asked_synced;
    acclmt_synchroniser #(
      .Width(1),
      .Stages(Stages)
    ) u_ask_synchroniser (
      .clk_i,
      .rst_ni,
      .d_i(ask),
      .q_o(ask_synced)
    );
    acclmt_synchroniser #(
      .Width(1),
      .Stages(Stages)
    ) u_asked_synchroniser (
      .clk_i(core_clk_i),
      .rst_ni(core_rst_n),
      .d_i(asked),
      .q_o(asked_synced)
    );

    logic gate_valid, gate_ready, in_valid, in_ready, in_whole, in_empty;
    acclmt_packet_gate u_gate (
      .clk_i,
      .rst_ni,
      .clear_i(clear),
      .up_i(up),
      .ask_i(ask_synced),
      .asked_o(asked),
      .tvalid_i(in_tvalid_i),
      .tready_o(in_tready_o),
      .tlast_i(in_tlast_i),
      .valid_o(gate_valid),
      .ready_i(gate_ready)
    );
    // Of TKEEP matters whether it is all ones.
    acclmt_gray_fifo #(
      .Width(Width + 2),
      .Depth(Words),
      .Stages(Stages)
    ) u_input_fifo (
      .write_clk_i(clk_i),
      .write_rst_ni(rst_ni),
      .write_clear_i(clear),
      .valid_i(gate_valid),
      .ready_o(gate_ready),
      .data_i({in_tlast_i, in_tkeep_i == '1, in_tdata_i}),
      .empty_o(in_empty),
      .read_clk_i(core_clk_i),
      .read_rst_ni(core_rst_n),
      .read_clear_i(1'b0),
      .valid_o(in_valid),
      .ready_i(in_ready),
      .data_o({core_in_tlast_o, in_whole, core_in_tdata_o})
    );
    assign core_in_tkeep_o = {(Width / 8) {in_whole}};
    acclmt_packet_window u_window (
      .clk_i(core_clk_i),
      .rst_ni(core_rst_n),
      .open_i(core_in_open_i),
      .ask_o(ask),
      .asked_i(asked_synced),
      .valid_i(in_valid),
      .ready_o(in_ready),
      .tvalid_o(core_in_tvalid_o),
      .tready_i(core_in_tready_i),
      .tlast_i(core_in_tlast_o),
      .settling_o(settling)
    );
    logic unused_empty;
    assign unused_empty = in_empty;

    // ---- Output ---------------------------------------------------------------------------------

    logic out_valid, out_ready, out_last, out_empty, out_open, out_open_q, out_open_synced;
    logic [Width-1:0] out_data;
    logic [UserWidth-1:0] out_user;
    acclmt_gray_fifo #(
      .Width(Width + UserWidth + 1),
      .Depth(Words),
      .Stages(Stages)
    ) u_output_fifo (
      .write_clk_i(core_clk_i),
      .write_rst_ni(core_rst_n),
      .write_clear_i(1'b0),
      .valid_i(core_out_tvalid_i),
      .ready_o(core_out_tready_o),
      .data_i({core_out_tlast_i, core_out_tuser_i, core_out_tdata_i}),
      .empty_o(out_empty),
      .read_clk_i(clk_i),
      .read_rst_ni(rst_ni),
      .read_clear_i(clear),
      .valid_o(out_valid),
      .ready_i(out_ready && up),
      .data_o({out_last, out_user, out_data})
    );

    // A core that is reset in a packet leaves its end to this side.
    logic up_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) up_q <= 1'b0;
      else up_q <= up;
    end
    acclmt_stream_output #(
      .Width(Width),
      .UserWidth(UserWidth),
      .AbortUser(AbortUser)
    ) u_output (
      .clk_i,
      .rst_ni,
      .clear_i(up_q && !up),
      .valid_i(out_valid && up),
      .ready_o(out_ready),
      .data_i(out_data),
      .user_i(out_user),
      .last_i(out_last),
      .tvalid_o(out_tvalid_o),
      .tready_i(out_tready_i),
      .tdata_o(out_tdata_o),
      .tuser_o(out_tuser_o),
      .tlast_o(out_tlast_o),
      .open_o(out_open)
    );
    // High from the edge on at which a word leaves the buffer, or before.
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) out_open_q <= 1'b0;
      else out_open_q <= out_open || (out_valid && up);
    end
    acclmt_synchroniser #(
      .Width(1),
      .Stages(Stages)
    ) u_open_synchroniser (
      .clk_i(core_clk_i),
      .rst_ni(core_rst_n),
      .d_i(out_open_q),
      .q_o(out_open_synced)
    );
    // That a word has left the buffer may be seen a cycle before `out_open_q`, which rises at the
    // same edge: empty means that it was so for two cycles.
    logic out_filled_q;
    always_ff @(posedge core_clk_i or negedge core_rst_n) begin
      if (!core_rst_n) out_filled_q <= 1'b0;
      else out_filled_q <= !out_empty;
    end
    assign core_out_pending_o = !out_empty || out_filled_q || out_open_synced;
  end

endmodule
