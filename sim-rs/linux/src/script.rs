// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Runs of a chip with DMA that are written down, such as `docs/examples/first-hash-dma.txt`, for tests: a program
//! that knows nothing of what the lines mean does them.

use std::time::Duration;

use crate::port::{Board, DmaMemory};

/// How often a register is read that does not hold what it should.
const MOST_READS: u32 = 100_000;

/// How long the chip may work between two reads.
const PAUSE: Duration = Duration::from_millis(1);

/// Does every line of `text`, from the first to the last.
///
/// # Errors
///
/// The number of the line, and what is wrong with it: it is none, its address is not within the memory, a register
/// never holds what the line waits for, or memory holds something else than is expected.
pub fn run(text: &str, board: &mut impl Board, memory: &mut impl DmaMemory) -> Result<(), String> {
    for (number, line) in text.lines().enumerate() {
        let code = line.split('#').next().unwrap_or_default().trim();
        if !code.is_empty() {
            step(code, board, memory).map_err(|error| format!("line {}: {error}", number + 1))?;
        }
    }
    Ok(())
}

fn step(code: &str, board: &mut impl Board, memory: &mut impl DmaMemory) -> Result<(), String> {
    let words: Vec<_> = code.split_whitespace().collect();
    let &[command, address, value] = words.as_slice() else {
        return Err(format!(
            "'{code}' is no command with an address and a value"
        ));
    };
    let address =
        u64::from_str_radix(address, 16).map_err(|error| format!("{address}: {error}"))?;
    match command {
        "write" => {
            let (register, value) = register(address, value)?;
            board.write(register, value);
        }
        "wait" => {
            let (register, value) = register(address, value)?;
            for _ in 0..MOST_READS {
                if board.read(register) == value {
                    return Ok(());
                }
                board.wait(PAUSE).map_err(|error| error.to_string())?;
            }
            let found = board.read(register);
            return Err(format!(
                "register 0x{register:X} holds 0x{found:X}, and never 0x{value:X}"
            ));
        }
        "memory" => {
            let bytes = number(value)?;
            let offset = offset(memory, address, bytes.len())?;
            memory.copy_in(offset, &bytes);
        }
        "expect" => {
            let bytes = number(value)?;
            let mut found = vec![0; bytes.len()];
            memory.copy_out(offset(memory, address, bytes.len())?, &mut found);
            if found != bytes {
                return Err(format!(
                    "memory at 0x{address:X} holds {found:02x?} instead of {bytes:02x?}"
                ));
            }
        }
        _ => return Err(format!("there is no command '{command}'")),
    }
    Ok(())
}

fn register(address: u64, value: &str) -> Result<(u32, u32), String> {
    let value = u32::from_str_radix(value, 16).map_err(|error| format!("{value}: {error}"))?;
    match u32::try_from(address) {
        Ok(register) if register < 0x1000 => Ok((register, value)),
        _ => Err(format!("there is no register 0x{address:X}")),
    }
}

/// A number of two digits for each byte, as it stands in memory.
fn number(digits: &str) -> Result<Vec<u8>, String> {
    if !digits.is_ascii() || !digits.len().is_multiple_of(2) {
        return Err(format!("{digits} has no two digits for every byte"));
    }
    let places = (0..digits.len()).step_by(2).rev();
    places
        .map(|place| u8::from_str_radix(&digits[place..place + 2], 16))
        .collect::<Result<_, _>>()
        .map_err(|error| format!("{digits}: {error}"))
}

fn offset(memory: &impl DmaMemory, address: u64, bytes: usize) -> Result<usize, String> {
    let offset = address
        .checked_sub(memory.address())
        .and_then(|offset| usize::try_from(offset).ok());
    offset
        .filter(|offset| {
            offset
                .checked_add(bytes)
                .is_some_and(|end| end <= memory.bytes())
        })
        .ok_or_else(|| format!("0x{address:X} is not within the memory"))
}
