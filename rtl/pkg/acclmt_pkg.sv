// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Widths, fields and types that every AcclMT module shares. Others are in acclmt_tree_pkg (types
/// of the tree), acclmt_timing_pkg (latencies of composed blocks, sizes of buffers) and
/// acclmt_prime_pkg (elaboration arithmetic on the prime).
///
/// An element of a large prime field is a word of `WordWidth` bits. Inside the chip it is the
/// canonical residue (below the prime) of x * R mod p with a Montgomery radix R =
/// 2^`montgomery_bits` that is larger than the natural 2^256, so that a sum of hundreds of full
/// products still reduces to less than 2p (docs/architecture.md, "Arithmetic"). In Goldilocks mode
/// a word holds four elements of the Goldilocks field, plain canonical integers, one in each slice.
package acclmt_pkg;

  // ---- Widths -----------------------------------------------------------------------------------

  /// Bits of a field element on every bus and in every memory.
  localparam int unsigned WordWidth = 256;
  /// Bits of a product of two words.
  localparam int unsigned ProductWidth = 2 * WordWidth;
  /// Room above a product in a sum.
  localparam int unsigned RoomWidth = 8;
  /// Bits of a sum of up to 256 products of large-prime elements.
  localparam int unsigned SumWidth = ProductWidth + RoomWidth;
  /// Goldilocks mode: elements in a word and bits of one.
  localparam int unsigned Slices = 4;
  localparam int unsigned SliceWidth = WordWidth / Slices;
  /// Bits of a chunk of a product.
  localparam int unsigned DigitWidth = 2 * SliceWidth;
  /// Bits of a chunk of a sum: `Slices` chunks, each with eight bits of room above 128. Goldilocks
  /// mode: a sum in each chunk. Large prime: the sum is that of 2^128k times chunk k; once its
  /// carries are resolved, as at the input of a reduction, the upper eight bits are zero but for
  /// those of the last chunk.
  localparam int unsigned ChunkWidth = DigitWidth + RoomWidth;
  /// Bits of a lane between partial rounds: a sum, or in place 0 an element and the output of the
  /// S-box before it.
  localparam int unsigned LaneWidth = Slices * ChunkWidth;
  /// Words of a beat: the native width of both kinds of sub-engine. Element 0 is in the low word. A
  /// beat is written out as a packed array: Yosys' own front end loses the dimensions of a type
  /// from a package.
  localparam int unsigned Lanes = 3;
  /// Bits of the tag that accompanies a hash through an engine. From the lowest bit on: what the
  /// tree makes of its digest; the number of its parameter set; whether the state is not final and
  /// another block is to be absorbed.
  localparam int unsigned TagPayloadWidth = 19;
  localparam int unsigned SetWidth = 2;
  localparam int unsigned TagSet = TagPayloadWidth;
  localparam int unsigned TagContinues = TagSet + SetWidth;
  localparam int unsigned TagWidth = TagContinues + 1;
  /// Most parameter sets that a hash engine can mix.
  localparam int unsigned MaxNumSets = 3;
  /// Bits of an index into a bank of constants.
  localparam int unsigned IndexWidth = 8;
  /// Bits of a round counter.
  localparam int unsigned RoundWidth = 8;
  /// Most partial-round sub-engines that the register map has room for.
  localparam int unsigned MaxNumPartial = 6;

  typedef logic [WordWidth-1:0] word_t;
  typedef logic [ProductWidth-1:0] product_t;
  typedef logic [SumWidth-1:0] sum_t;
  typedef logic [TagWidth-1:0] tag_t;
  typedef logic [SetWidth-1:0] set_t;
  typedef logic [RoundWidth-1:0] round_t;
  typedef logic [IndexWidth-1:0] index_t;

  /// A bare product as a sum: its bits in the lower bits of the chunks.
  function automatic logic [Slices*ChunkWidth-1:0] product_as_sum(input product_t product);
    product_as_sum = '0;
    for (int k = 0; k < int'(Slices); k++) begin
      product_as_sum[int'(ChunkWidth)*k+:2*SliceWidth] =
          product[2*int'(SliceWidth)*k+:2*SliceWidth];
    end
  endfunction

  /// Products that a multiplier makes beside in Goldilocks mode, see acclmt_mul.
  localparam int unsigned BesideNone = 0;
  localparam int unsigned BesideFour = 1;
  localparam int unsigned BesideMiddle = 2;
  localparam int unsigned BesideHalves = 3;

  // ---- Fields -----------------------------------------------------------------------------------

  /// Scalar field of BLS12-381, the default large prime.
  localparam word_t PrimeBls12381 =
      256'h73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001;
  // A build chooses one of the primes below, by the parameter of the top module.
  /* verilator lint_off UNUSEDPARAM */

  /// Scalar field of BLS12-377.
  localparam word_t PrimeBls12377 =
      256'h12ab655e9a2ca55660b44d1e5c37b00159aa76fed00000010a11800000000001;
  /// Scalar field of BN254.
  localparam word_t PrimeBn254 =
      256'h30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001;
  /// Base field of Pallas, the scalar field of Vesta.
  localparam word_t PrimePallas =
      256'h40000000000000000000000000000000224698fc094cf91b992d30ed00000001;
  /// Base field of Vesta, the scalar field of Pallas.
  localparam word_t PrimeVesta =
      256'h40000000000000000000000000000000224698fc0994a8dd8c46eb2100000001;
  /// Field of Starknet, 2^251 + 17 * 2^192 + 1.
  localparam word_t PrimeStarknet =
      256'h0800000000000011000000000000000000000000000000000000000000000001;

  /* verilator lint_on UNUSEDPARAM */

  /// Goldilocks field, 2^64 - 2^32 + 1.
  localparam logic [SliceWidth-1:0] GoldilocksPrime = 64'hffffffff00000001;

  // How the large prime is built in: which reduction.

  /// The prime is fixed at elaboration.
  localparam int unsigned ReductionConstant = 0;
  /// The prime is set at run time: any prime p = 1 mod 2^`RuntimeDigitBits`, 2^250 < p < 2^255.
  localparam int unsigned ReductionRuntime = 1;

  /// Reduction by a run-time prime: bits that a step clears.
  localparam int unsigned RuntimeDigitBits = 28;
  /// Reduction by a run-time prime: bits of p above the lowest digit.
  localparam int unsigned RuntimeMultiplierBits = 255 - RuntimeDigitBits;

  // ---- Run-time parameters of a hash engine -----------------------------------------------------

  // A state has up to 12 elements, in Goldilocks mode up to 24. Element e is in lane e mod 3, and
  // e div 3 is its group: the beat or, in Goldilocks mode, a 64-bit slice of a beat of four groups.

  /// Most beats of a state, and most column chunks of a matrix.
  localparam int unsigned MaxBeats = 4;
  /// Most elements of a state, of the large prime and in Goldilocks mode.
  localparam int unsigned MaxWidth = 12;
  localparam int unsigned MaxGoldilocksWidth = 24;
  /// Bits of a number of elements.
  localparam int unsigned ElementCountWidth = 5;
  /// Most words of a block or digest in Goldilocks mode.
  localparam int unsigned MaxGoldilocksWords = MaxGoldilocksWidth / Slices;
  /// Bits of a number of beats or steps.
  localparam int unsigned BeatWidth = 3;
  /// Bits of a number of words: of a block or of a digest.
  localparam int unsigned WordCountWidth = 4;
  /// Position code of a state element: {group, lane}; lane `NoLane` is no element. Codes in a map,
  /// and in a register.
  localparam int unsigned PositionCodeWidth = 5;
  localparam int unsigned WordPositionWidth = PositionCodeWidth - 1;
  localparam int unsigned PositionCodes = MaxGoldilocksWidth;
  localparam int unsigned CodesInRegister = 6;
  localparam int unsigned MapRegisters = PositionCodes / CodesInRegister;
  localparam int unsigned MapRegisterBits = CodesInRegister * PositionCodeWidth;
  localparam logic [1:0] NoLane = 2'(Lanes);

  typedef logic [BeatWidth-1:0] beat_t;
  typedef logic [WordCountWidth-1:0] word_count_t;
  typedef logic [ElementCountWidth-1:0] element_count_t;

  /// A map of positions: entry j, see `position_code`, belongs to element j of the words of a hash.
  /// It has one dimension, see `Lanes`.
  typedef logic [PositionCodes*PositionCodeWidth-1:0] position_map_t;

  /// Whether a position code names an element of a state of `width` elements, or none.
  function automatic logic position_exists(input logic [PositionCodeWidth-1:0] code,
                                           input logic [31:0] width);
    position_exists = code[1:0] == NoLane || 32'(code[4:2]) * 32'(Lanes) + 32'(code[1:0]) < width;
  endfunction

  /// The map that a run of registers holds, and whether each of them is one of a map of positions
  /// in a state of `width` elements: its codes name elements of that, or none, and its other bits
  /// are zero.
  function automatic position_map_t map_of_registers(input logic [MapRegisters*32-1:0] registers);
    for (int unsigned r = 0; r < MapRegisters; r++) begin
      map_of_registers[MapRegisterBits*r+:MapRegisterBits] = registers[32*r+:MapRegisterBits];
    end
  endfunction

  function automatic logic [MapRegisters-1:0] map_is_legal(
      input logic [MapRegisters*32-1:0] registers, input logic [31:0] width);
    logic [PositionCodeWidth-1:0] code;
    for (int unsigned r = 0; r < MapRegisters; r++) begin
      map_is_legal[r] = registers[32*r+MapRegisterBits+:32-MapRegisterBits] == '0;
      for (int unsigned j = 0; j < CodesInRegister; j++) begin
        code = registers[32*r+PositionCodeWidth*j+:PositionCodeWidth];
        if (!position_exists(code, width)) map_is_legal[r] = 1'b0;
      end
    end
  endfunction

  /// Entry of a map of positions, of an element of the large prime: {beat, lane}.
  function automatic logic [WordPositionWidth-1:0] word_position(input position_map_t map,
                                                                 input word_count_t element);
    word_position = map[7'(PositionCodeWidth)*7'(element)+:WordPositionWidth];
  endfunction

  /// Goldilocks mode: the entries of the four elements in word `word`, 0 to 5.
  function automatic logic [Slices*PositionCodeWidth-1:0] slice_codes(
      input position_map_t map, input logic [2:0] word);
    case (word)
      3'd1: slice_codes = map[Slices*PositionCodeWidth+:Slices*PositionCodeWidth];
      3'd2: slice_codes = map[2*Slices*PositionCodeWidth+:Slices*PositionCodeWidth];
      3'd3: slice_codes = map[3*Slices*PositionCodeWidth+:Slices*PositionCodeWidth];
      3'd4: slice_codes = map[4*Slices*PositionCodeWidth+:Slices*PositionCodeWidth];
      3'd5: slice_codes = map[5*Slices*PositionCodeWidth+:Slices*PositionCodeWidth];
      default: slice_codes = map[Slices*PositionCodeWidth-1:0];
    endcase
  endfunction

  /// One of the four slices of a word.
  function automatic logic [SliceWidth-1:0] slice_of(input word_t word, input logic [1:0] slice);
    case (slice)
      2'd1: slice_of = word[2*SliceWidth-1:SliceWidth];
      2'd2: slice_of = word[3*SliceWidth-1:2*SliceWidth];
      2'd3: slice_of = word[4*SliceWidth-1:3*SliceWidth];
      default: slice_of = word[SliceWidth-1:0];
    endcase
  endfunction

  /// Beats of a state up to the last one that has one of the first `words` elements of the digest
  /// map, for states with one element in a word.
  function automatic beat_t beats_of_digest(input position_map_t map, input word_count_t words);
    logic [WordPositionWidth-1:0] code;
    beats_of_digest = BeatWidth'(1);
    for (int j = 0; j < int'(MaxWidth); j++) begin
      code = word_position(map, WordCountWidth'(j));
      if (WordCountWidth'(j) < words && code[1:0] != NoLane &&
          BeatWidth'(code[3:2]) >= beats_of_digest) begin
        beats_of_digest = BeatWidth'(code[3:2]) + 1'b1;
      end
    end
  endfunction

  /// Slices of lane 0 that do not hold element 0, in the first beat of a state.
  function automatic logic [Slices-1:0] slices_beside_element_0(input logic goldilocks);
    slices_beside_element_0 = goldilocks ? {{(Slices - 1) {1'b1}}, 1'b0} : '0;
  endfunction

  /// A sum of which each chunk may have grown beyond 128 bits, with the carries between the chunks
  /// of a large number resolved; in Goldilocks mode as it is.
  function automatic logic [Slices*ChunkWidth-1:0] resolve_carries(
      input logic goldilocks, input logic [Slices*ChunkWidth-1:0] sum);
    logic [SumWidth-1:0] digits, carries, number;
    digits = {
      sum[3*ChunkWidth+:ChunkWidth], sum[2*ChunkWidth+:DigitWidth], sum[ChunkWidth+:DigitWidth],
      sum[0+:DigitWidth]
    };
    carries = {
      {DigitWidth{1'b0}}, sum[2*ChunkWidth+DigitWidth+:RoomWidth],
      {(DigitWidth - RoomWidth) {1'b0}}, sum[ChunkWidth+DigitWidth+:RoomWidth],
      {(DigitWidth - RoomWidth) {1'b0}}, sum[DigitWidth+:RoomWidth], {DigitWidth{1'b0}}
    };
    number = digits + carries;
    resolve_carries = goldilocks ? sum : {
      number[3*DigitWidth+:ChunkWidth], {RoomWidth{1'b0}}, number[2*DigitWidth+:DigitWidth],
      {RoomWidth{1'b0}}, number[DigitWidth+:DigitWidth], {RoomWidth{1'b0}}, number[0+:DigitWidth]
    };
  endfunction

  /// Exponent of the S-box.
  typedef enum logic [1:0] {
    AlphaThree,
    AlphaFive,
    AlphaSeven
  } alpha_e;

  // ---- Passes of a full-round sub-engine --------------------------------------------------------

  // What a state does in a full-round sub-engine is a program: a table of passes, each with S-boxes
  // or none, a matrix, and a vector of constants or none. A parameter set has two visits, each of
  // them consecutive entries of the table; entries may be repeated.

  /// Bits of the index of an entry, and of a number of passes.
  localparam int unsigned PassIndexWidth = 7;
  localparam int unsigned PassTableDepth = 2 ** PassIndexWidth;
  localparam int unsigned PassCountWidth = 16;

  typedef logic [PassIndexWidth-1:0] pass_index_t;
  typedef logic [PassCountWidth-1:0] pass_count_t;

  /// Power that the S-boxes make of an element x.
  typedef enum logic [2:0] {
    /// None: elements pass as they are.
    SboxNone,
    SboxSquare,
    SboxFourth,
    SboxThird,
    SboxFifth,
    SboxSeventh,
    /// x^2 and x^4 times a base that was stored.
    SboxSquareBase,
    SboxFourthBase
  } sbox_e;

  /// What becomes of the base that is stored for each element of a state.
  typedef enum logic [1:0] {
    /// There is none.
    StoreNone,
    /// The elements that come are stored.
    StorePut,
    /// It stays.
    StoreKeep,
    /// It is used, or not, for the last time.
    StoreTake
  } store_e;

  /// An entry of the table.
  typedef struct packed {
    /// The state leaves behind the pass.
    logic leaves;
    /// The next vector of constants is added.
    logic add;
    store_e store;
    /// Only element 0 goes through its S-box.
    logic first;
    sbox_e sbox;
    /// The first step of the matrix.
    index_t matrix;
    /// The pass is the last one of a loop, which is made so many times in all (0: of none), and
    /// where that begins.
    pass_index_t next;
    logic [7:0] times;
  } pass_entry_t;

  /// A word of the table, the lower bits of a constant: the entry, and whether it is the first one
  /// of a visit, of which parameter set; the beat with which the constant vectors of that visit
  /// begin; whether a loop begins with the entry. The other bits are 0.
  typedef struct packed {
    index_t first_vector;
    logic [2:0] zeros_high;
    logic loop_begins;
    set_t set_number;
    logic visit;
    logic begins;
    logic leaves;
    logic add;
    store_e store;
    logic first;
    sbox_e sbox;
    index_t matrix;
    logic zero_low;
    pass_index_t next;
    logic [7:0] times;
  } pass_word_t;
  localparam int unsigned PassWordWidth = 48;

  /// The first pass of a visit: the entry, its index, and the beat of its constant vector.
  typedef struct packed {
    pass_entry_t entry;
    pass_index_t pass;
    index_t constants;
  } pass_first_t;
  localparam int unsigned PassFirstWidth = 46;
  localparam int unsigned PassEntryWidth = 31;

  /// What a beat in the pipeline knows of its state: it is on its last visit; whether it leaves
  /// behind this pass; the pass behind this one, and how often a loop has been made; the beat of
  /// the constant vector of this one, and whether it is added.
  typedef struct packed {
    logic last;
    logic leaves;
    pass_index_t next;
    logic [7:0] count;
    logic add;
    index_t constants;
  } pass_label_t;

  localparam int unsigned PassLabelWidth = 26;

  /// Why a parameter set has no program that can run; 0: it has one.
  typedef logic [2:0] program_fault_t;
  localparam program_fault_t ProgramSound = 3'd0;
  /// The table breaks a rule: its entries are not written in order, visits or loops do not begin
  /// and end.
  localparam program_fault_t ProgramMalformed = 3'd1;
  /// There is no program of the set.
  localparam program_fault_t ProgramMissing = 3'd2;
  /// A pass needs what the sub-engine does not have, or an exponent that ALPHA does not announce.
  localparam program_fault_t ProgramUnit = 3'd3;
  /// A matrix is not loaded.
  localparam program_fault_t ProgramMatrix = 3'd4;
  /// The constant vectors do not fit into the memory.
  localparam program_fault_t ProgramVectors = 3'd5;
  /// There are not as many passes as PASSES says.
  localparam program_fault_t ProgramPasses = 3'd6;

  /// Bits of the number of a sub-engine.
  localparam int unsigned SubEngineWidth = 4;

  typedef logic [SubEngineWidth-1:0] sub_engine_t;

  /// Most full-round sub-engines, and the number of the second one in constant writes and counters.
  localparam int unsigned MaxNumFull = 2;
  localparam sub_engine_t SecondFullSubEngine = 4'd7;
  /// Sub-engine numbers with counters: full-round, partial-round 1 to 6, second full-round.
  localparam int unsigned MaxSubEngines = MaxNumPartial + 2;

  /// Run-time parameters of a hash engine, those of one parameter set. All are checked before a run
  /// starts.
  typedef struct packed {
    alpha_e alpha;
    /// Elements of a state: t, and those that go through S-boxes, which come first. The others
    /// stand beside the permutation.
    element_count_t width;
    element_count_t sbox_width;
    /// Beats of a state: ceil(t / 3), in Goldilocks mode ceil(t / 12).
    beat_t beats;
    /// Steps of a row chunk of a matrix, each with two groups: ceil(ceil(t / 3) / 2). So many
    /// cycles apart the beats of a round come.
    beat_t steps;
    /// Cycles of a pass of a full-round sub-engine, of its beats from one to the next, and the grid
    /// on which its slots begin.
    logic [3:0] full_interval;
    beat_t spacing;
    beat_t grid;
    /// Cycles of a round of a partial-round sub-engine.
    beat_t partial_interval;
    /// The last full round of a hash makes the first beat only, in which its digest is, in one step
    /// a beat and without pairs; beats of a final state: 1 then.
    logic digest_short;
    beat_t digest_beats;
    /// Whether the matrices of a full-round sub-engine have pairs of elements, and lanes with a
    /// pair in the last beat that has any; in Goldilocks mode pairs of slices in the last beat,
    /// which may have none.
    logic pairs;
    logic [1:0] last_pairs;
    /// Cycles that the matrix of a full-round sub-engine starts later than its first element is
    /// there, so that it never waits for one, nor for the products of the pairs.
    logic [3:0] skew;
    /// Recurrence of the partial rounds: sums that move up behind a round, 0 if there is none; the
    /// output of the S-box enters the next element.
    element_count_t order;
    logic output_enters;
    /// Layers of the full-round sub-engines but the dense ones around the recurrence are made by
    /// adders.
    logic adders;
    /// Passes of its two visits to the full-round sub-engines.
    pass_count_t passes_first;
    pass_count_t passes_last;
    /// Rounds of the recurrence: entry i on partial-round sub-engine i + 1.
    logic [MaxNumPartial-1:0][RoundWidth-1:0] partial_rounds;
    /// The beat with which its constants begin in a partial-round sub-engine.
    index_t partial_base;
    /// Words that a hash takes and that its digest has.
    word_count_t input_words;
    word_count_t digest_words;
    /// Position codes of the input elements and of the digest elements.
    position_map_t input_map;
    position_map_t digest_map;
  } engine_config_t;

  /// Bits of the parameters of a hash engine. An engine of several parameter sets has them side by
  /// side, set 0 in the low bits (see acclmt_set_select).
  localparam int unsigned EngineConfigWidth = 385;

  /// A step of the matrix of a full-round sub-engine.
  typedef struct packed {
    /// It takes elements of an even beat, of an odd one, or pairs of both.
    logic even;
    logic odd;
    /// The first one of a row chunk; that one adds the products of the pairs.
    logic first;
    logic pairs;
    /// It is the last one that does so in its round.
    logic pairs_end;
    /// Goldilocks mode: it takes the upper slices, 2 and 3, or the lower ones; those of the odd
    /// beat, or of the even one.
    logic upper;
    logic of_odd_beat;
    /// The row chunk, and whether it is the last step of that, and of the round.
    beat_t row;
    logic row_ends;
    logic round_ends;
    /// The pass makes the beat of the digest only, and has the constants behind its own.
    logic digest;
    /// What the program says of the state, and its tag.
    pass_label_t label;
    tag_t tag;
  } full_round_step_t;

  // ---- Constant memories: banks of one word each ------------------------------------------------

  /// Banks of a full-round sub-engine: the matrix, row by row, for even beats and then for odd
  /// ones, then the constant vector, then the table of passes; with adders, the constant vectors of
  /// dense layers, at index 4 * set + 2 * visit + beat, then the matrix of the adders.
  localparam int unsigned FullMatrixBanks = 2 * Lanes * Lanes;
  localparam int unsigned PassBank = FullMatrixBanks + Lanes;
  localparam int unsigned DenseBank = PassBank + 1;
  localparam int unsigned AdderBank = DenseBank + Lanes;
  /// Beats of the constant vectors of dense layers.
  localparam int unsigned DenseDepth = 16;
  /// Elements of a beat that adders take, and of a state at most; words of their matrix: one for
  /// each element of a beat, and one with the second beat. Digits of an entry, bits of a digit,
  /// and of a word.
  localparam int unsigned AdderWidth = Lanes * Slices;
  localparam int unsigned AdderMostElements = 16;
  localparam int unsigned AdderWords = 2 * AdderWidth;
  localparam int unsigned AdderDigits = 4;
  localparam int unsigned AdderDigitWidth = 3;
  localparam int unsigned AdderRowWidth = AdderWidth * AdderDigits * AdderDigitWidth;
  /// Bits of the sum of half a unit of adders: of the products of half as many elements.
  localparam int unsigned AdderHalfWidth = SliceWidth + 11;
  /// Banks of a partial-round sub-engine: coefficients of the element that passes the S-box, of the
  /// output before it, constant.
  localparam int unsigned PartialBanks = 2 * Lanes + 1;
  /// Bits of a bank number.
  localparam int unsigned BankWidth = 5;
  /// Sub-engine number under which the initial vector of a hash is written: one bank a lane.
  localparam sub_engine_t InitialSubEngine = 4'd15;
  /// Sub-engine number under which the values of empty sub-trees are written: bank 0, index level.
  localparam sub_engine_t EmptySubTrees = 4'd14;

  /// Where a memory shows a word that is not the one that was written: the hash engine, and of it
  /// the sub-engine, `InitialSubEngine` for what is ahead of the first one and behind the last one;
  /// beside the engines `EmptySubTrees` for the tree and its output queue.
  typedef struct packed {
    logic valid;
    logic [2:0] engine;
    sub_engine_t unit;
  } memory_fault_t;
  localparam int unsigned MemoryFaultWidth = 1 + 3 + SubEngineWidth;
  /// The conversions of the input and of the output.
  localparam sub_engine_t InputMemories = 4'd13;
  localparam sub_engine_t OutputMemories = 4'd12;

  /// A write of one constant, broadcast to all sub-engines of an engine.
  typedef struct packed {
    logic valid;
    /// 0: full-round, 1..: partial-round, `SecondFullSubEngine`, `InitialSubEngine`.
    sub_engine_t sub_engine;
    logic [BankWidth-1:0] bank;
    logic [IndexWidth-1:0] index;
    word_t data;
  } constant_write_t;

  // ---- Runs -------------------------------------------------------------------------------------

  /// Configuration registers of a run, from MODE on, the last ones LEAVES_HIGH and ROLES, and of
  /// each parameter set, from INPUT_WORDS on: consecutive words of the register map, but for
  /// LEAVES_HIGH and ROLES.
  localparam int unsigned NumRunConfig = 16;
  localparam int unsigned NumEngineConfig = 21;

  /// Most hash engines that a chip can have.
  localparam int unsigned MaxNumEngines = 8;
  typedef logic [MaxNumEngines-1:0] engine_mask_t;

  /// Parameter sets of a chip: that of rows, that of nodes, and that of the nodes of other levels.
  localparam int unsigned NumSets = 3;
  localparam set_t RowSet = 2'd0;
  localparam set_t NodeSet = 2'd1;

  /// Bits of a number of nodes that are inside of a hash engine.
  localparam int unsigned NodeLimitWidth = 8;
  typedef logic [NodeLimitWidth-1:0] node_limit_t;

  /// A leaf is a row of blocks, each of which is absorbed before a permutation.
  typedef struct packed {
    /// A block takes the place of the rate elements instead of being added to them; the elements of
    /// the last block from this number on, 0: as of the others.
    logic overwrite;
    element_count_t close_from;
    /// Blocks of a row, and rows that are under way together.
    logic [31:0] blocks;
    logic [15:0] group;
    /// Words of the last block, and the position codes of its elements.
    word_count_t last_words;
    position_map_t last_map;
  } row_config_t;

  /// What a word of the data input is: of the first row or of the last row of its group, of the
  /// first block or of the last block of its row, and the last one of its block.
  localparam int unsigned InputLabelWidth = 5;
  typedef struct packed {
    logic first_row;
    logic last_row;
    logic first_block;
    logic last_block;
    logic block_end;
  } input_label_t;

  /// What a hash engine does with a block of words: it begins a hash, or is absorbed by a state.
  /// So many of its elements are added to that, those behind take the place of what is there. Words
  /// of it, and the position codes of their elements.
  typedef struct packed {
    logic first;
    element_count_t added;
    word_count_t input_words;
    position_map_t input_map;
  } block_t;

  /// What a run does, but for its tree (`acclmt_tree_pkg::tree_config_t`: Yosys' own front end has
  /// no structure with a type from another package); stable during a run.
  typedef struct packed {
    /// The field: Goldilocks, four elements a word, or the large prime.
    logic goldilocks;
    /// Hash elements into leaves (1) or take them as leaves (0).
    logic hash_leaves;
    /// Hash engines that take rows, and those that take nodes; the parameter sets of the levels of
    /// the tree. The place of a leaf in the tree is reserved as its row begins. Most nodes that are
    /// inside of an engine, or 0.
    engine_mask_t row_engines;
    engine_mask_t node_engines;
    logic [NumSets-1:0] node_sets;
    logic reserve_leaves;
    node_limit_t node_limit;
    /// What a leaf is.
    row_config_t row;
  } run_config_t;

  /// What the machine reports in a cycle of a run, for the performance counters, besides
  /// `acclmt_tree_pkg::node_traffic_t` and what the hash engines do.
  typedef struct packed {
    logic input_taken;
    logic input_stalled;
    logic input_missing;
    logic output_taken;
    logic output_stalled;
    /// A leaf goes to the tree or out; one waits for that, or for its place; an engine for nodes
    /// waits for a group.
    logic leaf_taken;
    logic leaf_stalled;
    logic root_starved;
  } events_t;

endpackage
