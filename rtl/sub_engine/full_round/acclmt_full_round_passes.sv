// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Program of a full-round sub-engine: the table of passes, and whether the program of each
/// parameter set can run.
///
/// Entries are written in order, from index 0 on, which forgets the table known. They are checked
/// as they come, and what is known of them is compared with the configuration: no program that is
/// found sound runs for ever, leaves the table, or reads a matrix or a base that is not there.
///
///     table:  one visit after the other, of any set and in any order
///     visit:  its first entry `begins`, its last one `leaves`
///     loop:   from an entry where `loop_begins` to the next one with `times`, whose `next` is that
///             entry; it is within a visit, is made twice or more, holds no other loop, and ends
///             with a stored base if it begins with one
///     base:   `StorePut` where there is none, then `StoreKeep` in every pass up to `StoreTake`
///
/// A word of zeros where a visit should begin erases the program: no matrix is loaded any more.
///
/// Where layers are made by adders no base is stored; the last visit begins with a layer without
/// S-boxes, and the first one may do so; such a layer is in no loop that ends with it, and the
/// state does not leave behind it.
///
/// Handshake:  writes of constants; `read_i` reads an entry, which is there in the next cycle.
/// Latency:    two cycles from a write to the table, three to `faults_o`; one from the
///             configuration.
/// Throughput: a read and a write in a cycle.
module acclmt_full_round_passes #(
  /// Steps of matrices and beats of constant vectors that fit, powers of two.
  parameter int unsigned MatrixDepth = 32,
  parameter int unsigned ConstantDepth = 256,
  /// Whether the elements of a pass can be stored, and whether there are adders.
  parameter bit Store = 1'b1,
  parameter bit Adders = 1'b0,
  /// Visits: the first one, the last one.
  parameter bit [1:0] Visits = 2'b11,
  /// Parameter sets.
  parameter int unsigned NumSets = 1,
  /// Whether memories keep parity, see acclmt_memory.
  parameter bit MemoryParity = 1'b0
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memory below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// A word that a memory below shows is not the one that was written; one cycle.
  output logic memory_fault_o,
  /// Parameters of the sets; stable while states are inside.
  input logic [NumSets*acclmt_pkg::EngineConfigWidth-1:0] configs_i,
  /// Number of the sub-engine in constant writes; constant.
  input acclmt_pkg::sub_engine_t number_i,
  /// Writes of constants, see acclmt_full_round_engine.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// The matrix of the adders is loaded, for states of one beat, of two.
  input logic [1:0] adders_loaded_i,
  /// The first passes of both visits, of each set, and with adders the second one of the last
  /// visit.
  output logic [1:0][NumSets*acclmt_pkg::PassFirstWidth-1:0] first_o,
  output logic [NumSets*acclmt_pkg::PassEntryWidth-1:0] second_o,
  /// Why the program of a set cannot run (`acclmt_pkg::program_fault_t`).
  output logic [NumSets-1:0][2:0] faults_o,
  /// An entry of the table is written, with `constant_write_i`; the program is erased, a cycle
  /// later.
  output logic write_o,
  output logic erase_o,
  /// An entry is read; whether that pass is made, so that a wrong word is a fault.
  input logic read_i,
  input logic made_i,
  input acclmt_pkg::pass_index_t pass_i,
  output acclmt_pkg::pass_entry_t entry_o
);

  localparam int unsigned EntryWidth = acclmt_pkg::PassEntryWidth;
  localparam int unsigned IndexWidth = acclmt_pkg::IndexWidth;
  localparam int unsigned PassIndexWidth = acclmt_pkg::PassIndexWidth;
  localparam int unsigned CountWidth = acclmt_pkg::PassCountWidth;
  localparam int unsigned ConfigWidth = acclmt_pkg::EngineConfigWidth;
  localparam int unsigned FirstWidth = acclmt_pkg::PassFirstWidth;
  localparam int unsigned MatrixAddressWidth = $clog2(MatrixDepth);

  // ---- The table --------------------------------------------------------------------------------

  // A write comes from afar and goes through all rules: it waits a cycle between the two.
  logic write, write_pass_d, write_pass_q, write_matrix_q, word_is_long_q, fresh_q;
  acclmt_pkg::index_t index_q;
  acclmt_pkg::pass_entry_t entry;
  acclmt_pkg::pass_word_t word_q;
  acclmt_pkg::pass_first_t first;
  assign write = constant_write_i.valid && constant_write_i.sub_engine == number_i;
  assign write_pass_d = write && 32'(constant_write_i.bank) == acclmt_pkg::PassBank;
  assign write_o = write_pass_d;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_pass_q <= 1'b0;
      write_matrix_q <= 1'b0;
    end else begin
      write_pass_q <= write_pass_d;
      // A step counts as loaded with its last bank.
      write_matrix_q <=
          write && 32'(constant_write_i.bank) == acclmt_pkg::FullMatrixBanks - 32'd1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (write) begin
      index_q <= constant_write_i.index;
      // A new table begins.
      fresh_q <= constant_write_i.index == '0;
      word_q <= constant_write_i.data[acclmt_pkg::PassWordWidth-1:0];
      word_is_long_q <=
          constant_write_i.data[acclmt_pkg::WordWidth-1:acclmt_pkg::PassWordWidth] != '0;
    end
  end
  always_comb begin
    entry.leaves = word_q.leaves;
    entry.add = word_q.add;
    entry.store = word_q.store;
    entry.first = word_q.first;
    entry.sbox = word_q.sbox;
    entry.matrix = word_q.matrix;
    entry.next = word_q.next;
    entry.times = word_q.times;
    first.entry = entry;
    first.pass = index_q[PassIndexWidth-1:0];
    first.constants = word_q.first_vector;
  end

  logic table_fault, made_q;
  logic [EntryWidth-1:0] read_entry;
  acclmt_memory #(
    .Width(EntryWidth),
    .Depth(acclmt_pkg::PassTableDepth),
    .MemoryParity(MemoryParity)
  ) u_table (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(table_fault),
    .write_enable_i(write_pass_q),
    .write_address_i(index_q[PassIndexWidth-1:0]),
    .write_data_i(entry),
    .read_enable_i(read_i),
    .read_address_i(pass_i),
    .read_data_o(read_entry)
  );
  assign entry_o = read_entry;
  always_ff @(posedge clk_i) made_q <= made_i;
  // Behind the last pass a word is read all the same, so that a zeroisation leaves none: perhaps it
  // was never written.
  assign memory_fault_o = table_fault && made_q;

  // ---- Matrices that are loaded -----------------------------------------------------------------

  logic [MatrixDepth-1:0] loaded_q;
  logic erase;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) loaded_q <= '0;
    else if (erase) loaded_q <= '0;
    else if (write_matrix_q) loaded_q[index_q[MatrixAddressWidth-1:0]] <= 1'b1;
  end

  // ---- Rules of the table -----------------------------------------------------------------------

  // A body has no more passes than the table.
  localparam int unsigned BodyWidth = PassIndexWidth + 1;
  // What is known ahead of the entry that is written: whether the table is malformed; the index of
  // the next entry; a visit has begun, which one; passes and constant vectors of it so far, those
  // ahead of its last loop, those of that loop, made once, and whether it is open; a base is
  // stored, was when the loop began.
  typedef struct packed {
    logic malformed;
    logic [PassIndexWidth:0] next;
    logic open;
    logic visit;
    acclmt_pkg::set_t set_number;
    logic [CountWidth-1:0] passes;
    logic [CountWidth-1:0] vectors;
    logic in_loop;
    acclmt_pkg::pass_index_t loop_begin;
    logic [CountWidth-1:0] loop_passes;
    logic [CountWidth-1:0] loop_vectors;
    logic [BodyWidth-1:0] body_passes;
    logic [BodyWidth-1:0] body_vectors;
    logic stored;
    logic loop_stored;
  } progress_t;
  progress_t known, known_d, known_q;

  // Of a visit that is complete.
  logic begins, ends, loop_ends, unit, unloaded, visit_exists;
  logic [NumSets-1:0][1:0] done;
  logic [1:0] done_of_set;
  assign loop_ends = entry.times != '0;
  assign begins = write_pass_q && word_q.begins;
  assign ends = write_pass_q && entry.leaves;
  always_comb begin
    known = known_q;
    if (fresh_q) known.malformed = 1'b0;
    if (word_q.begins) begin
      known.visit = word_q.visit;
      known.set_number = word_q.set_number;
      known.passes = '0;
      known.vectors = '0;
    end
    if (word_q.loop_begins) begin
      known.loop_begin = index_q[PassIndexWidth-1:0];
      known.loop_passes = known.passes;
      known.loop_vectors = known.vectors;
      known.body_passes = '0;
      known.body_vectors = '0;
      known.loop_stored = known.stored;
    end
  end
  always_comb begin
    done_of_set = '0;
    for (int set = 0; set < int'(NumSets); set++) begin
      if (word_q.set_number == acclmt_pkg::SetWidth'(set) && !fresh_q) done_of_set = done[set];
    end
  end
  assign visit_exists =
      32'(word_q.set_number) < NumSets && Visits[word_q.visit] && !done_of_set[word_q.visit];

  // What the pass makes of a base.
  logic uses_base, base_illegal;
  assign uses_base = entry.sbox == acclmt_pkg::SboxSquareBase ||
                     entry.sbox == acclmt_pkg::SboxFourthBase;
  logic [CountWidth-1:0] times;
  assign times = CountWidth'(entry.times);
  always_comb begin
    known_d = known;
    base_illegal = uses_base;
    case (entry.store)
      acclmt_pkg::StorePut: begin
        base_illegal = known.stored || uses_base;
        known_d.stored = 1'b1;
      end
      acclmt_pkg::StoreKeep: base_illegal = !known.stored;
      acclmt_pkg::StoreTake: begin
        base_illegal = !known.stored;
        known_d.stored = 1'b0;
      end
      default: base_illegal = known.stored || uses_base;
    endcase
    known_d.body_passes = known.body_passes + 1'b1;
    known_d.body_vectors = known.body_vectors + BodyWidth'(entry.add);
    known_d.passes = known.passes + 1'b1;
    known_d.vectors = known.vectors + CountWidth'(entry.add);
    if (loop_ends) begin
      // Times the passes and vectors of the body with this pass, as sums that wait for no carry.
      known_d.passes = known.loop_passes + times + times * CountWidth'(known.body_passes);
      known_d.vectors = known.loop_vectors + (entry.add ? times : '0) +
                        times * CountWidth'(known.body_vectors);
    end
    known_d.next = known.next + 1'b1;
    known_d.open = !entry.leaves;
    known_d.in_loop = (known.in_loop || word_q.loop_begins) && !loop_ends;
    known_d.malformed = known.malformed || word_q.zeros_high != '0 || word_q.zero_low ||
        word_is_long_q || index_q != known.next || word_q.begins == known.open ||
        (word_q.begins ? !visit_exists
                         : word_q.visit || word_q.set_number != '0 || word_q.first_vector != '0) ||
        (known.in_loop && word_q.loop_begins) ||
        (loop_ends ? !(known.in_loop || word_q.loop_begins) || entry.times == 8'd1 ||
                     entry.next != known.loop_begin || entry.leaves ||
                     known_d.stored != known.loop_stored
                   : entry.next != '0) ||
        (entry.leaves && (known_d.in_loop || known_d.stored)) || base_illegal;
  end
  assign erase = write_pass_q && word_q == '0 && !word_is_long_q && !known.open;
  assign erase_o = erase;

  // With the first entry of a new table nothing is known any more. That a table is malformed stays
  // until what was known of its sets goes as well.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) known_q <= '0;
    else begin
      if (write_pass_q) known_q <= known_d;
      if (write_pass_d && constant_write_i.index == '0) begin
        known_q <= '0;
        known_q.malformed <= write_pass_q ? known_d.malformed : known_q.malformed;
      end
    end
  end

  // ---- What is known of each set ----------------------------------------------------------------

  // A pass has an S-box that needs an exponent or the store; reads a step that is not loaded.
  assign unit = !Store && entry.store != acclmt_pkg::StoreNone;
  always_comb begin
    unloaded = 32'(entry.matrix) >= MatrixDepth;
    if (!loaded_q[entry.matrix[MatrixAddressWidth-1:0]]) unloaded = 1'b1;
  end

  for (genvar set = 0; set < NumSets; set++) begin : gen_set
    acclmt_pkg::engine_config_t of_set;
    assign of_set = configs_i[ConfigWidth*set+:ConfigWidth];
    logic [1:0] visits_done_q;
    assign done[set] = visits_done_q;
    logic written, unit_q, seventh_q, unloaded_q;
    // Both visits side by side.
    logic [2*FirstWidth-1:0] first_q;
    logic [2*CountWidth-1:0] passes_q, vectors_q;
    logic [IndexWidth-1:0] last_matrix_q;
    // For adders: no base is stored; the first layer of a visit is one with which it can begin.
    logic stores_q;
    logic [1:0] line_begins_q;
    assign written = write_pass_q && known.set_number == acclmt_pkg::SetWidth'(set);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        visits_done_q <= '0;
        unit_q <= 1'b0;
        seventh_q <= 1'b0;
        unloaded_q <= 1'b0;
        last_matrix_q <= '0;
        stores_q <= 1'b0;
        line_begins_q <= '0;
      end else if (write_pass_q) begin
        if (fresh_q) begin
          visits_done_q <= '0;
          unit_q <= 1'b0;
          seventh_q <= 1'b0;
          unloaded_q <= 1'b0;
          last_matrix_q <= '0;
          stores_q <= 1'b0;
          line_begins_q <= '0;
        end
        if (written) begin
          if (ends) visits_done_q[known.visit] <= 1'b1;
          if (unit) unit_q <= 1'b1;
          if (entry.sbox == acclmt_pkg::SboxSeventh) seventh_q <= 1'b1;
          if (unloaded) unloaded_q <= 1'b1;
          if (fresh_q || entry.matrix > last_matrix_q) last_matrix_q <= entry.matrix;
          if (entry.store != acclmt_pkg::StoreNone) stores_q <= 1'b1;
          if (begins) begin
            line_begins_q[word_q.visit] <= (entry.sbox == acclmt_pkg::SboxNone)
                ? !entry.leaves && entry.times == '0 : !word_q.visit;
          end
        end
      end
    end
    for (genvar visit = 0; visit < 2; visit++) begin : gen_visit
      // A new table begins without those of the last one, of any set.
      always_ff @(posedge clk_i) begin
        if (write_pass_q && fresh_q) begin
          first_q[FirstWidth*visit+:FirstWidth] <= '0;
          passes_q[CountWidth*visit+:CountWidth] <= '0;
          vectors_q[CountWidth*visit+:CountWidth] <= '0;
        end
        // Those of a visit that this sub-engine has not stay as they are.
        if (Visits[visit] && written && begins && word_q.visit == (visit == 1)) begin
          first_q[FirstWidth*visit+:FirstWidth] <= first;
        end
        if (Visits[visit] && written && ends && known.visit == (visit == 1)) begin
          passes_q[CountWidth*visit+:CountWidth] <= known_d.passes;
          vectors_q[CountWidth*visit+:CountWidth] <= known_d.vectors;
        end
      end
      assign first_o[visit][FirstWidth*set+:FirstWidth] =
          Visits[visit] ? first_q[FirstWidth*visit+:FirstWidth] : '0;
    end

    if (Adders) begin : gen_second
      // The entry behind the first one of the last visit.
      logic first_of_last_q;
      logic [EntryWidth-1:0] second_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) first_of_last_q <= 1'b0;
        else if (write_pass_q) first_of_last_q <= written && begins && word_q.visit && !ends;
      end
      always_ff @(posedge clk_i) begin
        if (write_pass_q && fresh_q) second_q <= '0;
        else if (write_pass_q && first_of_last_q) second_q <= entry;
      end
      assign second_o[EntryWidth*set+:EntryWidth] = second_q;
    end else begin : gen_no_second
      assign second_o[EntryWidth*set+:EntryWidth] = '0;
    end

    // Compared with the configuration: steps up to the last one of the last matrix; beats of the
    // vectors behind the first one, and of that of a beat of the digest alone.
    logic [IndexWidth:0] steps_end;
    logic [1:0] vectors_fit, passes_agree;
    logic adders_loaded;
    assign adders_loaded =
        (of_set.beats == acclmt_pkg::BeatWidth'(1)) ? adders_loaded_i[0] : adders_loaded_i[1];
    assign steps_end = (IndexWidth + 1)'(last_matrix_q) +
                       (IndexWidth + 1)'(of_set.beats) * (IndexWidth + 1)'(of_set.steps) - 1'b1;
    for (genvar visit = 0; visit < 2; visit++) begin : gen_compare
      acclmt_pkg::pass_first_t of_visit;
      logic [CountWidth+3-1:0] beats, vectors_end;
      assign of_visit = first_q[FirstWidth*visit+:FirstWidth];
      assign beats = (CountWidth + 3)'(of_set.beats);
      assign vectors_end = (CountWidth + 3)'(of_visit.constants) +
          ((visit == 1 && of_set.digest_short) ? beats : '0) +
          (CountWidth + 3)'(vectors_q[CountWidth*visit+:CountWidth]) * beats;
      assign vectors_fit[visit] =
          !Visits[visit] || vectors_end <= (CountWidth + 3)'(ConstantDepth);
      assign passes_agree[visit] = !Visits[visit] ||
          passes_q[CountWidth*visit+:CountWidth] ==
          ((visit == 1) ? of_set.passes_last : of_set.passes_first);
      logic unused_first;
      assign unused_first = ^of_visit;
    end
    acclmt_pkg::program_fault_t fault, fault_q;
    always_comb begin
      fault = acclmt_pkg::ProgramSound;
      if (known_q.malformed) fault = acclmt_pkg::ProgramMalformed;
      else if (visits_done_q != Visits) fault = acclmt_pkg::ProgramMissing;
      else if (unit_q || (seventh_q && of_set.alpha != acclmt_pkg::AlphaSeven) ||
               (of_set.adders && (!Adders || stores_q || (Visits & ~line_begins_q) != '0))) begin
        fault = acclmt_pkg::ProgramUnit;
      end else if (unloaded_q || (of_set.adders && !adders_loaded) ||
                   32'(steps_end) >= MatrixDepth ||
                   !loaded_q[steps_end[MatrixAddressWidth-1:0]]) begin
        fault = acclmt_pkg::ProgramMatrix;
      end else if (!(&vectors_fit)) fault = acclmt_pkg::ProgramVectors;
      else if (!(&passes_agree)) fault = acclmt_pkg::ProgramPasses;
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) fault_q <= acclmt_pkg::ProgramMissing;
      else fault_q <= fault;
    end
    assign faults_o[set] = fault_q;
    logic unused_config;
    assign unused_config = ^of_set;
  end

  logic unused_bits;
  assign unused_bits = ^{word_q, constant_write_i};

`ifndef SYNTHESIS
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({write, write_pass_q, read_i, faults_o}))
  else $error("acclmt_full_round_passes: a write, a read or a fault is unknown");
  entry_known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      write_pass_q |-> !$isunknown({entry, word_q, index_q, word_is_long_q}))
  else $error("acclmt_full_round_passes: an entry is unknown");
  loop_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      write_pass_q && loop_ends && !known_d.malformed);
  malformed_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      write_pass_q && known_d.malformed && !known.malformed);
  unloaded_c : cover property (@(posedge clk_i) disable iff (!rst_ni) write_pass_q && unloaded);
  erase_c : cover property (@(posedge clk_i) disable iff (!rst_ni) erase);
`endif

endmodule
