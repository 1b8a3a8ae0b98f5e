//! What Gemini's model names say.

use super::*;

#[test]
fn the_generation_is_read_from_the_name() {
    for newer in ["gemini-3-pro-preview", "gemini-3.8-flash", "gemini-flash-latest", "models/gemini-12"] {
        assert!(is_third_or_newer(newer), "{newer}");
    }
    for older in ["gemini-2.5-pro", "gemini-2.0-flash", "gemma-4-31b-it", "other"] {
        assert!(!is_third_or_newer(older), "{older}");
    }
}

#[test]
fn a_model_id_stays_within_its_place_in_the_path() {
    assert_eq!(path_segment("models/gemini-2.5-pro"), "gemini-2.5-pro");
    assert_eq!(path_segment("../x?key=1#a"), "..%2Fx%3Fkey%3D1%23a");
}
