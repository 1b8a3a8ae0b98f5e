//! The address on this machine that the browser returns to after a login. Every program and user of the machine can send requests
//! to it, so only the one with the `state` of this login counts (RFC 6749, 10.12).

use std::{net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};
use url::Url;

/// Path of the callback.
const PATH: &str = "/callback";
/// Longest request line of the browser.
const MAX_REQUEST: u64 = 64 << 10;
/// Time for a request line, and for reading the answer.
const REQUEST_TIME: Duration = Duration::from_secs(10);
/// Time before the next connection is accepted if one could not be.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Maximum number of connections at a time.
const MAX_CONNECTIONS: usize = 64;

/// Waits for the browser.
pub(super) struct Callback {
    listener: TcpListener,
    address: SocketAddr,
}

impl Callback {
    /// Listens on a port of this machine; on any free one by default.
    pub(super) async fn listen(port: Option<u16>) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port.unwrap_or(0))).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// Returns the address that the browser is sent to.
    pub(super) fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Waits for the request with this state and returns its address. Others are answered and ignored.
    pub(super) async fn wait(&self, state: &str) -> Url {
        // A connection that sends nothing must not keep the browser waiting.
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept(), if connections.len() < MAX_CONNECTIONS => {
                    let Ok((stream, _)) = accepted else {
                        // No file descriptor may be free for a moment.
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                        continue;
                    };
                    let (base, state) = (format!("http://{}", self.address), state.to_owned());
                    let answering = async move { answer(stream, &base, &state).await };
                    connections.spawn(async { tokio::time::timeout(REQUEST_TIME, answering).await.ok().flatten() });
                }
                Some(answered) = connections.join_next() => {
                    if let Ok(Some(url)) = answered {
                        return url;
                    }
                }
            }
        }
    }
}

/// Answers one request; returns its address if it ends the login.
async fn answer(mut stream: TcpStream, base: &str, state: &str) -> Option<Url> {
    let mut line = String::new();
    let (read, mut write) = stream.split();
    BufReader::new(read.take(MAX_REQUEST)).read_line(&mut line).await.ok()?;
    let (status, text, url) = judge(&line, base, state);
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}",
        text.len()
    );
    let _ = write.write_all(answer.as_bytes()).await;
    let _ = write.shutdown().await;
    url
}

/// Returns the status and text of the answer to a request line, and the address if the request ends the login.
fn judge(line: &str, base: &str, state: &str) -> (&'static str, &'static str, Option<Url>) {
    let mut words = line.split_whitespace();
    let is_get = words.next() == Some("GET");
    let target = words.next().filter(|target| is_get && target.starts_with('/'));
    let url = target.and_then(|target| Url::parse(&format!("{base}{target}")).ok());
    let Some(url) = url.filter(|url| url.path() == PATH) else {
        return ("404 Not Found", "Not found\n", None);
    };
    if parameter(&url, "state").is_none_or(|own| own != state) {
        let text = "This request does not belong to the login that is in progress.\n";
        return ("400 Bad Request", text, None);
    }
    let text = match parameter(&url, "code") {
        Some(_) => "You can close this page and return to the terminal.\n",
        None => "The login failed. Return to the terminal for the reason.\n",
    };
    ("200 OK", text, Some(url))
}

/// Returns a parameter of an address that occurs once.
pub(super) fn parameter(url: &Url, name: &str) -> Option<String> {
    let mut values = url.query_pairs().filter(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    values.next().filter(|_| values.next().is_none())
}

#[cfg(test)]
#[path = "callback_tests.rs"]
mod tests;
