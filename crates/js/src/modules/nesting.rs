//! An upper bound for the stack that parsing and compiling a source needs, found in one pass without recursion.
//!
//! The compiler calls itself for everything that is inside something else, so each token costs it a bounded amount of
//! stack until the construct it is part of ends. Brackets, `;`, `,` and the start of a new statement end constructs; wherever that is
//! not certain, the count goes on, which only makes the bound larger. Text whose tokens are ambiguous, such as a slash behind `}`, is
//! read in both ways.

/// Stack for a bracket, a keyword or an arrow: several times what was measured, with and without optimisation.
const HEAVY: usize = 12 << 10;
/// Stack for any other token.
const LIGHT: usize = 2 << 10;
/// Ways to read a source at the same time.
const MAX_READINGS: usize = 8;

/// Returns the bytes of stack that suffice for a source.
pub(super) fn stack_bound(source: &str, typescript: bool, jsx: bool) -> usize {
    // The text between JSX tags has other tokens, so nothing that looks like an end is one.
    let bound = if jsx { None } else { Scan { text: source.as_bytes(), typescript }.bound() };
    bound.unwrap_or_else(|| total(source))
}

/// Returns the stack for the case that nothing ever ends.
fn total(source: &str) -> usize {
    let (mut sum, mut in_word) = (0_usize, false);
    for byte in source.bytes() {
        let weight = match byte {
            _ if is_word(byte) || !byte.is_ascii() => {
                // Any word may be a keyword.
                let starts = !in_word;
                in_word = true;
                if starts { HEAVY } else { 0 }
            }
            b' ' | b'\t' | b'\r' | b'\n' => 0,
            b'(' | b'[' | b'{' | b'<' | b'>' | b'?' | b':' | b'`' => HEAVY,
            b')' | b']' | b'}' | b';' | b',' => 0,
            _ => LIGHT,
        };
        in_word &= is_word(byte);
        sum = sum.saturating_add(weight);
    }
    sum
}

/// Kind of the last token, as far as it decides about the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    /// A slash begins a regular expression.
    Operator,
    /// A slash divides.
    Value,
    /// The closing parenthesis of `if (…)` and the like.
    Head,
    /// A slash may do either.
    Unsure,
    /// The end of a block, an object or a class.
    Brace,
    Semicolon,
    Comma,
    Dot,
    /// A plain word at the start of a statement, which is a label if a colon follows.
    FirstWord,
    /// `if`, `while`, `for` and `with`.
    HeadWord,
    /// Possibly one of them.
    UnsureHeadWord,
}

/// An open bracket.
#[derive(Clone, Debug)]
struct Level {
    /// The opening byte; `$` inside a template.
    kind: u8,
    /// The word before it.
    head: Last,
    /// Stack for all levels below.
    base: usize,
    /// Stack for tokens that count up to the next statement.
    sticky: usize,
    /// Stack for tokens that count up to the next comma.
    chain: usize,
}

impl Level {
    fn sum(&self) -> usize {
        self.base.saturating_add(self.sticky).saturating_add(self.chain)
    }
}

/// One way to read the source.
#[derive(Clone, Debug)]
struct Reading {
    at: usize,
    last: Last,
    levels: Vec<Level>,
    most: usize,
}

/// End of a token.
enum Step {
    Continue,
    /// The other way to read it.
    Fork(Reading),
    /// The parser ends here as well.
    End,
}

struct Scan<'s> {
    text: &'s [u8],
    typescript: bool,
}

