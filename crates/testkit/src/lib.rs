//! What tests need and nothing ships: [`ModelServer`], which speaks the wires of real model providers from a script, on
//! this machine only.

mod model_server;

pub use model_server::{Gate, ModelServer, Problem, Recorded, Reply, Stop, Tokens, Wire};
