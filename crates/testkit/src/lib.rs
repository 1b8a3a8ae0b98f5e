//! Test support, never shipped: [`ModelServer`], which speaks the wire formats of real model providers from a script on
//! loopback; [`Project`], a temporary folder of files; packages from the npm registry; and modules that must run unmodified.

#[cfg(feature = "agent")]
pub mod agent;
mod model_server;
mod programs;
mod project;
mod redirect;
#[cfg(target_os = "linux")]
mod refused_calls;
mod seeds;

pub use model_server::{
    Gate, ModelServer, Problem, Recorded, Reply, Stop, Tokens, Wire, check_aws_signature,
    check_google_statement, service_account,
};
pub use programs::{has_program, install_packages};
pub use project::Project;
pub use redirect::follow_redirect;
#[cfg(target_os = "linux")]
pub use refused_calls::{LOCKS, NEWER_CALLS, refuse_calls};
pub use seeds::BATCH_RENAME;
