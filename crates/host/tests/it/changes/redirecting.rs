//! Links that appear after a change was bound.

use std::{fs, os::unix::fs::symlink};

use toolsmith_host::changes::{ChangeError, DriftKind, Wanted};

use super::{Place, tree};

#[test]
fn c5_7_a_folder_that_became_a_link_is_not_written_through() {
    let place = Place::new(&[("sub/a", "1"), ("other/a", "1"), ("keep", "1")]);
    let outside = place.state.with_file_name("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("a"), "1").unwrap();
    let wanted =
        vec![Wanted::write("keep", "2"), Wanted::write("sub/a", "2"), Wanted::write("sub/new/b", "2")];
    let set = place.bind(wanted);
    fs::rename(place.path("sub"), place.path("moved")).unwrap();
    symlink(&outside, place.path("sub")).unwrap();
    let before = (place.tree(), tree(&outside));
    let ChangeError::Drifted(drifts) = place.apply(&set).unwrap_err() else { panic!() };
    assert!(
        drifts
            .iter()
            .all(|drift| matches!(&drift.kind, DriftKind::Redirected { to } if to.starts_with(&outside)))
    );
    assert_eq!(before, (place.tree(), tree(&outside)));
}

#[test]
fn c5_7_a_dangling_link_of_the_project_that_leads_out_of_it_is_refused() {
    let place = Place::new(&[]);
    let outside = place.state.with_file_name("outside");
    symlink(outside.join("config.toml"), place.path("notes")).unwrap();
    symlink(&outside, place.path("link")).unwrap();
    for name in ["notes", "link/new"] {
        let error = toolsmith_host::changes::ChangeSet::bind(&place.root, vec![Wanted::write(name, "x")])
            .unwrap_err();
        assert!(matches!(error, ChangeError::Escapes { .. }), "{name}: {error}");
    }
    let behind_nothing = vec![Wanted::write("nope/../link/x", "x")];
    toolsmith_host::changes::ChangeSet::bind(&place.root, behind_nothing).unwrap_err();
    assert!(!outside.exists());
}
