//! SystemRDL 2.0.

use std::fmt::Write as _;

use super::super::{Access, Register, all_registers, upper_snake_case};
use super::{
    NOTICE, Part, SUMMARY, array_description, code_description, codes, fold, parts, value_bits,
    version,
};

/// The text of `rtl/registers/acclmt.rdl`.
pub(super) fn render() -> String {
    let mut out = String::new();
    for line in NOTICE.iter().flat_map(|text| text.split('\n')) {
        let _ = writeln!(out, "{}", format!("// {line}").trim_end());
    }
    let _ = write!(
        out,
        "\naddrmap acclmt {{\n  name = \"AcclMT, register map {}\";\n{}  \
         addressing = regalign;\n  default regwidth = 32;\n  default accesswidth = 32;\n",
        version(),
        text("  ", SUMMARY),
    );
    for register in all_registers() {
        render_register(&mut out, register);
    }
    out.push_str("};\n");
    out
}

fn render_register(out: &mut String, register: &Register) {
    let name = upper_snake_case(register.name);
    let codes = codes(register);
    out.push('\n');
    if !codes.is_empty() {
        let _ = writeln!(out, "  enum {name}_CODE {{");
        for code in codes {
            let _ = writeln!(
                out,
                "    {} = 32'd{} {{\n{}    }};",
                code.name,
                code.code,
                text("      ", &code_description(code))
            );
        }
        out.push_str("  };\n\n");
    }
    out.push_str("  reg {\n");
    out.push_str(&text("    ", &array_description(register)));
    if register.counter {
        out.push_str("    regwidth = 64;\n");
    }
    for part in parts(register, value_bits(register)) {
        render_field(out, register, &part, !codes.is_empty());
    }
    let _ = write!(out, "  }} {name}");
    if register.count > 1 {
        let _ = write!(out, "[{}]", register.count);
    }
    let _ = write!(out, " @ 0x{:03X}", register.address);
    if register.count > 1 {
        let _ = write!(out, " += {}", register.stride());
    }
    out.push_str(";\n");
}

fn render_field(out: &mut String, register: &Register, part: &Part, has_codes: bool) {
    out.push_str("    field {\n");
    if let Some(description) = &part.description {
        out.push_str(&text("      ", description));
    }
    let access = match register.access {
        Access::ReadOnly => "sw = r; hw = w;",
        // A command is gone when it has been taken.
        Access::WriteOnly if part.width == 1 => "sw = w; hw = r; singlepulse;",
        Access::WriteOnly => "sw = w; hw = r;",
        Access::ReadWrite | Access::ReadWriteRuntime | Access::ReadWriteAnytime => {
            "sw = rw; hw = r;"
        }
        Access::WriteOneToClear => "sw = rw; onwrite = woclr; hw = w; hwset;",
    };
    let _ = writeln!(out, "      {access}");
    if has_codes {
        let _ = writeln!(
            out,
            "      encode = {}_CODE;",
            upper_snake_case(register.name)
        );
    }
    let _ = write!(
        out,
        "    }} {}[{}:{}]",
        part.name,
        part.lsb + part.width - 1,
        part.lsb
    );
    if let Some(reset) = part.reset {
        let _ = write!(out, " = 0x{reset:X}");
    }
    out.push_str(";\n");
}

/// The property `desc`, in lines behind `indent`.
fn text(indent: &str, description: &str) -> String {
    let description = description.replace('\\', "\\\\").replace('"', "\\\"");
    let one_line = format!("{indent}desc = \"{description}\";\n");
    if one_line.len() <= 101 {
        return one_line;
    }
    // The quotation marks and the semicolon need their places, too.
    let lines = fold(&description, &format!("{indent}   "), 98);
    format!("{indent}desc =\n{indent}  \"{}\";\n", lines.trim())
}
