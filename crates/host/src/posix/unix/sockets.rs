//! Local sockets: Unix domain sockets.

use std::io;

use tokio::net::{TcpListener, UnixListener, UnixStream, unix};

/// The end of a connection that is read.
pub type LocalReader = unix::OwnedReadHalf;
/// The end of a connection that is written.
pub type LocalWriter = unix::OwnedWriteHalf;

/// Connects to the socket at a path.
///
/// # Errors
/// Fails with the system's error.
pub async fn connect_local(path: &str) -> io::Result<(LocalReader, LocalWriter)> {
    UnixStream::connect(path).await.map(UnixStream::into_split)
}

/// A socket that others connect to.
#[derive(Debug)]
pub struct LocalListener {
    listener: UnixListener,
    path: String,
}

impl LocalListener {
    /// Creates the socket. Needs a tokio runtime.
    ///
    /// # Errors
    /// Fails with the system's error.
    pub fn bind(path: &str) -> io::Result<Self> {
        Ok(Self { listener: UnixListener::bind(path)?, path: path.to_owned() })
    }

    /// Waits for the next connection.
    ///
    /// # Errors
    /// Fails with the system's error.
    pub async fn accept(&self) -> io::Result<(LocalReader, LocalWriter)> {
        self.listener.accept().await.map(|(stream, _)| stream.into_split())
    }

    /// Removes the name, so that nobody connects any more.
    pub fn close(&self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Refuses new connections at once, before the listener is dropped.
pub fn close_listener(listener: &TcpListener) {
    let _ = rustix::net::shutdown(listener, rustix::net::Shutdown::Both);
}
