//! Date patterns of the CLDR, such as `EEEE, d 'de' MMMM`.

/// A piece of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Item {
    Literal(String),
    Field(char, usize),
}

/// Splits a pattern into fields and literals.
pub(crate) fn parse(pattern: &str) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut characters = pattern.chars().peekable();
    let mut quoted = false;
    let literal = |items: &mut Vec<Item>, character: char| match items.last_mut() {
        Some(Item::Literal(text)) => text.push(character),
        _ => items.push(Item::Literal(character.to_string())),
    };
    while let Some(character) = characters.next() {
        match character {
            '\'' if characters.peek() == Some(&'\'') => {
                characters.next();
                literal(&mut items, '\'');
            }
            '\'' => quoted = !quoted,
            _ if !quoted && character.is_ascii_alphabetic() => match items.last_mut() {
                Some(Item::Field(known, length)) if *known == character => *length += 1,
                _ => items.push(Item::Field(character, 1)),
            },
            _ => literal(&mut items, character),
        }
    }
    items
}

/// Writes items as a pattern.
pub(crate) fn write(items: &[Item]) -> String {
    let one = |item: &Item| match item {
        Item::Field(character, length) => character.to_string().repeat(*length),
        Item::Literal(text) if text.chars().any(|character| character.is_ascii_alphabetic()) => {
            format!("'{}'", text.replace('\'', "''"))
        }
        Item::Literal(text) => text.replace('\'', "''"),
    };
    items.iter().map(one).collect()
}

/// The fields of a pattern, as a skeleton.
pub(crate) fn skeleton(pattern: &str) -> String {
    let field = |item: &Item| match item {
        Item::Field(character, length) => character.to_string().repeat(*length),
        Item::Literal(_) => String::new(),
    };
    parse(pattern).iter().map(field).collect()
}

/// The hour character of a pattern.
pub(crate) fn hour_character(pattern: &str) -> Option<char> {
    parse(pattern).iter().find_map(|item| match item {
        Item::Field(character @ ('h' | 'H' | 'k' | 'K'), _) => Some(*character),
        _ => None,
    })
}

/// Replaces the hour character.
pub(crate) fn with_hour(pattern: &str, hour: char) -> String {
    let mut items = parse(pattern);
    for item in &mut items {
        if let Item::Field(character @ ('h' | 'H' | 'k' | 'K'), _) = item {
            *character = hour;
        }
    }
    write(&items)
}
