//! Several answers to one event as one. The strictest decision counts.

use super::answer::Answer;

/// Decision of a hook about a call, least strict first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Permission {
    /// The call runs without a question about its tier.
    Allow,
    /// The person is asked.
    Ask,
    /// The call is put off, which is not possible here: it does not run.
    Defer,
    /// The call does not run.
    Deny,
}

impl Answer {
    /// Adds an answer that was given later. Of two inputs the later one counts, and texts are joined.
    pub(super) fn merge(&mut self, later: Self) {
        let stricter = later.permission > self.permission;
        if later.permission.is_some() && later.permission == self.permission {
            self.reason = joined(self.reason.take(), later.reason);
        } else if stricter {
            self.permission = later.permission;
            self.reason = later.reason;
        }
        self.input = later.input.or(self.input.take());
        self.block = joined(self.block.take(), later.block);
        self.stop = joined(self.stop.take(), later.stop);
        self.context.extend(later.context);
        self.messages.extend(later.messages);
        self.warnings.extend(later.warnings);
        self.content = later.content.or(self.content.take());
        self.details = later.details.or(self.details.take());
        self.is_error = later.is_error.or(self.is_error);
        self.output = later.output.or(self.output.take());
    }
}

fn joined(one: Option<String>, other: Option<String>) -> Option<String> {
    match (one, other) {
        (Some(one), Some(other)) if one != other => Some(format!("{one}\n{other}")),
        (one, other) => one.or(other),
    }
}
