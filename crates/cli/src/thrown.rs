//! Where in a tool's code an error was thrown: file, line and a code frame, for the commands of authors.

use std::{io, path::Path};

use serde_json::Value;
use toolsmith_js::code_frame;
use toolsmith_tool::ToolResult;

use crate::{
    project::Project,
    streams,
    terminal::{DIM, paint},
};

/// Larger files are not read for a frame.
const MAX_SOURCE: u64 = 4 << 20;

/// Returns the mapped stack of a failed call, as the engine reports it.
fn stack(result: &ToolResult) -> Option<&str> {
    result.details.as_ref()?.get("error")?.get("stack").and_then(Value::as_str)
}

/// Returns the details of a result that a tool itself returned: not those of a thrown error.
pub(crate) fn own_details(result: &ToolResult) -> Option<&Value> {
    result.details.as_ref().filter(|_| stack(result).is_none())
}

/// Shows where the error of a failed call was thrown; with `verbose` the whole stack. Nothing for other results.
pub(crate) fn show(result: &ToolResult, project: &Project, verbose: bool) -> io::Result<()> {
    use io::Write as _;
    let Some(stack) = stack(result).filter(|_| result.is_error) else { return Ok(()) };
    let mut out = streams::stderr();
    if let Some((path, line, column)) = stack.lines().find_map(position) {
        let place = format!("{}:{line}:{column}", project.show(Path::new(path)));
        writeln!(out, "  {} {place}", paint(DIM, "at"))?;
        if let Some(frame) = source(Path::new(path)).and_then(|source| code_frame(&source, line, column)) {
            for row in frame.lines() {
                writeln!(out, "  {}", toolsmith_text::plain(row))?;
            }
        }
    }
    if verbose {
        for line in stack.lines() {
            writeln!(out, "{}", paint(DIM, toolsmith_text::plain(line)))?;
        }
    }
    out.flush()
}

/// Splits `at name (PATH:LINE:COLUMN)` or `at PATH:LINE:COLUMN`.
fn position(line: &str) -> Option<(&str, u32, u32)> {
    let place = line.trim().strip_prefix("at ")?;
    let place = match place.rsplit_once(" (") {
        Some((_, place)) => place.strip_suffix(')')?,
        None => place,
    };
    let (rest, column) = place.rsplit_once(':')?;
    let (path, line) = rest.rsplit_once(':')?;
    Some((path, line.parse().ok()?, column.parse().ok()?))
}

fn source(path: &Path) -> Option<String> {
    std::fs::metadata(path).ok().filter(|data| data.is_file() && data.len() <= MAX_SOURCE)?;
    std::fs::read_to_string(path).ok()
}
