//! Streaming compression and decompression: the output of one step is bounded, so that a decompression bomb fills the
//! tool's memory and not the machine's.

use std::{
    collections::VecDeque,
    io::{self, Write},
    rc::Rc,
    sync::Arc,
};

use flate2::{Compression, write as deflate};
use rquickjs::{Ctx, Object, Result, TypedArray, function::Func};

use super::{bytes, failure, native};
use crate::{
    charge::Charge,
    instance::{HostError, ThreadState},
    stop::StopFlags,
};

/// Size of one input step.
const PIECE: usize = 2048;

/// Preferred size of one output chunk.
const ENOUGH: usize = 64 * 1024;

/// Maximum output of one input step.
const MOST: usize = 64 << 20;

/// Output buffer.
#[derive(Default)]
struct Sink(Vec<u8>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MOST {
            return Err(io::Error::new(io::ErrorKind::OutOfMemory, "too much output"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

enum Coder {
    Gzip(deflate::GzEncoder<Sink>),
    Deflate(deflate::ZlibEncoder<Sink>),
    DeflateRaw(deflate::DeflateEncoder<Sink>),
    Brotli(Box<brotli::CompressorWriter<Sink>>),
    Gunzip(deflate::GzDecoder<Sink>),
    Inflate(deflate::ZlibDecoder<Sink>),
    InflateRaw(deflate::DeflateDecoder<Sink>),
    Unbrotli(Box<brotli::DecompressorWriter<Sink>>),
    /// Gzip or deflate, decided by the first byte.
    Unzip,
}

impl Coder {
    /// Returns the memory of a new one, as its library allocates it. A decoder of Brotli has that of its window, which the first
    /// byte of the input decides.
    fn bytes(kind: &str, level: u32, window: u32) -> usize {
        match kind {
            "gzip" | "deflate" | "deflateRaw" => 400 << 10,
            "brotliCompress" => {
                let tables = match level {
                    0..=4 => 1 << 20,
                    5..=9 => 4 << (14 + level),
                    _ => 8 << window.min(24),
                };
                (2 << 20) + (2 << window.min(24)) + tables
            }
            _ => 100 << 10,
        }
    }
}

/// Returns the window of Brotli data by its first byte.
fn brotli_window(first: u8) -> usize {
    let bits = match (first & 1, (first >> 1) & 7, (first >> 4) & 7) {
        (0, ..) => 16,
        (_, 0, 0) => 17,
        (_, 0, more) => 8 + more,
        (_, more, _) => 17 + more,
    };
    1 << bits
}

/// A stream in progress.
struct Work {
    /// Counts the memory of the coder and its input.
    held: Charge,
    /// Memory of the coder.
    state: usize,
    coder: Coder,
    input: VecDeque<u8>,
    /// The end of the input format was reached; the rest is not part of it.
    ended: bool,
    /// The end was written.
    finished: bool,
    any: bool,
    /// Output of a finished coder.
    left: Vec<u8>,
}

fn failed(message: &str, code: &str, number: i32) -> HostError {
    HostError::new(message).with("errno", number).with("code", code)
}

fn bad_header() -> HostError {
    failed("incorrect header check", "Z_DATA_ERROR", -3)
}

impl Work {
    fn new(kind: &str, level: u32, window: u32, held: Charge) -> Option<Self> {
        let compression = Compression::new(level.min(9));
        let coder = match kind {
            "gzip" => Coder::Gzip(deflate::GzEncoder::new(Sink::default(), compression)),
            "deflate" => Coder::Deflate(deflate::ZlibEncoder::new(Sink::default(), compression)),
            "deflateRaw" => Coder::DeflateRaw(deflate::DeflateEncoder::new(Sink::default(), compression)),
            "brotliCompress" => Coder::Brotli(Box::new(brotli::CompressorWriter::new(
                Sink::default(),
                4096,
                level.min(11),
                window,
            ))),
            "gunzip" => Coder::Gunzip(deflate::GzDecoder::new(Sink::default())),
            "inflate" => Coder::Inflate(deflate::ZlibDecoder::new(Sink::default())),
            "inflateRaw" => Coder::InflateRaw(deflate::DeflateDecoder::new(Sink::default())),
            "brotliDecompress" => {
                Coder::Unbrotli(Box::new(brotli::DecompressorWriter::new(Sink::default(), 4096)))
            }
            "unzip" => Coder::Unzip,
            _ => return None,
        };
        Some(Self {
            held,
            state: Coder::bytes(kind, level, window),
            coder,
            input: VecDeque::new(),
            ended: false,
            finished: false,
            any: false,
            left: Vec::new(),
        })
    }

    /// Adds input.
    fn push(&mut self, input: &[u8]) -> std::result::Result<(), HostError> {
        if let (Coder::Unbrotli(_), false, true, Some(first)) =
            (&self.coder, self.any, self.input.is_empty(), input.first())
        {
            self.state += brotli_window(*first);
        }
        let needed = (self.input.len() + input.len()).max(self.input.capacity());
        self.held.resize(self.state + needed)?;
        self.input.reserve_exact(input.len());
        self.input.extend(input);
        Ok(())
    }

    /// Returns the output, if it is enough or `all` is requested. `flush` says what to do at the end of the input: 0
    /// nothing, 1 flush, 2 finish.
    fn pull(&mut self, flush: u32, stop: &StopFlags) -> std::result::Result<Vec<u8>, HostError> {
        loop {
            if stop.is_over() {
                return Err(HostError::new("The tool was stopped"));
            }
            if self.waiting().len() >= ENOUGH {
                return Ok(std::mem::take(self.waiting()));
            }
            if self.ended && matches!(self.coder, Coder::Gunzip(_)) && self.input.front() == Some(&0x1f) {
                // Another member of the same file.
                let out = std::mem::take(self.waiting());
                self.coder = Coder::Gunzip(deflate::GzDecoder::new(Sink(out)));
                self.ended = false;
                self.any = false;
            }
            if self.ended {
                self.input.clear();
            }
            if self.input.is_empty() {
                break;
            }
            self.step()?;
        }
        self.drain();
        match flush {
            1 => self.flush()?,
            2 if !self.finished => {
                self.finished = true;
                self.finish()?;
            }
            _ => {}
        }
        Ok(std::mem::take(self.waiting()))
    }

    fn waiting(&mut self) -> &mut Vec<u8> {
        match &mut self.coder {
            Coder::Gzip(coder) => &mut coder.get_mut().0,
            Coder::Deflate(coder) => &mut coder.get_mut().0,
            Coder::DeflateRaw(coder) => &mut coder.get_mut().0,
            Coder::Brotli(coder) => &mut coder.get_mut().0,
            Coder::Gunzip(coder) => &mut coder.get_mut().0,
            Coder::Inflate(coder) => &mut coder.get_mut().0,
            Coder::InflateRaw(coder) => &mut coder.get_mut().0,
            Coder::Unbrotli(coder) => &mut coder.get_mut().0,
            Coder::Unzip => &mut self.left,
        }
    }

    /// Processes the next input.
    fn step(&mut self) -> std::result::Result<(), HostError> {
        let piece: Vec<u8> = self.input.iter().take(PIECE).copied().collect();
        if !self.any {
            self.begin(&piece)?;
        }
        let taken = match &mut self.coder {
            Coder::Gzip(coder) => coder.write(&piece),
            Coder::Deflate(coder) => coder.write(&piece),
            Coder::DeflateRaw(coder) => coder.write(&piece),
            Coder::Brotli(coder) => coder.write(&piece),
            Coder::Gunzip(coder) => coder.write(&piece),
            Coder::Inflate(coder) => coder.write(&piece),
            Coder::InflateRaw(coder) => coder.write(&piece),
            Coder::Unbrotli(coder) => coder.write(&piece),
            Coder::Unzip => Ok(0),
        };
        let taken = taken.map_err(|error| self.explain(&error))?;
        self.ended = taken == 0;
        self.input.drain(..taken);
        Ok(())
    }

    /// Flushes buffered output of a decoder, which it releases only on another write.
    fn drain(&mut self) {
        loop {
            let before = self.waiting().len();
            let drained = match &mut self.coder {
                Coder::Gunzip(coder) => coder.write(&[]),
                Coder::Inflate(coder) => coder.write(&[]),
                Coder::InflateRaw(coder) => coder.write(&[]),
                _ => return,
            };
            // Errors are reported on the next write, or at the end.
            if drained.is_err() || self.waiting().len() == before {
                return;
            }
        }
    }

    /// Detects the format from the first bytes.
    fn begin(&mut self, piece: &[u8]) -> std::result::Result<(), HostError> {
        if let Coder::Unzip = self.coder {
            self.coder = if piece.first() == Some(&0x1f) {
                Coder::Gunzip(deflate::GzDecoder::new(Sink::default()))
            } else {
                Coder::Inflate(deflate::ZlibDecoder::new(Sink::default()))
            };
        }
        let wrong = match (&self.coder, piece) {
            (Coder::Gunzip(_), [first, ..]) if *first != 0x1f => true,
            (Coder::Gunzip(_), [_, second, ..]) => *second != 0x8b,
            (Coder::Inflate(_), [first, second, ..]) => {
                first & 15 != 8 || !(u32::from(*first) * 256 + u32::from(*second)).is_multiple_of(31)
            }
            _ => false,
        };
        self.any = true;
        if wrong { Err(bad_header()) } else { Ok(()) }
    }

    fn flush(&mut self) -> std::result::Result<(), HostError> {
        let flushed = match &mut self.coder {
            Coder::Gzip(coder) => coder.flush(),
            Coder::Deflate(coder) => coder.flush(),
            Coder::DeflateRaw(coder) => coder.flush(),
            Coder::Brotli(coder) => coder.flush(),
            // These emit output continuously.
            _ => Ok(()),
        };
        flushed.map_err(|error| self.explain(&error))
    }

    fn finish(&mut self) -> std::result::Result<(), HostError> {
        let too_short = || failed("unexpected end of file", "Z_BUF_ERROR", -5);
        let is_expanding = !matches!(
            self.coder,
            Coder::Gzip(_) | Coder::Deflate(_) | Coder::DeflateRaw(_) | Coder::Brotli(_)
        );
        if is_expanding && !self.any {
            return Err(too_short());
        }
        let finished = match &mut self.coder {
            Coder::Gzip(coder) => coder.try_finish(),
            Coder::Deflate(coder) => coder.try_finish(),
            Coder::DeflateRaw(coder) => coder.try_finish(),
            Coder::Brotli(_) => {
                // Dropping it writes the end; there is no other way.
                let whole = std::mem::replace(&mut self.coder, Coder::Unzip);
                if let Coder::Brotli(coder) = whole {
                    self.left = coder.into_inner().0;
                }
                return Ok(());
            }
            Coder::Gunzip(coder) => coder.try_finish(),
            Coder::Inflate(coder) => coder.try_finish(),
            Coder::InflateRaw(coder) => coder.try_finish(),
            Coder::Unbrotli(coder) => coder.close(),
            Coder::Unzip => return Err(too_short()),
        };
        finished.map_err(|error| {
            if is_expanding && error.kind() != io::ErrorKind::OutOfMemory {
                too_short()
            } else {
                self.explain(&error)
            }
        })
    }

    fn explain(&self, error: &io::Error) -> HostError {
        match (&self.coder, error.kind()) {
            (_, io::ErrorKind::OutOfMemory) => {
                HostError::of_class("RangeError", format!("Cannot create a Buffer larger than {MOST} bytes"))
                    .with("code", "ERR_BUFFER_TOO_LARGE")
            }
            (Coder::Unbrotli(_), _) => failed("Decompression failed", "ERR__ERROR_FORMAT_PADDING_1", -7),
            (_, io::ErrorKind::UnexpectedEof) => failed("unexpected end of file", "Z_BUF_ERROR", -5),
            _ => failed("invalid stored block lengths", "Z_DATA_ERROR", -3),
        }
    }
}

pub(super) fn install<'js>(host: &Object<'js>, state: &Rc<ThreadState>) -> Result<()> {
    type Bytes<'js> = TypedArray<'js, u8>;
    let shared = Arc::clone(&state.shared);
    let new = move |ctx: Ctx<'js>, kind: String, level: u32, window: u32| {
        let needed = Coder::bytes(&kind, level, window);
        // Streams that are part of cycles wait for the garbage collection, which does not know their size.
        let held = shared.charge(needed).or_else(|_| {
            ctx.run_gc();
            shared.charge(needed)
        });
        let held = held.map_err(|error| failure::throw(&ctx, &error))?;
        Work::new(&kind, level, window, held).map(|work| native::give(&ctx, work)).transpose()
    };
    host.set("open", Func::from(new))?;
    let push = |ctx: Ctx<'js>, handle: native::Handle<'js>, input: Bytes<'js>| -> Result<()> {
        let pushed =
            bytes::lend(&input, |input| native::with(&ctx, &handle, |work: &mut Work| work.push(input)))?;
        pushed.map_err(|error| failure::throw(&ctx, &error))
    };
    host.set("push", Func::from(push))?;
    let stop = Arc::clone(&state.shared.stop);
    let pull = move |ctx: Ctx<'js>, handle: native::Handle<'js>, flush: u32| -> Result<Bytes<'js>> {
        match native::with(&ctx, &handle, |work: &mut Work| work.pull(flush, &stop))? {
            Ok(output) => bytes::array(&ctx, &output),
            Err(error) => Err(failure::throw(&ctx, &error)),
        }
    };
    host.set("pull", Func::from(pull))?;
    let crc = |input: Bytes<'js>, start: u32| {
        bytes::lend(&input, |input| {
            let mut hasher = crc32fast::Hasher::new_with_initial(start);
            hasher.update(input);
            hasher.finalize()
        })
    };
    host.set("crc32", Func::from(crc))
}
