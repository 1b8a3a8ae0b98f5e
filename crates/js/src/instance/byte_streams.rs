//! Pipes and connections of a tool, by number. They are held here and not by the tool's thread, so that they close even
//! if that thread hangs.

use std::{
    collections::HashMap,
    io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use toolsmith_tool::CancelToken;

use super::operations::unless_cancelled;

/// Maximum size of one read.
const READ_BYTES: usize = 64 * 1024;

type Reader = Box<dyn AsyncRead + Send + Unpin>;
type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// One end of a stream, until it is closed.
struct Slot<T> {
    end: tokio::sync::Mutex<Option<T>>,
    closed: CancelToken,
}

/// The open streams of one instance.
#[derive(Default)]
pub(crate) struct ByteStreams {
    readers: Mutex<HashMap<u32, Arc<Slot<Reader>>>>,
    writers: Mutex<HashMap<u32, Arc<Slot<Writer>>>>,
}

fn next_number() -> u32 {
    static LAST: AtomicU32 = AtomicU32::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

fn keep<T>(table: &Mutex<HashMap<u32, Arc<Slot<T>>>>, end: T) -> u32 {
    let number = next_number();
    let slot = Slot { end: tokio::sync::Mutex::new(Some(end)), closed: CancelToken::new() };
    table.lock().unwrap_or_else(PoisonError::into_inner).insert(number, Arc::new(slot));
    number
}

fn find<T>(table: &Mutex<HashMap<u32, Arc<Slot<T>>>>, number: u32) -> Option<Arc<Slot<T>>> {
    table.lock().unwrap_or_else(PoisonError::into_inner).get(&number).cloned()
}

fn close_in<T>(table: &Mutex<HashMap<u32, Arc<Slot<T>>>>, number: u32) {
    // Pending reads end, and with them the last holder of the slot.
    if let Some(slot) = table.lock().unwrap_or_else(PoisonError::into_inner).remove(&number) {
        slot.closed.cancel("closed");
    }
}

impl ByteStreams {
    pub(crate) fn keep_reader(&self, reader: impl AsyncRead + Send + Unpin + 'static) -> u32 {
        keep(&self.readers, Box::new(reader))
    }

    pub(crate) fn keep_writer(&self, writer: impl AsyncWrite + Send + Unpin + 'static) -> u32 {
        keep(&self.writers, Box::new(writer))
    }

    /// Reads available bytes, waiting for some; nothing at the end or when closed.
    pub(crate) async fn read(&self, number: u32, token: &CancelToken) -> io::Result<Vec<u8>> {
        let Some(slot) = find(&self.readers, number) else { return Ok(Vec::new()) };
        let work = async {
            let mut end = slot.end.lock().await;
            let Some(reader) = end.as_mut() else { return Ok(Vec::new()) };
            let mut bytes = vec![0; READ_BYTES];
            let count = reader.read(&mut bytes).await?;
            bytes.truncate(count);
            Ok(bytes)
        };
        let read = unless_cancelled(&slot.closed, unless_cancelled(token, work)).await.flatten();
        let read = read.unwrap_or_else(|| Ok(Vec::new()));
        if read.as_ref().is_ok_and(Vec::is_empty) || read.is_err() {
            close_in(&self.readers, number);
        }
        read
    }

    /// Writes all bytes. Fails if the other side no longer reads or the stream was closed.
    pub(crate) async fn write(&self, number: u32, bytes: &[u8], token: &CancelToken) -> io::Result<()> {
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        let slot = find(&self.writers, number).ok_or_else(gone)?;
        let work = async {
            let mut end = slot.end.lock().await;
            let writer = end.as_mut().ok_or_else(gone)?;
            writer.write_all(bytes).await?;
            writer.flush().await
        };
        let written = unless_cancelled(&slot.closed, unless_cancelled(token, work)).await.flatten();
        let written = written.unwrap_or_else(|| Err(gone()));
        if written.is_err() {
            close_in(&self.writers, number);
        }
        written
    }

    /// Ends writing: the other side sees the end.
    pub(crate) async fn finish(&self, number: u32, token: &CancelToken) -> io::Result<()> {
        let Some(slot) = find(&self.writers, number) else { return Ok(()) };
        let work = async {
            match slot.end.lock().await.take() {
                Some(mut writer) => writer.shutdown().await,
                None => Ok(()),
            }
        };
        let done = unless_cancelled(&slot.closed, unless_cancelled(token, work)).await.flatten();
        close_in(&self.writers, number);
        // The other side may have closed already.
        match done {
            Some(Err(error)) if error.kind() != io::ErrorKind::NotConnected => Err(error),
            _ => Ok(()),
        }
    }

    pub(crate) fn close(&self, number: u32) {
        close_in(&self.readers, number);
        close_in(&self.writers, number);
    }

    /// Closes everything.
    pub(crate) fn close_all(&self) {
        let readers = std::mem::take(&mut *self.readers.lock().unwrap_or_else(PoisonError::into_inner));
        let writers = std::mem::take(&mut *self.writers.lock().unwrap_or_else(PoisonError::into_inner));
        readers.into_values().for_each(|slot| slot.closed.cancel("closed"));
        writers.into_values().for_each(|slot| slot.closed.cancel("closed"));
    }
}
