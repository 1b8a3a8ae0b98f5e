//! CONTRACT 3.2 with job objects: arguments, streams, folders, and whole trees that are killed.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::Path,
    time::Duration,
};

use toolsmith_host::{
    exec::{ExecError, Outcome, Request, Stdin, run, spawn},
    posix::{self, KillError, errno},
};
use toolsmith_tool::CancelToken;

/// Names what the other process does.
const TASK: &str = "TOOLSMITH_TEST_TASK";

/// Not a test of its own: what the other processes run.
#[test]
#[ignore = "run by the other tests as a process of its own"]
fn child() {
    let print = |text: &str| {
        let mut out = std::io::stdout();
        out.write_all(text.as_bytes()).unwrap();
        out.flush().unwrap();
    };
    match std::env::var(TASK).unwrap().as_str() {
        "arguments" => {
            let given = std::env::args().skip_while(|argument| argument != "--").skip(1);
            print(&format!("[{}]\n", given.collect::<Vec<_>>().join("|")));
        }
        "count" => {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes).unwrap();
            print(&format!("[{} bytes]\n", bytes.len()));
        }
        "flood" => print(&"x".repeat(4 << 20)),
        "tree" => {
            // A child that outlives its parent, and one that does not.
            for _ in 0..2 {
                #[expect(clippy::disallowed_methods, reason = "what is killed must not know of it")]
                let mut started = std::process::Command::new(std::env::current_exe().unwrap());
                started.args(["--exact", "--ignored", "--nocapture", "processes::child"]).env(TASK, "wait");
                drop(started.spawn().unwrap());
            }
            print(&format!("pid {}\n", std::process::id()));
            wait();
        }
        "wait" => {
            print(&format!("pid {}\n", std::process::id()));
            wait();
        }
        other => panic!("unknown task {other}"),
    }
}

fn wait() {
    loop {
        std::thread::park();
    }
}

/// This program again, with a task and arguments.
fn task(name: &str, arguments: &[&str]) -> Request {
    let program = std::env::current_exe().unwrap();
    let own = ["--exact", "--ignored", "--nocapture", "processes::child", "--"];
    Request::new(program.to_str().unwrap()).args(own).args(arguments.iter().copied()).env(TASK, name)
}

async fn outcome(request: &Request) -> Outcome {
    run(request, &CancelToken::new(), |_| {}).await.unwrap()
}

fn is_alive(id: u32) -> bool {
    match posix::kill(i32::try_from(id).unwrap(), 0) {
        Ok(()) => true,
        Err(KillError::System(errno::ESRCH)) => false,
        Err(error) => panic!("{error:?}"),
    }
}

#[tokio::test]
async fn c3_2_arguments_arrive_as_they_were_given() {
    let odd =
        ["a b", "", "\"quoted\"", r"back\slash\", r#"\"both\\""#, "%PATH%", "&whoami", "ünï 漢", "^", "*"];
    let done = outcome(&task("arguments", &odd)).await;
    let expected = format!("[{}]", odd.join("|"));
    assert!(done.stdout.text().contains(&expected), "{}", done.stdout.text());
}

#[tokio::test]
async fn c3_2_a_batch_file_gets_its_arguments_and_runs_nothing_in_them() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("say.cmd"), "@echo off\r\necho first %1\r\nexit /b 3\r\n").unwrap();
    let batch = folder.path().join("say.cmd");
    let request = Request::new(batch.to_str().unwrap()).args(["word", "x&echo done>injected.txt"]);
    let done = outcome(&request.cwd(folder.path())).await;
    assert!(done.stdout.text().contains("first") && done.stdout.text().contains("word"), "{done:?}");
    assert_eq!(done.code, 3);
    assert!(!folder.path().join("injected.txt").exists(), "an argument was executed");
    let broken = Request::new(batch.to_str().unwrap()).args(["two\nlines"]);
    assert!(run(&broken, &CancelToken::new(), |_| {}).await.is_err(), "a line break cannot be passed on");
}

