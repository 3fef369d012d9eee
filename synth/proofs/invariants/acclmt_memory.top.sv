  // What is read was written, and has the parity that was written with it.
  logic [Depth-1:0] written_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) written_q <= '0;
    else if (write_enable_i) written_q[write_address_i] <= 1'b1;
  end
  written_is_read_a : assume property (@(posedge clk_i) disable iff (!rst_ni)
      read_enable_i |-> written_q[read_address_i]);
  no_collision_a : assume property (@(posedge clk_i)
      !(read_enable_i && write_enable_i && read_address_i == write_address_i));
  for (genvar i = 0; i < Depth; i++) begin : gen_word
    for (genvar g = 0; g < Guards; g++) begin : gen_guard
      localparam int unsigned First = Guarded * g;
      localparam int unsigned Bits = (Width - First < Guarded) ? Width - First : Guarded;
      parity_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
          written_q[i] |-> !(^{gen_parity.u_memory.memory[i][Width+g],
                               gen_parity.u_memory.memory[i][First+:Bits]}));
    end
  end
  // The word that is shown is the one that was written last, and there is no alarm.
  logic [Depth-1:0][Width-1:0] last_q;
  logic [Width-1:0] shown_q;
  logic shows_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) shows_q <= 1'b0;
    else shows_q <= read_enable_i;
  end
  always_ff @(posedge clk_i) begin
    if (write_enable_i) last_q[write_address_i] <= write_data_i;
    if (read_enable_i) shown_q <= last_q[read_address_i];
  end
  for (genvar i = 0; i < Depth; i++) begin : gen_kept
    kept_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        written_q[i] |-> gen_parity.u_memory.memory[i][Width-1:0] == last_q[i]);
  end
  shown_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      shows_q |-> read_data_o == shown_q);
  quiet_a : assert property (@(posedge clk_i) disable iff (!rst_ni) !memory_fault_o);
