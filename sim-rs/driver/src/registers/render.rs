//! The files that are generated from the description of the registers, a module each. They are needed
//! where the description is changed and nowhere else, so that they are compiled for tests only.

mod markdown;
mod systemverilog;

use std::path::Path;
use std::{env, fs};

use super::Register;

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
fn lines_of_the_package_fit_the_style() {
    for line in systemverilog::render().lines() {
        assert!(line.len() <= 100, "too long: {line}");
    }
}
