//! The register map of the chip: one description, from which the SystemVerilog package
//! (`rtl/pkg/acclmt_reg_pkg.sv`), the documentation page (`docs/registers.md`), the formats for other tools
//! (`registers`: SystemRDL, C, CMSIS-SVD, IP-XACT) and the driver's constants all come.
//!
//! Every register is a [`Register`] constant, every field of a register a [`Field`] constant. Three lists have
//! them in address order: [`REGISTERS`] those of the core, which every chip has, [`STREAM_REGISTERS`] those
//! of the streams, which a chip with buses has, and [`DMA_REGISTERS`] those of the DMA. The generated files are committed; tests compare them
//! with what the module `render`, which exists in tests only, makes of this description. After a change
//! regenerate them with
//!
//! ```text
//! UPDATE_REGISTERS=1 cargo test -p acclmt-driver registers
//! ```

#[cfg(test)]
mod render;

use std::fmt::Write as _;

/// Value of [`ID`]: the ASCII letters `ACMT`.
pub const ID_VALUE: u32 = 0x4143_4D54;

/// Value of [`VERSION`] that this description is about: major, minor and patch in bits 23:16,
/// 15:8 and 7:0.
pub const VERSION_VALUE: u32 = 0x0000_1000;

/// A version as text: major, minor and patch.
pub fn version_text(version: u32) -> String {
    let [patch, minor, major, _] = version.to_le_bytes();
    format!("{major}.{minor}.{patch}")
}

/// Largest number of partial-round sub-engines a hash engine can have in this register map.
pub const MAX_PARTIAL_ENGINES: usize = 6;

/// Largest number of hash engines that a chip can have in this register map.
pub const MAX_ENGINES: usize = 8;

/// Number of registers of a map of positions.
pub const MAP_REGISTERS: u32 = 4;

/// Largest number of levels above the leaves that a tree can have in this register map.
pub const MAX_HEIGHT: usize = 32;

/// Largest number of levels that the level table can have: the leaves are one.
pub const MAX_LEVELS: usize = MAX_HEIGHT + 1;

/// What a host may do with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads give a value; a write is refused (error 4, unknown register).
    ReadOnly,
    /// Writes act; a read gives 0.
    WriteOnly,
    /// Reads give back what was written. Writes are refused while a run is in progress.
    ReadWrite,
    /// Like [`Access::ReadWrite`] on a chip with a run-time modulus (`CAPS_FIELD.RuntimeModulus`),
    /// like [`Access::ReadOnly`] on others.
    ReadWriteRuntime,
    /// Reads give back what was written. Writes are taken at any time.
    ReadWriteAnytime,
    /// Reads give a value; a write clears the bits that it holds as 1, at any time.
    WriteOneToClear,
}

impl Access {
    /// The usual abbreviation: `RO`, `WO`, `RW` or `W1C`; `RO/RW` where it depends on the chip.
    pub const fn abbreviation(self) -> &'static str {
        match self {
            Self::ReadOnly => "RO",
            Self::WriteOnly => "WO",
            Self::ReadWrite => "RW",
            Self::ReadWriteRuntime => "RO/RW",
            Self::ReadWriteAnytime => "RW, at any time",
            Self::WriteOneToClear => "RO, W1C",
        }
    }
}

/// A range of bits of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name in UpperCamelCase, without the register's name.
    pub name: &'static str,
    /// Position of the least significant bit, 0 to 31.
    pub lsb: u32,
    /// Number of bits, 1 to 32.
    pub width: u32,
    /// What the field means.
    pub description: &'static str,
}

impl Field {
    const fn new(name: &'static str, lsb: u32, width: u32, description: &'static str) -> Self {
        Self {
            name,
            lsb,
            width,
            description,
        }
    }

    /// Largest value the field can hold.
    pub const fn max(self) -> u32 {
        u32::MAX >> (32 - self.width)
    }

    /// The field's value in the register value `word`.
    pub const fn get(self, word: u32) -> u32 {
        (word >> self.lsb) & self.max()
    }

    /// Register value in which this field is `value` and every other bit is 0. Bits of `value`
    /// that do not fit are dropped; compare with [`Field::max`] first.
    pub const fn with(self, value: u32) -> u32 {
        (value & self.max()) << self.lsb
    }

    /// Whether the field, usually a single bit, is not 0 in the register value `word`.
    pub const fn is_set(self, word: u32) -> bool {
        self.get(word) != 0
    }
}

/// A 32-bit register, a run of consecutive registers, or a 64-bit counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Name in UpperCamelCase; numbered from `first` when `count` is more than 1.
    pub name: &'static str,
    /// Byte address of the (first) register, a multiple of 4.
    pub address: u32,
    /// What a host may do with it.
    pub access: Access,
    /// Number of registers; 1 for a single one.
    pub count: u32,
    /// Number of the first register of a run; `None` for a single register.
    pub first: Option<u32>,
    /// Whether it is a 64-bit counter: low word at `address`, high word at `address + 4`. The high
    /// word is latched when the low word is read.
    pub counter: bool,
    /// What it reads after a reset, or would if it could be read; `None` where that depends on how the
    /// chip is built.
    pub reset: Option<u32>,
    /// The fields; empty when the whole word is one value.
    pub fields: &'static [Field],
    /// What the register means.
    pub description: &'static str,
}

impl Register {
    const fn single(
        name: &'static str,
        address: u32,
        access: Access,
        fields: &'static [Field],
        description: &'static str,
    ) -> Self {
        Self {
            name,
            address,
            access,
            count: 1,
            first: None,
            counter: false,
            reset: Some(0),
            fields,
            description,
        }
    }

    const fn run(
        name: &'static str,
        address: u32,
        access: Access,
        first: u32,
        count: u32,
        description: &'static str,
    ) -> Self {
        Self {
            name,
            address,
            access,
            count,
            first: Some(first),
            counter: false,
            reset: Some(0),
            fields: &[],
            description,
        }
    }

    const fn counter(name: &'static str, address: u32, description: &'static str) -> Self {
        Self {
            name,
            address,
            access: Access::ReadOnly,
            count: 1,
            first: None,
            counter: true,
            reset: Some(0),
            fields: &[],
            description,
        }
    }

    const fn counters(
        name: &'static str,
        address: u32,
        first: u32,
        count: u32,
        description: &'static str,
    ) -> Self {
        Self {
            name,
            address,
            access: Access::ReadOnly,
            count,
            first: Some(first),
            counter: true,
            reset: Some(0),
            fields: &[],
            description,
        }
    }

    const fn with_reset(self, reset: Option<u32>) -> Self {
        Self { reset, ..self }
    }

    /// Distance in bytes from one register of a run to the next.
    pub const fn stride(&self) -> u32 {
        if self.counter { 8 } else { 4 }
    }

    /// Byte address of the register at `position`, counted from 0, of a run.
    pub const fn at(&self, position: u32) -> u32 {
        assert!(
            position < self.count,
            "position beyond the run of registers"
        );
        self.address + position * self.stride()
    }

    /// The bits that fields have; all of a register that is one value.
    pub fn mask(&self) -> u32 {
        if self.fields.is_empty() {
            return u32::MAX;
        }
        (self.fields.iter()).fold(0, |mask, field| mask | field.with(u32::MAX))
    }

    /// Whether `address` is one of the byte addresses of this register, run or counter.
    pub const fn contains(&self, address: u32) -> bool {
        address >= self.address && address < self.address + self.count * self.stride()
    }
}

/// A code that [`ERROR`] or [`DMA_ERROR`] can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorCode {
    /// The code.
    pub code: u32,
    /// Name in UpperCamelCase.
    pub name: &'static str,
    /// What happened.
    pub description: &'static str,
    /// What [`ERROR_INFO`] then holds; nothing for a code of [`DMA_ERROR`].
    pub info: &'static str,
}

use Access::{ReadOnly, ReadWrite, ReadWriteAnytime, ReadWriteRuntime, WriteOneToClear, WriteOnly};

/// The rule of [`ChipRegisters::most_rows`](crate::program::ChipRegisters::most_rows) in words, for the
/// description of `ROW_GROUP`.
macro_rules! most_rows_rule {
    () => {
        "(2 + the number of partial-round sub-engines with partial rounds) * floor(2^Log2Places / beats \
         of a state), see CAPS_ENGINE and LEAF_PARTIAL_ROUNDS; a state of t elements has ceil(t / 3) \
         beats, in Goldilocks mode ceil(t / 12)"
    };
}

/// Identification.
pub const ID: Register = Register::single(
    "Id",
    0x000,
    ReadOnly,
    &[],
    "Identification: 0x41434D54, the ASCII letters `ACMT`.",
)
.with_reset(Some(ID_VALUE));

/// Version of the register map.
pub const VERSION: Register = Register::single(
    "Version",
    0x004,
    ReadOnly,
    &[],
    "Version of the register map: major, minor and patch in bits 23:16, 15:8 and 7:0.",
)
.with_reset(Some(VERSION_VALUE));

