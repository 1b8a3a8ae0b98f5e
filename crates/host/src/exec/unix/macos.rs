//! What macOS has in place of a subreaper: a list of descendants ([`Lineage`]), kept by exit and fork events of the kernel.
//!
//! An orphan belongs to `launchd`, so the supervisor looks at all processes whenever a known one forks or ends.

#![expect(unsafe_code, reason = "system calls that std does not wrap")]

use std::{
    ffi::{c_char, c_int, c_void},
    io,
    os::fd::{OwnedFd, RawFd},
    path::PathBuf,
    ptr::{null, null_mut},
};

use rustix::{fs::OFlags, net::SendFlags};

use super::{
    lineage::{Lineage, Member, Seen},
    raw,
};

pub(super) const RECEIVE_FLAGS: c_int = 0;
/// Rust programs ignore SIGPIPE, and supervisors block it.
pub(super) const SEND_FLAGS: SendFlags = SendFlags::empty();
/// Highest signal.
pub(super) const LAST_SIGNAL: c_int = 31;
/// How the supervisor waits for a killed child: not at all, because not every descendant is its child.
pub(super) const WAIT_TO_KILL: c_int = libc::WNOHANG;
/// Bytes in which the kernel counts the peak memory of a process.
pub(super) const MEMORY_UNIT: u64 = 1;
/// Flags for opening a working directory.
pub(super) const DIRECTORY: OFlags = OFlags::DIRECTORY;

/// Most processes that are known at a time, and that are looked at.
const MOST: usize = 16 << 10;

/// The file of this program.
pub(super) fn this_program() -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// Reports if `code` is part of the program's file, not of a library that the program loaded.
#[expect(deprecated, reason = "one call is not worth another package")]
pub(super) fn is_main_program(code: usize) -> bool {
    // SAFETY: the result is on this stack and read only if the call filled it.
    unsafe {
        let mut about: libc::Dl_info = std::mem::zeroed();
        libc::dladdr(code as *const c_void, &raw mut about) != 0
            && about.dli_fbase.cast_const() == libc::_dyld_get_image_header(0).cast()
    }
}

/// Orphans cannot be adopted; [`Descendants`] keeps a list instead.
pub(super) fn adopt_orphans() {}

/// The kernel does not end a process with its parent: if somebody kills the supervisor, the program goes on.
pub(super) fn end_with_parent() {}

/// Sets the environment of the program that is executed next.
///
/// # Safety
/// The list ends with null. Nothing reads the environment meanwhile.
pub(super) unsafe fn set_environment(environment: *const *const c_char) {
    // SAFETY: see above.
    unsafe { *libc::_NSGetEnviron() = environment.cast_mut().cast() };
}

/// Runs `function` in a new process. It returns an error number only if no program could be executed.
pub(super) fn start(
    function: extern "C" fn(*mut c_void) -> c_int,
    argument: *mut c_void,
    _stack: *mut u8,
) -> Result<c_int, c_int> {
    let mut pipe = [-1; 2];
    // SAFETY: the pipe is on this stack; the child makes system calls only.
    unsafe {
        if libc::pipe(pipe.as_mut_ptr()) == -1 {
            return Err(raw::last_error());
        }
        let [read, write] = pipe;
        raw::set_close_on_exec(read);
        raw::set_close_on_exec(write);
        let pid = libc::fork();
        if pid == 0 {
            raw::send(write, &function(argument).to_ne_bytes());
            raw::exit(127);
        }
        let forked = raw::last_error();
        raw::close(write);
        let mut error = [0; 4];
        // Closed without a word when the program is executed.
        let failed = pid != -1 && raw::read_all(read, &mut error);
        raw::close(read);
        match pid {
            -1 => Err(forked),
            pid if failed => {
                libc::waitpid(pid, null_mut(), 0);
                Err(c_int::from_ne_bytes(error))
            }
            pid => Ok(pid),
        }
    }
}

/// Closes this descriptor and all above.
pub(super) fn close_from(first: RawFd) {
    // SAFETY: touches no memory.
    let end = unsafe { libc::getdtablesize() };
    for fd in first..end.min(10_240) {
        raw::close(fd);
    }
}

/// The program and what descends from it.
#[derive(Debug)]
pub(super) struct Descendants {
    queue: RawFd,
    lineage: Lineage<'static>,
    /// Space for the ids of all processes.
    ids: &'static mut [c_int],
    /// Space for a description of each.
    all: &'static mut [Seen],
}

impl Descendants {
    pub(super) fn new(program: c_int) -> Self {
        // SAFETY: touches no memory.
        let queue = unsafe { libc::kqueue() };
        raw::set_close_on_exec(queue);
        let mut list = Self { queue, lineage: Lineage::new(space()), ids: space(), all: space() };
        if let Some(process) = look_at(program) {
            list.lineage.add(process);
        }
        watch_process(queue, program);
        list
    }

    /// Waits for a message, a fork or an end.
    pub(super) fn wait(&self, control: Option<RawFd>) {
        if let Some(control) = control.and_then(|control| usize::try_from(control).ok()) {
            watch(self.queue, control, libc::EVFILT_READ, 0);
        }
        self.take_events(None);
    }

    /// Waits a little for killed processes to disappear.
    pub(super) fn pause(&self) {
        self.take_events(Some(libc::timespec { tv_sec: 0, tv_nsec: 5_000_000 }));
    }

    fn take_events(&self, time: Option<libc::timespec>) {
        let time = time.as_ref().map_or(null(), std::ptr::from_ref);
        // SAFETY: list and time are on this stack; the length passed is the length of the list.
        unsafe {
            let mut events: [libc::kevent; 32] = std::mem::zeroed();
            libc::kevent(self.queue, null(), 0, events.as_mut_ptr(), 32, time);
        }
    }

