//! The subset of HTTP/1.1 that a model provider needs: requests with a length, replies in chunks.

use std::io;

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::reply::Gate;

/// A received request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Recorded {
    /// Method, such as `POST`.
    pub method: String,
    /// Path with its query.
    pub path: String,
    /// Headers with lower-case names.
    pub headers: Vec<(String, String)>,
    /// Body; `Null` if it is not JSON.
    pub body: Value,
    /// Length of the body.
    pub body_bytes: usize,
    /// The body as it was received.
    pub raw_body: Vec<u8>,
}

impl Recorded {
    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// A part of a reply.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    /// Sent unchanged.
    Raw(Vec<u8>),
    /// Sent as one chunk.
    Chunk(Vec<u8>),
    /// The end of the chunks.
    LastChunk,
    /// Waits until the gate is open.
    Wait(Gate),
    /// Closes the connection.
    Close,
}

/// How a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The connection can be reused.
    Kept,
    /// The server closed it.
    Closed,
    /// The client closed it.
    HungUp,
}

/// Creates a reply with a length.
pub(super) fn whole(status: u16, headers: &[(String, String)], body: &[u8]) -> Vec<Piece> {
    let mut bytes = head(status, headers);
    bytes.extend(format!("content-length: {}\r\n\r\n", body.len()).into_bytes());
    bytes.extend_from_slice(body);
    vec![Piece::Raw(bytes)]
}

pub(super) fn plain(status: u16, text: &str) -> Vec<Piece> {
    whole(status, &header("content-type", "text/plain"), text.as_bytes())
}

pub(super) fn json(status: u16, value: &Value) -> Vec<Piece> {
    whole(status, &header("content-type", "application/json"), value.to_string().as_bytes())
}

/// Creates the start of a chunked reply.
pub(super) fn chunked(headers: &[(String, String)]) -> Piece {
    let mut bytes = head(200, headers);
    bytes.extend_from_slice(b"transfer-encoding: chunked\r\n\r\n");
    Piece::Raw(bytes)
}

pub(super) fn header(name: &str, value: &str) -> Vec<(String, String)> {
    vec![(name.to_owned(), value.to_owned())]
}

fn head(status: u16, headers: &[(String, String)]) -> Vec<u8> {
    let mut text = format!("HTTP/1.1 {status} Scripted\r\n");
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.into_bytes()
}

/// One client connection.
pub(super) struct Connection {
    socket: TcpStream,
    unread: Vec<u8>,
}

impl Connection {
    pub(super) fn new(socket: TcpStream) -> Self {
        Self { socket, unread: Vec::new() }
    }

    /// Reads the next request; `None` at the end.
    pub(super) async fn read_request(&mut self) -> io::Result<Option<Recorded>> {
        let end = loop {
            if let Some(at) = find(&self.unread, b"\r\n\r\n") {
                break at;
            }
            if !self.read_more().await? {
                return Ok(None);
            }
        };
        let head = String::from_utf8_lossy(&self.unread[..end]).into_owned();
        self.unread.drain(..end + 4);
        let mut lines = head.split("\r\n");
        let mut first = lines.next().unwrap_or_default().split(' ');
        let (method, path) =
            (first.next().unwrap_or_default().to_owned(), first.next().unwrap_or_default().to_owned());
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
            .collect();
        let length = headers
            .iter()
            .find(|(name, _)| name == "content-length")
            .and_then(|(_, value)| value.parse().ok())
            .unwrap_or(0);
        while self.unread.len() < length {
            if !self.read_more().await? {
                return Ok(None);
            }
        }
        let body: Vec<u8> = self.unread.drain(..length).collect();
        Ok(Some(Recorded {
            method,
            path,
            headers,
            body: serde_json::from_slice(&body).unwrap_or_default(),
            body_bytes: length,
            raw_body: body,
        }))
    }

    pub(super) async fn write(&mut self, pieces: Vec<Piece>) -> Outcome {
        for piece in pieces {
            let written = match piece {
                Piece::Raw(bytes) => self.socket.write_all(&bytes).await,
                Piece::Chunk(bytes) => {
                    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
                    chunk.extend(bytes);
                    chunk.extend_from_slice(b"\r\n");
                    self.socket.write_all(&chunk).await
                }
                Piece::LastChunk => self.socket.write_all(b"0\r\n\r\n").await,
                Piece::Wait(gate) => {
                    tokio::select! {
                        () = gate.opened() => Ok(()),
                        // Clients send nothing before the reply ends, so any input now means the end.
                        _ = self.read_more() => return Outcome::HungUp,
                    }
                }
                Piece::Close => {
                    let _ = self.socket.shutdown().await;
                    return Outcome::Closed;
                }
            };
            if written.is_err() {
                return Outcome::HungUp;
            }
        }
        Outcome::Kept
    }

    async fn read_more(&mut self) -> io::Result<bool> {
        let mut bytes = [0; 16 * 1024];
        let count = self.socket.read(&mut bytes).await?;
        self.unread.extend_from_slice(&bytes[..count]);
        Ok(count > 0)
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}