/// Number of full-round sub-engines of a hash engine.
pub const CAPS_NUM_FULL: Field = Field::new(
    "NumFull",
    0,
    4,
    "Number of full-round sub-engines of each hash engine.",
);
/// Number of partial-round sub-engines of a hash engine.
pub const CAPS_NUM_PARTIAL: Field = Field::new(
    "NumPartial",
    4,
    4,
    "Number of partial-round sub-engines of each hash engine, at most 6.",
);
/// Number of lanes of a sub-engine.
pub const CAPS_LANES: Field = Field::new(
    "Lanes",
    8,
    4,
    "Field elements a sub-engine takes in a cycle.",
);
/// Cycles of a full round.
pub const CAPS_LOOP_CYCLES_FULL: Field = Field::new(
    "LoopCyclesFull",
    12,
    8,
    "Cycles a state of three elements needs for one round x^5 of a full-round sub-engine.",
);
/// Cycles of a partial round.
pub const CAPS_LOOP_CYCLES_PARTIAL: Field = Field::new(
    "LoopCyclesPartial",
    20,
    8,
    "Cycles a state of three elements needs for one round x^5 of a partial-round sub-engine.",
);
/// Beats that a sub-engine holds.
pub const CAPS_LOG2_PLACES: Field = Field::new(
    "Log2Places",
    28,
    4,
    "Base-2 logarithm of the beats that the output buffer of a sub-engine holds; ROW_GROUP depends on \
     it.",
);
/// What the hash engines were built with.
pub const CAPS_ENGINE: Register = Register::single(
    "CapsEngine",
    0x008,
    ReadOnly,
    &[
        CAPS_NUM_FULL,
        CAPS_NUM_PARTIAL,
        CAPS_LANES,
        CAPS_LOOP_CYCLES_FULL,
        CAPS_LOOP_CYCLES_PARTIAL,
        CAPS_LOG2_PLACES,
    ],
    "Capabilities: the hash engines.",
)
.with_reset(None);

/// Entries of the matrix memories of a full-round sub-engine.
pub const CAPS_MATRIX_DEPTH: Field = Field::new(
    "MatrixDepth",
    0,
    10,
    "Entries of each matrix memory of a full-round sub-engine, for the MDS matrix and those before and \
     after the recurrence.",
);
/// Entries of the constant memories of a full-round sub-engine.
pub const CAPS_CONSTANT_DEPTH: Field = Field::new(
    "ConstantDepth",
    10,
    10,
    "Entries of each round constant memory of a full-round sub-engine, one for each beat of each \
     of its passes, and of one more where the last full round is short.",
);
/// Entries of the memories of a partial-round sub-engine.
pub const CAPS_PARTIAL_DEPTH: Field = Field::new(
    "PartialDepth",
    20,
    10,
    "Entries of each memory of a partial-round sub-engine, one for each beat of each of its \
     rounds.",
);
/// Whether bases are stored.
pub const CAPS_STORE: Field = Field::new(
    "Store",
    30,
    1,
    "Whether full-round sub-engines can store the elements of a pass.",
);
/// Whether there are adders.
pub const CAPS_ADDERS: Field = Field::new(
    "Adders",
    31,
    1,
    "Whether full-round sub-engines make layers of small integers by adders, in Goldilocks mode.",
);
/// Depths of the constant memories.
pub const CAPS_DEPTH: Register = Register::single(
    "CapsDepth",
    0x00C,
    ReadOnly,
    &[
        CAPS_MATRIX_DEPTH,
        CAPS_CONSTANT_DEPTH,
        CAPS_PARTIAL_DEPTH,
        CAPS_STORE,
        CAPS_ADDERS,
    ],
    "Capabilities: the depths of the constant memories, and whether bases are stored.",
)
.with_reset(None);

/// Largest tree height.
pub const CAPS_MAX_HEIGHT: Field = Field::new(
    "MaxHeight",
    0,
    6,
    "A tree has at most so many levels above its leaves. The level table has an entry more.",
);
/// Size of the node memory.
pub const CAPS_LOG2_NODE_WORDS: Field = Field::new(
    "Log2NodeWords",
    8,
    5,
    "Base-2 logarithm of the 256-bit words of the node memory.",
);
/// What the tree part was built with.
pub const CAPS_TREE: Register = Register::single(
    "CapsTree",
    0x010,
    ReadOnly,
    &[CAPS_MAX_HEIGHT, CAPS_LOG2_NODE_WORDS],
    "Capabilities: the tree.",
)
.with_reset(None);

/// The chip has the Goldilocks mode.
pub const CAPS_GOLDILOCKS: Field = Field::new(
    "Goldilocks",
    0,
    1,
    "The chip has the Goldilocks mode: FIELD may be 1.",
);
/// The large prime is run-time data.
pub const CAPS_RUNTIME_MODULUS: Field = Field::new(
    "RuntimeModulus",
    1,
    1,
    "The large prime is loaded at run time: PRIME can be written and RADIX_SQUARED exists.",
);
/// Montgomery radix of the large prime.
pub const CAPS_MONTGOMERY_BITS: Field = Field::new(
    "MontgomeryBits",
    8,
    9,
    "Base-2 logarithm of the Montgomery radix R of the large prime.",
);
/// What the arithmetic was built with.
pub const CAPS_FIELD: Register = Register::single(
    "CapsField",
    0x014,
    ReadOnly,
    &[CAPS_GOLDILOCKS, CAPS_RUNTIME_MODULUS, CAPS_MONTGOMERY_BITS],
    "Capabilities: the fields.",
)
.with_reset(None);

/// Number of hash engines.
pub const CAPS_NUM_ENGINES: Field =
    Field::new("NumEngines", 0, 4, "Number of hash engines, 1 to 8.");
/// Whether memories keep parity.
pub const CAPS_MEMORY_PARITY: Field = Field::new(
    "MemoryParity",
    31,
    1,
    "Memories keep parity: a bit that flips in one is noticed when its word is read (MemoryFault).",
);
/// How many hash engines there are.
pub const CAPS_POOL: Register = Register::single(
    "CapsPool",
    0x018,
    ReadOnly,
    &[CAPS_NUM_ENGINES, CAPS_MEMORY_PARITY],
    "Capabilities: the pool of hash engines, and whether memories keep parity.",
)
.with_reset(None);

/// The large prime.
pub const PRIME: Register = Register::run(
    "Prime",
    0x020,
    ReadWriteRuntime,
    0,
    8,
    "The large prime, little-endian words of 32 bits. Legal on a chip with a run-time modulus: \
     from 2^250 up to 2^255, and 1 modulo 2^28.",
)
.with_reset(None);

/// Starts a run.
pub const CONTROL_START: Field = Field::new(
    "Start",
    0,
    1,
    "1 starts a run. Refused while STATUS.Busy is 1, and when a register of the configuration holds an \
     illegal value: see STATUS.StartRefused.",
);
/// Clears.
pub const CONTROL_CLEAR: Field = Field::new(
    "Clear",
    1,
    1,
    "1 clears STATUS.Done, STATUS.StartRefused, the error, INTERRUPT_STATUS and the counters, and aborts \
     a run: the machine is flushed, and idle when STATUS.Busy reads 0. Refused during a zeroisation.",
);
/// Zeroises.
pub const CONTROL_ZEROISE: Field = Field::new(
    "Zeroise",
    2,
    1,
    "1 clears, and overwrites with zero what the chip holds of data and constants: see Zeroisation. Refused \
     while STATUS.Busy is 1. STATUS.Busy is 1 until it is done, and then STATUS.Zeroised is; it cannot be \
     aborted.",
);
/// Commands.
pub const CONTROL: Register = Register::single(
    "Control",
    0x040,
    WriteOnly,
    &[CONTROL_START, CONTROL_CLEAR, CONTROL_ZEROISE],
    "Commands, at most one in a write. During a run only a clear is taken, and during a zeroisation none.",
);

/// A run is in progress.
pub const STATUS_BUSY: Field = Field::new("Busy", 0, 1, "A run or a zeroisation is in progress.");
/// The last run is complete.
pub const STATUS_DONE: Field = Field::new(
    "Done",
    1,
    1,
    "The last run that started is complete: its last word was taken from the data output.",
);
/// An error happened.
pub const STATUS_ERROR: Field = Field::new("Error", 2, 1, "ERROR holds a code.");
/// The last start was refused.
pub const STATUS_START_REFUSED: Field = Field::new(
    "StartRefused",
    3,
    1,
    "The last start was refused. Set by a refused start, whatever ERROR holds: at once during a run or \
     with an illegal register, and in the cycle in which Busy falls when the level table does not fit. \
     Cleared by a start that is not refused at once, by a clear, and by a zeroisation as it begins.",
);
/// Nothing is held of data and constants.
pub const STATUS_ZEROISED: Field = Field::new(
    "Zeroised",
    4,
    1,
    "A zeroisation is complete, and since then no run has started and neither configuration nor a constant \
     was written. 0 after a reset.",
);
/// State of the machine.
pub const STATUS: Register = Register::single(
    "Status",
    0x044,
    ReadOnly,
    &[
        STATUS_BUSY,
        STATUS_DONE,
        STATUS_ERROR,
        STATUS_START_REFUSED,
        STATUS_ZEROISED,
    ],
    "State of the machine. A host that waits for the end of a run waits for Busy to fall, and looks at \
     StartRefused before it believes Done.",
);