    /// Looks at all processes; whether a descendant lives.
    pub(super) fn refresh(&mut self) -> bool {
        let mut count = 0;
        for pid in list_processes(self.ids) {
            if let (Some(process), Some(slot)) = (look_at(*pid), self.all.get_mut(count)) {
                *slot = process;
                count += 1;
            }
        }
        let queue = self.queue;
        let all = self.all.get(..count).unwrap_or_default();
        self.lineage.look(all, |pid| watch_process(queue, pid))
    }

    /// Kills all that are known to live.
    pub(super) fn kill(&mut self) {
        for pid in self.lineage.living() {
            // SAFETY: touches no memory; `refresh` has just found it alive.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        }
    }
}

/// Memory for [`MOST`] values that are valid when they are all zeros; none if the system has none.
fn space<T: Zeroed>() -> &'static mut [T] {
    let place = raw::map(MOST * size_of::<T>()).cast::<T>();
    if place.is_null() {
        return &mut [];
    }
    // SAFETY: the mapping has this size, is filled with zeros, and is never removed or used otherwise.
    unsafe { std::slice::from_raw_parts_mut(place, MOST) }
}

/// Types for which zeros are a value.
trait Zeroed {}
impl Zeroed for c_int {}
impl Zeroed for Seen {}
impl Zeroed for Member {}

/// Has the queue report forks and the end of a process.
fn watch_process(queue: RawFd, pid: c_int) {
    if let Ok(ident) = usize::try_from(pid) {
        watch(queue, ident, libc::EVFILT_PROC, libc::NOTE_FORK | libc::NOTE_EXIT);
    }
}

fn watch(queue: RawFd, ident: usize, filter: i16, notes: u32) {
    let event = libc::kevent {
        ident,
        filter,
        flags: libc::EV_ADD | libc::EV_CLEAR,
        fflags: notes,
        data: 0,
        udata: null_mut(),
    };
    // SAFETY: the event is on this stack. A process that ended meanwhile is noticed by looking.
    unsafe { libc::kevent(queue, &raw const event, 1, null_mut(), 0, null()) };
}

/// Fills the space with the ids of all processes and returns them.
fn list_processes(space: &mut [c_int]) -> &[c_int] {
    let bytes = c_int::try_from(size_of_val(space)).unwrap_or(0);
    // SAFETY: pointer and size are of the slice.
    let count = unsafe { libc::proc_listallpids(space.as_mut_ptr().cast(), bytes) };
    space.get(..usize::try_from(count).unwrap_or(0).min(space.len())).unwrap_or_default()
}

/// `PROC_PIDT_BSDINFOWITHUNIQID`.
const WITH_NUMBERS: c_int = 18;

/// `struct proc_bsdinfowithuniqid`.
#[repr(C)]
struct WithNumbers {
    about: libc::proc_bsdinfo,
    uuid: [u8; 16],
    number: u64,
    /// Set when the process was forked, and kept when it gets another parent.
    parent: u64,
    reserved: [u64; 3],
}

/// Describes a living process.
fn look_at(pid: c_int) -> Option<Seen> {
    let size = c_int::try_from(size_of::<WithNumbers>()).ok()?;
    // SAFETY: the result is on this stack, has this size, and is read only if the call filled it.
    unsafe {
        let mut process: WithNumbers = std::mem::zeroed();
        let filled = libc::proc_pidinfo(pid, WITH_NUMBERS, 0, (&raw mut process).cast(), size);
        (filled == size && process.about.pbi_status != libc::SZOMB).then_some(Seen {
            pid,
            group: process.about.pbi_pgid.cast_signed(),
            number: process.number,
            parent: process.parent,
        })
    }
}

/// There are no handles of processes.
pub(super) fn process_handle(_pid: u32) -> Option<OwnedFd> {
    None
}

/// Not called, because there are no handles.
pub(super) fn signal_handle(_process: RawFd, _number: i32) -> bool {
    false
}

/// Properties of this process that processes inherit and that restrict them: none can be asked for.
pub(super) fn restrictions() -> [i64; 2] {
    [0; 2]
}

/// Living descendants of `root` whose line of living parents leads there. The others are killed without being asked first.
pub(super) fn descendants(root: u32) -> Vec<u32> {
    let mut ids = vec![0; MOST];
    let all: Vec<Seen> = list_processes(&mut ids).iter().filter_map(|pid| look_at(*pid)).collect();
    let Some(root) = all.iter().find(|process| process.pid.cast_unsigned() == root) else {
        return Vec::new();
    };
    let mut queue = vec![root.number];
    let mut found = Vec::new();
    while let Some(number) = queue.pop() {
        for child in all.iter().filter(|process| process.parent == number) {
            found.push(child.pid.cast_unsigned());
            queue.push(child.number);
        }
    }
    found
}

/// Resident memory of the descendants of `root`, in bytes. Pages that several of them share count for each.
pub(super) fn memory_below(root: u32) -> Option<u64> {
    Some(descendants(root).into_iter().filter_map(memory_of).sum())
}

/// Resident memory of a process, in bytes.
pub(super) fn memory_of(pid: u32) -> Option<u64> {
    let size = c_int::try_from(size_of::<libc::proc_taskinfo>()).ok()?;
    // SAFETY: the result is on this stack, has this size, and is read only if the call filled it.
    unsafe {
        let mut task: libc::proc_taskinfo = std::mem::zeroed();
        let flavor = libc::PROC_PIDTASKINFO;
        let filled = libc::proc_pidinfo(pid.cast_signed(), flavor, 0, (&raw mut task).cast(), size);
        (filled == size).then_some(task.pti_resident_size)
    }
}
