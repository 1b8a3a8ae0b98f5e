//! Rows from lines that tools draw: colours (SGR) and links (OSC 8) become styles, everything else is dropped (CONTRACT
//! 6.3, 9.1).

use std::sync::Arc;

use crate::{
    filter::{Filter, Keep},
    row::{Row, Span},
    style::{Attributes, Color, Style},
    width::width,
};

/// Marks the cursor in a line that a focused component draws.
pub const CURSOR_MARKER: &str = "\x1b_pi:c\x07";

/// A row that a component drew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawnRow {
    /// The row.
    pub row: Row,
    /// Column of the cursor, if the component marked it here.
    pub cursor: Option<usize>,
}

/// Parses a drawn line and finds the cursor in it.
pub fn parse_drawn(line: &str) -> DrawnRow {
    match line.split_once(CURSOR_MARKER) {
        Some((before, after)) => {
            let cursor = width(&parse_row(before).text());
            DrawnRow { row: parse_row(&format!("{before}{after}")), cursor: Some(cursor) }
        }
        None => DrawnRow { row: parse_row(line), cursor: None },
    }
}

/// Parses one drawn line. A line break in it is dropped.
pub fn parse_row(line: &str) -> Row {
    let mut row = Row::new();
    let mut pen = Pen::default();
    if !line.contains(|c: char| c.is_control()) {
        row.push_text(line, Style::PLAIN);
        return row;
    }
    pen.draw(&Filter::new(Keep::Rendered).pass(line.as_bytes()), &mut |span| row.push(span));
    row
}

/// Parses drawn text of several lines. A style that is not reset continues on the next line.
pub fn parse_text(text: &str) -> Vec<Row> {
    let mut pen = Pen::default();
    let passed = Filter::new(Keep::Rendered).pass(text.as_bytes());
    passed
        .split('\n')
        .map(|line| {
            let mut row = Row::new();
            pen.draw(line, &mut |span| row.push(span));
            row
        })
        .collect()
}

/// The style and link of what follows.
#[derive(Default)]
struct Pen {
    style: Style,
    link: Option<Arc<str>>,
}

impl Pen {
    /// Reads filtered text: only SGR and OSC 8 sequences are left in it.
    fn draw(&mut self, text: &str, push: &mut dyn FnMut(Span)) {
        let mut rest = text;
        while let Some(at) = rest.find('\x1b') {
            let (before, sequence) = rest.split_at(at);
            self.span(before, push);
            rest = self.sequence(sequence);
        }
        self.span(rest, push);
    }

    fn span(&self, text: &str, push: &mut dyn FnMut(Span)) {
        let mut span = Span::new(text, self.style);
        span.link.clone_from(&self.link);
        push(span);
    }

    /// Applies the sequence at the start; returns what follows it.
    fn sequence<'t>(&mut self, text: &'t str) -> &'t str {
        if let Some(body) = text.strip_prefix("\x1b]8;;") {
            let (address, rest) = body.split_once("\x1b\\").unwrap_or((body, ""));
            self.link = (!address.is_empty()).then(|| address.into());
            return rest;
        }
        let body = text.strip_prefix("\x1b[").unwrap_or_default();
        match body.split_once('m') {
            Some((parameters, rest)) => {
                self.style = styled(self.style, parameters);
                rest
            }
            None => "",
        }
    }
}

/// Applies the parameters of an SGR sequence.
pub(crate) fn styled(mut style: Style, parameters: &str) -> Style {
    let mut numbers = parameters.split([';', ':']).map(|number| number.parse::<u16>().unwrap_or(0));
    while let Some(number) = numbers.next() {
        match number {
            0 => style = Style::PLAIN,
            1 => style = style.with(Attributes::BOLD),
            2 => style = style.with(Attributes::DIM),
            3 => style = style.with(Attributes::ITALIC),
            4 | 21 => style = style.with(Attributes::UNDERLINE),
            7 => style = style.with(Attributes::INVERSE),
            9 => style = style.with(Attributes::STRIKE),
            22 => style.attributes = style.attributes.without(Attributes::BOLD.with(Attributes::DIM)),
            23 => style.attributes = style.attributes.without(Attributes::ITALIC),
            24 => style.attributes = style.attributes.without(Attributes::UNDERLINE),
            27 => style.attributes = style.attributes.without(Attributes::INVERSE),
            29 => style.attributes = style.attributes.without(Attributes::STRIKE),
            30..=37 => style.fg = indexed(number - 30),
            90..=97 => style.fg = indexed(number - 82),
            40..=47 => style.bg = indexed(number - 40),
            100..=107 => style.bg = indexed(number - 92),
            39 => style.fg = Color::Default,
            49 => style.bg = Color::Default,
            38 => style.fg = extended(&mut numbers).unwrap_or(style.fg),
            48 => style.bg = extended(&mut numbers).unwrap_or(style.bg),
            58 => drop(extended(&mut numbers)),
            _ => {}
        }
    }
    style
}

fn indexed(index: u16) -> Color {
    u8::try_from(index).map_or(Color::Default, Color::Indexed)
}

fn extended(numbers: &mut impl Iterator<Item = u16>) -> Option<Color> {
    let mut channel = || numbers.next().map(|value| u8::try_from(value).unwrap_or(u8::MAX));
    match channel()? {
        5 => Some(Color::Indexed(channel()?)),
        2 => Some(Color::Rgb(channel()?, channel()?, channel()?)),
        _ => None,
    }
}

#[cfg(test)]
#[path = "ansi_tests.rs"]
mod tests;
