//! Which errors are waited for, and how long.

use std::time::Duration;

use toolsmith_llm::{ErrorClass, LlmError};

use super::{Plan, RetryPolicy};

fn error(class: ErrorClass) -> LlmError {
    LlmError::new(class, "x")
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn waits_double_up_to_the_longest() {
    let policy = RetryPolicy::default().max_attempts(100).delays(seconds(2), seconds(9));
    let waits: Vec<_> =
        [1, 2, 3, 4, 99].map(|attempt| policy.plan(&error(ErrorClass::Overloaded), attempt, 0.0)).into();
    assert_eq!(waits, [2, 4, 8, 9, 9].map(|wait| Plan::Wait(seconds(wait))));
}

#[test]
fn chance_makes_a_wait_shorter_by_a_quarter_at_most() {
    let policy = RetryPolicy::default().delays(seconds(8), seconds(300));
    assert_eq!(policy.plan(&error(ErrorClass::Server), 1, 1.0), Plan::Wait(seconds(6)));
    assert_eq!(policy.plan(&error(ErrorClass::Server), 1, 0.5), Plan::Wait(seconds(7)));
    assert_eq!(policy.plan(&error(ErrorClass::Server), 1, f64::INFINITY), Plan::Wait(seconds(6)));
}

#[test]
fn what_the_provider_asks_for_raises_the_wait_and_is_never_made_shorter() {
    let policy = RetryPolicy::default().delays(seconds(2), seconds(60));
    let mut asking = error(ErrorClass::RateLimited);
    asking.retry_after = Some(seconds(20));
    assert_eq!(policy.plan(&asking, 1, 1.0), Plan::Wait(seconds(20)));
    asking.retry_after = Some(seconds(1));
    assert_eq!(policy.plan(&asking, 1, 0.0), Plan::Wait(seconds(2)));
    asking.retry_after = Some(seconds(61));
    assert_eq!(policy.plan(&asking, 1, 0.0), Plan::TooLong(seconds(61)));
}

#[test]
fn only_errors_that_pass_are_tried_again() {
    let policy = RetryPolicy::default();
    for class in [
        ErrorClass::RateLimited,
        ErrorClass::Overloaded,
        ErrorClass::Server,
        ErrorClass::Network,
        ErrorClass::InvalidResponse,
    ] {
        assert!(matches!(policy.plan(&error(class), 1, 0.0), Plan::Wait(_)), "{class}");
    }
    for class in [
        ErrorClass::Overflow,
        ErrorClass::Auth,
        ErrorClass::Quota,
        ErrorClass::BadRequest,
        ErrorClass::Refused,
        ErrorClass::TooLong,
        ErrorClass::Script,
        ErrorClass::Aborted,
    ] {
        assert_eq!(policy.plan(&error(class), 1, 0.0), Plan::GiveUp, "{class}");
    }
}

#[test]
fn there_is_an_end_to_it() {
    let policy = RetryPolicy::default().max_attempts(2);
    assert!(matches!(policy.plan(&error(ErrorClass::Network), 2, 0.0), Plan::Wait(_)));
    assert_eq!(policy.plan(&error(ErrorClass::Network), 3, 0.0), Plan::GiveUp);
    assert_eq!(
        RetryPolicy::default().max_attempts(0).plan(&error(ErrorClass::Network), 1, 0.0),
        Plan::GiveUp
    );
}
