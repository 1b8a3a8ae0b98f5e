//! The built-in languages, and patterns compiled for each.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use ast_grep_core::{
    Pattern,
    matcher::{KindMatcher, PatternNode},
    meta_var::MetaVariable,
    replacer::TemplateFix,
    tree_sitter::StrDoc,
};
use ast_grep_language::{Language, SupportLang};
use memchr::memmem::Finder;

/// Patterns are converted to trees recursively, so their size needs a limit.
const MAX_CHARS: usize = 10_000;
const MAX_DEPTH: usize = 200;

/// A pattern and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Op {
    pub(super) pattern: String,
    /// `None` only searches.
    pub(super) out: Option<String>,
}

/// A pattern compiled for one language.
pub(super) struct Compiled {
    pub(super) pattern: Pattern,
    /// A text that every match contains; searched for before the file is parsed.
    literal: Option<Finder<'static>>,
    fix: Option<Fix>,
    /// Equal code is compared recursively.
    pub(super) repeats_a_name: bool,
}

struct Fix {
    lf: TemplateFix,
    crlf: TemplateFix,
}

impl Compiled {
    /// Returns whether a file with this content can match at all.
    pub(super) fn may_match(&self, content: &[u8]) -> bool {
        self.literal.as_ref().is_none_or(|literal| literal.find(content).is_some())
    }

    /// Returns the template with the line ends of the target file.
    pub(super) fn fix(&self, crlf: bool) -> Option<&TemplateFix> {
        self.fix.as_ref().map(|fix| if crlf { &fix.crlf } else { &fix.lf })
    }
}

/// A problem with an op in a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    text: String,
    /// It may be intended for another language only.
    is_syntax: bool,
}

impl Problem {
    fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_syntax: false }
    }

    fn syntax(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_syntax: true }
    }
}

/// In the order of the ops.
pub(super) type CompiledOps = Arc<Vec<Result<Compiled, Problem>>>;

/// All ops, compiled once per language.
pub(super) struct Ops {
    pub(super) ops: Vec<Op>,
    selector: Option<String>,
    compiled: Mutex<HashMap<Lang, CompiledOps>>,
}

impl Ops {
    pub(super) fn new(ops: Vec<Op>, selector: Option<String>) -> Self {
        Self { ops, selector, compiled: Mutex::default() }
    }

    pub(super) fn in_language(&self, lang: Lang) -> CompiledOps {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let made = compiled.entry(lang).or_insert_with(|| {
            Arc::new(self.ops.iter().map(|op| compile(op, self.selector.as_deref(), lang)).collect())
        });
        Arc::clone(made)
    }

    /// Returns the problems of patterns that are valid in none of the languages encountered. A pattern is written for
    /// one language; being invalid in others means nothing.
    pub(super) fn issues(&self) -> Vec<String> {
        let compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let mut langs: Vec<_> = compiled.iter().collect();
        langs.sort_by_key(|(lang, _)| lang.to_string());
        let mut issues = Vec::new();
        for (at, op) in self.ops.iter().enumerate() {
            let mut problems: Vec<_> =
                langs.iter().filter_map(|(lang, ops)| Some((lang, ops.get(at)?.as_ref().err()?))).collect();
            // The language in which it parsed is most likely the intended one.
            problems.sort_by_key(|(_, problem)| problem.is_syntax);
            if let Some((lang, problem)) = problems.first().filter(|_| problems.len() == langs.len()) {
                issues.push(format!("{}: Invalid pattern: {} ({lang})", op.pattern, problem.text));
            }
        }
        issues
    }

    /// Returns whether no pattern was valid in any of the languages encountered, so that nothing could be searched.
    pub(super) fn are_unusable(&self) -> bool {
        !self.ops.is_empty() && self.issues().len() == self.ops.len()
    }
}

fn compile(op: &Op, selector: Option<&str>, lang: Lang) -> Result<Compiled, Problem> {
    if op.pattern.len() > MAX_CHARS {
        return Err(Problem::new(format!("it is longer than {MAX_CHARS} bytes")));
    }
    check_tree(&op.pattern, lang)?;
    let pattern = match selector {
        Some(selector) => {
            // Checked first: the library reports the same error, but only after some work.
            KindMatcher::try_new(selector, lang).map_err(|error| Problem::new(error.to_string()))?;
            Pattern::contextual(&op.pattern, selector, lang)
        }
        None => Pattern::try_new(&op.pattern, lang),
    };
    let pattern = pattern.map_err(|error| Problem::new(error.to_string()))?;
    let fix = op.out.as_deref().map(|out| fix(out, &pattern, lang)).transpose()?;
    let literal = pattern.fixed_string();
    let literal = (!literal.is_empty()).then(|| Finder::new(literal.as_bytes()).into_owned());
    let mut names = Vec::new();
    collect_names(&pattern.node, &mut names);
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    Ok(Compiled { repeats_a_name: names.len() < count, literal, fix, pattern })
}

