//! How the program takes memory from the system. A setting of the whole process, so no library makes it.

#![cfg_attr(
    target_env = "gnu",
    expect(unsafe_code, reason = "the allocator's settings are reached by a call that std does not wrap")
)]

/// Steps in which the allocator takes memory from the system.
#[cfg(target_env = "gnu")]
const STEP: libc::c_int = 4 << 20;

/// Has the allocator take memory in large steps. Called once, first of all.
///
/// The C library gives each thread a heap that it opens page by page, with a call to the system for each. Measured with
/// `strace` on `toolsmith call` of a zod tool: 17 calls of `mprotect` instead of 450. An unoptimised build took a
/// millisecond less of processor time, 24 instead of 25. A page that is open and not touched takes no memory.
pub(crate) fn grow_in_large_steps() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it changes one number, and no other thread runs yet. An allocator that does not know it says so and goes on.
    unsafe {
        libc::mallopt(libc::M_TOP_PAD, STEP);
    }
}
