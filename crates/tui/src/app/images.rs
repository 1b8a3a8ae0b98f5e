//! Images for a prompt: from files and from the clipboard.

use std::{io::Read as _, path::Path, time::Duration};

use base64::Engine as _;
use toolsmith_host::exec;
use toolsmith_tool::CancelToken;

use crate::{
    composer::Image,
    tty::{CLIPBOARD_PROGRAMS, clipboard_requests},
};

/// Larger images are refused; providers would not accept them.
const MAX_BYTES: u64 = 20 << 20;

/// Reads an image file.
pub(super) fn read(path: &Path) -> Result<Image, String> {
    let shown = path.display();
    let metadata = std::fs::metadata(path).map_err(|error| format!("{shown} cannot be read: {error}"))?;
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        return Err(format!("{shown} is not an image of at most 20 MB"));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(|error| format!("{shown} cannot be read: {error}"))?;
    file.take(MAX_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("{shown} cannot be read: {error}"))?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    from_bytes(&bytes, &name).ok_or_else(|| format!("{shown} is not a PNG, JPEG, GIF or WebP image"))
}

fn from_bytes(bytes: &[u8], name: &str) -> Option<Image> {
    let mime_type = match bytes {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        _ => return None,
    };
    let data = base64::engine::general_purpose::STANDARD.encode(bytes);
    let name: String = name.chars().filter(|c| !c.is_control()).take(40).collect();
    Some(Image { data, mime_type: mime_type.to_owned(), name })
}

/// Reads an image from the clipboard with the programs of the system.
pub(super) async fn from_clipboard() -> Result<Image, String> {
    let failed = |error: std::io::Error| format!("the clipboard cannot be read: {error}");
    let file = tempfile::NamedTempFile::new().map_err(failed)?;
    let mut is_any_installed = false;
    for request in clipboard_requests(&file.path().display().to_string()) {
        let request = request.timeout(Duration::from_secs(5));
        match exec::run(&request, &CancelToken::new(), |_| {}).await {
            Ok(outcome) if outcome.code == 0 => {
                is_any_installed = true;
                let bytes = std::fs::read(file.path()).unwrap_or_default();
                if let Some(image) = from_bytes(&bytes, "clipboard") {
                    return Ok(image);
                }
            }
            Ok(outcome) => is_any_installed |= outcome.code != 127,
            Err(_) => {}
        }
    }
    Err(match is_any_installed {
        true => "The clipboard has no image".to_owned(),
        false => {
            format!("Pasting images needs {CLIPBOARD_PROGRAMS}. A dropped image file works without them.")
        }
    })
}
