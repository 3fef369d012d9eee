// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Register file: holds the configuration, answers the requests of the host, and hands them to the
/// blocks that act on them.
///
/// The register map is docs/registers.md. A request is always accepted; it is registered, and acts
/// and is answered in the next cycle. Configuration and constants can be written only while no run
/// is under way: otherwise the write is refused, changes nothing and sets the error register.
///
///     request -> register -> decode -+-> configuration -> what a run does, legal values
///                                    +-> constant port -> memories of the hash engines
///                                    +-> run control, errors, interrupt, counters
///
/// Handshake:  `reg_valid_i` with a request; `reg_rvalid_o` the cycle after it. The machine signals
///             the end of its run by `run_done_i`; `clear_o` tells it to forget everything.
/// Latency:    one cycle from a request to its answer. Throughput: a request a cycle.
module acclmt_register_file #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Parameters of the chip, readable as capabilities and used to check the configuration.
  parameter int unsigned NumEngines = 2,
  parameter int unsigned NumFull = 1,
  parameter int unsigned NumPartial = 4,
  parameter int unsigned MatrixDepth = 64,
  parameter int unsigned ConstantDepth = 256,
  parameter int unsigned PartialDepth = 128,
  parameter bit Store = 1'b1,
  parameter bit Adders = 1'b1,
  parameter int unsigned MaxHeight = 32,
  parameter int unsigned NodeWords = 512,
  parameter bit MemoryParity = 1'b0
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
  /// Configuration of the run, and the parameter sets of rows and of nodes.
  output acclmt_pkg::run_config_t run_config_o,
  output acclmt_tree_pkg::tree_config_t tree_config_o,
  output acclmt_pkg::engine_config_t leaf_config_o,
  output acclmt_pkg::engine_config_t root_config_o,
  output acclmt_pkg::engine_config_t top_config_o,
  /// Set-up of the queues of the tree's levels, before a run starts.
  output acclmt_tree_pkg::level_setup_t level_setup_o,
  /// Writes of constants, and the hash engines that they are for.
  output acclmt_pkg::constant_write_t constant_write_o,
  output logic [NumEngines-1:0] constant_engines_o,
  /// Zeroisation: a word of the node memory is swept; the run of zero words is under way.
  output acclmt_tree_pkg::node_sweep_t node_sweep_o,
  output logic flush_o,
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
  input logic [63:0] element_index_i,
  /// A group of nodes lacks siblings in a run without padding.
  input logic incomplete_i,
  /// A memory shows a word that is not the one that was written, and where; the output buffer does,
  /// a cycle sooner.
  input acclmt_pkg::memory_fault_t memory_fault_i,
  input logic output_fault_i,
  /// Why a parameter set of the run has no program that can run, and which one.
  input acclmt_pkg::program_fault_t program_fault_i,
  input acclmt_pkg::set_t program_fault_set_i,
  /// The run had an error: its output is void.
  output logic void_o,
  /// Events for the performance counters.
  input acclmt_pkg::events_t events_i,
  input acclmt_tree_pkg::node_traffic_t traffic_i,
  input logic [NumEngines-1:0] hash_begun_i,
  input logic [NumEngines*acclmt_pkg::MaxSubEngines-1:0] busy_i,
  /// An event is pending that the host wants to be told.
  output logic irq_o
);

  localparam int unsigned NumRunConfig = acclmt_pkg::NumRunConfig;
  localparam int unsigned NumEngineConfig = acclmt_pkg::NumEngineConfig;
  localparam int unsigned LevelEntryWidth = acclmt_tree_pkg::LevelEntryWidth;
  localparam bit RuntimeModulus = Reduction == acclmt_pkg::ReductionRuntime;

  if (Reduction != acclmt_pkg::ReductionConstant && !RuntimeModulus) begin : gen_illegal_reduction
    $error("acclmt_register_file: Reduction = %0d is not ReductionConstant or ReductionRuntime",
           Reduction);
  end

  // ---- The request ------------------------------------------------------------------------------

  // Nothing of the chip sees the port but this register.
  acclmt_control_pkg::request_t request_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      request_q <= '0;
    end else begin
      request_q.valid <= reg_valid_i;
      request_q.write <= reg_write_i;
      request_q.address <= reg_addr_i;
      request_q.data <= reg_wdata_i;
    end
  end

  acclmt_control_pkg::group_e group;
  logic [acclmt_control_pkg::IndexWidth-1:0] index;
  acclmt_register_decode #(
    .RuntimeModulus(RuntimeModulus),
    .MaxHeight(MaxHeight)
  ) u_decode (
    .address_i(request_q.address),
    .group_o(group),
    .index_o(index)
  );

  // ---- What a write may do ----------------------------------------------------------------------

  // Configuration cannot be written during a run, and nothing takes what it has no field for.
  logic busy, write, is_config, is_writable, value_legal, write_config;
  logic write_unknown, write_while_running, write_illegal;
  assign write = request_q.valid && request_q.write;
  always_comb begin
    is_config = 1'b0;
    is_writable = 1'b1;
    value_legal = 1'b1;
    case (group)
      acclmt_control_pkg::GroupRun, acclmt_control_pkg::GroupLeaf, acclmt_control_pkg::GroupRoot,
      acclmt_control_pkg::GroupTop, acclmt_control_pkg::GroupConstantData,
      acclmt_control_pkg::GroupConstantAddress,
      acclmt_control_pkg::GroupRadixSquared: is_config = 1'b1;
      acclmt_control_pkg::GroupPrime: begin
        is_config = RuntimeModulus;
        is_writable = RuntimeModulus;
      end
      acclmt_control_pkg::GroupLevel: begin
        is_config = 1'b1;
        value_legal = (request_q.data & ~acclmt_reg_pkg::LevelTableMask) == '0;
      end
      acclmt_control_pkg::GroupControl: begin
        value_legal = (request_q.data & ~acclmt_reg_pkg::ControlMask) == '0 &&
                      $onehot0(request_q.data & acclmt_reg_pkg::ControlMask);
      end
      acclmt_control_pkg::GroupInterruptStatus: begin
        value_legal = (request_q.data & ~acclmt_reg_pkg::InterruptStatusMask) == '0;
      end
      acclmt_control_pkg::GroupInterruptEnable: begin
        value_legal = (request_q.data & ~acclmt_reg_pkg::InterruptEnableMask) == '0;
      end
      default: is_writable = 1'b0;
    endcase
  end
  assign write_unknown = write && !is_writable;
  assign write_while_running = write && is_config && busy;
  assign write_illegal = write && !value_legal && !write_while_running;
  assign write_config = write && is_config && value_legal && !busy;

  // ---- Configuration ----------------------------------------------------------------------------

  logic [NumRunConfig-1:0][31:0] run_q;
  logic [NumEngineConfig-1:0][31:0] leaf_q, root_q, top_q;
  logic [MaxHeight:0][LevelEntryWidth-1:0] level_table_q;
  // That of the run of a zeroisation.
  logic flush_load, zeroise_done;
  logic [NumRunConfig-1:0][31:0] flush_run;
  logic [NumEngineConfig-1:0][31:0] flush_engine;
  logic [LevelEntryWidth-1:0] flush_level;
  acclmt_flush_configuration #(
    .Reduction(Reduction),
    .NumEngines(NumEngines),
    .NumPartial(NumPartial),
    .NodeWords(NodeWords)
  ) u_flush_configuration (
    .run_o(flush_run),
    .engine_o(flush_engine),
    .level_o(flush_level)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q <= '0;
      leaf_q <= '0;
      root_q <= '0;
      top_q <= '0;
      level_table_q <= '0;
    end else if (zeroise_done) begin
      run_q <= '0;
      leaf_q <= '0;
      root_q <= '0;
      top_q <= '0;
      level_table_q <= '0;
    end else if (flush_load) begin
      run_q <= flush_run;
      leaf_q <= flush_engine;
      root_q <= flush_engine;
      top_q <= flush_engine;
      level_table_q[0] <= flush_level;
      level_table_q[1] <= flush_level;
    end else if (write_config) begin
      case (group)
        acclmt_control_pkg::GroupRun: run_q[index[3:0]] <= request_q.data;
        acclmt_control_pkg::GroupLeaf: leaf_q[index[4:0]] <= request_q.data;
        acclmt_control_pkg::GroupRoot: root_q[index[4:0]] <= request_q.data;
        acclmt_control_pkg::GroupTop: top_q[index[4:0]] <= request_q.data;
        acclmt_control_pkg::GroupLevel: begin
          level_table_q[index[5:0]] <= request_q.data[LevelEntryWidth-1:0];
        end
        default: ;
      endcase
    end
  end

  logic prime_illegal;
  if (RuntimeModulus) begin : gen_runtime_modulus
    logic [7:0][31:0] prime_q, radix_squared_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        prime_q <= Prime;
        radix_squared_q <= '0;
      end else if (flush_load) begin
        prime_q <= Prime;
        radix_squared_q <= '0;
      end else if (write_config) begin
        if (group == acclmt_control_pkg::GroupPrime) prime_q[index[2:0]] <= request_q.data;
        if (group == acclmt_control_pkg::GroupRadixSquared) begin
          radix_squared_q[index[2:0]] <= request_q.data;
        end
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

  logic config_illegal;
  logic [15:0] leaf_places;
  logic [acclmt_pkg::NumSets*acclmt_tree_pkg::SiblingCountWidth-1:0] arities;
  logic [31:0] window_first, window_last;
  logic [11:0] config_illegal_address, illegal_address;
  acclmt_configuration #(
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .NumEngines(NumEngines),
    .NumPartial(NumPartial),
    .PartialDepth(PartialDepth),
    .Adders(Adders && Goldilocks),
    .MaxHeight(MaxHeight)
  ) u_configuration (
    .run_i(run_q),
    .leaf_i(leaf_q),
    .root_i(root_q),
    .top_i(top_q),
    .level_table_i(level_table_q),
    .run_config_o,
    .tree_config_o,
    .leaf_config_o,
    .root_config_o,
    .top_config_o,
    .leaf_places_o(leaf_places),
    .window_first_o(window_first),
    .window_last_o(window_last),
    .illegal_o(config_illegal),
    .illegal_address_o(config_illegal_address)
  );
  assign arities =
      {top_config_o.input_words, root_config_o.input_words, leaf_config_o.input_words};
  assign illegal_address =
      prime_illegal ? acclmt_reg_pkg::RegPrime0 : config_illegal_address;

  // ---- Constants --------------------------------------------------------------------------------

  logic [7:0][31:0] constant_data;
  logic [31:0] constant_checksum;
  logic write_constant, constant_illegal;
  acclmt_pkg::constant_write_t constant_sweep;
  assign write_constant =
      write_config && group == acclmt_control_pkg::GroupConstantAddress;
  acclmt_constant_port #(
    .NumEngines(NumEngines),
    .NumFull(NumFull),
    .NumPartial(NumPartial),
    .MatrixDepth(MatrixDepth),
    .ConstantDepth(ConstantDepth),
    .PartialDepth(PartialDepth),
    .Adders(Adders && Goldilocks),
    .MaxHeight(MaxHeight)
  ) u_constant_port (
    .clk_i,
    .rst_ni,
    .data_write_i(write_config && group == acclmt_control_pkg::GroupConstantData),
    .data_index_i(index[2:0]),
    .address_write_i(write_constant),
    .data_i(request_q.data),
    .sweep_i(constant_sweep),
    .reset_i(flush_load),
    .constant_data_o(constant_data),
    .checksum_o(constant_checksum),
    .illegal_o(constant_illegal),
    .write_o(constant_write_o),
    .engines_o(constant_engines_o)
  );

  // ---- Run control ------------------------------------------------------------------------------

  logic command, start, clear_counters, done, start_refused, zeroised;
  logic command_while_busy, configuration_illegal, level_illegal, incomplete, clear_events;
  logic program_illegal;
  acclmt_tree_pkg::level_t illegal_level;
  assign command = write && group == acclmt_control_pkg::GroupControl && value_legal;
  acclmt_run_control #(
    .NumFull(NumFull),
    .NumPartial(NumPartial),
    .MatrixDepth(MatrixDepth),
    .ConstantDepth(ConstantDepth),
    .PartialDepth(PartialDepth),
    .Adders(Adders && Goldilocks),
    .MaxHeight(MaxHeight),
    .NodeWords(NodeWords)
  ) u_run_control (
    .clk_i,
    .rst_ni,
    .start_i(command && request_q.data[acclmt_reg_pkg::ControlStartBit]),
    .clear_i(command && request_q.data[acclmt_reg_pkg::ControlClearBit]),
    .zeroise_i(command && request_q.data[acclmt_reg_pkg::ControlZeroiseBit]),
    .config_write_i(write_config && !(write_constant && constant_illegal)),
    .illegal_i(config_illegal || prime_illegal),
    .level_table_i(level_table_q),
    .arities_i(arities),
    .tree_i(tree_config_o),
    .leaf_places_i(leaf_places),
    .program_illegal_i(program_fault_i != acclmt_pkg::ProgramSound),
    .level_setup_o,
    .start_o(start),
    .clear_o,
    .run_done_i,
    .clear_events_o(clear_events),
    .element_error_i,
    .incomplete_i,
    .memory_fault_i(memory_fault_i.valid || output_fault_i),
    .running_o,
    .busy_o(busy),
    .node_sweep_o,
    .constant_sweep_o(constant_sweep),
    .flush_o,
    .flush_load_o(flush_load),
    .zeroise_done_o(zeroise_done),
    .zeroised_o(zeroised),
    .done_o(done),
    .void_o,
    .start_refused_o(start_refused),
    .clear_counters_o(clear_counters),
    .command_while_busy_o(command_while_busy),
    .configuration_illegal_o(configuration_illegal),
    .level_illegal_o(level_illegal),
    .illegal_level_o(illegal_level),
    .program_illegal_o(program_illegal),
    .incomplete_o(incomplete)
  );
  assign start_o = start;

  // ---- Errors and the interrupt -----------------------------------------------------------------

  logic read_unknown, error_event;
  logic [7:0] error;
  logic [63:0] error_info;
  acclmt_error_log u_error_log (
    .clk_i,
    .rst_ni,
    .clear_i(clear_events),
    .memory_fault_i,
    .element_i(element_error_i),
    .element_index_i,
    .incomplete_i(incomplete),
    .level_illegal_i(level_illegal),
    .level_i(illegal_level),
    .program_illegal_i(program_illegal),
    .program_fault_i,
    .program_fault_set_i,
    .configuration_illegal_i(configuration_illegal),
    .configuration_address_i(illegal_address),
    .command_while_busy_i(command_while_busy),
    .write_while_running_i(write_while_running),
    .constant_illegal_i(write_constant && constant_illegal),
    .value_illegal_i(write_illegal),
    .unknown_i(write_unknown || read_unknown),
    .request_i(request_q),
    .error_o(error),
    .error_info_o(error_info),
    .event_o(error_event)
  );

  localparam int unsigned NumEvents = 3;
  logic [NumEvents-1:0] events, pending, enabled;
  if (acclmt_reg_pkg::InterruptStatusMask != 32'(2 ** NumEvents - 1) ||
      acclmt_reg_pkg::InterruptEnableMask != 32'(2 ** NumEvents - 1)) begin : gen_illegal_events
    $error("acclmt_register_file: NumEvents = %0d is not the number of events of the map",
           NumEvents);
  end
  always_comb begin
    events = '0;
    events[acclmt_reg_pkg::InterruptStatusDoneBit] = run_done_i && !flush_o;
    events[acclmt_reg_pkg::InterruptStatusErrorBit] = error_event;
    events[acclmt_reg_pkg::InterruptStatusZeroisedBit] = zeroise_done;
  end
  acclmt_interrupt #(
    .NumEvents(NumEvents)
  ) u_interrupt (
    .clk_i,
    .rst_ni,
    .clear_i(clear_events),
    .events_i(events),
    .acknowledge_i(write && group == acclmt_control_pkg::GroupInterruptStatus && value_legal),
    .enable_write_i(write && group == acclmt_control_pkg::GroupInterruptEnable && value_legal),
    .data_i(request_q.data[NumEvents-1:0]),
    .pending_o(pending),
    .enable_o(enabled),
    .irq_o
  );

  // ---- Counters ---------------------------------------------------------------------------------

  logic read;
  logic [63:0] counter_value;
  logic counter_exists;
  assign read = request_q.valid && !request_q.write;
  acclmt_counters #(
    .NumEngines(NumEngines)
  ) u_counters (
    .clk_i,
    .rst_ni,
    .clear_i(clear_counters),
    .running_i(running_o),
    .window_first_i(window_first),
    .window_last_i(window_last),
    .events_i,
    .traffic_i,
    .hash_begun_i,
    .busy_i,
    .select_i(index[7:1]),
    .value_o(counter_value),
    .exists_o(counter_exists)
  );

  // The high word of a counter is kept when its low word is read.
  logic is_high_word;
  logic [31:0] counter_high_q;
  assign is_high_word = index[0];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) counter_high_q <= '0;
    else if (read && group == acclmt_control_pkg::GroupCounter && !is_high_word) begin
      counter_high_q <= counter_value[63:32];
    end
  end

  // ---- Answers ----------------------------------------------------------------------------------

  logic [31:0] capability, state, read_data;
  always_comb begin
    capability = '0;
    case (request_q.address)
      acclmt_reg_pkg::RegId: capability = acclmt_reg_pkg::IdValue;
      acclmt_reg_pkg::RegVersion: capability = acclmt_reg_pkg::VersionValue;
      acclmt_reg_pkg::RegCapsEngine: begin
        capability[acclmt_reg_pkg::CapsEngineNumFullLsb+:4] = 4'(NumFull);
        capability[acclmt_reg_pkg::CapsEngineNumPartialLsb+:4] = 4'(NumPartial);
        capability[acclmt_reg_pkg::CapsEngineLanesLsb+:4] = 4'(acclmt_pkg::Lanes);
        capability[acclmt_reg_pkg::CapsEngineLoopCyclesFullLsb+:8] =
            8'(acclmt_timing_pkg::full_loop_cycles(int'(Reduction)));
        capability[acclmt_reg_pkg::CapsEngineLoopCyclesPartialLsb+:8] =
            8'(acclmt_timing_pkg::partial_loop_cycles(int'(Reduction)));
        capability[acclmt_reg_pkg::CapsEngineLog2PlacesLsb+:4] =
            4'($clog2(acclmt_timing_pkg::places(int'(Reduction))));
      end
      acclmt_reg_pkg::RegCapsDepth: begin
        capability[acclmt_reg_pkg::CapsDepthMatrixDepthLsb+:10] = 10'(MatrixDepth);
        capability[acclmt_reg_pkg::CapsDepthConstantDepthLsb+:10] = 10'(ConstantDepth);
        capability[acclmt_reg_pkg::CapsDepthPartialDepthLsb+:10] = 10'(PartialDepth);
        capability[acclmt_reg_pkg::CapsDepthStoreBit] = Store;
        capability[acclmt_reg_pkg::CapsDepthAddersBit] = Adders && Goldilocks;
      end
      acclmt_reg_pkg::RegCapsTree: begin
        capability[acclmt_reg_pkg::CapsTreeMaxHeightLsb+:6] = 6'(MaxHeight);
        capability[acclmt_reg_pkg::CapsTreeLog2NodeWordsLsb+:5] = 5'($clog2(NodeWords));
      end
      acclmt_reg_pkg::RegCapsField: begin
        capability[acclmt_reg_pkg::CapsFieldGoldilocksBit] = Goldilocks;
        capability[acclmt_reg_pkg::CapsFieldRuntimeModulusBit] = RuntimeModulus;
        capability[acclmt_reg_pkg::CapsFieldMontgomeryBitsLsb+:9] =
            9'(acclmt_prime_pkg::montgomery_bits(int'(Reduction)));
      end
      acclmt_reg_pkg::RegCapsPool: begin
        capability[acclmt_reg_pkg::CapsPoolNumEnginesLsb+:4] = 4'(NumEngines);
        capability[acclmt_reg_pkg::CapsPoolMemoryParityBit] = MemoryParity;
      end
      default: ;
    endcase
  end
  always_comb begin
    state = '0;
    case (request_q.address)
      acclmt_reg_pkg::RegStatus: begin
        state[acclmt_reg_pkg::StatusBusyBit] = busy;
        state[acclmt_reg_pkg::StatusZeroisedBit] = zeroised;
        state[acclmt_reg_pkg::StatusDoneBit] = done;
        state[acclmt_reg_pkg::StatusErrorBit] = error != acclmt_reg_pkg::ErrorNone;
        state[acclmt_reg_pkg::StatusStartRefusedBit] = start_refused;
      end
      acclmt_reg_pkg::RegError: state = 32'(error);
      acclmt_reg_pkg::RegErrorInfo: state = error_info[31:0];
      acclmt_reg_pkg::RegErrorInfoHigh: state = error_info[63:32];
      acclmt_reg_pkg::RegConstantChecksum: state = constant_checksum;
      default: ;
    endcase
  end

  always_comb begin
    read_data = '0;
    case (group)
      acclmt_control_pkg::GroupCapability: read_data = capability;
      acclmt_control_pkg::GroupState: read_data = state;
      acclmt_control_pkg::GroupCounter: begin
        read_data = is_high_word ? counter_high_q : counter_value[31:0];
      end
      acclmt_control_pkg::GroupPrime: read_data = prime_o[32*index[2:0]+:32];
      acclmt_control_pkg::GroupRadixSquared: read_data = radix_squared_o[32*index[2:0]+:32];
      acclmt_control_pkg::GroupInterruptStatus: read_data = 32'(pending);
      acclmt_control_pkg::GroupInterruptEnable: read_data = 32'(enabled);
      acclmt_control_pkg::GroupRun: read_data = run_q[index[3:0]];
      acclmt_control_pkg::GroupLeaf: read_data = leaf_q[index[4:0]];
      acclmt_control_pkg::GroupRoot: read_data = root_q[index[4:0]];
      acclmt_control_pkg::GroupTop: read_data = top_q[index[4:0]];
      acclmt_control_pkg::GroupLevel: read_data = 32'(level_table_q[index[5:0]]);
      acclmt_control_pkg::GroupConstantData: read_data = constant_data[index[2:0]];
      // Commands and addresses of constants read as 0.
      default: ;
    endcase
  end
  assign read_unknown = read && (group == acclmt_control_pkg::GroupNone ||
                                 (group == acclmt_control_pkg::GroupCounter && !counter_exists));

  assign reg_rvalid_o = request_q.valid;
  assign reg_rdata_o = read ? read_data : '0;
  assign reg_error_o = read_unknown || write_unknown || write_while_running || write_illegal ||
                       (write_constant && constant_illegal) || command_while_busy ||
                       configuration_illegal;

