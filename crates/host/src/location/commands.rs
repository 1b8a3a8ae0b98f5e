//! The files that a command names, found by its words and without running it. What cannot be understood completely is read
//! generously: a file too many is asked about, a file too few runs unasked.

use std::{
    io::Read as _,
    iter,
    path::{Component, Path, PathBuf},
};

use super::{
    lexical,
    modules::{self, Runtimes},
    shell_words::shell_words,
};
use crate::regular_file::open_regular;

/// Maximum number of directories in which the words of a command are looked for.
const MAX_BASES: usize = 24;
/// Maximum number of words that braces in one word stand for.
const MAX_BRACES: usize = 64;
/// Characters that end a word, besides spaces.
const SEPARATORS: &str = "!`;&|()<>=";
/// Characters of words that stand for others.
const PATTERNS: [char; 3] = ['*', '{', '$'];
/// Commands and options whose argument is a directory and not a program.
const CHANGE_DIRECTORY: [&str; 10] = [
    "cd",
    "pushd",
    "-C",
    "--chdir",
    "--directory",
    "--cwd",
    "--workdir",
    "--working-dir",
    "--working-directory",
    "--app-dir",
];
/// Commands that run every program of a directory.
const RUN_DIRECTORY: [&str; 1] = ["run-parts"];
/// Bytes of a `#!` line that are read, and scripts that may be the interpreters of each other.
const MAX_INTERPRETER_LINE: u64 = 512;
const MAX_INTERPRETERS: usize = 4;

/// Which files count although they do not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// Every word may be the name of one.
    Words,
    /// Only words with a directory: the text is a value that is seldom a command.
    Paths,
}

/// Files and directories that a command names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Named {
    /// Files, which need not exist. A directory in place of one is not run.
    pub files: Vec<PathBuf>,
    /// Paths that count with everything below them.
    pub trees: Vec<PathBuf>,
}

impl Named {
    /// Returns whether a path is named as it is spelled here.
    pub fn contains(&self, path: &Path) -> bool {
        self.iter().any(|own| own == path)
    }

    /// Returns all paths.
    pub fn iter(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.iter().chain(&self.trees)
    }
}

/// Returns the files that the words of a command name, as paths in one of the directories, or in a directory that the command
/// names itself (`cd x && ./y`), or as modules (`-m x.y`, `node x`), and the interpreters in their `#!` lines. A word counts also
/// if there is no file yet, and so does a file that a runtime would load in place of another: whoever creates it decides what
/// the command runs.
pub fn named_files(command: &str, bases: &[&Path], home: Option<&Path>) -> Named {
    files_in_text(command, bases, home, Missing::Words)
}

/// Returns the words of a command, without quotes and operators.
pub(super) fn words(command: &str) -> Vec<String> {
    let plain = with_known_values(&shell_text(command).replace(['"', '\''], ""));
    plain
        .split(|c: char| c.is_whitespace() || SEPARATORS.contains(c))
        .filter(|word| !word.is_empty())
        .flat_map(expand_braces)
        .collect()
}

/// Replaces what stands for the working directory, and variables that have a default.
fn with_known_values(text: &str) -> String {
    let mut plain = text.to_owned();
    for here in [
        "$(git rev-parse --show-toplevel)",
        "`git rev-parse --show-toplevel`",
        "$(pwd)",
        "`pwd`",
        "${PWD}",
        "$PWD",
        "~+",
    ] {
        plain = plain.replace(here, ".");
    }
    with_defaults(&plain)
}

/// A word of a command and the one before it.
struct Word {
    before: String,
    text: String,
    /// It was in quotes, so every character of it may be part of a name.
    is_quoted: bool,
}

impl Word {
    fn list(words: &[String], is_quoted: bool) -> impl Iterator<Item = Self> {
        let before = iter::once("").chain(words.iter().map(String::as_str));
        before.zip(words).map(move |(before, text)| Self {
            before: before.to_owned(),
            text: text.clone(),
            is_quoted,
        })
    }
}

