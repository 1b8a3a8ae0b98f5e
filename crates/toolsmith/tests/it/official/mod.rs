//! Official example extensions of pi and oh-my-pi, run unmodified against the scripted model, each with an assertion about
//! its purpose. The packages are not part of the repository: `cargo xtask extensions` fetches them, and without them each
//! test prints why it was skipped.

mod commands;
mod guards;
mod place;
mod prompts;
mod tools;
