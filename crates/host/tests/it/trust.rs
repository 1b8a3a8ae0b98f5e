//! The list of what the user trusts.

use std::{fs, ops::Deref, os::unix::fs::symlink, thread};

use toolsmith_host::trust::{TrustError, TrustKind, TrustStore};
use toolsmith_testkit::Project;

struct Place {
    project: Project,
    store: TrustStore,
}

impl Deref for Place {
    type Target = Project;

    fn deref(&self) -> &Project {
        &self.project
    }
}

impl Place {
    fn new() -> Self {
        let project = Project::new(&[("project/tools/a.ts", ""), ("project/tools/b.ts", "")]);
        Self { store: TrustStore::at(project.path("home/trust.json")), project }
    }

    fn covers(&self, name: &str) -> bool {
        self.store.load().unwrap().covers(&self.path(name))
    }
}

#[test]
fn c2_8_nothing_is_trusted_at_first() {
    let place = Place::new();
    assert!(!place.covers("project"));
    assert!(place.store.load().unwrap().entries().is_empty());
    assert!(!place.store.file().exists(), "looking writes nothing");
}

#[test]
fn c2_8_a_folder_is_trusted_with_what_is_in_it_and_nothing_beside_it() {
    let place = Place::new();
    fs::create_dir(place.path("project-two")).unwrap();
    place.store.add(&place.path("project")).unwrap();
    assert!(place.covers("project"));
    assert!(place.covers("project/tools/a.ts"));
    assert!(!place.covers("project-two"), "a name that only begins alike is another folder");
    assert!(!place.covers("."), "what is above is not trusted");
    assert!(!place.covers("project/tools/missing.ts"));
}

#[test]
fn c2_8_a_single_file_is_trusted_alone() {
    let place = Place::new();
    let entry = place.store.add(&place.path("project/tools/a.ts")).unwrap();
    assert_eq!(entry.kind, TrustKind::File);
    assert!(place.covers("project/tools/a.ts"));
    assert!(!place.covers("project/tools/b.ts"));
    assert!(!place.covers("project"));
    // A directory in its place is not that file.
    std::fs::remove_file(place.path("project/tools/a.ts")).unwrap();
    std::fs::create_dir(place.path("project/tools/a.ts")).unwrap();
    assert!(!place.covers("project/tools/a.ts"));
}

#[test]
fn c2_8_trust_is_given_to_the_real_path() {
    let place = Place::new();
    symlink(place.path("project"), place.path("link")).unwrap();
    place.store.add(&place.path("link")).unwrap();
    assert!(place.covers("project"));
    assert!(place.covers("link/tools/a.ts"));
    // The link now leads elsewhere: nobody trusted that.
    fs::create_dir(place.path("other")).unwrap();
    fs::remove_file(place.path("link")).unwrap();
    symlink(place.path("other"), place.path("link")).unwrap();
    assert!(!place.covers("link"));
    assert!(place.covers("project"));
}

#[test]
fn c2_8_a_link_in_a_trusted_folder_does_not_make_its_target_trusted() {
    let place = Place::new();
    fs::write(place.path("elsewhere.ts"), "").unwrap();
    symlink(place.path("elsewhere.ts"), place.path("project/tools/c.ts")).unwrap();
    place.store.add(&place.path("project")).unwrap();
    assert!(!place.covers("project/tools/c.ts"));
}

#[test]
fn c2_8_a_folder_that_was_moved_away_is_not_trusted_where_it_is_now() {
    let place = Place::new();
    place.store.add(&place.path("project")).unwrap();
    fs::rename(place.path("project"), place.path("moved")).unwrap();
    assert!(!place.covers("moved"));
    assert!(!place.covers("project"));
    assert!(!place.store.load().unwrap().entries()[0].exists());
    assert!(place.store.remove(&place.path("project")).unwrap(), "what is gone can still be removed");
    assert!(place.store.load().unwrap().entries().is_empty());
}

#[test]
fn a_no_is_remembered_until_there_is_a_yes() {
    let place = Place::new();
    place.store.decline(&place.path("project")).unwrap();
    assert!(place.store.load().unwrap().was_declined(&place.path("project")));
    assert!(!place.covers("project"));
    assert!(!place.covers("project/tools/a.ts"));
    place.store.add(&place.path("project")).unwrap();
    assert!(!place.store.load().unwrap().was_declined(&place.path("project")));
    assert!(place.covers("project"));
}

#[test]
fn many_at_once_lose_nothing() {
    let place = Place::new();
    let names: Vec<String> = (0..24).map(|number| format!("many-{number}")).collect();
    for name in &names {
        fs::create_dir(place.path(name)).unwrap();
    }
    thread::scope(|scope| {
        for name in &names {
            scope.spawn(|| place.store.add(&place.path(name)).unwrap());
        }
    });
    assert!(names.iter().all(|name| place.covers(name)));
}

#[test]
fn a_damaged_list_trusts_nothing_and_is_not_overwritten() {
    let place = Place::new();
    fs::create_dir(place.path("home")).unwrap();
    for damage in ["{", "[]", r#"{"version":9,"entries":[]}"#, "\0"] {
        fs::write(place.store.file(), damage).unwrap();
        assert!(matches!(place.store.load(), Err(TrustError::Damaged { .. })), "{damage}");
        assert!(place.store.add(&place.path("project")).is_err());
        assert_eq!(fs::read_to_string(place.store.file()).unwrap(), damage);
    }
}

#[test]
fn a_folder_where_the_list_should_be_is_an_error() {
    let place = Place::new();
    fs::create_dir_all(place.store.file()).unwrap();
    assert!(matches!(place.store.load(), Err(TrustError::Read { .. })));
}

#[test]
fn what_is_not_there_cannot_be_trusted() {
    let place = Place::new();
    let error = place.store.add(&place.path("nowhere")).unwrap_err();
    assert!(error.to_string().contains("nowhere cannot be trusted"), "{error}");
}

#[test]
fn c2_8_another_spelling_of_a_trusted_file_is_trusted_where_case_is_ignored() {
    let place = Place::new();
    place.store.add(&place.path("project/tools/a.ts")).unwrap();
    // On a file system that tells them apart this is another file.
    place.write("project/tools/A.ts", "other");
    assert!(!place.covers("project/tools/A.ts"));
    fs::remove_file(place.path("project/tools/A.ts")).unwrap();
    // Two names of one file, as a file system that ignores case has.
    fs::hard_link(place.path("project/tools/a.ts"), place.path("project/tools/A.ts")).unwrap();
    assert!(place.covers("project/tools/A.ts"));
    place.store.decline(&place.path("project/tools/A.ts")).unwrap();
    assert!(!place.covers("project/tools/a.ts"), "a decision replaces the one about the other spelling");
    assert_eq!(place.store.load().unwrap().entries().len(), 1);
    assert!(place.store.remove(&place.path("project/tools/A.ts")).unwrap());
    assert!(place.store.load().unwrap().entries().is_empty());
}
