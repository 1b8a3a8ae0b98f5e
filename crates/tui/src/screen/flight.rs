//! Frames that the terminal has not confirmed. Each is followed by a question for the terminal's size; the answer tells in
//! which size the frame was drawn.
//!
//! A terminal can be narrower before the program learns it: tmux tells it 250 ms later. It has then wrapped the rows of the
//! region, and the next frame, which counts rows as they were, begins too low. The answer to that frame makes the damage known:
//! where the region really began, and which finished rows have to be written again.

use std::time::Instant;

use super::{PlacedImage, Size};
use crate::text::Row;

/// Asks for the size in characters (XTWINOPS 18). The answer is `CSI 8 ; rows ; columns t`.
pub(crate) const ASK_SIZE: &str = "\x1b[18t";

/// The region as the terminal shows it.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) rows: Vec<Row>,
    pub(super) height: usize,
    pub(super) cursor: (usize, usize),
}

/// Frames on their way, and the region before them.
#[derive(Debug)]
pub(super) struct Flight {
    before: Region,
    /// Finished rows of the frames with the rows of the terminal they took, and their images.
    history: Vec<(Row, usize)>,
    images: Vec<PlacedImage>,
    /// Answers that have not arrived.
    asked: usize,
    /// Size in the first answer that was narrower than expected.
    narrowed: Option<Size>,
    /// Width in the first answer, if that was wider than expected, and what the first frame assumed.
    widened: Option<usize>,
    assumed: Assumed,
    pub(super) since: Instant,
}

/// State of the screen after frames were drawn in a terminal that was narrower than expected.
#[derive(Debug)]
pub(super) struct Damage {
    /// Rows from the first one of the region to the last one that was touched.
    pub(super) height: usize,
    /// Row of the cursor in it.
    pub(super) row: usize,
    /// Finished rows to write again from the first row on.
    pub(super) history: Vec<Row>,
    pub(super) images: Vec<PlacedImage>,
    /// Rows at the beginning of the region that are in the scrollback now.
    pub(super) lost: usize,
    pub(super) assumed: Assumed,
}

/// Rows that a narrower terminal is assumed to have wrapped, before the next frame goes up over them. If the terminal is wider
/// again by then, the frame goes up too far and writes over finished rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Assumed {
    pub(super) rows: Vec<Row>,
    /// Rows of the screen they are assumed to take.
    pub(super) taken: usize,
}

impl Assumed {
    /// Returns how many finished rows were written over in a terminal of this width.
    fn too_far(&self, columns: usize) -> usize {
        let taken = self.rows.iter().map(|row| wrapped(row, columns)).sum();
        self.taken.saturating_sub(taken)
    }
}

impl Flight {
    pub(super) fn new(before: Region, assumed: Assumed) -> Self {
        Self {
            before,
            history: Vec::new(),
            images: Vec::new(),
            asked: 0,
            narrowed: None,
            widened: None,
            assumed,
            since: Instant::now(),
        }
    }

    /// Returns how many finished rows the frames wrote over, because the terminal was wider than expected, and how many
    /// finished rows they wrote.
    pub(super) fn overwritten(&self) -> (usize, usize) {
        (self.widened.map_or(0, |columns| self.assumed.too_far(columns)), self.history.len())
    }

    /// Adds a frame that asks.
    pub(super) fn add(&mut self) {
        self.asked += 1;
        self.since = Instant::now();
    }

    /// Adds finished rows, which the terminal wraps at `columns`.
    pub(super) fn add_history(&mut self, history: &[Row], images: &[PlacedImage], columns: usize) {
        let offset = self.history.len();
        self.history.extend(history.iter().map(|row| (row.clone(), wrapped(row, columns))));
        self.images
            .extend(images.iter().map(|image| PlacedImage { row: image.row + offset, ..image.clone() }));
    }

    /// Takes an answer. Returns whether it was the last one.
    pub(super) fn answer(&mut self, size: Size, expected: Size) -> bool {
        if size.columns < expected.columns {
            self.narrowed.get_or_insert(size);
        } else if size.columns > expected.columns {
            self.widened.get_or_insert(size.columns);
        }
        self.asked = self.asked.saturating_sub(1);
        self.asked == 0
    }

