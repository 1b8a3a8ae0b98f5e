//! This program's end of a started program: waiting for it, asking it to exit, killing it, letting it go.

#![expect(unsafe_code, reason = "waits for a process and kills it by calls that std does not wrap")]

use std::{
    ffi::c_void,
    os::windows::io::{AsRawHandle as _, OwnedHandle},
    ptr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI32, Ordering},
    },
    time::Duration,
};

use tokio::sync::oneshot;
use windows_sys::Win32::{
    Foundation::{HANDLE, INVALID_HANDLE_VALUE, STATUS_CONTROL_C_EXIT, WAIT_OBJECT_0},
    System::Threading::{
        GetExitCodeProcess, INFINITE, RegisterWaitForSingleObject, TerminateProcess, UnregisterWaitEx,
        WT_EXECUTEINWAITTHREAD, WT_EXECUTEONLYONCE, WaitForSingleObject,
    },
};

use super::{
    super::process::{Exit, SIGKILL, SIGTERM},
    console_stop,
    job::Job,
};

/// Exit code of what was killed here: 128 and the number of the signal, as shells report it.
const KILLED: u32 = 128 + SIGKILL.cast_unsigned();
/// Time between two looks whether the last process of a job has ended.
const LOOK_AT_JOB: Duration = Duration::from_millis(5);

/// A program and the job it runs in.
#[derive(Debug)]
struct Shared {
    job: Job,
    process: OwnedHandle,
    /// The last signal that ended the program.
    signal: AtomicI32,
    is_detached: AtomicBool,
}

impl Shared {
    fn has_ended(&self) -> bool {
        // SAFETY: the handle is open.
        unsafe { WaitForSingleObject(self.process.as_raw_handle(), 0) == WAIT_OBJECT_0 }
    }

    /// Ends the program as a signal would; gives whether it was running. Windows has no other signals: as in Node, those that
    /// usually end a program do.
    fn send(&self, number: i32) -> bool {
        if self.has_ended() {
            return false;
        }
        if number == 0 {
            return true;
        }
        self.signal.store(number, Ordering::SeqCst);
        // SAFETY: the handle is open.
        unsafe {
            TerminateProcess(self.process.as_raw_handle(), 128_u32.wrapping_add(number.cast_unsigned())) != 0
        }
    }
}

/// Sends signals to one program, from any thread and at once. A program that has ended gets none.
#[derive(Clone, Debug)]
pub struct Signaller(Arc<Shared>);

impl Signaller {
    /// Sends a signal; gives whether the program was still there.
    pub fn send(&self, number: i32) -> bool {
        self.0.send(number)
    }
}

/// Lets a program outlive its handle, and this program, from any thread and at once.
#[derive(Clone, Debug)]
pub struct Detacher(Arc<Shared>);

impl Detacher {
    /// Detaches the program. Nothing happens if its handle is gone.
    pub fn detach(&self) {
        self.0.is_detached.store(true, Ordering::SeqCst);
        self.0.job.release();
    }
}

/// This end. Dropping it kills the whole job, unless the program is detached or has ended by itself.
#[derive(Debug)]
pub(in super::super) struct Control {
    /// Dropped before the handle that it waits for.
    ended: EndOfProcess,
    shared: Arc<Shared>,
    has_asked: bool,
    is_ending: bool,
    exit: Option<Exit>,
}

impl Drop for Control {
    fn drop(&mut self) {
        if self.exit.is_some() || self.shared.is_detached.load(Ordering::SeqCst) {
            return;
        }
        match self.shared.has_ended() && !self.is_ending {
            // What it left running goes on.
            true => self.shared.job.release(),
            false => self.shared.job.kill(KILLED),
        }
    }
}

impl Control {
    pub(super) fn new(job: Job, process: OwnedHandle) -> std::io::Result<Self> {
        let shared = Shared { job, process, signal: AtomicI32::new(0), is_detached: AtomicBool::new(false) };
        let ended = EndOfProcess::register(shared.process.as_raw_handle())?;
        Ok(Self { ended, shared: Arc::new(shared), has_asked: false, is_ending: false, exit: None })
    }

    /// Returns the way to let the program outlive this end.
    pub(in super::super) fn detacher(&self) -> Detacher {
        Detacher(Arc::clone(&self.shared))
    }

    /// Returns a way to send the program signals.
    pub(in super::super) fn signaller(&self, _pid: u32) -> Signaller {
        Signaller(Arc::clone(&self.shared))
    }

