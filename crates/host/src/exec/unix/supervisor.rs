//! The supervisor of one program: starts it, waits for it, and kills what is left of it.
//!
//! A program can leave its group, its session and its parent. On Linux the supervisor is a *child subreaper*, so whatever
//! its descendants abandon becomes its child; elsewhere it keeps a list of them. It waits at its end of a socket. When the
//! other end closes, because the handle was dropped or Toolsmith died, even by SIGKILL, it kills everything below it.

#![expect(unsafe_code, reason = "starts, waits for and kills processes by calls that std does not wrap")]

use std::{
    ffi::{c_char, c_int, c_void},
    os::fd::RawFd,
};

use super::{
    launcher_loop::{Job, SOCKET},
    message::{BEFORE_STRINGS, ENDING, EXITED, FAILED, KILL, LIMITS, RELEASED, STARTED, Used, answer},
    raw, system,
};

/// Stack of the program's process until it executes the program. `execvp` keeps a path and a list of arguments there.
const STACK: usize = 256 << 10;

/// Runs one program to its end, in a process of its own.
pub(super) fn run(job: &Job) -> ! {
    raw::close(SOCKET);
    // SAFETY: the handler does nothing; it exists so that a signal interrupts the wait.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = wake as extern "C" fn(c_int) as usize;
        libc::sigaction(libc::SIGCHLD, &raw const action, std::ptr::null_mut());
    }
    system::adopt_orphans();
    let program = match start(job) {
        Ok(program) => program,
        Err(error) => {
            raw::send(job.control, &answer(FAILED, error.cast_unsigned(), 0, Used::default()));
            raw::exit(127)
        }
    };
    // SAFETY: touches no memory.
    let own = unsafe { libc::getpid() };
    let control = raw::copy_above(job.control, SOCKET);
    job.release();
    // SAFETY: touches no memory. Reading must not wait, because there are children to wait for.
    unsafe { libc::fcntl(control, libc::F_SETFL, libc::O_NONBLOCK) };
    let (program_id, own) = (program.cast_unsigned(), own.cast_unsigned());
    raw::send(control, &answer(STARTED, program_id, own, Used::default()));
    let supervisor = Supervisor {
        program,
        control: Some(control),
        descendants: system::Descendants::new(program),
        status: None,
        used: Used::default(),
        ending: false,
        released: false,
    };
    supervisor.run()
}

extern "C" fn wake(_signal: c_int) {}

/// Data that the program's process needs, in memory that it shares with the supervisor until it executes the program.
struct Start<'a> {
    job: &'a Job,
    program: *const c_char,
    arguments: *const *const c_char,
    environment: *const *const c_char,
    limits: *const u8,
    error: c_int,
}

/// Starts the program; its process id, or the error number.
fn start(job: &Job) -> Result<c_int, c_int> {
    if job.length < BEFORE_STRINGS {
        return Err(libc::EINVAL);
    }
    // SAFETY: the body is mapped with its length, which was compared above.
    let body = unsafe { std::slice::from_raw_parts(job.body, job.length) };
    let count = |at: usize| {
        let bytes = body.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u32::from_ne_bytes) as usize
    };
    let (arguments, variables) = (count(BEFORE_STRINGS - 8), count(BEFORE_STRINGS - 4));
    // The program, the arguments, a null, the variables, a null.
    let slots = arguments + variables + 3;
    let list = raw::map(slots * size_of::<*const c_char>() + STACK);
    if list.is_null() || arguments == 0 {
        return Err(libc::ENOMEM);
    }
    let list = list.cast::<*const c_char>();
    let mut strings = body.get(BEFORE_STRINGS..).unwrap_or_default();
    let mut slot = 0;
    for index in 0..=arguments + variables {
        let Some(end) = strings.iter().position(|byte| *byte == 0) else { return Err(libc::EINVAL) };
        // SAFETY: the list has a slot for each string, and the string ends with a NUL byte.
        unsafe { list.add(slot).write(strings.as_ptr().cast()) };
        strings = strings.get(end + 1..).unwrap_or_default();
        // The slot after the arguments stays null.
        slot += if index == arguments { 2 } else { 1 };
    }
    // SAFETY: the list has at least these slots.
    let mut start = unsafe {
        Start {
            job,
            program: list.read(),
            arguments: list.add(1),
            environment: list.add(arguments + 2),
            limits: job.body,
            error: 0,
        }
    };
    // SAFETY: the stack lies behind the list, in the same mapping.
    let stack = unsafe { list.add(slots).cast::<u8>().add(STACK) };
    let program = system::start(become_program, (&raw mut start).cast(), stack)?;
    // The other process wrote to it; the compiler does not know.
    // SAFETY: it lives on this stack.
    match unsafe { (&raw const start.error).read_volatile() } {
        0 => Ok(program),
        error => {
            // SAFETY: no status is asked for.
            unsafe { libc::waitpid(program, std::ptr::null_mut(), 0) };
            Err(error)
        }
    }
}

