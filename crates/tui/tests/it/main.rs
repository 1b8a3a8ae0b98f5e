//! Tests of the terminal interface, one module per subject.

mod blocks;
