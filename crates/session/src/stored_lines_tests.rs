//! Lines that are read again from a file.

use std::io::{Seek as _, Write as _};

use super::{BLOCK, LineRange, StoredLines};

/// Lines of very different lengths, one of them longer than a block and one that crosses a block's end.
fn content() -> (Vec<u8>, Vec<LineRange>) {
    let lengths = [1, 70_000, 3, 200_000, 0, usize::try_from(BLOCK).unwrap_or_default() * 2, 17, 250_000, 5];
    let (mut bytes, mut ranges) = (Vec::new(), Vec::new());
    for (number, length) in lengths.into_iter().enumerate() {
        ranges.push(LineRange { start: bytes.len() as u64, length });
        bytes.extend(std::iter::repeat_n(b'a' + u8::try_from(number).unwrap_or_default(), length));
        bytes.push(b'\n');
    }
    (bytes, ranges)
}

fn in_file(bytes: &[u8]) -> StoredLines {
    let mut file = tempfile::tempfile().expect("a temporary file");
    file.write_all(bytes).expect("it is written");
    file.rewind().expect("it is rewound");
    StoredLines::in_file(file)
}

#[test]
fn lines_of_a_file_are_the_same_in_every_order_of_reading() {
    let (bytes, ranges) = content();
    let (file, memory) = (in_file(&bytes), StoredLines::Memory(bytes));
    let forward = 0..ranges.len();
    let orders: [Vec<usize>; 3] =
        [forward.clone().collect(), forward.clone().rev().collect(), forward.map(|at| at * 4 % 9).collect()];
    for order in orders {
        for at in order {
            assert_eq!(file.line(ranges[at]), memory.line(ranges[at]), "line {at}");
            assert_eq!(file.line(ranges[at]).len(), ranges[at].length);
        }
    }
}

#[test]
fn a_line_that_is_gone_or_is_not_text_is_empty() {
    let lines = in_file(b"abc\n\xff\xfe\n");
    assert_eq!(lines.line(LineRange { start: 0, length: 3 }), "abc");
    assert_eq!(lines.line(LineRange { start: 4, length: 2 }), "");
    assert_eq!(lines.line(LineRange { start: 5, length: 40 }), "");
    assert_eq!(lines.line(LineRange { start: 1 << 40, length: 1 }), "");
    assert_eq!(lines.line(LineRange { start: 0, length: 3 }), "abc");
}
