//! Where paths lead, compared with where the kernel says they do.

mod killing;
mod places;
mod resolving;
mod rules;
