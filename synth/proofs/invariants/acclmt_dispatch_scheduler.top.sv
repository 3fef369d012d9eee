  // Small: levels of one or two groups of two or three nodes, whose places lie one behind the other in the memory. `at`
  // is where a group is.
  localparam int unsigned Slots = 2;
  typedef logic [2:0] small_t;
  typedef logic [15:0] address_t;
  small_t [NumLevels-1:0] open, taken_groups, reserve_at, read_at, taken_at;
  small_t [NumLevels-1:0][Slots-1:0] reserved, there;
  logic [NumLevels-1:0] complete, set_up, take_before;
  address_t [NumLevels-1:0] base, limit, groups, used, reserve_index, children;
  address_t [NumLevels-1:0][Slots-1:0] at;
  for (genvar l = 0; l < int'(NumLevels); l++) begin : gen_view
    assign open[l] = gen_level[l].u_queue.open_q;
    assign taken_groups[l] = gen_level[l].u_queue.taken_groups_q;
    assign reserve_at[l] = gen_level[l].u_queue.reserve_at_q;
    assign read_at[l] = gen_level[l].u_queue.read_at_q;
    assign taken_at[l] = gen_level[l].u_queue.taken_at_q;
    assign complete[l] = gen_level[l].u_queue.complete_q;
    assign set_up[l] = gen_level[l].u_queue.set_up_q;
    assign take_before[l] = gen_level[l].u_queue.take_before_q;
    assign base[l] = 16'(gen_level[l].u_queue.base_q);
    assign limit[l] = 16'(gen_level[l].u_queue.limit_q);
    assign groups[l] = 16'(gen_level[l].u_queue.groups_q);
    assign used[l] = 16'(gen_level[l].u_queue.groups_used_q);
    assign reserve_index[l] = 16'(gen_level[l].u_queue.reserve_index_q);
    assign children[l] = 16'(arity[l]);
    for (genvar s = 0; s < int'(Slots); s++) begin : gen_slot
      assign reserved[l][s] = gen_level[l].u_queue.reserved_q[s];
      assign there[l][s] = gen_level[l].u_queue.there_q[s];
      assign at[l][s] = base[l] + ((s == 0) ? 16'd0 : children[l]);
    end
  end

  // A run: from the clear behind the set-up of its levels to the next set-up; of which level the last job was; the group
  // of each place that was given.
  logic chained, run_q, last_q;
  acclmt_tree_pkg::level_t top_q, fetch_level_q;
  logic [NodeWords-1:0][GroupWidth-1:0] given_group_q;
  always_comb begin
    chained = base[0] == 0 && top_i != '0 && 32'(top_i) <= MaxHeight;
    for (int l = 0; l < int'(NumLevels); l++) begin
      if (l <= 32'(top_i)) chained = chained && set_up[l] && limit[l] <= NodeWords;
      if (l > 0 && l <= 32'(top_i)) chained = chained && base[l] == limit[l-1];
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {run_q, last_q} <= '0;
      {top_q, fetch_level_q} <= '0;
      given_group_q <= '0;
    end else begin
      if (setup_i.valid) run_q <= 1'b0;
      else if (clear_i) run_q <= chained;
      if (clear_i) top_q <= top_i;
      if (clear_i || setup_i.valid) last_q <= 1'b0;
      else if (leaf_taken && leaf_last_i) last_q <= 1'b1;
      if (job_taken) fetch_level_q <= job_o.level;
      if (reserves_leaf) given_group_q[leaf_address] <= leaf_group_o;
      if (reserves_place) given_group_q[reserved_address] <= job_o.parent_group;
    end
  end

  // What its users do.
  legal_setup_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      setup_i.valid |-> idle_o && 32'(setup_i.level) <= MaxHeight && (setup_i.arity == 2 || setup_i.arity == 3) &&
                        setup_i.groups != '0 && 32'(setup_i.groups) <= Slots && 32'(setup_i.base) < NodeWords &&
                        setup_i.limit == setup_i.base + setup_i.groups * AddressWidth'(setup_i.arity));
  leaves_in_a_run_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      leaf_valid_i || leaf_reserve_i |-> run_q && !last_q && !setup_i.valid && !clear_i);
  leaves_of_one_kind_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      (!leaf_valid_i || leaf_writes_i) && (!leaf_reserve_i || !leaf_writes_i));
  // Places of a group of rows are free when what waits for siblings is all that is inside.
  leaf_places_asked_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      leaf_reserve_i |-> leaf_places_i != '0 && 32'(leaf_places_i) + children[0] - 1 <= 32'(leaf_words_q));
  top_stays_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      run_q && !(clear_i && idle_o) |-> top_i == top_q);
  one_job_is_read_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      (!job_ready_i || !fetching_q) && (!fetched_i || (fetching_q && fetched_level_i == fetch_level_q)));
  digest_has_its_place_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      digest_valid_i |-> reserved_q[written_address] && digest_group_i == given_group_q[written_address] &&
                         32'(digest_group_i) + 32'(digest_index_i) < NodeWords);

  // Nothing is inside but in a run, and below its top.
  run_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      run_q |-> top_q != '0 && 32'(top_q) <= MaxHeight && base[0] == 0);
  empty_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !run_q |-> idle_o && !fetching_q && reserved_q == '0 && look_q == '0 && !last_q);
  looks_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      look_q == take_before && $onehot0(look_q) && (look_q == '0 || fetching_q) &&
      (!fetching_q || fetch_level_q <= top_q));
  leaves_end_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      run_q |-> complete[0] == last_q);
  logic [3:0] free_groups;
  assign free_groups = 4'(groups[0]) - 4'(used[0]);
  leaf_words_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      set_up[0] |->
      reserve_index[0] < children[0] && 32'(leaf_words_q) == limit[0] - base[0] &&
      32'(leaf_places_q) == 32'(free_groups * children[0][1:0]) +
                            ((reserve_index[0] != 0) ? children[0] - reserve_index[0] : 0));
  no_words_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !set_up[0] |-> leaf_words_q == '0 && leaf_places_q == '0 && groups[0] == 0);
  for (genvar l = 0; l < int'(NumLevels); l++) begin : gen_chain
    exists_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        groups[l] <= Slots && (!run_q || l > 32'(top_q) || (set_up[l] && limit[l] <= NodeWords)));
    above_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        run_q && l > 32'(top_q) |-> used[l] == 0 && open[l] == '0 && !complete[l]);
    fetched_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        32'(taken_groups[l]) == 32'(fetching_q && 32'(fetch_level_q) == l));
    looks_at_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        look_q[l] |-> 32'(fetch_level_q) == l && 32'(taken_group_q) == at[l][taken_at[l]]);
    if (l > 0) begin : gen_above
      chain_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
          run_q && l <= 32'(top_q) |-> base[l] == limit[l-1] &&
                                       complete[l] == (complete[l-1] && open[l-1] == '0));
    end
    for (genvar s = 0; s < int'(Slots); s++) begin : gen_group
      // The bits of its places that are reserved and not written.
      logic [2:0] waiting;
      for (genvar i = 0; i < 3; i++) begin : gen_place
        assign waiting[i] = i < children[l] && reserved_q[$clog2(NodeWords)'(at[l][s] + 32'(i))];
        given_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
            run_q && l <= 32'(top_q) && s < groups[l] && waiting[i] |->
            i < 32'(reserved[l][s]) && 32'(given_group_q[$clog2(NodeWords)'(at[l][s] + 32'(i))]) == at[l][s] &&
            32'(place_arity_q[$clog2(NodeWords)'(at[l][s])]) == children[l]);
      end
      waiting_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
          run_q && l <= 32'(top_q) && s < groups[l] |->
          32'(waiting[0]) + 32'(waiting[1]) + 32'(waiting[2]) == 32'(reserved[l][s]) - 32'(there[l][s]));
      counts_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
          run_q && l <= 32'(top_q) && s < groups[l] && !(look_q[l] && 32'(taken_at[l]) == s) |->
          32'(u_counts.count_q[($clog2(NodeWords)-1)'(at[l][s] >> 1)]) == 32'(there[l][s]));
    end
  end
  address_t waiting_places;
  always_comb begin
    waiting_places = '0;
    for (int place = 0; place < int'(NodeWords); place++) begin
      waiting_places = waiting_places + 32'(reserved_q[place]);
    end
  end
  under_way_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(under_way_q) == waiting_places);
  for (genvar place = 0; place < int'(NodeWords); place++) begin : gen_beyond
    beyond_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        run_q && reserved_q[place] |-> place < limit[top_q[1:0]]);
  end

  // The job nearest to the root goes first, whole.
  for (genvar l = 0; l < int'(NumLevels); l++) begin : gen_deepest
    deepest_first_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        group_ready[l] && (l == 32'(top_q) || place_free[(l+1)%NumLevels]) && run_q |-> job_valid_o && 32'(job_o.level) >= l);
    job_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        job_valid_o && 32'(job_o.level) == l |->
        group_ready[l] && job_o.group == read_group[l] && job_o.count == group_count[l] && job_o.last == group_last[l] &&
        job_o.is_top == (l == 32'(top_q)) &&
        (l == 32'(top_q) || (32'(job_o.parent_group) == 32'(place_group[l+1]) && job_o.parent_index == place_index[l+1])));
  end
  job_level_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      job_valid_o |-> job_o.level <= top_q);
  // Behind the last leaf, too, something can move until nothing is inside.
  ends_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      last_q && !idle_o |-> job_valid_o || fetching_q || under_way_q != '0);
