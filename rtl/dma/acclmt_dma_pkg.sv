// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// What the blocks of rtl/dma share. docs/dma.md describes descriptors and records.
package acclmt_dma_pkg;

  // Not every top has a DMA.
  /* verilator lint_off UNUSEDPARAM */

  /// Memory is read and written in words of the core: bits of a word, and of the number of a word
  /// in memory or in an area of it. (A package of its own for Yosys; acclmt_dma compares it with
  /// that of acclmt_pkg.)
  localparam int unsigned WordWidth = 256;
  localparam int unsigned WordBytes = WordWidth / 8;
  localparam int unsigned AddressWidth = 64;
  localparam int unsigned IndexWidth = AddressWidth - $clog2(WordBytes);
  /// Words of a descriptor.
  localparam int unsigned DescriptorWords = 2;
  /// Bits of the number of beats of a burst, and of a burst's words.
  localparam int unsigned BeatsWidth = 8;
  /// Bits of an error code.
  localparam int unsigned CodeWidth = 8;
  /// Answers of AXI4 with bit 1 are errors: SLVERR and DECERR.
  localparam int unsigned RespErrorBit = 1;
  localparam logic [1:0] BurstIncr = 2'b01;
  /// Normal memory, not cached, bufferable; data, secure, without privilege.
  localparam logic [3:0] Cache = 4'b0011;
  localparam logic [2:0] Prot = 3'b000;

  /* verilator lint_on UNUSEDPARAM */

  /// What is left of a descriptor when its input is being read.
  typedef struct packed {
    /// The code of what is wrong with it, or 0; see acclmt_reg_pkg.
    logic [CodeWidth-1:0] code;
    logic notify;
    logic with_user;
    logic [31:0] tag;
    /// Numbers of the first word of the output and of the record.
    logic [IndexWidth-1:0] output_index;
    logic [IndexWidth-1:0] record_index;
    /// Words of the core for which the output has room.
    logic [AddressWidth-1:0] output_limit;
  } job_t;

endpackage
