//! What tests need and nothing ships: [`ModelServer`], which speaks the wires of real model providers from a script, on
//! this machine only; packages from the npm registry; and modules that have to run unmodified.

mod model_server;
mod npm;
mod seeds;

pub use model_server::{Gate, ModelServer, Problem, Recorded, Reply, Stop, Tokens, Wire};
pub use npm::install_packages;
pub use seeds::BATCH_RENAME;
