//! Number patterns of the CLDR, such as `#,##0.00 ¤;(#,##0.00 ¤)`.

/// A parsed pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Pattern {
    pub(crate) positive: Affixes,
    pub(crate) negative: Option<Affixes>,
    /// Size of the last group and of those before it; zero without groups.
    pub(crate) grouping: (usize, usize),
    /// The number of zeros before the decimal separator.
    pub(crate) integer_zeros: usize,
    /// Some compact patterns are a word without digits.
    pub(crate) has_digits: bool,
}

/// Text before and after the digits; special characters are not replaced yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Affixes {
    pub(crate) prefix: Vec<Token>,
    pub(crate) suffix: Vec<Token>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    Text(String),
    Minus,
    Plus,
    Percent,
    Currency,
}

impl Pattern {
    pub(crate) fn parse(text: &str) -> Self {
        let (positive, negative) = match split(text) {
            (positive, Some(negative)) => (positive, Some(Self::half(negative).0)),
            (positive, None) => (positive, None),
        };
        let (affixes, digits) = Self::half(positive);
        let integer = digits.split('.').next().unwrap_or_default();
        let mut groups = integer.rsplit(',').map(str::len);
        let (last, before) = (groups.next().unwrap_or(0), groups.next());
        let grouping = match (before, integer.matches(',').count()) {
            (None, _) => (0, 0),
            (Some(before), 2..) => (last, before),
            (Some(_), _) => (last, last),
        };
        let integer_zeros = integer.bytes().filter(|byte| *byte == b'0').count();
        Self { positive: affixes, negative, grouping, integer_zeros, has_digits: !digits.is_empty() }
    }

    /// Affixes and digits of one subpattern.
    fn half(text: &str) -> (Affixes, String) {
        let mut affixes = Affixes::default();
        let mut digits = String::new();
        let mut quoted = false;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let before = affixes.suffix.is_empty();
            let side = if digits.is_empty() { &mut affixes.prefix } else { &mut affixes.suffix };
            match character {
                '\'' if characters.peek() == Some(&'\'') => {
                    characters.next();
                    push(side, '\'');
                }
                '\'' => quoted = !quoted,
                _ if quoted => push(side, character),
                '#' | '0' | ',' | '.' if before => digits.push(character),
                '-' => side.push(Token::Minus),
                '+' => side.push(Token::Plus),
                '%' => side.push(Token::Percent),
                '¤' => side.push(Token::Currency),
                _ => push(side, character),
            }
        }
        (affixes, digits)
    }
}

fn push(side: &mut Vec<Token>, character: char) {
    match side.last_mut() {
        Some(Token::Text(text)) => text.push(character),
        _ => side.push(Token::Text(character.to_string())),
    }
}

/// Splits at the `;` outside quotes.
fn split(text: &str) -> (&str, Option<&str>) {
    let mut quoted = false;
    for (index, character) in text.char_indices() {
        match character {
            '\'' => quoted = !quoted,
            ';' if !quoted => return (&text[..index], Some(&text[index + 1..])),
            _ => {}
        }
    }
    (text, None)
}
