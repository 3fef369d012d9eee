// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// The next burst of an area of memory: as many words as there are up to the next multiple of
/// `BurstBytes`, so that no burst crosses one, and none a multiple of 4096.
///
/// Handshake:  none. Latency: none.
module acclmt_dma_burst #(
  /// Bits of a beat, 256 or 512.
  parameter int unsigned DataWidth = 256,
  /// Bytes of the longest burst, a power of two.
  parameter int unsigned BurstBytes = 1024
) (
  /// Number of the first word in memory, and words that are left, at least 1.
  input logic [acclmt_dma_pkg::IndexWidth-1:0] index_i,
  input logic [acclmt_dma_pkg::IndexWidth:0] words_i,
  /// Words and beats of the burst; the area ends with it.
  output logic [acclmt_dma_pkg::BeatsWidth-1:0] words_o,
  output logic [acclmt_dma_pkg::BeatsWidth-1:0] beats_o,
  output logic last_o
);

  localparam int unsigned BurstWords = BurstBytes / acclmt_dma_pkg::WordBytes;
  localparam int unsigned WithinWidth = $clog2(BurstWords);
  localparam int unsigned BeatsWidth = acclmt_dma_pkg::BeatsWidth;

  logic [WithinWidth:0] room;
  assign room = (WithinWidth + 1)'(BurstWords) - (WithinWidth + 1)'(index_i[WithinWidth-1:0]);
  assign last_o = words_i <= (acclmt_dma_pkg::IndexWidth + 1)'(room);
  assign words_o = last_o ? words_i[BeatsWidth-1:0] : BeatsWidth'(room);
  if (DataWidth == acclmt_dma_pkg::WordWidth) begin : gen_single
    assign beats_o = words_o;
  end else begin : gen_pairs
    assign beats_o = (words_o + BeatsWidth'(index_i[0]) + BeatsWidth'(1)) >> 1;
  end

  logic unused_bits;
  assign unused_bits = ^index_i;

endmodule
