//! The engine's allocator: counts memory, enforces the cap, and refuses memory once the runtime is to stop.
//!
//! Refusing memory stops loops of library calls: the engine checks for interrupts only every ten thousand of its own
//! steps, and a single `JSON.parse` of a large text is one step. Memory is never refused while the compiler runs, which
//! would crash.

#![expect(unsafe_code, reason = "an allocator deals in raw memory")]

use std::{
    collections::HashSet,
    ptr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use rquickjs::allocator::Allocator;

use crate::stop::StopFlags;

/// Memory use of a runtime.
#[derive(Debug, Default)]
pub(crate) struct MemoryUse {
    bytes: AtomicUsize,
    refused: AtomicBool,
    /// The most since the first of the calls in progress began.
    peak: AtomicUsize,
    /// Limit of the calls in progress, below the runtime's own; 0 for none.
    limit: AtomicUsize,
    /// Limit of the runtime.
    cap: usize,
}

/// Part of the memory that only the engine may use, so that code can handle the error when other memory is refused.
const RESERVE: usize = 1 << 20;

impl MemoryUse {
    pub(crate) fn new(cap: usize) -> Self {
        Self { cap, ..Self::default() }
    }

    /// Counts memory outside the engine if it fits; returns whether it does.
    pub(crate) fn try_add(&self, bytes: usize) -> bool {
        let cap = self.limit().map_or(self.cap, |limit| limit.min(self.cap));
        let cap = cap - RESERVE.min(cap / 16);
        let grown = |used: usize| used.checked_add(bytes).filter(|used| *used <= cap);
        let added = self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown);
        match added {
            Ok(before) => self.peak.fetch_max(before + bytes, Ordering::Relaxed),
            Err(_) => usize::from(self.refused.swap(true, Ordering::Relaxed)),
        };
        added.is_ok()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Counts memory that other libraries hold for the tool.
    pub(crate) fn add(&self, bytes: usize) {
        self.grow(bytes);
    }

    fn grow(&self, bytes: usize) {
        let now = self.bytes.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        self.peak.fetch_max(now, Ordering::Relaxed);
    }

    /// Starts to look for the peak, with the limit of a call.
    pub(crate) fn start_peak(&self, limit: Option<u64>) {
        self.peak.store(self.bytes(), Ordering::Relaxed);
        let limit = limit.map_or(0, |limit| usize::try_from(limit).unwrap_or(0).max(1));
        self.limit.store(limit, Ordering::Relaxed);
    }

    /// Lifts the limit of a call.
    pub(crate) fn end_peak(&self) {
        self.limit.store(0, Ordering::Relaxed);
    }

    /// Returns the peak.
    pub(crate) fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed) as u64
    }

    /// Returns the limit of the calls in progress.
    pub(crate) fn limit(&self) -> Option<usize> {
        Some(self.limit.load(Ordering::Relaxed)).filter(|limit| *limit > 0)
    }

    /// Takes such memory back out. What was never counted does not make it negative.
    pub(crate) fn subtract(&self, bytes: usize) {
        let _ = self
            .bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| Some(used.saturating_sub(bytes)));
    }

    /// Returns whether this much more fits under a cap.
    pub(crate) fn fits(&self, bytes: usize, cap: usize) -> bool {
        let cap = self.limit().map_or(cap, |limit| limit.min(cap));
        let fits = self.bytes().saturating_add(bytes) <= cap;
        if !fits {
            self.refused.store(true, Ordering::Relaxed);
        }
        fits
    }

    /// Returns whether the cap was reached since [`MemoryUse::take_refused`].
    pub(crate) fn was_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// Returns whether the cap was reached since the last call.
    pub(crate) fn take_refused(&self) -> bool {
        self.refused.swap(false, Ordering::Relaxed)
    }
}

/// The C library's allocator with a cap.
pub(crate) struct CappedAllocator {
    stop: Arc<StopFlags>,
    used: Arc<MemoryUse>,
    cap: usize,
    /// Blocks held by the runtime. It allocates pages rather than objects, so there are few. Blocks that a stopped
    /// runtime did not free are freed with the allocator.
    held: HashSet<usize>,
}

impl CappedAllocator {
    pub(crate) fn new(stop: Arc<StopFlags>, used: Arc<MemoryUse>, cap: usize) -> Self {
        Self { stop, used, cap, held: HashSet::new() }
    }

    fn may_grow(&self, bytes: usize) -> bool {
        if self.stop.is_compiling() {
            return true;
        }
        self.used.fits(bytes, self.cap) && !self.stop.refuses_memory()
    }

    /// Records an allocated block.
    fn keep(&mut self, memory: *mut u8) -> *mut u8 {
        if !memory.is_null() {
            self.held.insert(memory.expose_provenance());
            // SAFETY: `memory` was given by the C library just now.
            self.used.grow(unsafe { Self::usable_size(memory) });
        }
        memory
    }

    /// Records that a block is about to be freed.
    fn release(&mut self, memory: *mut u8) {
        self.held.remove(&memory.addr());
        // SAFETY: `memory` is still ours.
        self.used.bytes.fetch_sub(unsafe { Self::usable_size(memory) }, Ordering::Relaxed);
    }
}

// SAFETY: memory comes from `malloc`, whose blocks are aligned for any type; failure is null; `usable_size` asks the
// same library.
unsafe impl Allocator for CappedAllocator {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        if !self.may_grow(size) {
            return ptr::null_mut();
        }
        // SAFETY: any size is fine.
        let memory = unsafe { libc::malloc(size) };
        self.keep(memory.cast())
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        let Some(bytes) = count.checked_mul(size) else {
            return ptr::null_mut();
        };
        if !self.may_grow(bytes) {
            return ptr::null_mut();
        }
        // SAFETY: any size is fine.
        let memory = unsafe { libc::calloc(count, size) };
        self.keep(memory.cast())
    }

    unsafe fn dealloc(&mut self, memory: *mut u8) {
        if memory.is_null() {
            return;
        }
        self.release(memory);
        // SAFETY: the caller hands back what this allocator gave.
        unsafe { libc::free(memory.cast()) };
    }

    unsafe fn realloc(&mut self, memory: *mut u8, size: usize) -> *mut u8 {
        if memory.is_null() {
            return self.alloc(size);
        }
        // SAFETY: the caller hands back what this allocator gave.
        let before = unsafe { Self::usable_size(memory) };
        if size > before && !self.may_grow(size - before) {
            return ptr::null_mut();
        }
        self.release(memory);
        // SAFETY: as above; when it fails, the old memory is still ours.
        let grown = unsafe { libc::realloc(memory.cast(), size) };
        self.keep(if grown.is_null() { memory } else { grown.cast() });
        grown.cast()
    }

    unsafe fn usable_size(memory: *mut u8) -> usize {
        // SAFETY: the caller hands in what this allocator gave.
        unsafe { block_size(memory.cast()) }
    }
}

/// Returns the size of a block, as the C library rounded it.
///
/// # Safety
/// `malloc` gave the block, and it was not freed.
pub(crate) unsafe fn block_size(memory: *mut std::ffi::c_void) -> usize {
    // SAFETY: the caller's promise.
    unsafe { toolsmith_host::memory::block_size(memory) }
}

impl Drop for CappedAllocator {
    fn drop(&mut self) {
        for address in self.held.drain() {
            // SAFETY: it was given by `malloc` and not freed since, and the runtime that used it is gone.
            unsafe { libc::free(ptr::with_exposed_provenance_mut(address)) };
        }
    }
}
