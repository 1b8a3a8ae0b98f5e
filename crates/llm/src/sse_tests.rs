//! Events come out whole however the bytes are cut.

use proptest::prelude::*;

use super::*;

fn parse(pieces: &[&[u8]]) -> Vec<SseEvent> {
    let mut parser = SseParser::default();
    let mut events: Vec<SseEvent> = pieces.iter().flat_map(|piece| parser.push(piece).unwrap()).collect();
    events.extend(parser.end());
    events
}

fn event(name: &str, data: &str) -> SseEvent {
    SseEvent { name: name.to_owned(), data: data.to_owned() }
}

#[test]
fn all_line_ends_comments_and_unknown_fields_are_understood() {
    let text = "\u{feff}: ping\r\nevent: a\r\nid: 7\r\ndata: {\"x\":1}\r\n\r\ndata:one\rdata: two\r\rretry: 5\n\nevent: lonely\n\n";
    assert_eq!(parse(&[text.as_bytes()]), [event("a", "{\"x\":1}"), event("", "one\ntwo")]);
}

#[test]
fn the_last_event_counts_without_its_blank_line() {
    assert_eq!(parse(&[b"data: x"]), [event("", "x")]);
    assert_eq!(parse(&[b"data: x\n"]), [event("", "x")]);
}

#[test]
fn what_is_no_utf8_does_no_harm() {
    assert_eq!(parse(&[b"data: \xff\xfe\n\n\xf0\x9f\n\n"]), [event("", "\u{fffd}\u{fffd}")]);
}

#[test]
fn an_endless_event_is_refused() {
    let mut parser = SseParser::default();
    let piece = vec![b'x'; 8 * 1024 * 1024];
    let refused = (0..9).find_map(|_| parser.push(&piece).err());
    assert!(refused.unwrap().to_string().contains("an event is larger than"));
}

proptest! {
    #[test]
    fn cutting_the_bytes_anywhere_changes_nothing(
        texts in proptest::collection::vec("[ -~é漢🦀]{0,12}", 1..6),
        cuts in proptest::collection::vec(0usize..400, 0..12),
        crlf in any::<bool>(),
    ) {
        let end = if crlf { "\r\n" } else { "\n" };
        let stream: String = texts.iter().map(|text| format!("event: e{end}data: {text}{end}{end}")).collect();
        let bytes = stream.as_bytes();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut % (bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        let expected: Vec<SseEvent> = texts
            .iter()
            .map(|text| event("e", text))
            .collect();
        prop_assert_eq!(parse(&pieces), expected);
    }
}
