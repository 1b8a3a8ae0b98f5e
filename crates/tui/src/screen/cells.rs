//! Rows as cells, and the shortest bytes that turn one row into another.

use std::{fmt::Write as _, sync::Arc};

use unicode_segmentation::UnicodeSegmentation as _;

use crate::text::{ColorDepth, Row, Style, grapheme_width};

/// One character of a row with its style; wide ones take two columns.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell<'a> {
    grapheme: &'a str,
    columns: usize,
    style: Style,
    link: Option<&'a Arc<str>>,
}

fn cells(row: &Row) -> impl Iterator<Item = Cell<'_>> {
    row.spans().iter().flat_map(|span| {
        span.text().graphemes(true).map(|grapheme| Cell {
            grapheme,
            columns: grapheme_width(grapheme),
            style: span.style,
            link: span.link.as_ref(),
        })
    })
}

/// The part of a row that has to be written.
#[derive(Debug, PartialEq)]
pub(super) struct Change {
    /// Column where it starts.
    pub(super) column: usize,
    /// The bytes; styles are reset at the end.
    pub(super) bytes: String,
}

/// Returns what turns `old` into `new`; `None` if they are equal. Both start at column zero.
pub(super) fn change(old: &Row, new: &Row, depth: ColorDepth) -> Option<Change> {
    if old == new {
        return None;
    }
    let (old, new): (Vec<_>, Vec<_>) = (cells(old).collect(), cells(new).collect());
    let before = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let columns = |cells: &[Cell<'_>]| cells.iter().map(|cell| cell.columns).sum::<usize>();
    let (old_columns, new_columns) = (columns(&old), columns(&new));
    let column = columns(new.get(..before).unwrap_or_default());
    let (old, new) = (old.get(before..).unwrap_or_default(), new.get(before..).unwrap_or_default());
    // A common end stays where it is only if both rows have the same width.
    let after = match old_columns == new_columns {
        true => old.iter().rev().zip(new.iter().rev()).take_while(|(one, other)| one == other).count(),
        false => 0,
    };
    let mut bytes = String::new();
    write_cells(new.get(..new.len() - after).unwrap_or_default(), depth, &mut bytes);
    if old_columns > new_columns {
        bytes.push_str("\x1b[K");
    }
    // Rows can differ in what is not shown, such as colours on a terminal without them.
    Some(Change { column, bytes })
}

/// Appends a whole row, after erasing the one that is there.
pub(super) fn write_row(row: &Row, depth: ColorDepth, out: &mut String) {
    out.push_str("\x1b[2K");
    let cells: Vec<_> = cells(row).collect();
    write_cells(&cells, depth, out);
}

fn write_cells(cells: &[Cell<'_>], depth: ColorDepth, out: &mut String) {
    let (mut style, mut link): (Style, Option<&Arc<str>>) = (Style::PLAIN, None);
    for cell in cells {
        if cell.link != link {
            link = cell.link;
            let _ = write!(out, "\x1b]8;;{}\x1b\\", link.map_or("", |address| address));
        }
        let wanted = cell.style.reduced(depth);
        if wanted != style {
            out.push_str(&wanted.sequence(depth));
            style = wanted;
        }
        out.push_str(cell.grapheme);
    }
    if link.is_some() {
        out.push_str("\x1b]8;;\x1b\\");
    }
    if style != Style::PLAIN {
        out.push_str("\x1b[0m");
    }
}
