//! Standard input and output as asynchronous streams, each with a thread of its own: they may be pipes, sockets or files, and
//! reading some of them cannot be interrupted.

use std::{
    io::{self, Read as _, Write as _},
    thread::JoinHandle,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream},
    runtime::Handle,
};

const BUFFER: usize = 64 << 10;

/// Returns standard input. Its thread ends with the program.
pub(super) fn input() -> io::Result<DuplexStream> {
    let (mut write, read) = tokio::io::duplex(BUFFER);
    let runtime = Handle::current();
    std::thread::Builder::new().name("mcp-in".to_owned()).spawn(move || {
        let mut buffer = vec![0; BUFFER];
        let mut input = io::stdin().lock();
        loop {
            let count = match input.read(&mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Ok(0) | Err(_) => return,
                Ok(count) => count,
            };
            if runtime.block_on(write.write_all(buffer.get(..count).unwrap_or_default())).is_err() {
                return;
            }
        }
    })?;
    Ok(read)
}

/// Returns standard output. Its thread ends after the stream is dropped and everything is written.
pub(super) fn output() -> io::Result<(DuplexStream, JoinHandle<()>)> {
    let (write, mut read) = tokio::io::duplex(BUFFER);
    let runtime = Handle::current();
    let thread = std::thread::Builder::new().name("mcp-out".to_owned()).spawn(move || {
        let mut buffer = vec![0; BUFFER];
        let mut output = io::stdout().lock();
        while let Ok(count @ 1..) = runtime.block_on(read.read(&mut buffer)) {
            let bytes = buffer.get(..count).unwrap_or_default();
            if output.write_all(bytes).and_then(|()| output.flush()).is_err() {
                return;
            }
        }
    })?;
    Ok((write, thread))
}