/// Code of the first error.
pub const ERROR: Register = Register::single(
    "Error",
    0x048,
    ReadOnly,
    &[],
    "Code of the first error since the last clear, of the table of error codes.",
);
/// More about the error.
pub const ERROR_INFO: Register = Register::single(
    "ErrorInfo",
    0x04C,
    ReadOnly,
    &[],
    "More about the first error, as the table of error codes says: the lower 32 bits.",
);
/// The upper half of what [`ERROR_INFO`] says.
pub const ERROR_INFO_HIGH: Register = Register::single(
    "ErrorInfoHigh",
    0x08C,
    ReadOnly,
    &[],
    "The upper 32 bits of what ERROR_INFO says. They are 0 for errors that are not about an element.",
);
/// Upper half of the number of leaves.
pub const LEAVES_HIGH: Register = Register::single(
    "LeavesHigh",
    0x088,
    ReadWrite,
    &[],
    "The upper 32 bits of the number of leaves: 0, or 1 for 2^32 leaves.",
);

/// Hash engines that take rows.
pub const ROLES_ROWS: Field = Field::new(
    "Rows",
    0,
    8,
    "Bit e: hash engine e hashes rows into leaves. At least one does in a run that hashes leaves.",
);
/// Hash engines that take nodes.
pub const ROLES_NODES: Field = Field::new(
    "Nodes",
    8,
    8,
    "Bit e: hash engine e hashes groups of siblings into nodes. At least one does in a run with a tree.",
);
/// Most nodes of a shared engine.
pub const ROLES_NODE_LIMIT: Field = Field::new(
    "NodeLimit",
    16,
    8,
    "Most nodes that are inside of a hash engine at a time; 0: as many as it takes. Rows of several blocks \
     wait inside for words that come later, and need to know what room nodes leave them.",
);
/// Roles of the hash engines.
pub const ROLES: Register = Register::single(
    "Roles",
    0x090,
    ReadWrite,
    &[ROLES_ROWS, ROLES_NODES, ROLES_NODE_LIMIT],
    "What each hash engine does in a run. An engine can do both: it is shared, and its rows and nodes are \
     mixed. Legal: no bit of an engine that CAPS_POOL does not have. The parameter sets that \
     an engine mixes, those of the levels of the tree and in a shared engine that of rows, have the same \
     exponent, and rounds on the same partial-round sub-engines. Where rows have several blocks, an engine \
     is shared only with a NodeLimit.",
);

/// A run has ended.
pub const INTERRUPT_DONE: Field = Field::new("Done", 0, 1, "A run was completed.");
/// An error happened.
pub const INTERRUPT_ERROR: Field = Field::new(
    "Error",
    1,
    1,
    "Something of the table of error codes happened, be it registered in ERROR or not because another \
     error is there.",
);
/// A zeroisation has ended.
pub const INTERRUPT_ZEROISED: Field = Field::new("Zeroised", 2, 1, "A zeroisation was completed.");
/// Kind of the leaves.
pub const MODE_LEAF_KIND: Field = Field::new(
    "LeafKind",
    0,
    1,
    "0: every input word is a leaf. 1: a leaf is the digest of a row of ROW_BLOCKS blocks.",
);
/// Whether groups may lack siblings.
pub const MODE_PAD: Field = Field::new(
    "Pad",
    1,
    1,
    "1: the last group of siblings of a level may lack some, which then have the value of an empty \
     sub-tree of their level. 0: that is error 7.",
);
/// How later blocks of a row are absorbed.
pub const MODE_OVERWRITE: Field = Field::new(
    "Overwrite",
    2,
    1,
    "How the elements of the second and later blocks of a row are absorbed. 0: they are added to \
     those of the state. 1: they take their places.",
);
/// How the last block of a row is absorbed.
pub const MODE_CLOSE_FROM: Field = Field::new(
    "CloseFrom",
    8,
    5,
    "Elements of the last block of a row, where it is not the first one, from this number on take the places of those \
     of the state, those before are added. 0: all are absorbed as in other blocks. Legal: up to 24, 0 with Overwrite.",
);
/// What a run does.
pub const MODE: Register = Register::single(
    "Mode",
    0x050,
    ReadWrite,
    &[MODE_LEAF_KIND, MODE_PAD, MODE_OVERWRITE, MODE_CLOSE_FROM],
    "What a run does.",
);
/// Level whose nodes end the run.
pub const TOP_LEVEL: Register = Register::single(
    "TopLevel",
    0x054,
    ReadWrite,
    &[],
    "The level whose nodes are sent out and end the run: that of the root, or a lower one for a cap. \
     Level 0 are the leaves: there is no tree then, and leaves must be hashed. Legal: up to \
     CAPS_TREE.MaxHeight.",
);
/// Number of leaves.
pub const LEAVES: Register = Register::single(
    "Leaves",
    0x058,
    ReadWrite,
    &[],
    "Number of leaves, 1 to 2^32: its lower 32 bits. A start with 2^32 leaves has 0 here and 1 in \
     LEAVES_HIGH.",
);
/// The field.
pub const FIELD: Register = Register::single(
    "Field",
    0x05C,
    ReadWrite,
    &[],
    "The field. Legal: 0, the large prime, one element in a stream word; with \
     CAPS_FIELD.Goldilocks also 1, the prime 2^64 - 2^32 + 1, four elements in a stream word.",
);
/// Levels that are sent out.
pub const EMIT_LEVELS: Register = Register::single(
    "EmitLevels",
    0x060,
    ReadWrite,
    &[],
    "Bit l: the nodes of level l are sent out when their parent is hashed. Those of TOP_LEVEL always \
     are, as soon as a group of them is complete. Without a tree leaves are sent out as they are made.",
);
/// Blocks of a row.
pub const ROW_BLOCKS: Register = Register::single(
    "RowBlocks",
    0x064,
    ReadWrite,
    &[],
    "Blocks of the row that is hashed into a leaf, at least 1: so many permutations.",
);
/// Rows of a group.
pub const ROW_GROUP: Register = Register::single(
    "RowGroup",
    0x068,
    ReadWrite,
    &[],
    concat!(
        "Rows of a group: the first blocks of all rows of a group come before their second blocks, and \
         so on; the last group has the rows that are left. Legal: 1 to ",
        most_rows_rule!(),
        ", for each hash engine that takes rows. Where one takes nodes as well, and rows have several \
         blocks, the beats of its rows and of NodeLimit nodes fit into so many buffers of 2^Log2Places - 3 \
         beats. A run with a tree in which leaves are reserved, see ROLES, needs room for a group of rows and \
         a group of siblings less one in the queue of level 0."
    ),
);
/// Input words of the last block.
pub const LAST_INPUT_WORDS: Register = Register::single(
    "LastInputWords",
    0x06C,
    ReadWrite,
    &[],
    "Words of the last block of a row. Legal as LEAF_INPUT_WORDS.",
);
/// Where the elements of the last block go.
pub const LAST_INPUT_MAP: Register = Register::run(
    "LastInputMap",
    0x070,
    ReadWrite,
    0,
    MAP_REGISTERS,
    "State elements that the elements of the last block of a row go to, as LEAF_INPUT_MAP.",
);
/// Begin of the window.
pub const WINDOW_FIRST: Register = Register::single(
    "WindowFirst",
    0x080,
    ReadWrite,
    &[],
    "First leaf of the window in which sub-engines are counted as busy: the window begins when so many \
     leaves have left the leaf hash engine.",
);
/// End of the window.
pub const WINDOW_LAST: Register = Register::single(
    "WindowLast",
    0x084,
    ReadWrite,
    &[],
    "The window ends when so many leaves have left the leaf hash engine; 0: with the run.",
);
/// What happened since it was acknowledged.
pub const INTERRUPT_STATUS: Register = Register::single(
    "InterruptStatus",
    0x094,
    WriteOneToClear,
    &[INTERRUPT_DONE, INTERRUPT_ERROR, INTERRUPT_ZEROISED],
    "What happened and was not acknowledged. The interrupt output is high while a bit is 1 here and in \
     INTERRUPT_ENABLE. A write of 1 acknowledges: it clears the bit and nothing else; STATUS, ERROR and \
     the counters stay. A clear clears all bits.",
);
/// What interrupts.
pub const INTERRUPT_ENABLE: Register = Register::single(
    "InterruptEnable",
    0x098,
    ReadWriteAnytime,
    &[INTERRUPT_DONE, INTERRUPT_ERROR, INTERRUPT_ZEROISED],
    "Which bits of INTERRUPT_STATUS raise the interrupt output; none after a reset.",
);
/// For the conversion to Montgomery form.
pub const RADIX_SQUARED: Register = Register::run(
    "RadixSquared",
    0x0C0,
    ReadWrite,
    0,
    8,
    "R^2 modulo PRIME, little-endian words of 32 bits. Only on a chip with a run-time modulus, \
     unknown on others.",
);

