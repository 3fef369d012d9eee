// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: what tb/verilated/build.rs makes of the default features of its crate, for benches that
/// are elaborated for a netlist with mutants.
package acclmt_tb_build_pkg;
  localparam logic [255:0] Prime =
      256'h73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001;
  localparam int unsigned Reduction = 0;
endpackage
