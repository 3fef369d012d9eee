// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Takes a descriptor apart, and says what is wrong with it. docs/dma.md has its fields.
///
/// Handshake:  `valid_i` lasts one cycle, `descriptor_i` is stable from it to `valid_o`.
/// Latency:    2 cycles. Throughput: one descriptor in 3 cycles.
module acclmt_dma_check (
  /// Clock and asynchronous reset.
  input logic clk_i,
  input logic rst_ni,
  /// Forgets the descriptor that is checked.
  input logic clear_i,
  /// A descriptor, byte n in bits 8n+7 to 8n.
  input logic valid_i,
  input logic [acclmt_dma_pkg::DescriptorWords*acclmt_dma_pkg::WordWidth-1:0] descriptor_i,
  /// What it says of the output, and the lowest code of what is wrong with it; of the input, where
  /// nothing is: number of the first word in memory, and words.
  output logic valid_o,
  output acclmt_dma_pkg::job_t job_o,
  output logic [acclmt_dma_pkg::IndexWidth-1:0] input_index_o,
  output logic [acclmt_dma_pkg::IndexWidth:0] input_words_o
);

  localparam int unsigned AddressWidth = acclmt_dma_pkg::AddressWidth;
  localparam int unsigned IndexWidth = acclmt_dma_pkg::IndexWidth;
  localparam int unsigned ByteWidth = AddressWidth - IndexWidth;
  localparam int unsigned CodeWidth = acclmt_dma_pkg::CodeWidth;

  // The fields, in the order of their addresses.
  logic [31:0] flags, tag;
  logic [AddressWidth-1:0] input_address, input_words, output_address, output_limit;
  logic [AddressWidth-1:0] record_address;
  logic [127:0] reserved;
  assign {reserved, record_address, output_limit, output_address, input_words, input_address, tag,
          flags} = descriptor_i;
  logic notify, with_user;
  assign notify = flags[0];
  assign with_user = flags[1];

  // Whether `words` words from a byte address on, which is aligned, reach beyond the last address.
  // First the end of the area, then the comparison.
  logic [IndexWidth:0] output_words, input_end_q, output_end_q;
  logic input_large_q, output_large_q;
  assign output_words = with_user ? {output_limit[IndexWidth-1:0], 1'b0} :
                                 {1'b0, output_limit[IndexWidth-1:0]};
  function automatic logic beyond(input logic too_many, input logic [IndexWidth:0] last);
    // The area may end with the last address.
    beyond = too_many || (last[IndexWidth] && last[IndexWidth-1:0] != '0);
  endfunction

  logic valid_q, valid_2_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      valid_2_q <= 1'b0;
    end else begin
      valid_q <= valid_i && !clear_i;
      valid_2_q <= valid_q && !clear_i;
    end
  end

  logic [CodeWidth-1:0] code, code_q;
  always_ff @(posedge clk_i) begin
    input_large_q <= input_words[AddressWidth-1:IndexWidth] != '0;
    output_large_q <= output_limit[AddressWidth-1:IndexWidth] != '0;
    input_end_q <= (IndexWidth + 1)'(input_address[AddressWidth-1:ByteWidth]) +
                   (IndexWidth + 1)'(input_words[IndexWidth-1:0]);
    output_end_q <=
        (IndexWidth + 1)'(output_address[AddressWidth-1:ByteWidth]) + output_words;
    code_q <= code;
  end

  // A carry out of the sum is no end at all: an area of so many words is beyond in any case.
  logic output_carry;
  assign output_carry = output_words[IndexWidth];
  always_comb begin
    code = acclmt_reg_pkg::DmaErrorNone;
    if (record_address[ByteWidth-1:0] != '0) begin
      code = acclmt_reg_pkg::DmaErrorRecordAddress;
    end else if (flags[31:2] != '0 || reserved != '0) begin
      code = acclmt_reg_pkg::DmaErrorReserved;
    end else if (input_address[ByteWidth-1:0] != '0) begin
      code = acclmt_reg_pkg::DmaErrorInputAddress;
    end else if (input_words == '0 || beyond(input_large_q, input_end_q)) begin
      code = acclmt_reg_pkg::DmaErrorInputWords;
    end else if (output_address[ByteWidth-1:0] != '0 ||
                 (with_user && output_address[ByteWidth])) begin
      code = acclmt_reg_pkg::DmaErrorOutputAddress;
    end else if (output_limit == '0 ||
                 beyond(output_large_q || (output_carry && output_address != '0), output_end_q))
    begin
      code = acclmt_reg_pkg::DmaErrorOutputLimit;
    end
  end

  assign valid_o = valid_2_q;
  // In the order of job_t.
  assign job_o = {
    code_q, notify, with_user, tag, output_address[AddressWidth-1:ByteWidth],
    record_address[AddressWidth-1:ByteWidth], output_limit
  };
  assign input_index_o = input_address[AddressWidth-1:ByteWidth];
  assign input_words_o = {1'b0, input_words[IndexWidth-1:0]};

`ifndef SYNTHESIS
`ifndef FORMAL
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, clear_i}))
  else $error("acclmt_dma_check: a command is unknown");
  for (genvar i = 0; i < 8; i++) begin : gen_cover
    code_c : cover property (@(posedge clk_i) valid_o && code_q == CodeWidth'(i));
  end
`endif
`endif

endmodule