/// A 256-bit word of constants.
pub const CONSTANT_DATA: Register = Register::run(
    "ConstantData",
    0x100,
    ReadWrite,
    0,
    8,
    "A constant, little-endian words of 32 bits: below the large prime and in Montgomery form with \
     R = 2^CAPS_FIELD.MontgomeryBits, or four elements of the Goldilocks field as they are.",
);
/// Index inside a bank.
pub const CONSTANT_INDEX: Field = Field::new("Index", 0, 8, "Index inside the bank.");
/// Bank of a sub-engine.
pub const CONSTANT_BANK: Field = Field::new("Bank", 8, 8, "Bank of the sub-engine.");
/// Sub-engine.
pub const CONSTANT_ENGINE: Field = Field::new(
    "SubEngine",
    16,
    4,
    "0: first full-round sub-engine; 1 to 6: partial-round sub-engine; 7: second full-round \
     sub-engine; 14: values of empty sub-trees, bank 0, index level, of the tree, whatever EngineMask \
     names; 15: initial vector, bank lane, index 8 set + beat, and for later blocks of a row index 8 set \
     + 4 + beat. Set 0 is that of rows, set 1 that of nodes.",
);
/// Engine mask.
pub const CONSTANT_ENGINE_MASK: Field = Field::new(
    "EngineMask",
    20,
    8,
    "Which hash engines take it: bit e hash engine e.",
);
/// Address of a constant.
pub const CONSTANT_ADDRESS: Register = Register::single(
    "ConstantAddress",
    0x120,
    WriteOnly,
    &[
        CONSTANT_INDEX,
        CONSTANT_BANK,
        CONSTANT_ENGINE,
        CONSTANT_ENGINE_MASK,
    ],
    "A write stores CONSTANT_DATA at this address of the constant memories. Refused while a run \
     is in progress, when a sub-engine, bank or index does not exist, when EngineMask is 0 or names an \
     engine that CAPS_POOL does not have, and when a bit is set that no field has.",
);
/// Checksum of the constants that were loaded.
pub const CONSTANT_CHECKSUM: Register = Register::single(
    "ConstantChecksum",
    0x124,
    ReadOnly,
    &[],
    "CRC-32 (IEEE 802.3, as zlib's crc32) of every write of CONSTANT_DATA and CONSTANT_ADDRESS that acted, since the \
     reset or the last zeroisation: five bytes each, the value, little-endian, and 0 to 7 for a word of CONSTANT_DATA, \
     8 for CONSTANT_ADDRESS. A host that keeps the same sum sees that what it sent is what came.",
)
.with_reset(Some(0));

/// Elements of the state.
pub const WIDTH_ELEMENTS: Field = Field::new(
    "Elements",
    0,
    5,
    "Width t of the state in field elements. Legal: 2 to 12, or 2 to 24 in Goldilocks mode.",
);
/// Elements without S-boxes.
pub const WIDTH_BESIDE: Field = Field::new(
    "Beside",
    8,
    5,
    "The last elements of the state, so many, stand beside the permutation: passes with S-boxes leave them as they \
     are. Legal: below Elements.",
);
/// Sums that move up.
pub const RECURRENCE_ORDER: Field = Field::new(
    "Order",
    0,
    5,
    "Sums of a state that move up behind each round, below WIDTH. 0: there is no recurrence, and all \
     partial rounds are dense.",
);
/// Whether the output of the S-box is added.
pub const RECURRENCE_OUTPUT_ENTERS: Field = Field::new(
    "OutputEnters",
    8,
    1,
    "Whether the output of a round's S-box is added to the next element 0. Legal: 0 where Order is 0.",
);
/// Whether layers are made by adders.
pub const RECURRENCE_ADDERS: Field = Field::new(
    "Adders",
    9,
    1,
    "Whether the layers of the full-round sub-engines are made by adders, but for the last one before \
     the recurrence and the first one behind it. Legal: 0 where Order is 0, where a state has more than \
     16 elements, with the large prime, and on a chip without adders.",
);
/// Passes before the recurrence.
pub const PASSES_FIRST: Field = Field::new(
    "First",
    0,
    16,
    "Passes of its first visit to the full-round sub-engines, before the recurrence. At least 1.",
);
/// Passes behind it.
pub const PASSES_LAST: Field = Field::new(
    "Last",
    16,
    16,
    "Passes of its last visit, behind the recurrence. At least 1.",
);

/// The registers of a parameter set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineRegisters {
    /// Input words of a block.
    pub input_words: Register,
    /// State width.
    pub width: Register,
    /// Exponent of the S-box.
    pub alpha: Register,
    /// Passes of the full-round sub-engines.
    pub passes: Register,
    /// How the partial rounds run on partial-round sub-engines.
    pub recurrence: Register,
    /// Output words of a digest.
    pub digest_words: Register,
    /// Where the input elements go.
    pub input_map: Register,
    /// Where the elements of the digest come from.
    pub digest_map: Register,
    /// Rounds of each partial-round sub-engine.
    pub partial_rounds: Register,
    /// Where its constants begin there.
    pub partial_base: Register,
}

macro_rules! engine_registers {
    ($prefix:literal, $base:literal, $words:literal, $digest:literal) => {
        EngineRegisters {
            input_words: Register::single(
                concat!($prefix, "InputWords"),
                $base,
                ReadWrite,
                &[],
                $words,
            ),
            width: Register::single(
                concat!($prefix, "Width"),
                $base + 0x04,
                ReadWrite,
                &[WIDTH_ELEMENTS, WIDTH_BESIDE],
                "Elements of the state.",
            ),
            alpha: Register::single(
                concat!($prefix, "Alpha"),
                $base + 0x08,
                ReadWrite,
                &[],
                "Exponent of the S-box. Legal: 3, 5 and 7.",
            ),
            passes: Register::single(
                concat!($prefix, "Passes"),
                $base + 0x0C,
                ReadWrite,
                &[PASSES_FIRST, PASSES_LAST],
                "Passes of the full-round sub-engines, loops counted as often as they are made. A start compares them \
                 with the program.",
            ),
            recurrence: Register::single(
                concat!($prefix, "Recurrence"),
                $base + 0x10,
                ReadWrite,
                &[RECURRENCE_ORDER, RECURRENCE_OUTPUT_ENTERS, RECURRENCE_ADDERS],
                "The recurrence that the partial-round sub-engines run.",
            ),
            digest_words: Register::single(
                concat!($prefix, "DigestWords"),
                $base + 0x14,
                ReadWrite,
                &[],
                $digest,
            ),
            input_map: Register::run(
                concat!($prefix, "InputMap"),
                $base + 0x18,
                ReadWrite,
                0,
                MAP_REGISTERS,
                "State elements that the input elements go to, as position codes of 5 bits, 6 in a \
                 register, least significant first; bits 31:30 are 0. A code is 4 group + lane: element \
                 3 group + lane of the state; lane 3: the input element is dropped. All 24 codes name \
                 an element below WIDTH or have lane 3. Input element j is stream word j of the block, of \
                 which there are up to 12, in Goldilocks mode bits 64 s + 63 to 64 s of stream word w with \
                 j = 4 w + s.",
            ),
            digest_map: Register::run(
                concat!($prefix, "DigestMap"),
                $base + 0x28,
                ReadWrite,
                0,
                MAP_REGISTERS,
                "State elements that the digest consists of, as position codes like those of the input \
                 map. Code j is for output word j of the digest, in Goldilocks mode for bits 64 s + 63 \
                 to 64 s of output word w with j = 4 w + s; there lane 3 gives 0.",
            ),
            partial_rounds: Register::run(
                concat!($prefix, "PartialRounds"),
                $base + 0x38,
                ReadWrite,
                1,
                MAX_PARTIAL_ENGINES as u32,
                "Rounds of the recurrence on each partial-round sub-engine. 0 for those that CAPS_ENGINE does not \
                 have. With a recurrence that of sub-engine 1 is at least 1, without one all are 0.",
            ),
            partial_base: Register::single(
                concat!($prefix, "PartialBase"),
                $base + 0x50,
                ReadWrite,
                &[],
                "Index of the first entry of its coefficients and constants in a partial-round sub-engine, up to 255. \
                 They fit behind it into the memories of CAPS_DEPTH.",
            ),
        }
    };
}

