//! What tests need and nothing ships: [`ModelServer`], which speaks the wires of real model providers from a script, on
//! this machine only; and packages from the npm registry.

mod model_server;
mod npm;

pub use model_server::{Gate, ModelServer, Problem, Recorded, Reply, Stop, Tokens, Wire};
pub use npm::install_packages;