    /// Waits for the program to end; or for everything it started, if its end was announced. Can be called again.
    pub(in super::super) async fn wait(&mut self) -> Exit {
        if let Some(exit) = self.exit {
            return exit;
        }
        self.ended.wait().await;
        while self.is_ending && self.shared.job.active() > 0 {
            tokio::time::sleep(LOOK_AT_JOB).await;
        }
        let exit = Exit { usage: self.shared.job.usage(), ..self.exit_of_program() };
        self.exit = Some(exit);
        if !self.is_ending {
            // What the program left running on purpose goes on without this program.
            self.shared.job.release();
        }
        exit
    }

    fn exit_of_program(&self) -> Exit {
        let mut code = 0;
        // SAFETY: the handle is open and the number is on this stack.
        unsafe { GetExitCodeProcess(self.shared.process.as_raw_handle(), &raw mut code) };
        let signal = self.shared.signal.load(Ordering::SeqCst);
        if signal != 0 && code == 128_u32.wrapping_add(signal.cast_unsigned()) {
            return Exit::by_signal(signal);
        }
        match code {
            KILLED if self.is_ending => Exit::by_signal(SIGKILL),
            // How programs that do not handle Ctrl-Break end.
            code if self.has_asked && code == STATUS_CONTROL_C_EXIT.cast_unsigned() => {
                Exit::by_signal(SIGTERM)
            }
            code => Exit { code: code.cast_signed(), signal: None, usage: None },
        }
    }

    /// Returns a function that reads the memory of the program and its descendants.
    pub(in super::super) fn memory_reader(&self) -> impl Fn() -> Option<u64> + Send + use<> {
        let shared = Arc::clone(&self.shared);
        move || shared.job.peak_memory()
    }

    /// Returns a function that reads the memory of the program alone, which the job does not tell.
    pub(in super::super) fn own_memory_reader(&self, _pid: u32) -> impl Fn() -> Option<u64> + Send + use<> {
        || None
    }

    /// Sends a signal to the program.
    pub(in super::super) fn signal(&self, _pid: u32, number: i32) {
        self.shared.send(number);
    }

    /// Asks the program and all its descendants to exit, once: asking again would interrupt their cleanup.
    pub(in super::super) fn ask_to_end(&mut self) {
        self.announce_end();
        if !std::mem::replace(&mut self.has_asked, true) && !console_stop::ask_to_exit(&self.shared.job.ids())
        {
            tracing::debug!("The program could not be asked to exit and will be killed");
        }
    }

    /// Waits for the last descendant instead of the program.
    pub(in super::super) fn announce_end(&mut self) {
        self.is_ending = true;
    }

    /// Kills the program and everything it started.
    pub(in super::super) fn kill(&mut self) {
        self.is_ending = true;
        self.shared.job.kill(KILLED);
    }
}

/// Notices the end of a process without a thread of its own.
#[derive(Debug)]
struct EndOfProcess {
    wait: HANDLE,
    receiver: Option<oneshot::Receiver<()>>,
    /// Given to the callback; freed after it cannot be called any more.
    sender: *mut Option<oneshot::Sender<()>>,
}

// SAFETY: the handle is only closed, by one thread, and the pointer is used by the callback alone until then.
unsafe impl Send for EndOfProcess {}
// SAFETY: a shared reference gives access to nothing.
unsafe impl Sync for EndOfProcess {}

impl EndOfProcess {
    fn register(process: HANDLE) -> std::io::Result<Self> {
        let (sender, receiver) = oneshot::channel();
        let sender = Box::into_raw(Box::new(Some(sender)));
        let mut wait: HANDLE = ptr::null_mut();
        // SAFETY: the process outlives the registration, and the sender is freed after it.
        let registered = unsafe {
            RegisterWaitForSingleObject(
                &raw mut wait,
                process,
                Some(process_ended),
                sender.cast::<c_void>(),
                INFINITE,
                WT_EXECUTEINWAITTHREAD | WT_EXECUTEONLYONCE,
            )
        };
        if registered == 0 {
            let error = std::io::Error::last_os_error();
            // SAFETY: nothing else has it.
            drop(unsafe { Box::from_raw(sender) });
            return Err(error);
        }
        Ok(Self { wait, receiver: Some(receiver), sender })
    }

    async fn wait(&mut self) {
        if let Some(receiver) = &mut self.receiver {
            let _ = receiver.await;
            self.receiver = None;
        }
    }
}

impl Drop for EndOfProcess {
    fn drop(&mut self) {
        // SAFETY: waits for a callback that is running, after which nothing else has the sender.
        unsafe {
            UnregisterWaitEx(self.wait, INVALID_HANDLE_VALUE);
            drop(Box::from_raw(self.sender));
        }
    }
}

unsafe extern "system" fn process_ended(sender: *mut c_void, _timed_out: bool) {
    // SAFETY: called once, with the sender of the registration, which lives until after this call.
    if let Some(sender) = unsafe { (*sender.cast::<Option<oneshot::Sender<()>>>()).take() } {
        let _ = sender.send(());
    }
}
