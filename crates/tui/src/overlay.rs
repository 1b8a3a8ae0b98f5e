//! The place of an overlay on the screen.

use toolsmith_text::{Row, Style};
use toolsmith_tool::{Anchor, Length, OverlayOptions};

/// Columns of an overlay that does not say how wide it is.
const DEFAULT_COLUMNS: usize = 80;

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// First column.
    pub column: usize,
    /// First row.
    pub row: usize,
    /// Columns.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
}

/// Returns the columns an overlay is drawn with.
pub fn overlay_columns(options: &OverlayOptions, columns: usize) -> usize {
    let most = columns.saturating_sub(options.margin.left + options.margin.right).max(1);
    if options.fullscreen {
        return most;
    }
    let wanted = options.width.map_or(DEFAULT_COLUMNS, |width| width.cells(columns));
    wanted.max(options.min_width.unwrap_or(0)).clamp(1, most)
}

/// Returns where an overlay with this many rows goes. It is always within the screen.
pub fn overlay_area(options: &OverlayOptions, rows_drawn: usize, columns: usize, rows: usize) -> Area {
    let margin = options.margin;
    let most = rows.saturating_sub(margin.top + margin.bottom).max(1);
    let width = overlay_columns(options, columns);
    let height = if options.fullscreen {
        most
    } else {
        let limit = options.max_height.map_or(most, |height| height.cells(rows));
        rows_drawn.min(limit).clamp(1, most)
    };
    let place = |start: usize, end: usize, size: usize, whole: usize, at: Edge| {
        let free = whole.saturating_sub(start + end + size);
        start
            + match at {
                Edge::Start => 0,
                Edge::Middle => free / 2,
                Edge::End => free,
            }
    };
    let (across, down) = edges(options.anchor);
    let column = match options.col {
        Some(col) => from_length(col, columns, width),
        None => place(margin.left, margin.right, width, columns, across),
    };
    let row = match options.row {
        Some(row) => from_length(row, rows, height),
        None => place(margin.top, margin.bottom, height, rows, down),
    };
    Area {
        column: shifted(column, options.offset_x, columns.saturating_sub(width)),
        row: shifted(row, options.offset_y, rows.saturating_sub(height)),
        columns: width.min(columns.max(1)),
        rows: height.min(rows.max(1)),
    }
}

/// Returns a row of the screen with a row of an overlay over it.
pub fn covered(below: Row, over: Row, area: Area) -> Row {
    let end = area.column + area.columns;
    let visible = below.width().saturating_sub(end);
    let (left, _) = below.clone().split(area.column);
    let (_, mut right) = below.split(end);
    // Half of a wide character at the edge is a space.
    if right.width() > visible {
        let mut rest = Row::plain(" ");
        rest.append(right.split(2).1);
        right = rest;
    }
    let mut row = left.padded(area.column, Style::PLAIN);
    row.append(over.cut(area.columns).padded(area.columns, Style::PLAIN));
    row.append(right);
    row
}

/// A share is of the free room, so that 100% is the far end.
fn from_length(length: Length, whole: usize, size: usize) -> usize {
    match length {
        Length::Cells(cells) => cells,
        Length::Percent(_) => length.cells(whole.saturating_sub(size)),
    }
}

fn shifted(at: usize, offset: i32, most: usize) -> usize {
    let offset = isize::try_from(offset).unwrap_or(0);
    at.checked_add_signed(offset).unwrap_or(0).min(most)
}

#[derive(Clone, Copy)]
enum Edge {
    Start,
    Middle,
    End,
}

fn edges(anchor: Anchor) -> (Edge, Edge) {
    match anchor {
        Anchor::TopLeft => (Edge::Start, Edge::Start),
        Anchor::TopCenter => (Edge::Middle, Edge::Start),
        Anchor::TopRight => (Edge::End, Edge::Start),
        Anchor::LeftCenter => (Edge::Start, Edge::Middle),
        Anchor::Center => (Edge::Middle, Edge::Middle),
        Anchor::RightCenter => (Edge::End, Edge::Middle),
        Anchor::BottomLeft => (Edge::Start, Edge::End),
        Anchor::BottomCenter => (Edge::Middle, Edge::End),
        Anchor::BottomRight => (Edge::End, Edge::End),
    }
}

#[cfg(test)]
#[path = "overlay_tests.rs"]
mod tests;
