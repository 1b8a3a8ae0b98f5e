//! Choosing a pattern for requested fields, by the distances that ICU's `DateTimePatternGenerator` defines.

use super::{
    names::Dates,
    pattern::{self, Item},
};

const ERA: usize = 0;
const YEAR: usize = 1;
const MONTH: usize = 3;
const WEEKDAY: usize = 6;
const DAY_PERIOD: usize = 10;
const HOUR: usize = 11;
const MINUTE: usize = 12;
const SECOND: usize = 13;
const FRACTION: usize = 14;
const ZONE: usize = 15;
const FIELDS: usize = 16;
const DATE_FIELDS: u32 = (1 << DAY_PERIOD) - 1;
const TIME_FIELDS: u32 = !DATE_FIELDS & 0xffff;

const NARROW: i32 = -0x101;
const SHORT: i32 = -0x102;
const LONG: i32 = -0x103;
const NUMERIC: i32 = 0x100;
const DELTA: i32 = 0x10;
const EXTRA: i32 = 0x10000;
const MISSING: i32 = 0x1000;

/// The field of a pattern character, and the type of its width. Numeric types are positive.
fn kind(character: char, length: usize) -> Option<(usize, i32)> {
    let text = |delta: i32| match length {
        1..=3 => SHORT - delta,
        4 => LONG - delta,
        _ => NARROW - delta,
    };
    let mixed = |delta: i32| if length <= 2 { NUMERIC + delta } else { text(delta) };
    Some(match character {
        'G' => (ERA, text(0)),
        'y' => (YEAR, NUMERIC),
        'Y' => (YEAR, NUMERIC + DELTA),
        'u' => (YEAR, NUMERIC + 2 * DELTA),
        'Q' => (2, mixed(0)),
        'q' => (2, mixed(DELTA)),
        'M' => (MONTH, mixed(0)),
        'L' => (MONTH, mixed(DELTA)),
        'w' => (4, NUMERIC),
        'W' => (5, NUMERIC),
        'E' => (WEEKDAY, text(0)),
        'c' => (WEEKDAY, mixed(2 * DELTA)),
        'e' => (WEEKDAY, mixed(DELTA)),
        'D' => (7, NUMERIC),
        'F' => (8, NUMERIC),
        'd' => (9, NUMERIC),
        'a' => (DAY_PERIOD, text(0)),
        'b' => (DAY_PERIOD, text(DELTA)),
        'B' => (DAY_PERIOD, text(3 * DELTA)),
        'H' => (HOUR, NUMERIC + 10 * DELTA),
        'k' => (HOUR, NUMERIC + 11 * DELTA),
        'h' => (HOUR, NUMERIC),
        'K' => (HOUR, NUMERIC + DELTA),
        'm' => (MINUTE, NUMERIC),
        's' => (SECOND, NUMERIC),
        'S' => (FRACTION, NUMERIC),
        'v' => (ZONE, if length < 4 { SHORT - 2 * DELTA } else { LONG - 2 * DELTA }),
        'z' => (ZONE, if length < 4 { SHORT } else { LONG }),
        'O' => (ZONE, if length < 4 { SHORT - DELTA } else { LONG - DELTA }),
        _ => return None,
    })
}

/// Fields with their types and as they were written.
#[derive(Debug, Clone, Default)]
struct Skeleton {
    types: [i32; FIELDS],
    fields: [(char, usize); FIELDS],
}

impl Skeleton {
    fn parse(text: &str) -> Self {
        let mut skeleton = Self::default();
        for item in pattern::parse(text) {
            if let Item::Field(character, length) = item {
                skeleton.set(character, length);
            }
        }
        if skeleton.has(MINUTE) && skeleton.has(FRACTION) && !skeleton.has(SECOND) {
            skeleton.set('s', 1);
        }
        match skeleton.fields[HOUR].0 {
            'h' | 'K' if !skeleton.has(DAY_PERIOD) => skeleton.set('a', 1),
            'H' | 'k' => {
                skeleton.types[DAY_PERIOD] = 0;
                skeleton.fields[DAY_PERIOD] = ('\0', 0);
            }
            _ => {}
        }
        skeleton
    }