impl Scan<'_> {
    /// Returns nothing if there are too many ways to read the source.
    fn bound(&self) -> Option<usize> {
        let root = Level { kind: 0, head: Last::Operator, base: 0, sticky: 0, chain: 0 };
        let at = if self.text.starts_with(b"#!") { self.line_end(0) } else { 0 };
        let mut readings = vec![Reading { at, last: Last::Semicolon, levels: vec![root], most: 0 }];
        let mut most = 0;
        while let Some(first) = (0..readings.len()).min_by_key(|number| readings[*number].at) {
            let is_single = readings.len() == 1;
            let reading = &mut readings[first];
            let step = loop {
                match self.step(reading) {
                    Step::Continue if is_single => {}
                    step => break step,
                }
            };
            match step {
                Step::Continue => {}
                Step::End => most = most.max(readings.swap_remove(first).most),
                Step::Fork(other) => readings.push(other),
            }
            if !is_single {
                merge(&mut readings);
            }
            if readings.len() > MAX_READINGS {
                return None;
            }
        }
        Some(most)
    }

    /// Reads one token.
    fn step(&self, reading: &mut Reading) -> Step {
        let Some(&byte) = self.text.get(reading.at) else { return Step::End };
        let next = self.text.get(reading.at + 1).copied().unwrap_or(0);
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => reading.at += 1,
            b'/' if next == b'/' => reading.at = self.line_end(reading.at),
            b'/' if next == b'*' => match find(&self.text[reading.at + 2..], b"*/") {
                Some(end) => reading.at += end + 4,
                None => return Step::End,
            },
            b'/' => return self.slash(reading),
            b'"' | b'\'' => match self.string_end(reading.at, byte) {
                Some(end) => {
                    reading.token(LIGHT, Last::Value);
                    reading.at = end;
                }
                None => return Step::End,
            },
            b'`' => {
                reading.token(HEAVY, Last::Value);
                return self.template(reading, reading.at + 1);
            }
            b'(' | b'[' | b'{' => {
                reading.open(byte);
                reading.at += 1;
            }
            b')' | b']' | b'}' => {
                if !reading.close(byte) {
                    return Step::End;
                }
                if reading.last == Last::Operator {
                    // The substitution of a template ended.
                    reading.last = Last::Value;
                    return self.template(reading, reading.at + 1);
                }
                reading.at += 1;
            }
            b';' => {
                reading.token(0, Last::Semicolon);
                reading.at += 1;
            }
            b',' => {
                reading.token(0, Last::Comma);
                if let Some(level) = reading.levels.last_mut() {
                    level.chain = 0;
                }
                reading.at += 1;
            }
            b'<' if self.text[reading.at..].starts_with(b"<!--") => {
                // In scripts that is a comment.
                let mut other = reading.clone();
                other.at = self.line_end(reading.at);
                self.punctuation(reading, byte, next);
                return Step::Fork(other);
            }
            b'-' if self.text[reading.at..].starts_with(b"-->") && self.is_first_in_line(reading.at) => {
                let mut other = reading.clone();
                other.at = self.line_end(reading.at);
                self.punctuation(reading, byte, next);
                return Step::Fork(other);
            }
            _ if is_word(byte) || matches!(byte, b'\\' | 0x80..) => self.word(reading),
            _ => self.punctuation(reading, byte, next),
        }
        Step::Continue
    }

    fn punctuation(&self, reading: &mut Reading, byte: u8, next: u8) {
        let twice = reading.at > 0 && self.text[reading.at - 1] == byte;
        match byte {
            b'=' if next == b'>' => {
                reading.token(HEAVY, Last::Operator);
                reading.at += 1;
            }
            // A list of type arguments goes on behind commas.
            b'<' => {
                reading.token(HEAVY, Last::Operator);
                reading.stick();
            }
            b'>' => reading.token(LIGHT, Last::Unsure),
            b'!' if self.typescript => reading.token(LIGHT, Last::Unsure),
            b'+' | b'-' if twice => reading.token(LIGHT, Last::Unsure),
            b'.' => reading.token(LIGHT, Last::Dot),
            b':' if reading.last == Last::FirstWord => {
                reading.token(HEAVY, Last::Semicolon);
                // A label: the statement is inside it.
                reading.stick();
                reading.last = Last::Head;
            }
            b'?' | b':' => reading.token(HEAVY, Last::Operator),
            _ => reading.token(LIGHT, Last::Operator),
        }
        reading.at += 1;
    }

    fn word(&self, reading: &mut Reading) {
        let start = reading.at;
        let is_ascii = |at: usize| self.text.get(at).is_none_or(u8::is_ascii);
        let (mut end, mut is_plain) = (start, is_ascii(start) && (start == 0 || is_ascii(start - 1)));
        while let Some(&byte) = self.text.get(end) {
            match byte {
                _ if is_ascii(start) && is_word(byte) => end += 1,
                b'\\' if is_ascii(start) => {
                    is_plain = false;
                    let rest = &self.text[end..];
                    let braced = rest.iter().take_while(|byte| **byte != b'}').count();
                    end += if rest.starts_with(b"\\u{") { braced + 1 } else { 1 };
                }
                // Letters or spaces: a word beside them may be part of a longer one.
                0x80.. if !is_ascii(start) => end += 1,
                _ => break,
            }
        }
        reading.at = end.min(self.text.len());
        let is_plain = is_plain && is_ascii(reading.at);
        reading.word(if is_plain { Word::of(&self.text[start..reading.at]) } else { Word::Any });
    }

    /// Returns whether only spaces or a comment are before a position in its line.
    fn is_first_in_line(&self, at: usize) -> bool {
        let before = self.text[..at].trim_ascii_end();
        let gap = &self.text[before.len()..at];
        gap.iter().any(|byte| matches!(byte, b'\n' | b'\r'))
            || before.last().is_none_or(|byte| !byte.is_ascii() || *byte == b'/')
    }

    fn slash(&self, reading: &mut Reading) -> Step {
        let may_divide = !matches!(
            reading.last,
            Last::Operator | Last::Head | Last::Semicolon | Last::Comma | Last::HeadWord
        );
        let may_quote = !matches!(reading.last, Last::Value | Last::FirstWord);
        let quoted = may_quote.then(|| self.expression_end(reading.at)).flatten().map(|end| {
            let mut quoted = reading.clone();
            quoted.token(LIGHT, Last::Value);
            quoted.at = end;
            quoted
        });
        match (may_divide, quoted) {
            (true, Some(quoted)) => {
                reading.token(LIGHT, Last::Operator);
                reading.at += 1;
                Step::Fork(quoted)
            }
            (true, None) => {
                reading.token(LIGHT, Last::Operator);
                reading.at += 1;
                Step::Continue
            }
            (false, Some(quoted)) => {
                *reading = quoted;
                Step::Continue
            }
            (false, None) => Step::End,
        }
    }

    /// Reads a template up to its end or its next substitution.
    fn template(&self, reading: &mut Reading, mut at: usize) -> Step {
        while let Some(&byte) = self.text.get(at) {
            match byte {
                b'\\' => at += 2,
                b'`' => {
                    reading.at = at + 1;
                    return Step::Continue;
                }
                b'$' if self.text.get(at + 1) == Some(&b'{') => {
                    reading.open(b'$');
                    reading.at = at + 2;
                    return Step::Continue;
                }
                _ => at += 1,
            }
        }
        Step::End
    }

    fn line_end(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        let end = (0..rest.len()).find(|end| self.ends_line(at + end));
        at + end.unwrap_or(rest.len())
    }

    fn ends_line(&self, at: usize) -> bool {
        match self.text[at] {
            b'\n' | b'\r' => true,
            0xe2 => matches!(self.text.get(at + 1..at + 3), Some([0x80, 0xa8 | 0xa9])),
            _ => false,
        }
    }

    fn string_end(&self, start: usize, quote: u8) -> Option<usize> {
        let mut at = start + 1;
        loop {
            match *self.text.get(at)? {
                b'\\' if self.text.get(at + 1..at + 3) == Some(b"\r\n") => at += 3,
                b'\\' => at += 2,
                b'\n' | b'\r' => return None,
                byte if byte == quote => return Some(at + 1),
                _ => at += 1,
            }
        }
    }

    /// Returns the end of a regular expression with its flags.
    fn expression_end(&self, start: usize) -> Option<usize> {
        let (mut at, mut in_class) = (start + 1, false);
        loop {
            let byte = *self.text.get(at)?;
            match byte {
                _ if self.ends_line(at) => return None,
                b'\\' => {
                    at += 1;
                    if at >= self.text.len() || self.ends_line(at) {
                        return None;
                    }
                }
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => break,
                _ => {}
            }
            at += 1;
        }
        let flags = self.text[at + 1..].iter().take_while(|byte| is_word(**byte)).count();
        Some(at + 1 + flags)
    }
}

