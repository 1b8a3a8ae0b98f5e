//! What a file is, by its first bytes, and how its lines end.

/// The largest image that is shown to a model: more than this is too much in base64.
pub(crate) const MAX_IMAGE_BYTES: u64 = 3_900_000;

/// Kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// Text in UTF-16, with its byte order.
    Utf16 {
        big_endian: bool,
    },
    /// An image models can see, with its type.
    Image(&'static str),
    Binary,
}

/// Detects the kind from the first few thousand bytes.
pub(crate) fn kind(start: &[u8]) -> Kind {
    const IMAGES: [(&[u8], &str); 4] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
    ];
    if let Some((_, mime)) = IMAGES.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Kind::Image(mime);
    }
    if start.starts_with(b"RIFF") && start.get(8..12) == Some(b"WEBP") {
        return Kind::Image("image/webp");
    }
    match start {
        [0xff, 0xfe, ..] => Kind::Utf16 { big_endian: false },
        [0xfe, 0xff, ..] => Kind::Utf16 { big_endian: true },
        _ if start.contains(&0) || mostly_not_text(start) => Kind::Binary,
        _ => Kind::Text,
    }
}

/// Returns whether more than a third is neither UTF-8 nor printable. Text in old encodings stays below that.
fn mostly_not_text(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    let strange = |c: &char| {
        *c == char::REPLACEMENT_CHARACTER || (c.is_control() && !c.is_whitespace() && *c != '\x1b')
    };
    let count = text.chars().filter(strange).count();
    count * 3 > text.chars().count()
}

/// Returns the probable kind of a binary file, for the error.
pub(crate) fn kind_in_words(start: &[u8]) -> &'static str {
    const KNOWN: [(&[u8], &str); 8] = [
        (b"%PDF", "a PDF"),
        (b"PK\x03\x04", "a zip archive or office document"),
        (b"\x1f\x8b", "gzip data"),
        (b"\x7fELF", "a program"),
        (b"SQLite format 3", "an SQLite database"),
        (b"\xfd7zXZ", "xz data"),
        (b"\x28\xb5\x2f\xfd", "zstd data"),
        (b"\0asm", "WebAssembly"),
    ];
    KNOWN.iter().find(|(magic, _)| start.starts_with(magic)).map_or("binary data", |(_, words)| words)
}

/// How lines end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnding {
    Lf,
    CrLf,
}

impl LineEnding {
    /// Returns the most common line end of `text`; `None` if there is none.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let all = text.matches('\n').count();
        let crlf = text.matches("\r\n").count();
        match all {
            0 => None,
            _ if crlf * 2 > all => Some(Self::CrLf),
            _ => Some(Self::Lf),
        }
    }

    /// `text`, whose lines end with a bare newline, with these line ends.
    pub(crate) fn apply(self, text: &str) -> String {
        match self {
            Self::Lf => text.to_owned(),
            Self::CrLf => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        }
    }
}