/// Returns the words of a command as they are looked at: generously split, and those that quotes hold together. The latter come
/// before the others because they may be directories in which the others are looked for, and after them for the same reason.
fn all_words(command: &str, split: &[String]) -> Vec<Word> {
    let quoted = || {
        let whole = shell_words(&with_known_values(command));
        let words: Vec<Word> = Word::list(&whole, true).collect();
        words.into_iter().filter(|word| word.text.contains(PATTERNS) || !split.contains(&word.text))
    };
    quoted().chain(Word::list(split, false)).chain(quoted()).collect()
}

pub(super) fn files_in_text(command: &str, bases: &[&Path], home: Option<&Path>, missing: Missing) -> Named {
    let words = words(command);
    let runtimes = Runtimes::of(&words);
    // A directory that is only named may be worked in. Files in it count if they exist: otherwise every directory that
    // appears would change what a command names.
    // Elsewhere every file is `exec` already, so directories of the system do not take the place of others.
    let temporary = std::env::temp_dir();
    let near: Vec<&Path> = bases.iter().copied().chain(home).chain([temporary.as_path()]).collect();
    let is_near = |folder: &Path| near.iter().any(|near| folder.starts_with(near));
    let mut bases = Bases::new(bases);
    let runs_directories = words.iter().any(|word| RUN_DIRECTORY.contains(&file_name(word)));
    let mut found = Vec::new();
    let mut trees = Vec::new();
    for Word { before, text: whole, is_quoted } in &all_words(command, &words) {
        let before = before.as_str();
        let before = option_of_module(before)
            .filter(|(_, module)| module.is_empty())
            .map_or(before, |(option, _)| option);
        // `-mpkg.x` is `-m pkg.x`.
        let own = whole.get(..2).filter(|option| option.starts_with('-')).unwrap_or(before);
        let attached = option_of_module(whole).filter(|(_, module)| !module.is_empty());
        // `uvicorn pkg.module:app` loads a module.
        let of_attribute =
            whole.split_once(':').filter(|(_, name)| runtimes.runs_python() && is_identifier(name));
        let of_attribute = of_attribute.map(|(module, _)| ("-m", module));
        let words = parts(whole).into_iter().map(|part| (own, part)).chain(attached).chain(of_attribute);
        for (before, word) in words {
            let is_list = word.contains(':');
            let mut folders = Vec::new();
            for Base { path: base, purpose } in &bases.0 {
                let place = match (word.strip_prefix("~/"), home) {
                    (Some(rest), Some(home)) => home.join(rest),
                    _ => base.join(word),
                };
                let is_plain = *is_quoted || !word.contains(PATTERNS);
                let is_word = missing == Missing::Words && !word.contains('/') && is_plain;
                let counts_missing = *purpose > Purpose::Named || whole.contains('$');
                if runs_directories && is_plain && !CHANGE_DIRECTORY.contains(&before) {
                    trees.push(place.clone());
                }
                if place.is_dir() {
                    if !CHANGE_DIRECTORY.contains(&before) {
                        found.extend(modules::started_in(&place, runtimes));
                    }
                    let purpose = match () {
                        () if CHANGE_DIRECTORY.contains(&before) => Purpose::Work,
                        () if modules::is_search_path(before) => Purpose::Search,
                        () => Purpose::Named,
                    };
                    folders.push(Base { path: place.clone(), purpose });
                } else if place.is_file() {
                    found.push(place.clone());
                } else if word.contains('/') && is_plain {
                    trees.push(place.clone());
                } else if CHANGE_DIRECTORY.contains(&before) && is_plain {
                    // It may be created later.
                    folders.push(Base { path: place.clone(), purpose: Purpose::Work });
                }
                // `test` of `npm test` counts as a file whether or not there is a directory of that name: a directory that
                // appears later changes nothing about the command.
                if is_word && counts_missing && !place.is_file() && !matches!(word, "." | "..") {
                    found.push(place.clone());
                }
                // A variable may name a directory of modules that is created later.
                let is_searched = modules::is_search_path(before) && *purpose == Purpose::Work && !is_list;
                if is_searched && !place.is_dir() {
                    found.extend(modules::started_in(&place, runtimes));
                    folders.push(Base { path: place.clone(), purpose: Purpose::Search });
                }
                if !CHANGE_DIRECTORY.contains(&before) {
                    let loaded = modules::loaded_as(word, before, base, runtimes);
                    found.extend(loaded.into_iter().filter(|path| counts_missing || path.is_file()));
                }
            }
            folders.into_iter().filter(|folder| is_near(&folder.path)).for_each(|folder| bases.add(folder));
        }
    }
    let first = bases.0.first().map(|base| base.path.clone()).unwrap_or_default();
    let interpreters: Vec<PathBuf> = found.iter().flat_map(|file| interpreters(file, &first)).collect();
    found.extend(interpreters);
    Named { files: with_spelled(found), trees: with_spelled(trees) }
}

