//! A soak of hot reload: ten thousand versions of one module in one session.

use std::{fs, sync::Arc};

use anyhow::{Context, Result, ensure};
use serde_json::json;
use toolsmith::{BuiltIns, Home, Session, SessionSource, TrustDecision};
use toolsmith_llm::{Script, ScriptedProvider};
use toolsmith_tool::{ToolCall, ToolContext};

use super::{
    peers,
    process::megabytes,
    report::{Report, kept},
    sample::verdict,
};

/// Name in the report.
const SUBJECT: &str = "Hot reload";
const RELOADS: usize = 10_000;
/// Growth in megabytes that the second half may show: the allocator gives pages back when it likes.
const GROWTH: f64 = 0.5;

/// A version of the module. It hands over 100 kB of state.
fn module(version: usize) -> String {
    format!(
        "let kept = \"x\".repeat(100_000);\nexport const getState = () => ({{ kept }});\n\
         export default () => ({{ name: \"version\", description: \"Tells its version\", approval: \"read\",\n\
         parameters: {{ type: \"object\", properties: {{}} }},\n\
         execute: async () => ({{ content: [{{ type: \"text\", text: \"{version}\" }}] }}) }});\n"
    )
}

pub(crate) fn run(report: &mut Report) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(soak(report))
}

async fn soak(report: &mut Report) -> Result<()> {
    println!("reloads: {RELOADS} versions of a module with 100 kB of state");
    let folder = peers::folder()?.join("reloads");
    let _ = fs::remove_dir_all(&folder);
    let (home, project) = (folder.join("home"), folder.join("project"));
    let file = project.join(".toolsmith/tools/version.ts");
    fs::create_dir_all(file.parent().context("the file is in a folder")?)?;
    fs::create_dir_all(&home)?;
    fs::write(&file, module(0))?;
    let provider = ScriptedProvider::new(Script::parse("[\"Done.\"]")?);
    let model = provider.model().clone();
    let session = Session::builder(&project)
        .home(Home::at(&home))
        .trust(TrustDecision::everything())
        .provider(Arc::new(provider), model)
        .built_ins(BuiltIns::None)
        .discovery(true)
        .session(SessionSource::Memory)
        .build()
        .await?;
    let mut half = 0.0;
    for version in 1..=RELOADS {
        fs::write(&file, module(version))?;
        session.reload_changed_tools().await;
        let loaded = session.loaded();
        let tool = Arc::clone(&loaded.tools.first().context("the module has a tool")?.tool);
        let result = tool.execute(ToolCall::new("1", json!({})), ToolContext::detached()).await?;
        ensure!(result.joined_text() == version.to_string(), "{} answered", result.joined_text());
        if version.is_multiple_of(RELOADS / 10) {
            println!("  after {version:>6}: {:.1} MB resident, {:?}", resident(), session.engine_stats());
        }
        if version == RELOADS / 2 {
            half = resident();
        }
    }
    let all = resident();
    println!("  growth of the second half in MB: {}", verdict(all - half, GROWTH));
    report.figure(
        SUBJECT,
        format!("resident memory after {} and after {RELOADS} reloads", RELOADS / 2),
        format!("{half:.1} MB, {all:.1} MB"),
        Some(kept(all - half <= GROWTH, format!("growth ≤ {GROWTH} MB"))),
    );
    Ok(())
}

/// Returns the resident memory of this process in megabytes.
fn resident() -> f64 {
    let text = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split_whitespace().nth(1).and_then(|pages| pages.parse::<usize>().ok());
    megabytes(pages.unwrap_or(0) * 4096)
}
