//! A terminal screen as an image: one text line per row, one element per change of style.

use std::fmt::Write as _;

use anyhow::Result;
use vt100::{Cell, Color, Screen};

const CELL_WIDTH: f64 = 7.8;
const LINE: f64 = 17.0;
const MARGIN: f64 = 16.0;
/// Height of the title bar.
const BAR: f64 = 30.0;
const BACKGROUND: &str = "#16181d";
const TEXT: &str = "#d7dae0";
/// The sixteen terminal colours, dark ones first.
const COLOURS: [&str; 16] = [
    "#3b3f4a", "#f26d6d", "#7bc275", "#e5c07b", "#6ca8f0", "#c98fe0", "#56b6c2", "#c8ccd4", "#6b7180",
    "#ff8a80", "#98d992", "#f0d28f", "#8fc1ff", "#dcb0ee", "#7fd0da", "#ffffff",
];

/// Style of a piece of text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Look {
    colour: String,
    background: Option<String>,
    bold: bool,
    dim: bool,
    italic: bool,
    underline: bool,
}

impl Look {
    fn of(cell: &Cell) -> Self {
        let (mut front, mut back) = (colour(cell.fgcolor()), colour(cell.bgcolor()));
        if cell.inverse() {
            (front, back) = (back.or(Some(BACKGROUND.to_owned())), front.or(Some(TEXT.to_owned())));
        }
        Self {
            colour: front.unwrap_or_else(|| TEXT.to_owned()),
            background: back,
            bold: cell.bold(),
            dim: cell.dim(),
            italic: cell.italic(),
            underline: cell.underline(),
        }
    }

    fn attributes(&self) -> String {
        let mut text = format!("fill=\"{}\"", self.colour);
        for (on, attribute) in [
            (self.bold, " font-weight=\"bold\""),
            (self.dim, " opacity=\"0.6\""),
            (self.italic, " font-style=\"italic\""),
            (self.underline, " text-decoration=\"underline\""),
        ] {
            text.push_str(if on { attribute } else { "" });
        }
        text
    }
}

/// Adjacent cells of the same style.
struct Piece {
    column: u16,
    cells: u16,
    look: Look,
    text: String,
}

/// Draws the screen down to the last non-empty row.
pub(super) fn draw(screen: &Screen, title: &str) -> Result<String> {
    let (rows, columns) = screen.size();
    let (rows, columns) = (rows.get(), columns.get());
    let lines: Vec<Vec<Piece>> = (0..rows).map(|row| pieces(screen, row, columns)).collect();
    let used = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    let width = f64::from(columns) * CELL_WIDTH + 2.0 * MARGIN;
    let height = BAR + used as f64 * LINE + 2.0 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"13\">\n\
         <title>{}</title>\n\
         <rect width=\"{width:.0}\" height=\"{height:.0}\" rx=\"8\" fill=\"{BACKGROUND}\"/>\n",
        escape(title)
    );
    for (at, colour) in ["#f26d6d", "#e5c07b", "#7bc275"].iter().enumerate() {
        writeln!(svg, "<circle cx=\"{}\" cy=\"18\" r=\"5.5\" fill=\"{colour}\"/>", 20 + at * 18)?;
    }
    for (row, line) in lines.iter().take(used).enumerate() {
        let top = BAR + MARGIN + row as f64 * LINE;
        for piece in line {
            let x = MARGIN + f64::from(piece.column) * CELL_WIDTH;
            let wide = f64::from(piece.cells) * CELL_WIDTH;
            if let Some(background) = &piece.look.background {
                writeln!(
                    svg,
                    "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"{LINE}\" fill=\"{background}\"/>"
                )?;
            }
            // The length is set explicitly, so that every font keeps the columns.
            writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{:.1}\" textLength=\"{wide:.1}\" lengthAdjust=\"spacingAndGlyphs\" \
                 xml:space=\"preserve\" {}>{}</text>",
                top + 13.0,
                piece.look.attributes(),
                escape(&piece.text)
            )?;
        }
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

/// Returns the pieces of a row without surrounding blanks.
fn pieces(screen: &Screen, row: u16, columns: u16) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for column in 0..columns {
        let Some(cell) = screen.cell(row, column).filter(|cell| !cell.is_wide_continuation()) else {
            continue;
        };
        let text = if cell.has_contents() { cell.contents() } else { " " };
        let cells = if cell.is_wide() { 2 } else { 1 };
        let look = Look::of(cell);
        match pieces.last_mut() {
            Some(last) if last.look == look && last.column + last.cells == column => {
                last.text.push_str(text);
                last.cells += cells;
            }
            _ => pieces.push(Piece { column, cells, look, text: text.to_owned() }),
        }
    }
    for piece in pieces.iter_mut().filter(|piece| piece.look.background.is_none()) {
        let blanks = |text: &str| u16::try_from(text.chars().take_while(|c| *c == ' ').count()).unwrap_or(0);
        let (before, after) = (blanks(&piece.text), blanks(&piece.text.chars().rev().collect::<String>()));
        piece.text = piece.text.trim_matches(' ').to_owned();
        if piece.text.is_empty() {
            piece.cells = 0;
        } else {
            piece.column += before;
            piece.cells -= before + after;
        }
    }
    pieces.retain(|piece| piece.cells > 0);
    pieces
}

/// `None` for the terminal's default.
fn colour(colour: Color) -> Option<String> {
    match colour {
        Color::Default => None,
        Color::Idx(index @ 0..=15) => COLOURS.get(usize::from(index)).map(|colour| (*colour).to_owned()),
        // A cube of 216 colours, then greys.
        Color::Idx(index @ 16..=231) => {
            let level = |part: u8| if part == 0 { 0 } else { 55 + part * 40 };
            let index = index - 16;
            Some(hex(level(index / 36), level(index / 6 % 6), level(index % 6)))
        }
        Color::Idx(index) => {
            let grey = 8 + (index - 232) * 10;
            Some(hex(grey, grey, grey))
        }
        Color::Rgb(red, green, blue) => Some(hex(red, green, blue)),
    }
}

fn hex(red: u8, green: u8, blue: u8) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Escapes text for SVG.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
