//! IP-XACT, IEEE 1685-2014.

use std::io;

use super::super::{Access, Register, all_registers, upper_snake_case};
use super::{
    ADDRESSES, Part, SUMMARY, Xml, array_description, code_description, codes, inside, leaf, parts,
    value_bits, version, xml,
};

const NAMESPACE: &str = "http://www.accellera.org/XMLSchema/IPXACT/1685-2014";

/// The text of `rtl/registers/acclmt.xml`.
pub(super) fn render() -> String {
    let location = format!("{NAMESPACE} {NAMESPACE}/index.xsd");
    xml(|writer| {
        writer
            .create_element("ipxact:component")
            .with_attribute(("xmlns:ipxact", NAMESPACE))
            .with_attribute(("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"))
            .with_attribute(("xsi:schemaLocation", location.as_str()))
            .write_inner_content(|writer| {
                leaf(writer, "ipxact:vendor", "acclmt")?;
                leaf(writer, "ipxact:library", "acclmt")?;
                leaf(writer, "ipxact:name", "acclmt")?;
                leaf(writer, "ipxact:version", &version())?;
                inside(writer, "ipxact:memoryMaps", render_map)?;
                leaf(writer, "ipxact:description", SUMMARY)
            })?;
        Ok(())
    })
}

fn number(value: u32) -> String {
    format!("'h{value:X}")
}

fn render_map(writer: &mut Xml) -> io::Result<()> {
    inside(writer, "ipxact:memoryMap", |writer| {
        leaf(writer, "ipxact:name", "registers")?;
        inside(writer, "ipxact:addressBlock", |writer| {
            leaf(writer, "ipxact:name", "acclmt")?;
            leaf(writer, "ipxact:description", SUMMARY)?;
            leaf(writer, "ipxact:baseAddress", "'h0")?;
            leaf(writer, "ipxact:range", &number(ADDRESSES))?;
            // No register may be wider, and counters are one register.
            let width = all_registers().map(value_bits).max().unwrap_or(32);
            leaf(writer, "ipxact:width", &width.to_string())?;
            leaf(writer, "ipxact:usage", "register")?;
            all_registers().try_for_each(|register| render_register(writer, register))
        })?;
        leaf(writer, "ipxact:addressUnitBits", "8")
    })
}

fn render_register(writer: &mut Xml, register: &Register) -> io::Result<()> {
    inside(writer, "ipxact:register", |writer| {
        leaf(writer, "ipxact:name", &upper_snake_case(register.name))?;
        leaf(writer, "ipxact:description", &array_description(register))?;
        if register.count > 1 {
            leaf(writer, "ipxact:dim", &register.count.to_string())?;
        }
        leaf(writer, "ipxact:addressOffset", &number(register.address))?;
        leaf(writer, "ipxact:size", &value_bits(register).to_string())?;
        parts(register, value_bits(register))
            .iter()
            .try_for_each(|part| render_field(writer, register, part))
    })
}

fn render_field(writer: &mut Xml, register: &Register, part: &Part) -> io::Result<()> {
    let (access, is_volatile) = match register.access {
        Access::ReadOnly => ("read-only", true),
        Access::WriteOnly => ("write-only", false),
        Access::ReadWrite | Access::ReadWriteRuntime | Access::ReadWriteAnytime => {
            ("read-write", false)
        }
        Access::WriteOneToClear => ("read-write", true),
    };
    inside(writer, "ipxact:field", |writer| {
        leaf(writer, "ipxact:name", part.name)?;
        if let Some(description) = &part.description {
            leaf(writer, "ipxact:description", description)?;
        }
        leaf(writer, "ipxact:bitOffset", &part.lsb.to_string())?;
        if let Some(reset) = part.reset {
            inside(writer, "ipxact:resets", |writer| {
                inside(writer, "ipxact:reset", |writer| {
                    leaf(writer, "ipxact:value", &number(reset))
                })
            })?;
        }
        leaf(writer, "ipxact:bitWidth", &part.width.to_string())?;
        if is_volatile {
            leaf(writer, "ipxact:volatile", "true")?;
        }
        leaf(writer, "ipxact:access", access)?;
        if !codes(register).is_empty() {
            inside(writer, "ipxact:enumeratedValues", |writer| {
                codes(register).iter().try_for_each(|code| {
                    inside(writer, "ipxact:enumeratedValue", |writer| {
                        leaf(writer, "ipxact:name", code.name)?;
                        leaf(writer, "ipxact:description", &code_description(code))?;
                        leaf(writer, "ipxact:value", &number(code.code))
                    })
                })
            })?;
        }
        if register.access == Access::WriteOneToClear {
            leaf(writer, "ipxact:modifiedWriteValue", "oneToClear")?;
        }
        Ok(())
    })
}
