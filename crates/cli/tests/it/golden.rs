//! What the program said, held against `tests/golden/`. `UPDATE_GOLDEN=1 cargo test -p toolsmith-cli` writes those files
//! anew; read what changed.

use std::path::PathBuf;

use crate::place::{Place, Said};

/// Compares with the file of this name.
pub(crate) fn check(place: &Place, name: &str, said: &Said) {
    let text = format!(
        "exit {}\n--- standard output\n{}--- standard error\n{}",
        said.code,
        clean(place, &said.stdout),
        clean(place, &said.stderr)
    );
    text_file(&format!("{name}.txt"), &text);
}

/// Compares a text with the file of this name.
pub(crate) fn text_file(name: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        return;
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, golden, "{}", path.display());
}

/// Takes out what differs from run to run: the folder, times, and the widths that follow from both.
fn clean(place: &Place, text: &str) -> String {
    let text = text.replace(&place.root.display().to_string(), "ROOT");
    let text = text.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut line = line.to_owned();
        if let Some(at) = line.find(" ms") {
            let start = line[..at].rfind(|c: char| !(c.is_ascii_digit() || c == '.')).map_or(0, |at| at + 1);
            line.replace_range(start..at, "#");
        }
        for varying in ["loadMs", "wallUs", "cpuUs", "peakMemoryBytes"] {
            let field = format!("\"{varying}\": ");
            if let Some((name, _)) = line.split_once(&field) {
                line = format!("{name}{field}0,");
            }
        }
        // How wide the column of times is depends on them.
        let is_timed = line.contains("# ms") || line.contains("LOAD");
        lines.push(if is_timed { collapse(&line) } else { line });
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Makes two spaces of more than two, behind the beginning of a line.
fn collapse(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let (indent, mut rest) = (line[..indent].to_owned(), line[indent..].to_owned());
    while rest.contains("   ") {
        rest = rest.replace("   ", "  ");
    }
    indent + &rest
}
