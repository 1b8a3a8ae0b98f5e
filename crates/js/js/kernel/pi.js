// The host API a factory receives (`pi`), one per module. Its members survive destructuring, and libraries behind them are
// loaded when they are touched.

import { currentFrame, within } from "./frames.js";
import { builtin, host } from "./host.js";
import { operation } from "./operations.js";
import { stagePending } from "./pending.js";
import { takesUpdatesThird } from "./parameters.js";
import { spreadable } from "./spread.js";
import { makeUi } from "./ui.js";

/** Runs a program (CONTRACT 3.2). */
export async function exec(command, args = [], options = {}) {
  const { signal, timeout, cwd, env, input, stdin = input } = options ?? {};
  const request = {
    command: String(command),
    args: [...(args ?? [])].map(String),
    cwd: cwd === undefined || cwd === null ? null : String(cwd),
    env: env
      ? Object.fromEntries(Object.entries(env).map(([key, value]) => [key, value == null ? null : String(value)]))
      : {},
    stdin: stdin === undefined || stdin === null ? null : typeof stdin === "string" ? stdin : String(stdin),
    timeout: Number.isFinite(timeout) && timeout > 0 ? timeout : null,
    aborted: Boolean(signal?.aborted),
  };
  return JSON.parse(await operation((number) => host.exec(number, JSON.stringify(request)), signal));
}

const context = (value) => {
  if (value === undefined) return "";
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return JSON.stringify({ context: builtin("toolsmith:web/inspect").inspect(value) });
  }
};

const log = (level) => (message, value) =>
  host.log(
    level,
    typeof message === "string" ? message : builtin("toolsmith:web/inspect").inspect(message),
    context(value),
  );

export const logger = {
  error: log("error"),
  warn: log("warn"),
  info: log("info"),
  debug: log("debug"),
  time: () => () => {},
};

const listeners = new Map();

/** The bus between tools: what one emits, all hear, each in its own runtime. */
export const events = {
  emit(channel, data) {
    host.emitEvent(String(channel), data === undefined ? "" : JSON.stringify(data));
  },
  on(channel, listener) {
    const name = String(channel);
    if (!listeners.has(name)) listeners.set(name, new Map());
    listeners.get(name).set(listener, currentFrame());
    host.hearEvents();
    return () => listeners.get(name).delete(listener);
  },
  off: (channel, listener) => void listeners.get(String(channel))?.delete(listener),
};
events.once = (channel, listener) => {
  const stop = events.on(channel, (data) => {
    stop();
    listener(data);
  });
  return stop;
};

/** Called by the Rust side for every event of the bus. */
export function hear(channel, json) {
  for (const [listener, frame] of [...(listeners.get(channel) ?? [])]) {
    try {
      const outcome = within(frame, listener, undefined, [json === "" ? undefined : JSON.parse(json)]);
      Promise.resolve(outcome).catch((error) =>
        logger.error("An event listener failed", { channel, error: String(error) }),
      );
    } catch (error) {
      logger.error("An event listener failed", { channel, error: String(error) });
    }
  }
}

let arktype;

/** The type function of arktype, which also knows the library's other exports. */
function makeArktype() {
  const library = builtin("toolsmith:npm/arktype");
  return new Proxy(library.type, { get: (type, key) => (key in type ? Reflect.get(type, key) : library[key]) });
}

let hostPackage;

/** The exports of the host package. A name it has elsewhere and not here is a stub, as when it is imported (CONTRACT 1.4). */
function makePackage() {
  const stubs = new Map();
  return new Proxy(builtin("toolsmith:compat/toolsmith"), {
    get(exports, key) {
      if (typeof key === "symbol" || key in exports || key === "then" || key === "toJSON" || key === "__esModule")
        return exports[key];
      if (!stubs.has(key)) stubs.set(key, builtin("toolsmith:adapters/missing").missing("pi.pi", key));
      return stubs.get(key);
    },
  });
}

let moduleUi;

// The members are on the prototype, because this is made for every module; taking one out of its object is fine for all of
// them, and libraries load when they are touched.
class HostApi {
  #registered;
  #proxy;
  constructor(registered) {
    this.cwd = host.cwd();
    this.#registered = registered;
  }
  /** What the module sees, and other parts know it by. */
  static wrap(api) {
    return (api.#proxy ??= new Proxy(api, TRAPS));
  }
  /** Whether the module's factory has ended. */
  static isLoaded(api) {
    return #registered in api && Object.isFrozen(api.#registered);
  }
  get registerTool() {
    return (definition) => {
      if (!Object.isFrozen(this.#registered)) this.#registered.push(definition);
      else builtin("toolsmith:adapters/extension").registerLate(definition, takesUpdatesThird);
    };
  }
  get ui() {
    return (moduleUi ??= makeUi(0, undefined));
  }
  get hasUI() {
    return host.hasUi(0);
  }
  get typebox() {
    return builtin("toolsmith:npm/typebox");
  }
  get zod() {
    return builtin("toolsmith:npm/zod/index");
  }
  get arktype() {
    return (arktype ??= makeArktype());
  }
  get pi() {
    return (hostPackage ??= makePackage());
  }
}
Object.assign(HostApi.prototype, { exec, logger, events, pushPendingAction: stagePending });

// What only extensions use.
const EXTENSION_MEMBERS = [
  "on",
  "registerCommand",
  "registerShortcut",
  "registerMessageRenderer",
  "registerAssistantThinkingRenderer",
  "registerServiceStatus",
  "registerProvider",
  "unregisterProvider",
  "registerFlag",
  "getFlag",
  "setLabel",
  "getLabel",
  "sendMessage",
  "sendUserMessage",
  "appendEntry",
  "getActiveTools",
  "getAllTools",
  "setActiveTools",
  "getCommands",
  "getSessionName",
  "setSessionName",
  "setModel",
  "getThinkingLevel",
  "setThinkingLevel",
  "getSettings",
  "registerEntryRenderer",
  "registerMarkdownTransformer",
  "registerToolRenderer",
  "registerVirtualModel",
  "unregisterVirtualModel",
  "registerMcpServer",
  "unregisterMcpServer",
  "getMcpServers",
];
for (const name of EXTENSION_MEMBERS) {
  Object.defineProperty(HostApi.prototype, name, {
    configurable: true,
    get() {
      return builtin("toolsmith:adapters/extension").member(HostApi.wrap(this), name, HostApi.isLoaded(this));
    },
  });
}

const TRAPS = spreadable(HostApi.prototype);

/** A fresh host API. `registered` takes the tools of modules that register instead of returning them. */
export const makePi = (registered) => HostApi.wrap(new HostApi(registered));
