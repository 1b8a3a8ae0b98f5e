//! MCP over standard streams: starting and calling a tool beside the same tool on the TypeScript SDK under Bun, and what
//! configured servers cost before the first prompt.

use std::{
    fs,
    io::{BufRead, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{
    peers,
    process::end,
    program::Program,
    report::{Report, kept},
    sample::{Sample, describe, verdict},
    waiting,
};

const SUBJECT: &str = "MCP";
const ROUNDS: usize = 20;
const CALLS: usize = 200;
const SERVERS: usize = 20;
const SDK: &str = "@modelcontextprotocol/sdk@1.32.2";
const BUN: &str = "@oven/bun-linux-x64@1.4.4";
const BUDGET: f64 = 0.5;
const FIRST_PROMPT_MS: f64 = 10.0;

const TOOL: &str = r#"export default (pi) => ({
  name: "greet", description: "Greets somebody", approval: "read",
  parameters: pi.zod.object({ name: pi.zod.string() }),
  async execute(id, { name }) { return { content: [{ type: "text", text: `Hello, ${name}!` }] }; },
});
"#;

const PEER: &str = r#"import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";
const server = new McpServer({ name: "peer", version: "1.0.0" });
server.registerTool("greet", { description: "Greets somebody", inputSchema: { name: z.string() } },
  async ({ name }) => ({ content: [{ type: "text", text: `Hello, ${name}!` }] }));
await server.connect(new StdioServerTransport());
"#;

pub(crate) fn run(report: &mut Report) -> Result<()> {
    let program = Program::find()?;
    let folder = peers::folder()?.join("mcp");
    let tools = folder.join("project/.toolsmith/tools");
    fs::create_dir_all(&tools)?;
    fs::write(tools.join("greet.ts"), TOOL)?;
    peers::npm_install(&folder, &[SDK, BUN])?;
    fs::write(folder.join("peer.ts"), PEER)?;
    let bun = peers::bun(&folder).context("bun was installed")?;
    let ours = || {
        let mut command = program.start(&folder.join("project"));
        command.args(["mcp", "serve", "--trust"]);
        command
    };
    let theirs = || {
        let mut command = peers::start(&bun, &folder);
        command.args(["run", "peer.ts"]);
        command
    };
    starting(ours, theirs, report)?;
    calling(ours, theirs, report)?;
    first_prompt(&program, &folder, &bun, report)
}

/// A client that writes raw messages, so that it costs the same for both.
struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    fn start(mut command: Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let input = child.stdin.take().context("it has an input")?;
        let output = BufReader::new(child.stdout.take().context("it has an output")?);
        let mut client = Self { child, input, output, next: 0 };
        let about = json!({ "name": "bench", "version": "1" });
        client.request(
            "initialize",
            json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about }),
        )?;
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(client)
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        self.input.write_all(format!("{message}\n").as_bytes())?;
        Ok(self.input.flush()?)
    }

    fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params }))?;
        loop {
            let mut line = String::new();
            ensure!(self.output.read_line(&mut line)? > 0, "a measured server ended");
            let message: Value = serde_json::from_str(&line)?;
            if message["id"] == json!(self.next) {
                return Ok(message);
            }
        }
    }

    fn call(&mut self) -> Result<()> {
        let answer =
            self.request("tools/call", json!({ "name": "greet", "arguments": { "name": "Ada" } }))?;
        ensure!(answer.to_string().contains("Hello, Ada!"), "a measured server answered {answer}");
        Ok(())
    }
}

fn starting(ours: impl Fn() -> Command, theirs: impl Fn() -> Command, report: &mut Report) -> Result<()> {
    println!("mcp: start, handshake and one call over stdio, {ROUNDS} rounds");
    let once = |command: Command| -> Result<Duration> {
        let start = Instant::now();
        let mut client = Client::start(command)?;
        client.call()?;
        let elapsed = start.elapsed();
        end(client.child)?;
        Ok(elapsed)
    };
    let (mut own, mut peer) = (Sample::default(), Sample::default());
    for _ in 0..ROUNDS {
        own.push(once(ours())?);
        peer.push(once(theirs())?);
    }
    println!("  toolsmith      {}", describe(&own));
    println!("  TypeScript SDK {}   {}", describe(&peer), verdict(own.ratio(&peer), BUDGET));
    report.compare(
        SUBJECT,
        "start a server and call a tool over stdio".to_owned(),
        &own,
        ("TypeScript SDK under Bun", &peer),
        Some(BUDGET),
    );
    Ok(())
}

fn calling(ours: impl Fn() -> Command, theirs: impl Fn() -> Command, report: &mut Report) -> Result<()> {
    println!("mcp: one call over an open connection, {CALLS} rounds");
    let (mut first, mut second) = (Client::start(ours())?, Client::start(theirs())?);
    let (mut own, mut peer) = (Sample::default(), Sample::default());
    for _ in 0..CALLS {
        for (client, sample) in [(&mut first, &mut own), (&mut second, &mut peer)] {
            let start = Instant::now();
            client.call()?;
            sample.push(start.elapsed());
        }
    }
    end(first.child)?;
    end(second.child)?;
    println!("  toolsmith      {}", describe(&own));
    println!("  TypeScript SDK {}   {}", describe(&peer), verdict(own.ratio(&peer), BUDGET));
    report.compare(
        SUBJECT,
        "call a tool over an open connection".to_owned(),
        &own,
        ("TypeScript SDK under Bun", &peer),
        Some(BUDGET),
    );
    Ok(())
}

/// The time until a session sends its first prompt, with and without configured servers. Their tools are known from earlier.
fn first_prompt(program: &Program, folder: &Path, bun: &Path, report: &mut Report) -> Result<()> {
    println!("mcp: first prompt of a session with {SERVERS} servers beside one with none, {ROUNDS} rounds");
    let (with, without) = (folder.join("with"), folder.join("without"));
    fs::create_dir_all(&with)?;
    fs::create_dir_all(&without)?;
    let peer = folder.join("peer.ts");
    let servers: serde_json::Map<String, Value> = (0..SERVERS)
        .map(|number| {
            (
                format!("s{number}"),
                json!({ "command": bun.to_string_lossy(), "args": ["run", peer.to_string_lossy()] }),
            )
        })
        .collect();
    fs::write(with.join(".mcp.json"), json!({ "mcpServers": servers }).to_string())?;
    let once = |place: &Path| -> Result<Duration> {
        let mut command = waiting::command(program, place)?;
        command.arg("--trust");
        let waiting = waiting::start(command)?;
        end(waiting.child)?;
        Ok(waiting.elapsed)
    };
    // The first session learns the tools. Killed too early it would learn nothing, so it may take its time.
    let mut list = program.start(&with);
    ensure!(
        list.args(["list", "--trust"]).stdout(Stdio::null()).status()?.success(),
        "the servers could not be listed"
    );
    let (mut own, mut none) = (Sample::default(), Sample::default());
    for _ in 0..ROUNDS {
        none.push(once(&without)?);
        own.push(once(&with)?);
    }
    let more = (own.median().as_secs_f64() - none.median().as_secs_f64()) * 1000.0;
    println!("  none           {}", describe(&none));
    println!("  {SERVERS} servers     {}   {} ms later", describe(&own), verdict(more, FIRST_PROMPT_MS));
    report.figure(
        SUBJECT,
        format!("first prompt with {SERVERS} configured servers, compared with none"),
        format!("{more:.1} ms later"),
        Some(kept(more <= FIRST_PROMPT_MS, format!("≤ {FIRST_PROMPT_MS} ms"))),
    );
    Ok(())
}
