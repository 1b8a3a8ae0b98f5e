//! `cargo xtask smoke PROGRAM [--runner RUNNER]`: shows that a built program works where it runs, in a home of its own. The
//! runner is an emulator such as `qemu-aarch64`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};

/// The tools that are called.
const TOOLS: &str = r#"export default (pi) => [
  {
    name: "greet", description: "Greets", approval: "read",
    parameters: pi.zod.object({ name: pi.zod.string() }),
    execute: async (_id, { name }) => ({ content: [{ type: "text", text: `Hello, ${name}!` }] }),
  },
  {
    name: "endless", description: "Never returns", approval: "read", parameters: pi.zod.object({}),
    execute: async () => { while (true) {} },
  },
  {
    name: "tree", description: "Starts processes that leave their parent", parameters: pi.zod.object({}),
    execute: async () => {
      const script = "trap '' TERM; (setsid sh -c 'echo $$ >> pids; exec sleep 1000' &); echo $$ >> pids; exec sleep 1000";
      const { killed } = await pi.exec("sh", ["-c", script], { timeout: 1000 });
      return { content: [{ type: "text", text: `killed: ${killed}` }] };
    },
  },
];
"#;

/// Longest time a killed process may take to disappear.
const GONE: Duration = Duration::from_secs(10);

/// One step: its name and what it does.
type Step = (&'static str, fn(&Smoke) -> Result<()>);

const STEPS: [Step; 6] = [
    ("--version", version),
    ("demo", demo),
    ("call", call),
    ("a stopped loop", stopped_loop),
    ("a killed process tree", killed_tree),
    ("an applied and undone change", undone_change),
];

struct Smoke {
    command: Vec<String>,
    folder: tempfile::TempDir,
}

pub(crate) fn run(program: &str, runner: Option<&str>) -> Result<()> {
    let program = fs::canonicalize(program).with_context(|| format!("{program} cannot be opened"))?;
    let command = runner.map(str::to_owned).into_iter().chain([program.display().to_string()]).collect();
    let smoke = Smoke { command, folder: tempfile::tempdir()? };
    fs::create_dir(smoke.home())?;
    fs::create_dir(smoke.project())?;
    fs::write(smoke.project().join("tools.mjs"), TOOLS)?;
    for (name, step) in STEPS {
        let start = Instant::now();
        step(&smoke).with_context(|| format!("smoke test: {name}"))?;
        println!("smoke: {name}: passed in {} ms", start.elapsed().as_millis());
    }
    Ok(())
}

impl Smoke {
    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn output(&self, arguments: &[&str]) -> Result<Output> {
        let (program, before) = self.command.split_first().context("no program")?;
        #[expect(clippy::disallowed_methods, reason = "a task waits for what it starts")]
        let mut command = Command::new(program);
        command.args(before).args(arguments).current_dir(self.project()).env("HOME", self.home());
        command.stdin(Stdio::null()).output().with_context(|| format!("{program} could not be started"))
    }

    /// Runs the program; its standard output, if it exits with this code.
    fn run(&self, arguments: &[&str], code: i32) -> Result<String> {
        let output = self.output(arguments)?;
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        ensure!(
            output.status.code() == Some(code),
            "`toolsmith {}`: {}\n{out}{err}",
            arguments.join(" "),
            output.status
        );
        Ok(format!("{out}{err}"))
    }

    fn call(&self, tool: &str, more: &[&str], code: i32) -> Result<String> {
        self.run(&[&["call", "--tool", "tools.mjs", tool], more].concat(), code)
    }
}

fn expect(text: &str, part: &str) -> Result<()> {
    ensure!(text.contains(part), "{part:?} was expected in:\n{text}");
    Ok(())
}

fn version(smoke: &Smoke) -> Result<()> {
    expect(&smoke.run(&["--version"], 0)?, env!("CARGO_PKG_VERSION"))
}

fn demo(smoke: &Smoke) -> Result<()> {
    smoke.run(&["demo"], 0).map(drop)
}

fn call(smoke: &Smoke) -> Result<()> {
    expect(&smoke.call("greet", &["name=smoke"], 0)?, "Hello, smoke!")
}

fn stopped_loop(smoke: &Smoke) -> Result<()> {
    expect(&smoke.call("endless", &["--timeout", "1s"], 1)?, "Timed out")
}

fn killed_tree(smoke: &Smoke) -> Result<()> {
    expect(&smoke.call("tree", &[], 0)?, "killed: true")?;
    let pids = fs::read_to_string(smoke.project().join("pids"))?;
    ensure!(pids.lines().count() == 2, "two processes were expected: {pids:?}");
    let until = Instant::now() + GONE;
    while let Some(pid) = pids.lines().find(|pid| Path::new("/proc").join(pid).exists()) {
        if Instant::now() > until {
            bail!("process {pid} still exists");
        }
        thread::yield_now();
    }
    Ok(())
}

fn undone_change(smoke: &Smoke) -> Result<()> {
    let file = smoke.project().join("a.ts");
    fs::write(&file, "f(1);\n")?;
    let rewrite = r#"{"ops":[{"pat":"f($A)","out":"h($A)"}],"path":"a.ts"}"#;
    smoke.run(&["call", "ast_edit", "--args", rewrite, "--apply"], 0)?;
    ensure!(fs::read_to_string(&file)? == "h(1);\n", "the change was not applied");
    smoke.run(&["undo"], 0)?;
    ensure!(fs::read_to_string(&file)? == "f(1);\n", "the change was not undone");
    Ok(())
}
