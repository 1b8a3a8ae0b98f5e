//! How this program asks the system for memory.

#![expect(unsafe_code, reason = "an allocator deals in raw memory")]

use std::alloc::{GlobalAlloc, Layout, System};

use crate::system::program;

/// Whoever asks for more than this is prepared to be refused.
const LARGE: usize = 1 << 30;

/// The system's allocator, for programs that end with a message when there is no memory. Otherwise such an end is a signal.
#[derive(Debug)]
pub struct EndingAllocator;

fn given(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() && size < LARGE {
        // Nothing else can be done without memory.
        program::exit_with(b"error: out of memory\n");
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

/// Returns the size of a block of the C library's allocator, as it was rounded.
///
/// # Safety
/// `malloc` of the C library gave the block, and it was not freed.
pub unsafe fn block_size(memory: *mut std::ffi::c_void) -> usize {
    // SAFETY: the caller's promise.
    unsafe { program::block_size(memory) }
}
