// What a call's `ctx` is: read-only views that ask the Rust side at the time of use. A member nobody knows is undefined.

import { currentFrame } from "./frames.js";
import { builtin, host } from "./host.js";
import { spreadable } from "./spread.js";
import { makeUi } from "./ui.js";

const ask = (call, what, argument) => {
  const json = host.askContext(call, what, argument === undefined ? "" : JSON.stringify(argument));
  return json === "" ? undefined : JSON.parse(json);
};

// Stands for a key that only the host knows.
const HOST_KEY = "toolsmith-host";

// The tree comes as rows that name their parents: nested JSON as deep as a conversation is long cannot be read.
function nest(rows) {
  const nodes = rows.map(({ entry, label }) => ({ entry, children: [], label: label ?? undefined }));
  const roots = [];
  rows.forEach(({ parent }, index) => (nodes[parent]?.children ?? roots).push(nodes[index]));
  return roots;
}

function sessionManager(call) {
  const session = (what, argument) => ask(call, `session.${what}`, argument);
  return Object.freeze({
    getCwd: () => session("cwd"),
    getRecordedCwd: () => session("cwd"),
    getSessionDir: () => session("dir"),
    getSessionId: () => session("id"),
    getSessionFile: () => session("file"),
    getSessionName: () => session("name"),
    getHeader: () => session("header") ?? null,
    getEntries: () => session("entries"),
    getEntry: (id) => session("entry", String(id)),
    getLeafId: () => session("leafId") ?? null,
    getLeafEntry() {
      const leaf = session("leafId");
      return leaf === undefined ? undefined : session("entry", leaf);
    },
    getBranch: (from) => session("branch", from === undefined ? undefined : String(from)),
    getTree: () => nest(session("tree")),
    getLabel: (id) => session("label", String(id)),
    getUsageStatistics: () => session("usage"),
    getArtifactsDir: () => session("artifactsDir") ?? null,
    allocateArtifactPath: async (kind = "output") => session("allocateArtifact", String(kind)),
    saveArtifact: async (text, kind = "output") => session("saveArtifact", [String(text), String(kind)]),
    getArtifactPath: async (id) => session("artifactPath", String(id)) ?? null,
    putBlob: async (bytes) => host.putBlob(call, bytes),
    putBlobSync: (bytes) => host.putBlob(call, bytes),
  });
}

function modelRegistry(call) {
  const all = () => ask(call, "agent.models") ?? [];
  return Object.freeze({
    getAll: all,
    getAvailable: () => all().filter((model) => model.available !== false),
    find: (provider, id) =>
      all().find((model) => model.provider === provider && model.id === id) ??
      ask(call, "agent.findModel", [String(provider), String(id)]),
    complete: (model, context, options) => builtin("toolsmith:compat/model_calls").complete(model, context, options),
    completeSimple: (model, context, options) =>
      builtin("toolsmith:compat/model_calls").complete(model, context, options),
    stream: (model, context, options) => builtin("toolsmith:compat/model_calls").stream(model, context, options),
    streamSimple: (model, context, options) => builtin("toolsmith:compat/model_calls").stream(model, context, options),
    getError: () => undefined,
    // Keys never reach a tool: requests that name a model of the host are made by the host.
    getApiKeyAndHeaders: async (model) => ({ ok: true, apiKey: HOST_KEY, headers: {}, model }),
    hasConfiguredAuth: (model) =>
      all().some((known) => known.provider === model?.provider && known.available !== false),
    isUsingOAuth: () => false,
    refresh: async () => {},
    getProviderDisplayName: (provider) => String(provider),
    getApiKey: async () => HOST_KEY,
    getApiKeyForProvider: async () => HOST_KEY,
    authStorage: Object.freeze({ getApiKey: async () => HOST_KEY, hasAuth: () => true, get: () => undefined }),
  });
}

// On a prototype, because one is made for every call. Functions are made when they are asked for, so that they work when
// they are taken out of the object.
class CallContext {
  #call;
  // Keeps what the Rust side knows of the call.
  #frame = currentFrame();
  #session;
  #models;
  #ui;

  constructor(call, signal) {
    this.#call = call;
    this.signal = signal;
  }
  get sessionManager() {
    return (this.#session ??= sessionManager(this.#call));
  }
  get modelRegistry() {
    return (this.#models ??= modelRegistry(this.#call));
  }
  get ui() {
    return (this.#ui ??= makeUi(this.#call, this.signal));
  }
  get hasUI() {
    return host.hasUi(this.#call);
  }
  get model() {
    return ask(this.#call, "agent.model");
  }
  get settings() {
    return ask(this.#call, "agent.settings");
  }
  get autoApprove() {
    return ask(this.#call, "agent.autoApprove");
  }
  get cwd() {
    return ask(this.#call, "session.cwd") || host.cwd();
  }
  get sessionId() {
    return ask(this.#call, "session.id");
  }
  get isIdle() {
    return () => ask(this.#call, "agent.isIdle");
  }
  get hasQueuedMessages() {
    return () => ask(this.#call, "agent.hasQueuedMessages");
  }
  get hasPendingMessages() {
    return this.hasQueuedMessages;
  }
  get abort() {
    return () => void ask(this.#call, "agent.abort");
  }
}

// What acts on the session, and what only commands use.
const SESSION_MEMBERS = [
  "mode",
  "thinkingLevel",
  "scopedModels",
  "tools",
  "isProjectTrusted",
  "shutdown",
  "getContextUsage",
  "getSystemPrompt",
  "getSystemPromptOptions",
  "compact",
  "executeTool",
  "invokeTool",
  "waitForIdle",
  "newSession",
  "switchSession",
  "fork",
  "branch",
  "navigateTree",
  "reload",
  "sendMessage",
  "sendUserMessage",
];
for (const name of SESSION_MEMBERS) {
  Object.defineProperty(CallContext.prototype, name, {
    configurable: true,
    get() {
      return builtin("toolsmith:adapters/extension_context").contextMember(this, name);
    },
  });
}

const TRAPS = spreadable(CallContext.prototype);

/** The `ctx` of a call. */
export const makeContext = (call, signal) => new Proxy(new CallContext(call, signal), TRAPS);
