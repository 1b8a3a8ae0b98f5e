// Calls: arguments checked by the author's own schema, `execute` with a signal and updates, the result put into shape.

import { makeContext } from "./context.js";
import { describeJson } from "./errors.js";
import { AbortController, DOMException } from "./events.js";
import { currentFrame, within } from "./frames.js";
import { builtin, host } from "./host.js";
import { takePending } from "./pending.js";
import { Refused } from "./schema.js";
import { setTimeout } from "./timers.js";
import { load, stateAt, toolAt } from "./tools.js";

const stringify = JSON.stringify;
const running = new Map();

const isObject = (value) => typeof value === "object" && value !== null;

const isPromise = (value) => typeof value?.then === "function";

/** The form of a result, for authors who returned a text. */
const adviceFor = (value) => (typeof value === "string" ? ' Return { content: [{ type: "text", text: … }] }.' : "");

/** Why a content block cannot be used; undefined when it can. */
function blockProblem(block) {
  if (isPromise(block)) return "is a Promise, and await is missing";
  if (isPromise(block?.text)) return "has a Promise as text, and await is missing";
  if (!isObject(block)) return `is ${block === null ? "null" : typeof block}, not an object`;
  if (block.type === "text") return typeof block.text === "string" ? undefined : "has type text but no string text";
  if (block.type === "image") {
    return typeof block.data === "string" && typeof block.mimeType === "string"
      ? undefined
      : "has type image but lacks string data (base64) and mimeType";
  }
  return `has the unknown type ${stringify(block.type) ?? typeof block.type}`;
}

class BadResult extends Error {
  constructor(message) {
    super(`Tool returned an invalid result: ${message}`);
    this.name = "InvalidResult";
  }
}

const cleanText = (text) => (text.isWellFormed() ? text : text.toWellFormed());

function cleanBlock(block) {
  return block.type === "text"
    ? { type: "text", text: cleanText(block.text) }
    : { type: "image", data: block.data, mimeType: block.mimeType };
}

/** Texts from this length on are not quoted here: the engine's `stringify` takes tens of milliseconds for a megabyte. */
const LONG_TEXT = 1024;

/** Details as JSON text; undefined where they are no JSON value. */
function detailsJson(details) {
  try {
    const json = stringify(details);
    // A half of a surrogate pair is no text outside JavaScript. `stringify` writes it out, and whole ones as they are.
    return json?.includes("\\ud")
      ? stringify(details, (_, value) => (typeof value === "string" ? cleanText(value) : value))
      : json;
  } catch (error) {
    throw badDetails(error);
  }
}

/** The error for details that cannot be converted. Memory that ran out is another problem than a bad value. */
const badDetails = (error) =>
  error?.name === "InternalError" ? error : new BadResult(`details are not a JSON value: ${error?.message ?? error}`);

