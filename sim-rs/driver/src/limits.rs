//! How large what users ask for may be.

/// Most elements of a row: some hundred rows must fit into memory.
pub const MAX_COLUMNS: usize = 1 << 18;

/// Most elements of all leaves of a tree: 2^63 bytes of 32 an element.
pub const MAX_ELEMENTS: u64 = 1 << 58;
