//! Where a write lands. A path is resolved once, the way the kernel does it, into a [`Location`]: an open directory and a
//! name. The location is what a tier is derived from ([`WriteRules`]), and it is what the file is then written through.
//! What changes in between cannot redirect the write.

mod anywhere;
mod commands;
#[cfg(unix)]
mod folder;
mod git;
mod links;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
mod modules;
mod resolved_location;
mod rules;
mod save;
mod shell_words;
mod subfolders;
mod table;
mod temporaries;
mod walk;
#[cfg(windows)]
mod windows;
#[cfg(any(windows, test))]
pub(crate) mod windows_names;
#[cfg(any(windows, test))]
mod windows_reparse;

pub use anywhere::{NamedAnywhere, named_anywhere};
pub use commands::{Named, named_files, with_variables};
pub use resolved_location::{Location, directory_line, leads_to};
pub use rules::{Protected, Verdict, WriteRules};
pub use save::Stamp;
pub use shell_words::{quoted_word, shell_words};
pub use temporaries::Temporaries;

pub(crate) use resolved_location::{Beside, open_real};
pub(crate) use walk::lexical;

#[cfg(unix)]
use folder::{Entry, Folder, split};
#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
use macos as system;
#[cfg(windows)]
use windows as system;
#[cfg(windows)]
use windows::{Entry, Folder, split};
