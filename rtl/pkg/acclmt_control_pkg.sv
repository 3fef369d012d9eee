// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Types and rules that the blocks of rtl/control share.
package acclmt_control_pkg;

  /// Bits of a byte address, and of the number of a register within its group.
  localparam int unsigned AddressWidth = 12;
  localparam int unsigned IndexWidth = 8;

  /// A request of the register port.
  typedef struct packed {
    logic valid;
    logic write;
    logic [AddressWidth-1:0] address;
    logic [31:0] data;
  } request_t;

  /// Groups of registers that are alike to a host.
  typedef enum logic [3:0] {
    /// There is none at the address.
    GroupNone,
    /// ID to CAPS_POOL; STATUS, ERROR, ERROR_INFO and CONSTANT_CHECKSUM; the counters: read only.
    GroupCapability,
    GroupState,
    GroupCounter,
    /// PRIME and RADIX_SQUARED.
    GroupPrime,
    GroupRadixSquared,
    GroupControl,
    GroupInterruptStatus,
    GroupInterruptEnable,
    /// Configuration: of the run from MODE on, of the parameter sets, the level table.
    GroupRun,
    GroupLeaf,
    GroupRoot,
    GroupTop,
    GroupLevel,
    GroupConstantData,
    GroupConstantAddress
  } group_e;

  /// Number of CONSTANT_ADDRESS in CONSTANT_CHECKSUM, behind those of the words of CONSTANT_DATA.
  localparam logic [7:0] ChecksumAddressNumber = 8'd8;

  /// CRC-32 of IEEE 802.3 (reflected polynomial EDB88320) behind five more bytes, each with its low
  /// bit first: a word as little-endian bytes, then a number.
  function automatic logic [31:0] crc32(input logic [31:0] crc, input logic [31:0] word,
                                        input logic [7:0] number);
    logic [39:0] bits;
    bits = {number, word};
    crc32 = ~crc;
    for (int bit_number = 0; bit_number < 40; bit_number++) begin
      crc32 = {1'b0, crc32[31:1]} ^ ((crc32[0] ^ bits[bit_number]) ? 32'hEDB8_8320 : 32'h0);
    end
    crc32 = ~crc32;
  endfunction

  /// Entries of a bank of constants: 0 if there is no such bank. Each parameter set has an initial
  /// vector, and one for later blocks of a row. The values of empty sub-trees are for the tree.
  function automatic int constant_depth(
      input acclmt_pkg::sub_engine_t sub_engine, input logic [7:0] bank, input int num_full,
      input int num_partial, input int matrix_depth, input int full_constant_depth,
      input int partial_depth, input int max_height, input bit adders);
    constant_depth = 0;
    if (sub_engine == '0 || (sub_engine == acclmt_pkg::SecondFullSubEngine && num_full > 1)) begin
      if (32'(bank) < acclmt_pkg::FullMatrixBanks) constant_depth = matrix_depth;
      else if (32'(bank) < acclmt_pkg::FullMatrixBanks + acclmt_pkg::Lanes) begin
        constant_depth = full_constant_depth;
      end else if (32'(bank) == acclmt_pkg::PassBank) begin
        constant_depth = int'(acclmt_pkg::PassTableDepth);
      end else if (adders && 32'(bank) == acclmt_pkg::AdderBank) begin
        constant_depth = int'(acclmt_pkg::AdderWords);
      end else if (adders && 32'(bank) > acclmt_pkg::PassBank &&
                   32'(bank) < acclmt_pkg::AdderBank) begin
        constant_depth = int'(acclmt_pkg::DenseDepth);
      end
    end else if (32'(sub_engine) <= num_partial) begin
      if (32'(bank) < acclmt_pkg::PartialBanks) constant_depth = partial_depth;
    end else if (sub_engine == acclmt_pkg::InitialSubEngine) begin
      if (32'(bank) < acclmt_pkg::Lanes) begin
        constant_depth = 2 * int'(acclmt_pkg::MaxBeats * acclmt_pkg::NumSets);
      end
    end else if (sub_engine == acclmt_pkg::EmptySubTrees) begin
      if (bank == '0) constant_depth = max_height;
    end
  endfunction

  /// What a zeroisation leaves of a constant: zero, but for the passes of the run with which it
  /// ends: one in each visit of the parameter sets of rows and of nodes, with full S-boxes.
  function automatic acclmt_pkg::word_t flush_constant(
      input acclmt_pkg::sub_engine_t sub_engine, input logic [acclmt_pkg::BankWidth-1:0] bank,
      input acclmt_pkg::index_t index, input int num_full);
    acclmt_pkg::pass_word_t pass;
    // Two visits in one sub-engine, or one in each.
    pass = '0;
    pass.begins = 1'b1;
    pass.set_number = (num_full == 1) ? {1'b0, index[1]} : {1'b0, index[0]};
    pass.visit = (num_full == 1) ? index[0] : sub_engine != '0;
    pass.sbox = acclmt_pkg::SboxFifth;
    pass.add = 1'b1;
    pass.leaves = 1'b1;
    flush_constant = '0;
    if (32'(bank) == acclmt_pkg::PassBank && 32'(index) < ((num_full == 1) ? 32'd4 : 32'd2) &&
        (sub_engine == '0 || sub_engine == acclmt_pkg::SecondFullSubEngine)) begin
      flush_constant = acclmt_pkg::WordWidth'(pass);
    end
  endfunction

endpackage
