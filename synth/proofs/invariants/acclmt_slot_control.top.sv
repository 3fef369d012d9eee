  // The loop around it: states in the order in which they come round, each with its beats, and of the first one the beats
  // that have moved. Where a state is not complete, its beats come one in so many cycles.
  // One more while a state leaves as another one enters.
  localparam int unsigned Most = Places + 1;
  localparam int unsigned MostBeats = acclmt_pkg::MaxBeats;
  typedef logic [3:0] small_t;
  small_t [Most-1:0] states_q;
  small_t count_q, moved_q;
  logic [7:0] sum;
  logic [5:0] age_q;
  logic moving_q, leaving_q, moves, last_moves;
  small_t length;
  // Beats of the first state that are to move: all, or fewer of one that leaves.
  logic [3:0] shorter_q;
  always_ff @(posedge clk_i) begin
    shorter_q <= shorter_q;
    if (last_moves) shorter_q <= 4'(head_spacing_i);
  end
  assign length = (head_done_i && shorter_q != '0 && shorter_q < small_t'(head_beats_i)) ? shorter_q
                                                                                        : small_t'(head_beats_i);
  assign moves = head_take_o && !clear_i;
  assign last_moves = moves && moved_q + 1'b1 == length;
  logic enters;
  assign enters = new_accept_o != '0;
  small_t entered;
  assign entered = small_t'(start_beats);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {states_q, count_q, moved_q, age_q, moving_q, leaving_q} <= '0;
    end else if (clear_i) begin
      {states_q, count_q, moved_q, age_q, moving_q, leaving_q} <= '0;
    end else begin
      if (head_valid_i && !(&age_q)) age_q <= age_q + 1'b1;
      else if (moving_q && !(&age_q)) age_q <= age_q + 1'b1;
      if (reissue) moving_q <= 1'b1;
      if (leave) leaving_q <= 1'b1;
      if (moves) moved_q <= moved_q + 1'b1;
      if (last_moves) begin
        moved_q <= '0;
        age_q <= '0;
        moving_q <= 1'b0;
        leaving_q <= 1'b0;
      end
      // The first state goes behind the others, or out; a new one behind all.
      for (int i = 0; i < int'(Most); i++) begin
        if (last_moves) begin
          states_q[i] <= (i + 1 < int'(Most)) ? states_q[i+1] : '0;
          if (i + 1 == 32'(count_q)) states_q[i] <= exit_o ? '0 : states_q[0];
        end
      end
      if (enters) begin
        if (last_moves && exit_o) states_q[count_q-1'b1] <= entered;
        else states_q[count_q] <= entered;
      end
      count_q <= count_q + small_t'(enters) - small_t'(last_moves && exit_o);
    end
  end
  always_comb begin
    sum = '0;
    for (int i = 0; i < int'(Most); i++) sum = sum + 8'(states_q[i]);
  end

  logic complete_before_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) complete_before_q <= 1'b0;
    else complete_before_q <= head_complete_i && !last_moves && !clear_i;
  end

  // What surrounds it.
  configuration_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      grid_i != '0 && grid_i <= 4 && most_beats_i != '0 && 32'(most_beats_i) <= MostBeats &&
      $stable(most_beats_i) && $stable(grid_i));
  head_is_inside_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      head_valid_i |-> count_q != '0);
  head_is_the_first_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      small_t'(head_beats_i) == ((count_q == '0) ? small_t'(1) : states_q[0]) && head_arrival_i != '0 && head_arrival_i <= 4 &&
      head_last_i == (moved_q + 1'b1 == length));
  head_stays_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      age_q == '0 || ($stable(head_arrival_i) && $stable(head_done_i)));
  head_slot_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      head_spacing_i != '0 && head_spacing_i <= 4 &&
      32'(head_cycles_i) > (32'(head_beats_i) - 1) * 32'(head_spacing_i));
  beats_come_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      age_q != '0 && (32'(age_q) >= 32'(moved_q) * 32'(head_arrival_i) || head_complete_i) |-> head_valid_i);
  complete_stays_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      head_complete_i |-> head_valid_i);
  complete_until_it_has_moved_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      !complete_before_q || head_complete_i);
  for (genvar p = 0; p < 2; p++) begin : gen_port
    new_slot_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
        new_valid_i[p] |-> new_beats_i[p] != '0 && new_beats_i[p] <= most_beats_i && new_spacing_i[p] != '0 &&
        new_spacing_i[p] <= 4 && 32'(new_cycles_i[p]) > (32'(new_beats_i[p]) - 1) * 32'(new_spacing_i[p]));
  end

  // What is inside is what entered and has not left; there is always room for it.
  inside_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(inside_q) + (leaving_q ? 32'(states_q[0]) : 0) == 32'(sum) && 32'(inside_q) <= Places);
  for (genvar i = 0; i < int'(Most); i++) begin : gen_state
    order_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        (i < 32'(count_q)) == (states_q[i] != '0) && 32'(states_q[i]) <= 32'(most_beats_i));
  end
  counted_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(count_q) <= Most && (moving_q || leaving_q || moved_q == '0) && !(moving_q && leaving_q));
  first_moves_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      (moving_q || leaving_q) |-> count_q != '0 && moved_q != '0 && moved_q < length);
  // The beats of a slot move before it ends.
  slot_ends_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      beats_left_q != '0 |-> 32'(wait_q) + (32'(beats_left_q) - 1) * 32'(spacing_q) + 1 <= 32'(left_q));
  exit_ends_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      leave_q |-> 32'(exit_wait_q) + (32'(states_q[0]) - 32'(moved_q) - 1) * 32'(exit_spacing_q) + 1 <= 32'(left_q));
  leaving_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      leave_q == leaving_q && (!leave_q || (head_done_i && head_complete_i)));
  moving_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      moving_q |-> reissue_q && beats_left_q != '0 && !head_done_i &&
                   32'(beats_left_q) + 32'(moved_q) == 32'(states_q[0]) && spacing_q != '0 &&
                   (head_complete_i || (spacing_q >= head_arrival_i &&
                                        32'(age_q) + 32'(wait_q) >= 32'(moved_q) * 32'(head_arrival_i))));
  not_moving_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !moving_q |-> !(reissue_q && beats_left_q != '0));
  spacings_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      spacing_q != '0 && exit_spacing_q != '0 && spacing_q <= 4 && exit_spacing_q <= 4 &&
      wait_q < 4 && exit_wait_q < 4);
