//! Areas of hash engines, from a result of the area flow.

use serde::{Deserialize, Serialize};

use super::columns::record;
use super::point::Point;
use acclmt_model::Hardware;

record! {
    /// The area of a hash engine, where it is known.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct Area {
        /// Area of one hash engine in µm².
        pub area_um2: Option<f64>,
        /// The same in gate equivalents: areas of the NAND gate of the library.
        pub area_ge: Option<f64>,
        /// The library of cells.
        pub area_library: Option<String>,
    }
}

/// What a sweep takes from a result of the area flow.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct AreaResult {
    library: String,
    engines: Vec<EngineArea>,
}

/// A hash engine that was built.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct EngineArea {
    num_full: usize,
    num_partial: usize,
    goldilocks: bool,
    /// None where the flow had generic gates and no library of cells.
    area_um2: Option<f64>,
    ge: f64,
}

/// A text is no result of the area flow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AreaError {
    /// It is no JSON, or values are missing.
    #[error("this is no result of the area flow: {0}")]
    Syntax(String),
    /// An area is no area.
    #[error(
        "the engine of {num_full} full-round and {num_partial} partial-round sub-engines has an area that is \
         no number above 0"
    )]
    NotPositive {
        /// Of the engine.
        num_full: usize,
        /// Of the engine.
        num_partial: usize,
    },
    /// An engine has two areas.
    #[error(
        "the engine of {num_full} full-round and {num_partial} partial-round sub-engines is there twice"
    )]
    Twice {
        /// Of the engine.
        num_full: usize,
        /// Of the engine.
        num_partial: usize,
    },
}

impl AreaResult {
    /// Reads a result.
    ///
    /// # Errors
    ///
    /// When the text is none.
    pub fn from_json(text: &str) -> Result<Self, AreaError> {
        let result: Self =
            serde_json::from_str(text).map_err(|error| AreaError::Syntax(error.to_string()))?;
        for (number, engine) in result.engines.iter().enumerate() {
            let EngineArea {
                num_full,
                num_partial,
                ..
            } = *engine;
            let areas = [Some(engine.ge), engine.area_um2];
            if !areas
                .iter()
                .flatten()
                .all(|&area| area > 0.0 && area.is_finite())
            {
                return Err(AreaError::NotPositive {
                    num_full,
                    num_partial,
                });
            }
            if result.engines[..number]
                .iter()
                .any(|other| other.kind() == engine.kind())
            {
                return Err(AreaError::Twice {
                    num_full,
                    num_partial,
                });
            }
        }
        Ok(result)
    }

    /// The area of the hash engine of a point, if it is there: engines are built with the constant memories
    /// of the default.
    pub fn area(&self, point: &Point) -> Area {
        let hardware = point.hardware();
        let depths = |chip: &Hardware| (chip.matrix_depth, chip.constant_depth, chip.partial_depth);
        if depths(&hardware) != depths(&Hardware::default()) {
            return Area::default();
        }
        let kind = (hardware.num_full, hardware.num_partial, hardware.goldilocks);
        let engine = self.engines.iter().find(|engine| engine.kind() == kind);
        engine.map_or_else(Area::default, |engine| Area {
            area_um2: engine.area_um2,
            area_ge: Some(engine.ge),
            area_library: Some(self.library.clone()),
        })
    }
}

impl EngineArea {
    fn kind(&self) -> (usize, usize, bool) {
        (self.num_full, self.num_partial, self.goldilocks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(engines: &str) -> String {
        format!(
            "{{\"library\": \"cells\", \"commit\": \"0\", \"modules\": {{}}, \"engines\": [{engines}]}}"
        )
    }

    fn engine(num_partial: usize, goldilocks: bool, area: &str) -> String {
        format!(
            "{{\"num_full\": 1, \"num_partial\": {num_partial}, \"goldilocks\": {goldilocks}, \
             \"area_um2\": {area}, \"ge\": 7}}"
        )
    }

    #[test]
    fn wrong_areas_are_refused() {
        let error = |engines: &str| {
            AreaResult::from_json(&text(engines))
                .unwrap_err()
                .to_string()
        };
        assert!(error("3").contains("no result of the area flow: invalid type"));
        assert!(error("{\"num_full\": 1}").contains("missing field `num_partial`"));
        assert!(
            error(&engine(3, true, "-1.5")).contains("3 partial-round sub-engines has an area")
        );
        let twice = format!("{},{}", engine(3, true, "1"), engine(3, true, "2"));
        assert!(error(&twice).contains("is there twice"));
        // The same without the Goldilocks field is another engine.
        let two = format!("{},{}", engine(3, true, "1"), engine(3, false, "2"));
        assert!(AreaResult::from_json(&text(&two)).is_ok());
        assert!(error(&engine(3, true, "null").replace('7', "0")).contains("has an area"));
        assert!(AreaResult::from_json("{\"library\": \"cells\"}").is_err());
    }

    #[test]
    fn engines_without_cells_have_gate_equivalents_only() {
        let result = AreaResult::from_json(&text(&engine(3, true, "null"))).unwrap();
        assert_eq!(result.engines[0].area_um2, None);
        assert_eq!(result.engines[0].ge, 7.0);
    }
}
