//! `read` and `ls`, and the files they must survive.

use std::{fs, io::Write, os::unix::fs::symlink};

use serde_json::json;
use toolsmith_agent::{CallEnd, CallRequest};
use toolsmith_tool::{CancelToken, ContentBlock, Stop, ToolContext};

use crate::place::Place;

#[tokio::test]
async fn text_comes_with_line_numbers_and_ranges() {
    let place = Place::new();
    place.write("a.txt", "one\ntwo\r\nthree");
    assert_eq!(place.works("read", json!({ "path": "a.txt" })).await, "1\tone\n2\ttwo\n3\tthree\n");
    assert!(place.works("read", json!({ "path": "a.txt", "offset": 0 })).await.starts_with("1\tone"));
    assert_eq!(
        place.works("read", json!({ "path": "a.txt", "offset": 2, "limit": 1 })).await,
        "2\ttwo\n[lines 2-2 of 3; go on with offset=3]\n"
    );
    assert_eq!(
        place.fails("read", json!({ "path": "a.txt", "offset": 9 })).await,
        "offset 9 is beyond the end of a.txt, which has 3 lines"
    );
    place.write("empty", "");
    assert_eq!(place.works("read", json!({ "path": "empty" })).await, "empty is empty");
}

#[tokio::test]
async fn a_long_file_is_read_in_parts_that_fit_together() {
    let place = Place::new();
    let text: String = (1..=5000).map(|line| format!("this is line number {line}\n")).collect();
    place.write("long", &text);
    let (mut all, mut offset) = (String::new(), 1);
    loop {
        let outcome = place.call("read", json!({ "path": "long", "offset": offset })).await;
        assert!(outcome.full_output.is_none(), "dispatch has nothing to cut");
        let part = outcome.result.joined_text();
        for line in part.lines().filter(|line| !line.starts_with('[')) {
            all.push_str(line.split_once('\t').unwrap().1);
            all.push('\n');
        }
        match part.rsplit_once("offset=") {
            Some((_, next)) => offset = next.trim_end_matches("]\n").parse::<usize>().unwrap(),
            None => break,
        }
    }
    assert_eq!(all, text);
}

#[tokio::test]
async fn a_huge_file_is_not_read_whole() {
    let place = Place::new();
    let mut file = fs::File::create(place.path("huge")).unwrap();
    file.write_all("a line\n".repeat(10_000).as_bytes()).unwrap();
    file.set_len(1 << 30).unwrap();
    let text = place.works("read", json!({ "path": "huge", "limit": 5 })).await;
    assert!(
        text.ends_with("5\ta line\n[up to line 5 of a file of 1073741824 bytes; go on with offset=6]\n"),
        "{text}"
    );
}

#[tokio::test]
async fn an_endless_line_is_cut() {
    let place = Place::new();
    place.write("line", &"ä".repeat(1_000_000));
    let text = place.works("read", json!({ "path": "line" })).await;
    assert!(text.len() < 10_000 && text.contains("[line of 2000000 bytes, cut]"), "{}", text.len());
}

#[tokio::test]
async fn c4_6_reading_a_line_without_end_stops_when_asked() {
    let place = Place::new();
    let mut file = fs::File::create(place.path("endless")).unwrap();
    file.write_all(&[b'a'; 10_000]).unwrap();
    file.set_len(1 << 40).unwrap();
    let cancel = CancelToken::new();
    let context = ToolContext::detached().with_cancel(cancel.clone());
    let request = CallRequest::new("1", "read", json!({ "path": "endless" })).context(context);
    let (outcome, ()) = tokio::join!(place.dispatcher.call(request), async { cancel.cancel("user") });
    assert_eq!(outcome.end, CallEnd::Stopped(Stop::Stopped));
}

#[tokio::test]
async fn binary_data_is_refused_with_what_it_is() {
    let place = Place::new();
    place.write("doc.pdf", b"%PDF-1.7\x00\x01\x02");
    let text = place.fails("read", json!({ "path": "doc.pdf" })).await;
    assert!(text.starts_with("doc.pdf is a PDF (11 bytes), not text."), "{text}");
    place.write("zeros", &vec![0; 100_000]);
    assert!(place.fails("read", json!({ "path": "zeros" })).await.contains("binary data"));
    place.write("noise", &(0..5000).map(|n: u32| (n * 7919 % 251 + 128) as u8).collect::<Vec<u8>>());
    assert!(place.fails("read", json!({ "path": "noise" })).await.contains("binary data"));
}

