//! The addresses of the network interfaces.

#![expect(unsafe_code, reason = "std does not list network interfaces")]

use std::{
    collections::BTreeMap,
    ffi::CStr,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

use super::super::interfaces::Address;

/// Length of a hardware address on Linux.
#[cfg(target_os = "linux")]
const HARDWARE: usize = 6;

/// Returns the active addresses.
pub(super) fn addresses() -> Vec<Address> {
    let mut addresses: Vec<Address> = Vec::new();
    let mut hardware = BTreeMap::new();
    let mut first: *mut libc::ifaddrs = std::ptr::null_mut();
    // SAFETY: the list is the library's, and given back below.
    if unsafe { libc::getifaddrs(&raw mut first) } != 0 {
        return addresses;
    }
    let mut next = first;
    while !next.is_null() {
        // SAFETY: every entry of the list is valid until the list is given back, its name is a C string.
        let (entry, name) =
            unsafe { (&*next, CStr::from_ptr((*next).ifa_name).to_string_lossy().into_owned()) };
        next = entry.ifa_next;
        let flags = entry.ifa_flags.cast_signed();
        if entry.ifa_addr.is_null()
            || flags & (libc::IFF_UP | libc::IFF_RUNNING) != libc::IFF_UP | libc::IFF_RUNNING
        {
            continue;
        }
        #[cfg(target_os = "linux")]
        // SAFETY: the family says what kind of address it is.
        unsafe {
            if i32::from((*entry.ifa_addr).sa_family) == libc::AF_PACKET {
                let link = &*entry.ifa_addr.cast::<libc::sockaddr_ll>();
                hardware.insert(name, link.sll_addr[..HARDWARE].to_vec());
                continue;
            }
        }
        #[cfg(target_os = "macos")]
        // SAFETY: the family says what kind of address it is.
        unsafe {
            if i32::from((*entry.ifa_addr).sa_family) == libc::AF_LINK {
                let link = &*entry.ifa_addr.cast::<libc::sockaddr_dl>();
                // The address follows the name.
                let at = usize::from(link.sdl_nlen);
                if let Some(bytes) = link.sdl_data.get(at..at + usize::from(link.sdl_alen)) {
                    hardware.insert(name, bytes.iter().map(|byte| byte.cast_unsigned()).collect());
                }
                continue;
            }
        }
        // SAFETY: as above; a mask is of the same kind as its address.
        let pair = unsafe { (read_address(entry.ifa_addr), read_address(entry.ifa_netmask)) };
        if let (Some((address, scope)), Some((netmask, _))) = pair {
            let internal = flags & libc::IFF_LOOPBACK != 0;
            addresses.push(Address { name, address, netmask, internal, scope, hardware: Vec::new() });
        }
    }
    // SAFETY: it was made by `getifaddrs`, and nothing refers to it any more.
    unsafe { libc::freeifaddrs(first) };
    for address in &mut addresses {
        address.hardware = hardware.get(&address.name).cloned().unwrap_or_default();
    }
    addresses
}

/// Converts an address and its scope.
///
/// # Safety
///
/// The pointer is null or points to an address of the length its family implies.
unsafe fn read_address(address: *const libc::sockaddr) -> Option<(IpAddr, u32)> {
    if address.is_null() {
        return None;
    }
    // SAFETY: the caller says so.
    unsafe {
        match i32::from((*address).sa_family) {
            libc::AF_INET => {
                let found = &*address.cast::<libc::sockaddr_in>();
                Some((IpAddr::V4(Ipv4Addr::from(u32::from_be(found.sin_addr.s_addr))), 0))
            }
            libc::AF_INET6 => {
                let found = &*address.cast::<libc::sockaddr_in6>();
                Some((IpAddr::V6(Ipv6Addr::from(found.sin6_addr.s6_addr)), found.sin6_scope_id))
            }
            _ => None,
        }
    }
}
