//! Hooks of the user and of a project (CONTRACT 11.1, 11.2).

mod attacks;
mod confirming;
mod finding;
mod place;
mod sessions;
