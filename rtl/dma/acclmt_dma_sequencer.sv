// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Takes jobs through the core, one after the other, and tells their ends.
///
///     idle -> fill -> start -> status <-> events -> counters -> written -> record -> finish
///              |        |         |         |          |            |         ^
///              |        +---------+---------+-> error -+            |         |
///              |                                       v            v         |
///              +-------------------------------------> clear -> settle -> flush
///
///     end of everything: end clear -> settle -> flush -> idle
///
/// While a run is under way the sequencer looks in turns at STATUS, for a start that was refused by
/// the level table, and at STREAM_EVENTS, for an input that is too short. After an error the core
/// is cleared, what comes of it is dropped, and reader and writer are flushed before the record is
/// written. What happens first is the error that is told.
///
/// Handshake:  jobs: ready/valid. Register port: as acclmt_dma_port. Commands to the blocks, and
///             reports of them, last one cycle or are levels, as said below. `end_i` lasts one
///             cycle and may come at any time; `busy_o` is low when it has been obeyed.
/// Latency:    between two runs about 30 cycles, and the times in which the memory answers the
///             writes of the output's last burst and of the record.
module acclmt_dma_sequencer #(
  /// Cycles from one look at the core to the next, at least 1.
  parameter int unsigned PollCycles = 16
) (
  /// Clock and asynchronous reset.
  input logic clk_i,
  input logic rst_ni,
  /// Ends everything; the core was cleared already.
  input logic end_i,
  input logic end_cleared_i,
  /// A job or an end is under way; an end is.
  output logic busy_o,
  output logic ending_o,
  /// Number of the descriptor that ends next.
  input logic [31:0] number_i,
  /// Jobs.
  input logic job_valid_i,
  output logic job_ready_o,
  input acclmt_dma_pkg::job_t job_i,
  /// A descriptor has ended: whether its end interrupts, its code, error of the core.
  output logic finish_o,
  output logic finish_interrupt_o,
  output logic [acclmt_dma_pkg::CodeWidth-1:0] finish_code_o,
  output logic [7:0] finish_core_error_o,
  /// The reader and what is before it: the packet may go; its first word is here; a word of it
  /// could not be read; forget everything; that is done.
  output logic input_open_o,
  input logic input_waiting_i,
  input logic input_error_i,
  output logic flush_o,
  input logic reader_flushed_i,
  /// The output: a run begins; drop the rest; state of the packet.
  output logic output_start_o,
  output logic output_discard_o,
  output logic output_with_user_o,
  output logic [acclmt_dma_pkg::AddressWidth-1:0] output_limit_o,
  input logic output_done_i,
  input logic output_void_i,
  input logic output_too_small_i,
  input logic [acclmt_dma_pkg::AddressWidth-1:0] output_words_i,
  /// The writer: an area begins; state of what is written; it is flushed.
  output logic write_start_o,
  output logic [acclmt_dma_pkg::IndexWidth-1:0] write_index_o,
  input logic write_idle_i,
  input logic write_error_i,
  input logic writer_flushed_i,
  /// The record, a word for the writer.
  output logic record_valid_o,
  input logic record_ready_i,
  output logic [acclmt_dma_pkg::WordWidth-1:0] record_o,
  /// Register port.
  output logic reg_valid_o,
  output logic reg_write_o,
  output logic [acclmt_control_pkg::AddressWidth-1:0] reg_addr_o,
  output logic [31:0] reg_wdata_o,
  input logic reg_asked_i,
  input logic reg_rvalid_i,
  input logic [31:0] reg_rdata_i,
  input logic reg_error_i
);

  if (PollCycles < 1) begin : gen_illegal_poll
    $error("acclmt_dma_sequencer: PollCycles = %0d is not at least 1", PollCycles);
  end

  localparam int unsigned CodeWidth = acclmt_dma_pkg::CodeWidth;
  localparam int unsigned AddressWidth = acclmt_dma_pkg::AddressWidth;
  localparam int unsigned PollWidth = $clog2(PollCycles + 1);

  typedef enum logic [4:0] {
    Idle,
    // The first word of the input is awaited.
    Fill,
    // Registers of the core: start, state while it runs, error, cycles of the run.
    Start,
    Wait,
    Status,
    Events,
    Error,
    ErrorInfo,
    CyclesLow,
    CyclesHigh,
    // The output is being written.
    Written,
    // After an error, or at the end of everything: clear the core, wait for its streams and for its
    // machine, flush.
    Clear,
    SettleStreams,
    SettleCore,
    FlushBegin,
    Flush,
    // The record is begun, given to the writer, and written.
    Record,
    RecordWord,
    RecordWritten,
    Finish
  } state_e;
  state_e state_q, state_d;

  // ---- What is known of the job -----------------------------------------------------------------

  acclmt_dma_pkg::job_t job_q;
  logic [CodeWidth-1:0] code_q, code_d;
  logic [7:0] core_error_q;
  logic [31:0] core_info_q;
  logic [63:0] cycles_q;
  // A start was tried, and what it began was not cleared; everything is to end.
  logic started_q, started, ending_q, end_cleared_q, in_end_q, ends_now;
  logic failed, answer, refused;
  assign started = started_q || (state_q == Start && reg_asked_i);
  assign failed = code_q != acclmt_reg_pkg::DmaErrorNone;
  assign answer = reg_rvalid_i;
  assign refused = reg_rvalid_i && reg_error_i;
  assign ends_now = ending_q && !in_end_q && (!reg_asked_i || answer);

  // What a run shows without a look at its registers.
  logic [CodeWidth-1:0] seen;
  always_comb begin
    seen = acclmt_reg_pkg::DmaErrorNone;
    if (input_error_i) seen = acclmt_reg_pkg::DmaErrorInputRead;
    else if (output_too_small_i) seen = acclmt_reg_pkg::DmaErrorOutputTooSmall;
    else if (write_error_i) seen = acclmt_reg_pkg::DmaErrorOutputWrite;
  end

  // ---- Looks at the core ------------------------------------------------------------------------

  logic [PollWidth-1:0] poll_q;
  logic look_events_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      poll_q <= '0;
      look_events_q <= 1'b0;
    end else begin
      if (state_q != Wait && state_q != SettleStreams && state_q != SettleCore) poll_q <= '0;
      else if (answer) poll_q <= '0;
      else if (poll_q != PollWidth'(PollCycles)) poll_q <= poll_q + 1'b1;
      if (state_q == Start) look_events_q <= 1'b0;
      else if ((state_q == Status || state_q == Events) && answer) look_events_q <= !look_events_q;
    end
  end
  logic poll_due;
  assign poll_due = poll_q == PollWidth'(PollCycles);

  // ---- States -----------------------------------------------------------------------------------

  logic flushed;
  assign flushed = reader_flushed_i && writer_flushed_i;
  always_comb begin
    state_d = state_q;
    code_d = code_q;
    case (state_q)
      Idle: begin
        if (job_valid_i) begin
          code_d = job_i.code;
          state_d = job_i.code == acclmt_reg_pkg::DmaErrorNone ? Fill : FlushBegin;
        end
      end
      Fill: begin
        if (input_error_i) begin
          code_d = acclmt_reg_pkg::DmaErrorInputRead;
          state_d = FlushBegin;
        end else if (input_waiting_i && write_idle_i) begin
          state_d = Start;
        end
      end
      Start: begin
        if (answer) begin
          if (refused) code_d = acclmt_reg_pkg::DmaErrorStartRefused;
          state_d = refused ? Error : Wait;
        end
      end
      Wait: begin
        if (seen != acclmt_reg_pkg::DmaErrorNone) begin
          code_d = seen;
          state_d = Error;
        end else if (output_done_i) begin
          state_d = Events;
        end else if (poll_due) begin
          state_d = look_events_q ? Events : Status;
        end
      end
      Status: begin
        if (answer) begin
          state_d = Wait;
          if (!refused && reg_rdata_i[acclmt_reg_pkg::StatusStartRefusedBit]) begin
            code_d = acclmt_reg_pkg::DmaErrorStartRefused;
            state_d = Error;
          end else if (!refused && !reg_rdata_i[acclmt_reg_pkg::StatusBusyBit] &&
                       !reg_rdata_i[acclmt_reg_pkg::StatusDoneBit]) begin
            // The core was reset, and has forgotten the run.
            code_d = acclmt_reg_pkg::DmaErrorRunVoid;
            state_d = Error;
          end
        end
      end
      // Behind the last word of the output this says whether the input was as long as the run.
      Events: begin
        if (answer) begin
          state_d = Wait;
          if (!refused && reg_rdata_i[acclmt_reg_pkg::StreamEventsEarlyLastBit]) begin
            code_d = acclmt_reg_pkg::DmaErrorInputTooShort;
            state_d = Error;
          end else if (!refused && reg_rdata_i[acclmt_reg_pkg::StreamEventsLateLastBit]) begin
            code_d = acclmt_reg_pkg::DmaErrorInputTooLong;
            state_d = Error;
          end else if (output_done_i && output_too_small_i) begin
            // The last word found no room while the answer was awaited.
            code_d = acclmt_reg_pkg::DmaErrorOutputTooSmall;
            state_d = Error;
          end else if (output_done_i && output_void_i) begin
            code_d = acclmt_reg_pkg::DmaErrorRunVoid;
            state_d = Error;
          end else if (output_done_i) begin
            state_d = CyclesLow;
          end
        end
      end
      Error: if (answer) state_d = ErrorInfo;
      ErrorInfo: if (answer) state_d = CyclesLow;
      CyclesLow: if (answer) state_d = CyclesHigh;
      CyclesHigh: if (answer) state_d = failed ? Clear : Written;
      Written: begin
        if (write_error_i) begin
          code_d = acclmt_reg_pkg::DmaErrorOutputWrite;
          state_d = Clear;
        end else if (write_idle_i) begin
          state_d = Record;
        end
      end
      Clear: if (answer) state_d = SettleStreams;
      // A core that does not answer is in reset, and has nothing left.
      SettleStreams: begin
        if (refused || (answer && !reg_rdata_i[acclmt_reg_pkg::StreamStateOutputOpenBit])) begin
          state_d = SettleCore;
        end
      end
      SettleCore: begin
        if (refused || (answer && !reg_rdata_i[acclmt_reg_pkg::StatusBusyBit])) begin
          state_d = FlushBegin;
        end
      end
      FlushBegin: state_d = Flush;
      Flush: begin
        if (flushed) begin
          // There is no place for a record, or it was tried.
          if (ending_q) state_d = Idle;
          else if (code_q == acclmt_reg_pkg::DmaErrorDescriptorRead ||
                   code_q == acclmt_reg_pkg::DmaErrorRecordAddress ||
                   code_q == acclmt_reg_pkg::DmaErrorRecordWrite) state_d = Finish;
          else state_d = Record;
        end
      end
      Record: state_d = RecordWord;
      RecordWord: if (record_ready_i) state_d = RecordWritten;
      RecordWritten: begin
        if (write_idle_i) begin
          if (write_error_i && !failed) begin
            code_d = acclmt_reg_pkg::DmaErrorRecordWrite;
            state_d = FlushBegin;
          end else begin
            state_d = Finish;
          end
        end
      end
      Finish: state_d = Idle;
      default: state_d = Idle;
    endcase
    // The states of an end are those after an error. What was asked of the core is waited for.
    if (ends_now) begin
      state_d = (started && !end_cleared_q) ? Clear : SettleStreams;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      code_q <= '0;
      job_q <= '0;
      started_q <= 1'b0;
      ending_q <= 1'b0;
      end_cleared_q <= 1'b0;
      in_end_q <= 1'b0;
    end else begin
      state_q <= state_d;
      code_q <= code_d;
      if (state_q == Idle && job_valid_i && !ending_q) job_q <= job_i;
      if (started && state_q == Start) started_q <= 1'b1;
      else if ((state_q == Clear && answer) || state_q == Finish || state_q == Idle)
        started_q <= 1'b0;
      if (end_i) begin
        ending_q <= 1'b1;
        end_cleared_q <= end_cleared_i;
        in_end_q <= 1'b0;
      end else if (ends_now) begin
        in_end_q <= 1'b1;
      end else if (in_end_q && state_q == Flush && flushed) begin
        ending_q <= 1'b0;
        in_end_q <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == Idle) begin
      core_error_q <= '0;
      core_info_q <= '0;
      cycles_q <= '0;
    end else if (answer && !reg_error_i) begin
      // The core's error is that of the descriptor where the core is who says it.
      if (state_q == Error && (code_q == acclmt_reg_pkg::DmaErrorStartRefused ||
                               code_q == acclmt_reg_pkg::DmaErrorRunVoid)) begin
        core_error_q <= reg_rdata_i[7:0];
      end
      if (state_q == ErrorInfo && core_error_q != '0) core_info_q <= reg_rdata_i;
      if (state_q == CyclesLow && output_done_i) cycles_q[31:0] <= reg_rdata_i;
      if (state_q == CyclesHigh && output_done_i) cycles_q[63:32] <= reg_rdata_i;
    end
  end

  // ---- What the states do -----------------------------------------------------------------------

  always_comb begin
    reg_valid_o = 1'b0;
    reg_write_o = 1'b0;
    reg_addr_o = acclmt_reg_pkg::RegStatus;
    reg_wdata_o = '0;
    case (state_q)
      Start: begin
        reg_valid_o = 1'b1;
        reg_write_o = 1'b1;
        reg_addr_o = acclmt_reg_pkg::RegControl;
        reg_wdata_o[acclmt_reg_pkg::ControlStartBit] = 1'b1;
      end
      Status: reg_valid_o = 1'b1;
      Events: begin
        reg_valid_o = 1'b1;
        reg_addr_o = acclmt_reg_pkg::RegStreamEvents;
      end
      Error: begin
        reg_valid_o = 1'b1;
        reg_addr_o = acclmt_reg_pkg::RegError;
      end
      ErrorInfo: begin
        reg_valid_o = 1'b1;
        reg_addr_o = acclmt_reg_pkg::RegErrorInfo;
      end
      CyclesLow: begin
        reg_valid_o = 1'b1;
        reg_addr_o = acclmt_reg_pkg::RegCycles;
      end
      CyclesHigh: begin
        reg_valid_o = 1'b1;
        reg_addr_o = acclmt_reg_pkg::RegCycles + 12'd4;
      end
      Clear: begin
        reg_valid_o = 1'b1;
        reg_write_o = 1'b1;
        reg_addr_o = acclmt_reg_pkg::RegControl;
        reg_wdata_o[acclmt_reg_pkg::ControlClearBit] = 1'b1;
      end
      SettleStreams: begin
        reg_valid_o = poll_due || reg_asked_i;
        reg_addr_o = acclmt_reg_pkg::RegStreamState;
      end
      SettleCore: reg_valid_o = poll_due || reg_asked_i;
      default: ;
    endcase
    // A request that has not gone to the core does not go any more.
    if (ending_q && !in_end_q && !reg_asked_i) reg_valid_o = 1'b0;
  end

  // The input stays offered until the core is cleared: a word on offer cannot be taken back before.
  logic input_open_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) input_open_q <= 1'b0;
    else if (state_q == Start && state_d == Wait) input_open_q <= 1'b1;
    else if (state_d == SettleStreams || state_q == Record || state_q == Flush) begin
      input_open_q <= 1'b0;
    end
  end
  assign input_open_o = input_open_q;

  assign job_ready_o = state_q == Idle && !ending_q;
  assign output_start_o = state_q == Fill && state_d == Start;
  assign output_discard_o = state_q == Error || state_q == Clear || state_q == SettleStreams;
  assign output_with_user_o = job_q.with_user;
  assign output_limit_o = job_q.output_limit;
  assign flush_o = state_q == FlushBegin;
  assign write_start_o = output_start_o || (state_q == Record && state_d == RecordWord);
  assign write_index_o = (state_q == Record) ? job_q.record_index : job_q.output_index;

  // Where no run was started the output has no words.
  logic ran_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ran_q <= 1'b0;
    else if (state_q == Idle) ran_q <= 1'b0;
    else if (output_start_o) ran_q <= 1'b1;
  end
  logic [AddressWidth-1:0] words;
  assign words = ran_q ? output_words_i : '0;
  assign record_valid_o = state_q == RecordWord;
  assign record_o = {
    number_i, core_info_q, cycles_q, words, job_q.tag, 1'b1, 15'b0, core_error_q, code_q
  };

  assign finish_o = state_q == Finish && !ending_q;
  assign finish_interrupt_o = job_q.notify;
  assign finish_code_o = code_q;
  assign finish_core_error_o = core_error_q;
  assign busy_o = state_q != Idle || ending_q;
  assign ending_o = ending_q;

  logic unused_bits;
  assign unused_bits = ^job_q;

endmodule
