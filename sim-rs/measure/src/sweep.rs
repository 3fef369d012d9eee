//! Sweeps: the same measurement over every combination of parameters.
//!
//! A specification names values for some axes; every combination of them is a [`Point`]. A point is measured
//! on a device and gives a [`Row`]. Rows are plain records of one line each, so that a sweep can be stopped
//! at any time, continued, split into shards and merged.

mod area;
mod axes;
mod check;
mod columns;
mod error;
mod kind;
mod point;
mod row;
mod run;
mod specification;
mod table;

pub use area::{Area, AreaError, AreaResult};
pub use axes::Axes;
pub use check::{MAX_ROW_GROUP, MAX_STALL};
pub use columns::{Cell, Column, Kind};
pub use error::{MAX_POINTS, SpecificationError};
pub use kind::Measure;
pub use point::Point;
pub use row::{Measured, Row, RowError};
pub use run::measure;
pub use specification::Specification;
pub use table::{TableError, write_csv, write_parquet};

#[cfg(test)]
mod tests {
    use super::*;
    use acclmt_model::ModelDevice;

    #[test]
    fn every_combination_is_a_point() {
        let text = "measure = 'tree'\n[axes]\npreset = ['filecoin-arity-2', 'plonky2']\n\
                    num_partial = [1, 2, 3]\ninput_stall = [0.0, 0.5]";
        let points = Specification::from_toml(text).unwrap().points();
        assert_eq!(points.len(), 12);
        let mut ids: Vec<_> = points.iter().map(Point::id).collect();
        assert_eq!(points[0].input_stall, 0.0);
        assert_eq!((points[1].input_stall, points[1].num_partial), (0.5, 1));
        assert_eq!(points[11].preset.as_deref(), Some("plonky2"));
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 12, "points have names of their own");
    }

    #[test]
    fn wrong_specifications_are_refused() {
        let error = |text: &str| Specification::from_toml(text).unwrap_err().to_string();
        assert!(error("measure = 'chip'").contains("unknown variant"));
        assert!(error("measure = 'tree'\nsize = 3").contains("unknown field"));
        let both = "measure = 'tree'\n[axes]\npreset = ['plonky2']\nwidth = [3]";
        assert!(error(both).contains("exclude each other"));
        let numbers: Vec<String> = (1..=1000).map(|number| number.to_string()).collect();
        let numbers = numbers.join(",");
        let many = format!(
            "measure = 'tree'\n[axes]\nleaves = [{numbers}]\npartial_rounds = [{numbers}]\n\
             leaf = ['row=1']\nrow_group = [{numbers}]"
        );
        assert!(error(&many).contains("1000000000 points"));
        for (text, part) in [
            (
                "measure = 'engine'\nhashes = 10000000000000",
                "hashes = 10000000000000: 1 to 65536",
            ),
            ("measure = 'engine'\nhashes = 0", "hashes = 0: 1 to 65536"),
            (
                "measure = 'tree'\nhashes = 64",
                "'hashes' does not apply to whole trees",
            ),
        ] {
            assert!(error(text).contains(part), "{}", error(text));
        }
        for (measure, axis, part) in [
            ("engine", "width = []", "an axis without values"),
            (
                "engine",
                "width = [25]",
                "'width' has the value 25: it is 2 to 24",
            ),
            (
                "engine",
                "width = [3, 5, 3]",
                "'width' has the value 3 twice",
            ),
            ("engine", "width = [-1]", "invalid value: integer `-1`"),
            (
                "tree",
                "arity = [1]",
                "'arity' has the value 1: it is 2 to 11",
            ),
            (
                "engine",
                "preset = ['filecoin-arity-99']",
                "'preset' has the value filecoin-arity-99",
            ),
            ("engine", "field = ['gf2']", "'field' has the value gf2"),
            ("engine", "exponent = [9]", "it is 3, 5 or 7"),
            (
                "engine",
                "full_rounds = [7]",
                "it is an even number from 2 to 1022",
            ),
            (
                "engine",
                "full_rounds = [0]",
                "it is an even number from 2 to 1022",
            ),
            ("engine", "partial_rounds = [1024]", "it is 0 to 1023"),
            (
                "engine",
                "num_partial = [7]",
                "'num_partial' has the value 7: it is 1 to 6",
            ),
            ("engine", "num_full = [0]", "it is 1 or 2"),
            (
                "engine",
                "matrix_depth = [100]",
                "it is a power of two from 32 to 256",
            ),
            (
                "engine",
                "constant_depth = [8]",
                "it is a power of two from 16 to 256",
            ),
            (
                "engine",
                "partial_depth = [512]",
                "it is a power of two from 4 to 256",
            ),
            (
                "engine",
                "leaves = [64]",
                "'leaves' does not apply to hash engines alone",
            ),
            ("engine", "leaf = ['hash']", "'leaf' does not apply"),
            ("engine", "node_words = [16]", "'node_words' does not apply"),
            ("tree", "leaves = [0]", "it is 1 to 4294967296"),
            ("tree", "leaves = [1099511627776]", "it is 1 to 4294967296"),
            (
                "tree",
                "leaf = ['twig']",
                "it is hash, element or row=C with C from 1 to 262144",
            ),
            ("tree", "leaf = ['row=0']", "it is hash, element or row=C"),
            (
                "tree",
                "leaf = ['row=1000000000000']",
                "it is hash, element or row=C",
            ),
            (
                "tree",
                "leaf = ['hash', 'row=9']\nrow_group = [2]",
                "'row_group' does not apply",
            ),
            (
                "tree",
                "leaf = ['row=9']\nrow_group = [0]",
                "it is 1 to 65536",
            ),
            (
                "tree",
                "node_words = [100]",
                "it is a power of two from 32 to 32768",
            ),
            (
                "tree",
                "input_stall = [nan]",
                "'input_stall' has the value NaN: it is a share",
            ),
            (
                "tree",
                "input_stall = [inf]",
                "'input_stall' has the value inf",
            ),
            (
                "tree",
                "input_stall = [-0.5]",
                "'input_stall' has the value -0.5",
            ),
            (
                "tree",
                "output_stall = [1.0]",
                "it is a share of the cycles, from 0 to 0.9999",
            ),
        ] {
            let found = error(&format!("measure = '{measure}'\n[axes]\n{axis}"));
            assert!(found.contains(part), "{axis}: {found}");
        }
        let long = format!(
            "measure = 'engine'\n[axes]\nfield = ['{}']",
            "x".repeat(1 << 20)
        );
        assert!(error(&long).len() < 300);
    }

    #[test]
    fn figures_that_nothing_measures_are_refused() {
        let text = "measure = 'tree'\n[axes]\npreset = ['plonky2']";
        let row = |cycles: Option<u64>, share: f64| Row {
            id: "7".to_owned(),
            backend: "model".to_owned(),
            point: Specification::from_toml(text).unwrap().points().remove(0),
            result: Measured {
                cycles,
                lhe_utilisation: Some(share),
                ..Measured::default()
            },
            area: Area::default(),
            error: None,
        };
        assert_eq!(row(Some(1), 0.0).check(), Ok(()));
        assert_eq!(row(None, 1.0).check(), Ok(()));
        let error = row(Some(0), 0.5).check().unwrap_err().to_string();
        assert!(error.contains("point 7 has cycles = 0"), "{error}");
        for share in [-0.5, f64::INFINITY, f64::NAN] {
            let error = row(Some(1), share).check().unwrap_err().to_string();
            assert!(error.contains("lhe_utilisation"), "{error}");
        }
    }

    #[test]
    fn the_arity_gives_the_width() {
        let text = "measure = 'tree'\n[axes]\nfield = ['bls12-381', 'goldilocks']\narity = [2, 8]";
        let points = Specification::from_toml(text).unwrap().points();
        assert_eq!(
            points
                .iter()
                .map(|point| point.width.unwrap())
                .collect::<Vec<_>>(),
            [3, 9, 12, 36]
        );
        let arities: Vec<_> = (points.iter())
            .map(|point| point.parameters().map(|parameters| parameters.arity()))
            .collect();
        assert_eq!(arities[..3], [Ok(2), Ok(8), Ok(2)]);
        assert!(
            arities[3]
                .as_ref()
                .unwrap_err()
                .contains("no state over goldilocks is 36 elements wide; 2 to 24 are possible")
        );
    }

    #[test]
    fn every_value_of_a_row_has_its_column() {
        let text = "measure = 'tree'\n[axes]\ninput_rate = ['1/3']";
        for point in Specification::from_toml(text).unwrap().points() {
            let row = Row {
                id: point.id(),
                backend: "model".to_owned(),
                point,
                result: Measured::default(),
                area: Area::default(),
                error: None,
            };
            let json = serde_json::to_value(&row).unwrap();
            let names: Vec<_> = json
                .as_object()
                .unwrap()
                .keys()
                .map(String::as_str)
                .collect();
            assert_eq!(
                names,
                Row::columns().map(|column| column.name).collect::<Vec<_>>()
            );
            assert_eq!(row.cells().len(), names.len());
            assert_eq!(serde_json::from_value::<Row>(json).unwrap(), row);
        }
    }

    #[test]
    fn points_are_measured() {
        let text = "measure = 'engine'\nhashes = 1024\n[axes]\nwidth = [3, 12]\nnum_partial = [3, 6]\n\
                    field = ['bls12-381', 'goldilocks']\nexponent = [5, 7]";
        let mut rows = 0;
        for point in Specification::from_toml(text).unwrap().points() {
            let device = ModelDevice::new(point.hardware()).unwrap();
            match measure(&point, &mut device.with_results(false)) {
                Ok(measured) => {
                    let (steady, period) = (measured.cycles_per_hash, measured.period);
                    let share = steady.unwrap() / period.unwrap() as f64;
                    assert!((0.8..1.3).contains(&share), "{point:?}: {measured:?}");
                    rows += 1;
                }
                Err(error) => assert!(error.contains("no permutation"), "{error}"),
            }
        }
        // x^5 is no permutation of the Goldilocks field.
        assert_eq!(rows, 12);
    }
}
