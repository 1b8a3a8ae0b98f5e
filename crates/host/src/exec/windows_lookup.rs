//! Finding the file of a program on Windows. The system would also look into the current folder; a file of a project must
//! never run because it has the name of a program, so only absolute folders of `PATH` count.

/// Extensions that count without `PATHEXT`.
const EXTENSIONS: &str = ".COM;.EXE;.BAT;.CMD";

/// Returns whether a program is named by a path. Other names are looked up in `PATH`.
pub(super) fn has_folder(program: &str) -> bool {
    program.contains(['/', '\\']) || program.as_bytes().get(1) == Some(&b':')
}

/// Returns the files that a program can be, best first. `folder` is the folder that relative paths start from.
pub(super) fn candidates(program: &str, folder: &str, path: &str, extensions: Option<&str>) -> Vec<String> {
    let folders: Vec<String> = if has_folder(program) {
        vec![String::new()]
    } else {
        path.split(';')
            .map(|entry| entry.trim().trim_matches('"'))
            .filter(|entry| is_absolute(entry))
            .map(with_end)
            .collect()
    };
    let extensions: Vec<String> = extensions
        .unwrap_or(EXTENSIONS)
        .split(';')
        .map(|extension| extension.trim().to_ascii_lowercase())
        .filter(|extension| extension.len() > 1 && extension.starts_with('.'))
        .collect();
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program).to_ascii_lowercase();
    let has_extension = extensions.iter().any(|extension| name.ends_with(extension.as_str()));
    let start = if has_folder(program) && !is_absolute(program) { with_end(folder) } else { String::new() };
    let mut found = Vec::new();
    for folder in folders {
        let path = format!("{start}{folder}{program}").replace('/', "\\");
        if has_extension {
            found.push(path);
            continue;
        }
        found.extend(extensions.iter().map(|extension| format!("{path}{extension}")));
        // A path may name a file without an extension.
        if has_folder(program) {
            found.push(path);
        }
    }
    found
}

fn with_end(folder: &str) -> String {
    let folder = folder.trim_end_matches(['/', '\\']);
    format!("{folder}\\")
}

/// Returns whether a path has a drive and a root, or is that of a share.
fn is_absolute(path: &str) -> bool {
    match path.as_bytes() {
        [drive, b':', b'/' | b'\\', ..] => drive.is_ascii_alphabetic(),
        [b'\\' | b'/', b'\\' | b'/', ..] => true,
        _ => false,
    }
}

/// Returns whether `cmd.exe` runs a file.
pub(super) fn is_batch(path: &str) -> bool {
    let end = path.get(path.len().saturating_sub(4)..).unwrap_or_default();
    end.eq_ignore_ascii_case(".bat") || end.eq_ignore_ascii_case(".cmd")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c3_2_a_name_is_looked_up_in_absolute_folders_of_path_only() {
        let found =
            candidates("git", r"C:\project", r#".;bin;"C:\Program Files\Git\cmd";D:\x\;;\tools;C:rel"#, None);
        assert_eq!(
            found,
            [
                r"C:\Program Files\Git\cmd\git.com",
                r"C:\Program Files\Git\cmd\git.exe",
                r"C:\Program Files\Git\cmd\git.bat",
                r"C:\Program Files\Git\cmd\git.cmd",
                r"D:\x\git.com",
                r"D:\x\git.exe",
                r"D:\x\git.bat",
                r"D:\x\git.cmd",
            ]
        );
        assert!(candidates("git", r"C:\project", "", None).is_empty());
    }

    #[test]
    fn c3_2_a_path_is_taken_from_the_folder_the_program_starts_in() {
        assert_eq!(candidates("./run.cmd", r"C:\project", r"C:\bin", None), [r"C:\project\.\run.cmd"]);
        assert_eq!(candidates(r"C:\x\a.EXE", r"C:\project", "", None), [r"C:\x\a.EXE"]);
        assert_eq!(
            candidates(r"x\a", r"C:\p", "", Some(".EXE;bad; .JS ")),
            [r"C:\p\x\a.exe", r"C:\p\x\a.js", r"C:\p\x\a"]
        );
        // A drive without a root is not a folder to search in, and not one to start from.
        assert!(has_folder("C:run"));
    }

    #[test]
    fn c3_2_a_dot_in_a_name_is_not_an_extension() {
        assert_eq!(candidates("python3.12", "", r"C:\b", Some(".EXE")), [r"C:\b\python3.12.exe"]);
        assert!(is_batch(r"C:\x\npm.CMD") && !is_batch(r"C:\x\npm.exe") && !is_batch("é"));
    }
}
