// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Types between the register file and the machine.
package acclmt_core_pkg;

  /// What a run does; stable during a run.
  typedef struct packed {
    /// Hash elements into leaves (1) or take them as leaves (0).
    logic hash_leaves;
    /// Stream out the leaf digests (1) or fold them into a root (0).
    logic output_digests;
    /// Levels of the tree.
    acclmt_tree_pkg::level_t height;
    /// Words of the data input, and of the data output, that belong to this run.
    logic [32:0] input_words;
    logic [31:0] output_words;
  } run_config_t;

  /// What the machine reports in a cycle of a run, for the performance counters.
  typedef struct packed {
    logic input_taken;
    logic input_stalled;
    logic output_taken;
    logic output_stalled;
    logic leaf_hash_done;
    logic root_hash_done;
    /// Bit 0: full-round sub-engine; bit i: partial-round sub-engine i.
    logic [acclmt_pkg::MaxNumPartial:0] leaf_busy;
    logic [acclmt_pkg::MaxNumPartial:0] root_busy;
  } events_t;

endpackage
