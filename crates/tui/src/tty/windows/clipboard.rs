//! The program that reads an image from the clipboard.

use toolsmith_host::exec::Request;

/// Programs that have to be installed, for a message.
pub(crate) const CLIPBOARD_PROGRAMS: &str = "Windows PowerShell";

/// Returns the command that writes the image in the clipboard to a file.
pub(crate) fn clipboard_requests(file: &str) -> Vec<Request> {
    let script = format!(
        "$image = Get-Clipboard -Format Image; if ($image) {{ $image.Save('{}') }} else {{ exit 1 }}",
        file.replace('\'', "''")
    );
    vec![Request::new("powershell").args(["-NoProfile", "-NonInteractive", "-Sta", "-Command", &script])]
}