/// An incomplete pattern is still parsed, as something unintended, so its tree is checked.
fn check_tree(text: &str, lang: Lang) -> Result<(), Problem> {
    let doc = StrDoc::try_new(&lang.pre_process_pattern(text), lang).map_err(Problem::syntax)?;
    let root = ast_grep_core::AstGrep::doc(doc);
    // A lone expression is not a program in many languages. The error then surrounds the whole pattern, which is the
    // node inside it.
    let mut whole = root.root();
    while let [only] = whole.children().filter(|child| !child.is_missing()).collect::<Vec<_>>().as_slice() {
        whole = only.clone();
    }
    if !whole.is_named() {
        return Err(Problem::syntax(format!("it is incomplete or not valid {lang}: see `{}`", cut(text))));
    }
    for node in whole.dfs() {
        if node.is_error() {
            return Err(Problem::syntax(format!(
                "it is incomplete or not valid {lang}: see `{}`",
                cut(&node.text())
            )));
        }
        // Optional terminators are often omitted in patterns; a bracket is not optional.
        if node.is_missing()
            && (node.is_named() || node.kind().contains([')', ']', '}', '>', '"', '\'', '`']))
        {
            return Err(Problem::syntax(format!("it is incomplete: {} is missing", node.kind())));
        }
        if node.is_leaf() && node.ancestors().count() > MAX_DEPTH {
            return Err(Problem::new(format!("it is nested deeper than {MAX_DEPTH} levels")));
        }
    }
    Ok(())
}

fn fix(out: &str, pattern: &Pattern, lang: Lang) -> Result<Fix, Problem> {
    let template =
        |text: &str| TemplateFix::try_new(text, &lang).map_err(|error| Problem::new(error.to_string()));
    let lf = template(out)?;
    let bound = pattern.defined_vars();
    let mut free: Vec<&str> = lf.used_vars().into_iter().filter(|name| !bound.contains(name)).collect();
    free.sort_unstable();
    if let Some(name) = free.first() {
        return Err(Problem::new(format!("`out` uses ${name}, which `pat` does not bind")));
    }
    let crlf = template(&out.replace("\r\n", "\n").replace('\n', "\r\n"))?;
    drop(free);
    Ok(Fix { lf, crlf })
}

fn collect_names<'a>(node: &'a PatternNode, names: &mut Vec<&'a str>) {
    match node {
        PatternNode::MetaVar {
            meta_var: MetaVariable::Capture(name, _) | MetaVariable::MultiCapture(name),
        } => {
            names.push(name);
        }
        PatternNode::Internal { children, .. } => {
            children.iter().for_each(|child| collect_names(child, names))
        }
        _ => {}
    }
}

fn cut(text: &str) -> String {
    text.chars().take(60).collect()
}

/// A language. Requesting the grammar of one that is not built in panics, so only [`is_built`] ones are used.
pub(super) type Lang = SupportLang;

fn is_built(lang: Lang) -> bool {
    use SupportLang as L;
    let is_common = matches!(
        lang,
        L::Bash
            | L::C
            | L::Cpp
            | L::Css
            | L::Go
            | L::Html
            | L::Java
            | L::JavaScript
            | L::Json
            | L::Python
            | L::Ruby
            | L::Rust
            | L::Tsx
            | L::TypeScript
            | L::Yaml
    );
    cfg!(feature = "langs-all") || (is_common && cfg!(feature = "langs-common"))
}

/// Returns the language of a file, by its name.
pub(super) fn of_path(path: &Path) -> Option<Lang> {
    Lang::from_path(path).filter(|lang| is_built(*lang))
}

/// Returns the language of this name, or the error for the model.
pub(super) fn by_name(name: &str) -> Result<Lang, String> {
    name.trim().parse::<Lang>().ok().filter(|lang| is_built(*lang)).ok_or_else(|| {
        let known: Vec<String> = Lang::all_langs()
            .iter()
            .filter(|lang| is_built(**lang))
            .map(|lang| lang.to_string().to_lowercase())
            .collect();
        format!("Unsupported language '{name}'. Supported: {}", known.join(", "))
    })
}
