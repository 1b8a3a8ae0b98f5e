//! Thresholds, and how much is kept.

use toolsmith_llm::Model;

use super::{CompactionPolicy, Size, window};

#[test]
fn the_threshold_is_tokens_else_percent_else_what_is_not_reserved() {
    let policy = CompactionPolicy::default();
    assert_eq!(policy.threshold(200_000), 170_000, "15 % is more than the reserve");
    assert_eq!(policy.threshold(100_000), 83_616, "the reserve is more than 15 %");
    assert_eq!(policy.threshold(8_000), 4_000, "a small window is not all reserve");
    let percent = policy.clone().threshold_percent(Some(40));
    assert_eq!(percent.threshold(200_001), 80_000);
    let tokens = percent.clone().threshold_tokens(Some(1234));
    assert_eq!(tokens.threshold(200_000), 1234);
    assert_eq!(tokens.threshold(1000), 999);
    for none in [0, 100, u64::MAX] {
        assert_eq!(percent.clone().threshold_percent(Some(none)).threshold(200_000), 170_000);
    }
    assert_eq!(percent.threshold_tokens(Some(0)).threshold(200_000), 80_000);
    assert_eq!(policy.threshold(0), 0);
    assert_eq!(policy.threshold(u64::MAX), u64::MAX - u64::MAX / 100 * 15 - 2);
}

#[test]
fn a_model_of_which_nothing_is_known_has_a_window() {
    let mut model = Model::unknown("p", "m");
    model.context_window = 0;
    assert_eq!(window(&model), 128_000);
    model.context_window = 5;
    assert_eq!(window(&model), 5);
}

#[test]
fn less_is_kept_where_the_provider_counts_more_than_the_estimate() {
    let policy = CompactionPolicy::default().tokens(100, 1000);
    assert_eq!(policy.keep(Size { known: 5000, estimated: 10_000 }, 4000), 1000);
    assert_eq!(policy.keep(Size { known: 10_000, estimated: 5000 }, 4000), 500);
    assert_eq!(policy.keep(Size { known: 10_000, estimated: 5000 }, 400), 200);
}
