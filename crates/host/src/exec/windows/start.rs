//! Creating a process: the file of its program, its command line, environment and pipes.

#![expect(unsafe_code, reason = "std cannot start a process in a job")]

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString, c_void},
    fs::File,
    io,
    mem::zeroed,
    os::windows::{
        ffi::OsStrExt as _,
        io::{AsHandle as _, AsRawHandle as _, FromRawHandle as _, OwnedHandle},
    },
    path::Path,
    pin::pin,
    ptr,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, Waker},
};

use tokio::net::windows::named_pipe::{NamedPipeServer, PipeMode, ServerOptions};
use windows_sys::Win32::{
    Foundation::{ERROR_BAD_EXE_FORMAT, HANDLE, HANDLE_FLAG_INHERIT, SetHandleInformation},
    System::Threading::{
        CREATE_NO_WINDOW, CREATE_SUSPENDED, CREATE_UNICODE_ENVIRONMENT, CreateProcessW,
        DeleteProcThreadAttributeList, EXTENDED_STARTUPINFO_PRESENT, InitializeProcThreadAttributeList,
        LPPROC_THREAD_ATTRIBUTE_LIST, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, PROCESS_INFORMATION, ResumeThread,
        STARTF_USESTDHANDLES, STARTUPINFOEXW, TerminateProcess, UpdateProcThreadAttribute,
    },
};

use super::{
    super::{
        request::{Destination, Request, Stdin},
        search::Resolved,
        windows_command_line::{batch_command_line, command_line},
        windows_lookup::is_batch,
    },
    control::Control,
    job::Job,
    terminal::find_in,
};
use crate::system::{files::without_prefix, security::Private, wide::wide};

/// Held while handles can be inherited, so that no other new process gets them too.
pub(super) static INHERITING: Mutex<()> = Mutex::new(());

/// Standard input of a process.
pub(in super::super) type Input = NamedPipeServer;
/// An output stream of a process.
pub(in super::super) type Output = NamedPipeServer;

/// A program that was started in a job.
#[derive(Debug)]
pub(in super::super) struct Started {
    pub(in super::super) stdin: Option<Input>,
    pub(in super::super) stdout: Option<Output>,
    pub(in super::super) stderr: Option<Output>,
    pub(in super::super) control: Control,
    pub(in super::super) pid: u32,
}

/// Starts a program. Needs a tokio runtime with its IO driver around it.
pub(in super::super) fn start(request: &Request, resolved: &Resolved) -> io::Result<Started> {
    let environment = environment(request, resolved);
    let folder = match &request.cwd {
        Some(folder) => std::path::absolute(folder)?,
        None => std::env::current_dir()?,
    };
    let folder = without_prefix(folder);
    let variable = |name: &str| environment.get(&OsString::from(name)).map(|(_, value)| value.as_os_str());
    let program =
        find_in(&resolved.program.to_string_lossy(), &folder, variable("PATH"), variable("PATHEXT"))
            .ok_or(io::ErrorKind::NotFound)?;
    let (program, line) = line(request, program)?;
    let (stdin_theirs, stdin) = match request.stdin {
        Stdin::Empty => (Stream::Own(File::open("NUL")?), None),
        _ => pipe(false).map(|(theirs, ours)| (Stream::Own(theirs), Some(ours)))?,
    };
    let (stdout_theirs, stdout) = open_output(&request.stdout)?;
    let (stderr_theirs, stderr) = open_output(&request.stderr)?;
    let job = Job::new()?;
    let streams = [&stdin_theirs, &stdout_theirs, &stderr_theirs];
    let (process, pid) = create(&job, &program, &line, &environment, &folder, streams)?;
    Ok(Started { stdin, stdout, stderr, control: Control::new(job, process)?, pid })
}

/// Returns the file to execute and its command line. A batch file is executed by `cmd.exe`.
fn line(request: &Request, program: String) -> io::Result<(String, String)> {
    let name = request.arg0.as_ref().unwrap_or(&program);
    if request.verbatim {
        let line = format!("{} {}", command_line(name, &[]), request.args.join(" "));
        return Ok((program, line));
    }
    if !is_batch(&program) {
        let line = command_line(name, &request.args);
        return Ok((program, line));
    }
    let system = std::env::var("SystemRoot").unwrap_or_else(|_| r"C:\Windows".to_owned());
    let shell = format!(r"{system}\System32\cmd.exe");
    let line = batch_command_line(&shell, &program, &request.args).ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            "an argument has a line break, which a batch file cannot receive",
        )
    })?;
    Ok((shell, line))
}

