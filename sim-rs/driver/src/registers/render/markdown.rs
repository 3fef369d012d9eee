//! The page of the documentation.

use std::fmt::Write as _;

use super::super::{ERROR_CODES, REGISTERS, upper_snake_case};

/// What a zeroisation covers, for `docs/registers.md`.
const ZEROISATION: &str = r"
## Zeroisation

Leaves may be witnesses, and constants may be secret. CONTROL.Zeroise overwrites what the chip holds of both, and
of the values that it computed from them:

- the node memories (leaf hash buffer, root hash buffer, scratch pad, both levels of the HIDM) with zero, word
  by word;
- the constant memories of both hash engines with zero, word by word, initial vectors and values of empty
  sub-trees included;
- the pipelines, the buffers in and between them, those of the stream edges, and the output registers of all
  memories, by a run of zero words with all constants zero that passes every stage and fills every place. It
  takes nothing from the data input, and nothing of it comes out;
- CONSTANT_DATA and the configuration: they read 0, a run-time PRIME as after a reset.

It begins with a clear, so that the counters, the error and INTERRUPT_STATUS of the run before are gone, too. How
many cycles it takes depends on how the chip is built, and on nothing that it holds.

Not covered, because they hold neither data nor constants: INTERRUPT_ENABLE; where the queues of the last tree
were in the node memories; the words of control that accompany data through pipelines and buffers (tags, levels,
indices). The register of the register port holds the last request. A macro that replaces a memory must not keep
what was overwritten.

In all but its clock cycles it is like a run. During it every command is refused, a clear as well, and so is every
write of configuration and constants; what is refused is reported as ever, and remains to be read. At its end
STATUS.Zeroised is set, and so is INTERRUPT_STATUS.Zeroised; STATUS.Done is 0. A host that must rely on it reads
STATUS.Zeroised: it is 0 where the command was refused.
";

/// The text of `docs/registers.md`.
pub(super) fn render() -> String {
    let mut out = String::from(
        "<!-- Generated from sim-rs/driver/src/registers.rs; do not edit. Regenerate with\n     \
         UPDATE_REGISTERS=1 cargo test -p acclmt-driver registers -->\n\n\
         # Registers\n\n\
         The register port of `acclmt_core` takes one request a cycle: a byte address that is a \
         multiple of 4,\nand 32 bits of data. The answer comes one cycle later. RO registers are \
         read only, WO write only, RW\nboth, W1C cleared by writing 1. RO/RW is RW on a chip with a \
         run-time modulus, RO on others. RW registers\nhold configuration and constants, and can be \
         written only while no run is in progress, if nothing else\nis said; a refused write changes \
         nothing, is answered with an error, and sets ERROR.\n\n\
         A request is registered, and acts in the cycle of its answer. A request sees what those \
         before it have\nchanged, without a wait between them.\n\n\
         Counters have 64 bits, the high word 4 bytes after the low word. Reading the low word \
         latches the\nhigh word. A start sets them to 0; after a run they stand \
         once STATUS.done reads 1.\n\n\
         | address | register | access | meaning |\n\
         |---|---|---|---|\n",
    );
    for register in REGISTERS {
        let name = upper_snake_case(register.name);
        let last = register.address + register.count * register.stride() - 4;
        let address = if last == register.address {
            format!("0x{:03X}", register.address)
        } else {
            format!("0x{:03X} to 0x{last:03X}", register.address)
        };
        let name = match register.first {
            Some(first) => format!("{name}_{first} to {name}_{}", first + register.count - 1),
            None => name,
        };
        let _ = writeln!(
            out,
            "| {address} | {name} | {}{} | {} |",
            register.access.abbreviation(),
            if register.counter { ", 64 bits" } else { "" },
            register.description
        );
    }
    out.push_str("\n## Fields\n");
    for register in REGISTERS {
        if register.fields.is_empty() {
            continue;
        }
        let _ = writeln!(
            out,
            "\n### {} (0x{:03X})\n\n| bits | field | meaning |\n|---|---|---|",
            upper_snake_case(register.name),
            register.address
        );
        for field in register.fields {
            let bits = if field.width == 1 {
                field.lsb.to_string()
            } else {
                format!("{}:{}", field.lsb + field.width - 1, field.lsb)
            };
            let _ = writeln!(out, "| {bits} | {} | {} |", field.name, field.description);
        }
    }
    out.push_str(ZEROISATION);
    out.push_str(
        "\n## Error codes\n\n| ERROR | name | meaning | ERROR_INFO |\n|---|---|---|---|\n",
    );
    for error in ERROR_CODES {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |",
            error.code, error.name, error.description, error.info
        );
    }
    out
}
