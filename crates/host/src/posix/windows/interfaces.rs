//! The addresses of the network interfaces.

#![expect(unsafe_code, reason = "std does not list network interfaces")]

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    ptr,
};

use windows_sys::Win32::{
    Foundation::{ERROR_BUFFER_OVERFLOW, ERROR_SUCCESS},
    NetworkManagement::{
        IpHelper::{
            GAA_FLAG_SKIP_ANYCAST, GAA_FLAG_SKIP_DNS_SERVER, GAA_FLAG_SKIP_MULTICAST, GetAdaptersAddresses,
            IF_TYPE_SOFTWARE_LOOPBACK, IP_ADAPTER_ADDRESSES_LH,
        },
        Ndis::IfOperStatusUp,
    },
    Networking::WinSock::{AF_INET, AF_INET6, AF_UNSPEC, SOCKADDR, SOCKADDR_IN, SOCKADDR_IN6},
};

use super::super::interfaces::{Address, netmask};
use crate::system::wide::text_at;

/// Attempts to read the list, which may grow between two calls.
const ATTEMPTS: usize = 4;

/// Returns the active addresses.
pub(super) fn addresses() -> Vec<Address> {
    let mut addresses = Vec::new();
    let list = read_list().unwrap_or_default();
    let mut next: *const IP_ADAPTER_ADDRESSES_LH =
        if list.is_empty() { ptr::null() } else { list.as_ptr().cast() };
    while !next.is_null() {
        // SAFETY: every entry is in the list, or null, and the call filled it.
        let adapter = unsafe { &*next };
        next = adapter.Next;
        if adapter.OperStatus != IfOperStatusUp {
            continue;
        }
        // SAFETY: the name is in the list and ends with a zero.
        let name = unsafe { text_at(adapter.FriendlyName) }.to_string_lossy().into_owned();
        let hardware =
            adapter.PhysicalAddress.get(..adapter.PhysicalAddressLength as usize).unwrap_or_default();
        let mut unicast = adapter.FirstUnicastAddress.cast_const();
        while !unicast.is_null() {
            // SAFETY: as above.
            let entry = unsafe { &*unicast };
            unicast = entry.Next;
            // SAFETY: the address is in the list and has the length that its family implies.
            if let Some((address, scope)) = unsafe { read_address(entry.Address.lpSockaddr) } {
                addresses.push(Address {
                    name: name.clone(),
                    address,
                    netmask: netmask(address, entry.OnLinkPrefixLength),
                    internal: adapter.IfType == IF_TYPE_SOFTWARE_LOOPBACK,
                    scope,
                    hardware: hardware.to_vec(),
                });
            }
        }
    }
    addresses
}

/// Returns the system's list in a buffer that is aligned for its entries.
fn read_list() -> Option<Vec<u64>> {
    let flags = GAA_FLAG_SKIP_ANYCAST | GAA_FLAG_SKIP_MULTICAST | GAA_FLAG_SKIP_DNS_SERVER;
    let mut bytes: u32 = 16 << 10;
    for _ in 0..ATTEMPTS {
        let mut list = vec![0_u64; (bytes as usize).div_ceil(size_of::<u64>())];
        // SAFETY: the buffer has at least the length that is given.
        let outcome = unsafe {
            GetAdaptersAddresses(
                AF_UNSPEC.into(),
                flags,
                ptr::null(),
                list.as_mut_ptr().cast(),
                &raw mut bytes,
            )
        };
        match outcome {
            ERROR_SUCCESS => return Some(list),
            ERROR_BUFFER_OVERFLOW => {}
            // There are none.
            _ => return None,
        }
    }
    None
}

/// Converts an address and its scope.
///
/// # Safety
///
/// The pointer is null or points to an address of the length its family implies.
unsafe fn read_address(address: *const SOCKADDR) -> Option<(IpAddr, u32)> {
    if address.is_null() {
        return None;
    }
    // SAFETY: the caller says so; each form of a part of an address is valid for all bits.
    unsafe {
        match (*address).sa_family {
            AF_INET => {
                let found = &*address.cast::<SOCKADDR_IN>();
                Some((IpAddr::V4(Ipv4Addr::from(u32::from_be(found.sin_addr.S_un.S_addr))), 0))
            }
            AF_INET6 => {
                let found = &*address.cast::<SOCKADDR_IN6>();
                Some((IpAddr::V6(Ipv6Addr::from(found.sin6_addr.u.Byte)), found.Anonymous.sin6_scope_id))
            }
            _ => None,
        }
    }
}