/// The program's end of a stream.
enum Stream {
    Own(File),
    Shared(Arc<File>),
}

impl Stream {
    fn file(&self) -> &File {
        match self {
            Self::Own(file) => file,
            Self::Shared(file) => file,
        }
    }
}

fn open_output(to: &Destination) -> io::Result<(Stream, Option<Output>)> {
    Ok(match to {
        Destination::Piped => {
            let (theirs, ours) = pipe(true)?;
            (Stream::Own(theirs), Some(ours))
        }
        Destination::Discarded => (Stream::Own(File::options().write(true).open("NUL")?), None),
        Destination::File(file) => (Stream::Shared(Arc::clone(file)), None),
    })
}

/// Creates a pipe that this program reads or writes without waiting. Anonymous pipes cannot do that, so it has a random name,
/// which nobody else may open.
fn pipe(is_output: bool) -> io::Result<(File, NamedPipeServer)> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let name = format!(r"\\.\pipe\toolsmith-{}-{:032x}", std::process::id(), u128::from_ne_bytes(random));
    let private = Private::new()?;
    let mut options = ServerOptions::new();
    options
        .access_inbound(is_output)
        .access_outbound(!is_output)
        .pipe_mode(PipeMode::Byte)
        .first_pipe_instance(true)
        .reject_remote_clients(true)
        .max_instances(1);
    // SAFETY: the attributes live as long as `private`.
    let ours = unsafe { options.create_with_security_attributes_raw(&name, private.attributes().cast())? };
    let theirs = File::options().read(!is_output).write(is_output).open(&name)?;
    match pin!(ours.connect()).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(connected) => connected?,
        // The other end is open already, so there is nothing to wait for.
        Poll::Pending => return Err(io::ErrorKind::NotConnected.into()),
    }
    Ok((theirs, ours))
}

/// Variables by their name without regard to case, which Windows ignores: the name as written, and the value.
type Environment = BTreeMap<OsString, (OsString, OsString)>;

fn environment(request: &Request, resolved: &Resolved) -> Environment {
    let folded = |name: &OsStr| name.to_ascii_uppercase();
    let mut found = Environment::new();
    for (name, value) in std::env::vars_os() {
        // Without it programs cannot load the system's own libraries.
        if !request.clear_env || folded(&name) == "SYSTEMROOT" {
            found.insert(folded(&name), (name, value));
        }
    }
    for (name, value) in &request.env {
        let name = OsStr::new(name);
        match value {
            Some(value) => found.insert(folded(name), (name.to_owned(), value.into())),
            None => found.remove(&folded(name)),
        };
    }
    if let Some(path) = &resolved.path
        && let Some((_, value)) = found.get_mut(OsStr::new("PATH"))
    {
        value.clone_from(path);
    }
    if resolved.is_restricted {
        let name = OsString::from("NoDefaultCurrentDirectoryInExePath");
        found.insert(folded(&name), (name, "1".into()));
    }
    found
}

/// Returns the environment as Windows takes it: `NAME=value`, each with a zero at its end, and another zero.
fn block(environment: &Environment) -> Vec<u16> {
    let mut units = Vec::new();
    for (name, value) in environment.values() {
        units.extend(name.encode_wide().chain([u16::from(b'=')]).chain(value.encode_wide()).chain([0]));
    }
    if units.is_empty() {
        units.push(0);
    }
    units.push(0);
    units
}

/// The list of handles that a new process inherits.
struct Inherited {
    list: Vec<u64>,
    _handles: Box<[HANDLE; 3]>,
}