impl EngineRegisters {
    /// All of them, in address order.
    pub const fn all(&self) -> [Register; 10] {
        [
            self.input_words,
            self.width,
            self.alpha,
            self.passes,
            self.recurrence,
            self.digest_words,
            self.input_map,
            self.digest_map,
            self.partial_rounds,
            self.partial_base,
        ]
    }
}

/// The parameter set of rows: set 0.
pub const LEAF: EngineRegisters = engine_registers!(
    "Leaf",
    0x140,
    "Words of the input stream in a block of a row. Legal: 1 to 12, or 1 to 6 in Goldilocks mode.",
    "Words of the output stream in a digest. Legal: 1 to 12, or 1 to 6 in Goldilocks mode; for a tree: \
     1."
);

/// The parameter set of nodes: set 1.
pub const ROOT: EngineRegisters = engine_registers!(
    "Root",
    0x1A0,
    "Nodes that a hash takes, the arity of the levels that are hashed with this set. Legal: 2 to 12, or \
     2 to 6 in Goldilocks mode.",
    "Words of a digest. Legal: 1."
);

/// The parameter set of the nodes of other levels: set 2.
pub const TOP: EngineRegisters = engine_registers!(
    "Top",
    0x740,
    "Nodes that a hash takes, the arity of the levels that are hashed with this set. Legal: 2 to 12, or \
     2 to 6 in Goldilocks mode.",
    "Words of a digest. Legal: 1."
);

/// Registers of the parameter sets, by number.
pub const SETS: [&EngineRegisters; 3] = [&LEAF, &ROOT, &TOP];

/// Cycles of the run.
pub const CYCLES: Register = Register::counter(
    "Cycles",
    0x200,
    "Cycles from start to done, or to now while the run is in progress.",
);
/// First input.
pub const CYCLE_FIRST_IN: Register = Register::counter(
    "CycleFirstIn",
    0x208,
    "Cycle, counted from start, in which the first input word was taken.",
);
/// Last input.
pub const CYCLE_LAST_IN: Register = Register::counter(
    "CycleLastIn",
    0x210,
    "Cycle in which the last input word was taken.",
);
/// First leaf.
pub const CYCLE_FIRST_LEAF: Register = Register::counter(
    "CycleFirstLeaf",
    0x218,
    "Cycle in which the first leaf left the leaf hash engine.",
);
/// Last leaf.
pub const CYCLE_LAST_LEAF: Register = Register::counter(
    "CycleLastLeaf",
    0x220,
    "Cycle in which the last leaf left the leaf hash engine.",
);
/// First output.
pub const CYCLE_FIRST_OUT: Register = Register::counter(
    "CycleFirstOut",
    0x228,
    "Cycle in which the first output word left.",
);
/// Last output.
pub const CYCLE_LAST_OUT: Register = Register::counter(
    "CycleLastOut",
    0x230,
    "Cycle in which the last output word left.",
);
/// Input stalls.
pub const STALL_IN: Register = Register::counter(
    "StallIn",
    0x238,
    "Cycles in which an input word was offered and not taken: the leaf hash engine is full.",
);
/// Missing input.
pub const MISSING_IN: Register = Register::counter(
    "MissingIn",
    0x240,
    "Cycles in which an input word was due and none was offered.",
);
/// Leaf stalls.
pub const STALL_LEAF: Register = Register::counter(
    "StallLeaf",
    0x248,
    "Cycles in which a leaf waited for room in its queue, while a digest was stored, or at the output. Where \
     the place of a leaf is reserved as its row begins, those in which a row waited for it.",
);
/// Root hash engine without work.
pub const STARVED_ROOT: Register = Register::counter(
    "StarvedRoot",
    0x250,
    "Cycles in which a hash engine could take a group of siblings and none was ready.",
);
/// Output stalls.
pub const STALL_OUT: Register = Register::counter(
    "StallOut",
    0x258,
    "Cycles in which an output word was offered and not taken.",
);
/// Cycles of the window.
pub const WINDOW_CYCLES: Register = Register::counter(
    "WindowCycles",
    0x260,
    "Cycles of the window in which sub-engines are counted as busy.",
);
/// Permutations of the leaf hash engine.
pub const LEAF_HASHES: Register = Register::counter(
    "LeafHashes",
    0x268,
    "Permutations that hash engine 0 has begun, the leaf hash engine.",
);
/// Work of the first full-round sub-engine of the leaf hash engine.
pub const LEAF_BUSY_FULL: Register = Register::counter(
    "LeafBusyFull",
    0x270,
    "Cycles of the window in which the first full-round sub-engine of hash engine 0 was occupied.",
);
/// Work of the partial-round sub-engines of the leaf hash engine.
pub const LEAF_BUSY_PARTIAL: Register = Register::counters(
    "LeafBusyPartial",
    0x278,
    1,
    MAX_PARTIAL_ENGINES as u32,
    "The same for this partial-round sub-engine.",
);
/// Work of the second full-round sub-engine of the leaf hash engine.
pub const LEAF_BUSY_FULL_LAST: Register = Register::counter(
    "LeafBusyFullLast",
    0x2A8,
    "The same for the second full-round sub-engine; 0 without one.",
);
/// Permutations of the root hash engine.
pub const ROOT_HASHES: Register = Register::counter(
    "RootHashes",
    0x2B0,
    "Permutations that hash engine 1 has begun, the root hash engine; 0 without one.",
);
/// Work of the first full-round sub-engine of the root hash engine.
pub const ROOT_BUSY_FULL: Register = Register::counter(
    "RootBusyFull",
    0x2B8,
    "Cycles of the window in which the first full-round sub-engine of hash engine 1 was occupied.",
);
/// Work of the partial-round sub-engines of the root hash engine.
pub const ROOT_BUSY_PARTIAL: Register = Register::counters(
    "RootBusyPartial",
    0x2C0,
    1,
    MAX_PARTIAL_ENGINES as u32,
    "The same for this partial-round sub-engine.",
);
/// Work of the second full-round sub-engine of the root hash engine.
pub const ROOT_BUSY_FULL_LAST: Register = Register::counter(
    "RootBusyFullLast",
    0x2F0,
    "The same for the second full-round sub-engine; 0 without one.",
);
/// High-water mark of the node memory.
pub const HIGH_WATER: Register = Register::counter(
    "HighWater",
    0x2F8,
    "Most words that the node memory held at a time.",
);
/// The counters of a hash engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineCounterRegisters {
    /// Permutations that it has begun.
    pub hashes: Register,
    /// Work of its first full-round sub-engine.
    pub busy_full: Register,
    /// Work of its partial-round sub-engines.
    pub busy_partial: Register,
    /// Work of its second full-round sub-engine.
    pub busy_full_last: Register,
}

macro_rules! engine_counters {
    ($number:literal, $base:literal) => {
        EngineCounterRegisters {
            hashes: Register::counter(
                concat!("Engine", $number, "Hashes"),
                $base,
                concat!("Permutations that hash engine ", $number, " has begun."),
            ),
            busy_full: Register::counter(
                concat!("Engine", $number, "BusyFull"),
                $base + 0x08,
                "Cycles of the window in which its first full-round sub-engine was occupied.",
            ),
            busy_partial: Register::counters(
                concat!("Engine", $number, "BusyPartial"),
                $base + 0x10,
                1,
                MAX_PARTIAL_ENGINES as u32,
                "The same for this partial-round sub-engine.",
            ),
            busy_full_last: Register::counter(
                concat!("Engine", $number, "BusyFullLast"),
                $base + 0x40,
                "The same for the second full-round sub-engine; 0 without one.",
            ),
        }
    };
}

/// The counters of hash engine 2; a chip with fewer hash engines does not have these registers.
pub const ENGINE2: EngineCounterRegisters = engine_counters!(2, 0x500);
/// Those of hash engine 3.
pub const ENGINE3: EngineCounterRegisters = engine_counters!(3, 0x548);
/// Those of hash engine 4.
pub const ENGINE4: EngineCounterRegisters = engine_counters!(4, 0x590);
/// Those of hash engine 5.
pub const ENGINE5: EngineCounterRegisters = engine_counters!(5, 0x5D8);
/// Those of hash engine 6.
pub const ENGINE6: EngineCounterRegisters = engine_counters!(6, 0x620);
/// Those of hash engine 7.
pub const ENGINE7: EngineCounterRegisters = engine_counters!(7, 0x668);

