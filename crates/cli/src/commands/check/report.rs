//! The report of `check`, as text and as JSON.

use std::{
    io::{self, Write},
    path::PathBuf,
    time::Duration,
};

use serde_json::json;
use toolsmith::ToolLoadError;
use toolsmith_js::{LoadedModule, LoadedTool};

use crate::{
    arguments::Shared,
    commands::list::schema_word,
    failure::{TRUST_HINT, load_error_json, show_load_error},
    lint::{Finding, RULES, Severity, tokens},
    output::{indented, one_line, print_json, print_page},
    project::Project,
    terminal::{DIM, ERROR, HINT, NAME, WARNING, paint},
};

/// The report.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) modules: usize,
    pub(crate) tools: Vec<CheckedTool>,
    pub(crate) findings: Vec<Finding>,
    /// Modules that wait for trust; nothing of them was run.
    pub(crate) waiting: Vec<PathBuf>,
    /// Given paths that cannot be used.
    pub(crate) refused: Vec<ToolLoadError>,
    /// TypeScript compilers of the project that were not run because they are not trusted.
    pub(crate) untrusted_compilers: Vec<PathBuf>,
    /// TypeScript modules that were not type-checked because no compiler was found.
    pub(crate) without_compiler: usize,
}

/// A loaded tool.
#[derive(Debug)]
pub(crate) struct CheckedTool {
    name: String,
    path: PathBuf,
    schema: &'static str,
    engine: String,
    engine_reason: Option<String>,
    load: Duration,
    tokens: usize,
}

impl CheckedTool {
    pub(super) fn new(module: &LoadedModule, tool: &LoadedTool) -> Self {
        let spec = tool.tool.spec();
        Self {
            name: spec.name.clone(),
            path: module.path.clone(),
            schema: schema_word(tool.schema),
            engine: module.engine.to_string(),
            engine_reason: module.engine_reason.clone(),
            load: module.elapsed,
            tokens: tokens(spec),
        }
    }
}

impl Report {
    pub(crate) fn count(&self, severity: Severity) -> usize {
        let refused = if severity == Severity::Error { self.refused.len() } else { 0 };
        refused + self.findings.iter().filter(|finding| finding.severity == severity).count()
    }

    /// Sorts findings by position.
    pub(crate) fn sort(&mut self) {
        self.findings.sort_by(|a, b| {
            (&a.path, a.line, a.severity, a.code).cmp(&(&b.path, b.line, b.severity, b.code))
        });
    }

    /// Prints the report to standard output.
    pub(crate) fn print(&self, shared: &Shared, project: &Project) -> io::Result<()> {
        if shared.json {
            return print_json(&self.json());
        }
        let mut out = Vec::new();
        for error in &self.refused {
            show_load_error(&mut out, error, shared.verbose)?;
            writeln!(out)?;
        }
        for finding in &self.findings {
            print_finding(&mut out, finding, project)?;
            writeln!(out)?;
        }
        for path in &self.waiting {
            writeln!(out, "{}: {}", paint(WARNING, "waiting for trust, not checked"), project.show(path))?;
        }
        if !self.waiting.is_empty() {
            writeln!(out, "  {} {TRUST_HINT}\n", paint(HINT, "→"))?;
        }
        for path in &self.untrusted_compilers {
            let path = project.show(path);
            writeln!(out, "{} {path} is not trusted and was not run", paint(DIM, "note:"))?;
        }
        if self.without_compiler > 0 {
            let modules = match self.without_compiler {
                1 => "1 module was".to_owned(),
                count => format!("{count} modules were"),
            };
            let text =
                format!("{modules} not type-checked: tsc was not found (npm install --save-dev typescript)");
            writeln!(out, "{} {text}", paint(DIM, "note:"))?;
        }
        let width = self.tools.iter().map(|tool| tool.name.len()).max().unwrap_or_default();
        for tool in &self.tools {
            writeln!(
                out,
                "{:width$}  {:7}  about {} tokens",
                one_line(&tool.name),
                tool.schema,
                tool.tokens
            )?;
        }
        writeln!(out, "{}", self.summary())?;
        print_page(&out)
    }

    /// Prints the summary line.
    pub(crate) fn summary(&self) -> String {
        format!(
            "{} in {}: {}, {}, {}",
            counted(self.tools.len(), "tool"),
            counted(self.modules, "module"),
            counted(self.count(Severity::Error), "error"),
            counted(self.count(Severity::Warning), "warning"),
            counted(self.count(Severity::Hint), "hint"),
        )
    }

    fn json(&self) -> serde_json::Value {
        let tools: Vec<_> = self
            .tools
            .iter()
            .map(|tool| {
                json!({
                    "name": tool.name,
                    "path": tool.path.to_string_lossy(),
                    "schema": tool.schema,
                    "engine": tool.engine,
                    "engineReason": tool.engine_reason,
                    "loadMs": u64::try_from(tool.load.as_millis()).unwrap_or(u64::MAX),
                    "tokens": tool.tokens,
                })
            })
            .collect();
        json!({
            "tools": tools,
            "findings": self.findings,
            "waiting": self.waiting,
            "untrustedCompilers": self.untrusted_compilers,
            "withoutCompiler": self.without_compiler,
            "refused": self.refused.iter().map(load_error_json).collect::<Vec<_>>(),
            "errors": self.count(Severity::Error),
            "warnings": self.count(Severity::Warning),
            "hints": self.count(Severity::Hint),
        })
    }
}

/// Prints the rules.
pub(super) fn print_rules(shared: &Shared) -> io::Result<()> {
    if shared.json {
        let rules: Vec<_> = RULES
            .iter()
            .map(|rule| json!({ "code": rule.code, "severity": rule.severity, "about": rule.about }))
            .collect();
        return print_json(&json!({ "rules": rules }));
    }
    let mut out = crate::streams::stdout();
    for rule in RULES {
        writeln!(out, "{:21}  {:7}  {}", rule.code, rule.severity.to_string(), rule.about)?;
    }
    Ok(())
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Prints one finding: message, position, code frame, hint.
pub(crate) fn print_finding(out: &mut dyn Write, finding: &Finding, project: &Project) -> io::Result<()> {
    let style = match finding.severity {
        Severity::Error => ERROR,
        Severity::Warning => WARNING,
        Severity::Hint => HINT,
    };
    write!(out, "{} ", paint(style, format_args!("{}[{}]:", finding.severity, finding.code)))?;
    if let Some(tool) = &finding.tool {
        write!(out, "{}: ", paint(NAME, tool))?;
    }
    writeln!(out, "{}", indented(&finding.message))?;
    write!(out, "  {} {}", paint(DIM, "at"), project.show(&finding.path))?;
    if let Some(line) = finding.line {
        write!(out, ":{line}")?;
        if let Some(column) = finding.column {
            write!(out, ":{column}")?;
        }
    }
    writeln!(out)?;
    for line in finding.frame.iter().flat_map(|frame| frame.lines()) {
        writeln!(out, "    {}", paint(DIM, line))?;
    }
    if let Some(help) = &finding.help {
        writeln!(out, "  {} {}", paint(HINT, "→"), indented(help))?;
    }
    Ok(())
}
