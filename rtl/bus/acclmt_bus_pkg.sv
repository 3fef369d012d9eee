// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// What the blocks of rtl/bus share: the registers of the streams, and what goes with an output
/// word. docs/buses.md says what the registers do.
package acclmt_bus_pkg;

  /// Answers of AXI4-Lite.
  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlaveError = 2'b10;

  /// Byte addresses of the registers of the streams, outside the map of the core.
  localparam logic [11:0] RegBusVersion = 12'h800;
  localparam logic [11:0] RegStreamState = 12'h804;
  localparam logic [11:0] RegStreamControl = 12'h808;
  localparam logic [11:0] RegStreamEvents = 12'h80c;
  localparam logic [11:0] RegStreamEnable = 12'h810;

  /// BUS_VERSION: major, minor and patch in bits 23:16, 15:8 and 7:0.
  localparam logic [31:0] BusVersionValue = 32'h0000_0100;

  /// Bits of STREAM_STATE.
  localparam int unsigned StateInputOpenBit = 0;
  localparam int unsigned StateDiscardBit = 1;
  localparam int unsigned StateOutputOpenBit = 2;

  /// Bits of STREAM_CONTROL.
  localparam int unsigned ControlDiscardBit = 0;
  localparam logic [31:0] StreamControlMask = 32'h0000_0001;

  /// Bits of STREAM_EVENTS and STREAM_ENABLE.
  localparam int unsigned NumEvents = 3;
  localparam int unsigned EventEarlyLastBit = 0;
  localparam int unsigned EventLateLastBit = 1;
  localparam int unsigned EventPartialWordBit = 2;
  localparam logic [31:0] StreamEventsMask = 32'h0000_0007;

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

endpackage
