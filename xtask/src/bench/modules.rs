//! The measured modules: tools written with TypeBox and with zod, and a script for Bun that does the same as Toolsmith.

use std::{fs, path::PathBuf};

use anyhow::{Context, Result};

use super::peers;

/// Number of modules of each kind.
pub(crate) const COUNT: usize = 100;

const BUN_SCRIPT: &str = r#"
const [kind, count, action] = process.argv.slice(2);
const pi = { cwd: process.cwd() };
if (kind === "typebox") pi.typebox = await import("@sinclair/typebox");
if (kind === "zod") pi.zod = await import("zod");
let tool;
for (let i = 0; i < Number(count); i++) {
  tool = (await import(`./${kind}/t${i}.ts`)).default(pi);
  JSON.stringify(kind === "zod" ? pi.zod.toJSONSchema(tool.parameters, { io: "input" }) : tool.parameters);
}
if (action === "count") console.log(count);
if (action === "call") console.log((await tool.execute("id", { n: 1 }, () => {}, {}, new AbortController().signal)).content[0].text);
if (action === "trip") {
  const size = Number(process.argv[5]);
  const value = { list: Array.from({ length: Math.max(1, Math.floor(size / 40)) }, (_, i) => ({ id: i, name: `item number ${i}` })) };
  const text = JSON.stringify(value);
  const times = [];
  for (let i = 0; i < Number(process.argv[6]); i++) {
    const start = performance.now();
    JSON.stringify(await (async (input) => JSON.parse(input))(text));
    times.push(performance.now() - start);
  }
  console.log(JSON.stringify(times));
}
"#;

/// Returns the source of a module of a kind, `typebox` or `zod`.
pub(crate) fn module(kind: &str, index: usize) -> String {
    let schema = match kind {
        "typebox" => {
            "pi.typebox.Type.Object({ glob: pi.typebox.Type.Optional(pi.typebox.Type.String({ default: \"**/*.ts\" })), n: pi.typebox.Type.Number() })"
        }
        _ => "pi.zod.object({ glob: pi.zod.string().optional().default(\"**/*.ts\"), n: pi.zod.number() })",
    };
    format!(
        r#"import type {{ CustomToolFactory }} from "@oh-my-pi/pi-coding-agent";

interface Options {{
  glob?: string;
  n: number;
}}

const factory: CustomToolFactory = (pi) => ({{
  name: "tool_{index}",
  label: "Tool {index}",
  description: "A tool of the benchmark, number {index}",
  parameters: {schema},
  async execute(toolCallId: string, params: Options, onUpdate: any, ctx: any, signal: AbortSignal) {{
    const words = (params.glob ?? "**/*.ts").split("/").filter(Boolean);
    onUpdate?.({{ content: [{{ type: "text", text: "Working..." }}] }});
    return {{ content: [{{ type: "text", text: `Found ${{words.length + params.n}}` }}], details: {{ words }} }};
  }},
}});

export default factory;
"#
    )
}

/// Locations of the measured files.
pub(crate) struct Modules {
    /// Directory with `run.ts` for Bun, and the modules in `typebox/t0.ts` and so on.
    pub(crate) folder: PathBuf,
    pub(crate) bun: PathBuf,
}

/// Installs Bun and the libraries, and writes the modules.
pub(crate) fn prepare() -> Result<Modules> {
    let folder = peers::folder()?.join("engine");
    fs::create_dir_all(&folder)?;
    peers::npm_install(
        &folder,
        &["bun@1.4.4", "@oven/bun-linux-x64@1.4.4", "zod@4.6.7", "@sinclair/typebox@0.34.52"],
    )?;
    let bun = peers::bun(&folder).context("bun was not installed")?;
    fs::write(folder.join("run.ts"), BUN_SCRIPT)?;
    for kind in ["typebox", "zod"] {
        fs::create_dir_all(folder.join(kind))?;
        for index in 0..COUNT {
            fs::write(folder.join(kind).join(format!("t{index}.ts")), module(kind, index))?;
        }
    }
    Ok(Modules { folder, bun })
}
