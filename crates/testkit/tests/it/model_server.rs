//! The model server over a bare socket: what it sends, what it notices.

use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use toolsmith_testkit::{Gate, ModelServer, Problem, Reply};

const PATHS: [&str; 4] = [
    "/v1/messages",
    "/v1/responses",
    "/v1/chat/completions",
    "/v1beta/models/gemini-3:streamGenerateContent?alt=sse",
];

async fn connect(server: &ModelServer) -> TcpStream {
    TcpStream::connect(server.url().trim_start_matches("http://")).await.unwrap()
}

async fn send(socket: &mut TcpStream, path: &str) {
    let body = r#"{"model":"m"}"#;
    let length = body.len();
    let request =
        format!("POST {path} HTTP/1.1\r\nX-Api-Key: secret\r\nContent-Length: {length}\r\n\r\n{body}");
    socket.write_all(request.as_bytes()).await.unwrap();
}

/// Reads until `end` came, or the connection is over.
async fn read_until(socket: &mut TcpStream, end: &str) -> String {
    let mut text = Vec::new();
    let mut bytes = [0; 4096];
    while !String::from_utf8_lossy(&text).ends_with(end) {
        match socket.read(&mut bytes).await {
            Ok(count @ 1..) => text.extend_from_slice(&bytes[..count]),
            _ => break,
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

#[tokio::test]
async fn the_path_decides_the_wire() {
    let server = ModelServer::start().await.unwrap();
    server.otherwise(|_| Reply::new().text("héllo").call("id_a", "read", &json!({ "path": "x" })));
    for (path, marks) in PATHS.into_iter().zip([
        ["event: content_block_delta", "event: message_stop"],
        ["event: response.output_text.delta", "event: response.completed"],
        ["chat.completion.chunk", "data: [DONE]"],
        ["functionCall", "\"finishReason\":\"STOP\""],
    ]) {
        let mut socket = connect(&server).await;
        send(&mut socket, path).await;
        let answer = read_until(&mut socket, "\r\n0\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        assert!(answer.contains("héllo"), "{answer}");
        for mark in marks {
            assert!(answer.contains(mark), "{path}: {mark}: {answer}");
        }
        let request = server.last_request();
        assert_eq!((request.path.as_str(), &request.body), (path, &json!({ "model": "m" })));
        assert_eq!(request.header("x-api-key"), Some("secret"), "recorded whole");
    }
}

#[tokio::test]
async fn what_is_not_scripted_fails_loudly() {
    let server = ModelServer::start().await.unwrap();
    let mut socket = connect(&server).await;
    send(&mut socket, "/v1/messages").await;
    let answer = read_until(&mut socket, "no reply left").await;
    assert!(answer.starts_with("HTTP/1.1 500 "), "{answer}");
    // The connection is kept.
    send(&mut socket, "/v1/elsewhere").await;
    let answer = read_until(&mut socket, "this path").await;
    assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
    assert_eq!((server.connections(), server.requests().len()), (1, 2));
}

#[tokio::test]
async fn a_client_that_hangs_up_is_noticed_and_a_gate_holds_the_rest_back() {
    let server = ModelServer::start().await.unwrap();
    let gate = Gate::new();
    server.push(Reply::new().text("before").wait(&gate).text("after"));
    server.push(Reply::new().text("before").wait(&gate).text("after"));
    let mut leaving = connect(&server).await;
    send(&mut leaving, "/v1/chat/completions").await;
    server.wait_for_requests(1).await;
    drop(leaving);
    server.wait_for_disconnects(1).await;

    let mut staying = connect(&server).await;
    send(&mut staying, "/v1/chat/completions").await;
    server.wait_for_requests(2).await;
    gate.open();
    let answer = read_until(&mut staying, "\r\n0\r\n\r\n").await;
    assert!(answer.contains("before") && answer.contains("after"), "{answer}");
    assert_eq!(server.disconnects(), 1);
}

#[tokio::test]
async fn faults_are_what_they_say() {
    let server = ModelServer::start().await.unwrap();
    let get = async |reply: Reply, end: &str| {
        server.push(reply);
        let mut socket = connect(&server).await;
        send(&mut socket, "/v1/messages").await;
        read_until(&mut socket, end).await
    };
    let refused = get(Reply::refuse(Problem::RateLimited(Some(7))), "}}").await;
    assert!(refused.starts_with("HTTP/1.1 429 ") && refused.contains("retry-after: 7\r\n"), "{refused}");
    let cut = get(Reply::new().text("half").cut(), "never").await;
    assert!(cut.contains("half") && !cut.contains("message_stop"), "{cut}");
    assert!(!cut.ends_with("0\r\n\r\n"), "the end is missing");
    let split = get(Reply::new().text("x").split(1), "\r\n0\r\n\r\n").await;
    assert!(split.contains("\r\n1\r\ne\r\n1\r\nv\r\n"), "one byte in each chunk: {split}");
    let odd = get(Reply::nonsense(b"boo".as_slice()), "never").await;
    assert_eq!(odd, "boo");
}
