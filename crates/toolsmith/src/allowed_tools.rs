//! The field `allowed-tools` of skills and commands, in the notation of Claude Code: `Bash(git add:*) Read`.

use toolsmith_agent::Grant;

/// Splits a list at spaces and commas outside parentheses.
pub(crate) fn split_tools(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = text.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c == ',' || c.is_whitespace())
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Returns the grants that a list stands for. Entries that cannot be granted are left out; their calls ask.
pub(crate) fn grants(tools: &[String]) -> Vec<Grant> {
    tools.iter().filter_map(|text| Grant::parse(text)).collect()
}

#[cfg(test)]
mod tests {
    use super::split_tools;

    #[test]
    fn patterns_may_contain_spaces_and_commas() {
        assert_eq!(
            split_tools("Bash(git add:*), Bash(a, b) Read,Write"),
            ["Bash(git add:*)", "Bash(a, b)", "Read", "Write"]
        );
        assert!(split_tools("  ").is_empty());
    }
}