`ifndef SYNTHESIS
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({reg_valid_i, reg_rvalid_o, reg_error_o}))
  else $error("acclmt_register_file: a request or its answer is unknown");
  request_known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      reg_valid_i |-> !$isunknown({reg_write_i, reg_addr_i}))
  else $error("acclmt_register_file: the address of a request is unknown");
  answer_known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      reg_rvalid_o |-> !$isunknown(reg_rdata_o))
  else $error("acclmt_register_file: the data of an answer is unknown");

  // What synth/flow/exceptions.toml needs. The configuration has two cycles to settle: the first to
  // look at it are the blocks that a start clears, and what they are set to counts; then it must
  // stay until the run ends. What they see between runs is forgotten at the next start.
  typedef struct packed {
    acclmt_pkg::run_config_t run;
    acclmt_tree_pkg::tree_config_t tree;
    acclmt_pkg::word_t prime;
    acclmt_pkg::word_t radix_squared;
  } settled_run_t;
  typedef struct packed {
    acclmt_pkg::engine_config_t leaf;
    acclmt_pkg::engine_config_t root;
    acclmt_pkg::engine_config_t top;
  } settled_sets_t;
  settled_run_t settled_run;
  settled_sets_t settled_sets;
  assign settled_run = {run_config_o, tree_config_o, prime_o, radix_squared_o};
  assign settled_sets = {leaf_config_o, root_config_o, top_config_o};
  logic in_run_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) in_run_q <= 1'b0;
    else in_run_q <= (in_run_q || start) && !clear_o && !run_done_i;
  end
  settled_at_start_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      start |-> $stable(settled_run) && $stable(settled_sets))
  else $error("acclmt_register_file: a run starts before its configuration has settled");
  settled_in_run_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      in_run_q |-> $stable(settled_run) && $stable(settled_sets))
  else $error("acclmt_register_file: the configuration changed during a run");
  // The set-up of the queues looks at the level table, within this module.
  level_table_stable_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      running_o && !clear_o |=> $stable(level_table_q))
  else $error("acclmt_register_file: the level table changed during a set-up or a run");
  read_c : cover property (@(posedge clk_i) read && !read_unknown);
  write_config_c : cover property (@(posedge clk_i) write_config);
  refused_c : cover property (@(posedge clk_i) reg_rvalid_o && reg_error_o);
  back_to_back_c : cover property (@(posedge clk_i) reg_rvalid_o && reg_valid_i);
  start_after_write_c : cover property (@(posedge clk_i)
      command && request_q.data[acclmt_reg_pkg::ControlStartBit] && $past(write_config));
`endif

endmodule
