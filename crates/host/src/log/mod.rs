//! The log: what tools and Toolsmith itself have to say to whoever looks later, one JSON object per line, never on the
//! terminal (CONTRACT 3.4).

mod line;
mod rotating_file;

pub use line::LogLines;
pub use rotating_file::RotatingFile;
