//! The table is true, and keeps what could not be tried.

use std::{collections::BTreeMap, fs};

use toolsmith_js::EngineKind;

use super::{
    document,
    probes::{Place, Probe},
    table,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_table_says_what_the_embedded_engine_can_do() {
    let place = Place::prepare().await.unwrap();
    let found = place.run(EngineKind::Embedded).await.unwrap().unwrap();
    let said = table::read(&fs::read_to_string(document()).unwrap());
    let mut wrong = Vec::new();
    for Probe { name, module, .. } in &place.probes {
        let is_said = said.get(module).is_some_and(|verdict| verdict == "embedded");
        if is_said != found[name].is_ok() {
            wrong.push(format!("{module}: said {:?}, found {:?}", said.get(module), found[name]));
        }
    }
    assert!(wrong.is_empty(), "run `cargo xtask compat`: {wrong:#?}");
}

#[test]
fn what_was_not_tried_stays_as_it_was() {
    let probe =
        Probe { name: "x".to_owned(), module: "node:x (part)".to_owned(), members: "a, b".to_owned() };
    let probes = [probe];
    let outcomes =
        |passes: bool| BTreeMap::from([("x".to_owned(), if passes { Ok(()) } else { Err(String::new()) })]);
    let all = BTreeMap::from([
        ("embedded".to_owned(), outcomes(false)),
        ("node".to_owned(), outcomes(false)),
        ("bun".to_owned(), outcomes(true)),
    ]);
    let text = table::write(&probes, &all, &BTreeMap::new());
    assert!(text.ends_with("| `node:x` (part) | a, b | sidecar (bun) |\n"), "{text}");
    let without_bun =
        BTreeMap::from([("embedded".to_owned(), outcomes(false)), ("node".to_owned(), outcomes(false))]);
    assert_eq!(table::write(&probes, &without_bun, &table::read(&text)), text);
}
