//! A process that is talked to: pipes, signals, and the end of its handle.

use toolsmith_host::exec::{OutputPipe, Request, Stdin, spawn};

use crate::{
    outcomes::sh,
    process_ids::{is_alive, wait_until_gone},
};

async fn read_line(pipe: &mut OutputPipe) -> String {
    let mut line = Vec::new();
    let mut byte = [0];
    while pipe.read(&mut byte).await.unwrap() == 1 && byte[0] != b'\n' {
        line.push(byte[0]);
    }
    String::from_utf8(line).unwrap()
}

#[tokio::test]
async fn input_and_output_flow_while_it_runs() {
    let mut process = spawn(&Request::new("cat").stdin(Stdin::Piped)).unwrap();
    let (mut input, mut output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
    input.write_all(b"one\n").await.unwrap();
    assert_eq!(read_line(&mut output).await, "one");
    input.write_all(b"two\n").await.unwrap();
    assert_eq!(read_line(&mut output).await, "two");
    drop(input);
    assert_eq!(output.read(&mut [0; 8]).await.unwrap(), 0);
    assert_eq!(process.wait().await.code, 0);
    assert_eq!(process.wait().await.code, 0, "asking again gives the same");
}

#[tokio::test]
async fn the_id_is_the_programs_own_and_signals_reach_it_alone() {
    let script = "trap 'echo caught; exit 5' USR1; sleep 1000 & echo $$ $!; wait";
    let mut process = spawn(&sh(script)).unwrap();
    let mut output = process.stdout.take().unwrap();
    let ids = read_line(&mut output).await;
    let (own, child) = ids.split_once(' ').unwrap();
    assert_eq!(own, process.id().to_string());
    let child: u32 = child.parse().unwrap();
    process.signal(libc::SIGUSR1);
    assert_eq!(read_line(&mut output).await, "caught");
    assert_eq!(process.wait().await.code, 5);
    assert!(is_alive(child));
    crate::process_ids::kill(child);
}

#[tokio::test]
async fn dropping_the_handle_kills_everything() {
    let mut process = spawn(&sh("setsid sleep 1000 & echo $!; wait")).unwrap();
    let child: u32 = read_line(process.stdout.as_mut().unwrap()).await.parse().unwrap();
    let own = process.id();
    drop(process);
    wait_until_gone(own);
    wait_until_gone(child);
}

#[tokio::test]
async fn ending_asks_first() {
    let mut process =
        spawn(&sh("trap 'echo bye; exit 7' TERM; echo up; read line").stdin(Stdin::Piped)).unwrap();
    let mut output = process.stdout.take().unwrap();
    assert_eq!(read_line(&mut output).await, "up");
    let exit = process.end(std::time::Duration::from_secs(3600)).await;
    assert_eq!((exit.code, read_line(&mut output).await.as_str()), (7, "bye"));
}

/// As when a shell started this program in the background.
#[tokio::test]
async fn a_program_hears_signals_that_this_one_ignores() {
    crate::process_ids::ignore(libc::SIGINT);
    let mut process = spawn(&Request::new("sleep").args(["1000"])).unwrap();
    process.signal(libc::SIGINT);
    let heard = tokio::time::timeout(std::time::Duration::from_secs(60), process.wait()).await;
    assert_eq!(heard.unwrap().signal, Some(libc::SIGINT));
}
