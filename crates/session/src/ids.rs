//! Ids and timestamps as stored in files.

use std::fmt::Write as _;

/// Returns random bytes. Without a source of randomness the time is used: ids are checked for collisions and are not
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

/// Returns a session id: a random UUID. It does not start with the time, so that short prefixes differ.
pub(crate) fn session_id() -> String {
    let mut bytes: [u8; 16] = random();
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let text = hex(&bytes);
    [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]].join("-")
}

/// Returns an entry id: eight unused digits.
pub(crate) fn entry_id(taken: impl Fn(&str) -> bool) -> String {
    for _ in 0..100 {
        let id = hex(&random::<4>());
        if !taken(&id) {
            return id;
        }
    }
    session_id()
}

/// Returns the current time to the millisecond.
pub(crate) fn now() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}