/// The counters of every hash engine, by its number.
pub const ENGINE_COUNTERS: [EngineCounterRegisters; MAX_ENGINES] = [
    EngineCounterRegisters {
        hashes: LEAF_HASHES,
        busy_full: LEAF_BUSY_FULL,
        busy_partial: LEAF_BUSY_PARTIAL,
        busy_full_last: LEAF_BUSY_FULL_LAST,
    },
    EngineCounterRegisters {
        hashes: ROOT_HASHES,
        busy_full: ROOT_BUSY_FULL,
        busy_partial: ROOT_BUSY_PARTIAL,
        busy_full_last: ROOT_BUSY_FULL_LAST,
    },
    ENGINE2,
    ENGINE3,
    ENGINE4,
    ENGINE5,
    ENGINE6,
    ENGINE7,
];

/// The hash engine, from number 2 on, of which a counter is at this address: a chip with fewer does not have it.
pub fn later_engine(address: u32) -> Option<usize> {
    let counters = |engine: &EngineCounterRegisters| {
        [
            engine.hashes,
            engine.busy_full,
            engine.busy_partial,
            engine.busy_full_last,
        ]
    };
    (2..MAX_ENGINES).find(|&engine| {
        let counters = counters(&ENGINE_COUNTERS[engine]);
        counters.iter().any(|register| register.contains(address))
    })
}

/// Groups of siblings in a level's queue.
pub const LEVEL_GROUPS: Field = Field::new(
    "Groups",
    0,
    16,
    "Groups of siblings that the queue of the level has room for, at least 1.",
);
/// The parameter set of a level.
pub const LEVEL_SET: Field = Field::new(
    "Set",
    16,
    2,
    "Parameter set with which the nodes of the level are hashed: 1 that of ROOT, 2 that of TOP, and 0 that \
     of LEAF where leaves are not hashed. Its input words are the arity of the level. The top level is not \
     hashed: there it is the room of a group alone.",
);
/// Where the nodes of a level wait.
pub const LEVEL_TABLE: Register = Register {
    fields: &[LEVEL_GROUPS, LEVEL_SET],
    ..Register::run(
        "LevelTable",
        0x400,
        ReadWrite,
        0,
        MAX_LEVELS as u32,
        "The queue of a level of the tree up to TOP_LEVEL; CAPS_TREE.MaxHeight + 1 of these registers \
         exist. A write is refused when a bit is set that no field has. The queues follow each other in \
         the node memory in the order of the levels and have to fit into it: a start is refused otherwise. \
         Without a tree, TOP_LEVEL = 0, there is none.",
    )
};

/// Every register of the core, in address order.
pub const REGISTERS: &[Register] = &[
    ID,
    VERSION,
    CAPS_ENGINE,
    CAPS_DEPTH,
    CAPS_TREE,
    CAPS_FIELD,
    CAPS_POOL,
    PRIME,
    CONTROL,
    STATUS,
    ERROR,
    ERROR_INFO,
    MODE,
    TOP_LEVEL,
    LEAVES,
    FIELD,
    EMIT_LEVELS,
    ROW_BLOCKS,
    ROW_GROUP,
    LAST_INPUT_WORDS,
    LAST_INPUT_MAP,
    WINDOW_FIRST,
    WINDOW_LAST,
    LEAVES_HIGH,
    ERROR_INFO_HIGH,
    ROLES,
    INTERRUPT_STATUS,
    INTERRUPT_ENABLE,
    RADIX_SQUARED,
    CONSTANT_DATA,
    CONSTANT_ADDRESS,
    CONSTANT_CHECKSUM,
    LEAF.input_words,
    LEAF.width,
    LEAF.alpha,
    LEAF.passes,
    LEAF.recurrence,
    LEAF.digest_words,
    LEAF.input_map,
    LEAF.digest_map,
    LEAF.partial_rounds,
    LEAF.partial_base,
    ROOT.input_words,
    ROOT.width,
    ROOT.alpha,
    ROOT.passes,
    ROOT.recurrence,
    ROOT.digest_words,
    ROOT.input_map,
    ROOT.digest_map,
    ROOT.partial_rounds,
    ROOT.partial_base,
    CYCLES,
    CYCLE_FIRST_IN,
    CYCLE_LAST_IN,
    CYCLE_FIRST_LEAF,
    CYCLE_LAST_LEAF,
    CYCLE_FIRST_OUT,
    CYCLE_LAST_OUT,
    STALL_IN,
    MISSING_IN,
    STALL_LEAF,
    STARVED_ROOT,
    STALL_OUT,
    WINDOW_CYCLES,
    LEAF_HASHES,
    LEAF_BUSY_FULL,
    LEAF_BUSY_PARTIAL,
    LEAF_BUSY_FULL_LAST,
    ROOT_HASHES,
    ROOT_BUSY_FULL,
    ROOT_BUSY_PARTIAL,
    ROOT_BUSY_FULL_LAST,
    HIGH_WATER,
    LEVEL_TABLE,
    ENGINE2.hashes,
    ENGINE2.busy_full,
    ENGINE2.busy_partial,
    ENGINE2.busy_full_last,
    ENGINE3.hashes,
    ENGINE3.busy_full,
    ENGINE3.busy_partial,
    ENGINE3.busy_full_last,
    ENGINE4.hashes,
    ENGINE4.busy_full,
    ENGINE4.busy_partial,
    ENGINE4.busy_full_last,
    ENGINE5.hashes,
    ENGINE5.busy_full,
    ENGINE5.busy_partial,
    ENGINE5.busy_full_last,
    ENGINE6.hashes,
    ENGINE6.busy_full,
    ENGINE6.busy_partial,
    ENGINE6.busy_full_last,
    ENGINE7.hashes,
    ENGINE7.busy_full,
    ENGINE7.busy_partial,
    ENGINE7.busy_full_last,
    TOP.input_words,
    TOP.width,
    TOP.alpha,
    TOP.passes,
    TOP.recurrence,
    TOP.digest_words,
    TOP.input_map,
    TOP.digest_map,
    TOP.partial_rounds,
    TOP.partial_base,
];

/// Value of [`BUS_VERSION`] that this description is about, as [`VERSION_VALUE`].
pub const BUS_VERSION_VALUE: u32 = 0x0000_0100;

/// Value of [`DMA_VERSION`] that this description is about, as [`VERSION_VALUE`].
pub const DMA_VERSION_VALUE: u32 = 0x0000_0100;

/// Version of the registers of the streams.
pub const BUS_VERSION: Register = Register::single(
    "BusVersion",
    0x800,
    ReadOnly,
    &[],
    "Version of the registers of the streams: major, minor and patch in bits 23:16, 15:8 and 7:0.",
)
.with_reset(Some(BUS_VERSION_VALUE));

/// Words are taken for a run.
pub const STREAM_INPUT_OPEN: Field =
    Field::new("InputOpen", 0, 1, "The input takes words for a run.");
/// Words are dropped.
pub const STREAM_DISCARDING: Field = Field::new(
    "Discarding",
    1,
    1,
    "The input drops words up to the next one with TLAST.",
);
/// A packet of the output has begun.
pub const STREAM_OUTPUT_OPEN: Field = Field::new(
    "OutputOpen",
    2,
    1,
    "A word of the output is on offer, or its packet has begun and not ended.",
);
/// State of the streams.
pub const STREAM_STATE: Register = Register::single(
    "StreamState",
    0x804,
    ReadOnly,
    &[STREAM_INPUT_OPEN, STREAM_DISCARDING, STREAM_OUTPUT_OPEN],
    "State of the streams.",
);
/// Drops words of the input.
pub const STREAM_DISCARD: Field = Field::new(
    "Discard",
    0,
    1,
    "1 drops words up to and with the next one with TLAST, 0 ends that. Reads 1 until it has ended. A 1 is \
     refused while STREAM_STATE.InputOpen is 1. A clear ends it.",
);
/// Commands to the streams.
pub const STREAM_CONTROL: Register = Register::single(
    "StreamControl",
    0x808,
    ReadWriteAnytime,
    &[STREAM_DISCARD],
    "Commands to the streams. Not on a chip with DMA, which gives them itself: there a write is refused.",
);
/// The packet of the input is too short.
pub const STREAM_EARLY_LAST: Field = Field::new(
    "EarlyLast",
    0,
    1,
    "The run needs a word behind the one with TLAST.",
);
/// The packet of the input is too long.
pub const STREAM_LATE_LAST: Field = Field::new(
    "LateLast",
    1,
    1,
    "The run ended, and the word with TLAST had not been taken.",
);
/// A word has no bytes.
pub const STREAM_PARTIAL_WORD: Field = Field::new(
    "PartialWord",
    2,
    1,
    "A word was taken whose TKEEP is not all ones.",
);
/// What happened on the streams.
pub const STREAM_EVENTS: Register = Register::single(
    "StreamEvents",
    0x80C,
    WriteOneToClear,
    &[STREAM_EARLY_LAST, STREAM_LATE_LAST, STREAM_PARTIAL_WORD],
    "What happened on the streams. A clear clears all bits.",
);
/// What of that interrupts.
pub const STREAM_ENABLE: Register = Register::single(
    "StreamEnable",
    0x810,
    ReadWriteAnytime,
    &[STREAM_EARLY_LAST, STREAM_LATE_LAST, STREAM_PARTIAL_WORD],
    "Which bits of STREAM_EVENTS raise the interrupt output; none after a reset.",
);

