//! Texts of errors.

use super::McpError;

#[test]
fn a_refusal_names_the_scope_only_if_it_cannot_be_a_command() {
    let error =
        |scope: &str| McpError::Scope { server: "s".to_owned(), scope: Some(scope.to_owned()) }.to_string();
    assert!(
        error("files:read files:write").ends_with("toolsmith mcp login s --scope 'files:read files:write'")
    );
    for odd in ["x'; rm -rf ~; '", "$(id)", "a\nb", "\u{1b}[2J"] {
        assert!(error(odd).ends_with("toolsmith mcp login s"), "{odd}");
    }
}
