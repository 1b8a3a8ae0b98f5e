//! `Intl.NumberFormat`.

mod compact;
mod digits;
mod format;
mod pattern;
mod range;
mod settings;
mod symbols;

pub use format::NumberFormat;

pub(crate) use digits::{Digits, Rounded};
pub(crate) use settings::UNITS;
pub(crate) use symbols::digit_characters;
