  // A legal address writes CONSTANT_DATA, as it was, to the engines that it names; an illegal one nothing.
  logic [7:0][31:0] words_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) words_q <= '0;
    else if (reset_i) words_q <= '0;
    else if (data_write_i) words_q[data_index_i] <= data_i;
  end
  data_a : assert property (@(posedge clk_i) disable iff (!rst_ni) constant_data_o == words_q);
  written_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      address_write_i && !illegal_o |=> write_o.valid && write_o.data == $past(words_q) &&
      32'(write_o.index) == 32'($past(data_i[acclmt_reg_pkg::ConstantAddressIndexLsb+:8])));
  nothing_else_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(address_write_i && !illegal_o) && !sweep_i.valid |=> !write_o.valid);
  swept_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      sweep_i.valid |=> write_o == $past(sweep_i) && engines_o == '1);
  names_engines_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      address_write_i && !illegal_o |-> engines != '0 && 32'(engines) < 2 ** NumEngines);
  // The checksum goes on with a write that acts, its register and its value, and with nothing else.
  checksum_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      data_write_i && !reset_i |=>
      checksum_o == $past(acclmt_control_pkg::crc32(checksum_o, data_i, {5'b0, data_index_i})));
  checksum_of_address_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      address_write_i && !illegal_o && !reset_i |=>
      checksum_o == $past(acclmt_control_pkg::crc32(checksum_o, data_i, 8'd8)));
  checksum_stays_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !data_write_i && !(address_write_i && !illegal_o) && !reset_i |=>
      $stable(checksum_o));
  checksum_reset_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      reset_i |=> checksum_o == '0);
