// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: the bit that flips in a memory with the next clock edge, if one does.
package acclmt_tb_flips_pkg;

  typedef struct packed {
    logic valid;
    /// The bit beside it flips, too.
    logic two;
    /// Number of the memory; word and bit, modulo what it has.
    logic [15:0] memory;
    logic [31:0] place;
    logic [31:0] position;
  } flip_t;
  flip_t flip = '0;

  /// Memories number themselves.
  int unsigned memories = 0;
  function automatic int unsigned next_number();
    next_number = memories;
    memories = memories + 1;
  endfunction

endpackage
