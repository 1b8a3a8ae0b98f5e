//! The launcher where this program cannot be executed again: a fork of it.

use tokio::{io::AsyncReadExt, time::timeout};

use super::{
    super::{
        super::{request::Request, search::resolve},
        start::start_by,
    },
    *,
};

fn sh(script: &str) -> Request {
    Request::new("sh").args(["-c", script])
}

#[tokio::test]
async fn a_forked_launcher_starts_programs_and_kills_all_of_them() {
    let mut launcher = Launcher::fork(State::now()).unwrap();
    let request = sh("echo $$; exit 3");
    let resolved = resolve(&request).unwrap();
    let mut started =
        start_by(&request, &resolved, |header, body, fds| launcher.send(header, body, fds)).unwrap();
    let mut text = String::new();
    started.stdout.as_mut().unwrap().read_to_string(&mut text).await.unwrap();
    assert_eq!((text.trim(), started.control.wait().await.code), (started.pid.to_string().as_str(), 3));

    let request = sh("trap '' TERM; (setsid sleep 1000 &); echo up; sleep 1000");
    let resolved = resolve(&request).unwrap();
    let mut started =
        start_by(&request, &resolved, |header, body, fds| launcher.send(header, body, fds)).unwrap();
    let mut out = started.stdout.take().unwrap();
    assert_eq!(out.read_u8().await.unwrap(), b'u');
    started.control.kill();
    let exit = timeout(TIMEOUT * 6, started.control.wait()).await.unwrap();
    assert_eq!(exit.signal, Some(libc::SIGKILL));
    let rest = timeout(TIMEOUT * 6, out.read_to_string(&mut text)).await;
    assert!(rest.is_ok(), "no process holds the pipe any longer");
}

#[tokio::test]
async fn a_program_that_is_missing_is_reported_by_a_forked_launcher() {
    let mut launcher = Launcher::fork(State::now()).unwrap();
    let missing = Request::new("/no/such/program");
    let resolved = resolve(&missing).unwrap();
    let refused =
        start_by(&missing, &resolved, |header, body, fds| launcher.send(header, body, fds)).unwrap_err();
    assert_eq!(refused.raw_os_error(), Some(libc::ENOENT));
}

#[tokio::test]
async fn a_stream_that_is_no_request_ends_the_launcher_and_not_this_program() {
    let mut launcher = Launcher::fork(State::now()).unwrap();
    launcher.socket.write_all(&[0xff; 64]).unwrap();
    let read = launcher.socket.read(&mut [0; 8]).map_err(|error| error.kind());
    assert!(matches!(read, Ok(0) | Err(io::ErrorKind::ConnectionReset)), "{read:?}");
}
