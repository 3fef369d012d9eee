// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Clock gate: every clock gate of the chip, of which there are some with `EngineRestCycles` only.
/// This one is a model of behaviour, a latch and a gate.
///
/// For an ASIC an integrator replaces this one file by a module with the same name and ports, which
/// has the library's clock gate in it, and connects its test enable as the scan chain asks for. It
/// may count on this: `enable_i` comes from registers of `clk_i` and settles within the cycle, and
/// is known from the reset on. FPGAs do without (`EngineRestCycles` = 0).
///
/// Handshake:  none.
/// Latency:    none. `clk_o` has the next pulse of `clk_i` if `enable_i` is set before it, and no
///             part of it otherwise.
/// Throughput: an edge a cycle.
module acclmt_clock_gate (
  /// Clock.
  input logic clk_i,
  /// Whether the next rising edge passes.
  input logic enable_i,
  /// The gated clock.
  output logic clk_o
);

  // Open while the clock is low, so that the gate sees no change while it is high.
  logic enable;
  always_latch begin
    if (!clk_i) enable = enable_i;
  end
  assign clk_o = clk_i && enable;

endmodule
