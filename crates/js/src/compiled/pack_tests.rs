//! Compiled code is used only as the program wrote it.

use std::{collections::BTreeMap, fs, path::Path, rc::Rc};

use proptest::prelude::*;

use super::{CompiledCode, EXTENSION, pack, unpack};
use crate::{compiled::CompiledFile, modules::Format};

fn file(name: &str, code: &[u8]) -> CompiledFile {
    let imports = BTreeMap::from([("node:fs".to_owned(), vec!["readFile".to_owned()])]);
    let hash = "00".repeat(32);
    CompiledFile {
        name: name.to_owned(),
        hash,
        format: Format::CommonJs,
        uses_meta: true,
        imports,
        code: Rc::from(code),
    }
}

/// The file of a module in a folder with one.
fn only_file(folder: &Path) -> std::path::PathBuf {
    let mut files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.extension().is_some_and(|extension| extension == EXTENSION)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_changed_byte_anywhere_makes_all_of_it_unusable(
        codes in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..200), 1..4),
        at in any::<proptest::sample::Index>(),
        change in 1..=255_u8,
        cut in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let kept = CompiledCode::new(folder.path().join("compiled"));
        let module = Path::new("/project/tool.ts");
        let files: Vec<_> = codes.iter().enumerate().map(|(n, code)| file(&format!("/{n}.js"), code)).collect();
        kept.write(module, &files).unwrap();
        let read = kept.read(module);
        prop_assert_eq!(read.len(), files.len());
        for (one, other) in read.iter().zip(&files) {
            prop_assert_eq!(&one.code, &other.code);
            prop_assert_eq!((&one.name, &one.hash, one.format, one.uses_meta), (&other.name, &other.hash, other.format, other.uses_meta));
            prop_assert_eq!(&one.imports, &other.imports);
        }
        let path = only_file(&folder.path().join("compiled"));
        let mut bytes = fs::read(&path).unwrap();
        let at = at.index(bytes.len());
        if cut { bytes.truncate(at) } else { bytes[at] ^= change }
        fs::write(&path, bytes).unwrap();
        prop_assert!(kept.read(module).is_empty());
    }

    #[test]
    fn reading_never_fails_on_bytes_that_somebody_sealed(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = unpack(&bytes);
        let mut packed = pack(&[file("/a.js", &[1, 2, 3])]).unwrap();
        packed.truncate(packed.len().saturating_sub(bytes.len() % 8));
        let _ = unpack(&packed);
    }
}

#[test]
fn code_of_another_module_or_of_another_key_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let kept = CompiledCode::new(folder.path().to_path_buf());
    let (one, other) = (Path::new("/project/one.ts"), Path::new("/project/other.ts"));
    kept.write(one, &[file("/one.js", b"code")]).unwrap();
    let bytes = fs::read(only_file(folder.path())).unwrap();
    fs::write(kept.place(other).unwrap().0, &bytes).unwrap();
    assert!(kept.read(other).is_empty(), "it was sealed for another module");
    assert_eq!(kept.read(one).len(), 1);
    // A key that anybody can read is replaced, and what it sealed does not count.
    fs::remove_file(folder.path().join("key")).unwrap();
    assert!(kept.read(one).is_empty());
    kept.write(one, &[file("/one.js", b"code")]).unwrap();
    assert_eq!(kept.read(one).len(), 1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let key = folder.path().join("key");
        fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(kept.read(one).is_empty());
        assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
