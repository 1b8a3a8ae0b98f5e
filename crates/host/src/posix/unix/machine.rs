//! Machine and user information, for `os` and `process`.

#![expect(unsafe_code, reason = "loads, memory and signals are beyond what std wraps")]

use serde_json::{Map, Value, json};

use super::{super::interfaces, interfaces::addresses};

/// Returns what `os` and `process` tell about the machine and the user, by subject; null for an unknown subject.
pub fn describe_machine(what: &str) -> Value {
    match what {
        "names" => names(),
        "uptime" => uptime(),
        "load" => load(),
        "memory" => memory(),
        "parallelism" => {
            json!(std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
        }
        "processors" => processors(),
        "interfaces" => interfaces::describe(&addresses()),
        "priority" => json!(rustix::process::getpriority_process(None).unwrap_or(0)),
        "user" => user(),
        "signals" => signals(),
        "parent" => json!(std::os::unix::process::parent_id()),
        "processes" => json!({ "own": std::process::id(), "parent": std::os::unix::process::parent_id() }),
        "umask" => umask(),
        _ => Value::Null,
    }
}

fn names() -> Value {
    let found = rustix::system::uname();
    json!({
        "type": found.sysname().to_string_lossy(),
        "hostname": found.nodename().to_string_lossy(),
        "release": found.release().to_string_lossy(),
        "version": found.version().to_string_lossy(),
        "machine": found.machine().to_string_lossy(),
    })
}

fn first_number(path: &str) -> Option<f64> {
    std::fs::read_to_string(path).ok()?.split_whitespace().next()?.parse().ok()
}

fn uptime() -> Value {
    json!(first_number("/proc/uptime").unwrap_or(0.0))
}

fn load() -> Value {
    let mut loads = [0.0; 3];
    // SAFETY: the array has room for the three numbers asked for.
    unsafe { libc::getloadavg(loads.as_mut_ptr(), 3) };
    json!(loads)
}

/// Returns total and free memory.
fn memory() -> Value {
    // SAFETY: these calls only ask.
    let (pages, size) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    let total = pages.max(0) * size.max(0);
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let free = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))
        .and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<i64>().ok())
        .map_or(0, |kilobytes| kilobytes * 1024);
    json!([total, free])
}

fn processors() -> Value {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| -> Vec<&str> {
        text.lines()
            .filter(|line| line.starts_with(name))
            .filter_map(|line| line.split_once(':'))
            .map(|(_, value)| value.trim())
            .collect()
    };
    let (models, speeds) = (field("model name"), field("cpu MHz"));
    let times = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let list: Vec<Value> = times
        .lines()
        .filter(|line| line.starts_with("cpu") && !line.starts_with("cpu "))
        .enumerate()
        .map(|(index, line)| {
            let ticks: Vec<u64> =
                line.split_whitespace().skip(1).filter_map(|number| number.parse().ok()).collect();
            // A tick is a hundredth of a second; Node counts milliseconds.
            let at = |place: usize| ticks.get(place).copied().unwrap_or(0) * 10;
            let speed = speeds.get(index).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
            json!({
                "model": models.get(index).copied().unwrap_or("unknown"),
                "speed": speed.trunc(),
                "times": { "user": at(0), "nice": at(1), "sys": at(2), "idle": at(3), "irq": at(5) },
            })
        })
        .collect();
    Value::Array(list)
}

fn user() -> Value {
    let id = rustix::process::getuid().as_raw();
    let text = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let found = text
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>())
        .find(|fields| fields.get(2).and_then(|number| number.parse::<u32>().ok()) == Some(id));
    match found.as_deref() {
        Some([name, _, _, group, _, home, shell, ..]) => json!({
            "uid": id,
            "gid": group.parse::<u32>().unwrap_or(id),
            "username": name,
            "homedir": home,
            "shell": shell,
        }),
        _ => {
            let variable = |name: &str| std::env::var(name).ok();
            json!({
                "uid": id,
                "gid": rustix::process::getgid().as_raw(),
                "username": variable("USER"),
                "homedir": variable("HOME"),
                "shell": variable("SHELL"),
            })
        }
    }
}

fn umask() -> Value {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = text
        .lines()
        .find_map(|line| line.strip_prefix("Umask:"))
        .and_then(|rest| u32::from_str_radix(rest.trim(), 8).ok());
    json!(mask.unwrap_or(0o022))
}

macro_rules! signals {
    ($($name:ident)*) => { &[$((stringify!($name), libc::$name)),*] };
}

const SIGNALS: &[(&str, i32)] = signals! {
    SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE SIGALRM SIGTERM
    SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU SIGXFSZ SIGVTALRM SIGPROF SIGWINCH SIGIO SIGSYS
};

fn signals() -> Value {
    SIGNALS.iter().map(|(name, number)| ((*name).to_owned(), json!(number))).collect::<Map<_, _>>().into()
}

/// A signal was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KillError {
    /// It would have reached this program.
    Own,
    /// The number of the system's error.
    System(i32),
}

/// Sends a signal, but not to this program itself or to process groups it belongs to.
///
/// # Errors
/// See [`KillError`].
pub fn kill(pid: i32, signal: i32) -> Result<(), KillError> {
    let own = std::process::id().cast_signed();
    // SAFETY: the call only asks.
    let group = unsafe { libc::getpgrp() };
    if signal != 0 && (pid == own || pid == 0 || pid == -1 || pid == -group) {
        return Err(KillError::Own);
    }
    // SAFETY: touches no memory.
    if unsafe { libc::kill(pid, signal) } == 0 {
        return Ok(());
    }
    Err(KillError::System(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL)))
}

/// Returns the ids of the user and the group.
pub fn user_ids() -> Vec<u32> {
    vec![rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw()]
}
