//! Rules for tools, in one table. A rule is a small function that examines a loaded tool; its remarks are located in
//! the author's file here.

mod declaration;
mod finding;
mod providers;
mod source;
mod source_place;
mod subject;
mod wording;

use std::{collections::HashMap, path::PathBuf};

use toolsmith_js::{EngineKind, LoadedModule};

pub(crate) use declaration::tokens;
use finding::Remark;
pub(crate) use finding::{Finding, Severity};
use source_place::Sources;
use subject::Subject;

/// A rule about tools.
pub(crate) struct Rule {
    /// Name, as shown in findings.
    pub(crate) code: &'static str,
    pub(crate) severity: Severity,
    /// Description in one line.
    pub(crate) about: &'static str,
    check: Check,
}

enum Check {
    Module(fn(&LoadedModule) -> Vec<Remark>),
    Tool(fn(&Subject<'_>) -> Vec<Remark>),
    /// Reported elsewhere; listed here for its name.
    Elsewhere,
}

const fn rule(code: &'static str, severity: Severity, about: &'static str, check: Check) -> Rule {
    Rule { code, severity, about, check }
}

use Severity::{Error, Hint, Warning};

/// All rules, in report order.
pub(crate) const RULES: &[Rule] = &[
    rule("load-error", Error, "The module or one of its tools does not load.", Check::Elsewhere),
    rule("no-tool", Hint, "The module defines no tool.", Check::Module(no_tool)),
    rule("engine", Hint, "The module needs Bun or Node.", Check::Module(engine)),
    rule("note", Hint, "Additional information about the module.", Check::Module(note)),
    rule("slow-load", Warning, "Loading takes longer than a second.", Check::Module(declaration::slow_load)),
    rule("name", Warning, "Providers do not accept the name.", Check::Tool(declaration::tool_name)),
    rule("name-clash", Error, "Another tool has the same name.", Check::Tool(declaration::name_clash)),
    rule(
        "description-missing",
        Warning,
        "The description is empty.",
        Check::Tool(wording::description_missing),
    ),
    rule(
        "description-short",
        Hint,
        "The description is very short.",
        Check::Tool(wording::description_short),
    ),
    rule(
        "description-long",
        Warning,
        "The description is too long for OpenAI.",
        Check::Tool(wording::description_long),
    ),
    rule(
        "parameter-name",
        Error,
        "Providers reject the name of a parameter.",
        Check::Tool(declaration::parameter_name),
    ),
    rule(
        "parameter-style",
        Hint,
        "Parameter names use two styles.",
        Check::Tool(declaration::parameter_style),
    ),
    rule(
        "parameter-description",
        Warning,
        "A parameter has no description.",
        Check::Tool(wording::parameter_description),
    ),
    rule("parameter-type", Warning, "A parameter has no type.", Check::Tool(wording::parameter_type)),
    rule(
        "optional-default",
        Hint,
        "An optional parameter has no documented default.",
        Check::Tool(wording::optional_without_default),
    ),
    rule(
        "enum",
        Hint,
        "Allowed values are described in words instead of an enum.",
        Check::Tool(wording::enum_hint),
    ),
    rule(
        "root-keyword",
        Warning,
        "Providers reject a keyword at the top level of the schema.",
        Check::Tool(providers::root_keyword),
    ),
    rule("array-items", Warning, "An array has no item type.", Check::Tool(providers::array_items)),
    rule(
        "strict-open",
        Warning,
        "The schema of a strict tool does not meet strict mode.",
        Check::Tool(providers::strict_open),
    ),
    rule(
        "strict-keyword",
        Warning,
        "Strict mode does not support a keyword.",
        Check::Tool(providers::strict_keyword),
    ),
    rule("gemini-keyword", Hint, "Gemini ignores a keyword.", Check::Tool(providers::gemini_keyword)),
    rule(
        "token-cost",
        Warning,
        "The tool uses many tokens in every request.",
        Check::Tool(declaration::token_cost),
    ),
    rule(
        "hook-arity",
        Warning,
        "A function declares the wrong parameters.",
        Check::Tool(declaration::hook_arity),
    ),
    rule(
        "render-call-order",
        Hint,
        "renderCall uses the old parameter order.",
        Check::Tool(declaration::render_call_order),
    ),
    rule(
        "argument-order",
        Warning,
        "execute takes its arguments in the wrong order.",
        Check::Module(source::argument_order),
    ),
    rule("locale", Warning, "The embedded engine has no data for a locale.", Check::Module(source::locale)),
    rule("typescript", Warning, "The TypeScript compiler reports an error.", Check::Elsewhere),
];

fn engine(module: &LoadedModule) -> Vec<Remark> {
    if module.engine == EngineKind::Embedded {
        return Vec::new();
    }
    let why = module.engine_reason.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
    vec![Remark::new(
        format!("it runs in {} instead of the embedded engine{why}", module.engine),
        "It starts more slowly and requires that program. Consider a lighter import.",
    )]
}

fn note(module: &LoadedModule) -> Vec<Remark> {
    let help = "Ignore this if it is intentional.";
    module.notes.iter().map(|note| Remark::new(note, help)).collect()
}

fn no_tool(module: &LoadedModule) -> Vec<Remark> {
    if module.errors.is_empty() && module.tools.is_empty() {
        return vec![Remark::new(
            "the module defines no tool",
            "Its factory returned nothing. Ignore this if it is intentional.",
        )];
    }
    Vec::new()
}

/// Checks modules and remembers the names seen.
pub(crate) struct Examiner {
    /// Used names, with the origin of their tools.
    taken: HashMap<String, String>,
}

impl Examiner {
    /// Creates a checker; `built_in` are reserved names.
    pub(crate) fn new(built_in: &[&str]) -> Self {
        Self { taken: built_in.iter().map(|name| ((*name).to_owned(), "built in".to_owned())).collect() }
    }

    /// Returns the findings of a module.
    pub(crate) fn examine(&mut self, module: &LoadedModule) -> Vec<Finding> {
        let mut findings: Vec<Finding> = module.errors.iter().map(load_error).collect();
        let sources = Sources::read(&module.files);
        for loaded in &module.tools {
            let name = loaded.tool.spec().name.clone();
            let winner = self.taken.get(&name).cloned();
            self.taken.entry(name.clone()).or_insert_with(|| module.path.display().to_string());
            let subject = Subject { tool: loaded, winner };
            for rule in RULES {
                let Check::Tool(check) = rule.check else { continue };
                for remark in check(&subject) {
                    let place = sources.find(&name, remark.parameter.as_deref());
                    findings.push(finding(rule, module, Some(&name), place, remark));
                }
            }
        }
        for rule in RULES {
            let Check::Module(check) = rule.check else { continue };
            findings
                .extend(check(module).into_iter().map(|remark| finding(rule, module, None, None, remark)));
        }
        findings
    }
}

fn finding(
    rule: &Rule,
    module: &LoadedModule,
    tool: Option<&str>,
    place: Option<(PathBuf, u32)>,
    remark: Remark,
) -> Finding {
    let (path, line) = place.map_or_else(|| (module.path.clone(), None), |(path, line)| (path, Some(line)));
    Finding {
        severity: rule.severity,
        code: rule.code,
        tool: tool.map(str::to_owned),
        path,
        line,
        column: None,
        message: remark.message,
        help: Some(remark.help),
        frame: None,
    }
}

fn load_error(error: &toolsmith_js::LoadError) -> Finding {
    let place = error.location.as_ref();
    Finding {
        severity: Severity::Error,
        code: "load-error",
        tool: None,
        path: place.map_or_else(|| error.path.clone(), |place| place.file.clone()),
        line: place.map(|place| place.line),
        column: place.map(|place| place.column),
        message: error.message.clone(),
        help: error.hint.clone(),
        frame: error.frame.clone(),
    }
}
