//! CONTRACT 11.1, 11.2: hooks, as real processes.

mod approving;
mod calls;
mod hostile;
mod http;
mod kit;
mod runs;
mod staged;
mod swapping;
