//! A job object: all processes that a program starts, as one.

#![expect(unsafe_code, reason = "std has no job objects")]

use std::{
    io,
    os::windows::io::{AsRawHandle as _, BorrowedHandle, FromRawHandle as _, OwnedHandle},
    ptr,
    time::Duration,
};

use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JobObjectBasicAccountingInformation, JobObjectBasicProcessIdList, JobObjectExtendedLimitInformation,
    QueryInformationJobObject, SetInformationJobObject, TerminateJobObject,
};

use super::super::process::ProcessUsage;

/// Most processes whose ids are read.
const MAX_PROCESSES: usize = 1024;

/// A job object.
#[derive(Debug)]
pub(super) struct Job(OwnedHandle);

impl Job {
    /// Creates a job whose processes are killed when its last handle closes.
    pub(super) fn new() -> io::Result<Self> {
        // SAFETY: without attributes and name.
        let handle = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
        if handle.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it was created just now and belongs to nobody else.
        let job = Self(unsafe { OwnedHandle::from_raw_handle(handle) });
        job.set_limits(JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE)?;
        Ok(job)
    }

    fn set_limits(&self, flags: u32) -> io::Result<()> {
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = flags;
        // SAFETY: the structure is on this stack and has the length that is given.
        let set = unsafe {
            SetInformationJobObject(
                self.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                length_of::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>(),
            )
        };
        if set == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Adds a process. What it starts from now on is in the job.
    pub(super) fn add(&self, process: BorrowedHandle<'_>) -> io::Result<()> {
        // SAFETY: both handles are open.
        let added = unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), process.as_raw_handle()) };
        if added == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Kills all processes of the job.
    pub(super) fn kill(&self, code: u32) {
        // SAFETY: the handle is open. Fails only if there is nothing left to kill.
        unsafe { TerminateJobObject(self.0.as_raw_handle(), code) };
    }

    /// Lets the processes of the job go on when its last handle closes.
    pub(super) fn release(&self) {
        if let Err(error) = self.set_limits(0) {
            tracing::warn!(%error, "Processes that a program left running will end with this program");
        }
    }

    /// Returns how many processes of the job are running.
    pub(super) fn active(&self) -> u32 {
        self.accounting().map_or(0, |found| found.ActiveProcesses)
    }

    fn accounting(&self) -> Option<JOBOBJECT_BASIC_ACCOUNTING_INFORMATION> {
        let mut found = JOBOBJECT_BASIC_ACCOUNTING_INFORMATION::default();
        // SAFETY: the structure is on this stack and has the length that is given.
        let known = unsafe {
            QueryInformationJobObject(
                self.0.as_raw_handle(),
                JobObjectBasicAccountingInformation,
                (&raw mut found).cast(),
                length_of::<JOBOBJECT_BASIC_ACCOUNTING_INFORMATION>(),
                ptr::null_mut(),
            )
        };
        (known != 0).then_some(found)
    }

    fn limits(&self) -> Option<JOBOBJECT_EXTENDED_LIMIT_INFORMATION> {
        let mut found = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        // SAFETY: the structure is on this stack and has the length that is given.
        let known = unsafe {
            QueryInformationJobObject(
                self.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw mut found).cast(),
                length_of::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>(),
                ptr::null_mut(),
            )
        };
        (known != 0).then_some(found)
    }

    /// Returns the most memory that all processes of the job had together.
    pub(super) fn peak_memory(&self) -> Option<u64> {
        self.limits().map(|found| found.PeakJobMemoryUsed as u64)
    }

    /// Returns the use of all processes of the job, those that have ended included.
    pub(super) fn usage(&self) -> Option<ProcessUsage> {
        let accounting = self.accounting()?;
        let ticks = accounting.TotalUserTime.saturating_add(accounting.TotalKernelTime);
        // A tick is 100 nanoseconds.
        let cpu = Duration::from_nanos(u64::try_from(ticks).unwrap_or(0).saturating_mul(100));
        Some(ProcessUsage { cpu, peak_memory: self.limits()?.PeakProcessMemoryUsed as u64 })
    }

    /// Returns the ids of the running processes.
    pub(super) fn ids(&self) -> Vec<u32> {
        // Two counts of four bytes, then the ids.
        let mut buffer = vec![0_usize; MAX_PROCESSES + 1];
        let bytes = u32::try_from(buffer.len() * size_of::<usize>()).unwrap_or(0);
        // SAFETY: the buffer has the length that is given and is aligned for ids. With more processes the call fails, but
        // fills the buffer.
        unsafe {
            QueryInformationJobObject(
                self.0.as_raw_handle(),
                JobObjectBasicProcessIdList,
                buffer.as_mut_ptr().cast(),
                bytes,
                ptr::null_mut(),
            );
        }
        let counts = buffer.first().copied().unwrap_or(0);
        // The second count is the upper half on a system of 64 bits.
        let listed = counts >> 32;
        buffer.iter().skip(1).take(listed).filter_map(|id| u32::try_from(*id).ok()).collect()
    }
}

fn length_of<T>() -> u32 {
    u32::try_from(size_of::<T>()).unwrap_or(0)
}
