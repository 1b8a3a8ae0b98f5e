//! The launcher: found by this program, replaced when it is killed, and without influence on what programs inherit.

use std::{fs, path::Path, thread};

use toolsmith_host::exec::{Request, run, spawn};
use toolsmith_tool::CancelToken;

use crate::{
    outcomes::sh,
    process_ids::{is_alive, kill, wait_until_gone},
};

async fn text(request: &Request) -> String {
    run(request, &CancelToken::new(), |_| {}).await.unwrap().stdout.text()
}

fn parent(pid: u32) -> u32 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit(')').next().unwrap().split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Set for the runs of this test binary whose launcher is killed, so that other tests keep theirs.
const ALONE: &str = "TOOLSMITH_TEST_ALONE";

/// Runs a test of this binary in a process of its own; whether this is that process.
pub(crate) fn alone(name: &str) -> bool {
    if std::env::var(ALONE).is_ok() {
        return true;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let exe = std::env::current_exe().unwrap().display().to_string();
    let request = Request::new(exe).args(["--exact", name, "--nocapture"]).env(ALONE, "1");
    let outcome = runtime.block_on(run(&request, &CancelToken::new(), |_| {})).unwrap();
    assert_eq!(outcome.code, 0, "{}{}", outcome.stdout.text(), outcome.stderr.text());
    false
}

#[tokio::test]
async fn the_launcher_is_this_program_executed_again() {
    let process = spawn(&Request::new("sleep").args(["1000"])).unwrap();
    let launcher = parent(parent(process.id()));
    assert_eq!(parent(launcher), std::process::id());
    let environment = fs::read(format!("/proc/{launcher}/environ")).unwrap();
    let marked =
        environment.split(|byte| *byte == 0).any(|variable| variable.starts_with(b"TOOLSMITH_LAUNCHER="));
    assert!(marked, "a fork of this program has no such variable");
    assert_eq!(
        fs::read_dir(format!("/proc/{launcher}/fd")).unwrap().count(),
        4,
        "it has no other descriptors"
    );
    let folder = fs::read_link(format!("/proc/{launcher}/cwd")).unwrap();
    assert_eq!(folder, Path::new("/"), "it keeps no folder in use");
}

#[test]
fn a_killed_launcher_is_replaced_and_what_it_started_is_still_held() {
    if !alone("launching::a_killed_launcher_is_replaced_and_what_it_started_is_still_held") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut first = spawn(&Request::new("sleep").args(["1000"])).unwrap();
        let launcher = parent(parent(first.id()));
        kill(launcher);
        wait_until_gone(launcher);
        assert_eq!(text(&sh("echo still here")).await, "still here\n");
        assert!(is_alive(first.id()));
        first.force_end();
        assert_eq!(first.wait().await.code, 137);
        wait_until_gone(first.id());
    });
}

#[tokio::test]
async fn programs_inherit_three_descriptors_and_no_marker() {
    // Some libraries open files that a program inherits.
    let file = tempfile::tempfile().unwrap();
    let inherited = rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty());
    inherited.unwrap();
    // The fourth is the folder that is listed.
    assert_eq!(text(&Request::new("ls").args(["/proc/self/fd"])).await, "0\n1\n2\n3\n");
    assert!(!text(&Request::new("env")).await.contains("TOOLSMITH_LAUNCHER"));
}

#[test]
fn limits_that_changed_after_the_first_process_hold_for_the_next() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    if !alone("launching::limits_that_changed_after_the_first_process_hold_for_the_next") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let files = || runtime.block_on(text(&sh("ulimit -Sn")));
    let before = getrlimit(Resource::Nofile);
    files();
    setrlimit(Resource::Nofile, Rlimit { current: Some(123), maximum: before.maximum }).unwrap();
    assert_eq!(files(), "123\n");
}

#[test]
fn many_threads_start_processes_at_once() {
    let threads = (0..8).map(|number| {
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            for round in 0..10 {
                let printed = runtime.block_on(text(&sh(&format!("echo {number} {round}"))));
                assert_eq!(printed, format!("{number} {round}\n"));
            }
        })
    });
    let threads: Vec<_> = threads.collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

#[tokio::test]
async fn long_arguments_arrive_whole_and_too_long_ones_are_refused() {
    let long = "x".repeat(100_000);
    let request = Request::new("sh").args(["-c", "printf %s \"$@\" | wc -c", "sh"]).args(vec![long; 12]);
    assert_eq!(text(&request).await.trim(), "1200000");
    let too_long = Request::new("true").args(["x".repeat(200_000)]);
    let refused = run(&too_long, &CancelToken::new(), |_| {}).await.unwrap_err();
    assert!(refused.to_string().contains("Argument list too long"), "{refused}");
    let far_too_long = Request::new("true").args(vec!["x".repeat(1 << 20); 70]);
    let refused = run(&far_too_long, &CancelToken::new(), |_| {}).await.unwrap_err();
    assert!(refused.to_string().contains("Argument list too long"), "{refused}");
}

#[tokio::test]
async fn programs_and_folders_with_spaces_other_letters_and_long_paths_work() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("with space").join("ünï ❤").join("x".repeat(200)).join("y".repeat(100));
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join("a program");
    fs::write(&program, "#!/bin/sh\npwd\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let expected = format!("{}\n", folder.canonicalize().unwrap().display());
    assert_eq!(text(&Request::new(program.display().to_string()).cwd(&folder)).await, expected);
    assert_eq!(
        text(&Request::new("./a program").cwd(&folder)).await,
        expected,
        "found from the folder it runs in"
    );
    let named = Request::new("a program").cwd(&folder).env("PATH", folder.display().to_string());
    assert_eq!(text(&named).await, expected, "found in the PATH it is given");
}

/// Nothing is written to be executed, so a temporary folder that cannot be used does not matter.
#[test]
fn a_temporary_folder_that_cannot_be_used_does_not_matter() {
    if !alone("launching::a_temporary_folder_that_cannot_be_used_does_not_matter") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let exe = std::env::current_exe().unwrap().display().to_string();
    let name = "launching::limits_that_changed_after_the_first_process_hold_for_the_next";
    let request = Request::new(exe).args(["--exact", name]).env("TMPDIR", "/no/such/folder");
    let outcome = runtime.block_on(run(&request, &CancelToken::new(), |_| {})).unwrap();
    assert_eq!(outcome.code, 0, "{}{}", outcome.stdout.text(), outcome.stderr.text());
}
