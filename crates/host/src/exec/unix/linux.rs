//! What only Linux has: child subreapers, `/proc`, signals to a parent's children, and descriptors of processes.

#![expect(unsafe_code, reason = "system calls that std does not wrap")]

use std::{
    collections::HashMap,
    ffi::{c_char, c_int, c_void},
    fs, io,
    os::fd::{FromRawFd, OwnedFd, RawFd},
    path::PathBuf,
};

use rustix::{fs::OFlags, net::SendFlags};

use super::raw;

/// Descriptors received are closed when a program is executed.
pub(super) const RECEIVE_FLAGS: c_int = libc::MSG_CMSG_CLOEXEC;
/// Highest signal.
pub(super) const LAST_SIGNAL: c_int = 64;
/// How the supervisor waits for a killed child: every descendant is or becomes its child, so one of them will end.
pub(super) const WAIT_TO_KILL: c_int = 0;
/// Flags for opening a working directory: search permission is enough.
pub(super) const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);
/// Bytes in which the kernel counts the peak memory of a process.
pub(super) const MEMORY_UNIT: u64 = 1024;
/// A closed socket is an error and not a signal.
pub(super) const SEND_FLAGS: SendFlags = SendFlags::NOSIGNAL;

/// The file of this program, also if it was replaced or deleted.
pub(super) fn this_program() -> io::Result<PathBuf> {
    Ok(PathBuf::from("/proc/self/exe"))
}

/// Reports if `code` is part of the program's file, not of a library that the program loaded.
pub(super) fn is_main_program(code: usize) -> bool {
    extern "C" fn look(about: *mut libc::dl_phdr_info, _size: usize, question: *mut c_void) -> c_int {
        // SAFETY: the loader passes a valid entry with its list of segments; the question is the caller's.
        unsafe {
            let (code, inside) = &mut *question.cast::<(usize, bool)>();
            let segments = std::slice::from_raw_parts((*about).dlpi_phdr, usize::from((*about).dlpi_phnum));
            *inside = segments.iter().any(|segment| {
                let start = ((*about).dlpi_addr as usize).wrapping_add(segment.p_vaddr as usize);
                let size = usize::try_from(segment.p_memsz).unwrap_or(0);
                segment.p_type == libc::PT_LOAD && code.wrapping_sub(start) < size
            });
        }
        // The first entry is the program.
        1
    }
    let mut question = (code, false);
    // SAFETY: the function only reads, and writes to a value on this stack.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut question).cast()) };
    question.1
}

/// Makes orphaned descendants children of this process. Fails on kernels before 3.4 only; groups are still killed there.
pub(super) fn adopt_orphans() {
    let (on, unused): (libc::c_ulong, libc::c_ulong) = (1, 0);
    // SAFETY: touches no memory.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, on, unused, unused, unused) };
}

/// Kills this process when its parent ends, should somebody kill the supervisor.
pub(super) fn end_with_parent() {
    let (signal, unused) = (libc::SIGKILL as libc::c_ulong, 0 as libc::c_ulong);
    // SAFETY: touches no memory.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, signal, unused, unused, unused) };
}

/// Sets the environment of the program that is executed next.
///
/// # Safety
/// The list ends with null. Nothing reads the environment meanwhile.
pub(super) unsafe fn set_environment(environment: *const *const c_char) {
    unsafe extern "C" {
        static mut environ: *const *const c_char;
    }
    // SAFETY: see above.
    unsafe { environ = environment };
}

/// Runs `function` in a new process that shares this one's memory until it executes a program or ends. No page tables
/// are copied, and an error can be left in memory.
pub(super) fn start(
    function: extern "C" fn(*mut c_void) -> c_int,
    argument: *mut c_void,
    stack: *mut u8,
) -> Result<c_int, c_int> {
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the stack is large enough and used by nobody else; this process waits until the other no longer uses it.
    match unsafe { libc::clone(function, stack.cast(), flags, argument) } {
        -1 => Err(raw::last_error()),
        pid => Ok(pid),
    }
}

/// Closes this descriptor and all above.
pub(super) fn close_from(first: RawFd) {
    // SAFETY: touches no memory; nobody else has descriptors in this process.
    if unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) } != 0 {
        // Kernels before 5.9.
        for fd in first..4096 {
            raw::close(fd);
        }
    }
}

/// The children of the supervisor, among which are all descendants that lost their parent.
#[derive(Debug)]
pub(super) struct Descendants;

impl Descendants {
    pub(super) fn new(_program: c_int) -> Self {
        Self
    }

