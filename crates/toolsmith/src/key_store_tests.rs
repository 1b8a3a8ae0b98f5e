//! Stored keys.

use std::{os::unix::fs::PermissionsExt as _, sync::Mutex};

use super::*;

#[test]
fn keys_are_stored_privately_found_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let store = KeyStore::at(&Home::at(folder.path()));
    assert!(store.names().unwrap().is_empty());
    assert_eq!(store.set("TOOLSMITH_TEST_KEY_A", " one\n").unwrap(), KeyPlace::File);
    store.set("TOOLSMITH_TEST_KEY_B", "two").unwrap();
    let mode = std::fs::metadata(store.file()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(store.names().unwrap(), ["TOOLSMITH_TEST_KEY_A", "TOOLSMITH_TEST_KEY_B"]);
    assert!(store.remove("TOOLSMITH_TEST_KEY_B").unwrap() && !store.remove("TOOLSMITH_TEST_KEY_B").unwrap());
    assert_eq!(store.environment().get("TOOLSMITH_TEST_KEY_A").as_deref(), Some("one"));
}

#[test]
fn a_file_that_is_not_ours_is_an_error_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let store = KeyStore::at(&Home::at(folder.path()));
    std::fs::create_dir_all(store.file().parent().unwrap()).unwrap();
    std::fs::write(store.file(), "not json").unwrap();
    assert!(store.set("A", "b").is_err());
    assert_eq!(std::fs::read_to_string(store.file()).unwrap(), "not json");
}

/// A keychain in memory, because only a Mac has one. A locked one refuses everything.
#[derive(Debug, Default)]
struct Keychain {
    secrets: Mutex<BTreeMap<(String, String), String>>,
    is_locked: Mutex<bool>,
}

impl Keychain {
    fn open(&self) -> io::Result<std::sync::MutexGuard<'_, BTreeMap<(String, String), String>>> {
        if *self.is_locked.lock().unwrap() {
            Err(io::Error::other("locked"))
        } else {
            Ok(self.secrets.lock().unwrap())
        }
    }
}

impl SecretStore for Keychain {
    fn get(&self, service: &str, account: &str) -> io::Result<Option<String>> {
        Ok(self.open()?.get(&(service.to_owned(), account.to_owned())).cloned())
    }

    fn set(&self, service: &str, account: &str, secret: &str) -> io::Result<()> {
        self.open()?.insert((service.to_owned(), account.to_owned()), secret.to_owned());
        Ok(())
    }

    fn remove(&self, service: &str, account: &str) -> io::Result<bool> {
        Ok(self.open()?.remove(&(service.to_owned(), account.to_owned())).is_some())
    }
}

fn with_keychain(folder: &Path) -> (KeyStore, Arc<Keychain>) {
    let keychain = Arc::new(Keychain::default());
    let secrets: Arc<dyn SecretStore> = Arc::clone(&keychain) as _;
    (KeyStore::new(&Home::at(folder), Some(secrets)), keychain)
}

#[test]
fn a_key_in_the_keychain_is_not_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let (store, keychain) = with_keychain(folder.path());
    assert_eq!(store.set("TOOLSMITH_TEST_KEY_C", "secret").unwrap(), KeyPlace::Keychain);
    assert!(!std::fs::read_to_string(store.file()).unwrap().contains("secret"));
    assert_eq!(store.environment().get("TOOLSMITH_TEST_KEY_C").as_deref(), Some("secret"));
    assert_eq!(store.names().unwrap(), ["TOOLSMITH_TEST_KEY_C"]);
    assert!(store.remove("TOOLSMITH_TEST_KEY_C").unwrap());
    assert!(keychain.secrets.lock().unwrap().is_empty());
    assert_eq!(store.environment().get("TOOLSMITH_TEST_KEY_C"), None);
}

#[test]
fn a_locked_keychain_leaves_keys_to_the_file_and_keeps_those_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let (store, keychain) = with_keychain(folder.path());
    store.set("TOOLSMITH_TEST_KEY_D", "old").unwrap();
    *keychain.is_locked.lock().unwrap() = true;
    assert_eq!(store.environment().get("TOOLSMITH_TEST_KEY_D"), None);
    assert!(store.remove("TOOLSMITH_TEST_KEY_D").is_err());
    assert_eq!(store.names().unwrap(), ["TOOLSMITH_TEST_KEY_D"], "the key is still in the keychain");
    assert_eq!(store.set("TOOLSMITH_TEST_KEY_D", "new").unwrap(), KeyPlace::File);
    assert_eq!(store.environment().get("TOOLSMITH_TEST_KEY_D").as_deref(), Some("new"));
}

#[test]
fn keys_of_an_older_file_are_found_beside_a_keychain() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    KeyStore::new(&home, None).set("TOOLSMITH_TEST_KEY_E", "old").unwrap();
    let (store, keychain) = with_keychain(folder.path());
    assert_eq!(store.environment().get("TOOLSMITH_TEST_KEY_E").as_deref(), Some("old"));
    store.set("TOOLSMITH_TEST_KEY_E", "new").unwrap();
    assert!(!std::fs::read_to_string(store.file()).unwrap().contains("old"));
    assert_eq!(keychain.secrets.lock().unwrap().len(), 1);
}
