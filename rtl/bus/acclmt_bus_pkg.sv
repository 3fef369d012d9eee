// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// What the blocks of rtl/bus share, and what goes with an output word. The registers of the
/// streams are in acclmt_reg_pkg.
package acclmt_bus_pkg;

  /// Answers of AXI4-Lite.
  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlaveError = 2'b10;

  /// Events of STREAM_EVENTS.
  localparam int unsigned NumEvents = 3;

  /// TUSER of an output word: fields of whole bytes, so that a DMA engine can store them. The index
  /// has room for every level of a tree of 2^32 leaves, and for leaves of several words.
  localparam int unsigned UserWidth = 64;
  localparam int unsigned UserIndexLsb = 0;
  localparam int unsigned UserIndexWidth = 40;
  localparam int unsigned UserLevelLsb = 40;
  localparam int unsigned UserLevelWidth = 8;
  /// The engine that the word comes from: 0, where there is one.
  localparam int unsigned UserEngineLsb = 48;
  localparam int unsigned UserEngineWidth = 8;
  /// The run is void; it was ended by a clear, and the word is no result.
  localparam int unsigned UserErrorBit = 56;
  localparam int unsigned UserAbortedBit = 57;
  /// TUSER of an abort word.
  localparam logic [UserWidth-1:0] AbortUser =
      (UserWidth'(1) << UserErrorBit) | (UserWidth'(1) << UserAbortedBit);

endpackage
