//! The pool of hash engines: which of them takes the words of rows and of nodes, and whose digest is next.

use super::engine::Engine;
use super::hash_engine::Tag;
use super::machine::RunSetup;
use acclmt_driver::program::SUB_ENGINES;
use acclmt_driver::registers::MAX_ENGINES;

/// Hash engines: bit e is engine e.
pub(super) type Engines = u8;

/// The first of these engines at or after `turn`, or the first one if there is none.
#[inline]
fn first_from(engines: Engines, turn: u32) -> Option<usize> {
    let behind = engines & u8::MAX.checked_shl(turn).unwrap_or(0);
    let engines = if behind != 0 { behind } else { engines };
    (engines != 0).then(|| engines.trailing_zeros() as usize)
}

/// The hash engines of a run, and what is dealt out to them.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    pub(super) engines: Vec<Engine>,
    /// Those that take rows and nodes.
    rows: Engines,
    nodes: Engines,
    /// The place of a leaf is reserved as its row begins.
    reserves_leaves: bool,
    /// Rows are dealt out in turn, whether the engine can take one or not.
    rows_in_turn: bool,
    /// Rows have several blocks, and so many of them are a group.
    has_blocks: bool,
    group: u32,
    /// Most nodes that are inside of an engine, and those that are; nothing where that makes no difference.
    node_limit: Option<u8>,
    nodes_inside: [u8; MAX_ENGINES],
    /// The engine in the midst of a block of a node or a row.
    node_lock: Engines,
    row_lock: Engines,
    /// The engine at which the next search begins.
    node_turn: u32,
    row_turn: u32,
    digest_turn: u32,
    leaf_turn: u32,
    /// Leaves of the group that left in order.
    leaf_row: u32,
}

impl Pool {
    /// Those of a run.
    pub(super) fn new(setup: &RunSetup) -> Self {
        let is_tree = setup.tree.top != 0;
        let rows = if setup.hash_leaves {
            setup.roles.rows
        } else {
            0
        };
        let nodes = if is_tree { setup.roles.nodes } else { 0 };
        let reserves_leaves = is_tree && setup.hash_leaves && setup.roles.reserve_leaves();
        let has_blocks = setup.hash_leaves && setup.rows.blocks > 1;
        // A row engine of its own repeats itself.
        let replays = rows.is_power_of_two() && !reserves_leaves;
        let engines = (0..setup.num_engines).map(|number| {
            let [takes_rows, takes_nodes] = [rows, nodes].map(|mask| mask >> number & 1 != 0);
            Engine::new(
                setup,
                number,
                takes_rows,
                takes_nodes,
                replays && takes_rows,
            )
        });
        Self {
            engines: engines.collect(),
            rows,
            nodes,
            reserves_leaves,
            rows_in_turn: !is_tree || has_blocks,
            has_blocks,
            group: setup.rows.group,
            node_limit: (setup.roles.node_limit != 0).then_some(setup.roles.node_limit),
            nodes_inside: [0; MAX_ENGINES],
            node_lock: 0,
            row_lock: 0,
            node_turn: 0,
            row_turn: 0,
            digest_turn: 0,
            leaf_turn: 0,
            leaf_row: 0,
        }
    }

    /// Whether the place of a leaf is reserved as its row begins.
    pub(super) fn reserves_leaves(&self) -> bool {
        self.reserves_leaves
    }

    /// Those that can take a word in cycle `now`.
    #[inline]
    pub(super) fn ready(&mut self, now: u64) -> Engines {
        let mut ready = 0;
        for (number, engine) in self.engines.iter_mut().enumerate() {
            ready |= u8::from(engine.is_ready(now)) << number;
        }
        ready
    }

    /// The engine that takes a word of a node, if one of those that are ready does.
    #[inline]
    pub(super) fn node_target(&self, ready: Engines) -> Option<usize> {
        let engines = if self.node_lock != 0 {
            self.node_lock
        } else {
            self.nodes & !self.row_lock & self.within_limit()
        };
        first_from(engines & ready, self.node_turn)
    }

    /// Engines that have room for another node, as far as their limit matters.
    #[inline]
    fn within_limit(&self) -> Engines {
        let Some(limit) = self.node_limit else {
            return Engines::MAX;
        };
        let nodes = self.nodes_inside.iter().enumerate();
        nodes.fold(0, |engines, (number, &nodes)| {
            engines | Engines::from(nodes != limit) << number
        })
    }

    /// The engine that takes a word of a row, if one of those that are ready does; a word of a node is offered to
    /// `node`.
    #[inline]
    pub(super) fn row_target(&self, ready: Engines, node: Option<usize>) -> Option<usize> {
        if self.row_lock != 0 {
            return first_from(self.row_lock & ready, 0);
        }
        let node = node.map_or(0, |number| 1 << number);
        let free = self.rows & ready & !self.node_lock & !node;
        if self.rows_in_turn {
            first_from(self.rows, self.row_turn).filter(|number| free >> number & 1 != 0)
        } else {
            first_from(free, self.row_turn)
        }
    }

    /// Whether the next word of a row is its first one.
    pub(super) fn row_begins(&self) -> bool {
        self.row_lock == 0
    }

    /// A word of a node is taken, which may be its last one.
    pub(super) fn node_taken(&mut self, number: usize, end: bool) {
        if self.node_limit.is_some() && self.node_lock == 0 {
            self.nodes_inside[number] += 1;
        }
        self.node_lock = if end { 0 } else { 1 << number };
        if end {
            self.node_turn = number as u32 + 1;
        }
    }