/// Every register of the streams, in address order: on a chip with buses.
pub const STREAM_REGISTERS: &[Register] = &[
    BUS_VERSION,
    STREAM_STATE,
    STREAM_CONTROL,
    STREAM_EVENTS,
    STREAM_ENABLE,
];

/// Version of the registers of the DMA.
pub const DMA_VERSION: Register = Register::single(
    "DmaVersion",
    0x900,
    ReadOnly,
    &[],
    "Version of the registers of the DMA and of what it reads and writes: major, minor and patch in bits \
     23:16, 15:8 and 7:0.",
)
.with_reset(Some(DMA_VERSION_VALUE));
/// Width of the bus.
pub const DMA_CAPS_LOG2_BEAT_BYTES: Field = Field::new(
    "Log2BeatBytes",
    0,
    4,
    "Base-2 logarithm of the bytes of a beat of the AXI4 master: 5 or 6.",
);
/// Length of bursts.
pub const DMA_CAPS_LOG2_BURST_BYTES: Field = Field::new(
    "Log2BurstBytes",
    4,
    4,
    "Base-2 logarithm of the bytes of the longest burst, at most 12. No burst crosses a multiple of it.",
);
/// Number of bursts.
pub const DMA_CAPS_READ_BURSTS: Field = Field::new(
    "ReadBursts",
    8,
    8,
    "Bursts of input that can be on their way, for all of which there is room.",
);
/// Size of the ring.
pub const DMA_CAPS_MAX_LOG2_RING: Field = Field::new(
    "MaxLog2Ring",
    16,
    5,
    "Largest legal value of DMA_RING_SIZE.",
);
/// How the DMA was built.
pub const DMA_CAPS: Register = Register::single(
    "DmaCaps",
    0x904,
    ReadOnly,
    &[
        DMA_CAPS_LOG2_BEAT_BYTES,
        DMA_CAPS_LOG2_BURST_BYTES,
        DMA_CAPS_READ_BURSTS,
        DMA_CAPS_MAX_LOG2_RING,
    ],
    "Capabilities: the DMA.",
)
.with_reset(None);
/// The ring is used.
pub const DMA_CONTROL_ENABLE: Field = Field::new(
    "Enable",
    0,
    1,
    "The ring is used. A change from 0 to 1 sets DMA_TAIL, DMA_HEAD, DMA_ERROR and DMA_ERROR_INFO to 0; it is \
     refused while DMA_STATUS.Busy is 1, and if the ring would reach beyond 2^64. A change from 1 to 0 ends \
     a run that is under way, as a clear does.",
);
/// Goes on after an error.
pub const DMA_CONTROL_RESUME: Field = Field::new(
    "Resume",
    1,
    1,
    "1 goes on with descriptor DMA_HEAD after a stop. Reads 0. Refused while DMA_STATUS.Stopped is 0, and \
     without a 1 in Enable.",
);
/// Commands to the DMA.
pub const DMA_CONTROL: Register = Register::single(
    "DmaControl",
    0x908,
    ReadWriteAnytime,
    &[DMA_CONTROL_ENABLE, DMA_CONTROL_RESUME],
    "Commands to the DMA.",
);
/// The DMA works.
pub const DMA_STATUS_BUSY: Field = Field::new(
    "Busy",
    0,
    1,
    "Descriptors are under way or waiting, or what was ended is not finished on the bus.",
);
/// The ring stands after an error.
pub const DMA_STATUS_STOPPED: Field = Field::new(
    "Stopped",
    1,
    1,
    "The ring stands after the error in DMA_ERROR, which ended descriptor DMA_HEAD - 1.",
);
/// State of the DMA.
pub const DMA_STATUS: Register = Register::single(
    "DmaStatus",
    0x90C,
    ReadOnly,
    &[DMA_STATUS_BUSY, DMA_STATUS_STOPPED],
    "State of the DMA.",
);
/// Where the ring is.
pub const DMA_RING_BASE: Register = Register::run(
    "DmaRingBase",
    0x910,
    ReadWrite,
    0,
    2,
    "Byte address of the ring, low word and high word: a multiple of 64, so that the lowest 6 bits are 0. \
     Refused while DMA_CONTROL.Enable is 1.",
);
/// Number of descriptors.
pub const DMA_RING_SIZE: Register = Register::single(
    "DmaRingSize",
    0x918,
    ReadWrite,
    &[],
    "Base-2 logarithm of the number of descriptors that the ring has room for: 0 to DMA_CAPS.MaxLog2Ring. \
     Refused while DMA_CONTROL.Enable is 1.",
);
/// Descriptors given.
pub const DMA_TAIL: Register = Register::single(
    "DmaTail",
    0x91C,
    ReadWriteAnytime,
    &[],
    "Number of descriptors that were given since the ring was enabled, modulo 2^32. Refused while \
     DMA_CONTROL.Enable is 0, if it takes descriptors back, and if there were more than the ring has room \
     for.",
);
/// Descriptors done.
pub const DMA_HEAD: Register = Register::single(
    "DmaHead",
    0x920,
    ReadOnly,
    &[],
    "Number of descriptors that have ended since the ring was enabled, modulo 2^32.",
);
/// A descriptor has ended that interrupts.
pub const DMA_EVENT_DONE: Field = Field::new(
    "Done",
    0,
    1,
    "A descriptor with the flag Interrupt has ended without an error.",
);
/// An error has stopped the ring.
pub const DMA_EVENT_STOPPED: Field = Field::new("Stopped", 1, 1, "An error has stopped the ring.");
/// A write was refused.
pub const DMA_EVENT_REFUSED: Field = Field::new(
    "Refused",
    2,
    1,
    "A write was refused by the DMA: of configuration while DMA_STATUS.Busy is 1, of a start, of \
     STREAM_CONTROL, or of a register of the DMA.",
);
/// What happened.
pub const DMA_EVENTS: Register = Register::single(
    "DmaEvents",
    0x924,
    WriteOneToClear,
    &[DMA_EVENT_DONE, DMA_EVENT_STOPPED, DMA_EVENT_REFUSED],
    "What happened at the DMA and was not acknowledged. A clear does not change it.",
);
/// What of that interrupts.
pub const DMA_ENABLE: Register = Register::single(
    "DmaEnable",
    0x928,
    ReadWriteAnytime,
    &[DMA_EVENT_DONE, DMA_EVENT_STOPPED, DMA_EVENT_REFUSED],
    "Which bits of DMA_EVENTS raise the interrupt output; none after a reset.",
);
/// Why the ring stands.
pub const DMA_ERROR: Register = Register::single(
    "DmaError",
    0x92C,
    ReadOnly,
    &[],
    "Code of the error that stopped the ring, of the table of codes in docs/dma.md; 0 after Resume.",
);
/// More about that.
pub const DMA_ERROR_INFO: Register = Register::single(
    "DmaErrorInfo",
    0x930,
    ReadOnly,
    &[],
    "ERROR of the core in bits 7:0 where DMA_ERROR is StartRefused or RunVoid, else 0.",
);

/// Every register of the DMA, in address order: on a chip with DMA.
pub const DMA_REGISTERS: &[Register] = &[
    DMA_VERSION,
    DMA_CAPS,
    DMA_CONTROL,
    DMA_STATUS,
    DMA_RING_BASE,
    DMA_RING_SIZE,
    DMA_TAIL,
    DMA_HEAD,
    DMA_EVENTS,
    DMA_ENABLE,
    DMA_ERROR,
    DMA_ERROR_INFO,
];

const fn dma_error(code: u32, name: &'static str, description: &'static str) -> ErrorCode {
    ErrorCode {
        code,
        name,
        description,
        info: "",
    }
}

