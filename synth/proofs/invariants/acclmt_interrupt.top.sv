  // The line is high while an event is pending that is enabled; a pending event stays until it is acknowledged.
  line_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      irq_o == ((pending_o & enable_o) != '0));
  pending_stays_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !clear_i && !acknowledge_i |=> (pending_o & $past(pending_o)) == $past(pending_o));
