//! Highlighted code. The grammars are loaded on first use; colours are those of the theme.

use std::{
    path::Path,
    sync::{Once, OnceLock},
};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use crate::{
    row::Row,
    theme::{Theme, Token},
};

/// Larger code is not highlighted.
const MAX_BYTES: usize = 512 << 10;
const MAX_LINES: usize = 10_000;
const MAX_LINE_BYTES: usize = 4 << 10;

static SYNTAXES: OnceLock<SyntaxSet> = OnceLock::new();

fn syntaxes() -> &'static SyntaxSet {
    SYNTAXES.get_or_init(two_face::syntax::extra_newlines)
}

/// Loads the grammars, which takes some milliseconds. UIs call it on another thread before the first code is shown.
pub fn warm_highlighter() {
    let _ = (syntaxes(), rules());
}

/// Returns whether the grammars are loaded. If not, they are loaded on another thread, for callers that must not wait.
pub(crate) fn is_warm() -> bool {
    static START: Once = Once::new();
    if SYNTAXES.get().is_none() {
        START.call_once(|| {
            drop(std::thread::Builder::new().name("highlighter".to_owned()).spawn(warm_highlighter))
        });
    }
    SYNTAXES.get().is_some()
}

/// Returns the language of a file by its name, as code blocks name it.
pub fn language_of_path(path: &str) -> &str {
    let name = Path::new(path);
    name.extension().or_else(|| name.file_name()).and_then(|part| part.to_str()).unwrap_or_default()
}

fn syntax_of(language: &str) -> Option<&'static SyntaxReference> {
    if language.is_empty() {
        return None;
    }
    let known = match language.to_ascii_lowercase().as_str() {
        "shell" | "console" | "shellsession" | "zsh" => "bash",
        "jsonc" | "json5" => "json",
        "text" | "txt" | "plain" | "plaintext" => return None,
        _ => language,
    };
    syntaxes().find_syntax_by_token(known)
}

/// Returns one row per line of the code, highlighted if the language is known.
pub fn highlight(code: &str, language: &str, theme: &Theme) -> Vec<Row> {
    let plain = theme.style(Token::MdCodeBlock);
    let is_large = code.len() > MAX_BYTES || code.lines().nth(MAX_LINES).is_some();
    match syntax_of(language).filter(|_| theme.has_color() && !is_large) {
        Some(syntax) => coloured(code, syntax, theme),
        None => Row::lines(code, plain),
    }
}

fn coloured(code: &str, syntax: &SyntaxReference, theme: &Theme) -> Vec<Row> {
    let mut state = ParseState::new(syntax);
    let mut scopes = ScopeStack::new();
    let mut rows = Vec::new();
    for line in code.split('\n') {
        let line = line.trim_end_matches('\r');
        let mut row = Row::new();
        let whole = format!("{line}\n");
        let parsed =
            if line.len() > MAX_LINE_BYTES { None } else { state.parse_line(&whole, syntaxes()).ok() };
        let Some(operations) = parsed else {
            rows.push(Row::plain(line));
            continue;
        };
        let mut at = 0;
        for (end, operation) in &operations {
            let text = whole.get(at..*end).unwrap_or_default();
            row.push_text(text, theme.style(token_of(&scopes)));
            at = *end;
            if scopes.apply(operation).is_err() {
                break;
            }
        }
        row.push_text(whole.get(at..).unwrap_or_default(), theme.style(token_of(&scopes)));
        rows.push(row);
    }
    rows
}

/// Scopes and their roles, more specific ones first.
fn rules() -> &'static [(Scope, Token)] {
    static RULES: OnceLock<Vec<(Scope, Token)>> = OnceLock::new();
    RULES.get_or_init(|| {
        [
            ("comment", Token::SyntaxComment),
            ("punctuation.definition.comment", Token::SyntaxComment),
            ("string", Token::SyntaxString),
            ("punctuation.definition.string", Token::SyntaxString),
            ("constant.character", Token::SyntaxString),
            ("constant", Token::SyntaxNumber),
            ("keyword.operator.word", Token::SyntaxKeyword),
            ("keyword.operator", Token::SyntaxOperator),
            ("keyword", Token::SyntaxKeyword),
            ("storage", Token::SyntaxKeyword),
            ("variable.language", Token::SyntaxKeyword),
            ("entity.name.function", Token::SyntaxFunction),
            ("support.function", Token::SyntaxFunction),
            ("variable.function", Token::SyntaxFunction),
            ("entity.name.tag", Token::SyntaxKeyword),
            ("entity.other.attribute-name", Token::SyntaxVariable),
            ("entity.name", Token::SyntaxType),
            ("entity.other.inherited-class", Token::SyntaxType),
            ("support.type", Token::SyntaxType),
            ("support.class", Token::SyntaxType),
            ("support.constant", Token::SyntaxNumber),
            ("markup.heading", Token::MdHeading),
            ("markup.inserted", Token::ToolDiffAdded),
            ("markup.deleted", Token::ToolDiffRemoved),
            ("variable", Token::SyntaxVariable),
            ("punctuation", Token::SyntaxPunctuation),
        ]
        .into_iter()
        .filter_map(|(name, token)| Some((Scope::new(name).ok()?, token)))
        .collect()
    })
}

fn token_of(scopes: &ScopeStack) -> Token {
    let matching = |scope: &Scope| rules().iter().find(|(rule, _)| rule.is_prefix_of(*scope));
    scopes.as_slice().iter().rev().find_map(matching).map_or(Token::Text, |(_, token)| *token)
}

#[cfg(test)]
#[path = "highlight_tests.rs"]
mod tests;
