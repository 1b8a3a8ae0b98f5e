//! Use of a day across programs, damaged files and clocks that go back.

use std::{fs, os::unix::fs::symlink, sync::Arc, thread};

use jiff::civil::{Date, date};
use toolsmith_host::exec::{self, Request};
use toolsmith_tool::CancelToken;

use super::{DayLedger, Used};

fn noon() -> Date {
    date(2026, 11, 17)
}

fn yesterday() -> Date {
    date(2026, 11, 16)
}

fn used(tokens: u64, money: f64) -> Used {
    Used { tokens, money, ..Used::default() }
}

#[test]
fn what_two_programs_add_at_once_is_there_completely() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("usage");
    let ledgers: Vec<Arc<DayLedger>> =
        (0..4).map(|_| Arc::new(DayLedger::with_clock(&place, noon))).collect();
    let writing: Vec<_> = ledgers
        .iter()
        .map(|ledger| {
            let ledger = Arc::clone(ledger);
            thread::spawn(move || {
                for _ in 0..250 {
                    ledger.add(&used(1, 0.5)).unwrap();
                    ledger.today().unwrap();
                }
            })
        })
        .collect();
    writing.into_iter().for_each(|thread| thread.join().unwrap());
    for ledger in ledgers {
        assert_eq!(ledger.today().unwrap(), (used(1000, 500.0), 0));
    }
}

#[test]
fn a_torn_line_costs_only_itself() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = DayLedger::with_clock(folder.path(), noon);
    ledger.add(&used(1, 0.0)).unwrap();
    let file = folder.path().join("2026-11-17.jsonl");
    let mut text = fs::read(&file).unwrap();
    text.extend(b"\n{\"tokens\":10");
    fs::write(&file, &text).unwrap();
    assert_eq!(ledger.today().unwrap(), (used(1, 0.0), 0), "it may still be written");
    ledger.add(&used(100, 0.0)).unwrap();
    assert_eq!(ledger.today().unwrap(), (used(101, 0.0), 1));
}

#[test]
fn a_corrupt_file_is_read_as_far_as_it_can_be() {
    let folder = tempfile::tempdir().unwrap();
    let lines: &[&[u8]] = &[
        b"\xff\xfe\x00",
        b"[]",
        br#"{"tokens":-1}"#,
        br#"{"tokens":18446744073709551615,"money":-5}"#,
        br#"{"tokens":7,"money":1e308}"#,
        br#"{"unknown":true}"#,
    ];
    fs::write(folder.path().join("2026-11-17.jsonl"), [lines.join(&b'\n'), b"\n".to_vec()].concat()).unwrap();
    let ledger = DayLedger::with_clock(folder.path(), noon);
    assert_eq!(ledger.today().unwrap(), (used(u64::MAX, 1e308), 2));
}

#[test]
fn a_record_that_was_replaced_is_read_anew() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = DayLedger::with_clock(folder.path(), noon);
    ledger.add(&used(5, 0.0)).unwrap();
    ledger.add(&used(5, 0.0)).unwrap();
    assert_eq!(ledger.today().unwrap().0, used(10, 0.0));
    fs::write(folder.path().join("2026-11-17.jsonl"), "{\"tokens\":1}\n").unwrap();
    assert_eq!(ledger.today().unwrap().0, used(1, 0.0));
}

#[test]
fn a_clock_that_goes_back_a_day_does_not_make_the_day_free_again() {
    let folder = tempfile::tempdir().unwrap();
    DayLedger::with_clock(folder.path(), noon).add(&used(9, 0.0)).unwrap();
    let back = DayLedger::with_clock(folder.path(), yesterday);
    assert_eq!(back.today().unwrap().0, used(9, 0.0));
    back.add(&used(1, 0.0)).unwrap();
    assert_eq!(DayLedger::with_clock(folder.path(), noon).today().unwrap().0, used(10, 0.0));
}

#[test]
fn a_record_from_far_in_the_future_does_not_count_and_old_ones_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("2099-01-01.jsonl"), "{\"tokens\":1}\n").unwrap();
    fs::write(folder.path().join("2026-01-01.jsonl"), "{\"tokens\":1}\n").unwrap();
    fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    let ledger = DayLedger::with_clock(folder.path(), noon);
    assert_eq!(ledger.today().unwrap().0, Used::default());
    ledger.add(&used(2, 0.0)).unwrap();
    let mut names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["2026-11-17.jsonl", "2099-01-01.jsonl", "notes.txt"]);
}

#[test]
fn a_record_that_is_a_folder_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("2026-11-17.jsonl")).unwrap();
    let ledger = DayLedger::with_clock(folder.path(), noon);
    let error = ledger.today().unwrap_err().to_string();
    assert!(error.contains("2026-11-17.jsonl"), "{error}");
    assert!(ledger.add(&used(1, 0.0)).is_err());
}

#[tokio::test]
async fn a_record_that_is_not_a_regular_file_of_a_plausible_size_is_an_error() {
    for kind in ["/dev/null", "/dev/zero", "other", "fifo", "sparse"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("2026-11-17.jsonl");
        fs::write(folder.path().join("other"), "").unwrap();
        match kind {
            "fifo" => {
                let request = Request::new("mkfifo").args([file.display().to_string()]);
                let made = exec::run(&request, &CancelToken::new(), |_| {}).await.unwrap();
                assert_eq!(made.code, 0);
            }
            "sparse" => fs::File::create(&file).unwrap().set_len(1 << 40).unwrap(),
            target => symlink(target, &file).unwrap(),
        }
        let ledger = DayLedger::with_clock(folder.path(), noon);
        let error = ledger.today().map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("2026-11-17.jsonl"), "{kind}: {error}");
        if kind != "sparse" {
            assert!(ledger.add(&used(1, 0.0)).is_err(), "{kind}");
        }
    }
}