    /// A word of a row is taken, which may be the last one of its block, and of the last row of its group.
    pub(super) fn row_taken(&mut self, number: usize, end: bool, last_of_group: bool) {
        self.row_lock = if end { 0 } else { 1 << number };
        if end {
            let is_round = self.has_blocks && last_of_group;
            self.row_turn = if is_round { 0 } else { number as u32 + 1 };
        }
    }

    /// The engine whose digest is written in cycle `now`, and its tag.
    #[inline]
    pub(super) fn digest(&self, now: u64) -> Option<(usize, Tag)> {
        let asking = if self.reserves_leaves {
            self.rows | self.nodes
        } else {
            self.nodes
        };
        let mut offering = 0;
        for (number, engine) in self.engines.iter().enumerate() {
            offering |= u8::from(engine.offer_from() <= now) << number;
        }
        let number = first_from(offering & asking, self.digest_turn)?;
        let (tag, _) = self.engines[number].offer(now)?;
        Some((number, tag))
    }

    /// The digest of an engine, which may be that of a node, is written in cycle `now`.
    pub(super) fn digest_written(&mut self, now: u64, number: usize, is_node: bool) {
        if self.node_limit.is_some() && is_node {
            self.nodes_inside[number] -= 1;
        }
        self.engines[number].leave_word(now);
        self.digest_turn = number as u32 + 1;
    }

    /// The engine that offers a word of a leaf in cycle `now`, and whether that is the last one of its leaf, where
    /// leaves come in order.
    #[inline]
    pub(super) fn leaf(&self, now: u64) -> Option<(usize, bool)> {
        if self.reserves_leaves {
            return None;
        }
        let number = first_from(self.rows, self.leaf_turn)?;
        let (_, end) = self.engines[number].offer(now)?;
        Some((number, end))
    }

    /// A word of a leaf leaves an engine in cycle `now`, which may be its last one.
    pub(super) fn leaf_taken(&mut self, now: u64, number: usize, end: bool) {
        self.engines[number].leave_word(now);
        if end {
            self.leaf_row = (self.leaf_row + 1) % self.group;
            let ends_group = self.has_blocks && self.leaf_row == 0;
            self.leaf_turn = if ends_group { 0 } else { number as u32 + 1 };
        }
    }

    /// When a word is offered that is not in cycle `now`, or an engine can take a word of a node, or of a row if
    /// `rows`, that is not ready then.
    pub(super) fn changes_from(&mut self, now: u64, ready: Engines, rows: bool) -> u64 {
        let taking = self.nodes | if rows { self.rows } else { 0 };
        let mut from = u64::MAX;
        for (number, engine) in self.engines.iter_mut().enumerate() {
            let offer = engine.offer_from();
            if offer > now {
                from = from.min(offer);
            }
            if taking & !ready & 1 << number != 0 {
                from = from.min(engine.ready_from(now));
            }
        }
        from
    }

    /// Cycle `now` begins.
    #[inline]
    pub(super) fn begin(&mut self, now: u64) {
        for engine in &mut self.engines {
            engine.begin(now);
        }
    }

    /// [`begin`](Self::begin) is due in this cycle at the latest.
    #[inline]
    pub(super) fn horizon(&self) -> u64 {
        let horizons = self.engines.iter().map(Engine::horizon);
        horizons.fold(u64::MAX, u64::min)
    }

    /// What happens inside the engines in cycle `now`.
    #[inline]
    pub(super) fn step(&mut self, now: u64) {
        for engine in &mut self.engines {
            engine.step(now);
        }
    }

    /// What happens inside the engines before `end`, or as long as what they take and give does not change.
    /// Returns until when that was. These are ready now.
    pub(super) fn run(&mut self, mut end: u64, ready: Engines) -> u64 {
        loop {
            let nexts = self.engines.iter().map(Engine::next);
            let time = nexts.fold(u64::MAX, u64::min);
            if time >= end {
                return end;
            }
            for (number, engine) in self.engines.iter_mut().enumerate() {
                if engine.step(time) {
                    end = end.min(engine.offer_from().max(time + 1));
                    if ready >> number & 1 == 0 {
                        end = end.min(engine.ready_from(time + 1));
                    }
                }
            }
        }
    }

    /// Permutations that began before cycle `now`, the present one.
    pub(super) fn begun(&self, now: u64) -> u64 {
        self.engines.iter().map(|engine| engine.begun(now)).sum()
    }

    /// Cycles before `end`, see [`Engine::busy_before`], in which the sub-engines of each engine were occupied.
    pub(super) fn busy_before(&self, end: u64) -> Vec<[u64; SUB_ENGINES]> {
        let engines = self.engines.iter();
        engines.map(|engine| engine.busy_before(end)).collect()
    }

    /// Notes the state in cycle `now`, the present one, with times relative to it and numbers of groups to the
    /// youngest ones.
    pub(super) fn note(&mut self, now: u64, youngest: &[u16], values: &mut Vec<u64>) {
        values.extend([self.node_lock, self.row_lock].map(u64::from));
        values.extend(
            [
                self.node_turn,
                self.row_turn,
                self.digest_turn,
                self.leaf_turn,
                self.leaf_row,
            ]
            .map(u64::from),
        );
        values.extend(self.nodes_inside.map(u64::from));
        for engine in &mut self.engines {
            engine.note(now, youngest, values);
        }
    }
}
