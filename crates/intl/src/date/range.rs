//! `formatRange` of dates.

use super::{
    format::{DateTimeFormat, instant},
    pattern::{self, Item},
};
use crate::{
    error::Result,
    parts::{Part, fill, tidy},
};

impl DateTimeFormat {
    /// Formats the range between two instants. Fields that both share are written once where the locale has a pattern for that.
    pub fn format_range(&self, start: f64, end: f64) -> Result<Vec<Part>> {
        let (start, end) = (instant(start)?, instant(end)?);
        let tagged = |parts: Vec<Part>, source: &'static str| -> Vec<Part> {
            parts.into_iter().map(|part| Part { source: Some(source), ..part }).collect()
        };
        let (first, last) = (tidy(self.filled(&self.pattern, start)), tidy(self.filled(&self.pattern, end)));
        if first == last {
            let spaced =
                first.into_iter().map(|part| Part { text: part.text.replace('\u{202f}', " "), ..part });
            return Ok(tagged(spaced.collect(), "shared"));
        }
        if let Some((left, right)) = self.interval(start, end) {
            let mut parts = tagged(tidy(self.filled(&left, start)), "startRange");
            parts.extend(tagged(tidy(self.filled(&right, end)), "endRange"));
            return Ok(parts);
        }
        let values = [tagged(first, "startRange"), tagged(last, "endRange")];
        let mut parts = fill(&self.dates.interval, "literal", &values);
        for part in &mut parts {
            part.source.get_or_insert("shared");
        }
        Ok(parts)
    }

    /// The two halves of the interval pattern for the largest field that differs.
    fn interval(&self, start: i64, end: i64) -> Option<(String, String)> {
        let (one, other) = (self.civil(start), self.civil(end));
        let key = match () {
            () if (one.year > 0) != (other.year > 0) => "G",
            () if one.year != other.year => "y",
            () if one.month != other.month => "M",
            () if one.day != other.day => "d",
            () if (one.hour < 12) != (other.hour < 12) => "a",
            () if one.hour != other.hour => "h",
            () if one.minute != other.minute => "m",
            () => return None,
        };
        let wanted = normalized(&pattern::skeleton(&self.pattern));
        let (_, forms) = self.dates.intervals.iter().find(|(skeleton, _)| normalized(skeleton) == wanted)?;
        let key = if key == "h" && !forms.contains_key("h") { "H" } else { key };
        let key = if key == "a" && !forms.contains_key("a") { "H" } else { key };
        let items = pattern::parse(forms.get(key)?);
        // The second half begins with the first field that occurs again.
        let mut seen = Vec::new();
        let split = items.iter().position(|item| match item {
            Item::Field(character, _) => {
                let again = seen.contains(character);
                seen.push(*character);
                again
            }
            Item::Literal(_) => false,
        })?;
        Some((pattern::write(&items[..split]), pattern::write(&items[split..])))
    }
}

/// Fields in a fixed order, with the widths that interval patterns distinguish.
fn normalized(skeleton: &str) -> String {
    let mut fields: Vec<(char, usize)> = pattern::parse(skeleton)
        .into_iter()
        .filter_map(|item| match item {
            Item::Field('a', _) | Item::Literal(_) => None,
            Item::Field('L', length) => Some(('M', length)),
            Item::Field('c', _) | Item::Field('E', 1..=3) => Some(('E', 1)),
            Item::Field(character, length) if character != 'M' && character != 'E' => {
                Some((character, length.min(1)))
            }
            Item::Field('M', 2) => Some(('M', 1)),
            Item::Field(character, length) => Some((character, length)),
        })
        .collect();
    fields.sort_unstable();
    fields.iter().map(|(character, length)| character.to_string().repeat(*length)).collect()
}
