//! Images: the cells they take and the sequence that draws them, or a placeholder.

use base64::Engine as _;
use toolsmith_text::{ImageProtocol, Row, Theme, Token, image_size, inline_image};

use super::BlockOptions;

/// Pixels of a cell where the terminal does not tell.
const CELL: (u32, u32) = (9, 18);
/// Rows of an image.
const MAX_ROWS: usize = 16;
const MAX_COLUMNS: usize = 80;
/// More base64 than this is not sent to a terminal.
const MAX_DATA: usize = 8 << 20;

/// An image of a message or result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageBlock {
    /// Bytes in base64.
    pub data: String,
    /// Media type.
    pub mime_type: String,
    /// Name, if it has one.
    pub name: Option<String>,
}

/// An image as a terminal draws it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImageRows {
    /// Written at the first of the rows.
    pub sequence: String,
    /// Columns it covers.
    pub columns: usize,
    /// Rows it covers.
    pub rows: usize,
}

impl ImageBlock {
    fn size_text(&self) -> String {
        let bytes = self.data.len() * 3 / 4;
        let size = match bytes {
            0..=1023 => format!("{bytes} B"),
            1024..=1_048_575 => format!("{} KB", bytes / 1024),
            _ => format!("{}.{} MB", bytes >> 20, ((bytes & 0xf_ffff) * 10) >> 20),
        };
        match self.pixels() {
            Some(pixels) => format!("{}×{}, {size}", pixels.width, pixels.height),
            None => size,
        }
    }

    fn pixels(&self) -> Option<toolsmith_text::ImageSize> {
        // The first bytes are enough for the size, except in a JPEG with large metadata.
        let head = self.data.get(..self.data.len().min(256 << 10) / 4 * 4)?;
        let bytes = base64::engine::general_purpose::STANDARD.decode(head).ok()?;
        image_size(&bytes)
    }

    /// Returns the cells and the sequence for a protocol; `None` if it cannot show the image.
    pub fn drawn(
        &self,
        protocol: ImageProtocol,
        columns: usize,
        cell: Option<(u32, u32)>,
    ) -> Option<ImageRows> {
        if self.data.len() > MAX_DATA {
            return None;
        }
        let room = columns.saturating_sub(2).clamp(1, MAX_COLUMNS);
        let (columns, rows) = self.pixels()?.cells(room, MAX_ROWS, cell.unwrap_or(CELL));
        let sequence = inline_image(protocol, &self.data, &self.mime_type, columns, rows)?;
        Some(ImageRows { sequence, columns, rows })
    }

    /// Draws the placeholder.
    pub fn rows(&self, columns: usize, theme: &Theme, _options: &BlockOptions) -> Vec<Row> {
        let name = self.name.as_deref().map(|name| format!("{name}, ")).unwrap_or_default();
        let text = format!(" [image: {name}{}, {}]", self.mime_type, self.size_text());
        vec![Row::styled(text, theme.style(Token::Muted)).ellipsized(columns)]
    }
}
