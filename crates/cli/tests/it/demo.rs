//! `toolsmith demo`: the first thing a stranger runs.

use crate::place::Place;

/// The demo counts files with git.
fn with_git() -> Place {
    let place = Place::new(&[]);
    place.program("git", "#!/bin/sh\nPATH=/usr/local/bin:/usr/bin:/bin exec git \"$@\"\n");
    place
}

#[tokio::test]
async fn the_tour_plays_to_its_end_and_leaves_nothing_behind() {
    let place = with_git();
    let said = place.run(&["demo"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    for part in [
        "Validation failed for tool \"repo_stats\"",
        "9 tracked files",
        "slow_count: ▰▰▰▰▰▰▰▰ 8 of 8",
        "killed",
        "Back at work. This engine has seen 1 call.",
        "Would rename 3 files",
        "The notes are now: 1.md, 2.md, 3.md",
    ] {
        assert!(said.stdout.contains(part), "{part}\n{}", said.stdout);
    }
    assert_eq!(said.stderr, "");
    // The tour has a home of its own; only the log may be in the user's.
    let left = std::fs::read_dir(place.path("home")).unwrap().count();
    assert!(left <= 1);
}

#[tokio::test]
async fn the_tour_can_be_read_by_machines() {
    let said = with_git().run(&["demo", "--json"]).await;
    let report = said.json();
    let calls: Vec<&str> =
        report["calls"].as_array().unwrap().iter().map(|call| call["tool"].as_str().unwrap()).collect();
    assert_eq!(
        calls,
        ["repo_stats", "repo_stats", "slow_count", "endless", "endless", "batch_rename", "resolve"]
    );
    assert!(report["calls"].as_array().unwrap().iter().all(|call| call["meaning"].is_string()));
}

#[tokio::test]
async fn without_git_the_tour_leaves_out_the_tool_that_needs_it() {
    let said = Place::new(&[]).run(&["demo"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(said.stdout.contains("git is not installed"), "{}", said.stdout);
    assert!(!said.stdout.contains("repo_stats"), "{}", said.stdout);
    assert!(said.stdout.contains("The notes are now: 1.md, 2.md, 3.md"), "{}", said.stdout);
    assert_eq!(said.stderr, "");
}

#[tokio::test]
async fn a_git_that_fails_is_an_error() {
    let place = Place::new(&[]);
    place.program("git", "#!/bin/sh\necho 'no repository for you' >&2\nexit 3\n");
    let said = place.run(&["demo"]).await;
    assert_eq!(said.code, 1, "{said:#?}");
    assert!(said.stderr.contains("no repository for you"), "{said:#?}");
}