/// The first steps of the program's process. Returns an error number, only if the program cannot be executed.
extern "C" fn become_program(start: *mut c_void) -> c_int {
    let start = start.cast::<Start<'_>>();
    // SAFETY: the supervisor passes a `Start` that outlives this; the calls are allowed between fork and exec.
    unsafe {
        let job = (*start).job;
        let placed = libc::fchdir(job.directory) == 0
            && (0..).zip(job.streams).all(|(stream, fd)| fd == stream || raw::replace(fd, stream));
        if placed {
            set_limits((*start).limits);
            // A shell has what it starts in the background ignore Ctrl-C, and that is inherited for ever after: a
            // program that is asked to exit by such a signal has to receive it.
            for number in 1..=system::LAST_SIGNAL {
                libc::signal(number, libc::SIG_DFL);
            }
            // A session of its own: a terminal's Ctrl-C reaches the host alone, and the program cannot open the terminal
            // to write past the host's filter or to read what is typed (CONTRACT 9.1).
            libc::setsid();
            system::end_with_parent();
            let mut none: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut none);
            libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
            system::set_environment((*start).environment);
            libc::execvp((*start).program, (*start).arguments);
        }
        (*start).error = raw::last_error();
        (*start).error
    }
}

/// Sets the limits that the host has now. The launcher has those of its start.
///
/// # Safety
/// `limits` points to as many pairs of numbers as there are limits.
unsafe fn set_limits(limits: *const u8) {
    for resource in 0..LIMITS {
        // SAFETY: see above; the limit is on this stack.
        unsafe {
            let pair = limits.cast::<u64>().add(usize::from(resource) * 2);
            let wanted =
                libc::rlimit { rlim_cur: pair.read_unaligned(), rlim_max: pair.add(1).read_unaligned() };
            let mut now: libc::rlimit = std::mem::zeroed();
            libc::getrlimit(resource.into(), &raw mut now);
            if (now.rlim_cur, now.rlim_max) != (wanted.rlim_cur, wanted.rlim_max) {
                libc::setrlimit(resource.into(), &raw const wanted);
            }
        }
    }
}

struct Supervisor {
    program: c_int,
    /// This end of the socket; none when the other is closed and that means nothing.
    control: Option<RawFd>,
    descendants: system::Descendants,
    status: Option<c_int>,
    /// Use of the children that were reaped here, with those they reaped themselves.
    used: Used,
    ending: bool,
    released: bool,
}

impl Supervisor {
    fn run(mut self) -> ! {
        loop {
            let any_left = self.reap() | self.descendants.refresh();
            // The host says that it is ending things before it does so. Reading after reaping means that a program
            // that ended because of it is never taken for one that ended by itself.
            self.receive();
            if let Some(status) = self.status
                && !(self.ending && any_left)
            {
                // What the program left running on purpose goes on without a supervisor.
                self.finish(status);
            }
            self.descendants.wait(self.control);
        }
    }

    /// Takes note of ended children; whether any is left.
    fn reap(&mut self) -> bool {
        loop {
            match reap_one(libc::WNOHANG) {
                Some((0, ..)) => return true,
                Some(ended) => self.note(ended),
                None => return false,
            }
        }
    }

    fn note(&mut self, (pid, status, used): (c_int, c_int, Used)) {
        self.used.cpu_us = self.used.cpu_us.saturating_add(used.cpu_us);
        self.used.memory = self.used.memory.max(used.memory);
        if pid == self.program {
            self.status = Some(status);
        }
    }

    fn receive(&mut self) {
        let mut byte = [0_u8];
        while let Some(control) = self.control {
            // SAFETY: the buffer is on this stack and has one byte.
            match unsafe { libc::read(control, byte.as_mut_ptr().cast(), 1) } {
                1 if byte == [KILL] => self.kill_all(),
                1 => {
                    self.ending |= byte == [ENDING];
                    self.released |= byte == [RELEASED];
                }
                -1 if raw::last_error() == libc::EAGAIN => return,
                -1 if raw::last_error() == libc::EINTR => {}
                // Closed: nobody holds the other end.
                _ if self.released => {
                    raw::close(control);
                    self.control = None;
                }
                _ => self.kill_all(),
            }
        }
    }

    /// Kills every descendant until there is none: those of a killed process become the supervisor's, and are next.
    fn kill_all(&mut self) -> ! {
        // SAFETY: touches no memory; the group is the program's own.
        unsafe { libc::kill(-self.program, libc::SIGKILL) };
        loop {
            self.descendants.refresh();
            self.descendants.kill();
            match reap_one(system::WAIT_TO_KILL) {
                Some((0, ..)) => self.descendants.pause(),
                Some(ended) => self.note(ended),
                None if self.descendants.refresh() => self.descendants.pause(),
                None => self.finish(self.status.unwrap_or(libc::SIGKILL)),
            }
        }
    }

    fn finish(&self, status: c_int) -> ! {
        if let Some(control) = self.control {
            raw::send(control, &answer(EXITED, status.cast_unsigned(), 0, self.used));
        }
        raw::exit(0)
    }
}

/// Takes one ended child with its status and what it used: `(0, ..)` when none has ended, `None` when there is none.
fn reap_one(options: c_int) -> Option<(c_int, c_int, Used)> {
    let mut status = 0;
    // SAFETY: numbers, for which zeros are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: the pointers are to this stack.
        match unsafe { libc::wait4(-1, &raw mut status, options, &raw mut usage) } {
            -1 if raw::last_error() == libc::EINTR => {}
            -1 => return None,
            pid => return Some((pid, status, used(&usage))),
        }
    }
}

fn used(usage: &libc::rusage) -> Used {
    let microseconds = |time: libc::timeval| {
        whole(time.tv_sec).saturating_mul(1_000_000).saturating_add(whole(time.tv_usec))
    };
    Used {
        cpu_us: microseconds(usage.ru_utime).saturating_add(microseconds(usage.ru_stime)),
        memory: whole(usage.ru_maxrss).saturating_mul(system::MEMORY_UNIT),
    }
}

fn whole(number: impl TryInto<u64>) -> u64 {
    number.try_into().unwrap_or(0)
}
