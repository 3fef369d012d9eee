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
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Parameters of the chip, readable as capabilities and used to check the configuration.
  parameter int unsigned NumFull = 1,
  parameter int unsigned NumPartial = 3,
  parameter int unsigned MatrixDepth = 128,
  parameter int unsigned ConstantDepth = 256,
  parameter int unsigned PartialDepth = 128,
  parameter int unsigned MaxHeight = 23,
  parameter int unsigned LeafWords = 4096,
  parameter int unsigned RootWords = 2048,
  parameter int unsigned ScratchWords = 128,
  parameter int unsigned HidmWords0 = 256,
  parameter int unsigned HidmWords1 = 16
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
  /// The modulus (set at run time, if the reduction is so) and R^2 modulo it.
  output acclmt_pkg::word_t prime_o,
  output acclmt_pkg::word_t radix_squared_o,
  /// Configuration of the run and of the hash engines.
  output acclmt_pkg::run_config_t run_config_o,
  output acclmt_tree_pkg::tree_config_t tree_config_o,
  output acclmt_pkg::engine_config_t leaf_config_o,
  output acclmt_pkg::engine_config_t root_config_o,
  /// Set-up of the queues of the tree's levels, before a run starts.
  output acclmt_tree_pkg::level_setup_t level_setup_o,
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
  /// A group of nodes lacks siblings in a run without padding.
  input logic incomplete_i,
  /// The run had an error: its output is void.
  output logic error_o,
  /// Events for the performance counters.
  input acclmt_pkg::events_t events_i,
  input acclmt_tree_pkg::node_traffic_t traffic_i,
  /// A run is done, or an error is registered.
  output logic irq_o
);

  localparam int unsigned NumRunConfig = acclmt_pkg::NumRunConfig;
  localparam int unsigned NumEngineConfig = acclmt_pkg::NumEngineConfig;
  localparam int unsigned LevelWidth = acclmt_tree_pkg::LevelWidth;
  localparam int unsigned LevelEntryWidth = acclmt_tree_pkg::LevelEntryWidth;
  localparam bit RuntimeModulus = Reduction == acclmt_pkg::ReductionRuntime;

  if (Reduction != acclmt_pkg::ReductionConstant && !RuntimeModulus) begin : gen_illegal_reduction
    $error("acclmt_register_file: Reduction = %0d is not ReductionConstant or ReductionRuntime",
           Reduction);
  end
  logic [NumRunConfig-1:0][31:0] run_q;
  logic [NumEngineConfig-1:0][31:0] leaf_q, root_q;
  logic [MaxHeight-1:0][LevelEntryWidth-1:0] level_table_q;
  logic [7:0][31:0] constant_data_q;

  // ---- Decoding ---------------------------------------------------------------------------------

  logic [4:0] word_address;
  logic [3:0] run_index;
  logic [4:0] leaf_index, root_index;
  logic is_aligned, is_constant_data, is_constant_address, is_control, is_counter;
  logic is_run, is_leaf, is_root, is_level, is_prime, is_radix_squared;
  logic [LevelWidth-1:0] level_index;
  assign word_address = reg_addr_i[6:2];
  assign is_aligned = reg_addr_i[1:0] == 2'b00;
  assign is_run = is_aligned && reg_addr_i >= acclmt_reg_pkg::RegMode &&
                  reg_addr_i <= acclmt_reg_pkg::RegWindowLast;
  assign is_leaf = is_aligned && reg_addr_i >= acclmt_reg_pkg::RegLeafInputWords &&
                   reg_addr_i <= acclmt_reg_pkg::RegLeafPartialRounds7;
  assign is_root = is_aligned && reg_addr_i >= acclmt_reg_pkg::RegRootInputWords &&
                   reg_addr_i <= acclmt_reg_pkg::RegRootPartialRounds7;
  assign run_index = reg_addr_i[5:2] - acclmt_reg_pkg::RegMode[5:2];
  assign leaf_index = word_address - acclmt_reg_pkg::RegLeafInputWords[6:2];
  assign root_index = word_address - acclmt_reg_pkg::RegRootInputWords[6:2];
  assign is_constant_data = is_aligned && reg_addr_i >= acclmt_reg_pkg::RegConstantData0 &&
                            reg_addr_i <= acclmt_reg_pkg::RegConstantData7;
  assign is_constant_address = reg_addr_i == acclmt_reg_pkg::RegConstantAddress;
  assign is_control = reg_addr_i == acclmt_reg_pkg::RegControl;
  assign is_prime = is_aligned && reg_addr_i >= acclmt_reg_pkg::RegPrime0 &&
                    reg_addr_i <= acclmt_reg_pkg::RegPrime7;
  assign is_radix_squared = RuntimeModulus && is_aligned &&
                            reg_addr_i >= acclmt_reg_pkg::RegRadixSquared0 &&
                            reg_addr_i <= acclmt_reg_pkg::RegRadixSquared7;
  assign is_counter = is_aligned && reg_addr_i[11:9] == 3'h1;
  assign is_level = is_aligned && reg_addr_i >= acclmt_reg_pkg::RegLevelTable0 &&
                    reg_addr_i < acclmt_reg_pkg::RegLevelTable0 + 12'(4 * MaxHeight);
  assign level_index = word_address;

  logic write, read, write_config, write_refused, write_unknown, write_control;
  logic write_modulus, write_constant_address, constant_address_illegal, write_illegal;
  assign write = reg_valid_i && reg_write_i;
  assign read = reg_valid_i && !reg_write_i;
  assign write_modulus = write && ((is_prime && RuntimeModulus) || is_radix_squared);
  assign write_config =
      (write && (is_run || is_leaf || is_root || is_level || is_constant_data ||
                 is_constant_address)) || write_modulus;
  assign write_constant_address = write && is_constant_address && !running_o;
  assign write_illegal = write_constant_address && constant_address_illegal;
  assign write_refused = write_config && running_o;
  assign write_control = write && is_control;
  assign write_unknown = write && !write_control && !write_config;

  // ---- Configuration, constants -----------------------------------------------------------------

  acclmt_pkg::constant_write_t constant_write_q;
  logic [1:0] engine_mask_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q <= '0;
      leaf_q <= '0;
      root_q <= '0;
      level_table_q <= '0;
      constant_data_q <= '0;
      constant_write_q <= '0;
      engine_mask_q <= '0;
    end else begin
      constant_write_q.valid <= 1'b0;
      if (write_config && !running_o) begin
        if (is_run) run_q[run_index] <= reg_wdata_i;
        if (is_leaf) leaf_q[leaf_index] <= reg_wdata_i;
        if (is_root) root_q[root_index] <= reg_wdata_i;
        if (is_level) begin
          level_table_q[level_index] <= {
            reg_wdata_i[acclmt_reg_pkg::LevelTableMemoryLsb+:acclmt_tree_pkg::NodeMemoryWidth],
            reg_wdata_i[acclmt_reg_pkg::LevelTableGroupsLsb+:acclmt_tree_pkg::NodeAddressWidth]
          };
        end
        if (is_constant_data) constant_data_q[word_address[2:0]] <= reg_wdata_i;
        if (is_constant_address && !constant_address_illegal) begin
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

  // Constants that no memory has a place for.
  logic [31:0] constant_index, constant_bank, constant_sub_engine, constant_depth;
  logic [1:0] constant_engine_mask;
  always_comb begin
    constant_index = 32'(reg_wdata_i[acclmt_reg_pkg::ConstantAddressIndexLsb+:8]);
    constant_bank = 32'(reg_wdata_i[acclmt_reg_pkg::ConstantAddressBankLsb+:8]);
    constant_sub_engine = 32'(reg_wdata_i[acclmt_reg_pkg::ConstantAddressSubEngineLsb+:4]);
    constant_engine_mask = reg_wdata_i[acclmt_reg_pkg::ConstantAddressEngineMaskLsb+:2];
    constant_depth = '0;
    if (constant_sub_engine == '0 ||
        (constant_sub_engine == 32'(acclmt_pkg::SecondFullSubEngine) && NumFull > 1)) begin
      if (constant_bank < acclmt_pkg::FullMatrixBanks) constant_depth = MatrixDepth;
      else if (constant_bank < acclmt_pkg::FullMatrixBanks + acclmt_pkg::Lanes) begin
        constant_depth = ConstantDepth;
      end
    end else if (constant_sub_engine <= NumPartial) begin
      if (constant_bank < acclmt_pkg::PartialBanks) constant_depth = PartialDepth;
    end else if (constant_sub_engine == 32'(acclmt_pkg::InitialSubEngine)) begin
      // The leaf hash engine has a second vector, for the later blocks of a row.
      if (constant_bank < acclmt_pkg::Lanes) begin
        constant_depth = acclmt_pkg::MaxBeats << !constant_engine_mask[1];
      end
    end else if (constant_sub_engine == 32'(acclmt_pkg::EmptySubTrees)) begin
      if (constant_bank == '0 && !constant_engine_mask[0]) constant_depth = MaxHeight;
    end
    constant_address_illegal = constant_index >= constant_depth;
  end

  // ---- The modulus ------------------------------------------------------------------------------

  logic prime_illegal;
  if (RuntimeModulus) begin : gen_runtime_modulus
    logic [7:0][31:0] prime_q, radix_squared_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        prime_q <= Prime;
        radix_squared_q <= '0;
      end else if (write_modulus && !running_o) begin
        if (is_prime) prime_q[word_address[2:0]] <= reg_wdata_i;
        else radix_squared_q[word_address[2:0]] <= reg_wdata_i;
      end
    end
    assign prime_o = prime_q;
    assign radix_squared_o = radix_squared_q;
    // What the reduction is made for: p = 1 modulo a digit, 2^250 < p < 2^255.
    assign prime_illegal = prime_o[acclmt_pkg::RuntimeDigitBits-1:0] != 1 ||
        prime_o[acclmt_pkg::WordWidth-1] || prime_o[254:250] == '0;
  end else begin : gen_constant_modulus
    assign prime_o = Prime;
    assign radix_squared_o = '0;
    assign prime_illegal = 1'b0;
  end

  // ---- Meaning and check of the configuration ---------------------------------------------------

  logic config_illegal, illegal;
  logic [31:0] window_first, window_last;
  logic [11:0] config_illegal_address, illegal_address;
  acclmt_configuration #(
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .NumFull(NumFull),
    .NumPartial(NumPartial),
    .MatrixDepth(MatrixDepth),
    .ConstantDepth(ConstantDepth),
    .PartialDepth(PartialDepth),
    .MaxHeight(MaxHeight)
  ) u_configuration (
    .run_i(run_q),
    .leaf_i(leaf_q),
    .root_i(root_q),
    .run_config_o,
    .tree_config_o,
    .leaf_config_o,
    .root_config_o,
    .window_first_o(window_first),
    .window_last_o(window_last),
    .illegal_o(config_illegal),
    .illegal_address_o(config_illegal_address)
  );
  assign illegal = config_illegal || prime_illegal;
  assign illegal_address =
      prime_illegal ? acclmt_reg_pkg::RegPrime0 : config_illegal_address;

  // ---- Run control ------------------------------------------------------------------------------

  // A run starts when the queues of its tree are set up.
  logic start_request, start_legal, start_illegal, start_refused, running_q, done_q;
  logic setup_done, setup_illegal;
  acclmt_tree_pkg::level_t setup_illegal_level;
  assign clear_o = write_control && reg_wdata_i[acclmt_reg_pkg::ControlClearBit];
  assign start_request =
      write_control && reg_wdata_i[acclmt_reg_pkg::ControlStartBit] && !clear_o;
  assign start_refused = start_request && running_q;
  assign start_illegal = start_request && !running_q && illegal;
  assign start_legal = start_request && !running_q && !illegal;
  assign running_o = running_q;
  acclmt_level_setup #(
    .MaxHeight(MaxHeight),
    .LeafWords(LeafWords),
    .RootWords(RootWords),
    .ScratchWords(ScratchWords),
    .HidmWords0(HidmWords0),
    .HidmWords1(HidmWords1)
  ) u_level_setup (
    .clk_i,
    .rst_ni,
    .clear_i(clear_o),
    .start_i(start_legal),
    .level_table_i(level_table_q),
    .arity_i(root_config_o.input_words),
    .top_i(tree_config_o.top),
    .setup_o(level_setup_o),
    .done_o(setup_done),
    .illegal_o(setup_illegal),
    .illegal_level_o(setup_illegal_level)
  );
  assign start_o = setup_done;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
      done_q <= 1'b0;
    end else if (clear_o) begin
      running_q <= 1'b0;
      done_q <= 1'b0;
    end else if (start_legal) begin
      running_q <= 1'b1;
      done_q <= 1'b0;
    end else if (setup_illegal) begin
      running_q <= 1'b0;
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
      end else if (incomplete_i && !tree_config_o.pad) begin
        error_d = acclmt_reg_pkg::ErrorIncompleteTree;
        error_info_d = '0;
      end else if (setup_illegal) begin
        error_d = acclmt_reg_pkg::ErrorIllegalConfiguration;
        error_info_d = 32'(acclmt_reg_pkg::RegLevelTable0) + 32'({setup_illegal_level, 2'b00});
      end else if (start_illegal) begin
        error_d = acclmt_reg_pkg::ErrorIllegalConfiguration;
        error_info_d = 32'(illegal_address);
      end else if (start_refused) begin
        error_d = acclmt_reg_pkg::ErrorStartWhileRunning;
        error_info_d = '0;
      end else if (write_refused) begin
        error_d = acclmt_reg_pkg::ErrorWriteWhileRunning;
        error_info_d = 32'(reg_addr_i);
      end else if (write_illegal) begin
        error_d = acclmt_reg_pkg::ErrorIllegalConstantAddress;
        error_info_d = reg_wdata_i;
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
  // A bad element and an incomplete tree make the output of a run void; the other errors changed
  // nothing.
  logic void_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      error_q <= acclmt_reg_pkg::ErrorNone;
      error_info_q <= '0;
      void_q <= 1'b0;
    end else begin
      error_q <= error_d;
      error_info_q <= error_info_d;
      if (clear_o || start_legal) void_q <= 1'b0;
      else if (element_error_i || (incomplete_i && !tree_config_o.pad)) void_q <= 1'b1;
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
    .clear_i(clear_o || start_legal || start_o),
    .running_i(running_q),
    .window_first_i(window_first),
    .window_last_i(window_last),
    .events_i,
    .traffic_i,
    .select_i(reg_addr_i[8:3]),
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
  logic [LevelEntryWidth-1:0] level_entry;
  logic read_known;
  assign level_entry = level_table_q[level_index];
  always_comb begin
    read_data = '0;
    read_known = 1'b1;
    if (is_run) read_data = run_q[run_index];
    else if (is_leaf) read_data = leaf_q[leaf_index];
    else if (is_root) read_data = root_q[root_index];
    else if (is_level) begin
      read_data[acclmt_reg_pkg::LevelTableMemoryLsb+:acclmt_tree_pkg::NodeMemoryWidth] =
          level_entry[LevelEntryWidth-1:acclmt_tree_pkg::NodeAddressWidth];
      read_data[acclmt_reg_pkg::LevelTableGroupsLsb+:acclmt_tree_pkg::NodeAddressWidth] =
          level_entry[acclmt_tree_pkg::NodeAddressWidth-1:0];
    end
    else if (is_constant_data) read_data = constant_data_q[word_address[2:0]];
    else if (is_counter) begin
      read_known = counter_exists;
      read_data = reg_addr_i[2] ? counter_high_q : counter_value[31:0];
    end else if (is_prime) begin
      read_data = prime_o[32*word_address[2:0]+:32];
    end else if (is_radix_squared) begin
      read_data = radix_squared_o[32*word_address[2:0]+:32];
    end else begin
      case (reg_addr_i)
        acclmt_reg_pkg::RegId: read_data = acclmt_reg_pkg::IdValue;
        acclmt_reg_pkg::RegVersion: read_data = acclmt_reg_pkg::VersionValue;
        acclmt_reg_pkg::RegCapsEngine: begin
          read_data[acclmt_reg_pkg::CapsEngineNumFullLsb+:4] = 4'(NumFull);
          read_data[acclmt_reg_pkg::CapsEngineNumPartialLsb+:4] = 4'(NumPartial);
          read_data[acclmt_reg_pkg::CapsEngineLanesLsb+:4] = 4'(acclmt_pkg::Lanes);
          read_data[acclmt_reg_pkg::CapsEngineLoopCyclesFullLsb+:8] =
              8'(acclmt_timing_pkg::full_loop_cycles(int'(Reduction)));
          read_data[acclmt_reg_pkg::CapsEngineLoopCyclesPartialLsb+:8] =
              8'(acclmt_timing_pkg::partial_loop_cycles(int'(Reduction)));
          read_data[acclmt_reg_pkg::CapsEngineLog2PlacesLsb+:4] =
              4'($clog2(acclmt_timing_pkg::places(int'(Reduction))));
        end
        acclmt_reg_pkg::RegCapsDepth: begin
          read_data[acclmt_reg_pkg::CapsDepthMatrixDepthLsb+:10] = 10'(MatrixDepth);
          read_data[acclmt_reg_pkg::CapsDepthConstantDepthLsb+:10] = 10'(ConstantDepth);
          read_data[acclmt_reg_pkg::CapsDepthPartialDepthLsb+:10] = 10'(PartialDepth);
        end
        acclmt_reg_pkg::RegCapsTree: begin
          read_data[acclmt_reg_pkg::CapsTreeMaxHeightLsb+:5] = 5'(MaxHeight);
          read_data[acclmt_reg_pkg::CapsTreeLog2LeafHashBufferLsb+:5] = 5'($clog2(LeafWords));
          read_data[acclmt_reg_pkg::CapsTreeLog2RootHashBufferLsb+:5] = 5'($clog2(RootWords));
          read_data[acclmt_reg_pkg::CapsTreeLog2ScratchPadLsb+:5] = 5'($clog2(ScratchWords));
          read_data[acclmt_reg_pkg::CapsTreeLog2HidmLevel0Lsb+:5] = 5'($clog2(HidmWords0));
          read_data[acclmt_reg_pkg::CapsTreeLog2HidmLevel1Lsb+:5] = 5'($clog2(HidmWords1));
        end
        acclmt_reg_pkg::RegCapsField: begin
          read_data[acclmt_reg_pkg::CapsFieldGoldilocksBit] = Goldilocks;
          read_data[acclmt_reg_pkg::CapsFieldRuntimeModulusBit] = RuntimeModulus;
          read_data[acclmt_reg_pkg::CapsFieldMontgomeryBitsLsb+:9] =
              9'(acclmt_prime_pkg::montgomery_bits(int'(Reduction)));
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
      reg_error_q <= unknown_read || write_unknown || write_refused || write_illegal ||
                     start_refused || start_illegal;
      reg_rdata_q <= read ? read_data : '0;
    end
  end
  assign reg_rvalid_o = reg_rvalid_q;
  assign reg_error_o = reg_error_q;
  assign reg_rdata_o = reg_rdata_q;

`ifndef SYNTHESIS
  // The set-up of the queues, which comes before everything that looks at the configuration, takes
  // more than the two cycles that the configuration has to settle (synth/flow/exceptions.toml).
  no_config_write_while_running_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      running_q && !clear_o |=> $stable({run_q, leaf_q, root_q, level_table_q}))
  else $error("acclmt_register_file: the configuration changed during a run");
  done_only_when_running_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      run_done_i |-> running_q)
  else $error("acclmt_register_file: a run ended that was not under way");
`endif

endmodule
