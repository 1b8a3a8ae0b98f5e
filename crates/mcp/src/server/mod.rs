//! The server: Toolsmith's tools for any client, over standard streams or HTTP, with progress, cancellation, dialogs, and
//! preview and apply (CONTRACT 12.2).

mod bounded_transport;
mod dialogs;
mod handler;
mod http;
mod mapping;
mod parked;
mod pending;
mod progress;
mod running_call;
mod served;
mod serving;
mod stdio;

pub use http::{BoundHttp, HttpError, HttpOptions, bind_http};
pub use served::{
    Decision, FileChoice, ServedCall, ServedOutcome, ServedPending, ServedSession, ServedTools,
};
pub use serving::{ServeEvents, ServeOptions};
pub use stdio::serve_stream;
