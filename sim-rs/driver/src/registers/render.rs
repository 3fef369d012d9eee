//! The files that are generated from the description of the registers, a module each. They are needed
//! where the description is changed and nowhere else, so that they are compiled for tests only.

mod c_header;
mod ip_xact;
mod markdown;
mod svd;
mod systemrdl;
mod systemverilog;

use std::path::Path;
use std::{env, fs};

use std::io;

use quick_xml::Writer;
use quick_xml::escape;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::{
    Access, DMA_ERROR, DMA_ERROR_CODES, ERROR, ERROR_CODES, ErrorCode, Register, VERSION_VALUE,
    upper_snake_case,
};

/// Name, in UpperCamelCase, and byte address of every register of a run; one pair for a single register.
fn names(register: &Register) -> impl Iterator<Item = (String, u32)> + '_ {
    (0..register.count).map(|position| match register.first {
        Some(first) => (
            format!("{}{}", register.name, first + position),
            register.at(position),
        ),
        None => (register.name.to_owned(), register.address),
    })
}

/// Folds `text` into lines of at most `width` characters, each behind `prefix`.
fn fold(text: &str, prefix: &str, width: usize) -> String {
    let mut out = String::new();
    let mut line = prefix.to_owned();
    for word in text.split_whitespace() {
        if line.len() > prefix.len() && line.len() + 1 + word.len() > width {
            out.push_str(line.trim_end());
            out.push('\n');
            line = prefix.to_owned();
        }
        if line.len() > prefix.len() {
            line.push(' ');
        }
        line.push_str(word);
    }
    out.push_str(line.trim_end());
    out.push('\n');
    out
}

/// What every file but the page of the documentation says of itself.
const NOTICE: [&str; 7] = [
    "Copyright AcclMT contributors.",
    "Licensed under the Apache License, Version 2.0, see LICENSE for details.",
    "SPDX-License-Identifier: Apache-2.0",
    "",
    "Register map of the chip. docs/registers.md, docs/buses.md and docs/dma.md explain it.",
    "",
    "Generated from sim-rs/driver/src/registers.rs; do not edit. Regenerate with\n  \
     UPDATE_REGISTERS=1 cargo test -p acclmt-driver registers",
];

/// What the address space is, for whoever knows nothing but the file.
const SUMMARY: &str = "Registers of AcclMT, an accelerator of Poseidon hashes and Merkle trees. Every access is one of 32 \
     bits at a multiple of 4. docs/registers.md says what a host may do when, and what a zeroisation \
     covers.";

/// Bytes of the address space.
const ADDRESSES: u32 = 0x1000;

/// Version of the register map in words.
fn version() -> String {
    let [_, major, minor, patch] = VERSION_VALUE.to_be_bytes();
    format!("{major}.{minor}.{patch}")
}

/// A field, or the whole of a register that has none.
struct Part {
    name: &'static str,
    lsb: u32,
    width: u32,
    /// `None` where the description of the register says it all.
    description: Option<String>,
    /// After a reset; `None` where it depends on how the chip is built.
    reset: Option<u32>,
}

/// The fields of a register whose value has `width` bits; one, of all bits, where it has none.
fn parts(register: &Register, width: u32) -> Vec<Part> {
    if register.fields.is_empty() {
        return vec![Part {
            name: "Value",
            lsb: 0,
            width,
            description: None,
            reset: register.reset,
        }];
    }
    (register.fields.iter())
        .map(|field| Part {
            name: field.name,
            lsb: field.lsb,
            width: field.width,
            description: Some(plain(field.description)),
            reset: register.reset.map(|value| field.get(value)),
        })
        .collect()
}

/// The values of a register that have names.
fn codes(register: &Register) -> &'static [ErrorCode] {
    match *register {
        ERROR => ERROR_CODES,
        DMA_ERROR => DMA_ERROR_CODES,
        _ => &[],
    }
}

/// What a code means, and what ERROR_INFO then is.
fn code_description(code: &ErrorCode) -> String {
    if code.info.is_empty() {
        return plain(code.description);
    }
    plain(&format!("{} ERROR_INFO: {}.", code.description, code.info))
}

/// Text without the marks of the documentation's page.
fn plain(text: &str) -> String {
    text.replace('`', "")
}

