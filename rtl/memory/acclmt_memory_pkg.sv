// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Configuration of the memories: what macros take besides their accesses, as the margins of their
/// internal timing. `acclmt_core` hands its input `memory_config_i` to every `acclmt_mem_1r1w`
/// unchanged and looks at no bit of it, so that an integrator whose macros have other pins changes
/// this structure and the wrapper, and nothing else.
package acclmt_memory_pkg;

  /// Quasi-static: comes from registers or fuses of the integrator, is known from the reset on, and
  /// changes only while no run is under way and nothing is written. Memories need not keep their
  /// content over a change. No timing holds for it: it is a false path.
  typedef struct packed {
    /// The read port takes `read_margin` in place of the margin that the macro has by itself.
    logic read_margin_enable;
    /// Extra margin of a read in the steps of the macro, as its data sheet numbers them.
    logic [3:0] read_margin;
    /// The same for the write port.
    logic write_margin_enable;
    logic [3:0] write_margin;
  } memory_config_t;

  // Not every top has a memory.
  /* verilator lint_off UNUSEDPARAM */

  /// Bits of the configuration (acclmt_core refuses another number).
  localparam int unsigned MemoryConfigWidth = 10;
  /// The macros' own margins.
  localparam memory_config_t MemoryConfigDefault = '0;

  /* verilator lint_on UNUSEDPARAM */

endpackage
