  // The memory of the nodes shows the word of the last read.
  logic read_before_q;
  always_ff @(posedge clk_i) read_before_q <= read_o;
  read_data_stays_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      read_before_q || $stable(read_data_i));
  // Words of a job are as many as a node has children, in their order, and those that are there are read once each.
  logic [31:0] reads_q, words_q;
  always_ff @(posedge clk_i) begin
    if (job_taken) begin
      reads_q <= 32'd1;
      words_q <= '0;
    end else begin
      reads_q <= reads_q + 32'(read_o);
      words_q <= words_q + 32'(word_taken);
    end
  end
  logic [31:0] words;
  assign words = job_q.is_top ? 32'(job_q.count) : 32'(job_q.arity);
  counted_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      active_q |-> words_q == 32'(index_q) && words_q < words && job_q.count != '0 && job_q.count <= job_q.arity &&
                   reads_q == ((words_q + 1 < 32'(job_q.count)) ? words_q + 1 : 32'(job_q.count)) &&
                   empty_q == (words_q >= 32'(job_q.count)) &&
                   address_q == acclmt_tree_pkg::node_address_t'(job_q.group) + $bits(address_q)'(index_q));
  ends_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      fetched_o |-> words_q + 1 == words && reads_q == 32'(job_q.count));
  one_address_after_the_other_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      active_q && read_o |-> read_address_o == acclmt_tree_pkg::node_address_t'(job_q.group) + $bits(address_q)'(reads_q));
  // Constants are loaded before a run.
  constants_before_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      constant_write_i.valid |-> !active_q && !job_valid_i);
