//! The columns of a row: one description, from which every kind of table is written.

use super::kind::Measure;
use acclmt_model::stalls::Rate;

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Numbers from 0 on.
    Integer,
    /// Numbers with a fraction.
    Float,
    /// Texts.
    Text,
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What its values are.
    pub kind: Kind,
    /// Whether rows may lack the value.
    pub optional: bool,
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Of a column of [`Kind::Integer`].
    Integer(u64),
    /// Of a column of [`Kind::Float`].
    Float(f64),
    /// Of a column of [`Kind::Text`].
    Text(String),
}

/// A type that a field of a row may have.
pub(super) trait Value {
    const KIND: Kind;
    const OPTIONAL: bool = false;

    fn cell(&self) -> Option<Cell>;
}

macro_rules! value {
    ($type:ty, $kind:ident, $value:ident => $cell:expr) => {
        impl Value for $type {
            const KIND: Kind = Kind::$kind;

            fn cell(&self) -> Option<Cell> {
                let $value = self;
                Some(Cell::$kind($cell))
            }
        }
    };
}

value!(u32, Integer, value => (*value).into());
value!(u64, Integer, value => *value);
value!(usize, Integer, value => *value as u64);
value!(f64, Float, value => *value);
value!(Rate, Float, value => value.words_per_cycle());
value!(String, Text, value => value.clone());
value!(Measure, Text, value => value.name().to_owned());

impl<T: Value> Value for Option<T> {
    const KIND: Kind = T::KIND;
    const OPTIONAL: bool = true;

    fn cell(&self) -> Option<Cell> {
        self.as_ref().and_then(T::cell)
    }
}

/// A struct whose fields are columns.
macro_rules! record {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident {
            $($(#[$field_attribute:meta])* pub $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$attribute])*
        pub struct $name {
            $($(#[$field_attribute])* pub $field: $type,)*
        }

        impl $name {
            pub(crate) const COLUMNS: &[$crate::sweep::columns::Column] = &[$(
                $crate::sweep::columns::Column {
                    name: stringify!($field),
                    kind: <$type as $crate::sweep::columns::Value>::KIND,
                    optional: <$type as $crate::sweep::columns::Value>::OPTIONAL,
                },
            )*];

            pub(crate) fn cells(&self) -> Vec<Option<$crate::sweep::columns::Cell>> {
                vec![$($crate::sweep::columns::Value::cell(&self.$field),)*]
            }
        }
    };
}

pub(super) use record;
