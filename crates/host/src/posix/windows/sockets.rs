//! Local sockets: named pipes, which Node uses in their place.

use std::{
    io,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadHalf, WriteHalf, split},
    net::{
        TcpListener,
        windows::named_pipe::{ClientOptions, NamedPipeServer, ServerOptions},
    },
    sync::Mutex as AsyncMutex,
};
use windows_sys::Win32::Foundation::ERROR_PIPE_BUSY;

/// Time between two attempts to connect to a pipe whose instances are all in use.
const TRY_AGAIN: Duration = Duration::from_millis(20);

/// One end of a pipe.
trait Pipe: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Pipe for T {}

/// Both ends of a connection.
pub struct Connection(Box<dyn Pipe>);

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Connection")
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
        buffer: &mut tokio::io::ReadBuf<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        std::pin::Pin::new(&mut self.get_mut().0).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
        bytes: &[u8],
    ) -> std::task::Poll<io::Result<usize>> {
        std::pin::Pin::new(&mut self.get_mut().0).poll_write(cx, bytes)
    }
    fn poll_flush(
        self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        std::pin::Pin::new(&mut self.get_mut().0).poll_flush(cx)
    }
    fn poll_shutdown(
        self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        std::pin::Pin::new(&mut self.get_mut().0).poll_shutdown(cx)
    }
}

/// The end of a connection that is read.
pub type LocalReader = ReadHalf<Connection>;
/// The end of a connection that is written.
pub type LocalWriter = WriteHalf<Connection>;

fn halves(pipe: impl Pipe + 'static) -> (LocalReader, LocalWriter) {
    split(Connection(Box::new(pipe)))
}

/// Connects to the pipe of a name such as `\\.\pipe\x`.
///
/// # Errors
/// Fails with the system's error.
pub async fn connect_local(path: &str) -> io::Result<(LocalReader, LocalWriter)> {
    loop {
        match ClientOptions::new().open(path) {
            Ok(pipe) => return Ok(halves(pipe)),
            Err(error) if error.raw_os_error() == Some(ERROR_PIPE_BUSY.cast_signed()) => {
                tokio::time::sleep(TRY_AGAIN).await;
            }
            Err(error) => return Err(error),
        }
    }
}

/// A pipe that others connect to.
#[derive(Debug)]
pub struct LocalListener {
    path: String,
    /// The instance that the next client gets; none after the listener was closed.
    next: Mutex<Option<NamedPipeServer>>,
    /// One connection is accepted at a time.
    turn: AsyncMutex<()>,
}

impl LocalListener {
    /// Creates the pipe. Needs a tokio runtime.
    ///
    /// # Errors
    /// Fails with the system's error.
    pub fn bind(path: &str) -> io::Result<Self> {
        let first = ServerOptions::new().first_pipe_instance(true).reject_remote_clients(true).create(path);
        // A name that is taken is reported as denied.
        let first = first.map_err(|error| match error.kind() {
            io::ErrorKind::PermissionDenied => io::ErrorKind::AddrInUse.into(),
            _ => error,
        })?;
        Ok(Self { path: path.to_owned(), next: Mutex::new(Some(first)), turn: AsyncMutex::new(()) })
    }

    /// Waits for the next connection.
    ///
    /// # Errors
    /// Fails with the system's error.
    pub async fn accept(&self) -> io::Result<(LocalReader, LocalWriter)> {
        let _turn = self.turn.lock().await;
        let taken = self.next.lock().unwrap_or_else(PoisonError::into_inner).take();
        let server = match taken {
            Some(server) => server,
            None => ServerOptions::new().reject_remote_clients(true).create(&self.path)?,
        };
        server.connect().await?;
        let next = ServerOptions::new().reject_remote_clients(true).create(&self.path).ok();
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) = next;
        Ok(halves(server))
    }

    /// Closes the free instance, so that nobody connects any more.
    pub fn close(&self) {
        self.next.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// A listener on Windows refuses connections when it is dropped.
pub fn close_listener(_listener: &TcpListener) {}
