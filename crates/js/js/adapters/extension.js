// Extensions: what a module registers beside its tools, and its actions on the session (CONTRACT 10).

import { addTool, currentFrame, host, logger, operation } from "toolsmith:kernel";

/** Events that reach handlers. Everything else is reported as unsupported. */
const EVENTS = new Set([
  "session_start",
  "session_shutdown",
  "session_switch",
  "session_branch",
  "session_fork",
  "session_tree",
  "session_compact",
  "session_compact_failed",
  "session_info_changed",
  "session_before_switch",
  "session_before_fork",
  "session_before_branch",
  "session_before_tree",
  "session_before_compact",
  "session.compacting",
  "session_stop",
  "agent_start",
  "agent_end",
  "agent_settled",
  "agent_before_settle",
  "turn_start",
  "turn_end",
  "message_start",
  "message_update",
  "message_end",
  "tool_call",
  "tool_result",
  "tool_execution_start",
  "tool_execution_update",
  "tool_execution_end",
  "before_agent_start",
  "input",
  "context",
  "context_with_system",
  "model_select",
  "thinking_level_select",
  "user_bash",
  "user_python",
  "resources_discover",
  "before_provider_request",
  "before_provider_headers",
  "after_provider_response",
  "ui_prompt_start",
  "ui_prompt_end",
  "auto_compaction_start",
  "auto_compaction_end",
  "auto_retry_start",
  "auto_retry_end",
  "ttsr_triggered",
  "todo_reminder",
  "tool_approval_requested",
  "tool_approval_resolved",
]);

const NOT_READY = "Extension runtime not initialized. Action methods cannot be called during extension loading.";

const states = new WeakMap();
const modules = [];

/** The state of the module with this number. */
export const moduleAt = (number) => modules[number];

export function stateOf(api, isLoaded = false) {
  let state = states.get(api);
  if (state === undefined) {
    state = new State(modules.length);
    // One that is first used after the factory ended was never loading.
    state.loading = !isLoaded;
    states.set(api, state);
    modules.push(state);
  }
  return state;
}

class State {
  handlers = new Map();
  commands = new Map();
  shortcuts = new Map();
  flags = new Map();
  messageRenderers = new Map();
  entryRenderers = new Map();
  providers = new Map();
  unsupported = new Map();
  label = undefined;
  loading = true;
  constructor(number) {
    this.number = number;
    this.members = makeMembers(this);
  }

  ignore(what, name) {
    if (!this.unsupported.has(what)) this.unsupported.set(what, new Set());
    if (typeof name === "string") this.unsupported.get(what).add(name);
    this.changed();
  }

  /** Tells the Rust side about registrations after loading. */
  changed() {
    if (!this.loading) host.registered(JSON.stringify(this.describe()));
  }

  describe() {
    const named = (map) => [...map.keys()];
    return {
      number: this.number,
      label: this.label,
      events: named(this.handlers).filter((event) => this.handlers.get(event).length > 0),
      commands: [...this.commands].map(([name, command]) => ({
        name,
        description: words(command.description),
        hasCompletions: typeof command.getArgumentCompletions === "function",
      })),
      shortcuts: [...this.shortcuts].map(([key, shortcut]) => ({ key, description: words(shortcut.description) })),
      flags: [...this.flags].map(([name, flag]) => ({
        name,
        description: words(flag.description),
        takesText: flag.type === "string",
        default: flag.default ?? null,
      })),
      messageRenderers: named(this.messageRenderers),
      entryRenderers: named(this.entryRenderers),
      providers: [...this.providers].map(([name, config]) => ({
        name,
        config: plain(config),
        streams: typeof config?.streamSimple === "function",
      })),
      unsupported: [...this.unsupported].map(([what, given]) =>
        given.size > 0 ? `${what} (${[...given].join(", ")})` : what,
      ),
    };
  }
}

const words = (value) => (typeof value === "string" ? value : "");
const isObject = (value) => typeof value === "object" && value !== null;
/** What JSON can say of a value; functions are left out. */
const plain = (value) => JSON.parse(JSON.stringify(value ?? null));

/** The message content as blocks; a text is one block. */
export function blocksOf(content, what) {
  if (typeof content === "string") return [{ type: "text", text: content.toWellFormed() }];
  if (!Array.isArray(content))
    throw new TypeError(`${what} needs content: a string or an array of text and image blocks`);
  return content.map((block, index) => {
    if (block?.type === "text" && typeof block.text === "string")
      return { type: "text", text: block.text.toWellFormed() };
    if (block?.type === "image" && typeof block.data === "string" && typeof block.mimeType === "string") {
      return { type: "image", data: block.data, mimeType: block.mimeType };
    }
    throw new TypeError(`${what}: content block ${index} is not a text or image block`);
  });
}

