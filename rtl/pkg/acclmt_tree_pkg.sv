// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Types of the tree, and sizes of its node memories.
///
/// Level 0 holds the leaves, level l + 1 the hashes of the nodes of level l. Every level below the
/// top is a queue in one of the node memories.
package acclmt_tree_pkg;

  /// Bits of a level number.
  localparam int unsigned LevelWidth = 5;
  typedef logic [LevelWidth-1:0] level_t;

  /// Bits of a number of siblings, such as the arity: as many as words of a block.
  localparam int unsigned SiblingCountWidth = 4;
  typedef logic [SiblingCountWidth-1:0] sibling_count_t;

  /// Bits of a node address within one memory, and of a number of groups of siblings.
  localparam int unsigned NodeAddressWidth = 16;
  typedef logic [NodeAddressWidth-1:0] node_address_t;

  /// The node memories, see acclmt_node_memory.
  localparam int unsigned NumNodeMemories = 5;
  localparam int unsigned NodeMemoryWidth = 3;
  typedef enum logic [NodeMemoryWidth-1:0] {
    LeafHashBuffer,
    RootHashBuffer,
    ScratchPad,
    HidmLevel0,
    HidmLevel1
  } node_memory_e;

  /// Words of the node memory with this number, of the words of all.
  function automatic int node_words(input int memory, input int leaf_words, input int root_words,
                                    input int scratch_words, input int hidm_words_0,
                                    input int hidm_words_1);
    case (memory)
      0: node_words = leaf_words;
      1: node_words = root_words;
      2: node_words = scratch_words;
      3: node_words = hidm_words_0;
      default: node_words = hidm_words_1;
    endcase
  endfunction

  /// Place of a node.
  typedef struct packed {
    node_memory_e memory;
    node_address_t address;
  } node_place_t;

  /// Entry of the level table: the memory that holds the queue of a level, and the groups of
  /// siblings that it has room for.
  localparam int unsigned LevelEntryWidth = NodeMemoryWidth + NodeAddressWidth;
  typedef struct packed {
    node_memory_e memory;
    node_address_t groups;
  } level_entry_t;

  /// Set-up of the queue of a level: its entry of the level table, and its first word.
  typedef struct packed {
    logic valid;
    level_t level;
    node_memory_e memory;
    node_address_t base;
    node_address_t groups;
  } level_setup_t;

  /// A group of siblings to be hashed: its level, the place of the first one, their number, and
  /// whether it is the last group of its level.
  typedef struct packed {
    level_t level;
    node_place_t place;
    logic [SiblingCountWidth-1:0] count;
    logic last;
  } node_job_t;

  /// What a node that goes out is: its level, its index in the level, and whether it is the last
  /// one of the run.
  localparam int unsigned NodeIndexWidth = 32;
  localparam int unsigned NodeLabelWidth = LevelWidth + NodeIndexWidth + 1;
  typedef struct packed {
    level_t level;
    logic [NodeIndexWidth-1:0] index;
    logic last;
  } node_label_t;

  /// The tree of a run.
  typedef struct packed {
    /// Number of leaves.
    logic [31:0] leaves;
    /// The level whose nodes end the run: the root or a cap; 0: there is no tree.
    level_t top;
    /// Groups may lack siblings, which then have the value of an empty sub-tree of their level.
    logic pad;
    /// Levels whose nodes go out besides those of the top level.
    logic [2**LevelWidth-1:0] emit;
  } tree_config_t;

  /// Words written to and freed in the node memories in a cycle.
  typedef struct packed {
    logic leaf_written;
    logic digest_written;
    node_memory_e digest_memory;
    logic [SiblingCountWidth-1:0] freed_count;
    node_memory_e freed_memory;
  } node_traffic_t;

  /// A word at this address is overwritten with zero in every node memory that has one there.
  typedef struct packed {
    logic valid;
    node_address_t address;
  } node_sweep_t;

endpackage
