//! The real program, killed at any point of a conversation (CONTRACT 7.3): what it printed as kept is in the file, and the
//! conversation goes on.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    path::PathBuf,
};

use serde_json::{Value, json};
use toolsmith_agent::session::Sessions;
use toolsmith_host::exec::{self, Process};

use crate::place::Place;

const KILLS: usize = 200;
/// So many conversations are killed side by side.
const SIDE_BY_SIDE: usize = 4;
/// How often one conversation goes on before another is begun.
const LIVES: usize = 6;
const TURNS: usize = 24;

/// Numbers without an order one would notice, and the same ones each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33).unwrap() % limit
    }
}

/// One run of the program, and what it printed.
struct Life {
    process: Process,
    bytes: Vec<u8>,
    lines: usize,
}

impl Life {
    fn begin(place: &Place, round: usize, go_on: bool) -> Self {
        let model = format!("script:{}", place.path("script.json").display());
        let prompt = format!("round {round}");
        let mut args = vec!["-p", prompt.as_str(), "--mode", "json", "--tools", "read", "--model", &model];
        if go_on {
            args.push("--continue");
        }
        Self { process: exec::spawn(&place.request(&args)).unwrap(), bytes: Vec::new(), lines: 0 }
    }

    /// Reads until so many lines were printed, or everything was; says whether there may be more.
    async fn read(&mut self, lines: usize) -> bool {
        while self.lines < lines {
            let mut buffer = [0; 8192];
            let read = self.process.stdout.as_mut().unwrap().read(&mut buffer).await.unwrap();
            if read == 0 {
                return false;
            }
            self.lines += buffer[..read].iter().filter(|byte| **byte == b'\n').count();
            self.bytes.extend(&buffer[..read]);
        }
        true
    }

    /// The messages that were said to be kept, and whether the end was told.
    fn acknowledged(&self) -> (Vec<Value>, bool) {
        let whole = self.bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let lines = self.bytes[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let events: Vec<Value> = lines.map(|line| serde_json::from_slice(line).unwrap()).collect();
        let ended = events.last().is_some_and(|event| event["type"] == "agent_end");
        let kept = events.into_iter().filter(|event| event["type"] == "message_end");
        (kept.map(|mut event| event["message"].take()).collect(), ended)
    }
}

fn place() -> Place {
    let turn = |number| json!({ "reply": [format!("Turn {number}."), { "call": "read", "arguments": { "path": "notes.txt" } }] });
    let turns: Vec<Value> = (0..TURNS).map(turn).chain([json!("Done.")]).collect();
    let place = Place::trusted(&[("project/notes.txt", "Remember.\n")]);
    place.write("script.json", &json!(turns).to_string());
    place
}

/// What was found of one series of kills.
#[derive(Debug, Default)]
struct Found {
    acknowledged: usize,
    /// Kills before the end was told.
    midway: usize,
    repaired: usize,
}

async fn series(seed: u64, kills: usize) -> Found {
    let place = place();
    let sessions = Sessions::at(place.path("home/.toolsmith"));
    let mut numbers = Numbers(seed);
    let mut found = Found::default();

    // One that nobody kills says how much there is to print.
    let mut whole = Life::begin(&place, 0, false);
    whole.read(usize::MAX).await;
    assert_eq!(whole.process.wait().await.code, 0);
    assert!(whole.acknowledged().1);

    let mut path: Option<PathBuf> = None;
    // What the file is known to hold.
    let mut before: Vec<Value> = Vec::new();
    let mut torn = false;
    for round in 0..kills {
        let go_on = round % LIVES != 0 && path.is_some();
        if !go_on {
            (path, before, torn) = (None, Vec::new(), false);
        }
        let mut life = Life::begin(&place, round, go_on);
        life.read(numbers.below(whole.lines)).await;
        life.process.signal(libc::SIGKILL);
        // What was printed until then counts too.
        life.read(usize::MAX).await;
        life.process.wait().await;
        let (acknowledged, ended) = life.acknowledged();
        found.acknowledged += acknowledged.len();
        found.midway += usize::from(!ended);

        if path.is_none() {
            let newest = sessions.list(&place.path("project")).unwrap().into_iter().next();
            path = newest.map(|newest| newest.path).filter(|path| {
                let first = sessions.read(path).unwrap().messages().into_iter().next();
                serde_json::to_string(&first).unwrap().contains(&format!("round {round}\""))
            });
        }
        let Some(path) = &path else {
            assert_eq!(acknowledged.len(), 0, "round {round}: there is no file");
            continue;
        };
        let started = !acknowledged.is_empty();
        // Looking changes nothing: it is the program that repairs.
        let session = sessions.read(path).unwrap();
        assert_eq!(session.problems(), Vec::<String>::new(), "round {round}");
        assert_eq!(
            session.path(None).unwrap().len(),
            session.len(),
            "round {round}: one path over all kills"
        );
        let there: Vec<Value> =
            session.messages().iter().map(|message| serde_json::to_value(message).unwrap()).collect();
        let known: Vec<Value> = before.iter().cloned().chain(acknowledged).collect();
        assert!(there.len() >= known.len(), "round {round}: {} of {} are there", there.len(), known.len());
        for (at, (one, other)) in known.iter().zip(&there).enumerate() {
            assert_eq!(one, other, "round {round}, message {at}");
        }
        if torn && started {
            let aside = fs::read_to_string(path.with_extension("jsonl.torn")).unwrap();
            assert!(aside.ends_with("\"torn here\n"), "round {round}: {aside}");
            found.repaired += 1;
            torn = false;
        }
        before = there;
        // A machine that goes down may tear the line that is being written, which a kill seldom does.
        if !torn && round % 3 == 0 {
            let mut file = OpenOptions::new().append(true).open(path).unwrap();
            file.write_all(b"{\"type\":\"message\",\"id\":\"torn here").unwrap();
            torn = true;
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn c7_3_nothing_it_said_to_be_kept_is_lost_by_killing_the_program_200_times() {
    let series =
        (1..=SIDE_BY_SIDE as u64).map(|seed| tokio::spawn(series(seed * 7919, KILLS / SIDE_BY_SIDE)));
    let mut all = Found::default();
    for one in series.collect::<Vec<_>>() {
        let found = one.await.unwrap();
        all.acknowledged += found.acknowledged;
        all.midway += found.midway;
        all.repaired += found.repaired;
    }
    // That the kills were where they should be.
    assert!(all.midway > KILLS / 4 && all.acknowledged > KILLS && all.repaired > 0, "{all:?}");
}