#[tokio::test]
async fn text_in_other_encodings_is_read_as_far_as_it_is_text() {
    let place = Place::new();
    place.write("latin1", b"caf\xe9 au lait, s'il vous pla\xeet\n");
    let text = place.works("read", json!({ "path": "latin1" })).await;
    assert!(text.contains("caf\u{fffd} au lait") && text.contains("not all of it is UTF-8"), "{text}");
    place.write("bom", "\u{feff}x\n");
    assert_eq!(place.works("read", json!({ "path": "bom" })).await, "1\tx\n");
    let wide: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("hi ☃\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    place.write("wide", &wide);
    assert_eq!(place.works("read", json!({ "path": "wide" })).await, "1\thi ☃\n");
}

#[tokio::test]
async fn images_come_as_images() {
    let place = Place::new();
    place.write("p.dat", b"\x89PNG\r\n\x1a\nrest");
    let outcome = place.call("read", json!({ "path": "p.dat" })).await;
    let ContentBlock::Image { mime_type, .. } = &outcome.result.content[1] else { panic!("{outcome:?}") };
    assert_eq!(mime_type, "image/png");
    let mut big = b"\xff\xd8\xff".to_vec();
    big.resize(4_000_000, 1);
    place.write("big.jpg", &big);
    assert!(place.fails("read", json!({ "path": "big.jpg" })).await.contains("Make a smaller copy"));
}

#[tokio::test]
async fn what_has_no_end_or_no_reader_is_refused_at_once() {
    let place = Place::new();
    place.make_pipe("pipe").await;
    assert!(place.fails("read", json!({ "path": "pipe" })).await.contains("not a regular file"));
    assert!(place.fails("read", json!({ "path": "/dev/zero" })).await.contains("not a regular file"));
    symlink("b", place.path("a")).unwrap();
    symlink("a", place.path("b")).unwrap();
    assert!(place.fails("read", json!({ "path": "a" })).await.contains("Could not read a"));
    symlink("gone", place.path("dangling")).unwrap();
    assert!(place.fails("read", json!({ "path": "dangling" })).await.contains("No such file"));
    place.write("secret", "x");
    if place.forbid("secret") {
        assert!(place.fails("read", json!({ "path": "secret" })).await.contains("ermission denied"));
    }
}

#[tokio::test]
async fn a_missing_file_is_answered_with_one_like_it() {
    let place = Place::new();
    place.write("src/main.rs", "");
    let text = place.fails("read", json!({ "path": "src/mian.rs" })).await;
    assert_eq!(text, "No such file or folder: src/mian.rs. Did you mean src/main.rs?");
}

#[tokio::test]
async fn folders_are_listed() {
    let place = Place::new();
    place.write("b/file", "");
    place.write("A.txt", "");
    place.write(".hidden", "");
    symlink("b", place.path("link")).unwrap();
    let expected = ".hidden\nA.txt\nb/\nlink -> b";
    assert_eq!(place.works("read", json!({ "path": "." })).await, expected);
    assert_eq!(place.works("ls", json!({})).await, expected);
    assert_eq!(
        place.works("ls", json!({ "limit": 2 })).await,
        ".hidden\nA.txt\n[2 of 4 entries; raise limit, or use find]"
    );
    fs::create_dir(place.path("nothing")).unwrap();
    assert_eq!(place.works("ls", json!({ "path": "nothing" })).await, "nothing is empty");
    assert_eq!(
        place.fails("ls", json!({ "path": "A.txt" })).await,
        "A.txt is not a directory; use read for files"
    );
}

#[tokio::test]
async fn files_of_the_kernel_that_wait_for_data_are_refused() {
    let place = Place::new();
    let path = "/proc/kmsg";
    // Only root may open it; who may not is refused anyway.
    let told = place.fails("read", json!({ "path": path })).await;
    assert!(
        told.contains("waits for data that may never come")
            || told.contains("denied")
            || told.contains("permitted"),
        "{told}"
    );
    let told = place.call("grep", json!({ "path": path, "pattern": "x" })).await;
    assert_eq!(told.end, CallEnd::Answered, "{}", told.result.joined_text());
    assert!(told.result.joined_text().contains("kmsg"), "{}", told.result.joined_text());
}
