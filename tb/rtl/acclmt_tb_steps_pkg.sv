// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: what a top with two clocks shares with its synchronisers, whose ports are those
/// of the design. The clock of the bench is a time step; the clocks of the design come out of flops
/// of it, and so rise and fall together or in different steps.
package acclmt_tb_steps_pkg;

  /// Random bits that a top has for every step; each bit of a synchroniser takes one for its own.
  localparam int unsigned RandomBits = 64;

  /// The time step, and the random bits of this one: the top drives them.
  logic step;
  logic [RandomBits-1:0] random;

  /// Random bits that have been given to synchronisers.
  int unsigned given = 0;

endpackage
