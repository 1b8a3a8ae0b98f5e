//! CONTRACT 3.2 and 4.6: killing means the whole tree, whatever it did to get away, and nothing beside it.

use std::{
    io::{BufRead, BufReader},
    process::Stdio,
    time::Duration,
};

use toolsmith_host::exec::{Outcome, Request, run};
use toolsmith_tool::CancelToken;

use crate::{
    outcomes::sh,
    process_ids::{is_alive, kill, wait_until_gone, wait_until_stopped},
};

/// Forks in every way there is, ignores SIGTERM everywhere, and prints one process id per line, then `ready`.
const ESCAPEES: &str = r#"
    trap '' TERM HUP INT
    echo $$
    sleep 1000 & echo $!
    setsid sh -c 'echo $$; sleep 1000 & echo $!; wait' &
    (setsid sh -c 'echo $$; sleep 1000' &)
    (setsid env -i /bin/sh -c 'trap "" TERM; echo $$; (/bin/sleep 1000 & echo $!); while :; do /bin/sleep 1000; done' &)
    wait
"#;
const ESCAPED: usize = 7;

/// Runs until as many process ids were printed, then cancels.
async fn cancel_after_ids(request: &Request, count: usize, cancel: &CancelToken) -> (Outcome, Vec<u32>) {
    let mut text = String::new();
    let outcome = run(request, cancel, |chunk| {
        text.push_str(&chunk.text);
        if text.lines().count() >= count && text.ends_with('\n') {
            cancel.cancel("test");
        }
    });
    let outcome = outcome.await.unwrap();
    let ids = text.lines().filter_map(|line| line.parse().ok()).collect();
    (outcome, ids)
}

#[tokio::test]
async fn c3_2_nothing_is_left_of_a_tree_that_forks_sets_its_session_and_ignores_sigterm() {
    let request = sh(ESCAPEES).grace(Duration::from_millis(200));
    let (outcome, ids) = cancel_after_ids(&request, ESCAPED, &CancelToken::new()).await;
    assert!(outcome.killed);
    assert_eq!((outcome.code, ids.len()), (137, ESCAPED));
    let alive: Vec<u32> = ids.into_iter().filter(|pid| is_alive(*pid)).collect();
    assert!(alive.is_empty(), "still there: {alive:?}");
}

#[tokio::test]
async fn c3_2_a_polite_program_ends_within_the_grace_time_and_takes_its_children_along() {
    let script = "trap 'echo bye; exit 0' TERM; sh -c 'trap \"\" TERM; echo $$; sleep 1000' & echo $$; wait";
    let (outcome, ids) =
        cancel_after_ids(&sh(script).grace(Duration::from_millis(300)), 2, &CancelToken::new()).await;
    assert!(outcome.killed && outcome.stdout.text().ends_with("bye\n"), "{}", outcome.stdout.text());
    assert_eq!(outcome.code, 0, "its own exit code is kept");
    assert!(ids.iter().all(|pid| !is_alive(*pid)), "the child that ignored the signal is gone too");
}

#[tokio::test]
async fn force_ends_the_grace_time() {
    let cancel = CancelToken::new();
    // Without force this would take an hour.
    let request = sh("trap '' TERM; echo up; while :; do sleep 1000; done").grace(Duration::from_secs(3600));
    let outcome = run(&request, &cancel, |_| cancel.force("twice")).await.unwrap();
    assert!(outcome.killed);
    assert_eq!(outcome.code, 137);
}

#[tokio::test]
async fn a_stopped_process_is_woken_to_end() {
    let cancel = CancelToken::new();
    let request = sh("trap 'exit 4' TERM; echo $$; kill -STOP $$; while :; do :; done")
        .grace(Duration::from_secs(3600));
    let on_chunk = |chunk: toolsmith_host::exec::Chunk| {
        wait_until_stopped(chunk.text.trim().parse().unwrap());
        cancel.cancel("test");
    };
    let outcome = run(&request, &cancel, on_chunk).await.unwrap();
    assert_eq!((outcome.killed, outcome.code), (true, 4));
}

#[tokio::test]
async fn dropping_the_run_kills_the_tree() {
    let (send, mut receive) = tokio::sync::mpsc::unbounded_channel();
    let request = sh(ESCAPEES);
    let cancel = CancelToken::new();
    let running = run(&request, &cancel, move |chunk| {
        for line in chunk.text.lines() {
            send.send(line.parse::<u32>().unwrap()).unwrap();
        }
    });
    let mut ids = Vec::new();
    tokio::select! {
        outcome = running => panic!("it should not have ended: {outcome:?}"),
        () = async {
            while ids.len() < ESCAPED {
                ids.push(receive.recv().await.unwrap());
            }
        } => {}
    }
    for pid in ids {
        wait_until_gone(pid);
    }
}

