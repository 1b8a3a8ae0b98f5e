//! Reads the declarations of `crates/cli/types`: interfaces and their members, exports of modules, and the comments of each.

use std::{fs, path::Path};

use anyhow::{Context, Result, bail, ensure};
use oxc::{
    allocator::Allocator,
    ast::{
        Comment,
        ast::{
            Declaration as Node, Statement, TSNamespaceDeclarationBody, TSSignature, TSTypeAliasDeclaration,
        },
    },
    parser::Parser,
    span::{GetSpan as _, SourceType, Span},
};

/// Files with documented declarations, in the order of the written types.
const FILES: &[&str] = &[
    "tools.d.ts",
    "host_api.d.ts",
    "context.d.ts",
    "ui.d.ts",
    "theme.d.ts",
    "extensions.d.ts",
    "modules.d.ts",
    "components.d.ts",
    "functions.d.ts",
];

/// A comment: what it says, and the example in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Doc {
    pub(super) summary: String,
    pub(super) example: Option<String>,
}

/// A member of an interface, or an export of a module.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) name: String,
    /// Its declaration without indentation; overloads on lines of their own.
    pub(super) signature: String,
    pub(super) doc: Doc,
}

/// An interface of the namespace, or the exports of a module.
#[derive(Debug)]
pub(super) struct Group {
    /// Name of the interface, or the pattern of the module.
    pub(super) name: String,
    pub(super) members: Vec<Member>,
}

/// All declarations.
#[derive(Debug)]
pub(super) struct Declarations {
    pub(super) interfaces: Vec<Group>,
    pub(super) modules: Vec<Group>,
    /// Types that are unions of words: name, summary, and the words.
    pub(super) words: Vec<(String, String, Vec<String>)>,
}

impl Declarations {
    /// Reads the files in `folder`.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let mut found = Self { interfaces: Vec::new(), modules: Vec::new(), words: Vec::new() };
        for name in FILES {
            let text =
                fs::read_to_string(folder.join(name)).with_context(|| format!("{name} cannot be read"))?;
            Reader { text: &text, found: &mut found }.read().with_context(|| (*name).to_owned())?;
        }
        Ok(found)
    }

    pub(super) fn interface(&self, name: &str) -> Result<&Group> {
        self.interfaces
            .iter()
            .find(|group| group.name == name)
            .with_context(|| format!("no interface {name}"))
    }

    pub(super) fn module(&self, name: &str) -> Result<&Group> {
        self.modules.iter().find(|group| group.name == name).with_context(|| format!("no module {name}"))
    }
}

struct Reader<'a> {
    text: &'a str,
    found: &'a mut Declarations,
}

