//! How this program asks the system for memory.

#![expect(unsafe_code, reason = "the allocator's own settings are reached by a call that std does not wrap")]

use std::alloc::{GlobalAlloc, Layout, System};

/// Whoever asks for more than this is prepared to be refused.
const LARGE: usize = 1 << 30;

/// The system's allocator, for programs that end with a message when there is no memory. Otherwise such an end is a signal.
#[derive(Debug)]
pub struct EndingAllocator;

fn given(memory: *mut u8, size: usize) -> *mut u8 {
    const MESSAGE: &[u8] = b"error: out of memory\n";
    if memory.is_null() && size < LARGE {
        // SAFETY: the message is there for ever. Nothing else can be done without memory, so nothing is cleaned up.
        unsafe {
            libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len());
            libc::_exit(1);
        }
    }
    memory
}

// SAFETY: all of it is the system's allocator.
unsafe impl GlobalAlloc for EndingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) };
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        given(unsafe { System.realloc(memory, layout, size) }, size)
    }
}
