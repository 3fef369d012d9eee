  // What a run is: rows, blocks and words are there, and do not change.
  logic legal;
  assign legal = row_i.group != '0 && row_i.blocks != '0 && row_i.last_words != '0 && block_words_i != '0;
  legal_run_a : assume property (@(posedge clk_i) disable iff (!rst_ni) legal);
  stable_run_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      start_i || ($stable(row_i) && $stable(block_words_i)));
  start_when_shut_a : assume property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> !open_q && !take_i);
  // Rows whose last word was taken, those of the group that is under way, and those behind it are all leaves.
  logic [63:0] done_q, leaves_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      done_q <= '0;
      leaves_q <= '0;
    end else if (start_i) begin
      done_q <= '0;
      leaves_q <= 64'(leaves_i);
    end else if (take_i && last_word && last_block) begin
      done_q <= done_q + 64'd1;
    end
  end
  rows_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      open_q |-> done_q + 64'(group_q) - ((block_q + 32'd1 == row_i.blocks) ? 64'(row_q) : 64'd0) +
                 64'(leaves_left_q) == leaves_q);
  within_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      open_q |-> group_q != '0 && row_q < group_q && block_q < row_i.blocks && group_q <= row_i.group &&
                 word_q < (last_block ? row_i.last_words : block_words_i) &&
                 (leaves_left_q == '0 || group_q == row_i.group));
  all_rows_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      open_q && take_i && group_ends && leaves_left_q == '0 |-> done_q + 64'd1 == leaves_q);
  shuts_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      open_q && take_i && group_ends && leaves_left_q == '0 && !clear_i |=> !open_q);
  stays_open_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      open_q && !(take_i && group_ends && leaves_left_q == '0) && !clear_i |=> open_q);
