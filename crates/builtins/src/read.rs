//! `read`: a part of a text file with line numbers, an image, or what is in a folder.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, ErrorKind, Read as _, Seek},
    path::PathBuf,
    sync::Arc,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::Deserialize;
use serde_json::{Value, json};
use toolsmith_host::{
    blocking::check,
    location::leads_to,
    regular_file::{is_file_at, open_real},
};
use toolsmith_tool::{
    CancelToken, ContentBlock, Keep, Place, Tier, Tool, ToolCall, ToolContext, ToolError, ToolResult,
    ToolSpec, async_trait,
};

use super::{arguments, ls::list_folder, metered, path_argument};
use crate::files::{Kind, MAX_IMAGE_BYTES, Target, Workspace, kind, kind_in_words};

const MAX_LINES: usize = 2000;
/// A little below what dispatch lets through, so that nothing is cut twice.
const MAX_BYTES: usize = 48 * 1024;
/// Characters of one line.
const MAX_LINE: usize = 2000;
/// Larger files are not read to the end only to count their lines.
const MAX_COUNTED: u64 = 64 << 20;
/// Text in UTF-16 is turned as a whole.
const MAX_UTF16: u64 = 16 << 20;
const START: usize = 8192;
/// Message for files such as /proc/kmsg.
const WAITS: &str = "Not read: the file has no end, and reading it waits for data that may never come.";

/// Content of a name other than a path.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenedName {
    /// A text.
    Text {
        /// The text.
        text: String,
        /// Details of the result.
        details: Option<Value>,
    },
    /// A file, and its name for people and models.
    File(File, String),
}

impl OpenedName {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), details: None }
    }

    /// A file, and its name for people and models.
    pub fn file(file: File, shown: impl Into<String>) -> Self {
        Self::File(file, shown.into())
    }

    /// Adds details to the result of a text.
    #[must_use]
    pub fn details(self, details: Value) -> Self {
        match self {
            Self::Text { text, .. } => Self::Text { text, details: Some(details) },
            file => file,
        }
    }
}

/// Names that `read` understands besides paths.
pub trait ReadNames: Send + Sync {
    /// Opens a name; `None` if it is a path.
    fn open(&self, written: &str) -> Option<Result<OpenedName, String>>;

    /// Returns the file behind a name, for guards by path; `None` if it is a path, or has no file.
    fn file(&self, written: &str) -> Option<PathBuf>;
}

pub(super) struct Read {
    spec: ToolSpec,
    workspace: Arc<Workspace>,
    names: Option<Arc<dyn ReadNames>>,
}

#[derive(Deserialize)]
struct Arguments {
    path: String,
    offset: Option<usize>,
    limit: Option<usize>,
}

impl Read {
    pub(super) fn new(workspace: Arc<Workspace>, names: Option<Arc<dyn ReadNames>>) -> Self {
        let spec = ToolSpec::new(
            "read",
            "Read a file: text as numbered lines (up to 2000 lines or 48 KB; go on with offset), images as images, \
             folders as lists.",
        )
        .label("Read")
        .approval(Tier::Read)
        .keep(Keep::Head)
        .parameters(json!({
            "type": "object",
            "properties": {
                "path": { "type": "string" },
                "offset": { "type": "integer", "minimum": 0, "description": "first line, from 1" },
                "limit": { "type": "integer", "minimum": 1, "description": "number of lines" },
            },
            "required": ["path"],
        }));
        Self { spec, workspace, names }
    }
}

#[async_trait]
impl Tool for Read {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn places(&self, arguments: &Value) -> Vec<Place> {
        let written = path_argument(arguments);
        let named = self.names.as_ref().and_then(|names| names.file(written));
        vec![match named {
            Some(file) => Place::new(written, leads_to(&file)),
            None => self.workspace.place(written),
        }]
    }

    async fn execute(&self, call: ToolCall, ctx: ToolContext) -> Result<ToolResult, ToolError> {
        let wanted: Arguments = arguments(call.arguments)?;
        let (workspace, names) = (Arc::clone(&self.workspace), self.names.clone());
        let (cancel, meter) = (ctx.cancel.clone(), ctx.meter.clone());
        metered(&cancel, &meter, move |cancel| {
            let ctx = ctx.with_cancel(cancel.clone());
            match names.and_then(|names| names.open(&wanted.path)) {
                Some(opened) => read_opened(opened.map_err(ToolError::reply)?, &wanted, &ctx),
                None => read(&workspace, &wanted, &ctx),
            }
        })
        .await
    }
}

