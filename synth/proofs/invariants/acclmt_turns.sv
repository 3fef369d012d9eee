  // The turn moves to the place behind the chosen one or stays, and a request that stands is chosen before any other
  // one is for the second time.
  turn_follows_choice_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      advance_i == '0 || advance_i == choice_o);
  for (genvar i = 0; i < int'(Count); i++) begin : gen_place
    logic [Count-1:0] served_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) served_q <= '0;
      else if (clear_i || !request_i[i] || advance_i[i]) served_q <= '0;
      else served_q <= served_q | advance_i;
    end
    fair_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        request_i[i] |-> (served_q & advance_i) == '0);
    // No place from the turn on to this one was served.
    localparam logic [Count-1:0] UpTo = '1 >> (Count - 1 - i);
    in_order_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        (served_q & (from_q[i] ? from_q & UpTo : from_q | UpTo)) == '0);
  end