/// Use of a directory by a command, the more certain the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Purpose {
    /// It is named.
    Named,
    /// Modules or programs are looked for in it.
    Search,
    /// The command works in it.
    Work,
}

/// A directory in which words are looked for.
#[derive(Debug)]
struct Base {
    path: PathBuf,
    purpose: Purpose,
}

/// All of them, each once.
struct Bases(Vec<Base>);

impl Bases {
    fn new(given: &[&Path]) -> Self {
        let mut bases = Self(Vec::new());
        given.iter().for_each(|base| bases.add(Base { path: base.to_path_buf(), purpose: Purpose::Work }));
        bases
    }

    /// Adds a directory. If there are too many, it takes the place of one that is only named.
    fn add(&mut self, new: Base) {
        if let Some(known) = self.0.iter_mut().find(|known| known.path == new.path) {
            known.purpose = known.purpose.max(new.purpose);
        } else if self.0.len() < MAX_BASES {
            self.0.push(new);
        } else if new.purpose > Purpose::Named
            && let Some(named) = self.0.iter_mut().rev().find(|known| known.purpose == Purpose::Named)
        {
            *named = new;
        }
    }
}

/// Returns the option of a word that names a module or a directory of modules, also the last of several in one word (`-um`), and
/// what is attached to it.
fn option_of_module(word: &str) -> Option<(&'static str, &str)> {
    if word == "--module" {
        return Some(("-m", ""));
    }
    let letters = word.strip_prefix('-')?;
    let at = letters.find(|c: char| !c.is_ascii_alphanumeric() || matches!(c, 'm' | 'M' | 'I'))?;
    let option = match letters.as_bytes()[at] {
        b'm' => "-m",
        b'M' => "-M",
        b'I' => "-I",
        _ => return None,
    };
    Some((option, &letters[at + 1..]))
}

/// Adds the paths without `..`.
fn with_spelled(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let spelled = paths.iter().filter(|path| path.components().any(|part| part == Component::ParentDir));
    let spelled: Vec<PathBuf> = spelled.map(|path| lexical(path)).collect();
    paths.extend(spelled);
    paths
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '(' | ')'))
}

fn file_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Returns the files that the `#!` line of a script names, and of the interpreters that are scripts themselves. A relative path
/// counts from the working directory.
fn interpreters(script: &Path, cwd: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut next = vec![script.to_path_buf()];
    for _ in 0..MAX_INTERPRETERS {
        let named: Vec<PathBuf> = next
            .iter()
            .filter_map(|file| interpreter_line(file))
            .flat_map(|line| {
                let words = line.split_whitespace().filter(|word| word.contains('/'));
                words.map(|word| cwd.join(word)).collect::<Vec<_>>()
            })
            .filter(|path| !found.contains(path))
            .collect();
        if named.is_empty() {
            break;
        }
        found.extend(named.iter().cloned());
        next = named;
    }
    found
}

/// Returns the first line of a script without its `#!`.
fn interpreter_line(file: &Path) -> Option<String> {
    let mut start = Vec::new();
    open_regular(file).ok()?.take(MAX_INTERPRETER_LINE).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    Some(String::from_utf8_lossy(line).into_owned())
}