/** A result in the shape the Rust side reads. */
class Shaped {
  #content;
  #isError;
  constructor(content, isError, details) {
    this.#content = content;
    this.#isError = isError;
    this.details = details;
  }
  /** JSON text without details and long texts, and these texts, each after the place of its block. */
  get bare() {
    const texts = [];
    const content = this.#content.map((block, index) => {
      if (block.type !== "text" || block.text.length < LONG_TEXT) return block;
      texts.push(index, block.text);
      return { type: "text", text: "" };
    });
    return [stringify({ content, isError: this.#isError }), texts];
  }
  /** All of it as JSON text. */
  get json() {
    const more = this.details === undefined ? undefined : detailsJson(this.details);
    const json = stringify({ content: this.#content, isError: this.#isError });
    return more === undefined ? json : `${json.slice(0, -1)},"details":${more}}`;
  }
}

/** A result in its shape. Throws `BadResult` where that is impossible. */
function shape(result) {
  if (!isObject(result))
    throw new BadResult(
      `expected an object with a content array, got ${result === null ? "null" : typeof result}.${adviceFor(result)}`,
    );
  const { content, details, isError } = result;
  if (isPromise(content)) throw new BadResult("content is a Promise. Add await where it is made.");
  if (!Array.isArray(content)) throw new BadResult(`missing content array.${adviceFor(content)}`);
  for (const [index, block] of content.entries()) {
    const problem = blockProblem(block);
    if (problem !== undefined) throw new BadResult(`content block ${index} ${problem}.`);
  }
  return new Shaped(content.map(cleanBlock), isError === true, details);
}

/** Hands a result over, its details as they are. Where the host cannot read them, they are converted to text here. */
function finish(call, shaped) {
  let problem = "text";
  if (host.finishPlain !== undefined) {
    const [json, texts] = shaped.bare;
    try {
      problem = host.finishPlain(call, json, texts, shaped.details);
    } catch (error) {
      throw badDetails(error);
    }
  }
  if (problem === "text") host.finishCall(call, "result", shaped.json);
  else if (typeof problem === "string") throw new BadResult(problem);
}

async function settleWith(call, work) {
  try {
    const done = await work;
    if (done instanceof Shaped) finish(call, done);
    else host.finishCall(call, "result", done);
  } catch (error) {
    if (error instanceof Refused) host.finishCall(call, "refused", stringify(error.problems));
    else host.finishCall(call, "thrown", describeJson(error));
  } finally {
    running.delete(call);
  }
}

async function execute(call, { object, check, invoke }, toolCallId, given, controller) {
  let params = typeof given === "string" ? JSON.parse(given) : given;
  if (check !== undefined) params = await check(params);
  let open = true;
  const onUpdate = (partial) => {
    if (!open) return;
    let json;
    try {
      json = shape(partial).json;
    } catch (error) {
      host.log("warn", `onUpdate received an invalid value: ${error.message}`, "");
      return;
    }
    host.sendUpdate(call, json);
  };
  try {
    const context = makeContext(call, controller.signal);
    const { signal } = controller;
    const result =
      invoke === undefined
        ? object.execute(toolCallId, params, onUpdate, context, signal)
        : invoke(object, toolCallId, params, onUpdate, context, signal);
    return shape(await result);
  } finally {
    open = false;
  }
}

/** Registers a call that begins, and the frame it was entered with. */
function begin(call) {
  const controller = new AbortController();
  running.set(call, { controller, frame: currentFrame() });
  return controller;
}

/** Starts a call with arguments, which may be JSON text; the outcome goes to the Rust side. */
export function startCall(call, number, toolCallId, given) {
  const controller = begin(call);
  settleWith(call, execute(call, toolAt(number), toolCallId, given, controller));
}

/** Trips a call's signal. */
export function abortCall(call, reason) {
  const { controller, frame } = running.get(call) ?? {};
  const error = new DOMException(reason || "This operation was aborted", "AbortError");
  if (controller !== undefined) within(frame, controller.abort, controller, [error]);
}

/** Applies or rejects a staged action, as a call of its own. */
export function resolvePending(call, number, what, reason) {
  begin(call);
  const run = async () => {
    const callback = takePending(number, what);
    if (callback === undefined) return "";
    const result = await callback(reason);
    if (what === "reject" && (result === undefined || result === null)) return "";
    return shape(result);
  };
  settleWith(call, run());
}

/** Tells a tool what happened to the session. */
export function tellSession(call, number, eventJson) {
  const controller = begin(call);
  const run = async () => {
    const { object } = toolAt(number);
    const event = JSON.parse(eventJson);
    const context = makeContext(call, controller.signal);
    if (typeof object.onSession === "function") await object.onSession(event, context);
    if (event.reason === "shutdown" && typeof object.dispose === "function") await object.dispose();
    return "";
  };
  settleWith(call, run());
}

/** Asks a module for the state that its next version receives. */
export function readState(call, number) {
  begin(call);
  const run = async () => {
    const state = await stateAt(number)();
    return stringify(state) ?? "";
  };
  settleWith(call, run());
}

/** Asks a tool what one call needs before it may run, how to describe it to the person who is asked, or to mend arguments. */
export function askApproval(call, number, what, argumentsJson) {
  begin(call);
  const run = async () => {
    const { object, check } = toolAt(number);
    const args = JSON.parse(argumentsJson);
    if (what === "accepts")
      return String(
        await check(args).then(
          () => true,
          () => false,
        ),
      );
    if (what === "approval") return stringify(await object.approval(args)) ?? "";
    if (what === "prepare") return stringify(await object.prepareArguments(args)) ?? "";
    const details = await object.formatApprovalDetails(args);
    const lines = Array.isArray(details)
      ? details
      : details === undefined || details === null
        ? []
        : String(details).split("\n");
    return stringify(lines.map(String));
  };
  settleWith(call, run());
}

/** Milliseconds for which events of an answer are sent without a pause. */
const SENDING = 20;

/**
 * Returns a function that waits while the receiver of a call's updates has no room. It also pauses regularly, because code that only
 * awaits its own promises keeps the thread from reading commands, the one to stop included.
 */
function pauses(call, signal) {
  let next = host.now() + SENDING;
  return async () => {
    if (host.now() < next && host.updatesHaveRoom(call)) return;
    do {
      await new Promise((resolve) => setTimeout(resolve, 1));
    } while (!signal.aborted && !host.updatesHaveRoom(call));
    next = host.now() + SENDING;
  };
}

/** Runs something of an extension: the handlers of an event, a command, completions, a shortcut or a provider. */
export function startExtension(call, number, what, name, payloadJson) {
  const controller = begin(call);
  const run = async () => {
    const events = builtin("toolsmith:adapters/extension_events");
    const payload = JSON.parse(payloadJson);
    const context = makeContext(call, controller.signal);
    let outcome;
    if (what === "event") outcome = await events.handle(number, name, payload, context, controller.signal);
    else if (what === "command") outcome = await events.command(number, name, payload, context);
    else if (what === "completions") outcome = await events.completions(number, name, payload, context);
    else if (what === "stream") {
      const send = (event) => host.sendUpdate(call, `{"content":[],"details":${stringify(event)}}`);
      outcome = await events.stream(number, name, payload, controller.signal, send, pauses(call, controller.signal));
    } else outcome = await events.shortcut(number, name, context);
    return outcome === null || outcome === undefined ? "" : stringify(outcome);
  };
  settleWith(call, run());
}

/** Hands on a partial result of an action. */
export const taskUpdate = (number, json) => builtin("toolsmith:adapters/extension").taskUpdate(number, json);

/** Loads a module; what it says of its tools goes to the Rust side. */
export function startLoad(call, path) {
  settleWith(call, load(path));
}
