//! The page of the documentation.

use std::fmt::Write as _;

use super::super::{Access, ERROR_CODES, Register, all_registers, upper_snake_case};

/// What a zeroisation covers, for `docs/registers.md`.
const ZEROISATION: &str = r"
## Zeroisation

Leaves may be witnesses, and constants may be secret. CONTROL.Zeroise overwrites what the chip holds of both, and
of the values that it computed from them:

- the node memory with zero, word by word;
- the constant memories of both hash engines with zero, word by word, initial vectors and values of empty
  sub-trees included;
- the pipelines, the buffers in and between them, those of the stream edges, and the output registers of all
  memories, by a run of zero words with all constants zero that passes every stage and fills every place. It
  takes nothing from the data input, and nothing of it comes out;
- CONSTANT_DATA and the configuration: they read 0, a run-time PRIME as after a reset.

It begins with a clear, so that the counters, the error and INTERRUPT_STATUS of the run before are gone, too. How
many cycles it takes depends on how the chip is built, and on nothing that it holds.

Not covered, because they hold neither data nor constants: INTERRUPT_ENABLE; where the queues of the last tree
were in the node memory; the words of control that accompany data through pipelines and buffers (tags, levels,
indices). The register of the register port holds the last request. A macro that replaces a memory must not keep
what was overwritten.

In all but its clock cycles it is like a run. During it every command is refused, a clear as well, and so is every
write of configuration and constants; what is refused is reported as ever, and remains to be read. At its end
STATUS.Zeroised is set, and so is INTERRUPT_STATUS.Zeroised; STATUS.Done is 0. A host that must rely on it reads
STATUS.Zeroised: it is 0 where the command was refused.
";

/// The other files that are generated, for `docs/registers.md`.
const FORMATS: &str = r"
## For other tools

The folder `rtl/registers/` has this map in other formats:

| file | format | for |
|---|---|---|
| `rtl/registers/acclmt.rdl` | SystemRDL 2.0 | PeakRDL and others: documentation, models of registers for testbenches, headers |
| `rtl/registers/acclmt_registers.h` | C and C++ | drivers: addresses, fields, values after a reset and error codes, as macros |
| `rtl/registers/acclmt.svd` | CMSIS-SVD 1.3 | debuggers, and generators of access code, such as svd2rust |
| `rtl/registers/acclmt.xml` | IP-XACT, IEEE 1685-2014 | tools that put systems on a chip together |

They differ in what the formats can say:

- Arrays: the header and SVD number the registers as this page does; SystemRDL and IP-XACT count elements from 0, so
  that `LEAF_BUSY_PARTIAL[0]` is LEAF_BUSY_PARTIAL_1.
- Counters: SystemRDL and IP-XACT have one register of 64 bits, which is accessed in words of 32; the header and
  SVD have a register for each word, because the low word has to be read first. The high words are CYCLES_HIGH and so on.
- A register that is one value has a field `Value`. In C it has none.
- PRIME can be written in all of them. RADIX_SQUARED is in all of them, and so are 31 registers of LEVEL_TABLE: read
  CAPS_FIELD and CAPS_TREE for what a chip has.
- When a write is refused stands in the descriptions only.

All of them come from the description that this page comes from. `.ci/run registers` has PeakRDL read the SystemRDL
file, and compares what it makes of it with the other files and with the constants of the RTL.
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
         The registers from 0x800 on are those of the [streams](buses.md), on a chip with buses, those from 0x900 \
         on those of the\n[DMA](dma.md), on a chip with DMA. BUS_VERSION and DMA_VERSION tell whether they are \
         there.\n\n\
         The column \"reset\" is what a register reads after a reset; *built* stands for a value that \
         depends on\nhow the chip is built. The same map is there [for other tools](#for-other-tools).\n\n\
         | address | register | access | reset | meaning |\n\
         |---|---|---|---|---|\n",
    );
    for register in all_registers() {
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
            "| {address} | {name} | {}{} | {} | {} |",
            register.access.abbreviation(),
            if register.counter { ", 64 bits" } else { "" },
            reset(register),
            register.description
        );
    }
    out.push_str("\n## Fields\n");
    for register in all_registers() {
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
    out.push_str(FORMATS);
    out
}

/// What a register reads after a reset, in the words of the page.
fn reset(register: &Register) -> String {
    match (register.access, register.reset) {
        (Access::WriteOnly, _) => "-".to_owned(),
        (_, Some(0)) => "0".to_owned(),
        (_, Some(value)) => format!("0x{value:08X}"),
        (_, None) => "built".to_owned(),
    }
}
