//! Entries that are parsed by another thread or by whoever needs them.

use std::fs;

use super::*;

fn entry(reason: &str) -> CachedModule {
    CachedModule {
        remembered: Remembered::Uncached(reason.to_owned()),
        is_gated: false,
        inputs: Default::default(),
    }
}

#[test]
fn c13_1_an_entry_that_was_parsed_ahead_is_taken_once() {
    let names: Vec<String> = (0..200).map(|number| format!("m{number}")).collect();
    let ahead = ParsedAhead::of(names.iter());
    assert!(ahead.take("m0").is_none(), "nothing is parsed ahead yet");
    let parse = |name: &str| Some(entry(name));
    thread::scope(|scope| {
        scope.spawn(|| ahead.fill(parse));
        for name in &names {
            // What is not taken was left to this thread.
            assert!(ahead.take(name).is_none_or(|found| found.entry == entry(name)), "{name}");
            assert!(ahead.take("other").is_none());
        }
    });
    let parsed = ParsedAhead::of(names.iter());
    parsed.fill(parse);
    assert!(names.iter().all(|name| parsed.take(name).is_some_and(|found| found.entry == entry(name))));
    assert!(names.iter().all(|name| parsed.take(name).is_none()));
}

#[test]
fn c13_2_a_file_that_was_read_ahead_is_used_for_one_load() {
    let folder = tempfile::tempdir().unwrap();
    let cwd = fs::canonicalize(folder.path()).unwrap();
    let prepared = PreparedDefinitions::start(cwd.join("cache"), &cwd);
    assert!(
        prepared.is_for(&cwd.join("cache"), &cwd) && !prepared.is_for(&cwd.join("cache"), Path::new("/"))
    );
    assert!(prepared.take().is_some());
    assert!(prepared.take().is_none());
}
