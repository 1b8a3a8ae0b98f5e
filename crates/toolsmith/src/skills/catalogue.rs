//! The catalogue of skills in the system prompt: names and descriptions within a number of bytes.

use super::{SCHEME, Skill};

/// Shortest beginning of a description that is worth its place.
const MIN_DESCRIPTION: usize = 24;
/// Longest description.
const MAX_DESCRIPTION: usize = 1024;

/// Returns the catalogue; `None` if no skill is to be listed. Where the budget does not allow all descriptions they are cut
/// evenly, then left out, and in the end the last skills are left out too.
pub(crate) fn catalogue<'a>(skills: impl Iterator<Item = &'a Skill>, budget: usize) -> Option<String> {
    let listed: Vec<&Skill> = skills.filter(|skill| !skill.hidden).collect();
    if listed.is_empty() {
        return None;
    }
    let heading = format!(
        "Skills are instructions for special tasks. If a task matches a description, first read the skill: \
         read with path \"{SCHEME}NAME\"."
    );
    let whole = |limit: usize| {
        listed.iter().fold(heading.clone(), |mut text, skill| {
            text.push('\n');
            text.push_str(&line(skill, limit));
            text
        })
    };
    let fits = |limit: usize| whole(limit).len() <= budget;
    if fits(MAX_DESCRIPTION) {
        return Some(whole(MAX_DESCRIPTION));
    }
    // The longest limit that fits; longer limits never make the text shorter.
    let (mut fitting, mut too_long) = (0, MAX_DESCRIPTION);
    if fits(MIN_DESCRIPTION) {
        fitting = MIN_DESCRIPTION;
        while too_long - fitting > 1 {
            let middle = usize::midpoint(fitting, too_long);
            if fits(middle) { fitting = middle } else { too_long = middle }
        }
    }
    if fits(fitting) {
        return Some(whole(fitting));
    }
    let rest = format!("\n- and more: read \"{SCHEME}\" lists all {}", listed.len());
    let mut text = heading;
    for skill in listed {
        let next = line(skill, 0);
        if text.len() + next.len() + 1 + rest.len() > budget {
            break;
        }
        text.push('\n');
        text.push_str(&next);
    }
    text.push_str(&rest);
    Some(text)
}

/// One line of the catalogue, with at most `limit` bytes of the description.
fn line(skill: &Skill, limit: usize) -> String {
    if limit == 0 {
        return format!("- {}", skill.name);
    }
    match skill.description.len() <= limit {
        true => format!("- {}: {}", skill.name, skill.description),
        false => {
            let end = skill.description.floor_char_boundary(limit.saturating_sub(3));
            format!("- {}: {}…", skill.name, skill.description[..end].trim_end())
        }
    }
}

#[cfg(test)]
#[path = "catalogue_tests.rs"]
mod tests;
