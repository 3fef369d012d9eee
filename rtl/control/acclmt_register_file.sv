// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Register file and run control: configuration, constants, status, errors and performance
/// counters.
///
/// The register map is docs/registers.md. A request is always accepted; its answer comes in the
/// next cycle. Configuration and constants can be written only while no run is under way: otherwise
/// the write is refused, changes nothing and sets the error register. A start with an illegal
/// configuration does not start. The error register keeps the first error until it is cleared.
///
/// Handshake:  `reg_valid_i` with a request; `reg_rvalid_o` the cycle after it. The machine signals
///             the end of its run by `run_done_i`; `clear_o` tells it to forget everything.
module acclmt_register_file #(
  /// The modulus, readable.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  /// Parameters of the chip, readable as capabilities and used to check the configuration.
  parameter int unsigned NumPartial = 3,
  parameter int unsigned MatrixDepth = 32,
  parameter int unsigned ConstantDepth = 64,
  parameter int unsigned PartialDepth = 64,
  parameter int unsigned MaxHeight = 13,
  parameter int unsigned LeafWords = 4096,
  parameter int unsigned RootWords = 2048
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Register port.
  input logic reg_valid_i,
  input logic reg_write_i,
  input logic [11:0] reg_addr_i,
  input logic [31:0] reg_wdata_i,
  output logic reg_rvalid_o,
  output logic [31:0] reg_rdata_o,
  output logic reg_error_o,
  /// Configuration of both hash engines and of the run.
  output acclmt_pkg::engine_config_t engine_config_o,
  output acclmt_pkg::run_config_t run_config_o,
  /// Writes of constants to the leaf hash engine and the root hash engine.
  output acclmt_pkg::constant_write_t leaf_constant_write_o,
  output acclmt_pkg::constant_write_t root_constant_write_o,
  /// A run is under way.
  output logic running_o,
  /// A run starts in the next cycle.
  output logic start_o,
  /// The machine forgets everything.
  output logic clear_o,
  /// The last word of the run leaves.
  input logic run_done_i,
  /// An input element is not below the prime, and its index in the stream.
  input logic element_error_i,
  input logic [31:0] element_index_i,
  /// The run had an error: its output is void.
  output logic error_o,
  /// Events for the performance counters.
  input acclmt_pkg::events_t events_i,
  /// A run is done, or an error is registered.
  output logic irq_o
);

  localparam int unsigned RoundWidth = acclmt_pkg::RoundWidth;
  localparam int unsigned MaxNumPartial = acclmt_pkg::MaxNumPartial;
  localparam int unsigned HidmWords =
      acclmt_pkg::hidm_words(int'(MaxHeight), int'(RootWords));

  // ---- Configuration registers: consecutive words from MODE on ----------------------------------

  localparam int unsigned NumConfig = 15;
  localparam int unsigned Mode = 0;
  localparam int unsigned Arity = 1;
  localparam int unsigned Leaves = 2;
  localparam int unsigned Width = 3;
  localparam int unsigned Alpha = 4;
  localparam int unsigned FullRoundsFirst = 5;
  localparam int unsigned FullRoundsLast = 6;
  localparam int unsigned DigestIndex = 7;
  localparam int unsigned PartialRounds = 8;

  if (acclmt_reg_pkg::RegPartialRounds6 != acclmt_reg_pkg::RegMode + 12'(4 * (NumConfig - 1)) ||
      acclmt_reg_pkg::RegDigestIndex != acclmt_reg_pkg::RegMode + 12'(4 * DigestIndex))
  begin : gen_illegal_map
    $error("acclmt_register_file: the configuration registers are not consecutive");
  end
  if (MatrixDepth > 128 || ConstantDepth > 128 || PartialDepth > 128) begin : gen_illegal_depth
    $error("acclmt_register_file: MatrixDepth = %0d, ConstantDepth = %0d, PartialDepth = %0d > 128",
           MatrixDepth, ConstantDepth, PartialDepth);
  end

  logic [NumConfig-1:0][31:0] config_q;
  logic [7:0][31:0] constant_data_q;

  // ---- Decoding ---------------------------------------------------------------------------------

  logic [3:0] word_address;
  logic [3:0] config_index;
  logic is_aligned, is_config, is_constant_data, is_constant_address, is_control, is_counter;
  assign word_address = reg_addr_i[5:2];
  assign is_aligned = reg_addr_i[1:0] == 2'b00;
  assign is_config = is_aligned && reg_addr_i >= acclmt_reg_pkg::RegMode &&
                     reg_addr_i <= acclmt_reg_pkg::RegPartialRounds6;
  assign config_index = word_address - acclmt_reg_pkg::RegMode[5:2];
  assign is_constant_data = is_aligned && reg_addr_i >= acclmt_reg_pkg::RegConstantData0 &&
                            reg_addr_i <= acclmt_reg_pkg::RegConstantData7;
  assign is_constant_address = reg_addr_i == acclmt_reg_pkg::RegConstantAddress;
  assign is_control = reg_addr_i == acclmt_reg_pkg::RegControl;
  assign is_counter = is_aligned && reg_addr_i[11:8] == 4'h2;

  logic write, read, write_config, write_refused, write_unknown, write_control;
  assign write = reg_valid_i && reg_write_i;
  assign read = reg_valid_i && !reg_write_i;
  assign write_config = write && (is_config || is_constant_data || is_constant_address);
  assign write_refused = write_config && running_o;
  assign write_control = write && is_control;
  assign write_unknown = write && !write_control && !write_config;

  // ---- Configuration, constants -----------------------------------------------------------------

  acclmt_pkg::constant_write_t constant_write_q;
  logic [1:0] engine_mask_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      config_q <= '0;
      constant_data_q <= '0;
      constant_write_q <= '0;
      engine_mask_q <= '0;
    end else begin
      constant_write_q.valid <= 1'b0;
      if (write_config && !running_o) begin
        if (is_config) config_q[config_index] <= reg_wdata_i;
        if (is_constant_data) constant_data_q[word_address[2:0]] <= reg_wdata_i;
        if (is_constant_address) begin
          constant_write_q.valid <= 1'b1;
          constant_write_q.index <= reg_wdata_i[acclmt_reg_pkg::ConstantAddressIndexLsb+:8];
          constant_write_q.bank <= reg_wdata_i[acclmt_reg_pkg::ConstantAddressBankLsb+:4];
          constant_write_q.sub_engine <=
              reg_wdata_i[acclmt_reg_pkg::ConstantAddressSubEngineLsb+:4];
          constant_write_q.data <= constant_data_q;
          engine_mask_q <= reg_wdata_i[acclmt_reg_pkg::ConstantAddressEngineMaskLsb+:2];
        end
      end
    end
  end
  always_comb begin
    leaf_constant_write_o = constant_write_q;
    leaf_constant_write_o.valid = constant_write_q.valid && engine_mask_q[0];
    root_constant_write_o = constant_write_q;
    root_constant_write_o.valid = constant_write_q.valid && engine_mask_q[1];
  end

  always_comb begin
    engine_config_o.full_rounds_first = config_q[FullRoundsFirst][RoundWidth-1:0];
    engine_config_o.full_rounds_last = config_q[FullRoundsLast][RoundWidth-1:0];
    engine_config_o.digest_index = config_q[DigestIndex][1:0];
    for (int i = 0; i <= int'(MaxNumPartial); i++) begin
      engine_config_o.partial_rounds[i] = config_q[PartialRounds+i][RoundWidth-1:0];
    end
  end

  logic [31:0] leaves;
  logic leaves_are_power_of_two;
  assign leaves = config_q[Leaves];
  assign leaves_are_power_of_two = leaves != '0 && (leaves & (leaves - 32'd1)) == '0;
  always_comb begin
    run_config_o.hash_leaves = config_q[Mode][acclmt_reg_pkg::ModeLeafKindBit];
    run_config_o.output_digests = config_q[Mode][acclmt_reg_pkg::ModeOutputBit];
    run_config_o.height = '0;
    for (int i = 1; i <= int'(MaxHeight); i++) begin
      if (leaves[i]) run_config_o.height = acclmt_pkg::LevelWidth'(i);
    end
    run_config_o.input_words =
        run_config_o.hash_leaves ? {leaves, 1'b0} : {1'b0, leaves};
    run_config_o.output_words = run_config_o.output_digests ? leaves : 32'd1;
  end

  // ---- Check of the configuration: the first offending register ---------------------------------

  logic [NumConfig-1:0] illegal;
  logic [31:0] full_engine_rounds;
  always_comb begin
    full_engine_rounds =
        config_q[FullRoundsFirst] + config_q[PartialRounds] + config_q[FullRoundsLast];
    illegal = '0;
    // Digests of leaves that are not hashed would be the input itself.
    illegal[Mode] = config_q[Mode][31:2] != '0 ||
        (run_config_o.output_digests && !run_config_o.hash_leaves);
    illegal[Arity] = config_q[Arity] != 32'd2;
    illegal[Width] = config_q[Width] != 32'd3;
    illegal[Alpha] = config_q[Alpha] != 32'd5;
    if (run_config_o.output_digests) illegal[Leaves] = leaves == '0;
    else begin
      illegal[Leaves] = !leaves_are_power_of_two || leaves < 32'd2 ||
          leaves > 32'(2 ** MaxHeight);
    end
    illegal[FullRoundsFirst] =
        config_q[FullRoundsFirst] == '0 || config_q[FullRoundsFirst] > 32'(ConstantDepth);
    illegal[FullRoundsLast] = config_q[FullRoundsLast] == '0 ||
        config_q[FullRoundsLast] > 32'(ConstantDepth) || full_engine_rounds > 32'(ConstantDepth);
    illegal[DigestIndex] = config_q[DigestIndex] >= 32'(acclmt_pkg::Lanes);
    illegal[PartialRounds] = config_q[PartialRounds] > 32'(MatrixDepth - 2);
    for (int i = 1; i <= int'(MaxNumPartial); i++) begin
      illegal[PartialRounds+i] =
          config_q[PartialRounds+i] > ((i <= int'(NumPartial)) ? 32'(PartialDepth) : 32'd0);
    end
  end
  logic [11:0] illegal_address;
  always_comb begin
    illegal_address = '0;
    for (int i = int'(NumConfig) - 1; i >= 0; i--) begin
      if (illegal[i]) illegal_address = acclmt_reg_pkg::RegMode + 12'(4 * i);
    end
  end

  // ---- Run control ------------------------------------------------------------------------------

  logic start_request, start_illegal, start_refused, running_q, done_q;
  assign clear_o = write_control && reg_wdata_i[acclmt_reg_pkg::ControlClearBit];
  assign start_request =
      write_control && reg_wdata_i[acclmt_reg_pkg::ControlStartBit] && !clear_o;
  assign start_refused = start_request && running_q;
  assign start_illegal = start_request && !running_q && illegal != '0;
  assign start_o = start_request && !running_q && illegal == '0;
  assign running_o = running_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
      done_q <= 1'b0;
    end else if (clear_o) begin
      running_q <= 1'b0;
      done_q <= 1'b0;
    end else if (start_o) begin
      running_q <= 1'b1;
      done_q <= 1'b0;
    end else if (run_done_i) begin
      running_q <= 1'b0;
      done_q <= 1'b1;
    end
  end

  // ---- Errors: the first one stays --------------------------------------------------------------

  logic unknown_read;
  logic [7:0] error_d, error_q;
  logic [31:0] error_info_d, error_info_q;
  always_comb begin
    error_d = error_q;
    error_info_d = error_info_q;
    if (error_q == acclmt_reg_pkg::ErrorNone) begin
      if (element_error_i) begin
        error_d = acclmt_reg_pkg::ErrorElementNotBelowPrime;
        error_info_d = element_index_i;
      end else if (start_illegal) begin
        error_d = acclmt_reg_pkg::ErrorIllegalConfiguration;
        error_info_d = 32'(illegal_address);
      end else if (start_refused) begin
        error_d = acclmt_reg_pkg::ErrorStartWhileRunning;
        error_info_d = '0;
      end else if (write_refused) begin
        error_d = acclmt_reg_pkg::ErrorWriteWhileRunning;
        error_info_d = 32'(reg_addr_i);
      end else if (write_unknown || unknown_read) begin
        error_d = acclmt_reg_pkg::ErrorUnknownRegister;
        error_info_d = 32'(reg_addr_i);
      end
    end
    if (clear_o) begin
      error_d = acclmt_reg_pkg::ErrorNone;
      error_info_d = '0;
    end
  end
  // Only a bad element makes the output of a run void; the other errors changed nothing.
  logic void_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      error_q <= acclmt_reg_pkg::ErrorNone;
      error_info_q <= '0;
      void_q <= 1'b0;
    end else begin
      error_q <= error_d;
      error_info_q <= error_info_d;
      if (clear_o || start_o) void_q <= 1'b0;
      else if (element_error_i) void_q <= 1'b1;
    end
  end
  assign error_o = void_q;
  assign irq_o = done_q || error_q != acclmt_reg_pkg::ErrorNone;

  // ---- Counters ---------------------------------------------------------------------------------

  logic [63:0] counter_value;
  logic counter_exists;
  acclmt_counters u_counters (
    .clk_i,
    .rst_ni,
    .clear_i(clear_o || start_o),
    .running_i(running_q),
    .events_i,
    .select_i(reg_addr_i[7:3]),
    .value_o(counter_value),
    .exists_o(counter_exists)
  );

  // The high word of a counter is kept when its low word is read.
  logic [31:0] counter_high_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) counter_high_q <= '0;
    else if (read && is_counter && !reg_addr_i[2]) counter_high_q <= counter_value[63:32];
  end

  // ---- Reads ------------------------------------------------------------------------------------

  logic [31:0] read_data;
  logic read_known;
  always_comb begin
    read_data = '0;
    read_known = 1'b1;
    if (is_config) read_data = config_q[config_index];
    else if (is_constant_data) read_data = constant_data_q[word_address[2:0]];
    else if (is_counter) begin
      read_known = counter_exists;
      read_data = reg_addr_i[2] ? counter_high_q : counter_value[31:0];
    end else if (is_aligned && reg_addr_i >= acclmt_reg_pkg::RegPrime0 &&
                 reg_addr_i <= acclmt_reg_pkg::RegPrime7) begin
      read_data = Prime[32*word_address[2:0]+:32];
    end else begin
      case (reg_addr_i)
        acclmt_reg_pkg::RegId: read_data = acclmt_reg_pkg::IdValue;
        acclmt_reg_pkg::RegVersion: read_data = acclmt_reg_pkg::VersionValue;
        acclmt_reg_pkg::RegCapsEngine: begin
          read_data[acclmt_reg_pkg::CapsEngineNumFullLsb+:4] = 4'd1;
          read_data[acclmt_reg_pkg::CapsEngineNumPartialLsb+:4] = 4'(NumPartial);
          read_data[acclmt_reg_pkg::CapsEngineLanesLsb+:4] = 4'(acclmt_pkg::Lanes);
          read_data[acclmt_reg_pkg::CapsEngineLoopCyclesFullLsb+:8] = 8'(acclmt_pkg::LoopCycles);
          read_data[acclmt_reg_pkg::CapsEngineLoopCyclesPartialLsb+:8] =
              8'(acclmt_pkg::LoopCycles);
        end
        acclmt_reg_pkg::RegCapsDepth: begin
          read_data[acclmt_reg_pkg::CapsDepthMatrixDepthLsb+:10] = 10'(MatrixDepth);
          read_data[acclmt_reg_pkg::CapsDepthConstantDepthLsb+:10] = 10'(ConstantDepth);
          read_data[acclmt_reg_pkg::CapsDepthPartialDepthLsb+:10] = 10'(PartialDepth);
        end
        acclmt_reg_pkg::RegCapsTree: begin
          read_data[acclmt_reg_pkg::CapsTreeMaxHeightLsb+:5] = 5'(MaxHeight);
          read_data[acclmt_reg_pkg::CapsTreeLog2LeafBufferLsb+:5] = 5'($clog2(LeafWords));
          read_data[acclmt_reg_pkg::CapsTreeLog2RootBufferLsb+:5] = 5'($clog2(RootWords));
          read_data[acclmt_reg_pkg::CapsTreeLog2HidmLsb+:5] = 5'($clog2(HidmWords));
        end
        acclmt_reg_pkg::RegControl: read_data = '0;
        acclmt_reg_pkg::RegStatus: begin
          read_data[acclmt_reg_pkg::StatusBusyBit] = running_q;
          read_data[acclmt_reg_pkg::StatusDoneBit] = done_q;
          read_data[acclmt_reg_pkg::StatusErrorBit] = error_q != acclmt_reg_pkg::ErrorNone;
        end
        acclmt_reg_pkg::RegError: read_data = 32'(error_q);
        acclmt_reg_pkg::RegErrorInfo: read_data = error_info_q;
        acclmt_reg_pkg::RegConstantAddress: read_data = '0;
        default: read_known = 1'b0;
      endcase
    end
  end
  assign unknown_read = read && !read_known;

  logic reg_rvalid_q, reg_error_q;
  logic [31:0] reg_rdata_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reg_rvalid_q <= 1'b0;
      reg_error_q <= 1'b0;
      reg_rdata_q <= '0;
    end else begin
      reg_rvalid_q <= reg_valid_i;
      reg_error_q <= unknown_read || write_unknown || write_refused || start_refused ||
                     start_illegal;
      reg_rdata_q <= read ? read_data : '0;
    end
  end
  assign reg_rvalid_o = reg_rvalid_q;
  assign reg_error_o = reg_error_q;
  assign reg_rdata_o = reg_rdata_q;

`ifndef SYNTHESIS
  no_config_write_while_running_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      running_q && !clear_o |=> $stable(config_q))
  else $error("acclmt_register_file: the configuration changed during a run");
  done_only_when_running_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      run_done_i |-> running_q)
  else $error("acclmt_register_file: a run ended that was not under way");
`endif

endmodule
