// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Types of the tree: levels, and the addresses of its node buffers.
///
/// Level 0 holds the leaves, level l the nodes whose sub-trees have 2^l leaves. Every level below the root
/// is a queue in one of three memories: the leaf hash buffer (level 0), the root hash buffer (levels 1 up
/// to the two nodes that a standard tree leaves), and the hierarchical intermediate data memory (HIDM,
/// the levels above, which join standard trees).
package acclmt_tree_pkg;

  /// Bits of a level number.
  localparam int unsigned LevelWidth = 5;
  typedef logic [LevelWidth-1:0] level_t;

  /// Bits of a node address within one memory.
  localparam int unsigned NodeAddressWidth = 16;
  typedef logic [NodeAddressWidth-1:0] node_address_t;

  typedef enum logic [1:0] {
    LeafHashBuffer,
    RootHashBuffer,
    Hidm
  } node_memory_e;

  /// Place of a node.
  typedef struct packed {
    node_memory_e memory;
    node_address_t address;
  } node_place_t;

  /// Words of a level's queue in the HIDM: two pairs, so that one can fill while the other is read.
  localparam int unsigned HidmQueueWords = 4;

  // The level table. Root hash buffer of W words: level l has W / 2^l words from W - W / 2^(l-1) on, down
  // to two words; the levels above have `HidmQueueWords` words each in the HIDM.

  /// Last level whose queue is in the root hash buffer.
  function automatic int last_root_level(input int root_words);
    last_root_level = $clog2(root_words) - 1;
  endfunction

  /// Words of a level's queue.
  function automatic int queue_words(input int level, input int leaf_words, input int root_words);
    if (level == 0) queue_words = leaf_words;
    else if (level <= last_root_level(root_words)) queue_words = root_words >> level;
    else queue_words = int'(HidmQueueWords);
  endfunction

  /// First word of a level's queue in its memory.
  function automatic int queue_base(input int level, input int root_words);
    if (level == 0) queue_base = 0;
    else if (level <= last_root_level(root_words)) begin
      queue_base = root_words - (root_words >> (level - 1));
    end else begin
      queue_base = (level - last_root_level(root_words) - 1) * int'(HidmQueueWords);
    end
  endfunction

  /// Words of the HIDM for trees of up to 2^max_height leaves.
  function automatic int hidm_words(input int max_height, input int root_words);
    hidm_words = (max_height - 1 - last_root_level(root_words)) * int'(HidmQueueWords);
    if (hidm_words < 2) hidm_words = 2;
  endfunction

endpackage
