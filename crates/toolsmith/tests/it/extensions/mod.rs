//! Extensions in a session (CONTRACT 10), with real modules in the real engine and a scripted model.

mod bad_input;
mod commands;
mod events;
mod gates;
mod messages;
mod operations;
mod place;
mod providers;
mod tools;
mod wrapped_tools;
