//! Network interfaces in the form of `os.networkInterfaces()`. Each system lists its addresses.

use std::{fmt::Write as _, net::IpAddr};

use serde_json::{Map, Value, json};

/// An address of an interface that is up.
#[derive(Clone, Debug)]
pub(super) struct Address {
    /// The interface.
    pub(super) name: String,
    pub(super) address: IpAddr,
    pub(super) netmask: IpAddr,
    /// Set if it reaches this machine only.
    pub(super) internal: bool,
    /// Scope of an IPv6 address.
    pub(super) scope: u32,
    /// Hardware address of the interface; empty if it has none.
    pub(super) hardware: Vec<u8>,
}

/// Returns the addresses by interface.
pub(super) fn describe(addresses: &[Address]) -> Value {
    let mut found: Map<String, Value> = Map::new();
    for Address { name, address, netmask, internal, scope, hardware } in addresses {
        let bits = match netmask {
            IpAddr::V4(mask) => u32::from(*mask).count_ones(),
            IpAddr::V6(mask) => u128::from(*mask).count_ones(),
        };
        let mut entry = json!({
            "address": address.to_string(),
            "netmask": netmask.to_string(),
            "family": if address.is_ipv4() { "IPv4" } else { "IPv6" },
            "mac": hardware_name(hardware),
            "internal": internal,
        });
        entry["cidr"] = json!(format!("{address}/{bits}"));
        if address.is_ipv6() {
            entry["scopeid"] = json!(scope);
        }
        if let Some(list) = found.entry(name.clone()).or_insert_with(|| json!([])).as_array_mut() {
            list.push(entry);
        }
    }
    Value::Object(found)
}

fn hardware_name(bytes: &[u8]) -> String {
    let bytes = if bytes.is_empty() { &[0; 6] } else { bytes };
    bytes.iter().enumerate().fold(String::new(), |mut name, (index, byte)| {
        let separator = if index == 0 { "" } else { ":" };
        let _ = write!(name, "{separator}{byte:02x}");
        name
    })
}

/// Returns the mask of a network by the number of its leading ones, for an address of the same kind. Windows reports this number,
/// Unix systems report masks.
#[cfg(any(windows, test))]
pub(super) fn netmask(of: IpAddr, ones: u8) -> IpAddr {
    let ones = u32::from(ones);
    match of {
        IpAddr::V4(_) => IpAddr::V4(u32::MAX.checked_shl(32_u32.saturating_sub(ones)).unwrap_or(0).into()),
        IpAddr::V6(_) => IpAddr::V6(u128::MAX.checked_shl(128_u32.saturating_sub(ones)).unwrap_or(0).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_described_as_node_does() {
        let address = |address: &str, ones, hardware: &[u8]| {
            let address: IpAddr = address.parse().unwrap();
            let (netmask, hardware) = (netmask(address, ones), hardware.to_vec());
            Address { name: "Ethernet 2".into(), address, netmask, internal: false, scope: 7, hardware }
        };
        let found = describe(&[
            address("192.168.1.20", 24, &[0, 0x15, 0x5d, 1, 2, 0xff]),
            address("fe80::1", 64, &[]),
        ]);
        assert_eq!(
            found,
            json!({ "Ethernet 2": [
                {
                    "address": "192.168.1.20", "netmask": "255.255.255.0", "family": "IPv4", "mac": "00:15:5d:01:02:ff",
                    "internal": false, "cidr": "192.168.1.20/24",
                },
                {
                    "address": "fe80::1", "netmask": "ffff:ffff:ffff:ffff::", "family": "IPv6", "mac": "00:00:00:00:00:00",
                    "internal": false, "cidr": "fe80::1/64", "scopeid": 7,
                },
            ] })
        );
        let everywhere = "0.0.0.0".parse().unwrap();
        assert_eq!(netmask(everywhere, 0), everywhere);
        assert_eq!(netmask(everywhere, 32).to_string(), "255.255.255.255");
        assert_eq!(netmask(everywhere, 255).to_string(), "255.255.255.255");
    }
}
