//! Tests of the tiers by location.
