  // A queue beside it whose groups have numbers: places that are reserved of each, nodes that are there, and whether it was
  // taken. What it is set up to is small: at most three groups of two or three nodes.
  localparam int unsigned Most = 3;
  typedef logic [2:0] small_t;
  logic set_up_q, take_before_q;
  small_t reserve_at_q, read_at_q, taken_at_q, open_q, taken_groups_q;
  small_t [Most-1:0] reserved_q, there_q;

  function automatic small_t next_of(input small_t slot);
    next_of = (32'(slot) + 1 == 32'(groups_q)) ? '0 : slot + 1'b1;
  endfunction
  // Of a position behind the last group, but less than a ring further.
  function automatic logic [3:0] around(input logic [3:0] position);
    around = (position >= groups_q[3:0]) ? position - groups_q[3:0] : position;
  endfunction
  function automatic acclmt_tree_pkg::node_address_t address_of(input small_t slot);
    address_of = base_q + AddressWidth'(slot) * AddressWidth'(arity_q);
  endfunction

  logic writes;
  logic [Most-1:0] written_here;
  for (genvar s = 0; s < int'(Most); s++) begin : gen_here
    assign written_here[s] = written_i && set_up_q && s < 32'(groups_q) &&
                             written_group_i == address_of(small_t'(s))[AddressWidth-2:0];
  end
  assign writes = written_here != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      set_up_q <= 1'b0;
      take_before_q <= 1'b0;
      {reserve_at_q, read_at_q, taken_at_q, open_q, taken_groups_q} <= '0;
      {reserved_q, there_q} <= '0;
    end else begin
      if (setup_i) set_up_q <= 1'b1;
      take_before_q <= take_i && !clear_i;
      if (clear_i || setup_i) begin
        {reserve_at_q, read_at_q, taken_at_q, open_q, taken_groups_q} <= '0;
        {reserved_q, there_q} <= '0;
      end else begin
        open_q <= open_q + small_t'(reserve_first) - small_t'(take_i);
        taken_groups_q <= taken_groups_q + small_t'(take_i) - small_t'(free_i);
        if (free_i) taken_at_q <= next_of(taken_at_q);
        for (int s = 0; s < int'(Most); s++) begin
          if (reserve_i && 32'(reserve_at_q) == s) reserved_q[s] <= reserved_q[s] + 1'b1;
          if (written_here[s]) there_q[s] <= there_q[s] + 1'b1;
          if (take_i && 32'(read_at_q) == s) {reserved_q[s], there_q[s]} <= '0;
        end
        if (reserve_i && !reserve_last_i && 32'(reserved_q[reserve_at_q]) + 1 == 32'(arity_q)) begin
          reserve_at_q <= next_of(reserve_at_q);
        end
        if (take_i) read_at_q <= next_of(read_at_q);
      end
    end
  end

  // What its users do.
  legal_setup_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      setup_i |-> idle_o && !take_before_q && (arity_i == 2 || arity_i == 3) && groups_i != '0 && 32'(groups_i) <= Most &&
                  32'(base_i) < 16 && limit_i == base_i + groups_i * AddressWidth'(arity_i));
  nothing_before_setup_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      !set_up_q || setup_i |-> !reserve_i && !take_i && !free_i && !looked_i && !written_i && !written_last_i);
  written_place_is_reserved_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      written_i |-> writes || 32'(written_group_i) < 32'(base_q) || 32'(written_group_i) >= 32'(limit_q));
  for (genvar s = 0; s < int'(Most); s++) begin : gen_written
    written_once_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
        written_here[s] |-> 32'(written_count_i) == 32'(there_q[s]) + 1 &&
        32'(there_q[s]) < 32'(reserved_q[s]) + 32'(reserve_i && 32'(reserve_at_q) == s));
  end
  last_is_written_with_its_place_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      written_last_i |-> reserve_i && reserve_last_i && written_here[reserve_at_q]);
  last_is_told_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      reserve_i && reserve_last_i && written_here[reserve_at_q] && there_q[reserve_at_q] == reserved_q[reserve_at_q] |->
      written_last_i);
  look_follows_take_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      clear_i || looked_i == (take_before_q && groups_q != AddressWidth'(1)));
  looked_count_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      looked_i |-> 32'(looked_count_i) == 32'(there_q[read_at_q]));

  // Where the queue is.
  groups_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      set_up_q |-> (arity_q == 2 || arity_q == 3) && groups_q != '0 && 32'(groups_q) <= Most && 32'(base_q) < 16 &&
                   limit_q == base_q + groups_q * AddressWidth'(arity_q) &&
                   32'(reserve_at_q) < 32'(groups_q) && 32'(read_at_q) < 32'(groups_q) && 32'(taken_at_q) < 32'(groups_q));
  addresses_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      set_up_q |-> reserve_group_q == address_of(reserve_at_q) && read_group_q == address_of(read_at_q));
  used_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(groups_used_q) == 32'(open_q) + 32'(taken_groups_q) && 32'(taken_q) == 32'(taken_groups_q) &&
      (!set_up_q || groups_used_q <= groups_q));
  empty_before_setup_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !set_up_q |-> open_q == '0 && taken_groups_q == '0 && !complete_q && !ready_q && !take_before_q &&
                    reserved_q == '0 && there_q == '0 && reserve_index_q == '0);
  ring_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      set_up_q |-> around(4'(taken_at_q) + 4'(taken_groups_q)) == 4'(read_at_q));
  for (genvar s = 0; s < int'(Most); s++) begin : gen_group
    logic [3:0] distance;
    assign distance = around(4'(s) + groups_q[3:0] - 4'(read_at_q));
    // Groups are open in their order, all but the last one with all places.
    open_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        set_up_q && s < 32'(groups_q) |->
        (distance < 4'(open_q)) == (reserved_q[s] != '0) && 32'(reserved_q[s]) <= 32'(arity_q) &&
        there_q[s] <= reserved_q[s] &&
        (distance + 4'd1 < 4'(open_q) ? 32'(reserved_q[s]) == 32'(arity_q) : 1'b1) &&
        (distance + 4'd1 == 4'(open_q) ?
         32'(reserve_at_q) == ((32'(reserved_q[s]) == 32'(arity_q) && !complete_q) ? 32'(next_of(small_t'(s))) : s) : 1'b1));
    beyond_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        set_up_q && s >= 32'(groups_q) |-> reserved_q[s] == '0 && there_q[s] == '0);
  end
  reserve_index_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      set_up_q && !complete_q |->
      32'(reserve_index_q) == ((32'(reserved_q[reserve_at_q]) == 32'(arity_q)) ? 0 : 32'(reserved_q[reserve_at_q])));
  next_place_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      set_up_q && !complete_q && open_q == '0 |-> reserve_at_q == read_at_q && reserve_index_q == '0);
  last_group_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      complete_q && open_q != '0 |-> 32'(last_count_q) == 32'(reserved_q[reserve_at_q]));
  all_taken_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      complete_q |-> last_count_q != '0 && (open_q != '0 || read_at_q == next_of(reserve_at_q)));

  // No node is lost, none is waited for: the oldest group is ready as soon as all of its nodes are there, and not before.
  logic [31:0] expected;
  assign expected = (complete_q && read_at_q == reserve_at_q) ? 32'(last_count_q) : 32'(arity_q);
  ready_is_complete_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      ready_q |-> open_q != '0 && 32'(there_q[read_at_q]) == expected && 32'(reserved_q[read_at_q]) == expected);
  complete_is_ready_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      set_up_q && open_q != '0 && 32'(there_q[read_at_q]) == expected && !take_before_q |-> ready_q);
