//! The recording of one call while it runs: filled, or played back.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::{Answer, Exchange, LoadRecording, Recording, redact::normalize};
use crate::CancelToken;

/// A question whose answer is still to come.
pub type TapeSlot = usize;

#[derive(Debug)]
struct State {
    recording: Recording,
    /// Which exchanges were used; only while playing.
    used: Vec<bool>,
    is_playing: bool,
    next_clock: usize,
    next_random: usize,
    /// Bytes that may still be recorded.
    left: usize,
    missing: Vec<String>,
    is_ended: bool,
    /// A recording is complete by itself: whatever cannot be added ends it.
    is_complete: bool,
    /// The load of the module that the call runs in; only while recording.
    recorded_load: Option<LoadTape>,
    /// The load to play back; only while playing.
    played_load: Option<Arc<LoadRecording>>,
}

/// The recording of a load, which the calls of the loaded instance share.
#[derive(Clone, Debug)]
pub struct LoadTape {
    /// Distinguishes the instances of a module.
    pub instance: Arc<str>,
    /// Path of the module.
    pub module: Arc<str>,
    /// Questions and answers.
    pub tape: CallTape,
}

/// The recording of one call. Clones are the same.
#[derive(Clone, Debug)]
pub struct CallTape {
    state: Arc<Mutex<State>>,
    stop: CancelToken,
}

/// Findings of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayEnd {
    /// Questions that are not in the recording.
    pub missing: Vec<String>,
    /// Questions of the recording that were not asked.
    pub unused: Vec<String>,
}

impl CallTape {
    fn new(recording: Recording, is_playing: bool, left: usize) -> Self {
        let used = vec![false; recording.exchanges.len()];
        let (next_clock, next_random) = (0, 0);
        let state = State {
            recording,
            used,
            is_playing,
            next_clock,
            next_random,
            left,
            missing: Vec::new(),
            is_ended: false,
            is_complete: false,
            recorded_load: None,
            played_load: None,
        };
        Self { state: Arc::new(Mutex::new(state)), stop: CancelToken::new() }
    }

    /// Records up to `limit` bytes. A call that asks for more is not recorded.
    pub fn record(limit: usize) -> Self {
        Self::new(Recording::default(), false, limit)
    }

    /// Plays a recording back.
    pub fn play_back(mut recording: Recording) -> Self {
        recording.exchanges.iter_mut().for_each(normalize);
        let load = recording.load.take().map(|load| Arc::new(*load));
        let tape = Self::new(recording, true, 0);
        tape.lock().played_load = load;
        tape
    }

    /// Sets the load of the module that the recorded call runs in. Modules whose tools it calls are not recorded.
    pub fn set_load(&self, load: &LoadTape) {
        let mut state = self.lock();
        if state.recorded_load.as_ref().is_none_or(|known| known.module == load.module) {
            state.recorded_load = Some(load.clone());
        }
    }

    /// Returns the load that a replayed call needs; `None` if its recording has none.
    pub fn load(&self) -> Option<Arc<LoadRecording>> {
        self.lock().played_load.clone()
    }

    /// Returns whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.lock().recording.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether answers are played back.
    pub fn is_playing(&self) -> bool {
        self.lock().is_playing
    }

    /// Marks the recording as one from which the call cannot be repeated.
    pub fn give_up(&self, reason: impl Into<String>) {
        let mut state = self.lock();
        if state.is_complete {
            state.is_ended = true;
        } else if state.recording.incomplete.is_none() && !state.is_playing {
            state.recording.incomplete = Some(reason.into());
            state.recording.exchanges.clear();
            state.recording.clock.clear();
            state.recording.random.clear();
        }
    }

    /// Marks what was recorded as complete. More is still recorded, as far as that is possible.
    pub fn set_complete(&self) {
        self.lock().is_complete = true;
    }

    /// Records a question with its answer; returns its place.
    pub fn keep(&self, exchange: Exchange) -> TapeSlot {
        let size = exchange.args.iter().map(size).sum::<usize>() + answer_size(&exchange.answer) + 64;
        if !self.spend(size) {
            return usize::MAX;
        }
        let mut state = self.lock();
        state.recording.exchanges.push(exchange);
        state.recording.exchanges.len() - 1
    }

    /// Records the answer to an earlier question. After the end of the call it has no effect.
    pub fn settle(&self, slot: TapeSlot, answer: Answer) {
        if !self.spend(answer_size(&answer)) {
            return;
        }
        let mut state = self.lock();
        if !state.is_ended
            && let Some(exchange) = state.recording.exchanges.get_mut(slot)
        {
            exchange.answer = answer;
        }
    }

    fn spend(&self, bytes: usize) -> bool {
        let mut state = self.lock();
        if state.recording.incomplete.is_some() || state.is_ended {
            return false;
        }
        match state.left.checked_sub(bytes) {
            Some(left) => {
                state.left = left;
                true
            }
            None => {
                drop(state);
                self.give_up("it is too large to be recorded");
                false
            }
        }
    }

    /// Answers a question from the recording.
    ///
    /// # Errors
    /// The text of an error that says which question is not in it.
    pub fn answer(&self, ask: &str, args: Vec<Value>) -> Result<Answer, String> {
        self.find(ask, args).map_err(|wanted| {
            let shown = shown(&wanted);
            self.lock().missing.push(shown.clone());
            format!("not in the recording: {shown}")
        })
    }

