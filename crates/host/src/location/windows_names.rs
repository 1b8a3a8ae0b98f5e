//! Names that Windows takes for something else than the file of that name: devices, alternate streams, and names that it
//! shortens. A write to one would land elsewhere than it says, so all of them are refused.

/// The reason why a name is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadName {
    Device,
    Stream,
    Shortened,
    Character,
}

impl BadName {
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Device => "Windows reserves this name for a device",
            Self::Stream => "the name has a colon, which means a hidden stream of another file",
            Self::Shortened => "the name ends in a dot or a space, which Windows removes",
            Self::Character => "the name has a character that Windows does not allow",
        }
    }
}

/// Checks one component of a path.
pub(crate) fn check(name: &str) -> Result<(), BadName> {
    if name.contains(':') {
        return Err(BadName::Stream);
    }
    if name.is_empty() || name.contains(|c: char| c < ' ' || "<>\"|?*/\\".contains(c)) {
        return Err(BadName::Character);
    }
    if name.ends_with(['.', ' ']) {
        return Err(BadName::Shortened);
    }
    if is_device(name) { Err(BadName::Device) } else { Ok(()) }
}

/// Returns whether a name is a device with any extension: `nul`, `COM1.txt`, `CON .md`.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end_matches(' ');
    let stem = stem.to_ascii_uppercase();
    if matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" | "CLOCK$") {
        return true;
    }
    let number = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    // Windows takes superscript digits for digits.
    number.is_some_and(|number| {
        let mut digits = number.chars();
        matches!(digits.next(), Some('0'..='9' | '\u{b9}' | '\u{b2}' | '\u{b3}')) && digits.next().is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c5_7_names_of_devices_are_refused_with_any_extension_and_case() {
        for name in [
            "nul",
            "NUL",
            "Con",
            "aux.txt",
            "COM1",
            "com9.tar.gz",
            "LPT1",
            "COM¹",
            "lpt³.x",
            "CON .md",
            "CONIN$",
        ] {
            assert_eq!(check(name), Err(BadName::Device), "{name}");
        }
        for name in ["null", "console", "COM", "COM10", "COMA", "auxiliary.txt", "my.nul", "lpt", "com1x"] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
    }

    #[test]
    fn c5_7_streams_and_shortened_names_are_refused() {
        assert_eq!(check("file.txt:stream"), Err(BadName::Stream));
        assert!(BadName::Stream.reason().contains("stream"));
        assert_eq!(check("file.txt::$DATA"), Err(BadName::Stream));
        assert_eq!(check(".git "), Err(BadName::Shortened));
        assert_eq!(check(".git."), Err(BadName::Shortened));
        assert_eq!(check("a?b"), Err(BadName::Character));
        assert_eq!(check("a\u{7}b"), Err(BadName::Character));
        assert_eq!(check("..."), Err(BadName::Shortened));
        assert_eq!(check("ordinary name.tar.gz"), Ok(()));
        assert_eq!(check("PROGRA~1"), Ok(()));
    }
}
