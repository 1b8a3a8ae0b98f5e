//! Memory outside the engine that counts as a tool's: content of files on its way, data of operations that wait, the state
//! of compressors.

use std::sync::Arc;

use crate::{allocator::MemoryUse, instance::HostError};

/// Results of this size are always accepted. They count, so a tool that lets them pile up runs out of memory itself.
const SMALL: usize = 64 << 10;

/// Memory that counts until this is dropped.
#[derive(Debug)]
pub(crate) struct Charge {
    used: Arc<MemoryUse>,
    bytes: usize,
}

impl Charge {
    /// Counts memory.
    ///
    /// # Errors
    /// Out of memory, as the engine throws it.
    pub(crate) fn new(used: &Arc<MemoryUse>, bytes: usize) -> Result<Self, HostError> {
        let mut charge = Self { used: Arc::clone(used), bytes: 0 };
        charge.resize(bytes)?;
        Ok(charge)
    }

    /// Counts another amount instead.
    ///
    /// # Errors
    /// Out of memory; the previous amount still counts.
    pub(crate) fn resize(&mut self, bytes: usize) -> Result<(), HostError> {
        if bytes > self.bytes {
            let more = bytes - self.bytes;
            if bytes <= SMALL {
                self.used.add(more);
            } else if !self.used.try_add(more) {
                return Err(out_of_memory());
            }
        } else {
            self.used.subtract(self.bytes - bytes);
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.used.subtract(self.bytes);
    }
}

/// Returns the error of an engine whose memory ran out.
pub(crate) fn out_of_memory() -> HostError {
    HostError::of_class("InternalError", "out of memory")
}
