//! Nothing is lost that fits, both ends stay of what does not, the whole is in the file.

use proptest::prelude::*;

use super::*;

fn collect(limits: OutputLimits, chunks: &[&[u8]]) -> Output {
    let mut buffer = OutputBuffer::new(limits);
    for chunk in chunks {
        buffer.push(chunk);
    }
    buffer.finish()
}

#[test]
fn what_fits_is_kept_whole_and_makes_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let output = collect(OutputLimits::new(4, 4).spill_dir(Some(dir.path())), &[b"abc", b"", b"defgh"]);
    assert_eq!((output.text().as_str(), output.total, output.file), ("abcdefgh", 8, None));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn what_does_not_fit_keeps_both_ends_and_the_whole_in_a_private_file() {
    let dir = tempfile::tempdir().unwrap();
    let output = collect(OutputLimits::new(4, 3).spill_dir(Some(dir.path())), &[b"0123", b"4567", b"89"]);
    let file = output.file.clone().unwrap();
    assert_eq!(
        output.text(),
        format!("0123\n[3 bytes left out; the whole output is in {}]\n789", file.display())
    );
    assert_eq!(std::fs::read(&file).unwrap(), b"0123456789");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn the_file_has_an_end_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let limits = OutputLimits::new(2, 2).spill_dir(Some(dir.path())).max_spill(6);
    let output = collect(limits, &[b"0123456789", b"0123456789"]);
    assert!(output.file_incomplete);
    assert_eq!(std::fs::read(output.file.as_ref().unwrap()).unwrap(), b"012345");
    assert!(output.text().contains("the first part of the output is in"), "{}", output.text());
    assert_eq!(output.tail, b"89");
}

#[test]
fn a_folder_that_cannot_be_written_costs_the_file_only() {
    let output =
        collect(OutputLimits::new(2, 2).spill_dir(Some(Path::new("/proc/nowhere"))), &[b"0123456789"]);
    assert_eq!(output.file, None);
    assert_eq!(output.text(), "01\n[6 bytes left out]\n89");
}

#[test]
fn cutting_never_breaks_a_character() {
    let output = collect(OutputLimits::new(4, 4).spill_dir(None), &["ééééééé".as_bytes()]);
    assert_eq!(output.text(), "éé\n[6 bytes left out]\néé");
    let output = collect(OutputLimits::new(5, 5).spill_dir(None), &["ééééééé".as_bytes()]);
    assert_eq!(output.text(), "éé\n[6 bytes left out]\néé");
}

#[test]
fn bytes_that_are_no_text_become_replacement_characters() {
    let output = collect(OutputLimits::default(), &[b"a\xff\xfeb"]);
    assert_eq!(output.text(), "a\u{fffd}\u{fffd}b");
}

proptest! {
    #[test]
    fn head_and_tail_are_the_ends_of_what_came(
        chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..20),
        head in 0_usize..30,
        tail in 0_usize..30,
    ) {
        let all = chunks.concat();
        let slices: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
        let output = collect(OutputLimits::new(head, tail).spill_dir(None), &slices);
        prop_assert_eq!(output.total, all.len() as u64);
        if all.len() <= head + tail {
            prop_assert_eq!(&output.head, &all);
            prop_assert!(output.tail.is_empty());
        } else {
            prop_assert_eq!(&output.head[..], &all[..head]);
            prop_assert_eq!(&output.tail[..], &all[all.len() - tail..]);
        }
        let _ = output.text();
    }

    #[test]
    fn text_decoded_in_pieces_is_the_text_decoded_whole(text in ".{0,40}", cut in 1_usize..7) {
        let mut decoder = TextDecoder::default();
        let mut pieces = String::new();
        for chunk in text.as_bytes().chunks(cut) {
            pieces.push_str(&decoder.push(chunk));
        }
        pieces.push_str(&decoder.finish());
        prop_assert_eq!(pieces, text);
    }

    #[test]
    fn no_bytes_break_the_decoder(chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..9), 0..9)) {
        let mut decoder = TextDecoder::default();
        for chunk in &chunks {
            let _ = decoder.push(chunk);
            prop_assert!(decoder.held.len() < 4, "only an unfinished character is held back");
        }
        let _ = decoder.finish();
    }
}

/// Windows has no files without a name.
#[cfg(unix)]
#[test]
fn a_file_without_a_name_is_there_while_it_is_held_and_counted_with_the_others() {
    let limits = OutputLimits { head: 2, tail: 2, ..OutputLimits::default() };
    let output = collect(limits.clone(), &[b"0123", b"4567"]);
    let path = output.file.clone().unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"01234567");
    // No name leads to it, so that nothing is left when the program is killed.
    let target = std::fs::read_link(&path).unwrap();
    assert!(target.to_string_lossy().ends_with(" (deleted)"));
    let held = output.held.clone();
    drop(output);
    assert_eq!(std::fs::read(&path).unwrap(), b"01234567");
    drop(held);
    // Another file may have the number by now.
    assert_ne!(std::fs::read_link(&path).ok(), Some(target));
    // All of them together are bounded, whatever each may hold.
    let limits = OutputLimits { max_spill: 1 << 40, ..limits };
    let large = vec![0; 64 << 20];
    let chunks: Vec<&[u8]> = std::iter::repeat_n(large.as_slice(), 17).collect();
    let output = collect(limits, &chunks);
    assert!(output.file_incomplete && output.total == 17 * (64 << 20));
}
