//! The limits of budgets.

use std::{collections::BTreeMap, time::Duration};

use super::used::Used;

/// The most that may be used; `None` for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Allowance {
    /// Wall time of tool calls.
    pub time: Option<Duration>,
    /// Peak memory of a call in bytes.
    pub memory: Option<u64>,
    /// Processes that tools start.
    pub processes: Option<u64>,
    /// Bytes that tools return.
    pub output: Option<u64>,
    /// Tokens of model requests; for one call, the estimated tokens of its result.
    pub tokens: Option<u64>,
    /// US dollars for model requests.
    pub money: Option<f64>,
}

impl Allowance {
    /// Returns these limits, and those of `other` where there is none.
    #[must_use]
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            time: self.time.or(other.time),
            memory: self.memory.or(other.memory),
            processes: self.processes.or(other.processes),
            output: self.output.or(other.output),
            tokens: self.tokens.or(other.tokens),
            money: self.money.or(other.money),
        }
    }

    /// Returns whether nothing is limited.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the limits that are used up, by the last part of their setting's name.
    pub(super) fn used_up(&self, used: &Used) -> Vec<Limited> {
        let whole = |what, limit: Option<u64>, used: u64| {
            let limit = limit.filter(|limit| used >= *limit)?;
            Some(Limited { what, limit: Amount::Whole(limit), used: Amount::Whole(used) })
        };
        let time = |limit: Duration| u64::try_from(limit.as_micros()).unwrap_or(u64::MAX);
        let money = self.money.filter(|limit| used.money >= *limit).map(|limit| Limited {
            what: "money",
            limit: Amount::Dollars(limit),
            used: Amount::Dollars(used.money),
        });
        [
            whole("time", self.time.map(time), used.time_us),
            whole("processes", self.processes, used.processes),
            whole("output", self.output, used.output),
            whole("tokens", self.tokens, used.tokens),
            money,
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// A limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limited {
    /// The last part of the setting's name.
    pub(super) what: &'static str,
    pub(super) limit: Amount,
    pub(super) used: Amount,
}

/// An amount of what is limited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Amount {
    Whole(u64),
    Dollars(f64),
}

/// Hard and soft limits of one scope.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Budget {
    /// Limits that stop.
    pub hard: Allowance,
    /// Limits that warn.
    pub soft: Allowance,
}

impl Budget {
    /// Creates a budget.
    pub fn new(hard: Allowance, soft: Allowance) -> Self {
        Self { hard, soft }
    }

    /// Returns whether nothing is limited.
    pub fn is_empty(&self) -> bool {
        self.hard.is_empty() && self.soft.is_empty()
    }
}

/// All budgets.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Budgets {
    /// Each call of every tool.
    pub call: Budget,
    /// Each call of one tool; what is not limited here is limited by `call`.
    pub tools: BTreeMap<String, Budget>,
    /// A session.
    pub session: Budget,
    /// A day, over all sessions of the user.
    pub day: Budget,
}

impl Budgets {
    /// Returns whether nothing is limited.
    pub fn is_empty(&self) -> bool {
        let others = [&self.call, &self.session, &self.day];
        others.into_iter().chain(self.tools.values()).all(Budget::is_empty)
    }

    /// Returns whether the tokens of model requests are limited.
    pub(super) fn limit_tokens(&self) -> bool {
        let budgets = [&self.session, &self.day];
        budgets.iter().any(|budget| budget.hard.tokens.is_some() || budget.soft.tokens.is_some())
    }

    /// Returns the budget of a call of a tool.
    pub(super) fn of_call(&self, tool: &str) -> Budget {
        match self.tools.get(tool) {
            Some(own) => Budget { hard: own.hard.or(self.call.hard), soft: own.soft.or(self.call.soft) },
            None => self.call,
        }
    }
}
