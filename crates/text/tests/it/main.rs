//! Snapshots and hostile input for styled text.
