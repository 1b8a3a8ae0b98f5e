// Recording and replay: in a runtime that can be recorded, every host function that reads or changes something outside it
// is wrapped here, and so are the clock and randomness. Without a tape in the current call a wrapper only passes on.

import { host } from "./host.js";
import { settle, toError } from "./operations.js";

const { parse, stringify } = JSON;
const RealDate = Date;
const realNow = Date.now;
const realRandom = Math.random;

/** Functions of the runtime itself: what they do is no answer of the surroundings, and has to happen in a replay too. */
const OWN = new Set([
  "group",
  "sendUpdate",
  "updatesHaveRoom",
  "startTimer",
  "unhandled",
  "emitEvent",
  "hearEvents",
  "pushPending",
  "addTool",
  "registered",
  "builtInSpecs",
  "memoryUse",
  "memoryLeft",
  "environment",
  "enterFrame",
  "themePalette",
  "now",
]);
/** Functions that get the number of the call that asks, which differs from run to run. */
const OF_CALL = new Set(["askContext", "openDialog", "notify", "setStatus", "setTitle", "hasUi", "putBlob", "uiCall"]);
/** What `process` asks for when it is first used, which depends on earlier calls. */
const AT_IMPORT = new Set(["signals", "parent"]);
/** What code outside of a replayed call may still ask: it changes nothing. */
const HARMLESS = new Set(["machine", "variable", "variableNames"]);
/** Groups whose functions compute. */
const COMPUTING = new Set(["crypto", "formats", "zlib", "intl"]);

class Unrecordable extends Error {}

/** A value as JSON: bytes as text where they are text. */
function encode(value) {
  if (value === undefined) return { $undefined: true };
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : { $number: String(value) };
  if (value instanceof Uint8Array) {
    try {
      return { $text: host.utf8Decode(value, true) };
    } catch {
      return { $hex: host.hexEncode(value) };
    }
  }
  if (Array.isArray(value)) return value.map(encode);
  const prototype = typeof value === "object" ? Object.getPrototypeOf(value) : undefined;
  if (prototype !== Object.prototype && prototype !== null) throw new Unrecordable();
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, encode(member)]));
}

function decode(value) {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(decode);
  if (value.$undefined === true) return undefined;
  if (typeof value.$number === "string") return Number(value.$number);
  if (typeof value.$text === "string") return host.utf8Encode(value.$text);
  if (typeof value.$hex === "string") return host.hexDecode(value.$hex);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, decode(member)]));
}

/** An error as `toError` reads it. */
function encodeError(error) {
  const members = {};
  for (const [key, member] of Object.entries(error ?? {})) {
    if (["string", "number", "boolean"].includes(typeof member)) members[key] = member;
  }
  return { class: error?.name ?? "Error", message: String(error?.message ?? error), ...members };
}

/** Whether a call starts an operation, which is settled by its number. */
let starting = 0;
export const whileStarting = (number, start) => {
  const before = starting;
  starting = number;
  try {
    start(number);
  } finally {
    starting = before;
  }
};

/** The question for the end of what another question started. */
function endOf(question) {
  const { ask, args } = parse(question);
  return stringify({ ask: `${ask} end`, args });
}

/** Answers from the recording. `otherwise` answers what is not in it, in code that belongs to no call. */
function play(question, number, otherwise) {
  const found = host.tapePlay(question);
  if (found === "") return otherwise?.();
  const answer = parse(found);
  if ("returns" in answer) {
    if (number > 0) play(endOf(question), number);
    return decode(answer.returns);
  }
  if ("throws" in answer) throw toError(stringify(answer.throws));
  if (number > 0 && "resolves" in answer) queueMicrotask(() => settle(number, true, decode(answer.resolves)));
  if (number > 0 && "rejects" in answer) queueMicrotask(() => settle(number, false, stringify(answer.rejects)));
  return undefined;
}

