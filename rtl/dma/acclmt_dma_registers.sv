// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// The registers of the DMA, and what of the host's requests goes on to the core.
///
/// Requests for a register that is not here go on, and are answered by what is behind. Refused
/// here, and not passed on, are a start, STREAM_CONTROL, and while descriptors are under way every
/// write but of CONTROL, INTERRUPT_STATUS, INTERRUPT_ENABLE and STREAM_ENABLE.
///
/// Handshake:  as the register port of the core: requests last one cycle, at most one is on its
///             way. Commands and reports last one cycle, or are levels as said below.
/// Latency:    of the registers here: one cycle from a request to its answer.
module acclmt_dma_registers #(
  /// As acclmt_dma; for DMA_CAPS.
  parameter int unsigned DataWidth = 256,
  parameter int unsigned BurstBytes = 1024,
  parameter int unsigned ReadBursts = 16,
  parameter int unsigned MaxLog2Ring = 16
) (
  /// Clock and asynchronous reset.
  input logic clk_i,
  input logic rst_ni,
  /// Requests of the host.
  input logic reg_valid_i,
  input logic reg_write_i,
  input logic [acclmt_control_pkg::AddressWidth-1:0] reg_addr_i,
  input logic [31:0] reg_wdata_i,
  output logic reg_rvalid_o,
  output logic [31:0] reg_rdata_o,
  output logic reg_error_o,
  /// Requests that go on.
  output logic next_valid_o,
  output logic next_write_o,
  output logic [acclmt_control_pkg::AddressWidth-1:0] next_addr_o,
  output logic [31:0] next_wdata_o,
  input logic next_rvalid_i,
  input logic [31:0] next_rdata_i,
  input logic next_error_i,
  /// The ring: descriptors are taken, number of its first word in memory, base-2 logarithm of its
  /// descriptors, descriptors that have ended and that were given.
  output logic run_o,
  output logic [acclmt_dma_pkg::IndexWidth-1:0] ring_index_o,
  output logic [4:0] ring_size_o,
  output logic [31:0] head_o,
  output logic [31:0] tail_o,
  /// Everything is to end; the core was cleared by the host.
  output logic end_o,
  output logic end_cleared_o,
  /// A job or an end is under way; an end is.
  input logic busy_i,
  input logic ending_i,
  /// A descriptor has ended: whether its end interrupts, its code, error of the core.
  input logic finish_i,
  input logic finish_interrupt_i,
  input logic [acclmt_dma_pkg::CodeWidth-1:0] finish_code_i,
  input logic [7:0] finish_core_error_i,
  /// An event of the DMA interrupts.
  output logic irq_o
);

  if (MaxLog2Ring > 31) begin : gen_illegal_ring
    $error("acclmt_dma_registers: MaxLog2Ring = %0d is not at most 31", MaxLog2Ring);
  end

  localparam int unsigned IndexWidth = acclmt_dma_pkg::IndexWidth;
  localparam int unsigned ByteBits = $clog2(acclmt_dma_pkg::WordBytes);
  localparam int unsigned DescriptorBits =
      $clog2(acclmt_dma_pkg::WordBytes * acclmt_dma_pkg::DescriptorWords);
  localparam int unsigned NumEvents = 3;

  // ---- Whose request it is ----------------------------------------------------------------------

  logic enable_q, stopped_q, busy;
  logic [31:0] head_q, tail_q;
  assign busy = (enable_q && !stopped_q && head_q != tail_q) || busy_i;

  logic writable, exists, any_time, denied;
  always_comb begin
    writable = 1'b0;
    exists = 1'b0;
    case (reg_addr_i)
      acclmt_reg_pkg::RegDmaControl, acclmt_reg_pkg::RegDmaRingBase0,
      acclmt_reg_pkg::RegDmaRingBase1, acclmt_reg_pkg::RegDmaRingSize, acclmt_reg_pkg::RegDmaTail,
      acclmt_reg_pkg::RegDmaEvents, acclmt_reg_pkg::RegDmaEnable: begin
        writable = 1'b1;
        exists = 1'b1;
      end
      acclmt_reg_pkg::RegDmaVersion, acclmt_reg_pkg::RegDmaCaps, acclmt_reg_pkg::RegDmaStatus,
      acclmt_reg_pkg::RegDmaHead, acclmt_reg_pkg::RegDmaError, acclmt_reg_pkg::RegDmaErrorInfo:
        exists = 1'b1;
      default: ;
    endcase
  end
  assign any_time = reg_addr_i == acclmt_reg_pkg::RegControl ||
                    reg_addr_i == acclmt_reg_pkg::RegInterruptStatus ||
                    reg_addr_i == acclmt_reg_pkg::RegInterruptEnable ||
                    reg_addr_i == acclmt_reg_pkg::RegStreamEnable;
  assign denied = reg_write_i && !exists &&
                  ((reg_addr_i == acclmt_reg_pkg::RegControl &&
                    reg_wdata_i[acclmt_reg_pkg::ControlStartBit]) ||
                   reg_addr_i == acclmt_reg_pkg::RegStreamControl || (busy && !any_time));

  // A write of a register that is only read is no request for a register here.
  logic own;
  assign own = (exists && (writable || !reg_write_i)) || denied;
  assign next_valid_o = reg_valid_i && !own;
  assign next_write_o = reg_write_i;
  assign next_addr_o = reg_addr_i;
  assign next_wdata_o = reg_wdata_i;

  // The request for a register here, which acts in the next cycle; a clear or a zeroisation that
  // the core has not answered.
  logic own_q, write_q, denied_q, clear_q, zeroise_q;
  logic [acclmt_control_pkg::AddressWidth-1:0] addr_q;
  logic [31:0] wdata_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      own_q <= 1'b0;
      clear_q <= 1'b0;
      zeroise_q <= 1'b0;
    end else begin
      own_q <= reg_valid_i && own;
      if (reg_valid_i) begin
        clear_q <= reg_write_i && !own && reg_addr_i == acclmt_reg_pkg::RegControl &&
                   reg_wdata_i[acclmt_reg_pkg::ControlClearBit];
        zeroise_q <= reg_write_i && !own && reg_addr_i == acclmt_reg_pkg::RegControl &&
                     reg_wdata_i[acclmt_reg_pkg::ControlZeroiseBit];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (reg_valid_i && own) begin
      write_q <= reg_write_i;
      denied_q <= denied;
      addr_q <= reg_addr_i;
      wdata_q <= reg_wdata_i;
    end
  end

  // ---- The registers ----------------------------------------------------------------------------

  logic [31-DescriptorBits:0] base_low_q;
  logic [31:0] base_high_q, error_q, error_info_q;
  logic [4:0] size_q;
  logic [NumEvents-1:0] pending, enabled, events;

  // The ring may end with the last address.
  logic [IndexWidth:0] ring_end;
  logic ring_beyond;
  assign ring_index_o = {base_high_q, base_low_q, {(DescriptorBits - ByteBits) {1'b0}}};
  assign ring_end = {1'b0, ring_index_o} +
                    ((IndexWidth + 1)'(acclmt_dma_pkg::DescriptorWords) << size_q);
  assign ring_beyond = ring_end[IndexWidth] && ring_end[IndexWidth-1:0] != '0;

  // Descriptors that were given and have not ended, now and after a write.
  logic [31:0] open, open_next;
  assign open = tail_q - head_q;
  assign open_next = wdata_q - head_q;

  logic illegal, wants_enable, wants_resume;
  logic [31:0] read_data;
  assign wants_enable = wdata_q[acclmt_reg_pkg::DmaControlEnableBit];
  assign wants_resume = wdata_q[acclmt_reg_pkg::DmaControlResumeBit];
  always_comb begin
    illegal = 1'b0;
    read_data = '0;
    case (addr_q)
      acclmt_reg_pkg::RegDmaVersion: read_data = acclmt_reg_pkg::DmaVersionValue;
      acclmt_reg_pkg::RegDmaCaps: begin
        read_data[acclmt_reg_pkg::DmaCapsLog2BeatBytesLsb+:
                  acclmt_reg_pkg::DmaCapsLog2BeatBytesWidth] =
            acclmt_reg_pkg::DmaCapsLog2BeatBytesWidth'($clog2(DataWidth / 8));
        read_data[acclmt_reg_pkg::DmaCapsLog2BurstBytesLsb+:
                  acclmt_reg_pkg::DmaCapsLog2BurstBytesWidth] =
            acclmt_reg_pkg::DmaCapsLog2BurstBytesWidth'($clog2(BurstBytes));
        read_data[acclmt_reg_pkg::DmaCapsReadBurstsLsb+:acclmt_reg_pkg::DmaCapsReadBurstsWidth] =
            acclmt_reg_pkg::DmaCapsReadBurstsWidth'(ReadBursts);
        read_data[acclmt_reg_pkg::DmaCapsMaxLog2RingLsb+:
                  acclmt_reg_pkg::DmaCapsMaxLog2RingWidth] =
            acclmt_reg_pkg::DmaCapsMaxLog2RingWidth'(MaxLog2Ring);
      end
      acclmt_reg_pkg::RegDmaControl: begin
        illegal = (wdata_q & ~acclmt_reg_pkg::DmaControlMask) != '0 ||
                  (wants_resume && (!wants_enable || !stopped_q)) ||
                  (wants_enable && !enable_q && (busy || ring_beyond));
        read_data[acclmt_reg_pkg::DmaControlEnableBit] = enable_q;
      end
      acclmt_reg_pkg::RegDmaStatus: begin
        read_data[acclmt_reg_pkg::DmaStatusBusyBit] = busy;
        read_data[acclmt_reg_pkg::DmaStatusStoppedBit] = stopped_q;
      end
      acclmt_reg_pkg::RegDmaRingBase0: begin
        illegal = enable_q || wdata_q[DescriptorBits-1:0] != '0;
        read_data = {base_low_q, DescriptorBits'(0)};
      end
      acclmt_reg_pkg::RegDmaRingBase1: begin
        illegal = enable_q;
        read_data = base_high_q;
      end
      acclmt_reg_pkg::RegDmaRingSize: begin
        illegal = enable_q || wdata_q > MaxLog2Ring;
        read_data = 32'(size_q);
      end
      acclmt_reg_pkg::RegDmaTail: begin
        illegal = !enable_q || open_next < open || open_next > (32'd1 << size_q);
        read_data = tail_q;
      end
      acclmt_reg_pkg::RegDmaHead: read_data = head_q;
      acclmt_reg_pkg::RegDmaEvents: begin
        illegal = (wdata_q & ~acclmt_reg_pkg::DmaEventsMask) != '0;
        read_data = 32'(pending);
      end
      acclmt_reg_pkg::RegDmaEnable: begin
        illegal = (wdata_q & ~acclmt_reg_pkg::DmaEnableMask) != '0;
        read_data = 32'(enabled);
      end
      acclmt_reg_pkg::RegDmaError: read_data = error_q;
      acclmt_reg_pkg::RegDmaErrorInfo: read_data = error_info_q;
      default: ;
    endcase
  end

  logic refused, write, control_write, begins, resumes, disables, host_cleared, fails;
  assign refused = own_q && write_q && (denied_q || illegal);
  assign write = own_q && write_q && !refused;
  assign control_write = write && addr_q == acclmt_reg_pkg::RegDmaControl;
  assign begins = control_write && wants_enable && !enable_q;
  assign resumes = control_write && wants_resume;
  assign disables = control_write && !wants_enable && enable_q;
  assign host_cleared = (clear_q || zeroise_q) && next_rvalid_i && !next_error_i;
  assign fails = finish_i && finish_code_i != acclmt_reg_pkg::DmaErrorNone;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      enable_q <= 1'b0;
      stopped_q <= 1'b0;
      head_q <= '0;
      tail_q <= '0;
      base_low_q <= '0;
      base_high_q <= '0;
      size_q <= '0;
      error_q <= '0;
      error_info_q <= '0;
    end else begin
      if (begins) enable_q <= 1'b1;
      else if (disables || host_cleared) enable_q <= 1'b0;
      if (begins || resumes || disables || host_cleared) stopped_q <= 1'b0;
      else if (fails) stopped_q <= 1'b1;
      if (begins || resumes) begin
        error_q <= '0;
        error_info_q <= '0;
      end else if (fails) begin
        error_q <= 32'(finish_code_i);
        error_info_q <= 32'(finish_core_error_i);
      end
      if (begins) head_q <= '0;
      else if (finish_i) head_q <= head_q + 32'd1;
      if (begins) tail_q <= '0;
      else if (write && addr_q == acclmt_reg_pkg::RegDmaTail) tail_q <= wdata_q;
      if (write && addr_q == acclmt_reg_pkg::RegDmaRingBase0) begin
        base_low_q <= wdata_q[31:DescriptorBits];
      end
      if (write && addr_q == acclmt_reg_pkg::RegDmaRingBase1) base_high_q <= wdata_q;
      if (write && addr_q == acclmt_reg_pkg::RegDmaRingSize) size_q <= wdata_q[4:0];
    end
  end
  assign run_o = enable_q && !stopped_q && !ending_i;
  assign ring_size_o = size_q;
  assign head_o = head_q;
  assign tail_o = tail_q;
  // A zeroisation wipes the buffers in any case; a clear of a chip whose ring is not used does not
  // keep the host waiting.
  assign end_o = disables || (host_cleared && (enable_q || busy_i || zeroise_q));
  assign end_cleared_o = host_cleared;

  // ---- Events and answers -----------------------------------------------------------------------

  always_comb begin
    events = '0;
    events[acclmt_reg_pkg::DmaEventsDoneBit] = finish_i && !fails && finish_interrupt_i;
    events[acclmt_reg_pkg::DmaEventsStoppedBit] = fails;
    events[acclmt_reg_pkg::DmaEventsRefusedBit] = refused;
  end
  acclmt_interrupt #(
    .NumEvents(NumEvents)
  ) u_interrupt (
    .clk_i,
    .rst_ni,
    .clear_i(1'b0),
    .events_i(events),
    .acknowledge_i(write && addr_q == acclmt_reg_pkg::RegDmaEvents),
    .enable_write_i(write && addr_q == acclmt_reg_pkg::RegDmaEnable),
    .data_i(wdata_q[NumEvents-1:0]),
    .pending_o(pending),
    .enable_o(enabled),
    .irq_o
  );

  assign reg_rvalid_o = own_q || next_rvalid_i;
  assign reg_rdata_o = own_q ? (write_q ? '0 : read_data) : next_rdata_i;
  assign reg_error_o = own_q ? refused : next_error_i;

`ifndef SYNTHESIS
`ifndef FORMAL
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({reg_valid_i, next_rvalid_i, finish_i, busy_i, ending_i}))
  else $error("acclmt_dma_registers: a request, an answer or a report is unknown");
  one_answer_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(own_q && next_rvalid_i))
  else $error("acclmt_dma_registers: a request that did not go on is answered");
  // No more descriptors end than were given.
  finish_given_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      finish_i && enable_q |-> head_q != tail_q)
  else $error("acclmt_dma_registers: a descriptor ends that was not given");
  ring_holds_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      open <= (32'd1 << size_q) || !enable_q)
  else $error("acclmt_dma_registers: more descriptors than the ring has room for");
  full_ring_c : cover property (@(posedge clk_i) enable_q && open == (32'd1 << size_q));
  resumes_c : cover property (@(posedge clk_i) resumes);
  disables_busy_c : cover property (@(posedge clk_i) disables && busy);
  cleared_busy_c : cover property (@(posedge clk_i) host_cleared && busy);
  denied_c : cover property (@(posedge clk_i) own_q && denied_q);
`endif
`endif

endmodule