fn read(workspace: &Workspace, wanted: &Arguments, context: &ToolContext) -> Result<ToolResult, ToolError> {
    let target = workspace.target(&wanted.path, context)?;
    let shown = workspace.show(&target.path);
    let failed = |error: &std::io::Error| workspace.failed("read", &target.path, error);
    let found = fs::metadata(&target.real).map_err(|error| failed(&error))?;
    if found.is_dir() {
        return list_folder(workspace, &target, wanted.limit, &context.cancel);
    }
    // Opening a pipe would wait for somebody to write; devices have no end.
    if !found.is_file() {
        return Err(ToolError::reply(format!("{shown} is not a regular file (a pipe, socket or device)")));
    }
    let file = open_real(&target.real).map_err(|error| failed(&error))?;
    let bytes = file.metadata().map_err(|error| failed(&error))?.len();
    content(&shown, file, bytes, wanted, &failed, context)
}

fn read_opened(
    opened: OpenedName,
    wanted: &Arguments,
    context: &ToolContext,
) -> Result<ToolResult, ToolError> {
    match opened {
        OpenedName::Text { text, details } => Ok(ToolResult { details, ..ToolResult::text(text) }),
        OpenedName::File(file, shown) => {
            let failed =
                |error: &std::io::Error| ToolError::reply(format!("Could not read {shown}: {error}"));
            let seen = context.places.get(&wanted.path).and_then(|place| place.leads_to);
            if seen.is_some_and(|seen| !is_file_at(&file, &seen)) {
                return Err(ToolError::reply(format!(
                    "{shown} is another file than when the call was checked. Try again."
                )));
            }
            let bytes = file.metadata().map_err(|error| failed(&error))?.len();
            content(&shown, file, bytes, wanted, &failed, context)
        }
    }
}

/// Returns the content of a regular file.
fn content(
    shown: &str,
    mut file: File,
    bytes: u64,
    wanted: &Arguments,
    failed: &dyn Fn(&std::io::Error) -> ToolError,
    context: &ToolContext,
) -> Result<ToolResult, ToolError> {
    let mut start = Vec::with_capacity(START);
    file.by_ref().take(START as u64).read_to_end(&mut start).map_err(|error| match error.kind() {
        ErrorKind::WouldBlock => ToolError::reply(format!("{shown}: {WAITS}")),
        _ => failed(&error),
    })?;
    context.meter.add_read(start.len());
    file.rewind().map_err(|error| failed(&error))?;
    let file = context.meter.reading(file);
    match kind(&start) {
        Kind::Image(mime) => image(shown, file, bytes, mime),
        Kind::Binary => Err(ToolError::reply(format!(
            "{shown} is {} ({} bytes), not text. Use bash with a program for this format, or xxd for its bytes.",
            kind_in_words(&start),
            bytes
        ))),
        Kind::Utf16 { big_endian } => {
            let text =
                utf16(file, bytes, big_endian).map_err(|why| ToolError::reply(format!("{shown} {why}")))?;
            lines(shown, text.as_bytes(), text.len() as u64, wanted, &context.cancel)
        }
        Kind::Text => lines(shown, BufReader::with_capacity(1 << 16, file), bytes, wanted, &context.cancel),
    }
}

fn image(shown: &str, mut file: impl std::io::Read, bytes: u64, mime: &str) -> Result<ToolResult, ToolError> {
    if bytes > MAX_IMAGE_BYTES {
        return Err(ToolError::reply(format!(
            "{shown} is an image of {bytes} bytes; models take up to {MAX_IMAGE_BYTES}. Make a smaller copy first."
        )));
    }
    let mut data = Vec::new();
    file.read_to_end(&mut data)
        .map_err(|error| ToolError::reply(format!("Could not read {shown}: {error}")))?;
    Ok(ToolResult {
        content: vec![
            ContentBlock::text(format!("{shown} ({mime}, {bytes} bytes)")),
            ContentBlock::Image { data: STANDARD.encode(data), mime_type: mime.to_owned() },
        ],
        ..ToolResult::default()
    })
}

fn utf16(mut file: impl std::io::Read, bytes: u64, big_endian: bool) -> Result<String, String> {
    if bytes > MAX_UTF16 {
        return Err(format!("is UTF-16 text of {bytes} bytes; turn it into UTF-8 first (iconv)"));
    }
    let mut data = Vec::new();
    file.read_to_end(&mut data).map_err(|error| format!("could not be read: {error}"))?;
    let units = data
        .as_chunks::<2>()
        .0
        .iter()
        .skip(1)
        .map(|pair| if big_endian { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) });
    Ok(char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
}

