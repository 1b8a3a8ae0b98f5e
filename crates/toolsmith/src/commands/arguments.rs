//! Arguments of a command: how a line is split into words, and what the placeholders of a template stand for.

/// The arguments of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Words {
    /// The whole line.
    pub(crate) line: String,
    words: Vec<String>,
}

impl Words {
    /// Splits a line at spaces outside single or double quotes. There are no escapes.
    pub(crate) fn new(line: &str) -> Self {
        let mut words = Vec::new();
        let (mut word, mut has_word) = (String::new(), false);
        let mut quote: Option<char> = None;
        for c in line.chars() {
            match quote {
                Some(open) if c == open => quote = None,
                Some(_) => word.push(c),
                // An apostrophe within a word is not a quote.
                None if c == '"' || (c == '\'' && !has_word) => (quote, has_word) = (Some(c), true),
                None if c.is_whitespace() => {
                    if std::mem::take(&mut has_word) {
                        words.push(std::mem::take(&mut word));
                    }
                }
                None => {
                    word.push(c);
                    has_word = true;
                }
            }
        }
        if has_word {
            words.push(word);
        }
        Self { line: line.trim().to_owned(), words }
    }

    fn get(&self, number: usize) -> Option<&str> {
        self.words.get(number.checked_sub(1)?).map(String::as_str)
    }

    fn slice(&self, from: usize, count: Option<usize>) -> String {
        let words = self.words.iter().skip(from.saturating_sub(1));
        words.take(count.unwrap_or(usize::MAX)).cloned().collect::<Vec<_>>().join(" ")
    }

    /// Replaces the placeholders of a text. Text that comes from arguments is not looked at again.
    pub(crate) fn fill(&self, template: &str) -> String {
        let mut filled = String::with_capacity(template.len());
        let mut rest = template;
        while let Some(at) = rest.find('$') {
            filled.push_str(&rest[..at]);
            rest = &rest[at..];
            match self.placeholder(rest) {
                Some((value, length)) => {
                    filled.push_str(&value);
                    rest = &rest[length..];
                }
                None => {
                    filled.push('$');
                    rest = &rest[1..];
                }
            }
        }
        filled.push_str(rest);
        filled
    }

    /// Returns the value of the placeholder that a text begins with, and the length of the placeholder.
    fn placeholder(&self, text: &str) -> Option<(String, usize)> {
        let inner = text.strip_prefix('$')?;
        if let Some(braced) = inner.strip_prefix('{') {
            let end = braced.find('}')?;
            return Some((self.braced(&braced[..end])?, end + 3));
        }
        if let Some(rest) = inner.strip_prefix("ARGUMENTS") {
            // `$ARGUMENTS[0]` counts from zero.
            if let Some((index, _)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
                && let Ok(number) = index.parse::<usize>()
            {
                let value = self.get(number.saturating_add(1)).unwrap_or_default().to_owned();
                return Some((value, "$ARGUMENTS[]".len() + index.len()));
            }
            let is_longer = rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
            return (!is_longer).then(|| (self.line.clone(), "$ARGUMENTS".len()));
        }
        if let Some(rest) = inner.strip_prefix('@') {
            // `$@[2:3]`
            if let Some((range, _)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
                && let Some(value) = self.range(range)
            {
                return Some((value, "$@[]".len() + range.len()));
            }
            return Some((self.slice(1, None), 2));
        }
        let digits = inner.find(|c: char| !c.is_ascii_digit()).unwrap_or(inner.len());
        let number = inner[..digits].parse::<usize>().ok().filter(|number| *number > 0)?;
        Some((self.get(number).unwrap_or_default().to_owned(), digits + 1))
    }

    /// Returns the value of `${…}`.
    fn braced(&self, inner: &str) -> Option<String> {
        let (name, default) = match inner.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inner, None),
        };
        let or_default = |value: String| match default {
            Some(default) if value.is_empty() => default.to_owned(),
            _ => value,
        };
        match name {
            "@" | "ARGUMENTS" => {
                let value = if name == "@" { self.slice(1, None) } else { self.line.clone() };
                Some(or_default(value))
            }
            _ => match name.strip_prefix("@:") {
                Some(range) if default.is_none() => self.range(range),
                _ => {
                    let number = name.parse::<usize>().ok().filter(|number| *number > 0)?;
                    Some(or_default(self.get(number).unwrap_or_default().to_owned()))
                }
            },
        }
    }

    /// Returns the words of `N` or `N:L`: from the Nth on, L of them.
    fn range(&self, range: &str) -> Option<String> {
        let (from, count) = match range.split_once(':') {
            Some((from, count)) => (from, Some(count.trim().parse().ok()?)),
            None => (range, None),
        };
        Some(self.slice(from.trim().parse().ok()?, count))
    }
}

/// Returns whether a template has a placeholder for arguments.
pub(crate) fn takes_arguments(template: &str) -> bool {
    let none = Words::default();
    template.match_indices('$').any(|(at, _)| none.placeholder(&template[at..]).is_some())
}

#[cfg(test)]
#[path = "arguments_tests.rs"]
mod tests;
