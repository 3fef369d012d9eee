//! The rows that a sweep gives.

use super::area::Area;
use super::columns::{Cell, Column, Kind, Value as _, record};
use super::point::Point;
use serde::{Deserialize, Serialize};

/// What was measured at a point, or why nothing was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Of the point.
    pub id: String,
    /// What measured it.
    pub backend: String,
    /// The point.
    #[serde(flatten)]
    pub point: Point,
    /// The result.
    #[serde(flatten)]
    pub result: Measured,
    /// The area of a hash engine.
    #[serde(flatten)]
    pub area: Area,
    /// Why there is no result.
    pub error: Option<String>,
}

/// Columns whose figures are above 0.
const POSITIVE: [&str; 7] = [
    "cycles_per_hash",
    "latency_cycles",
    "tree_leaves",
    "cycles",
    "cycles_per_leaf",
    "area_um2",
    "area_ge",
];

/// A row has a figure that nothing can measure.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the point {id} has {column} = {value}, which cannot have been measured; measure it again")]
pub struct RowError {
    /// Of the point.
    pub id: String,
    /// The column.
    pub column: &'static str,
    /// Its figure.
    pub value: f64,
}

impl Row {
    /// The columns of every table of rows, in the order of the values in JSON.
    pub fn columns() -> impl Iterator<Item = &'static Column> {
        const fn text(name: &'static str, optional: bool) -> Column {
            Column {
                name,
                kind: Kind::Text,
                optional,
            }
        }
        const FIRST: &[Column] = &[text("id", false), text("backend", false)];
        const LAST: &[Column] = &[text("error", true)];
        [
            FIRST,
            Point::COLUMNS,
            Measured::COLUMNS,
            Area::COLUMNS,
            LAST,
        ]
        .into_iter()
        .flatten()
    }

    /// Checks that all figures are some that can be measured: none is negative or infinite, and cycles and
    /// areas are above 0.
    ///
    /// # Errors
    ///
    /// Names the first column that has another one, and its value.
    pub fn check(&self) -> Result<(), RowError> {
        for (column, cell) in Self::columns().zip(self.cells()) {
            let is_positive = POSITIVE.contains(&column.name);
            let value = match cell {
                Some(Cell::Float(value)) => value,
                Some(Cell::Integer(0)) if is_positive => 0.0,
                _ => continue,
            };
            if !value.is_finite() || value < 0.0 || (is_positive && value == 0.0) {
                return Err(RowError {
                    id: self.id.clone(),
                    column: column.name,
                    value,
                });
            }
        }
        Ok(())
    }

    /// The value of each column.
    pub fn cells(&self) -> Vec<Option<Cell>> {
        let mut cells = vec![self.id.cell(), self.backend.cell()];
        cells.extend(self.point.cells());
        cells.extend(self.result.cells());
        cells.extend(self.area.cells());
        cells.push(self.error.cell());
        cells
    }
}

record! {
    /// The result of a point; what does not apply is nothing.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct Measured {
        /// Name of the parameter set.
        pub parameters: Option<String>,
        /// Children of a node.
        pub arity: Option<usize>,
        /// State width.
        pub state_width: Option<usize>,
        /// Cycles per hash that the busiest sub-engine allows.
        pub period: Option<u64>,
        /// Cycles per hash in the steady state (engine).
        pub cycles_per_hash: Option<f64>,
        /// Cycles of a single hash (engine).
        pub latency_cycles: Option<u64>,
        /// Leaves (tree).
        pub tree_leaves: Option<u64>,
        /// Cycles from the first word in to the last word out (tree).
        pub cycles: Option<u64>,
        /// Cycles per leaf (tree).
        pub cycles_per_leaf: Option<f64>,
        /// Share of the cycles in which the leaf hash engine is busy (tree).
        pub lhe_utilisation: Option<f64>,
        /// The same of the root hash engine (tree).
        pub rhe_utilisation: Option<f64>,
        /// Cycles in which an input word waited (tree).
        pub stall_in: Option<u64>,
        /// Cycles in which an input word was missing (tree).
        pub missing_in: Option<u64>,
        /// Cycles in which a leaf waited (tree).
        pub stall_leaf: Option<u64>,
        /// Cycles in which the root hash engine had nothing to do (tree).
        pub starved_root: Option<u64>,
        /// Most words in the node memory (tree).
        pub high_water: Option<u64>,
        /// Leaves of the largest tree that was simulated, where that is less than the tree: see
        /// [`TreeMeasurement::simulated_leaves`](crate::measurement::TreeMeasurement::simulated_leaves).
        #[serde(default)]
        pub simulated_leaves: Option<u64>,
    }
}
