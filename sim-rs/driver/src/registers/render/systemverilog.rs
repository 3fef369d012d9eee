//! The package of the RTL.

use std::fmt::Write as _;

use super::super::{
    BUS_VERSION_VALUE, DMA_ERROR_CODES, DMA_VERSION_VALUE, ERROR_CODES, ID_VALUE, VERSION_VALUE,
    all_registers, upper_snake_case,
};
use super::{fold, names};

/// The text of `rtl/pkg/acclmt_reg_pkg.sv`.
pub(super) fn render() -> String {
    let mut out = String::from(
        "// Copyright AcclMT contributors.\n\
         // Licensed under the Apache License, Version 2.0, see LICENSE for details.\n\
         // SPDX-License-Identifier: Apache-2.0\n\
         //\n\
         // Register map of acclmt_core, its buses and its DMA: byte addresses, fields and error codes.\n\
         //\n\
         // Generated from sim-rs/driver/src/registers.rs; do not edit. Regenerate with\n\
         //   UPDATE_REGISTERS=1 cargo test -p acclmt-driver registers\n\
         \n\
         // A host sees every register; the hardware does not need every name of them.\n\
         /* verilator lint_off UNUSEDPARAM */\n\
         \n\
         package acclmt_reg_pkg;\n\n",
    );
    let _ = writeln!(
        out,
        "  localparam logic [31:0] IdValue = 32'h{ID_VALUE:08x};\n  \
         localparam logic [31:0] VersionValue = 32'h{VERSION_VALUE:08x};\n  \
         localparam logic [31:0] BusVersionValue = 32'h{BUS_VERSION_VALUE:08x};\n  \
         localparam logic [31:0] DmaVersionValue = 32'h{DMA_VERSION_VALUE:08x};\n\n  \
         // Byte addresses. A counter has 64 bits: its high word is 4 bytes on."
    );
    for register in all_registers() {
        for (name, address) in names(register) {
            let _ = writeln!(
                out,
                "  localparam logic [11:0] Reg{name} = 12'h{address:03x};"
            );
        }
    }
    for register in all_registers() {
        if register.fields.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n  // Fields of {}.", upper_snake_case(register.name));
        for field in register.fields {
            out.push_str(&fold(field.description, "  // ", 100));
            let name = format!("{}{}", register.name, field.name);
            if field.width == 1 {
                let _ = writeln!(out, "  localparam int unsigned {name}Bit = {};", field.lsb);
            } else {
                let _ = writeln!(
                    out,
                    "  localparam int unsigned {name}Lsb = {};\n  \
                     localparam int unsigned {name}Width = {};",
                    field.lsb, field.width
                );
            }
        }
        let _ = writeln!(
            out,
            "  // All of them.\n  localparam logic [31:0] {}Mask = 32'h{:08x};",
            register.name,
            register.mask()
        );
    }
    for (register, prefix, codes) in [
        ("ERROR", "Error", ERROR_CODES),
        ("DMA_ERROR", "DmaError", DMA_ERROR_CODES),
    ] {
        let _ = writeln!(out, "\n  // Codes of {register}.");
        for error in codes {
            out.push_str(&fold(error.description, "  // ", 100));
            let _ = writeln!(
                out,
                "  localparam logic [7:0] {prefix}{} = 8'd{};",
                error.name, error.code
            );
        }
    }
    out.push_str("\nendpackage\n\n/* verilator lint_on UNUSEDPARAM */\n");
    out
}
