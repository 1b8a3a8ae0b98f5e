//! Tests of the ranking.

use super::{Document, rank};

fn names<'a>(documents: &[Document<'a>], query: &str) -> Vec<&'a str> {
    rank(documents, query, 3).into_iter().map(|at| documents[at].name).collect()
}

#[test]
fn the_best_matches_come_first() {
    let document = |name, text: &str| Document { name, text: text.to_owned() };
    let documents = [
        document("mcp__github__createIssue", "Opens a new issue in a repository"),
        document("mcp__github__list_issues", "Lists issues of a repository"),
        document("mcp__mail__send", "Sends a message. Mentions a repository and an issue once."),
        document("mcp__time__now", "Returns the current time"),
    ];
    assert_eq!(names(&documents, "create issue").first(), Some(&"mcp__github__createIssue"));
    assert_eq!(
        names(&documents, "what is the current time"),
        ["mcp__time__now", "mcp__github__createIssue"][..1]
    );
    assert_eq!(names(&documents, "send mail"), ["mcp__mail__send"]);
    assert!(names(&documents, "zzz").is_empty());
    assert!(names(&documents, "").is_empty());
    assert!(names(&[], "anything").is_empty());
}
