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
    for pause in [30, 100, 400] {
        let mut panels = shown_at(start);
        let mut last = start;
        for count in 1..100 {
            let now = later(start, count * pause);
            assert!(!panels.takes_key(Some(last), now), "every {pause} ms");
            last = now;
        }
        assert!(panels.takes_key(Some(last), last + Duration::from_millis(700)));
    }
}

#[test]
fn c5_8_after_a_pause_every_key_counts() {
    let start = Instant::now();
    let mut panels = shown_at(start);
    assert!(panels.takes_key(None, later(start, 300)));
    assert!(panels.takes_key(Some(later(start, 300)), later(start, 310)));
    // The next question starts again.
    panels.close_first();
    panels.push(None, Box::new(Question));
    assert!(!panels.takes_key(Some(later(start, 310)), later(start, 2000)), "it was not on the screen");
    panels.note_shown(later(start, 2000));
    assert!(!panels.takes_key(Some(later(start, 2000)), later(start, 2400)));
}
