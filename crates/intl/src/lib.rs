//! Locale-dependent formatting as ECMAScript's `Intl` does it. Knows no engine: options arrive as JSON, numbers as the text
//! JavaScript prints.
//!
//! Numbers, dates, lists, plurals and names are formatted from the Unicode CLDR in the version of the Node release that results are
//! compared with (`tests/it`). Collation and segmentation are ICU4X's.

mod collator;
mod data;
mod date;
mod decimal;
mod error;
mod formatter;
mod list;
mod locale;
mod names;
mod number;
mod options;
mod parts;
mod plural;
mod relative;
mod segmenter;

pub use collator::Collator;
pub use data::supported_values;
pub use date::{DateTimeFormat, canonical_time_zone};
pub use error::IntlError;
pub use formatter::{Defaults, Formatter};
pub use list::ListFormat;
pub use locale::{canonical_locales, is_supported, locale_parts, supported_locales};
pub use names::DisplayNames;
pub use number::NumberFormat;
pub use parts::{Part, joined, parts_json};
pub use plural::PluralRules;
pub use relative::RelativeTimeFormat;
pub use segmenter::Segmenter;
