//! Requests to the callback of a login.

use super::*;

/// Sends a request and returns the status of its answer.
async fn send(url: &str, method: &str, target: &str) -> String {
    let address = url.strip_prefix("http://").unwrap().strip_suffix(PATH).unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream
        .write_all(format!("{method} {target} HTTP/1.1\r\nhost: {address}\r\n\r\n").as_bytes())
        .await
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer.split_whitespace().nth(1).unwrap_or_default().to_owned()
}

#[tokio::test]
async fn only_the_request_with_the_state_ends_the_login() {
    let callback = Callback::listen(None).await.unwrap();
    let url = callback.url();
    let waiting = tokio::spawn(async move { callback.wait("right").await });
    // They send nothing, and the others are answered nevertheless.
    let silent = [TcpStream::connect(url.split('/').nth(2).unwrap()).await.unwrap()];
    for (target, status) in [
        ("/callback?code=EVIL&state=wrong", "400"),
        ("/callback?code=EVIL", "400"),
        ("/callback?error=access_denied", "400"),
        ("/callback?code=EVIL&state=", "400"),
        ("/callback?code=EVIL&state=right2", "400"),
        ("/callback?code=EVIL&state=wrong&state=right", "400"),
        ("/callback", "400"),
        ("/callback/?state=right", "404"),
        ("/other?state=right", "404"),
        ("/favicon.ico", "404"),
        ("http://127.0.0.1/callback?state=right", "404"),
        ("//[", "404"),
    ] {
        assert_eq!(send(&url, "GET", target).await, status, "{target}");
        assert!(!waiting.is_finished(), "{target}");
    }
    assert_eq!(send(&url, "POST", "/callback?code=EVIL&state=right").await, "404");
    assert_eq!(send(&url, "GET", "/callback?code=1&state=r%69ght").await, "200");
    let ended = waiting.await.unwrap();
    assert_eq!(parameter(&ended, "code").as_deref(), Some("1"));
    drop(silent);
}

#[tokio::test]
async fn a_refusal_with_the_state_ends_the_login() {
    let callback = Callback::listen(None).await.unwrap();
    let url = callback.url();
    let waiting = tokio::spawn(async move { callback.wait("s").await });
    assert_eq!(send(&url, "GET", "/callback?error=access_denied&state=s").await, "200");
    assert_eq!(parameter(&waiting.await.unwrap(), "error").as_deref(), Some("access_denied"));
}

#[test]
fn any_request_line_is_judged_without_a_panic() {
    for line in
        ["", "GET", "GET ", "GET \u{0}", "GET /callback?state=%ff", "GET /\u{202e}💥 HTTP/1.1", "\r\n"]
    {
        assert!(judge(line, "http://127.0.0.1:1", "s").2.is_none(), "{line:?}");
    }
}