    /// Answers a question if it is in the recording. Otherwise returns the question.
    ///
    /// # Errors
    /// The question, as it was looked for.
    pub fn find(&self, ask: &str, args: Vec<Value>) -> Result<Answer, Box<Exchange>> {
        let mut wanted = Exchange { ask: ask.to_owned(), args, answer: Answer::Pending(true) };
        normalize(&mut wanted);
        let mut state = self.lock();
        let State { recording, used, .. } = &mut *state;
        let fits = |exchange: &Exchange| exchange.ask == wanted.ask && exchange.args == wanted.args;
        let found = recording.exchanges.iter().zip(used.iter()).position(|(kept, used)| !used && fits(kept));
        // The same question may be asked more often than before: its last answer is still true.
        let found = found.or_else(|| match ask {
            "variable" | "variableNames" => recording.exchanges.iter().rposition(fits),
            _ => None,
        });
        match found {
            Some(at) => {
                used[at] = true;
                Ok(recording.exchanges[at].answer.clone())
            }
            None => Err(Box::new(wanted)),
        }
    }

    /// Notes a question that was refused, because it was asked outside of the call.
    pub fn refuse(&self, asked: impl Into<String>) {
        let mut state = self.lock();
        if !state.is_ended {
            state.missing.push(asked.into());
        }
        drop(state);
        self.stop.cancel("its module asked for something outside of the call");
    }

    /// Returns a token that stops the replay after a refused question: the call may wait for its answer.
    pub fn stop_token(&self) -> &CancelToken {
        &self.stop
    }

    /// Returns the time to use in place of the real one.
    pub fn clock(&self, real: f64) -> f64 {
        let mut state = self.lock();
        if state.is_playing {
            let at = state.next_clock;
            state.next_clock += 1;
            // A call that reads the clock more often than before sees time stand still.
            let times = &state.recording.clock;
            return times.get(at).or(times.last()).copied().unwrap_or_default();
        }
        drop(state);
        if self.spend(14) {
            self.lock().recording.clock.push(real);
        }
        real
    }

    /// Returns whether a recording that is played back has a time left.
    pub fn has_clock(&self) -> bool {
        let state = self.lock();
        state.next_clock < state.recording.clock.len()
    }

    /// Returns whether a recording that is played back has a random number left.
    pub fn has_random(&self) -> bool {
        let state = self.lock();
        state.next_random < state.recording.random.len()
    }

    /// Returns the random number to use in place of the real one.
    ///
    /// # Errors
    /// Fails if the call draws more numbers than before.
    pub fn random(&self, real: f64) -> Result<f64, String> {
        let mut state = self.lock();
        if state.is_playing {
            let at = state.next_random;
            state.next_random += 1;
            if let Some(number) = state.recording.random.get(at) {
                return Ok(*number);
            }
            state.missing.push("a random number".to_owned());
            return Err("not in the recording: a random number".to_owned());
        }
        drop(state);
        if self.spend(20) {
            self.lock().recording.random.push(real);
        }
        Ok(real)
    }

    /// Ends recording and returns what was recorded.
    pub fn take(&self) -> Recording {
        let load = self.lock().recorded_load.take().map(|load| load.end());
        if let Some(why) = load.as_ref().and_then(|load| load.asked.incomplete.as_ref()) {
            self.give_up(format!("its module cannot be loaded from a recording: {why}"));
        }
        let mut state = self.lock();
        state.is_ended = true;
        let mut recording = std::mem::take(&mut state.recording);
        recording.load = load.filter(|_| recording.incomplete.is_none()).map(Box::new);
        recording
    }

    /// Returns the questions so far that are not in the recording, once.
    pub fn take_missing(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().missing)
    }

    /// Adds questions that were not in the recording.
    pub fn add_missing(&self, missing: Vec<String>) {
        self.lock().missing.extend(missing);
    }

    /// Ends a replay.
    pub fn end(&self) -> ReplayEnd {
        let mut state = self.lock();
        state.is_ended = true;
        let left = state.recording.exchanges.iter().zip(&state.used).filter(|(_, used)| !**used);
        let unused = left.map(|(exchange, _)| shown(exchange)).collect();
        ReplayEnd { missing: std::mem::take(&mut state.missing), unused }
    }
}

impl LoadTape {
    /// Ends recording, at the end of the first recorded call, and returns what was recorded.
    fn end(&self) -> LoadRecording {
        let mut state = self.tape.lock();
        state.is_ended = true;
        let asked = state.recording.clone();
        LoadRecording { instance: self.instance.to_string(), module: self.module.to_string(), asked }
    }
}

/// Describes a question in one line.
fn shown(exchange: &Exchange) -> String {
    let args: Vec<String> = exchange
        .args
        .iter()
        .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        .collect();
    let line = format!("{} {}", exchange.ask, args.join(" "));
    line.chars().take(200).collect::<String>().trim_end().to_owned()
}

fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 2,
        Value::Array(list) => list.iter().map(size).sum::<usize>() + 2,
        Value::Object(fields) => fields.iter().map(|(name, item)| name.len() + size(item) + 4).sum(),
        _ => 8,
    }
}

fn answer_size(answer: &Answer) -> usize {
    match answer {
        Answer::Returns(value) | Answer::Throws(value) | Answer::Resolves(value) | Answer::Rejects(value) => {
            size(value)
        }
        Answer::Pending(_) => 8,
    }
}
