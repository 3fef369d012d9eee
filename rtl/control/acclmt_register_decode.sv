// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Finds the register at a byte address: the group that it belongs to, and its number there.
///
/// Handshake:  none. Latency: combinational.
module acclmt_register_decode #(
  /// Whether the modulus is set at run time: RADIX_SQUARED exists then.
  parameter bit RuntimeModulus = 1'b0,
  /// Levels above the leaves that a tree can have: the level table has an entry more.
  parameter int unsigned MaxHeight = 32
) (
  /// Byte address.
  input logic [acclmt_control_pkg::AddressWidth-1:0] address_i,
  /// The group of the register, or that there is none.
  output acclmt_control_pkg::group_e group_o,
  /// The register: its number in its group, counted from 0. A counter is two registers.
  output logic [acclmt_control_pkg::IndexWidth-1:0] index_o
);

  localparam int unsigned AddressWidth = acclmt_control_pkg::AddressWidth;
  localparam int unsigned IndexWidth = acclmt_control_pkg::IndexWidth;

  if (MaxHeight < 1 || MaxHeight > acclmt_tree_pkg::MostHeight) begin : gen_illegal_max_height
    $error("acclmt_register_decode: MaxHeight = %0d is not within 1..%0d", MaxHeight,
           acclmt_tree_pkg::MostHeight);
  end

  // The first register of the group and the one behind its last.
  logic [AddressWidth-1:0] first, word;
  always_comb begin
    group_o = acclmt_control_pkg::GroupNone;
    first = '0;
    // ID is the lowest address.
    if (address_i <= acclmt_reg_pkg::RegCapsPool) begin
      group_o = acclmt_control_pkg::GroupCapability;
      first = acclmt_reg_pkg::RegId;
    end
    if (address_i >= acclmt_reg_pkg::RegPrime0 && address_i <= acclmt_reg_pkg::RegPrime7) begin
      group_o = acclmt_control_pkg::GroupPrime;
      first = acclmt_reg_pkg::RegPrime0;
    end
    if (address_i == acclmt_reg_pkg::RegControl) begin
      group_o = acclmt_control_pkg::GroupControl;
      first = acclmt_reg_pkg::RegControl;
    end
    if (address_i >= acclmt_reg_pkg::RegStatus && address_i <= acclmt_reg_pkg::RegErrorInfo) begin
      group_o = acclmt_control_pkg::GroupState;
      first = acclmt_reg_pkg::RegStatus;
    end
    if (address_i >= acclmt_reg_pkg::RegMode && address_i <= acclmt_reg_pkg::RegWindowLast) begin
      group_o = acclmt_control_pkg::GroupRun;
      first = acclmt_reg_pkg::RegMode;
    end
    // The high word of LEAVES and ROLES are the last registers of the run.
    if (address_i == acclmt_reg_pkg::RegLeavesHigh) begin
      group_o = acclmt_control_pkg::GroupRun;
      first = acclmt_reg_pkg::RegLeavesHigh - AddressWidth'(4 * (acclmt_pkg::NumRunConfig - 2));
    end
    if (address_i == acclmt_reg_pkg::RegRoles) begin
      group_o = acclmt_control_pkg::GroupRun;
      first = acclmt_reg_pkg::RegRoles - AddressWidth'(4 * (acclmt_pkg::NumRunConfig - 1));
    end
    if (address_i == acclmt_reg_pkg::RegErrorInfoHigh) begin
      group_o = acclmt_control_pkg::GroupState;
      first = acclmt_reg_pkg::RegErrorInfoHigh;
    end
    if (address_i == acclmt_reg_pkg::RegConstantChecksum) begin
      group_o = acclmt_control_pkg::GroupState;
      first = acclmt_reg_pkg::RegConstantChecksum;
    end
    if (address_i == acclmt_reg_pkg::RegInterruptStatus) begin
      group_o = acclmt_control_pkg::GroupInterruptStatus;
      first = acclmt_reg_pkg::RegInterruptStatus;
    end
    if (address_i == acclmt_reg_pkg::RegInterruptEnable) begin
      group_o = acclmt_control_pkg::GroupInterruptEnable;
      first = acclmt_reg_pkg::RegInterruptEnable;
    end
    if (RuntimeModulus && address_i >= acclmt_reg_pkg::RegRadixSquared0 &&
        address_i <= acclmt_reg_pkg::RegRadixSquared7) begin
      group_o = acclmt_control_pkg::GroupRadixSquared;
      first = acclmt_reg_pkg::RegRadixSquared0;
    end
    if (address_i >= acclmt_reg_pkg::RegConstantData0 &&
        address_i <= acclmt_reg_pkg::RegConstantData7) begin
      group_o = acclmt_control_pkg::GroupConstantData;
      first = acclmt_reg_pkg::RegConstantData0;
    end
    if (address_i == acclmt_reg_pkg::RegConstantAddress) begin
      group_o = acclmt_control_pkg::GroupConstantAddress;
      first = acclmt_reg_pkg::RegConstantAddress;
    end
    if (address_i >= acclmt_reg_pkg::RegLeafInputWords &&
        address_i <= acclmt_reg_pkg::RegLeafPartialBase) begin
      group_o = acclmt_control_pkg::GroupLeaf;
      first = acclmt_reg_pkg::RegLeafInputWords;
    end
    if (address_i >= acclmt_reg_pkg::RegRootInputWords &&
        address_i <= acclmt_reg_pkg::RegRootPartialBase) begin
      group_o = acclmt_control_pkg::GroupRoot;
      first = acclmt_reg_pkg::RegRootInputWords;
    end
    if (address_i >= acclmt_reg_pkg::RegTopInputWords &&
        address_i <= acclmt_reg_pkg::RegTopPartialBase) begin
      group_o = acclmt_control_pkg::GroupTop;
      first = acclmt_reg_pkg::RegTopInputWords;
    end
    // The last counter has a high word, too.
    if (address_i >= acclmt_reg_pkg::RegCycles &&
        address_i <= acclmt_reg_pkg::RegHighWater + AddressWidth'(4)) begin
      group_o = acclmt_control_pkg::GroupCounter;
      first = acclmt_reg_pkg::RegCycles;
    end
    // Those of more hash engines follow in number, not in address.
    if (address_i >= acclmt_reg_pkg::RegEngine2Hashes &&
        address_i <= acclmt_reg_pkg::RegEngine7BusyFullLast + AddressWidth'(4)) begin
      group_o = acclmt_control_pkg::GroupCounter;
      first = acclmt_reg_pkg::RegEngine2Hashes -
              (acclmt_reg_pkg::RegHighWater + AddressWidth'(8) - acclmt_reg_pkg::RegCycles);
    end
    if (address_i >= acclmt_reg_pkg::RegLevelTable0 &&
        address_i < acclmt_reg_pkg::RegLevelTable0 + AddressWidth'(4 * (MaxHeight + 1))) begin
      group_o = acclmt_control_pkg::GroupLevel;
      first = acclmt_reg_pkg::RegLevelTable0;
    end
    // Registers are whole words.
    if (address_i[1:0] != 2'b00) group_o = acclmt_control_pkg::GroupNone;
  end
  assign word = address_i - first;
  assign index_o = word[2+:IndexWidth];

  logic unused_bits;
  assign unused_bits = ^word;

endmodule
