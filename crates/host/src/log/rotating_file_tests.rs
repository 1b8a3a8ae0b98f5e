//! The file as several writers and readers see it.

use super::*;

fn texts(folder: &Path) -> Vec<(String, String)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| !entry.file_name().to_string_lossy().ends_with(".lock"))
        .map(|entry| {
            (entry.file_name().to_string_lossy().into_owned(), fs::read_to_string(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn nothing_is_created_before_the_first_line() {
    let folder = tempfile::tempdir().unwrap();
    let log = RotatingFile::new(folder.path().join("logs/tool.log"));
    assert!(!folder.path().join("logs").exists());
    log.append("one").unwrap();
    assert_eq!(fs::read_to_string(log.path()).unwrap(), "one\n");
}

#[test]
fn a_grown_file_is_put_aside_and_the_oldest_goes() {
    let folder = tempfile::tempdir().unwrap();
    let log = RotatingFile::new(folder.path().join("log")).limits(4, 2);
    for line in ["aaaa", "bbbb", "cccc", "dddd"] {
        log.append(line).unwrap();
    }
    let expected = [("log", "dddd\n"), ("log.1", "cccc\n"), ("log.2", "bbbb\n")];
    assert_eq!(texts(folder.path()), expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
}

#[test]
fn several_writers_lose_and_mix_no_line_while_files_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = path.clone();
            scope.spawn(move || {
                // One of its own each, as separate processes would have.
                let log = RotatingFile::new(path).limits(2_000, 1_000);
                for line in 0..500 {
                    log.append(&format!("{writer}:{line:04}:{}", "x".repeat(20))).unwrap();
                }
            });
        }
    });
    let mut lines: Vec<String> = texts(folder.path())
        .into_iter()
        .flat_map(|(_, text)| text.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    lines.sort();
    lines.dedup();
    assert_eq!(lines.len(), 2_000);
    assert!(lines.iter().all(|line| line.len() == 27), "whole lines only");
}

#[test]
fn a_folder_in_place_of_the_file_is_an_error_and_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    assert!(RotatingFile::new(folder.path()).append("x").is_err());
}
