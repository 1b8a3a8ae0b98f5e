//! The machine and its files as Node's modules show them.

use std::{fs, time::Duration};

use toolsmith_host::posix;

#[test]
fn network_interfaces_have_addresses_and_masks() {
    let found = posix::describe_machine("interfaces");
    let entries: Vec<_> =
        found.as_object().unwrap().values().flat_map(|list| list.as_array().unwrap()).collect();
    let loopback =
        entries.iter().find(|entry| entry["address"] == "127.0.0.1").expect("the loopback interface");
    assert_eq!(loopback["netmask"], "255.0.0.0");
    assert_eq!(loopback["family"], "IPv4");
    assert_eq!(loopback["internal"], true);
    assert_eq!(loopback["cidr"], "127.0.0.1/8");
}

#[test]
fn the_machine_describes_itself() {
    for subject in ["names", "uptime", "memory", "parallelism", "processors", "user", "signals", "parent"] {
        assert!(!posix::describe_machine(subject).is_null(), "{subject}");
    }
    assert_eq!(posix::describe_machine("names")["type"], "Windows_NT");
    assert!(posix::describe_machine("user")["homedir"].is_string());
    assert!(posix::describe_machine("memory")[0].as_u64() > Some(0));
    assert!(posix::describe_machine("no such subject").is_null());
}

#[test]
fn files_have_the_status_that_node_reports() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.txt");
    fs::write(&path, "12345").unwrap();
    let by_path = posix::path_status(&path, true).unwrap();
    let opened =
        posix::open(&path, posix::FileFlags::READ, 0, Duration::ZERO, || Ok::<(), ()>(())).unwrap().unwrap();
    let by_handle = posix::file_status(&opened).unwrap();
    assert!(by_path.is_same_file(&by_handle));
    assert_eq!(by_path.unsigned[8], 5);
    let missing = posix::path_status(&folder.path().join("missing"), true).unwrap_err();
    assert_eq!(posix::errno::number(&missing), Some(posix::errno::ENOENT));
    let mut buffer = [0; 3];
    assert_eq!(posix::read_at(&opened, &mut buffer, 2).unwrap(), 3);
    assert_eq!(&buffer, b"345");
}
