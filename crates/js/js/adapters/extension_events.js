// Runs the handlers of one module: each event with the meaning of what its handlers return (CONTRACT 10.2).

import { logger } from "toolsmith:kernel";
import { blocksOf, draftOf, moduleAt } from "toolsmith:adapters/extension";
import { editContext } from "toolsmith:adapters/context_event";
import { userBash } from "toolsmith:adapters/user_bash";

const isObject = (value) => typeof value === "object" && value !== null;
const { stringify } = JSON;

/** What a handler returned: an object, or nothing. */
function answer(value, event) {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value) || Array.isArray(value))
    throw new TypeError(
      `the handler of "${event}" returned ${Array.isArray(value) ? "an array" : `a ${typeof value}`}; expected an object or nothing`,
    );
  return value;
}

/** Runs all handlers; one that throws does not keep the others from running. */
async function notifyAll(handlers, event, ctx) {
  let failure;
  for (const handler of handlers) {
    try {
      await handler(event, ctx);
    } catch (error) {
      failure ??= { error };
    }
  }
  if (failure !== undefined) throw failure.error;
  return null;
}

/** Runs handlers until one cancels; later answers complete earlier ones. */
async function decide(handlers, event, ctx) {
  let decided = null;
  for (const handler of handlers) {
    const given = answer(await handler(event, ctx), event.type);
    if (given === undefined) continue;
    decided = { ...decided, ...given };
    if (given.cancel === true) break;
  }
  return decided;
}

/** Parts of a system prompt as one text. Where the prompt is a list elsewhere, `[...prompt, part]` is its characters here. */
function joinPrompt(parts, prompt) {
  const characters = [...prompt];
  const isSpread =
    parts.length >= characters.length && characters.length > 0 && parts.slice(0, characters.length).join("") === prompt;
  const texts = isSpread ? [prompt, ...parts.slice(characters.length)] : parts;
  return texts.map(String).join("\n\n");
}

const chains = {
  async tool_call(handlers, event, ctx) {
    const before = stringify(event.input);
    for (const handler of handlers) {
      const given = answer(await handler(event, ctx), "tool_call");
      if (given?.block) return { block: true, reason: given.reason === undefined ? "" : String(given.reason) };
      if (given?.input !== undefined) event.input = given.input;
    }
    const after = stringify(event.input);
    if (after === undefined) throw new TypeError("the replaced input is not a JSON value");
    return after === before ? null : { input: JSON.parse(after) };
  },

  async tool_result(handlers, event, ctx) {
    const changed = {};
    for (const handler of handlers) {
      const given = answer(await handler(event, ctx), "tool_result");
      if (given === undefined) continue;
      if (given.content !== undefined) changed.content = event.content = blocksOf(given.content, "tool_result");
      if (given.details !== undefined) changed.details = event.details = given.details;
      if (given.isError !== undefined) changed.isError = event.isError = given.isError === true;
    }
    return Object.keys(changed).length === 0 ? null : changed;
  },

  async before_agent_start(handlers, event, ctx) {
    const messages = [];
    let systemPrompt;
    const options = stringify(event.systemPromptOptions);
    for (const handler of handlers) {
      const given = answer(await handler(event, ctx), "before_agent_start");
      if (given?.message !== undefined && given.message !== null)
        messages.push(draftOf(given.message, "before_agent_start"));
      if (typeof given?.systemPromptAppend === "string")
        systemPrompt = event.systemPrompt += `\n\n${given.systemPromptAppend.trim()}`;
      if (given?.systemPrompt === undefined) continue;
      const text = Array.isArray(given.systemPrompt)
        ? joinPrompt(given.systemPrompt, event.systemPrompt)
        : given.systemPrompt;
      if (typeof text !== "string") throw new TypeError("before_agent_start: systemPrompt must be a string");
      systemPrompt = event.systemPrompt = text;
    }
    const edited = stringify(event.systemPromptOptions);
    return {
      messages,
      systemPrompt: systemPrompt ?? null,
      systemPromptOptions: edited === options ? null : event.systemPromptOptions,
    };
  },

  async input(handlers, event, ctx) {
    let changed = null;
    for (const handler of handlers) {
      const given = answer(await handler(event, ctx), "input");
      if (given === undefined) continue;
      if (given.action === "handled" || given.handled === true) return { handled: true };
      if (given.action === "continue") continue;
      if (typeof given.text === "string") event.text = given.text;
      if (Array.isArray(given.images)) event.images = given.images;
      changed = { text: event.text, images: event.images ?? [] };
    }
    return changed;
  },

  async message_end(handlers, event, ctx) {
    let replaced = null;
    for (const handler of handlers) {
      const given = answer(await handler(event, ctx), "message_end");
      if (given?.message === undefined) continue;
      if (given.message?.role !== event.message.role)
        throw new TypeError("message_end: the replacement must keep the role of the message");
      replaced = event.message = given.message;
    }
    return replaced;
  },

  context: editContext,
  context_with_system: editContext,
  user_bash: userBash,
  user_python: decide,
  session_before_switch: decide,
  session_before_fork: decide,
  session_before_branch: decide,
  session_before_tree: decide,
  session_before_compact: decide,
  session_stop: decide,
  agent_before_settle: decide,
  turn_end: decide,

  async "session.compacting"(handlers, event, ctx) {
    const given = (await decide(handlers, event, ctx)) ?? {};
    return {
      context: Array.isArray(given.context) ? given.context.map(String) : [],
      prompt: typeof given.prompt === "string" ? given.prompt : null,
    };
  },

  async resources_discover(handlers, event, ctx) {
    const all = { skillPaths: [], promptPaths: [], themePaths: [] };
    for (const handler of handlers) {
      const given = answer(await handler(event, ctx), "resources_discover");
      for (const kind of Object.keys(all)) if (Array.isArray(given?.[kind])) all[kind].push(...given[kind].map(String));
    }
    return all;
  },

  async before_provider_request(handlers, event, ctx) {
    const before = stringify(event.payload);
    for (const handler of handlers) {
      const given = await handler(event, ctx);
      if (given !== undefined && given !== null) event.payload = given;
    }
    const after = stringify(event.payload);
    return after === before || after === undefined ? null : { payload: event.payload };
  },

  async before_provider_headers(handlers, event, ctx) {
    await notifyAll(handlers, event, ctx);
    return { headers: event.headers };
  },
};

