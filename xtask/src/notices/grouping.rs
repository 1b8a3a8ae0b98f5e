//! Groups equal licences: texts that differ only in copyright lines, line ends or a title are listed once, with the
//! copyright lines of each package.

use super::packages::Notice;

/// A licence text and its packages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// The text without copyright lines.
    pub(super) body: String,
    /// The packages with their copyright lines.
    pub(super) members: Vec<(String, Vec<String>)>,
    /// Letters and digits of the text, for comparison.
    key: String,
}

/// Returns the texts, the most common first.
pub(super) fn group(notices: &[Notice]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for notice in notices {
        for text in &notice.texts {
            let (owners, body) = split(text);
            let key = key(&body);
            let member = (notice.name.clone(), owners);
            match groups.iter_mut().find(|group| group.key == key) {
                Some(group) if group.members.contains(&member) => {}
                Some(group) => group.members.push(member),
                None => groups.push(Group { body, members: vec![member], key }),
            }
        }
    }
    // A package without a text gets the most common one of its licence, if there is one.
    groups.sort_by_key(|group| std::cmp::Reverse(group.members.len()));
    for notice in notices.iter().filter(|notice| notice.texts.is_empty()) {
        let same = |name: &str| {
            notices
                .iter()
                .any(|other| other.name == name && other.licence == notice.licence && !other.texts.is_empty())
        };
        let group = groups.iter_mut().find(|group| group.members.iter().any(|(name, _)| same(name)));
        if let Some(group) = group {
            let authors = match notice.authors.as_slice() {
                [] => "Its package has no licence file.".to_owned(),
                authors => format!("By {}. Its package has no licence file.", authors.join(", ")),
            };
            group.members.push((notice.name.clone(), vec![authors]));
        }
    }
    groups
}

/// Splits copyright lines from the rest.
fn split(text: &str) -> (Vec<String>, String) {
    let mut owners = Vec::new();
    let mut body: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim_end) {
        let lower = line.trim().to_lowercase();
        let is_owner = ["copyright (c)", "copyright ©", "copyright", "(c)", "©"]
            .iter()
            .any(|begin| lower.strip_prefix(begin).is_some_and(|rest| rest.starts_with([' ', ':'])));
        // "Copyright holders and contributors ..." is part of the text. So is a paragraph numbered "(c)".
        let names_somebody = lower.contains(|c: char| c.is_ascii_digit())
            || (lower.starts_with("copyright") && (line.contains("(c)") || line.contains('©')));
        // The licence's own template line.
        let is_form = lower.contains("[yyyy]") || lower.contains("{yyyy}");
        if is_owner && names_somebody && !is_form {
            owners.push(line.trim().to_owned());
        } else if !(body.is_empty() && (lower.is_empty() || is_title(&lower))) {
            body.push(line);
        }
    }
    (owners, body.join("\n").trim().to_owned())
}

/// A line that only names the licence.
fn is_title(lower: &str) -> bool {
    lower.split_whitespace().count() <= 6 && lower.contains("licen") && !lower.ends_with('.')
}

fn key(body: &str) -> String {
    body.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