    fn set(&mut self, character: char, length: usize) {
        if let Some((field, kind)) = kind(character, length) {
            self.types[field] = if kind > 0 { kind + i32::try_from(length).unwrap_or(0) } else { kind };
            self.fields[field] = (character, length);
        }
    }

    /// The kinds of the fields without the lengths of numbers.
    fn base(&self) -> [i32; FIELDS] {
        let base = |(character, length): (char, usize)| kind(character, length).map_or(0, |(_, kind)| kind);
        self.fields.map(base)
    }

    fn has(&self, field: usize) -> bool {
        self.types[field] != 0
    }

    fn mask(&self) -> u32 {
        (0..FIELDS).filter(|field| self.has(*field)).fold(0, |mask, field| mask | 1 << field)
    }

    /// The distance to a candidate, and the requested fields that it lacks.
    fn distance(&self, other: &Self, included: u32) -> (i32, u32) {
        let (mut distance, mut missing) = (0, 0);
        for field in 0..FIELDS {
            let own = if included & (1 << field) == 0 { 0 } else { self.types[field] };
            let theirs = other.types[field];
            if own == theirs {
                continue;
            }
            if own == 0 {
                distance += EXTRA;
            } else if theirs == 0 {
                distance += MISSING;
                missing |= 1 << field;
            } else {
                distance += (own - theirs).abs();
            }
        }
        (distance, missing)
    }
}

struct Candidate {
    skeleton: Skeleton,
    pattern: String,
    /// The skeleton was given with the pattern, not derived from it.
    specified: bool,
}

/// Chooses patterns of one locale.
pub(crate) struct Generator<'d> {
    dates: &'d Dates,
    candidates: Vec<Candidate>,
    decimal: String,
}

impl<'d> Generator<'d> {
    pub(crate) fn new(dates: &'d Dates, decimal: &str) -> Self {
        let mut generator = Self { dates, candidates: Vec::new(), decimal: decimal.to_owned() };
        for single in ["G", "y", "M", "E", "d", "a", "H", "m", "s", "S", "v"] {
            generator.add(single, None);
        }
        // The order decides between equal distances, and is ICU's. Of styles with the same fields, the longest is used.
        for pattern in dates.date.iter().chain(&dates.time) {
            let base = Skeleton::parse(&pattern::skeleton(pattern)).base();
            if !generator.candidates.iter().any(|known| known.skeleton.base() == base) {
                generator.add(pattern, None);
            }
        }
        for (skeleton, pattern) in &dates.available {
            generator.add(pattern, Some(skeleton));
        }
        generator
    }

    fn add(&mut self, pattern: &str, skeleton: Option<&str>) {
        let derived = pattern::skeleton(pattern);
        let parsed = Skeleton::parse(skeleton.unwrap_or(&derived));
        let specified = skeleton.is_some();
        match self.candidates.iter_mut().find(|known| known.skeleton.types == parsed.types) {
            Some(known) if specified || !known.specified => {
                *known = Candidate { skeleton: parsed, pattern: pattern.to_owned(), specified };
            }
            Some(_) => {}
            None => {
                self.candidates.push(Candidate { skeleton: parsed, pattern: pattern.to_owned(), specified })
            }
        }
    }

    /// Returns the pattern for a skeleton.
    pub(crate) fn best(&self, skeleton: &str) -> String {
        let wanted = Skeleton::parse(skeleton);
        let Some((whole, missing, distance)) = self.nearest(&wanted, u32::MAX) else { return String::new() };
        if missing == 0 && distance < MISSING {
            return self.adjust(whole, &wanted, false);
        }
        let mask = wanted.mask();
        let date = self.appending(&wanted, mask & DATE_FIELDS);
        let time = self.appending(&wanted, mask & TIME_FIELDS);
        match (date, time) {
            (None, None) => String::new(),
            (Some(date), None) => date,
            (None, Some(time)) => time,
            (Some(date), Some(time)) => {
                let style = match wanted.fields[MONTH].1 {
                    4 if wanted.has(WEEKDAY) => 0,
                    4 => 1,
                    3 => 2,
                    _ => 3,
                };
                glue(&self.dates.join_at[style], &date, &time)
            }
        }
    }

