//! Asking console programs to exit. Only a program on the same console can send Ctrl-Break, and programs have consoles of
//! their own. So this program is executed again with [`MARKER`] in its environment: a function that runs before `main`
//! joins the consoles of the given processes, one after the other, sends Ctrl-Break to everything there, and exits.

#![expect(unsafe_code, reason = "enters before main, and calls the console functions that std does not wrap")]

use std::{
    os::windows::process::CommandExt as _,
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
};

use windows_sys::Win32::System::{
    Console::{
        AttachConsole, CTRL_BREAK_EVENT, FreeConsole, GenerateConsoleCtrlEvent, GetConsoleProcessList,
        SetConsoleCtrlHandler,
    },
    Threading::{DETACHED_PROCESS, ExitProcess},
};

use super::start::INHERITING;

/// Holds the ids of the processes to ask.
const MARKER: &str = "TOOLSMITH_STOP_CONSOLES";
/// Maximum number of processes on one console that are distinguished.
const MAX_ON_CONSOLE: usize = 256;

/// Set if the function below ran, which it does not if this library is part of a plugin.
static HOOKED: AtomicBool = AtomicBool::new(false);

#[used]
#[unsafe(link_section = ".CRT$XCU")]
static BEFORE_MAIN: extern "C" fn() = before_main;

extern "C" fn before_main() {
    HOOKED.store(true, Ordering::Relaxed);
    let Some(ids) = std::env::var_os(MARKER) else { return };
    let ids = ids.to_string_lossy().split(',').filter_map(|id| id.parse().ok()).collect();
    stop_consoles(ids);
    // SAFETY: ends this process, in which nothing else runs yet.
    unsafe { ExitProcess(0) }
}

fn stop_consoles(mut ids: Vec<u32>) {
    while let Some(id) = ids.pop() {
        // SAFETY: these calls touch no memory but the list, which has the length that is given.
        unsafe {
            FreeConsole();
            if AttachConsole(id) == 0 {
                continue;
            }
            SetConsoleCtrlHandler(Some(ignore), 1);
            let mut others = [0_u32; MAX_ON_CONSOLE];
            GetConsoleProcessList(others.as_mut_ptr(), 256);
            ids.retain(|id| !others.contains(id));
            GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, 0);
        }
    }
}

unsafe extern "system" fn ignore(_event: u32) -> windows_sys::core::BOOL {
    1
}

/// Sends Ctrl-Break to the consoles of these processes. Returns whether that was possible.
pub(super) fn ask_to_exit(ids: &[u32]) -> bool {
    if ids.is_empty() || !HOOKED.load(Ordering::Relaxed) {
        return false;
    }
    let Ok(program) = std::env::current_exe() else { return false };
    let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
    let _inheriting = INHERITING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    #[expect(clippy::disallowed_methods, reason = "it belongs to the place that starts processes")]
    let mut command = Command::new(program);
    command.env(MARKER, ids.join(",")).creation_flags(DETACHED_PROCESS);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}
