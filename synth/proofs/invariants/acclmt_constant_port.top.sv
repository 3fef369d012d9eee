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