#[tokio::test]
async fn c3_2_folder_environment_and_code_are_as_asked() {
    let folder = tempfile::tempdir().unwrap();
    let request = Request::new("cmd").args(["/c", "echo %GIVEN%& cd& exit 7"]).env("GIVEN", "value");
    let done = outcome(&request.cwd(folder.path())).await;
    let name = folder.path().file_name().unwrap().to_str().unwrap();
    assert!(done.stdout.text().contains("value") && done.stdout.text().contains(name), "{done:?}");
    assert_eq!((done.code, done.killed), (7, false));
}

#[tokio::test]
async fn c3_2_large_streams_are_read_and_written_whole() {
    let input = Stdin::Bytes(vec![b'x'; 4 << 20]);
    let done = outcome(&task("count", &[]).stdin(input)).await;
    assert!(done.stdout.text().contains("[4194304 bytes]"), "{}", done.stdout.text());
    let flood = outcome(&task("flood", &[])).await;
    assert_eq!(flood.code, 0);
    assert!(flood.stdout.total >= 4 << 20);
}

#[tokio::test]
async fn c3_2_programs_are_found_by_their_extension_and_never_in_the_working_folder() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("planted.cmd"), "@echo planted\r\n").unwrap();
    let request = Request::new("planted").cwd(folder.path());
    let refused = run(&request, &CancelToken::new(), |_| {}).await;
    assert!(matches!(refused, Err(ExecError::NotInPath { .. })), "{refused:?}");
    let path = format!("{};{}", folder.path().display(), std::env::var("PATH").unwrap());
    let found = outcome(&Request::new("PLANTED").env("PATH", path)).await;
    assert!(found.stdout.text().contains("planted"), "{found:?}");
    let nowhere = Request::new("cmd").args(["/c", "exit"]).cwd(folder.path().join("missing"));
    assert!(run(&nowhere, &CancelToken::new(), |_| {}).await.is_err());
}

/// Waits until a process is gone, which a test would otherwise wait for until its runner's limit.
fn wait_for_end(id: u32) {
    while is_alive(id) {
        std::thread::yield_now();
    }
}

#[tokio::test]
async fn c3_2_a_stop_kills_the_whole_tree() {
    let cancel = CancelToken::new();
    let mut printed = String::new();
    let request = task("tree", &[]).grace(Duration::from_millis(100));
    let done = run(&request, &cancel, |chunk| {
        printed.push_str(&chunk.text);
        // All three are there.
        if printed.matches("pid ").count() == 3 && printed.ends_with('\n') {
            cancel.cancel("test");
        }
    })
    .await
    .unwrap();
    assert!(done.killed);
    let ids: Vec<u32> =
        printed.lines().filter_map(|line| line.split_once("pid ")?.1.trim().parse().ok()).collect();
    assert_eq!(ids.len(), 3, "{printed}");
    for id in ids {
        wait_for_end(id);
    }
}

#[tokio::test]
async fn c3_2_dropping_a_process_kills_it_and_a_detached_one_goes_on() {
    let dropped = spawn(&task("wait", &[])).unwrap();
    let id = dropped.id();
    assert!(is_alive(id));
    drop(dropped);
    wait_for_end(id);
    let mut request = task("wait", &[]);
    request.detached = true;
    let detached = spawn(&request).unwrap();
    let (id, signaller) = (detached.id(), detached.signaller());
    drop(detached);
    assert!(is_alive(id));
    assert!(signaller.send(9));
    wait_for_end(id);
    assert!(!signaller.send(0));
}

#[test]
fn paths_of_programs_are_looked_up_by_folder() {
    let system = std::env::var("SystemRoot").unwrap();
    let folder = Path::new(&system).join("System32");
    assert!(toolsmith_host::exec::program_file(&folder, "cmd").is_some());
    assert!(toolsmith_host::exec::program_file(&folder, "no such program").is_none());
}