impl Reader<'_> {
    fn read(mut self) -> Result<()> {
        let allocator = Allocator::default();
        let parsed = Parser::new(&allocator, self.text, SourceType::d_ts()).parse();
        ensure!(parsed.diagnostics.is_empty(), "it cannot be parsed: {:?}", parsed.diagnostics);
        let comments = &parsed.program.comments;
        for statement in &parsed.program.body {
            match statement {
                Statement::TSNamespaceDeclaration(namespace) => {
                    if let TSNamespaceDeclarationBody::TSModuleBlock(block) = &namespace.body {
                        self.namespace(&block.body, comments);
                    }
                }
                Statement::TSExternalModuleDeclaration(module) => {
                    let members = module.body.as_ref().map(|block| self.exports(&block.body, comments));
                    let group =
                        Group { name: module.id.value.to_string(), members: members.unwrap_or_default() };
                    self.found.modules.push(group);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn namespace(&mut self, body: &[Statement<'_>], comments: &[Comment]) {
        for statement in body {
            match statement {
                Statement::TSInterfaceDeclaration(interface) => {
                    let name = interface.id.name.to_string();
                    let members = self.members(&interface.body.body, comments);
                    self.found.interfaces.push(Group { name, members });
                }
                Statement::TSTypeAliasDeclaration(alias) => self.words(alias, comments),
                _ => {}
            }
        }
    }

    fn members(&self, signatures: &[TSSignature<'_>], comments: &[Comment]) -> Vec<Member> {
        let mut members: Vec<Member> = Vec::new();
        for signature in signatures {
            let key = match signature {
                TSSignature::TSPropertySignature(property) => property.key.static_name(),
                TSSignature::TSMethodSignature(method) => method.key.static_name(),
                _ => None,
            };
            let Some(name) = key else { continue };
            let text = self.source(signature.span());
            match members.last_mut() {
                // An overload.
                Some(last) if last.name == *name => last.signature = format!("{}\n{text}", last.signature),
                _ => members.push(Member {
                    name: name.to_string(),
                    signature: text,
                    doc: self.doc(comments, signature.span()),
                }),
            }
        }
        members
    }

    fn exports(&self, body: &[Statement<'_>], comments: &[Comment]) -> Vec<Member> {
        let mut members = Vec::new();
        for statement in body {
            let Statement::ExportDeclaration(export) = statement else { continue };
            let declaration = &export.declaration;
            let name = match declaration {
                Node::FunctionDeclaration(function) => function.id.as_ref().map(|id| id.name.to_string()),
                Node::ClassDeclaration(class) => class.id.as_ref().map(|id| id.name.to_string()),
                Node::VariableDeclaration(variable) => variable
                    .declarations
                    .first()
                    .and_then(|first| first.id.get_binding_identifier())
                    .map(|id| id.name.to_string()),
                _ => None,
            };
            let Some(name) = name else { continue };
            let signature = self.source(declaration.span());
            members.push(Member { name, signature, doc: self.doc(comments, export.span) });
        }
        members
    }

    fn words(&mut self, alias: &TSTypeAliasDeclaration<'_>, comments: &[Comment]) {
        let text = self.source(alias.type_annotation.span());
        let words: Option<Vec<String>> = text
            .split('|')
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .map(|word| Some(word.strip_prefix('"')?.strip_suffix('"')?.to_owned()))
            .collect();
        if let Some(words) = words {
            let summary = self.doc(comments, alias.span).summary;
            self.found.words.push((alias.id.name.to_string(), summary, words));
        }
    }

    /// The source of a declaration without its indentation and semicolon.
    fn source(&self, span: Span) -> String {
        let start = span.start as usize;
        let line = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let indentation = self.text[line..start].len() - self.text[line..start].trim_start().len();
        let cut = |line: &str| {
            let spaces = line.len() - line.trim_start().len();
            line[spaces.min(indentation)..].to_owned()
        };
        let text = self.text[start..span.end as usize].trim_end_matches([';', ',']);
        let lines: Vec<String> = text
            .lines()
            .enumerate()
            .map(|(at, line)| if at == 0 { line.to_owned() } else { cut(line) })
            .collect();
        lines.join("\n")
    }

    /// The comment directly before a declaration.
    fn doc(&self, comments: &[Comment], span: Span) -> Doc {
        let before = comments.iter().rev().find(|comment| comment.span.end <= span.start);
        let Some(comment) = before else { return Doc::default() };
        let between = &self.text[comment.span.end as usize..span.start as usize];
        let text = &self.text[comment.span.start as usize..comment.span.end as usize];
        if !between.replace("export", "").replace("declare", "").trim().is_empty() || !text.starts_with("/**")
        {
            return Doc::default();
        }
        let text = text.trim_start_matches("/**").trim_end_matches("*/");
        let lines = text.lines().map(|line| {
            let line = line.trim_start();
            line.strip_prefix("* ").or_else(|| line.strip_prefix('*')).unwrap_or(line)
        });
        let text = lines.collect::<Vec<_>>().join("\n");
        match text.split_once("@example") {
            Some((summary, example)) => Doc {
                summary: in_one_line(summary),
                example: Some(example.trim_start_matches([' ', '\n']).trim_end().to_owned()),
            },
            None => Doc { summary: in_one_line(&text), example: None },
        }
    }
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Fails for members without a summary or an example.
pub(super) fn ensure_documented(group: &Group) -> Result<()> {
    let missing: Vec<&str> = group
        .members
        .iter()
        .filter(|member| member.doc.summary.is_empty() || member.doc.example.is_none())
        .map(|member| member.name.as_str())
        .collect();
    if !missing.is_empty() {
        bail!("{}: no summary or example: {}", group.name, missing.join(", "));
    }
    Ok(())
}
