// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: the bit that flips in a memory with the next clock edge, if one does, and the
/// words that memories hold.
package acclmt_tb_flips_pkg;

  typedef struct packed {
    logic valid;
    /// The bit beside it flips, too.
    logic two;
    /// Words other than zero are counted.
    logic look;
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

  /// Words other than zero that were counted so far, and a sum of what they and their memories are.
  int unsigned words_found = 0;
  int unsigned sum_found = 0;
  function automatic void found_word(input int unsigned memory, input int unsigned digest);
    words_found = words_found + 1;
    sum_found = sum_found + ((digest ^ (memory * 32'h85eb_ca6b)) * 32'h9e37_79b1);
  endfunction

endpackage