/// The wanted lines, numbered, and how to go on.
fn lines(
    shown: &str,
    mut source: impl BufRead,
    bytes: u64,
    wanted: &Arguments,
    cancel: &CancelToken,
) -> Result<ToolResult, ToolError> {
    let first = wanted.offset.unwrap_or(1).max(1);
    let limit = wanted.limit.unwrap_or(MAX_LINES).min(MAX_LINES);
    let mut text = String::new();
    let (mut number, mut last, mut replaced, mut full) = (0, 0, false, false);
    let mut line = Vec::new();
    loop {
        if full && bytes > MAX_COUNTED {
            break;
        }
        let keep = number + 1 >= first && !full;
        let more = next_line(&mut source, &mut line, if keep { MAX_LINE * 4 } else { 0 }, cancel)?;
        let Some(length) = more else { break };
        number += 1;
        if !keep {
            continue;
        }
        let (shown_line, lossy) = show_line(&line, length, number == 1);
        replaced |= lossy;
        let entry = format!("{number}\t{shown_line}\n");
        if last > 0 && text.len() + entry.len() > MAX_BYTES {
            full = true;
            continue;
        }
        text.push_str(&entry);
        last = number;
        full = number + 1 - first >= limit;
    }
    if number == 0 {
        return Ok(ToolResult::text(format!("{shown} is empty")));
    }
    if last == 0 {
        return Err(ToolError::reply(format!(
            "offset {first} is beyond the end of {shown}, which has {number} lines"
        )));
    }
    if number > last {
        let all = if bytes > MAX_COUNTED { format!("a file of {bytes} bytes") } else { format!("{number}") };
        text.push_str(&format!("[lines {first}-{last} of {all}; go on with offset={}]\n", last + 1));
    } else if full && bytes > MAX_COUNTED {
        text.push_str(&format!(
            "[up to line {last} of a file of {bytes} bytes; go on with offset={}]\n",
            last + 1
        ));
    }
    if replaced {
        text.push_str("[not all of it is UTF-8; \u{fffd} stands for other bytes]\n");
    }
    Ok(ToolResult::text(text).with_details(json!({ "path": shown, "firstLine": first, "lastLine": last })))
}

/// Reads one line, of which `keep` bytes stay in `line`; gives its length without the line end, `None` at the end.
fn next_line(
    source: &mut impl BufRead,
    line: &mut Vec<u8>,
    keep: usize,
    cancel: &CancelToken,
) -> Result<Option<usize>, ToolError> {
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::WouldBlock => ToolError::reply(WAITS),
        _ => ToolError::reply(format!("Reading failed: {error}")),
    };
    line.clear();
    let mut length = 0;
    let mut any = false;
    loop {
        // A line may be as long as the file.
        check(cancel)?;
        let chunk = source.fill_buf().map_err(failed)?;
        if chunk.is_empty() {
            return Ok(any.then_some(length));
        }
        any = true;
        let end = memchr::memchr(b'\n', chunk);
        let part = &chunk[..end.unwrap_or(chunk.len())];
        line.extend_from_slice(&part[..part.len().min(keep.saturating_sub(line.len()))]);
        length += part.len();
        let used = part.len() + usize::from(end.is_some());
        source.consume(used);
        if end.is_some() {
            return Ok(Some(length));
        }
    }
}

/// The line as it is shown, and whether bytes in it are no UTF-8.
fn show_line(line: &[u8], length: usize, is_first: bool) -> (String, bool) {
    let whole = line.len() == length;
    let line = match line {
        [0xef, 0xbb, 0xbf, rest @ ..] if is_first => rest,
        line => line,
    };
    let text = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
    // A character cut by the limit is not a byte that is no UTF-8.
    let lossy = whole && matches!(text, std::borrow::Cow::Owned(_));
    let shown = match text.char_indices().nth(MAX_LINE) {
        Some((at, _)) => format!("{} [line of {length} bytes, cut]", &text[..at]),
        None if !whole => format!("{text} [line of {length} bytes, cut]"),
        None => text.into_owned(),
    };
    (shown, lossy)
}

/// For tools that need all of a file: its text as it is.
pub(super) fn whole_text(
    workspace: &Workspace,
    target: &Target,
) -> Result<(String, crate::files::Stamp), ToolError> {
    const MAX_WHOLE: u64 = 64 << 20;
    let shown = workspace.show(&target.path);
    let failed = |error: &std::io::Error| workspace.failed("read", &target.path, error);
    let found = fs::metadata(&target.real).map_err(|error| failed(&error))?;
    if found.is_dir() {
        return Err(ToolError::reply(format!("{shown} is a folder")));
    }
    if !found.is_file() {
        return Err(ToolError::reply(format!("{shown} is not a regular file (a pipe, socket or device)")));
    }
    if found.len() > MAX_WHOLE {
        return Err(ToolError::reply(format!(
            "{shown} has {} bytes; up to {MAX_WHOLE} can be edited. Use bash (sed, a script).",
            found.len()
        )));
    }
    let mut bytes = Vec::new();
    let file = open_real(&target.real).map_err(|error| failed(&error))?;
    file.take(MAX_WHOLE + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
    if bytes.len() as u64 > MAX_WHOLE {
        return Err(ToolError::reply(format!(
            "{shown} has more than {MAX_WHOLE} bytes, so it is not edited."
        )));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        ToolError::reply(format!(
            "{shown} is not UTF-8 text (at byte {at}), so it is not edited. Use bash for it."
        ))
    })?;
    Ok((text, crate::files::Stamp::of(&found)))
}
