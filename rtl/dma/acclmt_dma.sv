// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// DMA: takes runs described in a ring of descriptors in memory through the core, by the register
/// port and the packet streams of acclmt_packet_core (or of a clock crossing in front of it).
///
///     register port --> acclmt_dma_registers ---> acclmt_dma_port -> register port
///                         | ring         ^ ends     ^
///                         v              |          |
///                  acclmt_dma_fetcher -> acclmt_dma_sequencer
///                         | bursts       | commands
///                         v              v
///     AXI4 reads <-- acclmt_dma_reader -----------------------------> input packets
///     AXI4 writes <- acclmt_dma_writer <- acclmt_dma_output <-------- output packets
///
/// docs/dma.md describes descriptors, records, errors and order.
///
/// Handshake:  register ports as that of the core; AXI4 with one ID: no combinational path from an
///             input of the bus to an output of the bus, RREADY and BREADY are always high. A word
///             of the input that is on offer is taken back after a clear of the core only.
/// Latency:    see the blocks. Throughput: one word a cycle in either direction.
module acclmt_dma #(
  /// Bits of a beat of the bus, 256 or 512.
  parameter int unsigned DataWidth = 256,
  /// Bytes of the longest burst: a power of two, from two beats to 4096.
  parameter int unsigned BurstBytes = 1024,
  /// Bursts of reads on their way, a power of two, 2..128; the buffer has room for so many. Memory
  /// that answers after L cycles gives at most ReadBursts * BurstBytes / L bytes a cycle.
  parameter int unsigned ReadBursts = 16,
  /// Base-2 logarithm of the descriptors of the largest ring, at most 31.
  parameter int unsigned MaxLog2Ring = 16,
  /// Cycles from one look of the DMA at the registers of the core to the next.
  parameter int unsigned PollCycles = 16,
  /// Whether memories keep parity, see acclmt_memory.
  parameter bit MemoryParity = 1'b0
) (
  /// Clock and asynchronous reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// Register port of the host.
  input logic reg_valid_i,
  input logic reg_write_i,
  input logic [acclmt_control_pkg::AddressWidth-1:0] reg_addr_i,
  input logic [31:0] reg_wdata_i,
  output logic reg_rvalid_o,
  output logic [31:0] reg_rdata_o,
  output logic reg_error_o,
  /// Register port of the core.
  output logic core_reg_valid_o,
  output logic core_reg_write_o,
  output logic [acclmt_control_pkg::AddressWidth-1:0] core_reg_addr_o,
  output logic [31:0] core_reg_wdata_o,
  input logic core_reg_rvalid_i,
  input logic [31:0] core_reg_rdata_i,
  input logic core_reg_error_i,
  /// Input packets, every word of which has all of its bytes.
  output logic in_tvalid_o,
  input logic in_tready_i,
  output logic [acclmt_dma_pkg::WordWidth-1:0] in_tdata_o,
  output logic in_tlast_o,
  /// Output packets.
  input logic out_tvalid_i,
  output logic out_tready_o,
  input logic [acclmt_dma_pkg::WordWidth-1:0] out_tdata_i,
  input logic [acclmt_bus_pkg::UserWidth-1:0] out_tuser_i,
  input logic out_tlast_i,
  /// AXI4 master. What does not change is left to the top: size, kind of burst, ID.
  output logic awvalid_o,
  input logic awready_i,
  output logic [acclmt_dma_pkg::AddressWidth-1:0] awaddr_o,
  output logic [7:0] awlen_o,
  output logic wvalid_o,
  input logic wready_i,
  output logic [DataWidth-1:0] wdata_o,
  output logic [DataWidth/8-1:0] wstrb_o,
  output logic wlast_o,
  input logic bvalid_i,
  output logic bready_o,
  input logic [1:0] bresp_i,
  output logic arvalid_o,
  input logic arready_i,
  output logic [acclmt_dma_pkg::AddressWidth-1:0] araddr_o,
  output logic [7:0] arlen_o,
  input logic rvalid_i,
  output logic rready_o,
  input logic [DataWidth-1:0] rdata_i,
  input logic [1:0] rresp_i,
  input logic rlast_i,
  /// An event of the DMA is pending that DMA_ENABLE names.
  output logic irq_o
);

  if (acclmt_dma_pkg::WordWidth != acclmt_pkg::WordWidth) begin : gen_illegal_word
    $error("acclmt_dma: WordWidth = %0d is not that of the core, %0d", acclmt_dma_pkg::WordWidth,
           acclmt_pkg::WordWidth);
  end
  if (DataWidth != 256 && DataWidth != 512) begin : gen_illegal_data_width
    $error("acclmt_dma: DataWidth = %0d is not 256 or 512", DataWidth);
  end
  if (BurstBytes < DataWidth / 4 || BurstBytes > 4096 || (BurstBytes & (BurstBytes - 1)) != 0)
  begin : gen_illegal_burst
    $error("acclmt_dma: BurstBytes = %0d is not a power of two from %0d to 4096", BurstBytes,
           DataWidth / 4);
  end
  if (ReadBursts < 2 || ReadBursts > 128 || (ReadBursts & (ReadBursts - 1)) != 0)
  begin : gen_illegal_bursts
    $error("acclmt_dma: ReadBursts = %0d is not a power of two from 2 to 128", ReadBursts);
  end

  localparam int unsigned AddressWidth = acclmt_control_pkg::AddressWidth;
  localparam int unsigned IndexWidth = acclmt_dma_pkg::IndexWidth;
  localparam int unsigned WordWidth = acclmt_dma_pkg::WordWidth;
  localparam int unsigned BeatsWidth = acclmt_dma_pkg::BeatsWidth;

  // ---- Registers --------------------------------------------------------------------------------

  logic next_valid, next_write, next_rvalid, port_error;
  logic [AddressWidth-1:0] next_addr;
  logic [31:0] next_wdata, next_rdata, head, tail;
  logic run, end_all, end_cleared, busy, ending, finish, finish_interrupt;
  logic [IndexWidth-1:0] ring_index;
  logic [4:0] ring_size;
  logic [acclmt_dma_pkg::CodeWidth-1:0] finish_code;
  logic [7:0] finish_core_error;
  acclmt_dma_registers #(
    .DataWidth(DataWidth),
    .BurstBytes(BurstBytes),
    .ReadBursts(ReadBursts),
    .MaxLog2Ring(MaxLog2Ring)
  ) u_registers (
    .clk_i,
    .rst_ni,
    .reg_valid_i,
    .reg_write_i,
    .reg_addr_i,
    .reg_wdata_i,
    .reg_rvalid_o,
    .reg_rdata_o,
    .reg_error_o,
    .next_valid_o(next_valid),
    .next_write_o(next_write),
    .next_addr_o(next_addr),
    .next_wdata_o(next_wdata),
    .next_rvalid_i(next_rvalid),
    .next_rdata_i(next_rdata),
    .next_error_i(port_error),
    .run_o(run),
    .ring_index_o(ring_index),
    .ring_size_o(ring_size),
    .head_o(head),
    .tail_o(tail),
    .end_o(end_all),
    .end_cleared_o(end_cleared),
    .busy_i(busy),
    .ending_i(ending),
    .finish_i(finish),
    .finish_interrupt_i(finish_interrupt),
    .finish_code_i(finish_code),
    .finish_core_error_i(finish_core_error),
    .irq_o
  );

  logic own_valid, own_write, own_asked, own_rvalid;
  logic [AddressWidth-1:0] own_addr;
  logic [31:0] own_wdata, own_rdata;
  acclmt_dma_port u_port (
    .clk_i,
    .rst_ni,
    .host_valid_i(next_valid),
    .host_write_i(next_write),
    .host_addr_i(next_addr),
    .host_wdata_i(next_wdata),
    .host_rvalid_o(next_rvalid),
    .host_rdata_o(next_rdata),
    .dma_valid_i(own_valid),
    .dma_write_i(own_write),
    .dma_addr_i(own_addr),
    .dma_wdata_i(own_wdata),
    .dma_rvalid_o(own_rvalid),
    .dma_asked_o(own_asked),
    .dma_rdata_o(own_rdata),
    .error_o(port_error),
    .core_valid_o(core_reg_valid_o),
    .core_write_o(core_reg_write_o),
    .core_addr_o(core_reg_addr_o),
    .core_wdata_o(core_reg_wdata_o),
    .core_rvalid_i(core_reg_rvalid_i),
    .core_rdata_i(core_reg_rdata_i),
    .core_error_i(core_reg_error_i)
  );

  // ---- Descriptors and their input --------------------------------------------------------------

  logic flush, reader_flushed, burst_valid, burst_ready, burst_descriptor, burst_last;
  logic [IndexWidth-1:0] burst_index;
  logic [BeatsWidth-1:0] burst_words, burst_beats;
  logic descriptor_valid, descriptor_error, job_valid, job_ready;
  logic [acclmt_dma_pkg::DescriptorWords*WordWidth-1:0] descriptor;
  acclmt_dma_pkg::job_t job;
  acclmt_dma_fetcher #(
    .DataWidth(DataWidth),
    .BurstBytes(BurstBytes)
  ) u_fetcher (
    .clk_i,
    .rst_ni,
    .run_i(run),
    .flush_i(flush),
    .ring_index_i(ring_index),
    .ring_size_i(ring_size),
    .head_i(head),
    .tail_i(tail),
    .burst_valid_o(burst_valid),
    .burst_ready_i(burst_ready),
    .burst_index_o(burst_index),
    .burst_words_o(burst_words),
    .burst_beats_o(burst_beats),
    .burst_descriptor_o(burst_descriptor),
    .burst_last_o(burst_last),
    .descriptor_valid_i(descriptor_valid),
    .descriptor_error_i(descriptor_error),
    .descriptor_i(descriptor),
    .job_valid_o(job_valid),
    .job_ready_i(job_ready),
    .job_o(job)
  );

  logic input_open, input_waiting, input_error;
  acclmt_dma_reader #(
    .DataWidth(DataWidth),
    .BurstBytes(BurstBytes),
    .Bursts(ReadBursts),
    .MemoryParity(MemoryParity)
  ) u_reader (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .flush_i(flush),
    .flushed_o(reader_flushed),
    .burst_valid_i(burst_valid),
    .burst_ready_o(burst_ready),
    .burst_index_i(burst_index),
    .burst_words_i(burst_words),
    .burst_beats_i(burst_beats),
    .burst_descriptor_i(burst_descriptor),
    .burst_last_i(burst_last),
    .descriptor_valid_o(descriptor_valid),
    .descriptor_error_o(descriptor_error),
    .descriptor_o(descriptor),
    .open_i(input_open),
    .waiting_o(input_waiting),
    .error_o(input_error),
    .tvalid_o(in_tvalid_o),
    .tready_i(in_tready_i),
    .tdata_o(in_tdata_o),
    .tlast_o(in_tlast_o),
    .arvalid_o,
    .arready_i,
    .araddr_o,
    .arlen_o,
    .rvalid_i,
    .rready_o,
    .rdata_i,
    .rresp_i,
    .rlast_i
  );

  // ---- Output -----------------------------------------------------------------------------------

  logic output_start, output_discard, output_with_user, output_done, output_void, output_too_small;
  logic [acclmt_dma_pkg::AddressWidth-1:0] output_limit, output_words;
  logic output_valid, output_last, record_valid, write_valid, write_ready;
  logic [WordWidth-1:0] output_data, record;
  acclmt_dma_output u_output (
    .clk_i,
    .rst_ni,
    .start_i(output_start),
    .with_user_i(output_with_user),
    .limit_i(output_limit),
    .discard_i(output_discard),
    .tvalid_i(out_tvalid_i),
    .tready_o(out_tready_o),
    .tdata_i(out_tdata_i),
    .tuser_i(out_tuser_i),
    .tlast_i(out_tlast_i),
    .valid_o(output_valid),
    .ready_i(write_ready && !record_valid),
    .data_o(output_data),
    .last_o(output_last),
    .done_o(output_done),
    .void_o(output_void),
    .too_small_o(output_too_small),
    .words_o(output_words)
  );

  logic write_start, write_idle, write_error, writer_flushed;
  logic [IndexWidth-1:0] write_index;
  assign write_valid = record_valid || output_valid;
  acclmt_dma_writer #(
    .DataWidth(DataWidth),
    .BurstBytes(BurstBytes),
    .MemoryParity(MemoryParity)
  ) u_writer (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .flush_i(flush),
    .flushed_o(writer_flushed),
    .hold_i(ending),
    .start_i(write_start),
    .index_i(write_index),
    .valid_i(write_valid),
    .ready_o(write_ready),
    .data_i(record_valid ? record : output_data),
    .last_i(record_valid || output_last),
    .idle_o(write_idle),
    .error_o(write_error),
    .awvalid_o,
    .awready_i,
    .awaddr_o,
    .awlen_o,
    .wvalid_o,
    .wready_i,
    .wdata_o,
    .wstrb_o,
    .wlast_o,
    .bvalid_i,
    .bready_o,
    .bresp_i
  );

  // ---- Control ----------------------------------------------------------------------------------

  acclmt_dma_sequencer #(
    .PollCycles(PollCycles)
  ) u_sequencer (
    .clk_i,
    .rst_ni,
    .end_i(end_all),
    .end_cleared_i(end_cleared),
    .busy_o(busy),
    .ending_o(ending),
    .number_i(head),
    .job_valid_i(job_valid),
    .job_ready_o(job_ready),
    .job_i(job),
    .finish_o(finish),
    .finish_interrupt_o(finish_interrupt),
    .finish_code_o(finish_code),
    .finish_core_error_o(finish_core_error),
    .input_open_o(input_open),
    .input_waiting_i(input_waiting),
    .input_error_i(input_error),
    .flush_o(flush),
    .reader_flushed_i(reader_flushed),
    .output_start_o(output_start),
    .output_discard_o(output_discard),
    .output_with_user_o(output_with_user),
    .output_limit_o(output_limit),
    .output_done_i(output_done),
    .output_void_i(output_void),
    .output_too_small_i(output_too_small),
    .output_words_i(output_words),
    .write_start_o(write_start),
    .write_index_o(write_index),
    .write_idle_i(write_idle),
    .write_error_i(write_error),
    .writer_flushed_i(writer_flushed),
    .record_valid_o(record_valid),
    .record_ready_i(write_ready),
    .record_o(record),
    .reg_valid_o(own_valid),
    .reg_write_o(own_write),
    .reg_addr_o(own_addr),
    .reg_wdata_o(own_wdata),
    .reg_asked_i(own_asked),
    .reg_rvalid_i(own_rvalid),
    .reg_rdata_i(own_rdata),
    .reg_error_i(port_error)
  );

endmodule
