//! `cargo xtask smoke PROGRAM [--runner RUNNER]`: shows that a built program works where it runs, in a home of its own. The
//! runner is an emulator: `qemu-aarch64`, or `wine` for a program for Windows.

use std::{
    ffi::OsStr,
    fs,
    path::PathBuf,
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};

use crate::wine::{self, Wine};

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
      const [program, ...args] = process.platform === "win32"
        ? ["cmd", "/c", "windows.cmd"]
        : ["sh", "unix.sh"];
      const { killed } = await pi.exec(program, args, { timeout: 3000 });
      return { content: [{ type: "text", text: `killed: ${killed}` }] };
    },
  },
];
"#;

/// Starts two processes, one of which leaves its parent, its group and its session. Each proves that it ran by a file, and has
/// `MARK` in its command line.
const UNIX: &str = "trap '' TERM
(setsid sh -c 'echo > one; exec sleep 1000 MARK' &)
echo > two
exec sleep 1000 MARK
";

/// The same in the language of `cmd`.
const WINDOWS: &str = "@echo off\r
start /b cmd /c \"echo > one & ping -n 1000 MARK\"\r
echo > two\r
ping -n 1000 MARK\r
";

/// Longest time a killed process may take to disappear.
const GONE: Duration = Duration::from_secs(10);

/// One step: its name and what it does.
type Step = (&'static str, fn(&Smoke) -> Result<()>);

const STEPS: [Step; 8] = [
    ("--version", version),
    ("demo", demo),
    ("call", call),
    ("a stopped loop", stopped_loop),
    ("a killed process tree", killed_tree),
    ("an applied and undone change", undone_change),
    ("a stored and continued session", continued_session),
    ("a trusted folder", trusted_folder),
];

struct Smoke {
    program: PathBuf,
    runner: Runner,
    /// An argument that no other process on the machine has.
    mark: String,
    folder: tempfile::TempDir,
}

/// The way to run the program.
enum Runner {
    ThisMachine,
    Emulator(String),
    Wine(Wine),
}

pub(crate) fn run(program: &str, runner: Option<&str>) -> Result<()> {
    let program = fs::canonicalize(program).with_context(|| format!("{program} cannot be opened"))?;
    let folder = tempfile::tempdir()?;
    let runs_on = match runner {
        None => Runner::ThisMachine,
        Some(wine::RUNNER) => Runner::Wine(Wine::start(folder.path().join("wine"))?),
        Some(emulator) => Runner::Emulator(emulator.to_owned()),
    };
    let smoke = Smoke { program, runner: runs_on, mark: mark(), folder };
    fs::create_dir(smoke.home())?;
    fs::create_dir(smoke.project())?;
    fs::write(smoke.project().join("tools.mjs"), TOOLS)?;
    let mut unix = UNIX.to_owned();
    if runner.is_some_and(|runner| runner.starts_with("qemu")) {
        println!("skipped: killing a process that left its session (qemu refuses PR_SET_CHILD_SUBREAPER)");
        unix = unix.replace("setsid ", "");
    }
    for (name, script) in [("unix.sh", unix.as_str()), ("windows.cmd", WINDOWS)] {
        fs::write(smoke.project().join(name), script.replace("MARK", &smoke.mark))?;
    }
    for (name, step) in STEPS {
        let start = Instant::now();
        step(&smoke).with_context(|| format!("smoke test: {name}"))?;
        println!("smoke: {name}: passed in {} ms", start.elapsed().as_millis());
    }
    Ok(())
}

/// Returns a number of seconds, which is also an address of this machine in short form.
fn mark() -> String {
    format!("127.{}", 1_000_000 + std::process::id() % 10_000_000)
}

fn start(program: impl AsRef<OsStr>) -> Command {
    #[expect(clippy::disallowed_methods, reason = "a task waits for what it starts")]
    Command::new(program)
}

impl Smoke {
    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// Prepares the program, with a home of its own.
    fn command(&self) -> Command {
        let mut command = match &self.runner {
            Runner::ThisMachine => start(&self.program),
            Runner::Emulator(emulator) => start(emulator),
            Runner::Wine(wine) => return wine.command(&self.program),
        };
        if let Runner::Emulator(_) = self.runner {
            command.arg(&self.program);
        }
        command.env("HOME", self.home());
        command
    }

    fn output(&self, arguments: &[&str]) -> Result<Output> {
        let mut command = self.command();
        command.args(arguments).current_dir(self.project()).stdin(Stdio::null());
        command.output().with_context(|| format!("{command:?} could not be started"))
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
    for name in ["one", "two"] {
        ensure!(smoke.project().join(name).exists(), "process {name} did not start");
    }
    let until = Instant::now() + GONE;
    while let Some(process) = process_with(&smoke.mark)? {
        if Instant::now() > until {
            bail!("a process still exists: {process}");
        }
        thread::yield_now();
    }
    Ok(())
}

/// Returns the command line of a process with this argument. Emulated processes are processes of this machine.
fn process_with(mark: &str) -> Result<Option<String>> {
    for entry in fs::read_dir("/proc")? {
        let Ok(line) = fs::read(entry?.path().join("cmdline")) else { continue };
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(mark) {
            return Ok(Some(line));
        }
    }
    Ok(None)
}

fn undone_change(smoke: &Smoke) -> Result<()> {
    let file = smoke.project().join("a.ts");
    // Line ends of Windows, which an edit must keep on every system.
    let before = "f(1);\r\n";
    fs::write(&file, before)?;
    let rewrite = r#"{"ops":[{"pat":"f($A)","out":"h($A)"}],"path":"a.ts"}"#;
    smoke.run(&["call", "ast_edit", "--args", rewrite, "--apply"], 0)?;
    ensure!(fs::read_to_string(&file)? == "h(1);\r\n", "the change was not applied");
    smoke.run(&["undo"], 0)?;
    ensure!(fs::read_to_string(&file)? == before, "the change was not undone");
    Ok(())
}

fn continued_session(smoke: &Smoke) -> Result<()> {
    fs::write(smoke.project().join("script.json"), r#"{"turns":[{"reply":"First."},{"reply":"Second."}]}"#)?;
    let model = ["--model", "script:script.json"];
    expect(&smoke.run(&[&["-p", "one"], &model[..]].concat(), 0)?, "First.")?;
    smoke.run(&[&["--continue", "-p", "two"], &model[..]].concat(), 0)?;
    let listed = smoke.run(&["sessions"], 0)?;
    ensure!(listed.lines().count() == 1, "one session was expected:\n{listed}");
    expect(&listed, "one")
}

fn trusted_folder(smoke: &Smoke) -> Result<()> {
    smoke.run(&["trust", "."], 0)?;
    expect(&smoke.run(&["trust", "--list"], 0)?, "project")
}
