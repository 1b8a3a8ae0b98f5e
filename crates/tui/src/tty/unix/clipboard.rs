//! The programs that read an image from the clipboard.

use toolsmith_host::exec::Request;

/// Programs that have to be installed, for a message.
pub(crate) const CLIPBOARD_PROGRAMS: &str = "wl-paste, xclip or pngpaste";

/// Returns the commands that write the image in the clipboard to a file. One that is not installed exits with 127.
pub(crate) fn clipboard_requests(file: &str) -> Vec<Request> {
    const PROGRAMS: &[&[&str]] = &[
        &["wl-paste", "--no-newline", "--type", "image/png"],
        &["xclip", "-selection", "clipboard", "-target", "image/png", "-out"],
        &["pngpaste", "-"],
    ];
    // Binary output goes through a file: captured output is text.
    let script = format!("exec \"$0\" \"$@\" > '{}'", file.replace('\'', "'\\''"));
    let request = |words: &&[&str]| Request::new("/bin/sh").args(["-c", &script]).args(words.iter().copied());
    PROGRAMS.iter().map(request).collect()
}
