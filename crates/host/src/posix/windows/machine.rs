//! Machine and user information, for `os` and `process`.

#![expect(unsafe_code, reason = "memory, versions and processes are beyond what std wraps")]

use std::{
    os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle},
    time::Duration,
};

use serde_json::{Map, Value, json};
use windows_sys::Win32::{
    Foundation::{ERROR_INVALID_PARAMETER, HANDLE, INVALID_HANDLE_VALUE, STILL_ACTIVE},
    System::{
        Diagnostics::ToolHelp::{
            CreateToolhelp32Snapshot, PROCESSENTRY32W, Process32FirstW, Process32NextW, TH32CS_SNAPPROCESS,
        },
        SystemInformation::{
            ComputerNamePhysicalDnsHostname, GetComputerNameExW, GetTickCount64, GlobalMemoryStatusEx,
            MEMORYSTATUSEX, OSVERSIONINFOW,
        },
        Threading::{
            GetExitCodeProcess, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_TERMINATE,
            TerminateProcess,
        },
    },
};

use super::{super::interfaces, errors, interfaces::addresses};
use crate::system::wide::text;

/// The signals that Windows programs can be sent or raise themselves.
const SIGNALS: &[(&str, i32)] = &[
    ("SIGHUP", 1),
    ("SIGINT", 2),
    ("SIGQUIT", 3),
    ("SIGILL", 4),
    ("SIGABRT", 22),
    ("SIGFPE", 8),
    ("SIGKILL", 9),
    ("SIGSEGV", 11),
    ("SIGTERM", 15),
    ("SIGBREAK", 21),
    ("SIGWINCH", 28),
];

/// Returns what `os` and `process` tell about the machine and the user, by subject; null for an unknown subject.
pub fn describe_machine(what: &str) -> Value {
    match what {
        "names" => names(),
        // SAFETY: the call only asks.
        "uptime" => json!(Duration::from_millis(unsafe { GetTickCount64() }).as_secs_f64()),
        // Windows does not measure it, and Node reports zeros.
        "load" => json!([0, 0, 0]),
        "memory" => memory(),
        "parallelism" => json!(processor_count()),
        "processors" => processors(),
        "interfaces" => interfaces::describe(&addresses()),
        "priority" => json!(0),
        "user" => user(),
        "signals" => SIGNALS
            .iter()
            .map(|(name, number)| ((*name).to_owned(), json!(number)))
            .collect::<Map<_, _>>()
            .into(),
        "parent" => json!(parent()),
        "processes" => json!({ "own": std::process::id(), "parent": parent() }),
        "umask" => json!(0),
        _ => Value::Null,
    }
}

fn processor_count() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

#[link(name = "ntdll")]
unsafe extern "system" {
    /// Unlike `GetVersionEx`, it tells the version whatever the program's manifest says.
    fn RtlGetVersion(version: *mut OSVERSIONINFOW) -> i32;
}

fn names() -> Value {
    let mut version = OSVERSIONINFOW {
        dwOSVersionInfoSize: u32::try_from(size_of::<OSVERSIONINFOW>()).unwrap_or(0),
        ..Default::default()
    };
    let mut name = [0_u16; 256];
    let mut length = 256;
    // SAFETY: the structure and the buffer are on this stack and have the sizes that are given.
    unsafe {
        RtlGetVersion(&raw mut version);
        GetComputerNameExW(ComputerNamePhysicalDnsHostname, name.as_mut_ptr(), &raw mut length);
    }
    let release = format!("{}.{}.{}", version.dwMajorVersion, version.dwMinorVersion, version.dwBuildNumber);
    // Windows 11 kept the version of Windows 10.
    let product = if version.dwBuildNumber >= 22_000 { "Windows 11" } else { "Windows 10" };
    json!({
        "type": "Windows_NT",
        "hostname": text(&name).to_string_lossy(),
        "release": release,
        "version": product,
        "machine": std::env::consts::ARCH,
    })
}

