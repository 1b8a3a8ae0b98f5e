//! The terminal interface compared with other agents on the same pseudo-terminal: composer visible, key echo, idle output,
//! wake-ups, processor time and memory; and ours with a spinner and with a session of 10,000 messages.

use std::{
    fs,
    io::{Read as _, Write},
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use super::{
    peers,
    program::Program,
    report::{Report, kept},
    sample::{Sample, describe, verdict},
    sessions,
};

const SUBJECT: &str = "The terminal interface";
const CODEX: &str = "@openai/codex";
const PI: &str = "@earendil-works/pi-coding-agent";
const OMP: &str = "@oh-my-pi/pi-coding-agent@18.2.3";
const BUN: &str = "bun";
const COLUMNS: u16 = 120;
const ROWS: u16 = 40;
const STARTS: usize = 5;
const KEYS: usize = 20;
const KEY_PAUSE: Duration = Duration::from_millis(80);
const IDLE: Duration = Duration::from_secs(5);
/// A composer that is not visible by then is not measured.
const MAX_START: Duration = Duration::from_secs(30);
const MESSAGES: usize = 10_000;
/// Budgets in milliseconds and megabytes.
const COMPOSER: f64 = 30.0;
const LONG_SESSION: f64 = 300.0;
const ECHO: f64 = 8.0;
const MEMORY: f64 = 40.0;
/// Share of a core that a spinner may use, in percent.
const SPINNER: f64 = 1.0;
const SPINNING: Duration = Duration::from_secs(10);
/// Answers of the terminal: synchronized output, colours, cursor position, keyboard flags, name, device attributes.
const ANSWERS: [(&str, &str); 7] = [
    ("\x1b[?2026$p", "\x1b[?2026;2$y"),
    ("\x1b]10;?", "\x1b]10;rgb:d0d0/d0d0/d0d0\x1b\\"),
    ("\x1b]11;?", "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\"),
    ("\x1b[6n", "\x1b[1;1R"),
    ("\x1b[?u", "\x1b[?0u"),
    ("\x1b[>0q", "\x1bP>|XTerm(390)\x1b\\"),
    ("\x1b[c", "\x1b[?62;22c"),
];

/// A program to measure.
struct Side {
    name: &'static str,
    command: CommandBuilder,
    /// Text that is on the screen with the composer.
    composer: &'static str,
}

/// Measurements of a program.
#[derive(Default)]
struct Measured {
    start: Sample,
    echo: Sample,
    idle_bytes: usize,
    idle_processor: Duration,
    /// Times that a thread of the program went back to sleep while nothing was done.
    wake_ups: u64,
    memory: f64,
}

/// A program on a pseudo-terminal that answers queries.
struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    pieces: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    seen: Vec<u8>,
    _master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    fn start(command: &CommandBuilder) -> Result<Self> {
        let size = PtySize { rows: ROWS, cols: COLUMNS, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size)?;
        let child = pair.slave.spawn_command(command.clone())?;
        let mut output = pair.master.try_clone_reader()?;
        let keys = pair.master.take_writer()?;
        let (sender, pieces) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                if sender.send(buffer.get(..count).unwrap_or_default().to_vec()).is_err() {
                    break;
                }
            }
        });
        let (rows, columns) = (ROWS.try_into()?, COLUMNS.try_into()?);
        let screen = vt100::Parser::new(rows, columns, 0);
        Ok(Self { child, keys, pieces, screen, seen: Vec::new(), _master: pair.master })
    }

    fn take(&mut self, piece: &[u8]) -> Result<()> {
        self.screen.process(piece);
        self.seen.extend_from_slice(piece);
        let text = String::from_utf8_lossy(&self.seen).into_owned();
        let mut is_answered = false;
        for (query, answer) in ANSWERS {
            for _ in 0..text.matches(query).count() {
                self.keys.write_all(answer.as_bytes())?;
                is_answered = true;
            }
        }
        // A query may be cut in two pieces.
        let kept = if is_answered { 0 } else { self.seen.len().min(16) };
        self.seen.drain(..self.seen.len() - kept);
        Ok(())
    }

    fn wait(&mut self, limit: Duration, condition: impl Fn(&str) -> bool) -> Result<()> {
        let end = Instant::now() + limit;
        while !condition(&self.screen.screen().contents()) {
            let left = end.saturating_duration_since(Instant::now());
            let piece = self.pieces.recv_timeout(left).with_context(|| {
                format!("what was waited for did not appear:\n{}", self.screen.screen().contents())
            })?;
            self.take(&piece)?;
        }
        Ok(())
    }

    /// Reads for a time; returns the number of bytes.
    fn listen(&mut self, time: Duration) -> Result<usize> {
        let (end, mut bytes) = (Instant::now() + time, 0);
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            let Ok(piece) = self.pieces.recv_timeout(left) else { break };
            bytes += piece.len();
            self.take(&piece)?;
        }
        Ok(bytes)
    }

    fn process(&self) -> u32 {
        self.child.process_id().unwrap_or_default()
    }

    fn end(mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

pub(crate) fn run(report: &mut Report) -> Result<()> {
    let program = Program::find()?;
    let folder = peers::folder()?.join("terminal");
    let (home, project) = (folder.join("home"), folder.join("project"));
    fs::create_dir_all(&home)?;
    fs::create_dir_all(&project)?;
    let script = folder.join("done.json");
    fs::write(&script, r#"{"model":{"contextWindow":1000000000},"turns":["Done."]}"#)?;
    let ours = || {
        let mut command = clean(&program.path, &project, &home);
        command.args(["--model", &format!("script:{}", script.display())]);
        command
    };
    println!("terminal: {STARTS} starts, {KEYS} keys, {} s idle, {COLUMNS}×{ROWS}", IDLE.as_secs());
    let own = measure(&Side { name: "toolsmith", command: ours(), composer: "› " })?;
    print(&own, "toolsmith");
    add(report, &own);
    for side in sides(&folder, &project, &home, report) {
        match measure(&side) {
            Ok(theirs) => {
                print(&theirs, side.name);
                let compare = |report: &mut Report, what: &str, ours: &Sample, theirs: &Sample| {
                    report.compare(SUBJECT, what, ours, (side.name, theirs), None);
                };
                compare(report, "composer visible", &own.start, &theirs.start);
                compare(report, "a key until its echo", &own.echo, &theirs.echo);
            }
            Err(error) => {
                println!("  {} is not measured: {error:#}", side.name);
                let reason = error.to_string().lines().next().unwrap_or_default().to_owned();
                report.absent(format!("{} in the terminal ({reason})", side.name));
            }
        }
    }
    spinner(report, &folder, &clean(&program.path, &project, &home))?;
    long_session(report, &folder, &ours)
}

/// Measures ours while a call runs that writes nothing.
fn spinner(report: &mut Report, folder: &Path, ours: &CommandBuilder) -> Result<()> {
    let script = folder.join("waits.json");
    let call = r#"{"turns":[{"reply":[{"call":"bash","arguments":{"command":"sleep 60"}}]}]}"#;
    fs::write(&script, call)?;
    let mut command = ours.clone();
    let model = format!("script:{}", script.display());
    command.args(["--model", &model, "--approval-mode", "yolo", "wait a while"]);
    let mut terminal = Terminal::start(&command)?;
    terminal.wait(MAX_START, |screen| screen.contains("Working") && screen.contains("sleep 60"))?;
    terminal.listen(Duration::from_secs(2))?;
    let before = processor(terminal.process()).unwrap_or_default();
    let bytes = terminal.listen(SPINNING)?;
    let processor = processor(terminal.process()).unwrap_or_default().saturating_sub(before);
    terminal.end()?;
    let share = processor.as_secs_f64() / SPINNING.as_secs_f64() * 100.0;
    println!("  spinner: {} % of a core, {bytes} bytes in {} s", verdict(share, SPINNER), SPINNING.as_secs());
    report.figure(
        SUBJECT,
        "a spinner, share of a core",
        format!("{share:.2} %"),
        Some(kept(share <= SPINNER, format!("≤ {SPINNER} %"))),
    );
    Ok(())
}

/// Measures ours with a long session.
fn long_session(report: &mut Report, folder: &Path, ours: &dyn Fn() -> CommandBuilder) -> Result<()> {
    let file = sessions::generate(folder, MESSAGES, None)?;
    let mut command = ours();
    command.arg("--resume");
    command.arg(&file);
    let measured = measure(&Side { name: "toolsmith", command, composer: "9999: " })?;
    print(&measured, "10,000 messages");
    let start = milliseconds(measured.start.median());
    println!("  10,000 messages until the last one is visible: {}", verdict(start, LONG_SESSION));
    report.figure(
        SUBJECT,
        "a session of 10,000 messages until its end is visible",
        format!("{start:.0} ms"),
        Some(kept(start <= LONG_SESSION, format!("≤ {LONG_SESSION} ms"))),
    );
    let echo = milliseconds(measured.echo.late());
    report.figure(
        SUBJECT,
        "a key until its echo in that session, 95th percentile",
        format!("{echo:.1} ms"),
        Some(kept(echo <= ECHO, format!("≤ {ECHO} ms"))),
    );
    Ok(())
}

fn add(report: &mut Report, own: &Measured) {
    let (start, echo) = (milliseconds(own.start.median()), milliseconds(own.echo.late()));
    for (what, value, budget, unit) in [
        ("composer visible", start, COMPOSER, "ms"),
        ("a key until its echo, 95th percentile", echo, ECHO, "ms"),
        ("memory with an empty session (PSS)", own.memory, MEMORY, "MB"),
    ] {
        println!("  {what}: {} {unit}", verdict(value, budget));
        report.figure(
            SUBJECT,
            what,
            format!("{value:.1} {unit}"),
            Some(kept(value <= budget, format!("≤ {budget} {unit}"))),
        );
    }
    report.figure(
        SUBJECT,
        format!("bytes written in {} s without input", IDLE.as_secs()),
        own.idle_bytes.to_string(),
        Some(kept(own.idle_bytes == 0, "0".to_owned())),
    );
    report.figure(
        SUBJECT,
        format!("wake-ups in {} s without input", IDLE.as_secs()),
        own.wake_ups.to_string(),
        Some(kept(own.wake_ups == 0, "0".to_owned())),
    );
}

fn print(measured: &Measured, name: &str) {
    println!(
        "  {name:<16} composer {}, echo {} (p95 {:.1} ms), idle {} bytes, {} wake-ups and {:.1} ms of processor time, {:.0} \
         MB",
        describe(&measured.start),
        describe(&measured.echo),
        milliseconds(measured.echo.late()),
        measured.idle_bytes,
        measured.wake_ups,
        milliseconds(measured.idle_processor),
        measured.memory,
    );
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn measure(side: &Side) -> Result<Measured> {
    let mut measured = Measured::default();
    for _ in 0..STARTS {
        let start = Instant::now();
        let mut terminal = Terminal::start(&side.command)?;
        terminal.wait(MAX_START, |screen| screen.contains(side.composer))?;
        measured.start.push(start.elapsed());
        terminal.end()?;
    }
    let mut terminal = Terminal::start(&side.command)?;
    terminal.wait(MAX_START, |screen| screen.contains(side.composer))?;
    terminal.listen(Duration::from_secs(2))?;
    let mut typed = String::new();
    for number in 0..KEYS {
        typed.push(char::from(b'a' + u8::try_from(number % 26)?));
        let start = Instant::now();
        terminal.keys.write_all(typed.get(number..).unwrap_or_default().as_bytes())?;
        terminal.wait(Duration::from_secs(5), |screen| screen.contains(typed.as_str()))?;
        measured.echo.push(start.elapsed());
        terminal.listen(KEY_PAUSE)?;
    }
    terminal.listen(Duration::from_secs(1))?;
    let process = terminal.process();
    let (before, sleeps) = (processor(process).unwrap_or_default(), sleeps(process));
    measured.idle_bytes = terminal.listen(IDLE)?;
    measured.idle_processor = processor(process).unwrap_or_default().saturating_sub(before);
    measured.wake_ups = self::sleeps(process).saturating_sub(sleeps);
    measured.memory = memory(terminal.process()).unwrap_or_default();
    terminal.end()?;
    Ok(measured)
}

/// Files called `name` of all threads of a process.
fn of_threads(process: u32, name: &str) -> Vec<String> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    threads.filter_map(|thread| fs::read_to_string(thread.path().join(name)).ok()).collect()
}

/// Processor time of the threads of a process.
fn processor(process: u32) -> Option<Duration> {
    let time = |stat: &String| stat.split_whitespace().next()?.parse::<u64>().ok();
    let times = of_threads(process, "schedstat").iter().map(time).collect::<Option<Vec<_>>>()?;
    Some(Duration::from_nanos(times.into_iter().sum()))
}

/// Times that threads of a process went to sleep by themselves.
fn sleeps(process: u32) -> u64 {
    let count = |status: &String| {
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
        line.trim().parse::<u64>().ok()
    };
    of_threads(process, "status").iter().filter_map(count).sum()
}

/// Proportional memory of a process in megabytes.
fn memory(process: u32) -> Option<f64> {
    let rollup = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? * 1024.0 / 1e6)
}

/// The other agents, as far as they can be installed. None of them has a key: only their interface is measured.
fn sides(folder: &Path, project: &Path, home: &Path, report: &mut Report) -> Vec<Side> {
    if let Err(error) = peers::npm_install(folder, &[CODEX, PI, OMP, BUN]) {
        println!("  other agents are not measured: {error:#}");
        report.absent(format!("other agents in the terminal ({error:#})"));
        return Vec::new();
    }
    let modules = folder.join("node_modules");
    let mut sides = Vec::new();
    if let Some(codex) = find(&modules.join("@openai"), "codex", 6) {
        let _ = fs::create_dir_all(home.join(".codex"));
        let config = format!(
            "model = \"gpt-5\"\nmodel_provider = \"local\"\n[model_providers.local]\nname = \"local\"\n\
             base_url = \"http://127.0.0.1:9/v1\"\n[projects.{:?}]\ntrust_level = \"trusted\"\n",
            project.display().to_string()
        );
        let _ = fs::write(home.join(".codex/config.toml"), config);
        sides.push(Side { name: "codex", command: clean(&codex, project, home), composer: "›" });
    }
    let node = |script: PathBuf, arguments: &[&str]| {
        let mut command = clean(Path::new("node"), project, home);
        command.arg(script);
        command.args(arguments);
        command.env("ANTHROPIC_API_KEY", "none");
        command.env("PI_OFFLINE", "1");
        command
    };
    let pi = modules.join("@earendil-works/pi-coding-agent/dist/cli.js");
    if pi.is_file() {
        sides.push(Side {
            name: "pi", command: node(pi, &["--no-extensions"]), composer: "────────"
        });
    }
    if let Some(bun) = peers::bun(folder) {
        // Without it the setup of a first start is shown.
        let _ = fs::create_dir_all(home.join(".omp/agent"));
        let _ = fs::write(
            home.join(".omp/agent/config.yml"),
            "setupVersion: 99\nstartup:\n  showSplash: false\n",
        );
        let mut command = clean(&bun, project, home);
        command.arg(modules.join("@oh-my-pi/pi-coding-agent/src/cli.ts"));
        command.env("ANTHROPIC_API_KEY", "none");
        sides.push(Side { name: "omp", command, composer: "╰─" });
    }
    sides
}

/// The first executable file with this name below a directory.
fn find(folder: &Path, name: &str, depth: usize) -> Option<PathBuf> {
    let entries: Vec<_> = fs::read_dir(folder).ok()?.flatten().collect();
    let is_program = |path: &Path| {
        path.file_name().is_some_and(|file| file == name)
            && fs::metadata(path).is_ok_and(|data| data.len() > 1 << 20)
    };
    entries.iter().map(|entry| entry.path()).find(|path| path.is_file() && is_program(path)).or_else(|| {
        let below = depth.checked_sub(1)?;
        entries
            .iter()
            .filter(|entry| entry.path().is_dir())
            .find_map(|entry| find(&entry.path(), name, below))
    })
}

fn clean(program: &Path, folder: &Path, home: &Path) -> CommandBuilder {
    let mut command = CommandBuilder::new(program);
    command.cwd(folder);
    command.env_clear();
    command.env("HOME", home);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("TERM", "xterm-256color");
    command
}
