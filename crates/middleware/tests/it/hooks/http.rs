//! Hooks that are URLs.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    thread,
};

use toolsmith_agent::CallEnd;
use toolsmith_middleware::hooks::{Dialect, Handler, Hook, HookEvent};

use super::kit::{Kit, soon, text};

/// Answers one request with `response` and returns what was sent.
fn server(response: &'static str) -> (String, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook?key=secret", listener.local_addr().unwrap());
    let serving = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut seen = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            let read = stream.read(&mut buffer).unwrap();
            seen.extend_from_slice(&buffer[..read]);
            let text = String::from_utf8_lossy(&seen).into_owned();
            if read == 0 || text.ends_with("}\n") {
                stream.write_all(response.as_bytes()).unwrap();
                return text;
            }
        }
    });
    (url, serving)
}

fn hook(url: &str) -> Hook {
    let headers =
        vec![("X-Home".to_owned(), "is ${PATH}".to_owned()), ("X-Secret".to_owned(), "$HOME.".to_owned())];
    let handler = Handler::Http { url: url.to_owned(), headers, allowed_env: vec!["PATH".to_owned()] };
    let mut hook = Hook::new(HookEvent::PreToolUse, handler, "settings.json");
    hook.dialect = Dialect::Claude;
    hook
}

#[tokio::test]
async fn c11_2_a_url_receives_the_event_and_decides() {
    let body = r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"policy"}}"#;
    let response =
        format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
    let (url, serving) = server(response.leak());
    let kit = Kit::new(|_| vec![hook(&url)]);
    assert_eq!(text(&kit.call("ls").await), "policy");
    let seen = serving.join().unwrap();
    assert!(seen.starts_with("POST /hook?key=secret"), "{seen}");
    assert!(seen.contains(r#""tool_input":{"command":"ls"}"#), "{seen}");
    let path = std::env::var("PATH").unwrap();
    let lower = seen.to_lowercase();
    // Only variables that the hook names may leave the machine.
    assert!(lower.contains(&format!("x-home: is {}", path.to_lowercase())), "{seen}");
    assert!(lower.contains("x-secret: .\r\n"), "{seen}");
}

#[tokio::test]
async fn a_url_that_fails_or_does_not_answer_is_a_failure() {
    let (url, serving) =
        server("HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    let kit = Kit::new(|_| vec![hook(&url)]);
    assert!(!kit.call("ls").await.is_error());
    serving.join().unwrap();
    assert!(
        kit.notices()[0].contains("failed") && !kit.notices()[0].contains("secret"),
        "{:?}",
        kit.notices()
    );
    // A redirect would send the event elsewhere.
    let (url, serving) = server(
        "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
    );
    let mut strict = hook(&url);
    strict.fails_closed = true;
    let kit = Kit::new(|_| vec![strict]);
    assert_eq!(kit.call("ls").await.end, CallEnd::Blocked);
    serving.join().unwrap();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut strict = soon(hook(&format!("http://{}/", silent.local_addr().unwrap())));
    strict.fails_closed = true;
    let kit = Kit::new(|_| vec![strict]);
    let outcome = kit.call("ls").await;
    assert_eq!(outcome.end, CallEnd::Blocked);
}
