//! CONTRACT 3.2: what a command's run resolves with.

use std::time::Duration;

use toolsmith_host::{
    exec::{Chunk, Outcome, Request, Stdin, Stream, run},
    output::OutputLimits,
};
use toolsmith_tool::CancelToken;

use crate::process_ids::{is_alive, kill};

pub(crate) fn sh(script: &str) -> Request {
    Request::new("sh").args(["-c", script])
}

async fn outcome(request: &Request) -> Outcome {
    run(request, &CancelToken::new(), |_| {}).await.unwrap()
}

#[tokio::test]
async fn c3_2_a_command_gives_both_streams_and_its_code() {
    let done = outcome(&sh("echo out; echo err >&2; exit 3")).await;
    assert_eq!((done.stdout.text().as_str(), done.stderr.text().as_str()), ("out\n", "err\n"));
    assert_eq!((done.code, done.killed), (3, false), "a non-zero exit resolves");
}

#[tokio::test]
async fn c3_2_there_is_no_shell_between() {
    let odd = ["a b", "$HOME", "*", ";", "'\"", "ünï", "", "-n"];
    let done = outcome(&Request::new("printf").args(["%s|"; 1]).args(odd)).await;
    assert_eq!(done.stdout.text(), odd.map(|arg| format!("{arg}|")).concat());
}

#[tokio::test]
async fn c3_2_folder_environment_and_input_are_as_asked() {
    let dir = tempfile::tempdir().unwrap();
    let real = dir.path().canonicalize().unwrap();
    let mut request = sh("pwd; echo \"$GIVEN|${HOME-unset}\"; cat").cwd(&real).env("GIVEN", "value");
    request.env.insert("HOME".to_owned(), None);
    let request = request.stdin(Stdin::Bytes(b"from stdin".to_vec()));
    assert_eq!(outcome(&request).await.stdout.text(), format!("{}\nvalue|unset\nfrom stdin", real.display()));

    let mut bare = Request::new("/usr/bin/env").env("ONLY", "this");
    bare.clear_env = true;
    assert_eq!(outcome(&bare).await.stdout.text(), "ONLY=this\n");
}

#[tokio::test]
async fn input_is_empty_unless_given_and_need_not_be_read() {
    assert_eq!(outcome(&Request::new("cat")).await.stdout.text(), "");
    let unread = Request::new("true").stdin(Stdin::Bytes(vec![b'x'; 4 << 20]));
    assert_eq!(outcome(&unread).await.code, 0);
    let long = Request::new("wc").args(["-c"]).stdin(Stdin::Bytes(vec![b'x'; 4 << 20]));
    assert_eq!(outcome(&long).await.stdout.text().trim(), (4 << 20).to_string());
}

#[tokio::test]
async fn c3_2_a_timeout_kills_and_keeps_what_was_read() {
    let done = outcome(&sh("echo before; exec sleep 1000").timeout(Duration::from_secs(1))).await;
    assert_eq!((done.stdout.text().as_str(), done.killed, done.code), ("before\n", true, 143));
}

#[tokio::test]
async fn c3_2_an_abort_kills_and_keeps_what_was_read() {
    let cancel = CancelToken::new();
    let on_chunk = |_| cancel.cancel("test");
    let done = run(&sh("echo before; exec sleep 1000"), &cancel, on_chunk).await.unwrap();
    assert_eq!((done.stdout.text().as_str(), done.killed, done.code), ("before\n", true, 143));
}

#[tokio::test]
async fn c3_2_an_already_aborted_signal_spawns_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let cancel = CancelToken::new();
    cancel.cancel("early");
    let done = run(&Request::new("touch").args(["ran"]).cwd(dir.path()), &cancel, |_| {}).await.unwrap();
    assert!(done.killed && done.stdout.total == 0);
    assert!(!dir.path().join("ran").exists());
}

#[tokio::test]
async fn a_signal_from_elsewhere_is_not_our_killing() {
    let done = outcome(&sh("kill -9 $$")).await;
    assert_eq!((done.code, done.killed), (137, false));
    let done = outcome(&sh("kill -15 $$")).await;
    assert_eq!((done.code, done.killed), (143, false));
}

#[tokio::test]
async fn chunks_arrive_in_order_with_whole_characters() {
    let mut chunks: Vec<Chunk> = Vec::new();
    let script = "printf 'a\\303'; printf '\\251b\\377' ; printf 'e' >&2";
    let done = run(&sh(script), &CancelToken::new(), |chunk| chunks.push(chunk)).await.unwrap();
    let text =
        |stream| chunks.iter().filter(|c| c.stream == stream).map(|c| c.text.as_str()).collect::<String>();
    assert_eq!((text(Stream::Out).as_str(), text(Stream::Err).as_str()), ("aéb\u{fffd}", "e"));
    assert_eq!(done.stdout.text(), "aéb\u{fffd}");
}

#[tokio::test]
async fn three_megabytes_come_back_whole() {
    let done = outcome(&Request::new("head").args(["-c", "3145728", "/dev/zero"])).await;
    assert_eq!((done.stdout.head.len(), done.stdout.omitted(), done.stdout.file), (3 << 20, 0, None));
}

#[tokio::test]
async fn a_gigabyte_of_output_costs_neither_memory_nor_disk() {
    let dir = tempfile::tempdir().unwrap();
    let limits = OutputLimits::new(1000, 1000).spill_dir(Some(dir.path())).max_spill(5 << 20);
    let done = outcome(&Request::new("head").args(["-c", "1073741824", "/dev/zero"]).output(limits)).await;
    assert_eq!((done.code, done.stdout.total), (0, 1 << 30));
    assert_eq!((done.stdout.head.len(), done.stdout.tail.len()), (1000, 1000));
    let file = done.stdout.file.unwrap();
    assert!(done.stdout.file_incomplete && std::fs::metadata(file).unwrap().len() == 5 << 20);
}

#[tokio::test]
async fn an_endless_flood_does_not_keep_the_timeout_from_being_seen() {
    let limits = OutputLimits::new(10, 10).spill_dir(None);
    let flood = sh("yes out & yes err >&2").timeout(Duration::from_millis(500)).output(limits);
    let done = outcome(&flood).await;
    assert!(done.killed && done.stdout.total > 20 && done.stderr.total > 20);
}

#[tokio::test]
async fn a_process_left_behind_with_the_pipe_does_not_hang_us_and_lives_on() {
    let done = outcome(&sh("sleep 1000 & echo $!")).await;
    let left: u32 = done.stdout.text().trim().parse().unwrap();
    assert_eq!((done.code, done.killed), (0, false));
    assert!(is_alive(left), "what was left running on purpose goes on");
    kill(left);
}
