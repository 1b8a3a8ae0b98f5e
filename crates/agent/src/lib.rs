//! The agent. [`Dispatcher`] is the one path every tool call takes.
//!
//! This crate knows no engine, no protocol of other agents, and no terminal: tools come in as `dyn Tool`, front ends read
//! events.

mod approval;
mod dispatch;
mod panics;
pub mod session;

pub use approval::{
    ApprovalMode, ApprovalRequest, ApprovalSettings, Approver, Decision, UnknownMode, Verdict, judge,
};
pub use dispatch::{
    Arguments, CallEnd, CallEvent, CallOutcome, CallRequest, Deadlines, Dispatcher, DispatcherBuilder, Gate,
    GateVerdict, GatedCall, OutputCut, SharedRegistry,
};
