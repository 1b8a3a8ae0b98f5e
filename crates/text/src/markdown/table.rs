//! Tables: columns shrink to the width and their cells wrap; where even that does not fit, rows become lists.

use pulldown_cmark::Alignment;

use super::{layout::Layout, tree::Run};
use crate::{row::Row, style::Style, theme::Token};

/// No column is narrower, unless its content is.
const MIN_COLUMN: usize = 4;
/// Columns beyond this are not drawn; a table is for reading.
const MAX_COLUMNS: usize = 64;

type Cells = Vec<Vec<Vec<Row>>>;

pub(super) fn draw(
    layout: &Layout<'_>,
    alignments: &[Alignment],
    rows: &[Vec<Vec<Run>>],
    columns: usize,
) -> Vec<Row> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0).min(MAX_COLUMNS);
    if count == 0 {
        return Vec::new();
    }
    let cells: Cells = rows
        .iter()
        .enumerate()
        .map(|(at, row)| {
            let base = if at == 0 { layout.options.text.bold() } else { layout.options.text };
            (0..count)
                .map(|column| row.get(column).map_or_else(Vec::new, |runs| layout.lines(runs, base)))
                .collect()
        })
        .collect();
    let natural: Vec<usize> = (0..count)
        .map(|column| {
            let widths = cells.iter().filter_map(|row| row.get(column)).flatten().map(Row::width);
            widths.max().unwrap_or(0).max(1)
        })
        .collect();
    // `│ ` before each cell and ` │` at the end.
    let frame = count * 3 + 1;
    let room = columns.saturating_sub(frame);
    match shrink(&natural, room) {
        Some(widths) => grid(layout, alignments, &cells, &widths),
        None => list(layout, &cells, columns),
    }
}

/// Takes columns from the widest until everything fits.
fn shrink(natural: &[usize], room: usize) -> Option<Vec<usize>> {
    let least: usize = natural.iter().map(|width| (*width).min(MIN_COLUMN)).sum();
    if least > room {
        return None;
    }
    let mut widths = natural.to_vec();
    while widths.iter().sum::<usize>() > room {
        let excess = widths.iter().sum::<usize>() - room;
        let widest = widths.iter().copied().max()?;
        let second = widths.iter().copied().filter(|width| *width < widest).max().unwrap_or(MIN_COLUMN);
        let many = widths.iter().filter(|width| **width == widest).count();
        // All of the widest shrink together, to the next or as far as needed.
        let step = (widest - second.max(MIN_COLUMN).min(widest - 1)).min(excess.div_ceil(many)).max(1);
        let mut left = excess;
        for width in widths.iter_mut().filter(|width| **width == widest) {
            let taken = step.min(left);
            *width -= taken;
            left -= taken;
        }
    }
    Some(widths)
}

fn grid(layout: &Layout<'_>, alignments: &[Alignment], cells: &Cells, widths: &[usize]) -> Vec<Row> {
    let border = layout.theme.style(Token::MdCodeBlockBorder);
    let rule = |left: &str, middle: &str, right: &str| {
        let parts: Vec<String> = widths.iter().map(|width| "─".repeat(width + 2)).collect();
        Row::styled(format!("{left}{}{right}", parts.join(middle)), border)
    };
    let mut rows = vec![rule("┌", "┬", "┐")];
    for (at, row) in cells.iter().enumerate() {
        if at == 1 {
            rows.push(rule("├", "┼", "┤"));
        }
        let wrapped: Vec<Vec<Row>> = row
            .iter()
            .zip(widths)
            .map(|(lines, width)| lines.iter().flat_map(|line| line.wrap(*width)).collect())
            .collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(0).max(1);
        for line in 0..height {
            let mut drawn = Row::new();
            for (column, width) in widths.iter().enumerate() {
                drawn.push_text("│ ", border);
                let cell = wrapped.get(column).and_then(|lines| lines.get(line)).cloned().unwrap_or_default();
                drawn.append(aligned(cell, *width, alignments.get(column).copied()));
                drawn.push_text(" ", Style::PLAIN);
            }
            drawn.push_text("│", border);
            rows.push(drawn);
        }
    }
    rows.push(rule("└", "┴", "┘"));
    rows
}

fn aligned(cell: Row, width: usize, alignment: Option<Alignment>) -> Row {
    let missing = width.saturating_sub(cell.width());
    let before = match alignment {
        Some(Alignment::Right) => missing,
        Some(Alignment::Center) => missing / 2,
        _ => 0,
    };
    cell.indented(before).padded(width, Style::PLAIN)
}

/// Each row as `header: cell` lines.
fn list(layout: &Layout<'_>, cells: &Cells, columns: usize) -> Vec<Row> {
    let label = layout.theme.style(Token::MdListBullet);
    let joined = |lines: &[Row]| lines.iter().map(Row::text).collect::<Vec<_>>().join(" ");
    let headers: Vec<String> = cells.first().into_iter().flatten().map(|lines| joined(lines)).collect();
    if cells.len() < 2 {
        let row = Row::styled(headers.join(" · "), layout.options.text.bold());
        return row.wrap(columns);
    }
    let mut rows = Vec::new();
    for row in cells.iter().skip(1) {
        if !rows.is_empty() {
            rows.push(Row::new());
        }
        for (header, cell) in headers.iter().zip(row) {
            let mut line = Row::styled(format!("{header}: "), label);
            for part in cell {
                line.append(part.clone());
            }
            rows.extend(line.wrap(columns));
        }
    }
    rows
}