#[tokio::test]
async fn a_chain_that_forks_a_successor_for_ever_is_caught() {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("chain.sh");
    std::fs::write(&script, "trap '' TERM\necho $$\nsetsid sh \"$0\" &\nexit 0\n").unwrap();
    // The first link ends at once, so a shell holds the chain.
    let request = sh(&format!("sh {}; exec sleep 1000", script.display())).grace(Duration::from_millis(50));
    let (outcome, ids) = cancel_after_ids(&request, 20, &CancelToken::new()).await;
    assert!(outcome.killed);
    assert!(ids.iter().all(|pid| !is_alive(*pid)));
}

#[tokio::test]
async fn a_crowd_is_killed_to_the_last() {
    let script = "trap '' TERM; n=0; while [ $n -lt 150 ]; do setsid sh -c 'echo $$; exec sleep 1000' & n=$((n+1)); done; wait";
    let (outcome, ids) = cancel_after_ids(&sh(script).grace(Duration::ZERO), 150, &CancelToken::new()).await;
    assert!(outcome.killed);
    assert_eq!(ids.len(), 150);
    assert!(ids.iter().all(|pid| !is_alive(*pid)));
}

#[tokio::test]
async fn of_two_at_once_only_the_cancelled_one_ends() {
    let (one, two) = (CancelToken::new(), CancelToken::new());
    let (send, receive) = tokio::sync::oneshot::channel();
    let mut send = Some(send);
    let second = async {
        let mut ids = Vec::new();
        let request = sh(ESCAPEES).grace(Duration::ZERO);
        let outcome = run(&request, &two, |chunk| {
            ids.extend(chunk.text.lines().map(|line| line.parse::<u32>().unwrap()));
            if ids.len() == ESCAPED
                && let Some(send) = send.take()
            {
                send.send(ids.clone()).unwrap();
            }
        });
        outcome.await.unwrap()
    };
    let first = async {
        let others = receive.await.unwrap();
        let request = sh(ESCAPEES).grace(Duration::ZERO);
        let (outcome, ids) = cancel_after_ids(&request, ESCAPED, &one).await;
        assert!(outcome.killed && ids.iter().all(|pid| !is_alive(*pid)));
        assert!(others.iter().all(|pid| is_alive(*pid)), "the other tree was touched");
        two.cancel("done");
        others
    };
    let (others, outcome) = tokio::join!(first, second);
    assert!(outcome.killed && others.iter().all(|pid| !is_alive(*pid)));
}

/// Set for the run of this test binary that plays a program to be killed.
const ROLE: &str = "TOOLSMITH_TEST_ROLE";

#[test]
fn when_this_program_is_killed_by_force_its_processes_go_too() {
    if std::env::var(ROLE).is_ok() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let ran = runtime.block_on(run(&sh(ESCAPEES), &CancelToken::new(), |chunk| {
            print!("{}", chunk.text);
        }));
        panic!("it should have been killed: {ran:?}");
    }
    #[expect(
        clippy::disallowed_methods,
        reason = "the test is about a program that starts processes and dies"
    )]
    let mut host = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "killing::when_this_program_is_killed_by_force_its_processes_go_too",
            "--nocapture",
        ])
        .env(ROLE, "host")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(host.stdout.take().unwrap()).lines();
    let ids: Vec<u32> = lines.filter_map(|line| line.unwrap().trim().parse().ok()).take(ESCAPED).collect();
    assert_eq!(ids.len(), ESCAPED);
    host.kill().unwrap();
    host.wait().unwrap();
    for pid in ids {
        wait_until_gone(pid);
    }
}

#[tokio::test]
async fn should_somebody_kill_the_supervisor_the_program_goes_with_it() {
    let script = "echo $$; cut -d' ' -f4 /proc/$$/stat; exec sleep 1000";
    let mut text = String::new();
    let (request, cancel) = (sh(script), CancelToken::new());
    let outcome = run(&request, &cancel, |chunk| {
        text.push_str(&chunk.text);
        if text.lines().count() == 2 && text.ends_with('\n') {
            kill(text.lines().nth(1).unwrap().parse().unwrap());
        }
    });
    let outcome = outcome.await.unwrap();
    assert_eq!((outcome.code, outcome.killed), (137, false));
    wait_until_gone(text.lines().next().unwrap().parse().unwrap());
}
