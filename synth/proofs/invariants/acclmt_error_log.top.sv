  // What comes first is kept, with what it is about.
  logic kept_q;
  logic [7:0] kept_error_q;
  logic [63:0] kept_info_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) kept_q <= 1'b0;
    else if (clear_i) kept_q <= 1'b0;
    else if (event_o && !kept_q) begin
      kept_q <= 1'b1;
      kept_error_q <= error;
      kept_info_q <= info;
    end
  end
  first_kept_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      kept_q ? error_o == kept_error_q && error_info_o == kept_info_q && error_o != acclmt_reg_pkg::ErrorNone
             : error_o == acclmt_reg_pkg::ErrorNone && error_info_o == '0);
  every_event_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      event_o == (memory_fault_i.valid || element_i || incomplete_i || level_illegal_i || program_illegal_i || configuration_illegal_i ||
                  command_while_busy_i || write_while_running_i || constant_illegal_i || value_illegal_i || unknown_i));
