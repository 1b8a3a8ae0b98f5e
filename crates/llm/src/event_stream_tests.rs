//! Messages of AWS event streams, good and broken.

use super::*;
use crate::error::ErrorClass;

/// Writes a message as AWS does.
fn message(headers: &[(&str, &str)], payload: &[u8]) -> Vec<u8> {
    let mut own = Vec::new();
    for (name, value) in headers {
        own.push(name.len() as u8);
        own.extend(name.bytes());
        own.push(7);
        own.extend((value.len() as u16).to_be_bytes());
        own.extend(value.bytes());
    }
    let mut bytes = ((PRELUDE + own.len() + payload.len() + TRAILER) as u32).to_be_bytes().to_vec();
    bytes.extend((own.len() as u32).to_be_bytes());
    bytes.extend(crc32(&bytes).to_be_bytes());
    bytes.extend(own);
    bytes.extend(payload);
    bytes.extend(crc32(&bytes).to_be_bytes());
    bytes
}

fn event(name: &str, payload: &str) -> Vec<u8> {
    message(
        &[(":event-type", name), (":content-type", "application/json"), (":message-type", "event")],
        payload.as_bytes(),
    )
}

#[test]
fn the_checksum_is_that_of_other_programs() {
    assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    assert_eq!(crc32(b""), 0);
}

#[test]
fn messages_are_read_whole_and_byte_by_byte() {
    let stream =
        [event("messageStart", r#"{"role":"assistant"}"#), event("x", ""), event("metadata", "{}")].concat();
    let whole = EventStreamParser::default().push(&stream).unwrap();
    let names: Vec<&str> = whole.iter().map(|event| event.name.as_str()).collect();
    assert_eq!(names, ["messageStart", "x", "metadata"]);
    assert_eq!(whole[0].data, r#"{"role":"assistant"}"#);
    let mut parser = EventStreamParser::default();
    let pieces: Vec<SseEvent> = stream.iter().flat_map(|byte| parser.push(&[*byte]).unwrap()).collect();
    assert_eq!(pieces, whole);
    assert!(parser.end().is_ok());
}

#[test]
fn exceptions_and_errors_are_named() {
    let exception = message(
        &[(":message-type", "exception"), (":exception-type", "throttlingException")],
        br#"{"message":"slow down"}"#,
    );
    let error = message(
        &[(":message-type", "error"), (":error-code", "InternalError"), (":error-message", "broken")],
        b"",
    );
    let events = EventStreamParser::default().push(&[exception, error].concat()).unwrap();
    assert_eq!(events[0].name, "exception:throttlingException");
    assert_eq!(
        (events[1].name.as_str(), events[1].data.as_str()),
        ("exception:InternalError", r#"{"message":"broken"}"#)
    );
}

#[test]
fn every_flipped_bit_is_noticed() {
    let good = event("contentBlockDelta", r#"{"delta":{"text":"hello"}}"#);
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        let error = EventStreamParser::default().push(&bad).unwrap_err();
        assert_eq!(error.class, ErrorClass::InvalidResponse, "byte {at}");
    }
}

#[test]
fn lengths_that_cannot_be_true_are_refused_before_anything_is_buffered() {
    for (total, headers) in
        [(u32::MAX, 0), (17 << 20, 0), (15, 0), (16, 1), (16, u32::MAX), (0, 0), (1 << 20, 200 << 10)]
    {
        let mut bytes = total.to_be_bytes().to_vec();
        bytes.extend(headers.to_be_bytes());
        bytes.extend(crc32(&bytes).to_be_bytes());
        assert!(EventStreamParser::default().push(&bytes).is_err(), "{total} {headers}");
    }
}

#[test]
fn odd_headers_are_refused_or_skipped() {
    // All types before the name; then one that is cut off, and one of an unknown type.
    let mut headers = Vec::new();
    for (kind, value) in [(0_u8, 0_usize), (1, 0), (2, 1), (3, 2), (4, 4), (5, 8), (8, 8), (9, 16)] {
        headers.extend([1, b'a', kind]);
        headers.extend(vec![0; value]);
    }
    headers.extend([1, b'b', 6, 0, 2, 1, 1]);
    assert!(read_headers(&headers).is_ok());
    for bad in [
        &[5_u8, b'a'][..],
        &[1, b'a'],
        &[1, b'a', 10],
        &[1, b'a', 7, 0],
        &[1, b'a', 7, 0, 9, 1],
        &[1, b'a', 9, 0],
    ] {
        assert!(read_headers(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn an_end_inside_a_message_is_an_error() {
    let mut parser = EventStreamParser::default();
    let whole = event("x", "{}");
    assert!(parser.push(&whole[..whole.len() - 1]).unwrap().is_empty());
    assert_eq!(parser.end().unwrap_err().class, ErrorClass::Network);
}