function keep(question, answer, number) {
  try {
    host.tapeKeep(question, stringify(answer()), number);
  } catch (error) {
    if (!(error instanceof Unrecordable)) throw error;
    host.tapeGiveUp(`the answer of ${parse(question).ask} cannot be recorded`);
  }
}

function wrap(name, real) {
  return (...args) => {
    const mode = host.tapeMode();
    if (mode === "" || (name === "machine" && AT_IMPORT.has(args[0]))) return real(...args);
    const refuse = () => {
      if (HARMLESS.has(name)) return real(...args);
      host.tapeRefuse(`${name}, outside of the call`);
      throw new Error(`not in the recording: ${name}, outside of the call`);
    };
    if (mode === "refuse") return refuse();
    const isPlaying = mode === "play" || mode === "after";
    const number = starting !== 0 && args[0] === starting ? starting : 0;
    let question;
    try {
      const skipped = (number === 0 ? 0 : 1) + (OF_CALL.has(name) ? 1 : 0);
      question = stringify({ ask: name, args: args.slice(skipped).map(encode) });
    } catch {
      if (isPlaying) throw new Error(`not in the recording: ${name}`);
      host.tapeGiveUp(`${name} cannot be recorded`);
      return real(...args);
    }
    if (isPlaying) return play(question, number, refuse);
    let result;
    try {
      result = real(...args);
    } catch (error) {
      keep(question, () => ({ throws: encodeError(error) }), 0);
      throw error;
    }
    if (number === 0 || result !== undefined) keep(question, () => ({ returns: encode(result) }), 0);
    // An operation that starts a process returns its streams at once, and settles with its end.
    if (number > 0) keep(result === undefined ? question : endOf(question), () => ({ pending: true }), number);
    return result;
  };
}

/** Records the outcome of an operation. */
export function settled(number, worked, value) {
  if (!host.isRecordable || !host.tapeWaits(number)) return;
  try {
    host.tapeSettle(number, stringify(worked ? { resolves: encode(value) } : { rejects: parse(value) }));
  } catch {
    host.tapeSettle(number, '{"pending":true}');
  }
}

function wrapAll(functions, isWrapped) {
  for (const [name, real] of Object.entries(functions)) {
    if (typeof real === "function" && isWrapped(name)) functions[name] = wrap(name, real);
  }
}

/** `Date` with a clock that can be recorded. */
function installClock() {
  const now = () => host.tapeClock(realNow());
  const RecordedDate = function Date(...args) {
    if (new.target === undefined) return new RealDate(now()).toString();
    const target = new.target === RecordedDate ? RealDate : new.target;
    return Reflect.construct(RealDate, args.length === 0 ? [now()] : args, target);
  };
  Object.defineProperty(RecordedDate, "length", { value: 7 });
  RecordedDate.prototype = RealDate.prototype;
  for (const [name, value] of [
    ["now", now],
    ["parse", RealDate.parse],
    ["UTC", RealDate.UTC],
  ])
    Object.defineProperty(RecordedDate, name, { value, writable: true, configurable: true });
  Object.defineProperty(RealDate.prototype, "constructor", {
    value: RecordedDate,
    writable: true,
    configurable: true,
  });
  Object.defineProperty(globalThis, "Date", { value: RecordedDate, writable: true, configurable: true });
  Object.defineProperty(Math, "random", {
    value: function random() {
      return host.tapeRandom(realRandom());
    },
    writable: true,
    configurable: true,
  });
  host.elapsed = () => host.tapeClock(host.now());
}

/** Wraps the host functions, in a runtime that can be recorded. */
export function installRecording() {
  host.elapsed = host.now;
  if (!host.isRecordable) return;
  const free = new Set(host.unrecorded);
  const isWrapped = (name) =>
    name === "machine" || (!free.has(name) && !OWN.has(name) && !name.startsWith("tape") && !name.endsWith("Close"));
  wrapAll(host, isWrapped);
  const { group } = host;
  host.group = (name) => {
    const functions = group(name);
    if (!COMPUTING.has(name)) wrapAll(functions, (own) => !own.endsWith("Close"));
    return functions;
  };
  installClock();
}