    /// Returns the damage, if the terminal was narrower. `row` and `height` are the cursor's row and the rows of the region as
    /// the last frame left them.
    pub(super) fn damage(self, row: usize, height: usize, reflows: bool) -> Option<Damage> {
        let size = self.narrowed?;
        let Region { rows, height: old_height, cursor } = self.before;
        // Rows that are not known cannot be counted.
        let reflows = reflows && !rows.is_empty();
        let taken = |row: &Row| if reflows { wrapped(row, size.columns) } else { 1 };
        let in_row = if reflows { cursor.1 / size.columns.max(1) } else { 0 };
        let above = rows.iter().take(cursor.0).map(taken).sum::<usize>() + in_row;
        // The frames went up by as many rows as there were before they wrapped.
        let start = above.saturating_sub(cursor.0);
        let count: usize = self.history.iter().map(|(_, taken)| taken).sum();
        let written = start + old_height.max(count + height);
        let height = rows.iter().map(taken).sum::<usize>().max(written).max(1);
        let row = start + count + row;
        // What no longer fits has left the screen at the top: first wrapped rows, then finished ones.
        let gone = height.saturating_sub(size.rows);
        let mut over = match reflows {
            true => Overflow::of(&rows, size.columns, gone, start),
            false => Overflow::default(),
        };
        let same = self.history.iter().zip(&rows).take(over.lost);
        let same = same.take_while(|((row, _), lost)| row == *lost).count();
        if same < over.lost.min(self.history.len()) {
            over = Overflow::default();
        }
        let mut left = gone.saturating_sub(start);
        let is_gone = |(_, taken): &&(Row, usize)| {
            let is_gone = *taken <= left;
            left = left.saturating_sub(*taken);
            is_gone
        };
        let mut skipped = self.history.iter().take_while(is_gone).count().max(over.lost.min(same));
        // Where rows are not known, one is rather written twice than not at all.
        if rows.is_empty() {
            skipped = 0;
        }
        let images = self.images.into_iter().filter(|image| image.row >= skipped);
        let mut assumed = Assumed { rows: Vec::new(), taken: start };
        let mut end = 0;
        for row in rows.iter().skip(over.lost) {
            end += taken(row);
            if end <= start {
                assumed.rows.push(row.clone());
            }
        }
        let top = gone + over.kept;
        let height = (height - gone).saturating_sub(over.kept).max(1);
        Some(Damage {
            height,
            row: row.saturating_sub(top).min(height - 1),
            images: images.map(|image| PlacedImage { row: image.row - skipped, ..image }).collect(),
            lost: over.lost.saturating_sub(self.history.len()),
            assumed,
            history: self.history.into_iter().skip(skipped).map(|(row, _)| row).collect(),
        })
    }
}

/// The first rows of a region that became too high by wrapping. They are in the scrollback for good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Overflow {
    /// Rows that left the screen, or began to.
    pub(super) lost: usize,
    /// Rows of the screen that still show the end of the last one.
    pub(super) kept: usize,
}

impl Overflow {
    /// Counts the rows if `gone` rows of the screen left it and the first `intact` ones were not written over.
    pub(super) fn of(rows: &[Row], columns: usize, gone: usize, intact: usize) -> Self {
        let (mut end, mut lost, mut begin) = (0, 0, 0);
        for row in rows {
            if end >= gone {
                break;
            }
            (begin, end, lost) = (end, end + wrapped(row, columns), lost + 1);
        }
        match end <= intact.max(gone) {
            true => Self { lost, kept: end - gone.min(end) },
            // The end of the row was written over, so the row has to be written again.
            false => Self { lost: lost - usize::from(end > begin), kept: 0 },
        }
    }
}

/// Returns the rows that a row takes in a terminal of this width.
pub(super) fn wrapped(row: &Row, columns: usize) -> usize {
    row.width().max(1).div_ceil(columns.max(1))
}
