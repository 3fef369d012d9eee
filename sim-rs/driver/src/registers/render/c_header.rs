//! The header for C and C++: macros, and nothing that depends on how a host reaches the registers.

use std::fmt::Write as _;

use super::super::{
    BUS_VERSION_VALUE, DMA_ERROR_CODES, DMA_VERSION_VALUE, ERROR_CODES, ID_VALUE, Register,
    VERSION_VALUE, all_registers, upper_snake_case,
};
use super::{NOTICE, SUMMARY, code_description, description, fold, plain};

/// The text of `rtl/registers/acclmt_registers.h`.
pub(super) fn render() -> String {
    let mut out = String::from("/*\n");
    for line in NOTICE.iter().flat_map(|text| text.split('\n')) {
        let _ = writeln!(out, "{}", format!(" * {line}").trim_end());
    }
    out.push_str(" *\n");
    out.push_str(&fold(SUMMARY, " * ", 100));
    out.push_str(
        " *\n\
         \x20* ACCLMT_REG_x        byte address of a register; of an array, of the register with that number\n\
         \x20* ACCLMT_REG_x_HIGH   the same of the high word of a counter of 64 bits; reading the low word,\n\
         \x20*                     at ACCLMT_REG_x, latches it\n\
         \x20* ACCLMT_x_FIRST      number of the first register of an array\n\
         \x20* ACCLMT_x_COUNT      number of registers of an array\n\
         \x20* ACCLMT_x_RESET      what a register reads after a reset, of counters both words\n\
         \x20* ACCLMT_x_y_LSB      position of the least significant bit of a field\n\
         \x20* ACCLMT_x_y_WIDTH    number of bits of a field\n\
         \x20* ACCLMT_x_y_MASK     the bits of a field\n\
         \x20* ACCLMT_ERROR_x      a code of ERROR\n\
         \x20* ACCLMT_DMA_ERROR_x  a code of DMA_ERROR\n\
         \x20*/\n\n\
         #ifndef ACCLMT_REGISTERS_H_\n#define ACCLMT_REGISTERS_H_\n",
    );
    out.push_str("\n/* What ID and the versions read. */\n");
    for (name, value) in [
        ("ID", ID_VALUE),
        ("VERSION", VERSION_VALUE),
        ("BUS_VERSION", BUS_VERSION_VALUE),
        ("DMA_VERSION", DMA_VERSION_VALUE),
    ] {
        define(
            &mut out,
            &format!("ACCLMT_{name}_VALUE"),
            &format!("0x{value:08X}u"),
        );
    }
    for register in all_registers() {
        render_register(&mut out, register);
    }
    for (register, codes) in [("ERROR", ERROR_CODES), ("DMA_ERROR", DMA_ERROR_CODES)] {
        let _ = writeln!(out, "\n/* Codes of {register}. */");
        for error in codes {
            out.push_str(&comment(&code_description(error)));
            let name = format!("ACCLMT_{register}_{}", upper_snake_case(error.name));
            define(&mut out, &name, &format!("{}u", error.code));
        }
    }
    out.push_str("\n#endif /* ACCLMT_REGISTERS_H_ */\n");
    out
}

fn render_register(out: &mut String, register: &Register) {
    let name = upper_snake_case(register.name);
    out.push('\n');
    out.push_str(&comment(&format!(
        "{name} ({}). {}",
        register.access.abbreviation(),
        description(register)
    )));
    let mut address = |suffix: &str, offset: u32| {
        let address = register.address + offset;
        let name = format!("ACCLMT_REG_{name}{suffix}");
        match register.first {
            None => define(out, &name, &format!("0x{address:03X}u")),
            Some(first) => define(
                out,
                &format!("{name}(number)"),
                &format!(
                    "(0x{address:03X}u + {}u * ((number) - {first}u))",
                    register.stride()
                ),
            ),
        }
    };
    address("", 0);
    if register.counter {
        address("_HIGH", 4);
    }
    if let Some(first) = register.first {
        define(out, &format!("ACCLMT_{name}_FIRST"), &format!("{first}u"));
        define(
            out,
            &format!("ACCLMT_{name}_COUNT"),
            &format!("{}u", register.count),
        );
    }
    if let Some(reset) = register.reset {
        define(
            out,
            &format!("ACCLMT_{name}_RESET"),
            &format!("0x{reset:08X}u"),
        );
    }
    for field in register.fields {
        out.push_str(&comment(&plain(field.description)));
        let field_name = format!("ACCLMT_{name}_{}", upper_snake_case(field.name));
        define(
            out,
            &format!("{field_name}_LSB"),
            &format!("{}u", field.lsb),
        );
        define(
            out,
            &format!("{field_name}_WIDTH"),
            &format!("{}u", field.width),
        );
        define(
            out,
            &format!("{field_name}_MASK"),
            &format!("0x{:08X}u", field.with(u32::MAX)),
        );
    }
}

fn define(out: &mut String, name: &str, value: &str) {
    let _ = writeln!(out, "#define {name} {value}");
}

/// A comment, in as many lines as it needs.
fn comment(text: &str) -> String {
    assert!(!text.contains("*/"), "ends a comment: {text}");
    let line = format!("/* {text} */\n");
    if line.len() <= 101 {
        return line;
    }
    format!("/*\n{} */\n", fold(text, " * ", 100))
}
