//! Access control: descriptors that admit the user, the system and administrators, and nobody else.

#![expect(unsafe_code, reason = "access control is reached by calls that std does not wrap")]

use std::{
    ffi::c_void,
    io,
    os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle},
    ptr,
};

use windows_sys::Win32::{
    Foundation::{ERROR_SUCCESS, HANDLE, LocalFree},
    Security::{
        ACL,
        Authorization::{
            ConvertSidToStringSidW, ConvertStringSecurityDescriptorToSecurityDescriptorW, GetSecurityInfo,
            SDDL_REVISION_1, SE_FILE_OBJECT, SetSecurityInfo,
        },
        DACL_SECURITY_INFORMATION, EqualSid, GetSecurityDescriptorControl, GetTokenInformation,
        OWNER_SECURITY_INFORMATION, PROTECTED_DACL_SECURITY_INFORMATION, PSECURITY_DESCRIPTOR, PSID,
        SE_DACL_PROTECTED, SECURITY_ATTRIBUTES, TOKEN_QUERY, TOKEN_USER, TokenUser,
        UNPROTECTED_DACL_SECURITY_INFORMATION,
    },
    System::Threading::{GetCurrentProcess, OpenProcessToken},
};

use super::wide::{text_at, wide};

/// Memory that Windows allocated and that is returned to it.
struct Local(*mut c_void);

impl Drop for Local {
    fn drop(&mut self) {
        // SAFETY: it was allocated by a function whose results are released this way.
        unsafe { LocalFree(self.0) };
    }
}

/// The user of this process. The buffer holds a `TOKEN_USER` and the identifier it points to.
struct User(Vec<u64>);

impl User {
    fn current() -> io::Result<Self> {
        let mut token: HANDLE = ptr::null_mut();
        // SAFETY: the handle is on this stack.
        if unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &raw mut token) } == 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it was opened just now and belongs to nobody else.
        let token = unsafe { OwnedHandle::from_raw_handle(token) };
        // The largest identifier takes 68 bytes.
        let mut buffer = vec![0_u64; 32];
        let mut length = 0;
        // SAFETY: the buffer has the length that is given, and is aligned for the structure.
        let read = unsafe {
            GetTokenInformation(
                token.as_raw_handle(),
                TokenUser,
                buffer.as_mut_ptr().cast(),
                256,
                &raw mut length,
            )
        };
        if read == 0 { Err(io::Error::last_os_error()) } else { Ok(Self(buffer)) }
    }

    fn sid(&self) -> PSID {
        // SAFETY: the buffer was filled with this structure.
        unsafe { (*self.0.as_ptr().cast::<TOKEN_USER>()).User.Sid }
    }

    fn text(&self) -> io::Result<String> {
        let mut units = ptr::null_mut();
        // SAFETY: the identifier is valid; the text is released by `Local`.
        if unsafe { ConvertSidToStringSidW(self.sid(), &raw mut units) } == 0 {
            return Err(io::Error::last_os_error());
        }
        let _release = Local(units.cast());
        // SAFETY: the text ends with a zero.
        Ok(unsafe { text_at(units) }.to_string_lossy().into_owned())
    }
}

/// A descriptor for new folders, files and pipes that are for the user alone. What is created in such a folder inherits it.
pub(crate) struct Private {
    _descriptor: Local,
    attributes: SECURITY_ATTRIBUTES,
}

impl Private {
    pub(crate) fn new() -> io::Result<Self> {
        // Protected from what the folder above would add; full access for the user, the system and administrators, who can
        // take it anyway.
        let user = User::current()?.text()?;
        let rules = wide(format!("D:P(A;OICI;FA;;;{user})(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"))?;
        let mut descriptor: PSECURITY_DESCRIPTOR = ptr::null_mut();
        // SAFETY: the text ends with a zero; the result is released by `Local`.
        let made = unsafe {
            ConvertStringSecurityDescriptorToSecurityDescriptorW(
                rules.as_ptr(),
                SDDL_REVISION_1,
                &raw mut descriptor,
                ptr::null_mut(),
            )
        };
        if made == 0 {
            return Err(io::Error::last_os_error());
        }
        let attributes = SECURITY_ATTRIBUTES {
            nLength: u32::try_from(size_of::<SECURITY_ATTRIBUTES>()).unwrap_or(0),
            lpSecurityDescriptor: descriptor,
            bInheritHandle: 0,
        };
        Ok(Self { _descriptor: Local(descriptor), attributes })
    }

    /// Valid as long as this lives.
    pub(crate) fn attributes(&self) -> *mut SECURITY_ATTRIBUTES {
        (&raw const self.attributes).cast_mut()
    }
}

/// Owner and access list of an open file.
struct Descriptor {
    memory: Local,
    owner: PSID,
    access: *mut ACL,
}

fn descriptor(file: HANDLE) -> io::Result<Descriptor> {
    let (mut owner, mut access, mut memory) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    // SAFETY: the pointers are to this stack; what they point to is part of the memory that `Local` releases.
    let outcome = unsafe {
        GetSecurityInfo(
            file,
            SE_FILE_OBJECT,
            OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
            &raw mut owner,
            ptr::null_mut(),
            &raw mut access,
            ptr::null_mut(),
            &raw mut memory,
        )
    };
    if outcome != ERROR_SUCCESS {
        return Err(io::Error::from_raw_os_error(outcome.cast_signed()));
    }
    Ok(Descriptor { memory: Local(memory), owner, access })
}

/// Returns whether an open file belongs to the user of this process, or to administrators, who own what an elevated program of
/// theirs creates.
pub(crate) fn is_own(file: HANDLE) -> io::Result<bool> {
    let found = descriptor(file)?;
    let user = User::current()?;
    // SAFETY: both identifiers are valid while `found` and `user` live.
    let is_users = unsafe { EqualSid(found.owner, user.sid()) } != 0;
    Ok(is_users || is_administrators(found.owner))
}

fn is_administrators(sid: PSID) -> bool {
    use windows_sys::Win32::Security::{IsWellKnownSid, WinBuiltinAdministratorsSid};
    // SAFETY: the identifier is valid.
    unsafe { IsWellKnownSid(sid, WinBuiltinAdministratorsSid) != 0 }
}

/// Gives an open file the access list of another one.
pub(crate) fn copy_access(from: HANDLE, to: HANDLE) -> io::Result<()> {
    let found = descriptor(from)?;
    let (mut control, mut revision) = (0, 0);
    // SAFETY: the descriptor is valid while `found` lives; the pointers are to this stack.
    let known = unsafe { GetSecurityDescriptorControl(found.memory.0, &raw mut control, &raw mut revision) };
    if known == 0 {
        return Err(io::Error::last_os_error());
    }
    let inheritance = match control & SE_DACL_PROTECTED {
        0 => UNPROTECTED_DACL_SECURITY_INFORMATION,
        _ => PROTECTED_DACL_SECURITY_INFORMATION,
    };
    // SAFETY: the access list is part of the descriptor.
    let outcome = unsafe {
        SetSecurityInfo(
            to,
            SE_FILE_OBJECT,
            DACL_SECURITY_INFORMATION | inheritance,
            ptr::null_mut(),
            ptr::null_mut(),
            found.access,
            ptr::null_mut(),
        )
    };
    if outcome == ERROR_SUCCESS { Ok(()) } else { Err(io::Error::from_raw_os_error(outcome.cast_signed())) }
}
