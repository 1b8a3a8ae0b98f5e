//! The state of budgets: what was used of the day, and of a session that was named.

use std::io::Write as _;

use anyhow::Result;
use serde_json::{Map, Value, json};
use toolsmith_middleware::budget::{Allowance, Budget, Budgets, DayLedger, Used};
use toolsmith_text::{count_text, size_text, time_text};

use crate::{
    failure, streams,
    terminal::{DIM, WARNING, paint},
};

/// One budget with what was used of it.
struct State {
    scope: &'static str,
    used: Used,
    budget: Budget,
}

/// The budgets that limit anything. A session has a state only if it is the one that was named.
pub(super) struct States(Vec<State>);

impl States {
    pub(super) fn read(budgets: &Budgets, ledger: &DayLedger, session: Option<Used>) -> Self {
        let mut states = Vec::new();
        if !budgets.day.is_empty() {
            match ledger.today() {
                Ok((used, _)) => states.push(State { scope: "day", used, budget: budgets.day }),
                Err(error) => failure::warn_all(&[toolsmith::Warning::new(error.to_string())]),
            }
        }
        if let Some(used) = session.filter(|_| !budgets.session.is_empty()) {
            states.push(State { scope: "session", used, budget: budgets.session });
        }
        Self(states)
    }

    pub(super) fn to_json(&self) -> Value {
        let state = |state: &State| {
            let limits = json!({ "hard": limits(&state.budget.hard), "soft": limits(&state.budget.soft) });
            (state.scope.to_owned(), json!({ "used": used_json(&state.used), "limits": limits }))
        };
        Value::Object(self.0.iter().map(state).collect())
    }

    /// Prints a line for each.
    pub(super) fn show(&self) -> Result<()> {
        let mut out = streams::stdout();
        for state in &self.0 {
            let parts: Vec<String> = parts(state);
            writeln!(out, "{} {}", paint(DIM, format!("Budget of the {}:", state.scope)), parts.join(" · "))?;
        }
        Ok(())
    }
}

fn parts(state: &State) -> Vec<String> {
    let State { used, budget, .. } = state;
    let dollars = |money: f64| format!("${money:.4}");
    let whole =
        |used: u64, hard: Option<u64>, soft: Option<u64>, show: &dyn Fn(u64) -> String, unit: &str| {
            let (limit, kind) =
                hard.map(|limit| (limit, "")).or_else(|| soft.map(|limit| (limit, " (soft)")))?;
            let text = format!("{} of {}{unit}{kind}", show(used), show(limit));
            Some(if used >= limit { paint(WARNING, text) } else { text })
        };
    let time =
        |limits: &Allowance| limits.time.map(|time| u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
    let (hard, soft) = (&budget.hard, &budget.soft);
    let money = hard.money.map(|limit| (limit, "")).or_else(|| soft.money.map(|limit| (limit, " (soft)")));
    let money = money.map(|(limit, kind)| {
        let text = format!("{} of {}{kind}", dollars(used.money), dollars(limit));
        if used.money >= limit { paint(WARNING, text) } else { text }
    });
    [
        whole(used.time_us, time(hard), time(soft), &time_text, " in tools"),
        whole(used.processes, hard.processes, soft.processes, &count_text, " processes"),
        whole(used.output, hard.output, soft.output, &size_text, " of output"),
        whole(used.tokens, hard.tokens, soft.tokens, &count_text, " tokens"),
        money,
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn used_json(used: &Used) -> Value {
    json!({
        "timeUs": used.time_us, "processes": used.processes, "outputBytes": used.output, "tokens": used.tokens,
        "money": used.money,
    })
}

fn limits(limits: &Allowance) -> Value {
    let time = limits.time.map(|time| u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
    let mut object = Map::new();
    let all = [
        ("timeUs", time.map(Value::from)),
        ("processes", limits.processes.map(Value::from)),
        ("outputBytes", limits.output.map(Value::from)),
        ("tokens", limits.tokens.map(Value::from)),
        ("money", limits.money.map(Value::from)),
    ];
    for (name, limit) in all {
        if let Some(limit) = limit {
            object.insert(name.to_owned(), limit);
        }
    }
    Value::Object(object)
}