/// What a register means and what a host may do with it, for formats that cannot say all of it otherwise.
fn description(register: &Register) -> String {
    let access = match register.access {
        Access::ReadOnly | Access::WriteOneToClear => "",
        Access::WriteOnly => " It reads 0.",
        Access::ReadWrite => " It can be written only while no run is in progress.",
        Access::ReadWriteRuntime => {
            " It can be written only on a chip with a run-time modulus, while no run is in progress."
        }
        Access::ReadWriteAnytime => " It can be written at any time.",
    };
    let reset = match register.reset {
        Some(_) => "",
        None => " Its value after a reset depends on how the chip is built.",
    };
    plain(&format!("{}{access}{reset}", register.description))
}

/// The same where an array counts its elements from 0.
fn array_description(register: &Register) -> String {
    let mut out = description(register);
    if let Some(first) = register.first.filter(|&first| first > 0) {
        out += &format!(
            " Element 0 of the array is {}_{first}.",
            upper_snake_case(register.name)
        );
    }
    if register.counter {
        out += " Its words are read one by one, the low word first: that latches the high word.";
    }
    out
}

/// Bits of the value of a register, a counter's with its high word.
fn value_bits(register: &Register) -> u32 {
    8 * register.stride()
}

/// Writes XML.
type Xml = Writer<Vec<u8>>;

/// The text of an XML file whose content `write` writes.
fn xml(write: impl FnOnce(&mut Xml) -> io::Result<()>) -> String {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    let notice = format!("\n  {}\n", NOTICE.join("\n  ")).replace("\n  \n", "\n\n");
    let declaration = Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None));
    let written = (writer.write_event(declaration))
        .and_then(|()| writer.write_event(Event::Comment(BytesText::from_escaped(notice))))
        .and_then(|()| write(&mut writer));
    written.expect("a vector takes all that is written");
    let mut text = String::from_utf8(writer.into_inner()).expect("all that is written is text");
    text.push('\n');
    text
}

/// Writes the element `name` with a text in it.
fn leaf(writer: &mut Xml, name: &str, text: &str) -> io::Result<()> {
    let text = BytesText::from_escaped(escape::partial_escape(text));
    writer.create_element(name).write_text_content(text)?;
    Ok(())
}

/// Writes the element `name` with what `write` writes in it.
fn inside(
    writer: &mut Xml,
    name: &str,
    write: impl FnOnce(&mut Xml) -> io::Result<()>,
) -> io::Result<()> {
    writer.create_element(name).write_inner_content(write)?;
    Ok(())
}

/// Compares a committed file with its rendering, or writes it when `UPDATE_REGISTERS` is set.
fn check_generated(path: &str, rendering: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path);
    if env::var_os("UPDATE_REGISTERS").is_some() {
        fs::write(&path, rendering).unwrap();
        return;
    }
    let committed = fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    assert!(
        committed == rendering,
        "{} differs from the description in sim-rs/driver/src/registers.rs; regenerate it with\n  \
         UPDATE_REGISTERS=1 cargo test -p acclmt-driver registers",
        path.display()
    );
}

#[test]
fn systemverilog_package_is_up_to_date() {
    check_generated("rtl/pkg/acclmt_reg_pkg.sv", &systemverilog::render());
}

#[test]
fn documentation_page_is_up_to_date() {
    check_generated("docs/registers.md", &markdown::render());
}

#[test]
fn systemrdl_is_up_to_date() {
    check_generated("rtl/registers/acclmt.rdl", &systemrdl::render());
}

#[test]
fn c_header_is_up_to_date() {
    check_generated("rtl/registers/acclmt_registers.h", &c_header::render());
}

#[test]
fn svd_is_up_to_date() {
    check_generated("rtl/registers/acclmt.svd", &svd::render());
}

#[test]
fn ip_xact_is_up_to_date() {
    check_generated("rtl/registers/acclmt.xml", &ip_xact::render());
}

#[test]
fn lines_fit_the_style() {
    for text in [
        systemverilog::render(),
        systemrdl::render(),
        c_header::render(),
    ] {
        for line in text.lines() {
            assert!(line.len() <= 100, "too long: {line}");
        }
    }
}
