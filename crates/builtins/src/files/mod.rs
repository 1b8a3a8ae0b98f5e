//! Files as the built-in tools handle them: found by what a model wrote, read as what they are, and written whole or not
//! at all.

mod change;
mod path;
mod target;
mod text;

pub use change::Saving;
pub(crate) use change::diff;
pub use path::Workspace;
pub(crate) use target::Target;
pub(crate) use text::{Kind, LineEnding, MAX_IMAGE_BYTES, kind, kind_in_words};
pub(crate) use toolsmith_host::location::Stamp;
