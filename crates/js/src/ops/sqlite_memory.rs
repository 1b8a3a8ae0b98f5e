//! SQLite's memory counts as the tool's: allocations on a tool's thread are added to what its engine uses, and refused beyond
//! the same cap. Memory of other threads of the program is neither counted nor refused.

#![expect(unsafe_code, reason = "an allocator deals in raw memory")]

use std::{
    cell::RefCell,
    ffi::{c_int, c_void},
    ptr,
    sync::{Arc, Once},
};

use rusqlite::ffi;

use crate::{allocator::MemoryUse, stop::StopFlags};

struct Account {
    used: Arc<MemoryUse>,
    stop: Arc<StopFlags>,
    cap: usize,
}

thread_local! {
    static ACCOUNT: RefCell<Option<Account>> = const { RefCell::new(None) };
}

/// Counts what SQLite allocates on this thread from now on.
pub(super) fn count_here(used: &Arc<MemoryUse>, stop: &Arc<StopFlags>, cap: usize) {
    static CONFIGURED: Once = Once::new();
    CONFIGURED.call_once(|| {
        let methods = ffi::sqlite3_mem_methods {
            xMalloc: Some(allocate),
            xFree: Some(release),
            xRealloc: Some(resize),
            xSize: Some(size),
            xRoundup: Some(round_up),
            xInit: Some(begin),
            xShutdown: Some(end),
            pAppData: ptr::null_mut(),
        };
        // SAFETY: SQLite copies the table. In a program that used SQLite before it refuses, and nothing is counted.
        let outcome = unsafe { ffi::sqlite3_config(ffi::SQLITE_CONFIG_MALLOC, &raw const methods) };
        if outcome != ffi::SQLITE_OK {
            tracing::warn!(outcome, "The memory of SQLite databases is not counted");
        }
    });
    let account = Account { used: Arc::clone(used), stop: Arc::clone(stop), cap };
    ACCOUNT.with(|slot| slot.replace(Some(account)));
}

/// Runs `work` with the account of this thread, if it has one and is not at its end.
fn with_account<R>(work: impl FnOnce(&Account) -> R) -> Option<R> {
    ACCOUNT
        .try_with(|slot| slot.try_borrow().ok().and_then(|account| account.as_ref().map(work)))
        .ok()
        .flatten()
}

fn may_grow(bytes: usize) -> bool {
    with_account(|account| account.used.fits(bytes, account.cap) && !account.stop.is_forced()).unwrap_or(true)
}

fn bytes_of(memory: *mut c_void) -> usize {
    // SAFETY: SQLite hands in what this allocator gave.
    unsafe { crate::allocator::block_size(memory) }
}

unsafe extern "C" fn allocate(bytes: c_int) -> *mut c_void {
    let bytes = usize::try_from(bytes).unwrap_or(0);
    if !may_grow(bytes) {
        return ptr::null_mut();
    }
    // SAFETY: any size is fine.
    let memory = unsafe { libc::malloc(bytes) };
    if !memory.is_null() {
        with_account(|account| account.used.add(bytes_of(memory)));
    }
    memory
}

unsafe extern "C" fn release(memory: *mut c_void) {
    if !memory.is_null() {
        with_account(|account| account.used.subtract(bytes_of(memory)));
        // SAFETY: SQLite hands back what this allocator gave.
        unsafe { libc::free(memory) };
    }
}

unsafe extern "C" fn resize(memory: *mut c_void, bytes: c_int) -> *mut c_void {
    let (before, wanted) = (bytes_of(memory), usize::try_from(bytes).unwrap_or(0));
    if wanted > before && !may_grow(wanted - before) {
        return ptr::null_mut();
    }
    // SAFETY: SQLite hands back what this allocator gave; when it fails, the old memory is still there.
    let grown = unsafe { libc::realloc(memory, wanted) };
    if !grown.is_null() {
        with_account(|account| {
            account.used.subtract(before);
            account.used.add(bytes_of(grown));
        });
    }
    grown
}

unsafe extern "C" fn size(memory: *mut c_void) -> c_int {
    c_int::try_from(bytes_of(memory)).unwrap_or(c_int::MAX)
}

unsafe extern "C" fn round_up(bytes: c_int) -> c_int {
    bytes.saturating_add(7) & !7
}

unsafe extern "C" fn begin(_data: *mut c_void) -> c_int {
    ffi::SQLITE_OK
}

unsafe extern "C" fn end(_data: *mut c_void) {}