/** Runs the handlers of an event; gives what they decided. */
export async function handle(number, name, event, ctx, signal) {
  const state = moduleAt(number);
  const handlers = (state?.handlers.get(name) ?? []).map(({ handler }) => handler);
  if (handlers.length === 0) return null;
  event.type ??= name;
  // Events that can be cancelled carry the signal of their work.
  if (name.startsWith("session_before_") || name === "session.compacting") event.signal = signal;
  return (chains[name] ?? notifyAll)(handlers, event, ctx, state);
}

/** Runs a command. */
export async function command(number, name, args, ctx) {
  const found = moduleAt(number)?.commands.get(name);
  if (found === undefined) throw new Error(`there is no command "${name}"`);
  const outcome = await found.handler(args, ctx);
  // A command may return a text to send instead of sending it.
  return typeof outcome === "string" && outcome !== "" ? outcome : null;
}

/** Completions of a command's arguments. */
export async function completions(number, name, prefix, ctx) {
  const given = await moduleAt(number)?.commands.get(name)?.getArgumentCompletions?.(prefix, ctx);
  if (!Array.isArray(given)) return [];
  return given.slice(0, 1000).flatMap((item) => {
    if (typeof item === "string") return [{ value: item, label: item }];
    if (!isObject(item) || typeof item.value !== "string") return [];
    const description = typeof item.description === "string" ? item.description : undefined;
    return [{ value: item.value, label: typeof item.label === "string" ? item.label : item.value, description }];
  });
}

/** Runs a keyboard shortcut. */
export async function shortcut(number, key, ctx) {
  const found = moduleAt(number)?.shortcuts.get(key);
  if (found === undefined) throw new Error(`there is no shortcut "${key}"`);
  await found.handler(ctx);
  return null;
}

/** An event of an answer without the message that each repeats, and with what the message says of its block. */
function withoutMessage({ type, contentIndex, delta, content, toolCall, partial }) {
  const block = partial?.content?.[contentIndex];
  const call = toolCall ?? (block?.type === "toolCall" ? block : undefined);
  const event = { type, contentIndex, delta, content, id: call?.id, name: call?.name };
  if (!type.endsWith("_end")) return event;
  const signature = block?.textSignature ?? block?.thinkingSignature ?? call?.thoughtSignature;
  return { ...event, arguments: call?.arguments, signature };
}

/**
 * Answers a model request with a provider's own function: events go to `send`, the finished message is returned. `pause` waits until
 * there is room for the next event.
 */
export async function stream(number, name, { model, context, options }, signal, send, pause) {
  const provider = moduleAt(number)?.providers.get(name);
  if (typeof provider?.streamSimple !== "function") throw new Error(`the provider "${name}" has no streamSimple`);
  const events = await provider.streamSimple(model, context, { ...options, signal });
  if (typeof events?.[Symbol.asyncIterator] !== "function")
    throw new TypeError(`streamSimple of "${name}" returned no stream of events`);
  for await (const event of events) {
    if (event?.type === "done") return event.message;
    if (event?.type === "error") return event.error;
    if (typeof event?.type === "string") send(withoutMessage(event));
    await pause();
    signal.throwIfAborted();
  }
  const message = await events.result?.();
  if (!isObject(message)) throw new Error(`the stream of "${name}" ended without a "done" event`);
  return message;
}

/** The component of a registered renderer. */
export function component(number, kind, customType, value, options, theme) {
  const state = moduleAt(number);
  const renderers = kind === "message" ? state?.messageRenderers : state?.entryRenderers;
  const renderer = renderers?.get(customType);
  if (renderer === undefined) {
    logger.debug(`there is no ${kind} renderer for "${customType}"`);
    return undefined;
  }
  // A text that was sent as such is a text again.
  const blocks = kind === "message" && Array.isArray(value?.content) ? value.content : undefined;
  const isText = blocks !== undefined && blocks.length > 0 && blocks.every((block) => block?.type === "text");
  const shown = isText ? { ...value, content: blocks.map((block) => block.text).join("\n") } : value;
  return renderer(shown, options, theme);
}