/// Returns the parts of a word that may be paths: the word itself, the parts of a list with colons or commas, the value that is
/// attached to an option (`-r./x`), and what follows a variable, which may lie in any directory that the command names.
fn parts(word: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = iter::once(word)
        // A transport is named before its command (`ext::./x`).
        .chain(word.split([':', ',']).filter(|part| *part != word))
        .collect();
    if word.starts_with('-') {
        let attached = word.char_indices().nth(2).map(|(at, _)| &word[at..]);
        parts = attached.filter(|_| !word.starts_with("--")).into_iter().collect();
    }
    parts
        .into_iter()
        .map(|part| match part.strip_prefix('$').and_then(|rest| rest.split_once('/')) {
            Some((_, rest)) => rest,
            None => part,
        })
        .filter(|part| !part.is_empty())
        .collect()
}

/// Returns a command with `$'…'` replaced by the text it stands for, in single quotes, and `$"…"` by `"…"`.
fn shell_text(command: &str) -> String {
    let mut out = String::with_capacity(command.len());
    let mut rest = command;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        rest = match behind.strip_prefix('\'') {
            Some(quoted) => {
                out.push('\'');
                let rest = ansi_c(quoted, &mut out);
                out.push('\'');
                rest
            }
            None => {
                if !behind.starts_with('"') {
                    out.push('$');
                }
                behind
            }
        };
    }
    out.push_str(rest);
    out
}

/// Decodes the inside of `$'…'` and returns what follows it.
pub(super) fn ansi_c<'a>(text: &'a str, out: &mut String) -> &'a str {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '\'' {
            return &text[at + 1..];
        }
        if c != '\\' {
            out.push(c);
            continue;
        }
        let Some((_, kind)) = chars.next() else { break };
        let (radix, most, first) = match kind {
            'x' => (16, 2, None),
            'u' => (16, 4, None),
            'U' => (16, 8, None),
            '0'..='7' => (8, 2, kind.to_digit(8)),
            _ => {
                out.push(match kind {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    other => other,
                });
                continue;
            }
        };
        let mut value = first.unwrap_or_default();
        for _ in 0..most {
            let Some(digit) = chars.peek().and_then(|(_, c)| c.to_digit(radix)) else { break };
            value = value.saturating_mul(radix).saturating_add(digit);
            chars.next();
        }
        out.extend(char::from_u32(value));
    }
    ""
}

/// Returns the words that braces stand for: `a/{x,y}.sh` is `a/x.sh` and `a/y.sh`. A word without them is itself.
fn expand_braces(word: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![word.to_owned()];
    while let Some(word) = open.pop() {
        let alternatives = innermost(&word);
        match alternatives {
            Some(alternatives) if done.len() + open.len() + alternatives.len() <= MAX_BRACES => {
                open.extend(alternatives);
            }
            _ => done.push(word),
        }
    }
    done.reverse();
    done
}

/// Returns the words in which the first innermost pair of braces with a comma is replaced by each of its parts.
fn innermost(word: &str) -> Option<Vec<String>> {
    let mut from = 0;
    while let Some(end) = word[from..].find('}').map(|at| from + at) {
        let start = word[..end].rfind('{')?;
        let inside = &word[start + 1..end];
        // `${x}` is a variable.
        if inside.contains(',') && !word[..start].ends_with('$') {
            return Some(
                inside
                    .split(',')
                    .map(|part| format!("{}{part}{}", &word[..start], &word[end + 1..]))
                    .collect(),
            );
        }
        from = end + 1;
    }
    None
}

/// Replaces `$NAME` and `${NAME}` by the value of the variable, if the environment has it.
pub fn with_variables(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let inside = behind.strip_prefix('{');
        let from = inside.unwrap_or(behind);
        let end = from.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(from.len());
        let (name, after) = from.split_at(end);
        let after =
            if inside.is_some() { after.split_once('}').map_or("", |(_, after)| after) } else { after };
        match std::env::var(name) {
            Ok(value) if !name.is_empty() => {
                out.push_str(&value);
                rest = after;
            }
            _ => {
                out.push('$');
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Replaces `${NAME:-default}` by its default.
fn with_defaults(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((inside, behind)) = after.split_once('}') else { break };
        out.push_str(before);
        match inside.split_once(":-") {
            Some((_, default)) => out.push_str(default),
            None => out.push_str(&format!("${inside}")),
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
#[path = "commands_tests.rs"]
mod tests;
