//! Sessions: opening and continuing a hundred thousand entries, compared with programs that only read the file.

use std::{
    fs,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Result, ensure};
use serde_json::json;
use toolsmith_agent::session::Sessions;

use super::{
    peers,
    process::{megabytes, timed, watched},
    program::Program,
    report::{Report, kept},
    sample::{Sample, describe, verdict},
};

/// Name in the report.
const SUBJECT: &str = "Sessions";
const ENTRIES: usize = 100_000;
const ROUNDS: usize = 10;
/// Entries between two compactions. A model with a context of 200,000 tokens needs one about as often for messages of this
/// length.
const COMPACTED_EVERY: usize = 2_000;
/// Budgets of continuing such a session: seconds from start to exit, and megabytes.
const CONTINUING: f64 = 0.3;
const MEMORY: f64 = 60.0;
/// Counts the lines with Python.
const PYTHON: &str = "import json, sys; print(sum(1 for line in open(sys.argv[1]) if json.loads(line)))";

pub(crate) fn run(report: &mut Report) -> Result<()> {
    let program = Program::find()?;
    let folder = peers::folder()?.join("sessions");
    let _ = fs::remove_dir_all(&folder);
    let compacted = continued(&program, &folder.join("compacted"), Some(COMPACTED_EVERY))?;
    let whole = continued(&program, &folder.join("whole"), None)?;

    println!("  continuing in seconds: {}", verdict(compacted.program.median().as_secs_f64(), CONTINUING));
    println!("  its memory in MB: {}", verdict(compacted.peak, MEMORY));
    let what = format!("opening {ENTRIES} entries");
    report.compare(SUBJECT, what, &compacted.opening, ("python3, json", &compacted.python), None);
    let what = format!("`-p --resume` of {ENTRIES} entries with compactions");
    let is_kept = compacted.program.median().as_secs_f64() <= CONTINUING;
    report.figure(
        SUBJECT,
        what,
        describe(&compacted.program),
        Some(kept(is_kept, format!("≤ {CONTINUING} s"))),
    );
    report.figure(
        SUBJECT,
        "its peak memory",
        format!("{:.1} MB", compacted.peak),
        Some(kept(compacted.peak <= MEMORY, format!("≤ {MEMORY} MB"))),
    );
    let what = format!("`-p --resume` of {ENTRIES} messages that the model receives all");
    report.figure(SUBJECT, what, describe(&whole.program), None);
    report.figure(
        SUBJECT,
        "its peak memory, all of them in the request",
        format!("{:.1} MB", whole.peak),
        None,
    );
    Ok(())
}

/// Figures of one session.
struct Continued {
    opening: Sample,
    python: Sample,
    program: Sample,
    peak: f64,
}

fn continued(program: &Program, folder: &Path, compacted_every: Option<usize>) -> Result<Continued> {
    fs::create_dir_all(folder)?;
    let file = generate(folder, ENTRIES, compacted_every)?;
    let script = folder.join("done.json");
    // Large enough that nothing is compacted.
    fs::write(&script, r#"{"model":{"contextWindow":1000000000},"turns":["All of it is here."]}"#)?;
    let bytes = fs::metadata(&file)?.len();
    println!("sessions: {ENTRIES} entries in {:.1} MB, {ROUNDS} rounds", bytes as f64 / 1e6);

    let sessions = Sessions::at(folder);
    let (mut opening, mut telling) = (Sample::default(), Sample::default());
    let (mut whole, mut python, mut lines) = (Sample::default(), Sample::default(), Sample::default());
    let go_on = || {
        let mut command = program.start(folder);
        command.args(["-p", "more", "--no-tools", "--resume"]).arg(&file);
        command.args(["--model", &format!("script:{}", script.display())]);
        command
    };
    let mut count = ENTRIES;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let session = sessions.open(&file)?;
        opening.push(start.elapsed());
        ensure!(session.len() == count, "{} entries were read, not {count}", session.len());
        let start = Instant::now();
        let told = session.context().len();
        telling.push(start.elapsed());
        ensure!(compacted_every.is_some() || told == count, "the model is told {told} messages, not {count}");
        drop(session);

        let read = (count + 2).to_string();
        python
            .push(timed(peers::start(Path::new("python3"), folder).args(["-c", PYTHON]).arg(&file), &read)?);
        lines.push(timed(peers::start(Path::new("wc"), folder).arg("-l").arg(&file), &read)?);
        whole.push(timed(&mut go_on(), "All of it is here.")?);
        count += 2;
    }
    let usage = watched(&mut go_on(), "All of it is here.")?;
    println!("  opening           {}", describe(&opening));
    println!("  what is told      {}", describe(&telling));
    println!("  `-p --resume`     {}, with the answer of a script", describe(&whole));
    println!("  python3, json     {}", describe(&python));
    println!("  `wc -l`           {}", describe(&lines));
    println!("  opening × python3's: {:.2}", opening.ratio(&python));
    println!("  peak memory of `-p --resume` in MB: {:.1}", megabytes(usage.peak));
    Ok(Continued { opening, python, program: whole, peak: megabytes(usage.peak) })
}

/// Creates a conversation in which every other message is the model's. Compactions keep the forty entries before them.
pub(super) fn generate(folder: &Path, entries: usize, compacted_every: Option<usize>) -> Result<PathBuf> {
    let file = folder.join("2026-01-02T03-04-05-678Z_00000000-0000-4000-8000-000000000000.jsonl");
    let mut out = BufWriter::new(fs::File::create(&file)?);
    let header = json!({
        "type": "session", "format": "toolsmith", "version": 1, "id": "00000000-0000-4000-8000-000000000000",
        "timestamp": "2026-01-02T03:04:05.678Z", "cwd": folder,
    });
    writeln!(out, "{header}\n{}", json!({ "type": "title", "title": "", "pad": " ".repeat(200) }))?;
    let words = "Some words about the work that is being done here. ".repeat(5);
    for number in 0..entries {
        let text = json!([{ "type": "text", "text": format!("{number}: {words}") }]);
        let message = if number % 2 == 0 {
            json!({ "role": "user", "content": text, "timestamp": 1_767_323_045_678_u64 })
        } else {
            json!({
                "role": "assistant", "content": text, "provider": "script", "model": "done", "stopReason": "stop",
                "usage": { "input": 10, "output": 5, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 15 },
                "timestamp": 1_767_323_045_678_u64,
            })
        };
        let parent = number.checked_sub(1).map(|before| format!("{before:08x}"));
        if compacted_every.is_some_and(|every| number % every == every - 1) {
            let entry = json!({
                "type": "compaction", "id": format!("{number:08x}"), "parentId": parent,
                "timestamp": "2026-01-02T03:04:05.678Z", "summary": words, "tokensBefore": 150_000,
                "firstKeptEntryId": format!("{:08x}", number.saturating_sub(40)),
            });
            writeln!(out, "{entry}")?;
            continue;
        }
        let entry = json!({
            "type": "message", "id": format!("{number:08x}"), "parentId": parent,
            "timestamp": "2026-01-02T03:04:05.678Z", "message": message,
        });
        writeln!(out, "{entry}")?;
    }
    out.flush()?;
    Ok(file)
}
