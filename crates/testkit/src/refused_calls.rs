//! Systems that lack something, simulated by a filter that answers system calls with an error.

#![expect(unsafe_code, reason = "filters are installed by calls that std does not wrap")]

use std::{
    ffi::{c_int, c_long},
    io,
};

/// Calls that older kernels do not have: they came with 3.15 to 5.9.
pub const NEWER_CALLS: &[c_long] = &[
    libc::SYS_clone3,
    libc::SYS_close_range,
    libc::SYS_copy_file_range,
    libc::SYS_faccessat2,
    libc::SYS_memfd_create,
    libc::SYS_openat2,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    libc::SYS_renameat2,
    libc::SYS_statx,
];

/// Locks of files, which some network file systems do not have.
pub const LOCKS: &[c_long] = &[libc::SYS_flock];

/// Has the kernel answer these calls of this thread with an error, and those of threads and processes that it starts from now
/// on. There is no way back.
///
/// # Errors
/// Fails if the kernel has no filters.
pub fn refuse_calls(calls: &[c_long], error: c_int) -> io::Result<()> {
    let step = |code: u32, jt, k| libc::sock_filter { code: code as u16, jt, jf: 0, k };
    let mut filter = vec![step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0)];
    for (at, number) in calls.iter().enumerate() {
        // To the last step, if it is this number.
        let to_end = u8::try_from(calls.len() - at).unwrap_or(u8::MAX);
        let number = u32::try_from(*number).unwrap_or(u32::MAX);
        filter.push(step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, to_end, number));
    }
    filter.push(step(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ALLOW));
    filter.push(step(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ERRNO | error.cast_unsigned()));
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    let (on, unused): (libc::c_ulong, libc::c_ulong) = (1, 0);
    // SAFETY: the program is on this stack, and the kernel copies it.
    unsafe {
        if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, on, unused, unused, unused) != 0
            || libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const program) != 0
        {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}