/** A custom message in the shape the Rust side reads. */
export function draftOf(message, what) {
  if (!isObject(message)) throw new TypeError(`${what} needs an object with customType and content`);
  if (typeof message.customType !== "string" || message.customType === "")
    throw new TypeError(`${what} needs a non-empty string customType`);
  return {
    customType: message.customType,
    content: blocksOf(message.content ?? "", what),
    display: message.display !== false,
    details: message.details === undefined ? null : plain(message.details),
  };
}

const DELIVERIES = ["steer", "followUp", "nextTurn", "aside"];
const delivery = (options) => (DELIVERIES.includes(options?.deliverAs) ? options.deliverAs : null);

/** Carries out an action at once. */
export function act(action) {
  const json = host.act(JSON.stringify(action));
  return json === "" ? undefined : JSON.parse(json);
}

/** Carries out an action that takes time. Partial results go to `onUpdate`. */
export async function perform(task, signal, onUpdate) {
  let own;
  try {
    const json = await operation((number) => {
      own = number;
      if (typeof onUpdate === "function") updates.set(number, onUpdate);
      host.perform(number, JSON.stringify(task), typeof onUpdate === "function");
    }, signal);
    return json === undefined || json === "" ? undefined : JSON.parse(json);
  } finally {
    updates.delete(own);
  }
}

const updates = new Map();

/** Called by the Rust side for a partial result of a task. */
export function taskUpdate(number, json) {
  updates.get(number)?.(JSON.parse(json));
}

