//! Tests of reading lines.

use std::io::Cursor;

use super::*;

fn lines(bytes: &[u8]) -> Vec<Result<Vec<u8>, usize>> {
    let mut source = io::BufReader::with_capacity(7, Cursor::new(bytes.to_vec()));
    let mut lines = Vec::new();
    while let Some(line) = next_line(&mut source).unwrap() {
        lines.push(line.map_err(|TooLong { bytes }| bytes));
    }
    lines
}

#[test]
fn lines_are_cut_at_their_ends_and_half_a_line_is_none() {
    let all = lines(b"one\n\ntwo, longer than the buffer\r\nhalf");
    let expected = [&b"one"[..], b"", b"two, longer than the buffer\r"];
    assert_eq!(all, expected.map(|line| Ok(line.to_vec())));
}

#[test]
fn a_line_that_is_too_long_is_counted_and_the_next_one_is_whole() {
    let mut bytes = vec![b'x'; MAX_FRAME_BYTES];
    bytes.extend(b"\n");
    bytes.extend(vec![b'y'; MAX_FRAME_BYTES + 1]);
    bytes.extend(b"\nnext\n");
    let all = lines(&bytes);
    assert_eq!(all[0].as_ref().map(Vec::len), Ok(MAX_FRAME_BYTES));
    assert_eq!(all[1], Err(MAX_FRAME_BYTES + 1));
    assert_eq!(all[2], Ok(b"next".to_vec()));
}

#[test]
fn every_request_without_fields_can_be_read() {
    for name in ["get_state", "shutdown", "initialize", "abort", "undo", "pending_list"] {
        let line = format!("{{\"id\":7,\"type\":\"{name}\"}}");
        let Incoming::Request(id, command, _) = read(line.as_bytes()) else { panic!("{line}") };
        assert_eq!((id, command.as_str()), (Some(RequestId::Number(7)), name));
    }
}

#[test]
fn what_is_wrong_is_said_with_the_id() {
    let Incoming::Wrong { id, command, error } = read(b"{\"id\":\"a\",\"type\":\"steer\"}") else { panic!() };
    assert_eq!((id, command.as_str()), (Some(RequestId::Text("a".to_owned())), "steer"));
    assert!(error.contains("message"), "{error}");
}