    /// Waits for a message or an ended child. SIGCHLD is blocked everywhere else, so none is missed.
    pub(super) fn wait(&self, control: Option<RawFd>) {
        // SAFETY: sets are on this stack; the descriptor is one of the lowest.
        unsafe {
            let mut but_children: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&raw mut but_children);
            libc::sigdelset(&raw mut but_children, libc::SIGCHLD);
            let mut readable: libc::fd_set = std::mem::zeroed();
            if let Some(control) = control {
                libc::FD_SET(control, &raw mut readable);
            }
            let (last, null) = (control.map_or(0, |control| control + 1), std::ptr::null_mut);
            libc::pselect(last, &raw mut readable, null(), null(), std::ptr::null(), &raw const but_children);
        }
    }

    /// Looks for descendants that are not children of the supervisor: there are none.
    pub(super) fn refresh(&mut self) -> bool {
        false
    }

    /// Waits a little: not needed where the end of a child can be waited for.
    pub(super) fn pause(&self) {}

    /// Kills all children there are now.
    pub(super) fn kill(&mut self) {
        // SAFETY: the path is a C string.
        let file =
            unsafe { libc::open(c"/proc/thread-self/children".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
        if file == -1 {
            return;
        }
        let (mut buffer, mut pid) = ([0_u8; 4096], 0);
        // SAFETY: pointer and length are of the buffer.
        while let Ok(count @ 1..) =
            usize::try_from(unsafe { libc::read(file, buffer.as_mut_ptr().cast(), buffer.len()) })
        {
            for byte in buffer.iter().take(count) {
                match byte {
                    b'0'..=b'9' => pid = pid * 10 + c_int::from(byte - b'0'),
                    _ => {
                        if pid > 1 {
                            // SAFETY: touches no memory; children that ended keep their number until they are reaped.
                            unsafe { libc::kill(pid, libc::SIGKILL) };
                        }
                        pid = 0;
                    }
                }
            }
        }
        raw::close(file);
    }
}

/// Names a process, so that another one with the same id is never meant; none on old systems.
pub(super) fn process_handle(pid: u32) -> Option<OwnedFd> {
    // SAFETY: touches no memory; a descriptor that is given is new and owned from here on.
    unsafe {
        match libc::syscall(libc::SYS_pidfd_open, pid, 0) {
            -1 => None,
            fd => RawFd::try_from(fd).ok().map(|fd| OwnedFd::from_raw_fd(fd)),
        }
    }
}

/// Sends a signal to the process of a handle; whether it was still there.
pub(super) fn signal_handle(process: RawFd, number: i32) -> bool {
    let nothing = std::ptr::null::<libc::siginfo_t>();
    // SAFETY: no information is passed along.
    unsafe { libc::syscall(libc::SYS_pidfd_send_signal, process, number, nothing, 0) == 0 }
}

/// Properties of this process that processes inherit and that restrict them.
pub(super) fn restrictions() -> [i64; 2] {
    let unused: libc::c_ulong = 0;
    // SAFETY: touch no memory.
    unsafe {
        [
            libc::prctl(libc::PR_GET_NO_NEW_PRIVS, unused, unused, unused, unused).into(),
            libc::prctl(libc::PR_GET_SECCOMP, unused, unused, unused, unused).into(),
        ]
    }
}

/// Every living descendant of `root`, parents before children. The supervisor adopts orphans, so nothing below it is
/// missed, whatever session or group it moved to.
pub(super) fn descendants(root: u32) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    for entry in entries.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        if let Some((parent, false)) = read_parent(pid) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = Vec::new();
    let mut queue = vec![root];
    while let Some(pid) = queue.pop() {
        let below = children.remove(&pid).unwrap_or_default();
        found.extend_from_slice(&below);
        queue.extend(below);
    }
    found
}

/// Resident memory of all living descendants of `root`, in bytes. Pages that several of them share count for each.
pub(super) fn memory_below(root: u32) -> Option<u64> {
    Some(descendants(root).into_iter().filter_map(memory_of).sum())
}

/// Resident memory of a process, in bytes.
pub(super) fn memory_of(pid: u32) -> Option<u64> {
    let sizes = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let pages = sizes.split_ascii_whitespace().nth(1)?.parse::<u64>().ok()?;
    Some(pages.saturating_mul(rustix::param::page_size() as u64))
}

/// The parent of a process, and whether it has ended and only waits to be reaped.
fn read_parent(pid: u32) -> Option<(u32, bool)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The command's name is in parentheses and may hold anything, parentheses and spaces included.
    let mut fields = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    Some((parent, matches!(state, "Z" | "X")))
}
