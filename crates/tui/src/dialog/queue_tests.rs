//! Which keys a question takes (CONTRACT 5.8).

use std::time::{Duration, Instant};

use super::{super::Drawn, *};
use crate::{
    dialog::{Space, Step},
    input::Key,
    keys::KeyBindings,
};

struct Question;

impl Panel for Question {
    fn draw(&mut self, _space: &Space<'_>) -> Drawn {
        Drawn { rows: Vec::new(), cursor: None }
    }

    fn key(&mut self, _key: &Key, _raw: &[u8], _keys: &KeyBindings) -> Step {
        Step::Ignored
    }

    fn is_question(&self) -> bool {
        true
    }
}

/// A question that appeared at a time.
fn shown_at(now: Instant) -> Panels {
    let mut panels = Panels::default();
    panels.push(None, Box::new(Question));
    panels.note_shown(now);
    panels
}

fn later(start: Instant, milliseconds: u64) -> Instant {
    start + Duration::from_millis(milliseconds)
}

#[test]
fn c5_8_a_key_in_the_moment_a_question_appears_is_not_an_answer() {
    let start = Instant::now();
    let mut panels = shown_at(start);
    assert!(!panels.takes_key(None, later(start, 50)));
    assert!(panels.takes_key(None, later(start, 400)));
}

#[test]
fn c5_8_a_held_key_never_answers() {
    let start = Instant::now();
    for (delay, pause) in [(660, 33), (1000, 500), (400, 30), (100, 100), (500, 400)] {
        let mut panels = shown_at(start);
        let mut last = later(start, delay);
        assert!(!panels.takes_key(Some((start, true)), last), "held since before the question, {delay} ms");
        for count in 1..100 {
            let now = later(start, delay + count * pause);
            assert!(!panels.takes_key(Some((last, true)), now), "every {pause} ms");
            last = now;
        }
        assert!(panels.takes_key(Some((last, false)), last + Duration::from_millis(700)));
    }
}

#[test]
fn c5_8_after_a_pause_every_key_counts() {
    let start = Instant::now();
    let mut panels = shown_at(start);
    assert!(panels.takes_key(None, later(start, 300)));
    assert!(panels.takes_key(Some((later(start, 300), true)), later(start, 310)));
    // The next question starts again.
    panels.close_first();
    panels.push(None, Box::new(Question));
    assert!(
        !panels.takes_key(Some((later(start, 310), false)), later(start, 2000)),
        "it was not on the screen"
    );
    panels.note_shown(later(start, 2000));
    assert!(!panels.takes_key(Some((later(start, 2000), false)), later(start, 2400)));
}

#[test]
fn c4_6_stopping_closes_all_questions_of_tools_and_leaves_panels_of_the_person() {
    let mut panels = Panels::default();
    for id in 1..=64 {
        panels.push(Some(id), Box::new(Question));
    }
    assert!(panels.is_asked());
    panels.push_front(Box::new(Question));
    assert!(!panels.is_asked());
    panels.close_asked();
    assert!(!panels.is_empty());
    panels.close_first();
    assert!(panels.is_empty());
}
