// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The C header has the numbers of the protocol, all of them.

#![cfg(unix)]

use std::collections::BTreeMap;

use acclmt_serve::protocol::{self, Code, kind};

#[test]
fn the_header_has_the_numbers_of_the_protocol() {
    let header = include_str!("../include/acclmt_serve.h");
    let mut found = BTreeMap::new();
    for line in header.lines() {
        let Some(define) = line.strip_prefix("#define ACCLMT_SERVE_") else {
            continue;
        };
        let mut words = define.split_whitespace();
        let (name, value) = (words.next().unwrap(), words.next());
        let Some(value) = value.and_then(|value| value.strip_suffix('u')) else {
            continue;
        };
        let number = match value.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => value.parse(),
        };
        found.insert(name.to_owned(), number.unwrap());
    }
    assert!(header.contains("#define ACCLMT_SERVE_MAGIC \"ACCLMTSV\"\n"));
    assert_eq!(&protocol::MAGIC, b"ACCLMTSV");
    let expected = [
        ("VERSION", protocol::VERSION),
        ("HEADER_BYTES", protocol::HEADER_BYTES as u32),
        ("WORD_BYTES", 32),
        ("OUTPUT_BYTES", 48),
        ("MAX_WRITES", protocol::MAX_WRITES as u32),
        ("MAX_WORDS", protocol::MAX_WORDS as u32),
        ("MAX_CYCLES", protocol::MAX_CYCLES),
        ("MAX_TEXT", protocol::MAX_TEXT as u32),
        ("MAP_BYTES", protocol::MAP_BYTES),
        ("HELLO", kind::HELLO),
        ("WRITE", kind::WRITE),
        ("READ", kind::READ),
        ("BEGIN_RUN", kind::BEGIN_RUN),
        ("TRANSFER", kind::TRANSFER),
        ("CLEAR", kind::CLEAR),
        ("GOODBYE", kind::GOODBYE),
        ("KEEP", kind::KEEP),
        ("WELCOME", kind::WELCOME),
        ("WAITING", kind::WAITING),
        ("DONE", kind::DONE),
        ("VALUE", kind::VALUE),
        ("MOVED", kind::MOVED),
        ("FAILED", kind::FAILED),
        ("FLAG_LAST", 1),
        ("FLAG_VOID", 2),
        ("CODE_NO_GREETING", Code::NoGreeting as u32),
        ("CODE_VERSION", Code::Version as u32),
        ("CODE_MESSAGE", Code::Message as u32),
        ("CODE_LENGTH", Code::Length as u32),
        ("CODE_VALUE", Code::Value as u32),
        ("CODE_SLOW", Code::Slow as u32),
        ("CODE_IDLE", Code::Idle as u32),
        ("CODE_FULL", Code::Full as u32),
        ("CODE_CHIP", Code::Chip as u32),
        ("CODE_STOPS", Code::Stops as u32),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value));
    assert_eq!(found, BTreeMap::from(expected));
}
