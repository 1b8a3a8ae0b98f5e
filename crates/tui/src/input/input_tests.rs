//! Decoding of keys, pastes and replies.

use super::*;

fn decode(chunks: &[&[u8]]) -> Vec<Input> {
    let (mut parser, mut out) = (Parser::default(), Vec::new());
    for chunk in chunks {
        parser.push(chunk, &mut out);
    }
    parser.flush(&mut out);
    out
}

fn keys(bytes: &[u8]) -> Vec<String> {
    decode(&[bytes])
        .iter()
        .map(|input| match input {
            Input::Key { key, .. } => crate::keys::name_of(key),
            other => format!("{other:?}"),
        })
        .collect()
}

#[test]
fn keys_of_every_encoding_are_decoded() {
    for (bytes, expected) in [
        (&b"a"[..], "a"),
        (b"A", "shift+a"),
        (b"\r", "enter"),
        (b"\n", "ctrl+j"),
        (b"\t", "tab"),
        (b"\x03", "ctrl+c"),
        (b"\x7f", "backspace"),
        (b"\x1f", "ctrl+-"),
        (b"\x1b[A", "up"),
        (b"\x1bOA", "up"),
        (b"\x1b[1;5C", "ctrl+right"),
        (b"\x1b[1;3D", "alt+left"),
        (b"\x1b\x1b[D", "alt+left"),
        (b"\x1b[3~", "delete"),
        (b"\x1b[3;3~", "alt+delete"),
        (b"\x1b[5~", "pageUp"),
        (b"\x1b[24~", "f12"),
        (b"\x1b[Z", "shift+tab"),
        (b"\x1b[13;2u", "shift+enter"),
        (b"\x1b[27;2;13~", "shift+enter"),
        (b"\x1b[27;5;106~", "ctrl+j"),
        (b"\x1b[99;5u", "ctrl+c"),
        (b"\x1b[112;6u", "ctrl+shift+p"),
        (b"\x1b[27u", "escape"),
        (b"\x1b[57414u", "enter"),
        (b"\x1b\r", "alt+enter"),
        (b"\x1b\x7f", "alt+backspace"),
        (b"\x1bb", "alt+b"),
        (b"\x1b]", "alt+]"),
        (b"\x1bP", "alt+shift+p"),
        (b"\x1b[", "alt+["),
        (b"\x1bO", "alt+shift+o"),
        (b"\x1b", "escape"),
    ] {
        assert_eq!(keys(bytes), [expected], "{:?}", String::from_utf8_lossy(bytes));
    }
    assert_eq!(keys(b"\x1b\x1b"), ["escape", "escape"]);
    assert_eq!(keys("é漢👍".as_bytes()), ["é", "漢", "👍"]);
}

#[test]
fn replies_are_events_and_never_typed() {
    let replies = b"\x1b[?2026;2$y\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\\x1b[?0u\x1bP>|tmux 3.3a\x1b\\\x1b[?62;c\x1b[5;7R\x1b[?997;1n\x1b]10;rgba:ff/ff/ff/ff\x07";
    let decoded = decode(&[replies]);
    assert_eq!(
        decoded,
        [
            Input::Reply(Reply::Mode { mode: 2026, state: ModeState::Reset }),
            Input::Reply(Reply::Background(Rgb(0x1e, 0x1e, 0x2e))),
            Input::Reply(Reply::KeyboardFlags(0)),
            Input::Reply(Reply::Version("tmux 3.3a".to_owned())),
            Input::Reply(Reply::Attributes(vec![62])),
            Input::Reply(Reply::Cursor { row: 4, column: 6 }),
            Input::Reply(Reply::Scheme(true)),
            Input::Reply(Reply::Foreground(Rgb(255, 255, 255))),
        ]
    );
    // The same, one byte at a time.
    let bytes: Vec<&[u8]> = replies.chunks(1).collect();
    assert_eq!(decode(&bytes), decoded);
}

#[test]
fn a_paste_is_one_item_however_it_is_split() {
    let text = "line one\r\nline two\x1b[31m\u{7}end";
    let whole = format!("\x1b[200~{text}\x1b[201~x");
    let expected = Input::Paste("line one\nline two[31mend".to_owned());
    for size in [1, 2, 3, 7, 1000] {
        let chunks: Vec<&[u8]> = whole.as_bytes().chunks(size).collect();
        let decoded = decode(&chunks);
        assert_eq!(decoded.first(), Some(&expected), "chunks of {size}");
        assert_eq!(decoded.len(), 2);
    }
}

#[test]
fn a_cut_off_sequence_does_not_swallow_what_follows() {
    let mut parser = Parser::default();
    let mut out = Vec::new();
    parser.push(b"\x1b]11;rgb:12", &mut out);
    assert!(out.is_empty() && parser.timeout().is_some());
    parser.flush(&mut out);
    parser.push(b"a", &mut out);
    assert_eq!(out.len(), 1, "{out:?}");
    let endless = [b"\x1b[".as_slice(), &[b'1'; 4000], b"xyz"].concat();
    assert_eq!(keys(&endless).last().map(String::as_str), Some("z"));
}

#[test]
fn mouse_and_focus() {
    assert_eq!(
        decode(&[b"\x1b[<64;10;5M\x1b[I\x1b[O"]),
        [
            Input::Mouse(Mouse { action: MouseAction::WheelUp, column: 9, row: 4 }),
            Input::Focus(true),
            Input::Focus(false)
        ]
    );
}

proptest::proptest! {
    #[test]
    fn any_bytes_in_any_pieces_are_accepted(bytes: Vec<u8>, size in 1_usize..20) {
        let chunks: Vec<&[u8]> = bytes.chunks(size).collect();
        let _ = decode(&chunks);
        let mixed: Vec<u8> = bytes.iter().flat_map(|byte| [0x1b, b'[', *byte]).collect();
        let _ = decode(&[&mixed]);
    }
}

#[test]
fn c4_6_escape_is_a_key_also_right_before_an_answer_of_the_terminal() {
    // The size, the cursor, device attributes, a paste.
    for answer in ["\x1b[8;40;110t", "\x1b[12;1R", "\x1b[?62;22c", "\x1b[200~x\x1b[201~"] {
        let found = decode(&[b"\x1b", answer.as_bytes()]);
        assert!(
            matches!(&found[0], Input::Key { key, .. } if crate::keys::name_of(key) == "escape"),
            "{answer:?}: {found:?}"
        );
        assert_eq!(found.get(1..), Some(&decode(&[answer.as_bytes()])[..]), "{answer:?}");
    }
    assert_eq!(keys(b"\x1b\x1b[D"), ["alt+left"]);
}
