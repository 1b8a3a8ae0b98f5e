//! What the `apply` of a tool in JavaScript writes by itself can be undone as one change.

use std::{collections::BTreeMap, fs, path::Path, time::Duration};

use serde_json::json;
use toolsmith::{Session, settings::Settings};
use toolsmith_agent::PendingChoice;
use toolsmith_llm::ForcedTool;
use toolsmith_testkit::{Reply, Wire};

use super::Bench;

/// Changes files in every way there is, and ends as it is told to.
const BUSY: &str = r#"
import * as fs from "node:fs";
import * as fsp from "node:fs/promises";
import * as path from "node:path";
export default (pi) => ({
  name: "busy",
  description: "Changes much",
  approval: "read",
  parameters: { type: "object", properties: { end: { type: "string" } } },
  async execute(id, { end }) {
    const at = (name) => path.join(pi.cwd, name);
    pi.pushPendingAction({
      label: "Much",
      sourceToolName: "busy",
      async apply() {
        fs.writeFileSync(at("written"), "new");
        await fsp.appendFile(at("appended"), " more");
        const file = await fsp.open(at("opened"), "r+");
        await file.write("XX", 0);
        await file.close();
        await fsp.truncate(at("truncated"), 1);
        await fsp.mkdir(at("made/deep"), { recursive: true });
        await fsp.writeFile(at("made/deep/file"), "made");
        await fsp.writeFile(at("made/deep/file"), "made twice");
        fs.renameSync(at("renamed"), at("made/renamed"));
        await fsp.rename(at("folder"), at("moved"));
        await fsp.copyFile(at("written"), at("copied"));
        await fsp.unlink(at("unlinked"));
        await fsp.rm(at("removed"), { recursive: true });
        await fsp.writeFile(at("link"), "through the link");
        await fsp.symlink("written", at("new link"));
        await fsp.writeFile(at("temporary"), "x");
        await fsp.rm(at("temporary"));
        if (end === "throws") throw new Error("halfway");
        if (end === "hangs") for (;;) {}
        return { content: [{ type: "text", text: "Changed." }] };
      },
    });
    return { content: [] };
  },
});
"#;

fn contents(folder: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(at) = waiting.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            if path.is_symlink() {
                all.insert(name, format!("-> {}", fs::read_link(&path).unwrap().display()));
            } else if path.is_dir() {
                all.insert(name, "a folder".to_owned());
                waiting.push(path);
            } else {
                all.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    all
}

async fn changed(bench: &Bench, end: &str) -> Session {
    bench.place.write("busy.ts", BUSY);
    for name in
        ["written", "appended", "opened", "truncated", "renamed", "folder/a", "folder/b/c", "unlinked"]
    {
        bench.place.write(&format!("project/{name}"), &format!("old {name}"));
    }
    bench.place.write("project/removed/x/y", "gone");
    bench.place.write("project/behind", "old");
    std::os::unix::fs::symlink("behind", bench.file("link")).unwrap();
    let mut settings = Settings::default();
    settings.limits.grace = Duration::from_millis(20);
    settings.limits.call = Duration::from_millis(2000);
    let builder = bench.builder().settings(settings).tool_path(bench.place.path("busy.ts"));
    let session = builder.build().await.unwrap();
    bench.answer(Reply::new().call("c1", "busy", &json!({ "end": end })));
    bench.server.otherwise(|_| Reply::new().text("You decide."));
    session.run("Go").await.unwrap();
    session
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_that_an_apply_wrote_is_undone_also_when_it_failed_halfway() {
    for end in ["returns", "throws"] {
        let bench = Bench::new(Wire::Chat, ForcedTool::None).await;
        let session = changed(&bench, end).await;
        let before = contents(&bench.place.cwd());
        let outcome = session.apply_pending(PendingChoice::Top, None, "go").await;
        assert_eq!(outcome.is_ok(), end == "returns", "{outcome:?}");
        assert_eq!(bench.read("behind").as_deref(), Some("through the link"));
        assert_eq!(bench.read("moved/b/c").as_deref(), Some("old folder/b/c"));
        let changes = session.changes().await.unwrap();
        assert_eq!((changes.len(), changes[0].entry.label.as_str()), (1, "Much"), "{changes:?}");
        assert!(!changes[0].entry.files.iter().any(|file| file.path.ends_with("temporary")));
        session.undo(None).await.unwrap();
        // Links are no contents: what became of them stays.
        fs::remove_file(bench.file("new link")).unwrap();
        assert_eq!(contents(&bench.place.cwd()), before, "{end}");
        session.undo(Some(&session.changes().await.unwrap()[0].entry.id)).await.unwrap();
        assert_eq!(bench.read("made/deep/file").as_deref(), Some("made twice"), "an undo can be undone");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_apply_wrote_before_it_was_stopped_by_force_is_undone_too() {
    let bench = Bench::new(Wire::Chat, ForcedTool::None).await;
    let session = changed(&bench, "hangs").await;
    let before = contents(&bench.place.cwd());
    session.apply_pending(PendingChoice::Top, None, "go").await.unwrap_err();
    // It is written down beside the answer.
    while session.changes().await.unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    session.undo(None).await.unwrap();
    fs::remove_file(bench.file("new link")).unwrap();
    assert_eq!(contents(&bench.place.cwd()), before);
}