/// Kind of a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    /// A name, a number or a constant.
    Plain,
    /// An operand follows.
    Prefix,
    /// `if`, `for`, `with`.
    Head,
    /// `while`, which may end a `do` that began before.
    While,
    Else,
    Do,
    /// It continues what ended with a brace.
    Infix,
    /// A word with a meaning that depends on its place.
    Contextual,
    /// Any of these.
    Any,
}

impl Word {
    fn of(word: &[u8]) -> Self {
        if word.len() > 10 || !word[0].is_ascii_lowercase() {
            return Self::Plain;
        }
        match word {
            b"if" | b"for" | b"with" => Self::Head,
            b"while" => Self::While,
            b"else" => Self::Else,
            b"do" => Self::Do,
            b"return" | b"typeof" | b"new" | b"delete" | b"void" | b"throw" | b"case" => Self::Prefix,
            b"in" | b"instanceof" | b"of" | b"as" | b"satisfies" | b"extends" | b"implements" | b"is"
            | b"from" | b"catch" | b"finally" => Self::Infix,
            b"yield" | b"await" | b"async" | b"default" | b"export" | b"import" | b"let" | b"const"
            | b"var" | b"static" | b"get" | b"set" | b"keyof" | b"infer" | b"unique" | b"readonly"
            | b"asserts" | b"assert" | b"type" | b"abstract" | b"declare" | b"function" | b"class"
            | b"accessor" | b"using" | b"enum" | b"module" | b"namespace" | b"interface" | b"global"
            | b"try" | b"switch" | b"debugger" | b"break" | b"continue" | b"public" | b"private"
            | b"protected" | b"override" | b"out" => Self::Contextual,
            _ => Self::Plain,
        }
    }

