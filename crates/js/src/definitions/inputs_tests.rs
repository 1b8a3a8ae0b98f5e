//! Any change of any input is noticed.

use std::{
    fs,
    path::PathBuf,
    sync::Arc,
    time::{Duration, SystemTime},
};

use proptest::prelude::*;

use super::{Checked, Inputs};
use crate::{definitions::Observed, module_request::ImportGate};

/// A time after which nothing was written, so that stamps count.
fn later() -> SystemTime {
    SystemTime::now() + Duration::from_secs(60)
}

struct Place {
    folder: tempfile::TempDir,
    observed: Observed,
}

impl Place {
    fn new(contents: &[Vec<u8>]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut observed = Observed::default();
        for (number, content) in contents.iter().enumerate() {
            let path = folder.path().join(format!("{number}.ts"));
            fs::write(&path, content).unwrap();
            if number % 2 == 0 {
                observed.sources.push((path, Arc::from(String::from_utf8_lossy(content).as_ref())));
            } else {
                observed.consulted.insert(path);
            }
        }
        observed.missing.insert(folder.path().join("missing/file.ts"));
        Self { folder, observed }
    }

    fn path(&self, number: usize) -> PathBuf {
        self.folder.path().join(format!("{number}.ts"))
    }
}

fn is_valid(inputs: &mut Inputs) -> bool {
    inputs.are_unchanged(None, &mut Checked::default())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn c13_2_a_changed_byte_of_any_input_is_noticed(
        contents in proptest::collection::vec("[ -~]{1,40}", 1..6),
        which in any::<proptest::sample::Index>(),
        at in any::<proptest::sample::Index>(),
        to in 0x20..0x7f_u8,
        keeps_times in any::<bool>(),
    ) {
        let contents: Vec<Vec<u8>> = contents.into_iter().map(String::into_bytes).collect();
        let place = Place::new(&contents);
        let mut inputs = Inputs::record(&place.observed, later()).unwrap();
        prop_assert!(is_valid(&mut inputs));

        let number = which.index(contents.len());
        let path = place.path(number);
        let mut changed = contents[number].clone();
        let at = at.index(changed.len());
        let is_same = changed[at] == to;
        changed[at] = to;
        let times = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, &changed).unwrap();
        if keeps_times {
            fs::File::options().write(true).open(&path).unwrap().set_modified(times).unwrap();
        }
        prop_assert_eq!(is_valid(&mut inputs), is_same);
    }
}

#[test]
fn c13_2_a_file_that_appears_where_none_was_found_is_noticed() {
    let place = Place::new(&[b"a".to_vec(), b"b".to_vec()]);
    let mut inputs = Inputs::record(&place.observed, later()).unwrap();
    fs::create_dir(place.folder.path().join("missing")).unwrap();
    assert!(is_valid(&mut inputs));
    fs::write(place.folder.path().join("missing/file.ts"), "").unwrap();
    assert!(!is_valid(&mut inputs));
}

#[test]
fn c13_2_a_file_that_disappears_or_is_another_one_is_noticed() {
    for number in 0..2 {
        let place = Place::new(&[b"a".to_vec(), b"b".to_vec()]);
        let mut inputs = Inputs::record(&place.observed, later()).unwrap();
        fs::remove_file(place.path(number)).unwrap();
        assert!(!is_valid(&mut inputs));
        fs::write(place.path(number), "other").unwrap();
        assert!(!is_valid(&mut inputs));
    }
}

#[test]
fn c13_2_what_was_loaded_counts_and_not_what_was_written_since() {
    let mut place = Place::new(&[b"new".to_vec()]);
    place.observed.sources[0].1 = Arc::from("old");
    let mut inputs = Inputs::record(&place.observed, SystemTime::now() - Duration::from_secs(1)).unwrap();
    assert!(!is_valid(&mut inputs));
}

#[test]
fn c13_1_a_file_that_was_too_new_for_its_times_is_read_once() {
    let place = Place::new(&[b"a".to_vec()]);
    let mut inputs = Inputs::record(&place.observed, SystemTime::now() - Duration::from_secs(1)).unwrap();
    let unchanged = |inputs: &mut Inputs| inputs.are_unchanged_at(later(), None, &mut Checked::default());
    assert!(inputs.loaded[0].stamp.is_none() && unchanged(&mut inputs));
    // Known by its times from now on: the content that it is compared with does not matter.
    let hash = std::mem::take(&mut inputs.loaded[0].hash);
    assert!(inputs.loaded[0].stamp.is_some() && unchanged(&mut inputs));
    inputs.loaded[0].hash = hash;
    fs::write(place.path(0), "b").unwrap();
    assert!(!unchanged(&mut inputs));
}

#[test]
fn c13_2_a_manifest_that_was_just_written_is_not_recorded() {
    let place = Place::new(&[b"a".to_vec(), b"{}".to_vec()]);
    assert!(Inputs::record(&place.observed, SystemTime::now() - Duration::from_secs(1)).is_none());
}

#[test]
fn c2_8_a_decision_about_trust_that_changed_is_noticed() {
    let mut place = Place::new(&[b"a".to_vec()]);
    place.observed.decisions.insert(place.path(0), true);
    let mut inputs = Inputs::record(&place.observed, later()).unwrap();
    let [allows, refuses] = [true, false].map(|allowed| ImportGate::new(move |_| allowed));
    assert!(inputs.are_unchanged(Some(&allows), &mut Checked::default()));
    assert!(!inputs.are_unchanged(Some(&refuses), &mut Checked::default()));
}