/// Returns total and free memory.
fn memory() -> Value {
    let mut found = MEMORYSTATUSEX {
        dwLength: u32::try_from(size_of::<MEMORYSTATUSEX>()).unwrap_or(0),
        ..Default::default()
    };
    // SAFETY: the structure is on this stack.
    unsafe { GlobalMemoryStatusEx(&raw mut found) };
    json!([found.ullTotalPhys, found.ullAvailPhys])
}

fn processors() -> Value {
    let model = std::env::var("PROCESSOR_IDENTIFIER").unwrap_or_else(|_| "unknown".to_owned());
    let times = json!({ "user": 0, "nice": 0, "sys": 0, "idle": 0, "irq": 0 });
    let one = json!({ "model": model, "speed": 0, "times": times });
    Value::Array(vec![one; processor_count()])
}

fn user() -> Value {
    let variable = |name: &str| std::env::var(name).ok();
    json!({
        "uid": -1,
        "gid": -1,
        "username": variable("USERNAME"),
        "homedir": variable("USERPROFILE"),
        "shell": null,
    })
}

fn parent() -> u32 {
    let own = std::process::id();
    // SAFETY: the handle is released below; the structure is on this stack and has the size that is given.
    unsafe {
        let snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
        if snapshot == INVALID_HANDLE_VALUE {
            return 0;
        }
        let snapshot = OwnedHandle::from_raw_handle(snapshot);
        let mut entry = PROCESSENTRY32W {
            dwSize: u32::try_from(size_of::<PROCESSENTRY32W>()).unwrap_or(0),
            ..Default::default()
        };
        let mut more = Process32FirstW(snapshot.as_raw_handle(), &raw mut entry);
        while more != 0 {
            if entry.th32ProcessID == own {
                return entry.th32ParentProcessID;
            }
            more = Process32NextW(snapshot.as_raw_handle(), &raw mut entry);
        }
    }
    0
}

/// A signal was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KillError {
    /// It would have reached this program.
    Own,
    /// The number of the error.
    System(i32),
}

/// Ends a process as a signal would, but not this program. As in Node, signals that usually end a program do so at once, 0 only
/// looks whether it is there, and others do not exist.
///
/// # Errors
/// See [`KillError`].
pub fn kill(pid: i32, signal: i32) -> Result<(), KillError> {
    let Ok(id) = u32::try_from(pid) else { return Err(KillError::System(errors::ESRCH)) };
    if signal != 0 && (id == std::process::id() || id == 0) {
        return Err(KillError::Own);
    }
    if !matches!(signal, 0 | 2 | 3 | 9 | 15) {
        return Err(KillError::System(errors::ENOSYS));
    }
    let access = PROCESS_QUERY_LIMITED_INFORMATION | if signal == 0 { 0 } else { PROCESS_TERMINATE };
    // SAFETY: the handle is released below; the number is on this stack.
    unsafe {
        let process: HANDLE = OpenProcess(access, 0, id);
        if process.is_null() {
            let error = std::io::Error::last_os_error();
            let is_gone = error.raw_os_error() == Some(ERROR_INVALID_PARAMETER.cast_signed());
            return Err(KillError::System(if is_gone { errors::ESRCH } else { errors::EPERM }));
        }
        let process = OwnedHandle::from_raw_handle(process);
        let mut code = 0;
        GetExitCodeProcess(process.as_raw_handle(), &raw mut code);
        if code != STILL_ACTIVE.cast_unsigned() {
            return Err(KillError::System(errors::ESRCH));
        }
        if signal != 0 && TerminateProcess(process.as_raw_handle(), 1) == 0 {
            return Err(KillError::System(errors::EPERM));
        }
    }
    Ok(())
}

/// Windows has no such numbers.
pub fn user_ids() -> Vec<u32> {
    Vec::new()
}
