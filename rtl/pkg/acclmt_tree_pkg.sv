// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Types of the tree, and sizes of its node memory.
///
/// Level 0 holds the leaves, level l + 1 the hashes of the nodes of level l. Every level up to the
/// top is a queue in the node memory.
package acclmt_tree_pkg;

  /// Bits of a level number, that of a top level included.
  localparam int unsigned LevelWidth = 6;
  typedef logic [LevelWidth-1:0] level_t;

  /// Levels above the leaves that a tree can have, levels with a queue that there can be then, and
  /// bits of the number of one below the top.
  localparam int unsigned MostHeight = 32;
  localparam int unsigned MaxQueues = MostHeight + 1;
  localparam int unsigned LowerLevelWidth = 5;

  /// Bits of a number of leaves: up to 2^32.
  localparam int unsigned LeafCountWidth = 33;
  typedef logic [LeafCountWidth-1:0] leaf_count_t;

  /// Bits of a number of siblings, such as the arity: as many as words of a block.
  localparam int unsigned SiblingCountWidth = 4;
  typedef logic [SiblingCountWidth-1:0] sibling_count_t;

  /// Bits of an address of the node memory, and of a number of groups of siblings.
  localparam int unsigned NodeAddressWidth = 16;
  typedef logic [NodeAddressWidth-1:0] node_address_t;

  /// Bits of the number of the parameter set of a level, and of an entry of the level table: groups
  /// of siblings, and that above them.
  localparam int unsigned LevelSetWidth = 2;
  localparam int unsigned LevelEntryWidth = NodeAddressWidth + LevelSetWidth;

  /// Address of the first node of a group, which names the group. A place for a node is that and
  /// the number of the node in the group.
  localparam int unsigned GroupAddressWidth = NodeAddressWidth - 1;
  typedef logic [GroupAddressWidth-1:0] group_address_t;

  /// Set-up of the queue of a level: the parameter set of its level and the children of a node
  /// there; its first word and the one behind its last, and the groups of siblings that it has room
  /// for.
  typedef struct packed {
    logic valid;
    level_t level;
    logic [LevelSetWidth-1:0] parameter_set;
    logic [SiblingCountWidth-1:0] arity;
    node_address_t base;
    node_address_t limit;
    node_address_t groups;
  } level_setup_t;

  /// A group of siblings: its level, and whether that is the top; the parameter set of the level,
  /// and the children of a node there; the address of the first one, their number, and whether it
  /// is the last group of its level. Below the top they are hashed, and the digest has this place
  /// in the level above; those of the top go out.
  typedef struct packed {
    level_t level;
    logic is_top;
    logic [LevelSetWidth-1:0] parameter_set;
    logic [SiblingCountWidth-1:0] arity;
    logic [GroupAddressWidth-1:0] group;
    logic [SiblingCountWidth-1:0] count;
    logic last;
    logic [GroupAddressWidth-1:0] parent_group;
    logic [SiblingCountWidth-1:0] parent_index;
  } node_job_t;
  localparam int unsigned NodeJobWidth =
      LevelWidth + 2 + LevelSetWidth + 3 * SiblingCountWidth + 2 * GroupAddressWidth;

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
    leaf_count_t leaves;
    /// The level whose nodes end the run: the root or a cap; 0: there is no tree.
    level_t top;
    /// Groups may lack siblings, which then have the value of an empty sub-tree of their level.
    logic pad;
    /// Levels below the top whose nodes go out, too.
    logic [MostHeight-1:0] emit;
  } tree_config_t;

  /// Words written to and freed in the node memory in a cycle.
  typedef struct packed {
    logic written;
    logic [SiblingCountWidth-1:0] freed_count;
  } node_traffic_t;

  /// A word at this address of the node memory is overwritten with zero.
  typedef struct packed {
    logic valid;
    node_address_t address;
  } node_sweep_t;

endpackage
