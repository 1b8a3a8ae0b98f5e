//! The files of a new tool.

const ZOD: &str = include_str!("../../../templates/zod.ts");
const TYPEBOX: &str = include_str!("../../../templates/typebox.ts");
const CASE: &str = include_str!("../../../templates/case.json");
const README: &str = include_str!("../../../templates/README.md");

/// Name of the module file.
pub(super) const MODULE: &str = "index.ts";

/// Schema library of the parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Library {
    Zod,
    TypeBox,
}

/// A tool to create.
pub(super) struct Template<'a> {
    name: &'a str,
    library: Library,
}

impl<'a> Template<'a> {
    pub(super) fn new(name: &'a str, library: Library) -> Self {
        Self { name, library }
    }

    /// Returns the names and contents of the files.
    pub(super) fn files(&self) -> Vec<(String, String)> {
        let module = match self.library {
            Library::Zod => ZOD,
            Library::TypeBox => TYPEBOX,
        };
        vec![
            (MODULE.to_owned(), self.fill(module)),
            (self.case_name(), self.fill(CASE)),
            ("README.md".to_owned(), self.fill(README)),
        ]
    }

    /// The name of the case file.
    pub(super) fn case_name(&self) -> String {
        format!("{}.case.json", self.name)
    }

    fn fill(&self, text: &str) -> String {
        text.replace("{{name}}", self.name).replace("{{label}}", &label(self.name))
    }
}

/// Converts `repo_stats` to `Repo Stats`.
fn label(name: &str) -> String {
    let words = name.split(['_', '-']).filter(|word| !word.is_empty());
    let capitalised = words.map(|word| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    });
    let label = capitalised.collect::<Vec<String>>().join(" ");
    if label.is_empty() { name.to_owned() } else { label }
}
