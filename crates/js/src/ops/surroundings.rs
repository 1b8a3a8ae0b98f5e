//! Host functions whose results depend on nothing but their arguments, the program and the working directory. A module
//! that calls any other one while it is loaded is not cached. Functions that are missing here cost time, not
//! correctness.

/// Names of these functions.
pub(super) const IS_FREE_OF: &[&str] = &[
    // Loading and the course of calls.
    "finishCall",
    "finishPlain",
    "loadBuiltin",
    "liftLimit",
    "evalScript",
    "resolveRequire",
    "isEsModule",
    "commonJsFunction",
    "loadModule",
    "readText",
    "isPromise",
    "kindOf",
    "promiseState",
    "ticksWait",
    "log",
    "now",
    "stopTimer",
    "cancelOperation",
    "enterListener",
    // The same in every run of this program here. `machine` decides by its argument.
    "cwd",
    "systemInfo",
    "errorNumbers",
    "fsConstants",
    "builtInSpecs",
    "machine",
    // Text and bytes.
    "utf8Encode",
    "utf8Decode",
    "base64Encode",
    "base64Decode",
    "hexEncode",
    "hexDecode",
    "visibleWidth",
    "latin1Decode",
    "cutToWidth",
    "wrapText",
    "imageSize",
    "markdownRows",
    "highlightRows",
    "parseUrl",
    "changeUrl",
    "domainToAscii",
];
