//! What macOS has in place of a subreaper: a list of descendants, kept by exit and fork events of the kernel.
//!
//! An orphan belongs to `launchd`, so the supervisor must know a process before its parent ends. It looks at all processes
//! whenever a known one forks, and takes in children and members of the groups of known ones. A process that forks twice,
//! changes its group and loses its parent before that look is missed; Linux has no such gap.

#![expect(unsafe_code, reason = "system calls that std does not wrap")]

use std::{
    collections::HashSet,
    ffi::{c_char, c_int, c_void},
    io,
    os::fd::{OwnedFd, RawFd},
    path::PathBuf,
    ptr::{null, null_mut},
};

use rustix::{fs::OFlags, net::SendFlags};

use super::raw;

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

/// A process, named so that a later one with the same id is another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known {
    pid: c_int,
    started: (u64, u64),
}

/// The program and what descends from it.
#[derive(Debug)]
pub(super) struct Descendants {
    queue: RawFd,
    /// [`MOST`] entries, of which `count` are used.
    known: *mut Known,
    count: usize,
    /// Space for the ids of all processes.
    all: *mut c_int,
}

impl Descendants {
    pub(super) fn new(program: c_int) -> Self {
        // SAFETY: touches no memory.
        let queue = unsafe { libc::kqueue() };
        raw::set_close_on_exec(queue);
        let (known, all) =
            (raw::map(MOST * size_of::<Known>()).cast(), raw::map(MOST * size_of::<c_int>()).cast());
        let mut list = Self { queue, known, count: 0, all };
        if let Some((_, _, started)) = look_at(program) {
            list.add(Known { pid: program, started });
        }
        list
    }

    fn known(&self) -> &[Known] {
        if self.known.is_null() {
            return &[];
        }
        // SAFETY: the mapping holds as many entries, all written before.
        unsafe { std::slice::from_raw_parts(self.known, self.count) }
    }

    fn add(&mut self, process: Known) {
        if self.known.is_null() || self.count == MOST {
            return;
        }
        // SAFETY: the mapping has space for it.
        unsafe { self.known.add(self.count).write(process) };
        self.count += 1;
        let Ok(ident) = usize::try_from(process.pid) else { return };
        self.watch(ident, libc::EVFILT_PROC, libc::NOTE_FORK | libc::NOTE_EXIT);
    }

    fn watch(&self, ident: usize, filter: i16, notes: u32) {
        let event = libc::kevent {
            ident,
            filter,
            flags: libc::EV_ADD | libc::EV_CLEAR,
            fflags: notes,
            data: 0,
            udata: null_mut(),
        };
        // SAFETY: the event is on this stack. A process that ended meanwhile is noticed by looking.
        unsafe { libc::kevent(self.queue, &raw const event, 1, null_mut(), 0, null()) };
    }

    /// Waits for a message, a fork or an end.
    pub(super) fn wait(&self, control: Option<RawFd>) {
        if let Some(control) = control.and_then(|control| usize::try_from(control).ok()) {
            self.watch(control, libc::EVFILT_READ, 0);
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
        self.forget_ended();
        if self.all.is_null() {
            return self.count > 0;
        }
        let bytes = c_int::try_from(MOST * size_of::<c_int>()).unwrap_or(0);
        // SAFETY: the mapping has this size; as many ids are read as the call wrote.
        let all = unsafe {
            let count = libc::proc_listallpids(self.all.cast(), bytes);
            std::slice::from_raw_parts(self.all, usize::try_from(count).unwrap_or(0).min(MOST))
        };
        let mut found = true;
        while found {
            found = false;
            for pid in all.iter().copied() {
                let Some((parent, group, started)) = look_at(pid) else { continue };
                let process = Known { pid, started };
                let belongs = |known: &Known| known.pid == parent || known.pid == group;
                if !self.known().contains(&process) && self.known().iter().any(belongs) {
                    self.add(process);
                    found = true;
                }
            }
        }
        self.count > 0
    }

    fn forget_ended(&mut self) {
        let mut kept = 0;
        for index in 0..self.count {
            // SAFETY: both are below the count of written entries.
            unsafe {
                let process = *self.known.add(index);
                if look_at(process.pid).is_some_and(|(_, _, started)| started == process.started) {
                    self.known.add(kept).write(process);
                    kept += 1;
                }
            }
        }
        self.count = kept;
    }

    /// Kills all that are known.
    pub(super) fn kill(&mut self) {
        for process in self.known() {
            // SAFETY: touches no memory; `refresh` has just found it alive.
            unsafe { libc::kill(process.pid, libc::SIGKILL) };
        }
    }
}

/// Parent, group and start of a living process.
fn look_at(pid: c_int) -> Option<(c_int, c_int, (u64, u64))> {
    let size = c_int::try_from(size_of::<libc::proc_bsdinfo>()).ok()?;
    // SAFETY: the result is on this stack, has this size, and is read only if the call filled it.
    unsafe {
        let mut about: libc::proc_bsdinfo = std::mem::zeroed();
        let filled = libc::proc_pidinfo(pid, libc::PROC_PIDTBSDINFO, 0, (&raw mut about).cast(), size);
        let alive = filled == size && about.pbi_status != libc::SZOMB;
        alive.then_some((
            about.pbi_ppid.cast_signed(),
            about.pbi_pgid.cast_signed(),
            (about.pbi_start_tvsec, about.pbi_start_tvusec),
        ))
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

/// Living descendants of `root` that still have their parents. The others are killed without being asked first.
pub(super) fn descendants(root: u32) -> Vec<u32> {
    let mut all: Vec<c_int> = vec![0; MOST];
    let bytes = c_int::try_from(MOST * size_of::<c_int>()).unwrap_or(0);
    // SAFETY: the list has this size.
    let count = unsafe { libc::proc_listallpids(all.as_mut_ptr().cast(), bytes) };
    all.truncate(usize::try_from(count).unwrap_or(0));
    let parents: Vec<(c_int, c_int)> =
        all.into_iter().filter_map(|pid| look_at(pid).map(|(parent, ..)| (pid, parent))).collect();
    let mut known = HashSet::from([root.cast_signed()]);
    let mut found = Vec::new();
    let mut queue = vec![root.cast_signed()];
    while let Some(process) = queue.pop() {
        for (pid, _) in parents.iter().filter(|(_, parent)| *parent == process) {
            if known.insert(*pid) {
                found.push(pid.cast_unsigned());
                queue.push(*pid);
            }
        }
    }
    found
}

/// Resident memory of the descendants of `root`: not known on this system.
pub(super) fn memory_below(_root: u32) -> Option<u64> {
    None
}
