//! As much HTTP/1.1 as a model provider needs: requests with a length, replies in chunks.

use std::io;

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::reply::Gate;

/// A request as it came.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Recorded {
    /// Such as `POST`.
    pub method: String,
    /// With its query.
    pub path: String,
    /// In lower case.
    pub headers: Vec<(String, String)>,
    /// `Null` where it is not JSON.
    pub body: Value,
    /// How long the body was.
    pub body_bytes: usize,
}

impl Recorded {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// A piece of what is sent.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    /// As it is.
    Raw(Vec<u8>),
    /// In one chunk.
    Chunk(Vec<u8>),
    /// The end of the chunks.
    LastChunk,
    /// Only once the gate is open.
    Wait(Gate),
    /// The connection is closed here.
    Close,
}

/// How a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Another request may come.
    Kept,
    /// We closed.
    Closed,
    /// The client closed.
    HungUp,
}

/// A reply with a length.
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

/// The beginning of a reply in chunks.
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

/// One client.
pub(super) struct Connection {
    socket: TcpStream,
    unread: Vec<u8>,
}

impl Connection {
    pub(super) fn new(socket: TcpStream) -> Self {
        Self { socket, unread: Vec::new() }
    }

    /// The next request; `None` when the client is done.
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
                        // Nothing more is asked before the reply is over, so whatever comes now is the end.
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