impl Inherited {
    fn new(handles: [HANDLE; 3]) -> io::Result<Self> {
        let mut bytes = 0;
        // SAFETY: without a list it only gives the size.
        unsafe { InitializeProcThreadAttributeList(ptr::null_mut(), 1, 0, &raw mut bytes) };
        let mut inherited = Self { list: vec![0; bytes.div_ceil(8)], _handles: Box::new(handles) };
        let handles: *const HANDLE = inherited._handles.as_ptr();
        // SAFETY: the list has the size that was asked for; the handles live as long as it does.
        let is_set = unsafe {
            InitializeProcThreadAttributeList(inherited.as_list(), 1, 0, &raw mut bytes) != 0
                && UpdateProcThreadAttribute(
                    inherited.as_list(),
                    0,
                    PROC_THREAD_ATTRIBUTE_HANDLE_LIST as usize,
                    handles.cast::<c_void>(),
                    size_of::<[HANDLE; 3]>(),
                    ptr::null_mut(),
                    ptr::null(),
                ) != 0
        };
        if is_set { Ok(inherited) } else { Err(io::Error::last_os_error()) }
    }

    fn as_list(&mut self) -> LPPROC_THREAD_ATTRIBUTE_LIST {
        self.list.as_mut_ptr().cast()
    }
}

impl Drop for Inherited {
    fn drop(&mut self) {
        // SAFETY: the list was initialised, or is zero, which is empty.
        unsafe { DeleteProcThreadAttributeList(self.as_list()) };
    }
}

/// Creates the process in the job and lets it run.
fn create(
    job: &Job,
    program: &str,
    line: &str,
    environment: &Environment,
    folder: &Path,
    streams: [&Stream; 3],
) -> io::Result<(OwnedHandle, u32)> {
    let (program, mut line, folder) = (wide(program)?, wide(line)?, wide(folder)?);
    let block = block(environment);
    // Copies, so that a file of a tool does not become inheritable for good.
    let copies = streams.map(|stream| stream.file().try_clone());
    let copies: Vec<File> = copies.into_iter().collect::<io::Result<_>>()?;
    let handles: [HANDLE; 3] = std::array::from_fn(|stream| copies[stream].as_raw_handle());
    let _inheriting = INHERITING.lock().unwrap_or_else(PoisonError::into_inner);
    for handle in handles {
        // SAFETY: the handle is open.
        if unsafe { SetHandleInformation(handle, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT) } == 0 {
            return Err(io::Error::last_os_error());
        }
    }
    let mut inherited = Inherited::new(handles)?;
    // SAFETY: zeros are valid for these structures.
    let (mut startup, mut created): (STARTUPINFOEXW, PROCESS_INFORMATION) = unsafe { (zeroed(), zeroed()) };
    startup.StartupInfo.cb = u32::try_from(size_of::<STARTUPINFOEXW>()).unwrap_or(0);
    startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    [startup.StartupInfo.hStdInput, startup.StartupInfo.hStdOutput, startup.StartupInfo.hStdError] = handles;
    startup.lpAttributeList = inherited.as_list();
    // SAFETY: everything that is pointed to lives until the call returns, and texts end with zeros.
    let started = unsafe {
        CreateProcessW(
            program.as_ptr(),
            line.as_mut_ptr(),
            ptr::null(),
            ptr::null(),
            1,
            CREATE_SUSPENDED | CREATE_NO_WINDOW | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT,
            block.as_ptr().cast(),
            folder.as_ptr(),
            (&raw const startup).cast(),
            &raw mut created,
        )
    };
    if started == 0 {
        let error = io::Error::last_os_error();
        return Err(match error.raw_os_error().map(i32::cast_unsigned) {
            Some(ERROR_BAD_EXE_FORMAT) => {
                io::Error::new(io::ErrorKind::PermissionDenied, "it is not a program of this system")
            }
            _ => error,
        });
    }
    // SAFETY: both were created just now and belong to nobody else.
    let (process, thread) = unsafe {
        (OwnedHandle::from_raw_handle(created.hProcess), OwnedHandle::from_raw_handle(created.hThread))
    };
    let added = job.add(process.as_handle()).and_then(|()| {
        // SAFETY: the handle is open.
        match unsafe { ResumeThread(thread.as_raw_handle()) } {
            u32::MAX => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    });
    if let Err(error) = added {
        // SAFETY: the handle is open. It has not run yet.
        unsafe { TerminateProcess(process.as_raw_handle(), 1) };
        return Err(error);
    }
    Ok((process, created.dwProcessId))
}
