//! Images in a terminal: their size from their first bytes, and the sequences of the kitty and iTerm2 protocols.

use std::fmt::Write as _;

/// Image protocol of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageProtocol {
    /// The graphics protocol of kitty, also Ghostty and WezTerm.
    Kitty,
    /// The inline images of iTerm2, also WezTerm and VS Code.
    ITerm2,
}

/// Pixels of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageSize {
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

impl ImageSize {
    /// Returns the columns and rows the image takes: at most `columns` and `rows`, never enlarged. A cell is taken to be
    /// `cell` pixels.
    pub fn cells(self, columns: usize, rows: usize, cell: (u32, u32)) -> (usize, usize) {
        let (cell_width, cell_height) = (f64::from(cell.0.max(1)), f64::from(cell.1.max(1)));
        let (width, height) = (f64::from(self.width.max(1)), f64::from(self.height.max(1)));
        let most = (to_f64(columns.max(1)) * cell_width, to_f64(rows.max(1)) * cell_height);
        let scale = (most.0 / width).min(most.1 / height).min(1.0);
        let cells = |pixels: f64, cell: f64, most: usize| {
            // Truncation is intended: the value is between one and `most`.
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "clamped to 1..=most"
            )]
            let count = (pixels * scale / cell).ceil().clamp(1.0, to_f64(most.max(1))) as usize;
            count
        };
        (cells(width, cell_width, columns), cells(height, cell_height, rows))
    }
}

fn to_f64(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Reads the size from the start of a PNG, GIF, JPEG or WebP file.
pub fn image_size(bytes: &[u8]) -> Option<ImageSize> {
    png(bytes).or_else(|| gif(bytes)).or_else(|| webp(bytes)).or_else(|| jpeg(bytes))
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes)
}

fn be16(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 2)?.try_into().ok().map(|pair| u32::from(u16::from_be_bytes(pair)))
}

fn le16(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 2)?.try_into().ok().map(|pair| u32::from(u16::from_le_bytes(pair)))
}

fn png(bytes: &[u8]) -> Option<ImageSize> {
    bytes.starts_with(b"\x89PNG\r\n\x1a\n").then_some(())?;
    Some(ImageSize { width: be32(bytes, 16)?, height: be32(bytes, 20)? })
}

fn gif(bytes: &[u8]) -> Option<ImageSize> {
    (bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a")).then_some(())?;
    Some(ImageSize { width: le16(bytes, 6)?, height: le16(bytes, 8)? })
}

fn webp(bytes: &[u8]) -> Option<ImageSize> {
    (bytes.starts_with(b"RIFF") && bytes.get(8..12)? == b"WEBP").then_some(())?;
    match bytes.get(12..16)? {
        b"VP8 " => Some(ImageSize { width: le16(bytes, 26)? & 0x3fff, height: le16(bytes, 28)? & 0x3fff }),
        b"VP8L" => {
            let bits = u32::from_le_bytes(bytes.get(21..25)?.try_into().ok()?);
            Some(ImageSize { width: (bits & 0x3fff) + 1, height: (bits >> 14 & 0x3fff) + 1 })
        }
        b"VP8X" => {
            let three = |at: usize| Some(le16(bytes, at)? | u32::from(*bytes.get(at + 2)?) << 16);
            Some(ImageSize { width: three(24)? + 1, height: three(27)? + 1 })
        }
        _ => None,
    }
}

fn jpeg(bytes: &[u8]) -> Option<ImageSize> {
    bytes.starts_with(&[0xff, 0xd8]).then_some(())?;
    let mut at = 2;
    loop {
        // Fill bytes may stand before a marker.
        while *bytes.get(at)? == 0xff && *bytes.get(at + 1)? == 0xff {
            at += 1;
        }
        let marker = *bytes.get(at + 1).filter(|_| bytes.get(at) == Some(&0xff))?;
        match marker {
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Some(ImageSize { height: be16(bytes, at + 5)?, width: be16(bytes, at + 7)? });
            }
            0xd0..=0xd8 | 0x01 => at += 2,
            _ => at += 2 + usize::try_from(be16(bytes, at + 2)?.max(2)).ok()?,
        }
    }
}

/// Bytes of base64 in one kitty sequence.
const KITTY_CHUNK: usize = 4096;

/// Returns the sequence that draws an image at the cursor in `columns` × `rows` cells; `None` if the data is not base64 or
/// the protocol cannot show the type. The cursor stays where it is with kitty, and moves below the image with iTerm2.
pub fn inline_image(
    protocol: ImageProtocol,
    data: &str,
    mime_type: &str,
    columns: usize,
    rows: usize,
) -> Option<String> {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    if data.is_empty() || !data.bytes().all(is_base64) {
        return None;
    }
    match protocol {
        // Kitty decodes only PNG by itself.
        ImageProtocol::Kitty => (mime_type == "image/png").then(|| kitty(data, columns, rows)),
        ImageProtocol::ITerm2 => Some(format!(
            "\x1b]1337;File=inline=1;width={columns};height={rows};preserveAspectRatio=1:{data}\x07"
        )),
    }
}

fn kitty(data: &str, columns: usize, rows: usize) -> String {
    let mut out = String::with_capacity(data.len() + 256);
    let chunks: Vec<&[u8]> = data.as_bytes().chunks(KITTY_CHUNK).collect();
    for (at, chunk) in chunks.iter().enumerate() {
        let more = u8::from(at + 1 < chunks.len());
        let keys = if at == 0 {
            format!("a=T,f=100,q=2,C=1,c={columns},r={rows},m={more}")
        } else {
            format!("m={more}")
        };
        // Writing to a string cannot fail; the data is ASCII.
        let _ = write!(out, "\x1b_G{keys};{}\x1b\\", String::from_utf8_lossy(chunk));
    }
    out
}

#[cfg(test)]
#[path = "images_tests.rs"]
mod tests;
