//! The data of a reparse point: where a symbolic link or a junction of Windows leads.

const SYMLINK: u32 = 0xA000_000C;
const JUNCTION: u32 = 0xA000_0003;
/// Tag, length, and a reserved number.
const HEADER: usize = 8;

/// Returns the target of a link as UTF-16; `None` for other reparse points and damaged data. An absolute target has a drive, or
/// `\\?\` in front of a volume or share.
pub(super) fn target(data: &[u8]) -> Option<Vec<u16>> {
    let number = |at: usize| Some(u16::from_le_bytes(data.get(at..at + 2)?.try_into().ok()?));
    let tag = u32::from_le_bytes(data.get(..4)?.try_into().ok()?);
    // A link has flags after the four offsets and lengths; a junction has not.
    let (text_at, is_relative) = match tag {
        SYMLINK => (HEADER + 12, number(HEADER + 8)? & 1 == 1),
        JUNCTION => (HEADER + 8, false),
        _ => return None,
    };
    let start = text_at.checked_add(number(HEADER)?.into())?;
    let end = start.checked_add(number(HEADER + 2)?.into())?;
    let bytes = data.get(start..end)?;
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    if is_relative { Some(units) } else { Some(from_kernel(units)) }
}

/// Turns a name of the kernel (`\??\C:\x`) into a path (`C:\x`).
fn from_kernel(units: Vec<u16>) -> Vec<u16> {
    let text = String::from_utf16_lossy(&units);
    let Some(rest) = text.strip_prefix(r"\??\") else { return units };
    match rest.as_bytes() {
        [drive, b':', ..] if drive.is_ascii_alphabetic() => units.get(4..).unwrap_or_default().to_vec(),
        _ => r"\\?\".encode_utf16().chain(units.get(4..).unwrap_or_default().iter().copied()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(tag: u32, flags: Option<u32>, text: &str) -> Vec<u8> {
        let text: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let length = u16::try_from(text.len()).unwrap();
        let mut data = tag.to_le_bytes().to_vec();
        data.extend([0; 4]);
        for number in [0, length, length, 0] {
            data.extend(number.to_le_bytes());
        }
        data.extend(flags.map(u32::to_le_bytes).unwrap_or_default().iter().take(if flags.is_some() {
            4
        } else {
            0
        }));
        data.extend(text);
        data
    }

    fn read(data: &[u8]) -> Option<String> {
        target(data).map(|units| String::from_utf16(&units).unwrap())
    }

    #[test]
    fn links_and_junctions_lead_where_they_say() {
        assert_eq!(read(&data(SYMLINK, Some(1), r"..\other")).as_deref(), Some(r"..\other"));
        assert_eq!(read(&data(SYMLINK, Some(0), r"\??\C:\x y")).as_deref(), Some(r"C:\x y"));
        assert_eq!(read(&data(JUNCTION, None, r"\??\D:\target")).as_deref(), Some(r"D:\target"));
        let share = r"\??\UNC\server\share\x";
        assert_eq!(read(&data(SYMLINK, Some(0), share)).as_deref(), Some(r"\\?\UNC\server\share\x"));
        let volume = r"\??\Volume{1-2}\";
        assert_eq!(read(&data(JUNCTION, None, volume)).as_deref(), Some(r"\\?\Volume{1-2}\"));
    }

    #[test]
    fn other_reparse_points_and_damaged_data_have_no_target() {
        assert_eq!(read(&data(0x8000_001B, None, "x")), None);
        assert_eq!(read(&[]), None);
        let whole = data(SYMLINK, Some(1), "target");
        for length in 0..whole.len() {
            assert_eq!(read(&whole[..length]), None, "{length}");
        }
    }
}
