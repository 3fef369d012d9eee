//! CMSIS-SVD 1.3. A counter is two registers of 32 bits here: code that is made from an SVD file reads a
//! register of 64 bits in an order that is nobody's promise.

use std::io;

use super::super::{Access, Register, all_registers, upper_snake_case};
use super::{
    ADDRESSES, SUMMARY, Xml, code_description, codes, description, inside, leaf, parts, version,
    xml,
};

/// The text of `rtl/registers/acclmt.svd`.
pub(super) fn render() -> String {
    xml(|writer| {
        writer
            .create_element("device")
            .with_attribute(("schemaVersion", "1.3"))
            .with_attribute(("xmlns:xs", "http://www.w3.org/2001/XMLSchema-instance"))
            .with_attribute(("xs:noNamespaceSchemaLocation", "CMSIS-SVD.xsd"))
            .write_inner_content(|writer| {
                leaf(writer, "name", "ACCLMT")?;
                leaf(writer, "version", &version())?;
                leaf(writer, "description", SUMMARY)?;
                leaf(writer, "addressUnitBits", "8")?;
                leaf(writer, "width", "32")?;
                leaf(writer, "size", "32")?;
                leaf(writer, "resetValue", "0x0")?;
                leaf(writer, "resetMask", "0xFFFFFFFF")?;
                inside(writer, "peripherals", |writer| {
                    inside(writer, "peripheral", render_peripheral)
                })
            })?;
        Ok(())
    })
}

fn render_peripheral(writer: &mut Xml) -> io::Result<()> {
    leaf(writer, "name", "ACCLMT")?;
    leaf(writer, "version", &version())?;
    leaf(
        writer,
        "description",
        &format!("{SUMMARY} The base address is the system's: 0 stands for it."),
    )?;
    leaf(writer, "baseAddress", "0x0")?;
    inside(writer, "addressBlock", |writer| {
        leaf(writer, "offset", "0x0")?;
        leaf(writer, "size", &format!("0x{ADDRESSES:X}"))?;
        leaf(writer, "usage", "registers")
    })?;
    inside(writer, "registers", |writer| {
        all_registers().try_for_each(|register| {
            render_register(writer, register, "", 0)?;
            if register.counter {
                render_register(writer, register, "_HIGH", 4)?;
            }
            Ok(())
        })
    })
}

/// Writes a register, or the word at `offset` of a counter.
fn render_register(
    writer: &mut Xml,
    register: &Register,
    suffix: &str,
    offset: u32,
) -> io::Result<()> {
    let name = upper_snake_case(register.name);
    let description = match (register.counter, offset) {
        (true, 0) => format!(
            "{} This is the low word; reading it latches the high word.",
            description(register)
        ),
        (true, _) => format!("High word of {name}, as latched when the low word was read."),
        (false, _) => description(register),
    };
    inside(writer, "register", |writer| {
        if let Some(first) = register.first {
            let last = first + register.count - 1;
            leaf(writer, "dim", &register.count.to_string())?;
            leaf(writer, "dimIncrement", &register.stride().to_string())?;
            leaf(writer, "dimIndex", &format!("{first}-{last}"))?;
            leaf(writer, "name", &format!("{name}_%s{suffix}"))?;
        } else {
            leaf(writer, "name", &format!("{name}{suffix}"))?;
        }
        leaf(writer, "description", &description)?;
        leaf(
            writer,
            "addressOffset",
            &format!("0x{:03X}", register.address + offset),
        )?;
        let access = match register.access {
            Access::ReadOnly => "read-only",
            Access::WriteOnly => "write-only",
            Access::ReadWrite
            | Access::ReadWriteRuntime
            | Access::ReadWriteAnytime
            | Access::WriteOneToClear => "read-write",
        };
        leaf(writer, "access", access)?;
        match register.reset {
            Some(0) => {}
            Some(value) => leaf(writer, "resetValue", &format!("0x{value:08X}"))?,
            None => leaf(writer, "resetMask", "0x00000000")?,
        }
        if register.access == Access::WriteOneToClear {
            leaf(writer, "modifiedWriteValues", "oneToClear")?;
        }
        inside(writer, "fields", |writer| render_fields(writer, register))
    })
}

fn render_fields(writer: &mut Xml, register: &Register) -> io::Result<()> {
    parts(register, 32).iter().try_for_each(|part| {
        inside(writer, "field", |writer| {
            leaf(writer, "name", part.name)?;
            if let Some(description) = &part.description {
                leaf(writer, "description", description)?;
            }
            leaf(writer, "bitOffset", &part.lsb.to_string())?;
            leaf(writer, "bitWidth", &part.width.to_string())?;
            if codes(register).is_empty() {
                return Ok(());
            }
            inside(writer, "enumeratedValues", |writer| {
                codes(register).iter().try_for_each(|code| {
                    inside(writer, "enumeratedValue", |writer| {
                        leaf(writer, "name", code.name)?;
                        leaf(writer, "description", &code_description(code))?;
                        leaf(writer, "value", &code.code.to_string())
                    })
                })
            })
        })
    })
}
