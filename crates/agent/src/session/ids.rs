//! Ids and the time, as they stand in files.

use std::fmt::Write as _;

/// Random bytes. Without a source of randomness the time has to do: ids are checked for collisions, and keep nothing
/// secret.
fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    if getrandom::fill(&mut bytes).is_err() {
        let now = jiff::Timestamp::now().as_nanosecond().to_le_bytes();
        for (byte, time) in bytes.iter_mut().zip(now) {
            *byte = time;
        }
    }
    bytes
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The id of a session: a random UUID. Not one that begins with the time, so that a short prefix tells sessions apart.
pub(crate) fn session_id() -> String {
    let mut bytes: [u8; 16] = random();
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let text = hex(&bytes);
    [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]].join("-")
}

/// The id of an entry: eight digits that are not taken.
pub(crate) fn entry_id(taken: impl Fn(&str) -> bool) -> String {
    for _ in 0..100 {
        let id = hex(&random::<4>());
        if !taken(&id) {
            return id;
        }
    }
    session_id()
}

/// The time now, to the millisecond.
pub(crate) fn now() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}