    fn nearest(&self, wanted: &Skeleton, included: u32) -> Option<(&Candidate, u32, i32)> {
        let mut best: Option<(&Candidate, u32, i32)> = None;
        for candidate in &self.candidates {
            let (distance, missing) = wanted.distance(&candidate.skeleton, included);
            if best.is_none_or(|(_, _, known)| distance < known) {
                best = Some((candidate, missing, distance));
            }
        }
        best
    }

    /// The pattern for some of the fields; those that no pattern has are appended.
    fn appending(&self, wanted: &Skeleton, fields: u32) -> Option<String> {
        if fields == 0 {
            return None;
        }
        let (candidate, mut missing, _) = self.nearest(wanted, fields)?;
        let mut result = self.adjust(candidate, wanted, false);
        while missing != 0 {
            let seconds = (1 << SECOND) | (1 << FRACTION);
            if missing & seconds == 1 << FRACTION && fields & seconds == seconds {
                result = self.adjust(
                    &Candidate {
                        skeleton: candidate.skeleton.clone(),
                        pattern: result,
                        specified: candidate.specified,
                    },
                    wanted,
                    true,
                );
                missing &= !(1 << FRACTION);
                continue;
            }
            let (more, left, _) = self.nearest(wanted, missing)?;
            let found = missing & !left;
            if found == 0 {
                break;
            }
            let text = self.adjust(more, wanted, false);
            let top = usize::try_from(31 - found.leading_zeros()).unwrap_or(0);
            let item = match top {
                ERA => &self.dates.append[0],
                ZONE => &self.dates.append[1],
                WEEKDAY => &self.dates.append[2],
                _ => "{0} {1}",
            };
            result = item.replace("{0}", &result).replace("{1}", &text);
            missing = left;
        }
        Some(result)
    }

    /// Gives the fields of a candidate the widths that were requested.
    fn adjust(&self, candidate: &Candidate, wanted: &Skeleton, fraction: bool) -> String {
        let mut items = Vec::new();
        for item in pattern::parse(&candidate.pattern) {
            let Item::Field(character, length) = item else {
                items.push(item);
                continue;
            };
            let Some((field, kind)) = kind(character, length) else {
                items.push(Item::Field(character, length));
                continue;
            };
            if fraction && field == SECOND {
                items.push(Item::Field(character, length));
                items.push(Item::Literal(self.decimal.clone()));
                items.push(Item::Field('S', wanted.fields[FRACTION].1));
                continue;
            }
            if !wanted.has(field) {
                items.push(Item::Field(character, length));
                continue;
            }
            let (requested, mut requested_length) = wanted.fields[field];
            if requested == 'E' && requested_length < 3 {
                requested_length = 3;
            }
            let mut adjusted = requested_length;
            if field == MINUTE || field == SECOND {
                adjusted = length;
            } else if candidate.specified && requested != 'c' && requested != 'e' {
                let in_skeleton = candidate.skeleton.fields[field].1;
                let (is_number, wants_number) = (kind > 0, candidate.skeleton.types[field] > 0);
                if in_skeleton == requested_length || is_number != wants_number {
                    adjusted = length;
                }
            }
            let keeps = matches!(field, HOUR | MONTH | WEEKDAY) || (field == YEAR && requested != 'Y');
            let mut result = if keeps { character } else { requested };
            if result == 'E' && adjusted < 3 {
                result = 'e';
            }
            items.push(Item::Field(result, adjusted));
        }
        pattern::write(&items)
    }
}

/// Joins a date and a time pattern.
pub(crate) fn glue(join: &str, date: &str, time: &str) -> String {
    join.replace("{1}", date).replace("{0}", time)
}
