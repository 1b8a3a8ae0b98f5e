//! The real binary, run as a person would run it.

mod doctor;
