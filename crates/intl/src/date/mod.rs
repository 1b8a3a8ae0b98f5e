//! `Intl.DateTimeFormat`.

mod format;
mod names;
mod pattern;
mod range;
mod settings;
mod skeleton;
mod zone;

pub use format::DateTimeFormat;
pub use zone::canonical_time_zone;
