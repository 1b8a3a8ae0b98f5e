//! The lines of a review as runs: a difference or the details of a tool can have millions of them, and every key needs only
//! those on the screen.

use super::ReviewAction;

/// A line of the list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// The item that this line is the header of.
    pub(super) item: Option<usize>,
    pub(super) part: Part,
}

/// The part of an action that a line shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The name of a file.
    File(usize),
    /// The header of a hunk, by file and number.
    Hunk(usize, usize),
    /// A drawn row of a difference, by file, hunk and number.
    Diff(usize, usize, usize),
    /// A row of the details.
    Detail(usize),
}

/// Lines of one kind. `part` is that of the first.
#[derive(Debug)]
struct Run {
    begin: usize,
    count: usize,
    item: Option<usize>,
    /// The item that the lines belong to.
    belongs: usize,
    part: Part,
}

/// All lines of an action.
#[derive(Debug, Default)]
pub(super) struct Lines {
    runs: Vec<Run>,
}

impl Lines {
    pub(super) fn new(action: &ReviewAction) -> Self {
        let mut lines = Self::default();
        let mut items = 0;
        for (file_at, file) in action.files.iter().enumerate() {
            lines.header(&mut items, Part::File(file_at));
            if !file.is_open {
                continue;
            }
            for (hunk_at, layout) in file.layouts.iter().enumerate() {
                if file.shows_hunks() {
                    lines.header(&mut items, Part::Hunk(file_at, hunk_at));
                }
                lines.push(layout.len(), None, items - 1, Part::Diff(file_at, hunk_at, 0));
            }
        }
        lines.push(action.detail_rows(), None, 0, Part::Detail(0));
        lines
    }

    fn header(&mut self, items: &mut usize, part: Part) {
        self.push(1, Some(*items), *items, part);
        *items += 1;
    }

    fn push(&mut self, count: usize, item: Option<usize>, belongs: usize, part: Part) {
        if count > 0 {
            self.runs.push(Run { begin: self.len(), count, item, belongs, part });
        }
    }

    pub(super) fn len(&self) -> usize {
        self.runs.last().map_or(0, |last| last.begin + last.count)
    }

    /// Returns the lines from `first` on.
    pub(super) fn from(&self, first: usize) -> impl Iterator<Item = Line> {
        let at = self.runs.partition_point(|run| run.begin + run.count <= first);
        let runs = self.runs.get(at..).unwrap_or_default().iter();
        runs.flat_map(move |run| {
            let skipped = first.saturating_sub(run.begin);
            (skipped..run.count).map(|row| Line { item: run.item, part: run.part.at(row) })
        })
    }

    /// Returns the first header from a line on.
    pub(super) fn item_from(&self, first: usize) -> Option<usize> {
        self.runs.iter().filter(|run| run.begin >= first).find_map(|run| run.item)
    }

    /// Returns the line of a part and the item it belongs to.
    pub(super) fn find(&self, part: Part) -> Option<(usize, usize)> {
        self.runs.iter().find_map(|run| {
            let row = (run.part.at(part.row()) == part && part.row() < run.count).then_some(part.row())?;
            Some((run.begin + row, run.belongs))
        })
    }

    /// Returns the first and last line of an item.
    pub(super) fn of_item(&self, item: usize) -> (usize, usize) {
        let first = self.runs.iter().find(|run| run.item == Some(item)).map_or(0, |run| run.begin);
        let last = self.runs.iter().rfind(|run| run.belongs == item);
        (first, last.map_or(first, |run| run.begin + run.count - 1).max(first))
    }
}

impl Part {
    /// Returns this part of another row.
    fn at(self, row: usize) -> Self {
        match self {
            Self::Diff(file, hunk, _) => Self::Diff(file, hunk, row),
            Self::Detail(_) => Self::Detail(row),
            Self::File(_) | Self::Hunk(..) => self,
        }
    }

    fn row(self) -> usize {
        match self {
            Self::Diff(_, _, row) | Self::Detail(row) => row,
            Self::File(_) | Self::Hunk(..) => 0,
        }
    }
}
