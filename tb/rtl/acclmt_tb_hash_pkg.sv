// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: what stands for a hash in acclmt_tb_hash_engine. It depends on every word and
/// its position, on the map and the kind of the block, and on the parameter set.
package acclmt_tb_hash_pkg;

  function automatic logic [63:0] mix(input logic [63:0] state, input logic [63:0] value);
    logic [63:0] product;
    product = (state ^ value) * 64'h9e37_79b9_7f4a_7c15;
    mix = (product ^ (product >> 29)) + 64'h7f4a_7c15;
  endfunction

  /// A block before its first word; each word is mixed into it.
  function automatic logic [63:0] empty_block(input acclmt_pkg::position_map_t map,
                                              input logic overwrite);
    empty_block = mix(64'd77 ^ 64'(map[119:63]), {map[62:48], overwrite, map[47:0]});
  endfunction

  /// The state behind a permutation, of what was absorbed.
  function automatic logic [63:0] permuted(input logic [63:0] absorbed,
                                           input acclmt_pkg::set_t set);
    permuted = mix(absorbed, 64'd1000 + 64'(set));
  endfunction

  /// A word of the digest.
  function automatic logic [63:0] digest_word(input logic [63:0] state, input int unsigned number);
    digest_word = (number == 0) ? state : mix(state, 64'(number));
  endfunction

endpackage
