//! Toolsmith for programs: finds and loads custom tools, reads settings, and puts the parts together.

mod home;

pub use home::Home;