/// Every code of [`DMA_ERROR`] and of a result record, in ascending order.
pub const DMA_ERROR_CODES: &[ErrorCode] = &[
    dma_error(
        0,
        "None",
        "The run is complete, and its output is in memory.",
    ),
    dma_error(
        1,
        "DescriptorRead",
        "The descriptor could not be read: the memory answered with an error. There is no record.",
    ),
    dma_error(
        2,
        "RecordAddress",
        "The address of the record is no multiple of 32. There is no record.",
    ),
    dma_error(
        3,
        "Reserved",
        "A bit of the descriptor is set that no field has.",
    ),
    dma_error(4, "InputAddress", "The input address is no multiple of 32."),
    dma_error(
        5,
        "InputWords",
        "The input has no word, or reaches beyond 2^64.",
    ),
    dma_error(
        6,
        "OutputAddress",
        "The output address is no multiple of 32, with the flag Tagged of 64.",
    ),
    dma_error(
        7,
        "OutputLimit",
        "The output has room for no word, or reaches beyond 2^64.",
    ),
    dma_error(
        8,
        "InputRead",
        "The input could not be read: the memory answered with an error.",
    ),
    dma_error(
        9,
        "InputTooShort",
        "The run takes more words than the descriptor gives.",
    ),
    dma_error(
        10,
        "InputTooLong",
        "The run takes fewer words than the descriptor gives.",
    ),
    dma_error(
        11,
        "OutputTooSmall",
        "The run gives more words than the output has room for. Nothing was written beyond it.",
    ),
    dma_error(
        12,
        "OutputWrite",
        "The output could not be written: the memory answered with an error.",
    ),
    dma_error(
        13,
        "RecordWrite",
        "The record could not be written: the memory answered with an error.",
    ),
    dma_error(
        14,
        "StartRefused",
        "The core refused the start; its ERROR says why.",
    ),
    dma_error(
        15,
        "RunVoid",
        "The output of the run is void; ERROR of the core says why.",
    ),
];

/// No error since the last clear.
pub const ERROR_NONE: ErrorCode = ErrorCode {
    code: 0,
    name: "None",
    description: "No error since the last clear.",
    info: "0",
};
/// A start with a register that holds an illegal value.
pub const ERROR_ILLEGAL_CONFIGURATION: ErrorCode = ErrorCode {
    code: 1,
    name: "IllegalConfiguration",
    description: "Start with an illegal configuration. Nothing was started.",
    info: "byte address of the register that holds the illegal value",
};
/// A write of configuration or constants during a run.
pub const ERROR_WRITE_WHILE_RUNNING: ErrorCode = ErrorCode {
    code: 2,
    name: "WriteWhileRunning",
    description: "Write of configuration or constants during a run or a zeroisation. Nothing was \
                  changed.",
    info: "byte address written",
};
/// An input element that is not below the prime.
pub const ERROR_ELEMENT_NOT_BELOW_PRIME: ErrorCode = ErrorCode {
    code: 3,
    name: "ElementNotBelowPrime",
    description: "An input element is not below the prime. The run's output is void.",
    info: "index of the element in the input stream, counted from 0, modulo 2^32; in Goldilocks mode \
           element s of word w, bits 64 s + 63 to 64 s, has the index 4 w + s, and the lowest one of \
           its word is named",
};
/// A request for an address that is no register, or a write to a read-only one.
pub const ERROR_UNKNOWN_REGISTER: ErrorCode = ErrorCode {
    code: 4,
    name: "UnknownRegister",
    description: "Request for an address that has no register, or write to a read-only one.",
    info: "byte address of the request",
};
/// A command during a run.
pub const ERROR_COMMAND_WHILE_BUSY: ErrorCode = ErrorCode {
    code: 5,
    name: "CommandWhileBusy",
    description: "Start or zeroisation during a run, or any command during a zeroisation. What is under \
                  way goes on.",
    info: "value written to CONTROL",
};

/// A constant for a place that does not exist.
pub const ERROR_ILLEGAL_CONSTANT_ADDRESS: ErrorCode = ErrorCode {
    code: 6,
    name: "IllegalConstantAddress",
    description: "Constant for a sub-engine, bank or index that does not exist, for no hash engine, \
                  or with a bit set that no field has. Nothing was written.",
    info: "value written to CONSTANT_ADDRESS",
};

/// A group lacks siblings in a run without padding.
pub const ERROR_INCOMPLETE_TREE: ErrorCode = ErrorCode {
    code: 7,
    name: "IncompleteTree",
    description: "The leaves do not fill the tree, and MODE.Pad is 0. The run's output is void.",
    info: "0",
};

/// A start with a program that cannot run.
pub const ERROR_ILLEGAL_PROGRAM: ErrorCode = ErrorCode {
    code: 9,
    name: "IllegalProgram",
    description: "Start with a parameter set whose passes cannot run on a full-round sub-engine. Nothing was \
                  started.",
    info: "bits 15:8 the parameter set; bits 7:0 why: 1 the table of passes breaks a rule, 2 it has no program of \
           the set, 3 a pass needs what the sub-engine does not have or an exponent that ALPHA does not announce, 4 \
           a matrix is not loaded, 5 the constant vectors do not fit into the memory, 6 PASSES has another number \
           of passes",
};

/// A memory shows another word than was written.
pub const ERROR_MEMORY_FAULT: ErrorCode = ErrorCode {
    code: 10,
    name: "MemoryFault",
    description: "A word of a memory was read and its parity is wrong: a bit of it has changed since it was \
                  written. The output of a run under way is void. Only where CAPS_POOL.MemoryParity is 1.",
    info: "bits 15:8 the hash engine; bits 7:0 where: a sub-engine by its number in CONSTANT_ADDRESS, 15 what is \
           around the sub-engines of the engine, 14 the tree, 13 the conversion of the input, 12 that of the \
           output",
};

/// A write of a value that a register cannot take.
pub const ERROR_ILLEGAL_VALUE: ErrorCode = ErrorCode {
    code: 8,
    name: "IllegalValue",
    description: "Write of a value with a bit set that no field has, or of several commands at once. \
                  Nothing was changed.",
    info: "byte address written",
};

/// Every error code, in ascending order.
pub const ERROR_CODES: &[ErrorCode] = &[
    ERROR_NONE,
    ERROR_ILLEGAL_CONFIGURATION,
    ERROR_WRITE_WHILE_RUNNING,
    ERROR_ELEMENT_NOT_BELOW_PRIME,
    ERROR_UNKNOWN_REGISTER,
    ERROR_COMMAND_WHILE_BUSY,
    ERROR_ILLEGAL_CONSTANT_ADDRESS,
    ERROR_INCOMPLETE_TREE,
    ERROR_ILLEGAL_VALUE,
    ERROR_ILLEGAL_PROGRAM,
    ERROR_MEMORY_FAULT,
];

/// The registers of the core, of the streams and of the DMA, in address order.
pub fn all_registers() -> impl Iterator<Item = &'static Register> {
    REGISTERS
        .iter()
        .chain(STREAM_REGISTERS)
        .chain(DMA_REGISTERS)
}

/// The name that documentation and messages use for the register at byte address `address`, such
/// as `FULL_ROUNDS_FIRST` or `PARTIAL_ROUNDS_2`; `None` when no register is there.
pub fn register_name(address: u32) -> Option<String> {
    let register = all_registers().find(|register| register.contains(address))?;
    let mut name = upper_snake_case(register.name);
    if let Some(first) = register.first {
        let position = (address - register.address) / register.stride();
        let _ = write!(name, "_{}", first + position);
    }
    if register.counter && (address - register.address) % register.stride() == 4 {
        name.push_str("_HIGH");
    }
    Some(name)
}

/// `FullRoundsFirst` to `FULL_ROUNDS_FIRST`; a digit stays with the word before it.
fn upper_snake_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for (position, character) in name.chars().enumerate() {
        if position > 0 && character.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(character.to_ascii_uppercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_aligned_ascending_and_do_not_overlap() {
        let mut next_free = 0;
        for register in all_registers() {
            assert_eq!(register.address % 4, 0, "{}", register.name);
            assert!(register.address >= next_free, "{} overlaps", register.name);
            next_free = register.address + register.count * register.stride();
        }
        assert!(next_free <= 0x1000, "addresses have 12 bits");
    }

    #[test]
    fn fields_do_not_overlap() {
        for register in all_registers() {
            let mut taken = 0u32;
            for field in register.fields {
                let mask = field.with(u32::MAX);
                assert_eq!(mask.count_ones(), field.width, "{} is cut off", field.name);
                assert_eq!(taken & mask, 0, "{} {} overlaps", register.name, field.name);
                taken |= mask;
            }
        }
    }

    #[test]
    fn fields_read_back_what_was_put_in() {
        let word = CONSTANT_INDEX.with(0x12)
            | CONSTANT_BANK.with(0x34)
            | CONSTANT_ENGINE.with(15)
            | CONSTANT_ENGINE_MASK.with(3);
        assert_eq!(word, 0x003F_3412);
        assert_eq!(CONSTANT_BANK.get(word), 0x34);
        assert_eq!(CONSTANT_ENGINE_MASK.get(word), 3);
        assert!(!STATUS_DONE.is_set(STATUS_BUSY.with(1)));
    }

    #[test]
    fn addresses_have_names() {
        assert_eq!(register_name(0x14C).as_deref(), Some("LEAF_PASSES"));
        assert_eq!(
            register_name(0x1EC).as_deref(),
            Some("ROOT_PARTIAL_ROUNDS_6")
        );
        assert_eq!(
            register_name(0x27C).as_deref(),
            Some("LEAF_BUSY_PARTIAL_1_HIGH")
        );
        assert_eq!(register_name(0x700), None);
    }
}
