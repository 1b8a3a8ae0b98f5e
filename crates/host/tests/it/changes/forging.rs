//! Plans and entries that somebody else put into the store are not carried out.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
};

use serde_json::json;
use toolsmith_host::changes::{ChangeError, ChangeStore, Wanted, content_hash};
use toolsmith_tool::CancelToken;

use super::Place;

/// A plan that would put a file of the project in the place of one outside, as versions without seals wrote it.
fn forged_plan(place: &Place, id: &str) -> String {
    let (victim, payload) = (place.state.with_file_name("victim"), place.path("payload"));
    let file = json!({ "path": victim, "target": victim, "before": content_hash(b"evil"), "after": null, "mode": null });
    let step = json!({ "fresh": place.path("none"), "old": payload });
    let entry =
        json!({ "id": id, "time": "", "tool": "x", "label": "x", "root": place.root, "files": [file] });
    json!({ "entry": entry, "steps": [step] }).to_string()
}

#[test]
fn c5_7_a_forged_plan_is_refused_and_said_to_be() {
    let place = Place::new(&[("payload", "evil")]);
    let victim = place.state.with_file_name("victim");
    let forms: [fn(String) -> String; 3] =
        [|plan| plan, |plan| format!("{}\n{plan}", "0".repeat(64)), |plan| format!("\n{plan}")];
    for (at, form) in forms.into_iter().enumerate() {
        // The folders, and the key.
        place.store.list(None).unwrap();
        let id = format!("{at:013}-00000000-1");
        let folder = place.state.join("unfinished");
        fs::write(folder.join(format!("{id}.json")), form(forged_plan(&place, &id))).unwrap();
        fs::write(folder.join(format!("{id}.staged")), "").unwrap();
        let recovery = place.store.recover().unwrap();
        assert!(recovery.taken_back.is_empty());
        assert!(recovery.left[0].contains("was not written by this user's Toolsmith"), "{recovery:?}");
        assert!(!victim.exists() && place.read("payload") == "evil");
        assert!(folder.join(format!("{id}.refused")).exists(), "it is kept for whoever wants to look");
        assert_eq!(place.store.recover().unwrap().left.len(), 0, "and said once");
    }
}

#[test]
fn c5_7_a_record_of_another_store_or_of_another_name_does_not_count() {
    let (place, other) = (Place::new(&[("a", "1")]), Place::new(&[("a", "1")]));
    let applied = place.apply(&place.bind(vec![Wanted::write("a", "2")])).unwrap();
    let foreign = other.apply(&other.bind(vec![Wanted::write("a", "2")])).unwrap();
    let entry = |place: &Place, id: &str| place.state.join("entries").join(format!("{id}.json"));
    fs::copy(entry(&other, &foreign.id), entry(&place, &foreign.id)).unwrap();
    fs::copy(entry(&place, &applied.id), entry(&place, "0000000000000-00000000-2")).unwrap();
    for id in [foreign.id.as_str(), "0000000000000-00000000-2"] {
        let error = place.store.undo(id, &CancelToken::new()).unwrap_err();
        assert!(matches!(error, ChangeError::NotAuthentic { .. }), "{error}");
    }
    // An entry that was made an interrupted plan is none.
    fs::copy(entry(&place, &applied.id), place.state.join("unfinished").join(format!("{}.json", applied.id)))
        .unwrap();
    assert_eq!(place.store.recover().unwrap().left.len(), 1);
    assert_eq!(place.store.list(None).unwrap().len(), 1);
    place.store.undo(&applied.id, &CancelToken::new()).unwrap();
    assert_eq!((place.read("a"), other.read("a")), ("1".to_owned(), "2".to_owned()));
}

#[test]
fn c5_7_a_key_that_others_may_read_is_replaced() {
    let place = Place::new(&[("a", "1")]);
    place.apply(&place.bind(vec![Wanted::write("a", "2")])).unwrap();
    let key = place.state.join("key");
    assert_eq!(fs::metadata(&key).unwrap().mode() & 0o777, 0o600);
    // The same key in the next process.
    assert_eq!(ChangeStore::open(&place.state).unwrap().list(None).unwrap().len(), 1);
    let before = fs::read(&key).unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    let store = ChangeStore::open(&place.state).unwrap();
    assert_ne!(fs::read(&key).unwrap(), before);
    assert_eq!(store.list(None).unwrap().len(), 0, "what the old key sealed no longer counts");
}

#[test]
fn c5_7_a_temporary_store_believes_no_other_process() {
    let place = Place::new(&[("a", "1")]);
    let (one, other) = (ChangeStore::temporary().unwrap(), ChangeStore::temporary().unwrap());
    let applied =
        one.apply(&place.bind(vec![Wanted::write("a", "2")]), &place.note(), &CancelToken::new()).unwrap();
    assert!(!one.folder().join("key").exists());
    other.list(None).unwrap();
    let name = format!("entries/{}.json", applied.id);
    fs::copy(one.folder().join(&name), other.folder().join(&name)).unwrap();
    assert_eq!(other.list(None).unwrap().len(), 0);
    one.undo_last(&place.root, &CancelToken::new()).unwrap();
    assert_eq!(place.read("a"), "1");
}
