//! Kernels without newer system calls, and file systems without locks. Each test runs in a process of its own, because filters
//! of system calls stay.

use std::{fs, time::Duration};

use toolsmith_host::{
    exec::{run, spawn},
    trust::TrustStore,
};
use toolsmith_testkit::{LOCKS, NEWER_CALLS, Project, refuse_calls};
use toolsmith_tool::CancelToken;

use crate::{
    changes::Place,
    launching::alone,
    outcomes::sh,
    process_ids::{is_alive, wait_until_gone},
};
use toolsmith_host::changes::Wanted;

/// Runs on this thread, whose calls are filtered.
fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

#[test]
fn c3_2_a_process_tree_is_killed_on_a_kernel_without_pidfd_and_close_range() {
    if !alone("old_systems::c3_2_a_process_tree_is_killed_on_a_kernel_without_pidfd_and_close_range") {
        return;
    }
    refuse_calls(NEWER_CALLS, libc::ENOSYS).unwrap();
    let script = "trap '' TERM; (setsid sh -c 'echo $$; exec sleep 1000' &); echo $$; exec sleep 1000";
    let cancel = CancelToken::new();
    let mut text = String::new();
    let request = sh(script).grace(Duration::from_millis(100));
    let outcome = block_on(run(&request, &cancel, |chunk| {
        text.push_str(&chunk.text);
        if text.lines().count() == 2 && text.ends_with('\n') {
            cancel.cancel("test");
        }
    }))
    .unwrap();
    assert!(outcome.killed);
    let alive: Vec<u32> = text.lines().map(|id| id.parse().unwrap()).filter(|id| is_alive(*id)).collect();
    assert!(alive.is_empty(), "still there: {alive:?}");
}

#[test]
fn c3_2_a_dropped_process_ends_on_a_kernel_without_pidfd() {
    if !alone("old_systems::c3_2_a_dropped_process_ends_on_a_kernel_without_pidfd") {
        return;
    }
    refuse_calls(NEWER_CALLS, libc::ENOSYS).unwrap();
    block_on(async {
        let process = spawn(&sh("exec sleep 1000")).unwrap();
        let id = process.id();
        assert!(is_alive(id));
        drop(process);
        wait_until_gone(id);
    });
}

#[test]
fn c5_7_c8_7_files_are_changed_and_restored_on_a_kernel_without_openat2_and_renameat2() {
    if !alone(
        "old_systems::c5_7_c8_7_files_are_changed_and_restored_on_a_kernel_without_openat2_and_renameat2",
    ) {
        return;
    }
    refuse_calls(NEWER_CALLS, libc::ENOSYS).unwrap();
    changes_and_restores();
}

#[test]
fn c8_7_files_are_changed_and_restored_where_calls_are_forbidden_in_place_of_missing() {
    if !alone(
        "old_systems::c8_7_files_are_changed_and_restored_where_calls_are_forbidden_in_place_of_missing",
    ) {
        return;
    }
    // As containers do.
    refuse_calls(&[libc::SYS_openat2, libc::SYS_pidfd_open, libc::SYS_close_range], libc::EPERM).unwrap();
    changes_and_restores();
}

#[test]
fn c2_8_c8_7_a_home_without_locks_keeps_trust_and_changes() {
    if !alone("old_systems::c2_8_c8_7_a_home_without_locks_keeps_trust_and_changes") {
        return;
    }
    refuse_calls(LOCKS, libc::ENOLCK).unwrap();
    changes_and_restores();
    let project = Project::new(&[("tools/a.ts", "")]);
    let store = TrustStore::at(project.beside("home/trust.json"));
    store.add(&project.path("tools")).unwrap();
    assert!(store.load().unwrap().covers(&project.path("tools/a.ts")));
}

fn changes_and_restores() {
    let place = Place::new(&[("a.txt", "a\n"), ("gone.txt", "x\n")]);
    let wanted =
        [Wanted::write("a.txt", "A\n"), Wanted::write("new/b.txt", "b\n"), Wanted::delete("gone.txt")];
    let before = place.tree();
    let applied = place.apply(&place.bind(wanted.into())).unwrap();
    assert_eq!(fs::read_to_string(place.path("new/b.txt")).unwrap(), "b\n");
    assert!(!place.path("gone.txt").exists());
    assert_eq!(applied.files.len(), 3);
    place.store.undo_last(&place.root, &CancelToken::new()).unwrap();
    assert_eq!(place.tree(), before);
}