function makeMembers(state) {
  const ready =
    (run) =>
    (...args) => {
      if (state.loading) throw new Error(NOT_READY);
      return run(...args);
    };
  const unsupported = (what) => (name) =>
    state.ignore(what, typeof name === "string" ? name : (name?.name ?? name?.id));
  const register = (map, what, check) => (name, value) => {
    if (typeof name !== "string" || name === "") throw new TypeError(`${what} needs a non-empty string name`);
    check?.(value);
    map.set(name, value);
    state.changed();
  };
  const needs = (what, member) => (value) => {
    if (typeof value?.[member] !== "function") throw new TypeError(`${what} needs a function ${member}`);
  };
  const needsFunction = (what) => (value) => {
    if (typeof value !== "function") throw new TypeError(`${what} needs a function`);
  };
  const flagName = (name) => String(name).replace(/^--/, "");
  return {
    on(event, handler) {
      if (typeof handler !== "function") throw new TypeError(`on("${String(event)}") needs a function`);
      if (!EVENTS.has(event)) {
        state.ignore("on", String(event));
        return () => {};
      }
      const entry = { handler };
      const list = state.handlers.get(event) ?? [];
      state.handlers.set(event, [...list, entry]);
      state.changed();
      return () => {
        state.handlers.set(
          event,
          (state.handlers.get(event) ?? []).filter((known) => known !== entry),
        );
        state.changed();
      };
    },
    registerCommand(name, options) {
      const command = String(name).replace(/^\//, "");
      const handler = options?.handler ?? options?.execute;
      if (command === "" || /\s/.test(command))
        throw new TypeError(`registerCommand: "${command}" is not a command name`);
      if (typeof handler !== "function") throw new TypeError(`registerCommand("${command}") needs a function handler`);
      if (state.commands.has(command)) logger.warn(`Command "${command}" was registered twice; the last one counts`);
      state.commands.set(command, { ...options, handler: (...args) => handler.apply(options, args) });
      state.changed();
    },
    registerShortcut: register(state.shortcuts, "registerShortcut", needs("registerShortcut", "handler")),
    registerFlag(name, options) {
      state.flags.set(flagName(name), { ...(options ?? {}) });
      state.changed();
    },
    getFlag(name) {
      const flag = state.flags.get(flagName(name));
      if (flag === undefined) return undefined;
      const given = state.loading ? undefined : act({ type: "getFlag", name: flagName(name) });
      return given ?? flag.default ?? (flag.type === "boolean" ? false : undefined);
    },
    registerMessageRenderer: register(
      state.messageRenderers,
      "registerMessageRenderer",
      needsFunction("registerMessageRenderer"),
    ),
    registerEntryRenderer: register(
      state.entryRenderers,
      "registerEntryRenderer",
      needsFunction("registerEntryRenderer"),
    ),
    registerProvider(given, options) {
      const name = typeof given === "string" ? given : (given?.id ?? given?.name);
      const config = typeof given === "string" ? options : given;
      if (typeof name !== "string" || !isObject(config))
        throw new TypeError("registerProvider needs a name and a configuration");
      state.providers.set(name, config);
      if (config.oauth !== undefined) state.ignore("registerProvider.oauth", name);
      if (state.loading) return;
      state.changed();
      act({
        type: "registerProvider",
        name,
        config: plain(config),
        streams: typeof config.streamSimple === "function",
      });
    },
    unregisterProvider(name) {
      state.providers.delete(String(name));
      state.changed();
      if (!state.loading) act({ type: "unregisterProvider", name: String(name) });
    },
    registerAssistantThinkingRenderer: unsupported("registerAssistantThinkingRenderer"),
    registerMarkdownTransformer: unsupported("registerMarkdownTransformer"),
    registerToolRenderer: unsupported("registerToolRenderer"),
    registerVirtualModel: unsupported("registerVirtualModel"),
    unregisterVirtualModel: () => {},
    registerMcpServer: unsupported("registerMcpServer"),
    unregisterMcpServer: () => {},
    getMcpServers: () => [],
    registerServiceStatus(...given) {
      unsupported("registerServiceStatus")(given[0]);
      return { update() {}, dispose() {}, remove() {} };
    },
    sendMessage: ready(
      (message, options) =>
        void act({
          type: "sendMessage",
          message: draftOf(message, "sendMessage"),
          deliverAs: delivery(options),
          triggerTurn: options?.triggerTurn === true,
        }),
    ),
    sendUserMessage: ready(
      (content, options) =>
        void act({
          type: "sendUserMessage",
          content: blocksOf(content, "sendUserMessage"),
          deliverAs: delivery(options),
          expand: options?.expandPromptTemplates === true,
        }),
    ),
    appendEntry: ready((customType, data) => {
      if (typeof customType !== "string" || customType === "")
        throw new TypeError("appendEntry needs a non-empty string type");
      act({ type: "appendEntry", customType, data: data === undefined ? null : plain(data) });
    }),
    getActiveTools: ready(() => act({ type: "getActiveTools" }) ?? []),
    getAllTools: ready(() => act({ type: "getAllTools" }) ?? []),
    setActiveTools: ready((names) => {
      if (!Array.isArray(names)) throw new TypeError("setActiveTools needs an array of names");
      act({ type: "setActiveTools", names: names.map((tool) => String(tool?.name ?? tool)) });
    }),
    getCommands: ready(() => act({ type: "getCommands" }) ?? []),
    getSessionName: ready(() => act({ type: "getSessionName" })),
    setSessionName: ready((name) => void act({ type: "setSessionName", name: words(name) })),
    setLabel(...given) {
      // One argument is the module's own label, two are an entry and its label.
      if (given.length === 1) {
        state.label = words(given[0]);
        state.changed();
      } else
        ready(() =>
          act({ type: "setLabel", entryId: String(given[0]), label: given[1] == null ? null : String(given[1]) }),
        )();
    },
    getLabel: () => state.label,
    setModel: ready(async (model) => {
      const [provider, id] = typeof model === "string" ? splitModel(model) : [model?.provider, model?.id];
      return (await perform({ type: "setModel", provider: words(provider), id: words(id) })) === true;
    }),
    getThinkingLevel: ready(() => act({ type: "getThinkingLevel" }) ?? "off"),
    setThinkingLevel: ready((level) => void act({ type: "setThinkingLevel", level: words(level) })),
    getSettings: ready(() => JSON.parse(host.askContext(0, "agent.settings", "") || "{}")),
  };
}

function splitModel(text) {
  const at = text.indexOf("/");
  return at < 0 ? ["", text] : [text.slice(0, at), text.slice(at + 1)];
}

/** A member of the host API that only extensions use. */
export const member = (api, name, isLoaded) => stateOf(api, isLoaded).members[name];

const signalThird = (object, id, params, onUpdate, ctx, signal) => object.execute(id, params, signal, onUpdate, ctx);

const asCandidate = (object, takesUpdatesThird) => ({
  object,
  invoke: takesUpdatesThird(object) ? undefined : signalThird,
});

/** Registered tools as the kernel keeps them. A name that is registered again replaces the earlier one. */
export function adapt(registered, takesUpdatesThird) {
  const last = new Map(registered.map((object, index) => [object?.name ?? index, object]));
  return [...last.values()].map((object) => asCandidate(object, takesUpdatesThird));
}

/** Registers a tool after its module was loaded. */
export function registerLate(definition, takesUpdatesThird) {
  addTool(asCandidate(definition, takesUpdatesThird));
}

/** Ends loading; gives what was registered, or undefined for a module without registrations. */
export function finishLoad(api) {
  const state = states.get(api);
  if (state === undefined) return undefined;
  state.loading = false;
  return state.describe();
}

/** The frame of now, for work that goes on after a call. */
export const here = currentFrame;
