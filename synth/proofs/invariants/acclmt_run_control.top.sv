  // A run ends that was started, and not as it is set up.
  logic started_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) started_q <= 1'b0;
    else if (clear || run_done_i) started_q <= 1'b0;
    else if (start_o) started_q <= 1'b1;
  end
  started_runs_end_a : assume property (@(posedge clk_i) disable iff (!rst_ni) run_done_i |-> started_q);
  logic setting_up;
  assign setting_up = u_level_setup.stage_q != '0;
  // A run is set up or was started, not both; nothing else is.
  one_state_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      (running_q || setting_up || started_q) |-> running_q && setting_up != started_q);
  stages_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      (u_level_setup.stage_q & (u_level_setup.stage_q + 1'b1)) == '0);
  lookup_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !setting_up |-> u_level_setup.lookup_level_q == '0);
  // A zeroisation runs behind its sweep, and only then.
  sweep_is_no_run_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      zeroising && !flush_o |-> !running_q);
  flush_is_a_run_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      u_zeroiser.phase_q == 3'd4 |-> running_q);
  phases_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      u_zeroiser.phase_q <= 3'd5 && (!(u_zeroiser.phase_q == 3'd2 || u_zeroiser.phase_q == 3'd3 || u_zeroiser.phase_q == 3'd5) || !running_q));
  // A start begins a run, or is told to be refused, at once; none begins while one is under way.
  start_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      start_i && !busy_o && !illegal_i |=> running_o && !done_o && !start_refused_o);
  refused_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      start_i && (busy_o || illegal_i) |=> start_refused_o);
  no_start_while_busy_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      start_legal |-> !running_q);
  // A bad element and a fault of a memory make the run void, to its end and behind it.
  void_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      (element_error_i || memory_fault_i || void_o) && !clear && !start_legal |=> void_o);
  done_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      run_done_i && !clear && !zeroising |=> done_o && !running_o);
  clear_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      clear |=> !running_o && !done_o && !void_o);
