//! The terminal interface, driven by keys on a pseudo-terminal and read from a vt100 screen.

mod decisions;
mod exits;
mod extensions;
mod floods;
mod input;
mod plain;
mod screen;
mod scrollback;
mod sessions;
mod tmux;
mod tour;

use serde_json::Value;

use self::screen::Screen;
use crate::place::Place;

/// A trusted project with a scripted model.
fn place(script: &Value) -> Place {
    let place = Place::trusted(&[]);
    place.write("script.json", &script.to_string());
    place
}

fn model(place: &Place) -> String {
    format!("script:{}", place.path("script.json").display())
}

/// Starts the interface and waits for the composer and the session.
fn start(place: &Place, more: &[&str]) -> Screen {
    let mut screen = Screen::start(place, &[&["--model", &model(place)], more].concat(), 24, 80);
    screen.wait_for("script/script");
    screen
}