    /// Returns whether it may belong to the statement that a semicolon seems to end.
    fn continues_statement(self) -> bool {
        matches!(self, Self::Else | Self::While | Self::Any)
    }
}

impl Reading {
    fn token(&mut self, weight: usize, last: Last) {
        let ends = self.last == Last::Semicolon;
        if let Some(level) = self.levels.last_mut() {
            if ends {
                level.sticky = 0;
                level.chain = 0;
            }
            level.chain = level.chain.saturating_add(weight);
            self.most = self.most.max(level.sum());
        }
        self.last = last;
    }

    /// Lets everything in this level count up to the next statement.
    fn stick(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            level.sticky = level.sticky.saturating_add(level.chain);
            level.chain = 0;
        }
    }

    fn word(&mut self, kind: Word) {
        let before = self.last;
        let goes_on = match before {
            Last::Semicolon => kind.continues_statement(),
            Last::Brace => kind.continues_statement() || kind == Word::Infix,
            _ => true,
        };
        self.last = if goes_on { Last::Operator } else { Last::Semicolon };
        let is_first = matches!(before, Last::Semicolon | Last::Head | Last::Brace);
        let (weight, last) = match kind {
            Word::Plain if is_first => (LIGHT, Last::FirstWord),
            Word::Plain => (LIGHT, Last::Value),
            // As the name of a property, a keyword is none.
            _ if before == Last::Dot => (HEAVY, Last::UnsureHeadWord),
            Word::Head | Word::While => (HEAVY, Last::HeadWord),
            Word::Prefix => (HEAVY, Last::Operator),
            // A statement follows, possibly with a label.
            Word::Else | Word::Do => (HEAVY, Last::Head),
            Word::Infix | Word::Contextual | Word::Any => (HEAVY, Last::UnsureHeadWord),
        };
        self.token(weight, last);
        if matches!(kind, Word::Head | Word::While | Word::Else | Word::Do | Word::Any) {
            self.stick();
        }
    }

    fn open(&mut self, kind: u8) {
        let head = self.last;
        self.token(HEAVY, Last::Semicolon);
        let base = self.levels.last().map_or(0, Level::sum);
        self.levels.push(Level { kind, head, base, sticky: 0, chain: 0 });
    }

    /// Closes a bracket; an operator is left as the last token if it was that of a template.
    fn close(&mut self, byte: u8) -> bool {
        let opening: &[u8] = match byte {
            b')' => b"(",
            b']' => b"[",
            _ => b"{$",
        };
        if self.levels.len() < 2 || !self.levels.last().is_some_and(|level| opening.contains(&level.kind)) {
            return false;
        }
        let Some(level) = self.levels.pop() else { return false };
        self.last = match (level.kind, level.head) {
            (b'(', Last::HeadWord) => Last::Head,
            (b'(', Last::UnsureHeadWord) => Last::Unsure,
            (b'{', _) => Last::Brace,
            (b'$', _) => Last::Operator,
            _ => Last::Value,
        };
        true
    }

    fn is_same_place(&self, other: &Self) -> bool {
        self.at == other.at
            && self.last == other.last
            && self.levels.len() == other.levels.len()
            && self.levels.iter().zip(&other.levels).all(|(a, b)| (a.kind, a.head) == (b.kind, b.head))
    }
}

/// Combines readings that came to the same place.
fn merge(readings: &mut Vec<Reading>) {
    let mut at = 0;
    while at < readings.len() {
        let mut other = at + 1;
        while other < readings.len() {
            if !readings[at].is_same_place(&readings[other]) {
                other += 1;
                continue;
            }
            let same = readings.swap_remove(other);
            let kept = &mut readings[at];
            kept.most = kept.most.max(same.most);
            for (level, more) in kept.levels.iter_mut().zip(&same.levels) {
                level.base = level.base.max(more.base);
                level.sticky = level.sticky.max(more.sticky);
                level.chain = level.chain.max(more.chain);
            }
        }
        at += 1;
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#')
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|part| part == wanted)
}

#[cfg(test)]
#[path = "nesting_tests.rs"]
mod tests;
