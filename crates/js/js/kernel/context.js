// What a call's `ctx` is: read-only views that ask the Rust side at the time of use. A member nobody knows is undefined.

import { host } from "./host.js";
import { makeUi } from "./ui.js";

const ask = (call, what, argument) => {
  const json = host.askContext(call, what, argument === undefined ? "" : JSON.stringify(argument));
  return json === "" ? undefined : JSON.parse(json);
};

function sessionManager(call) {
  const session = (what, argument) => ask(call, `session.${what}`, argument);
  return Object.freeze({
    getCwd: () => session("cwd"),
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
    getTree: () => session("tree"),
    getLabel: (id) => session("label", String(id)),
    getUsageStatistics: () => session("usage"),
    getArtifactsDir: () => session("artifactsDir") ?? null,
    allocateArtifactPath: async (kind = "output") => session("allocateArtifact", String(kind)),
    saveArtifact: async (text, kind = "output") => session("saveArtifact", [String(text), String(kind)]),
    getArtifactPath: async (id) => session("artifactPath", String(id)) ?? null,
    putBlob: async (bytes) => host.putBlob(call, bytes),
  });
}

function modelRegistry(call) {
  const all = () => ask(call, "agent.models") ?? [];
  return Object.freeze({
    getAll: all,
    getAvailable: () => all().filter((model) => model.available !== false),
    find: (provider, id) => all().find((model) => model.provider === provider && model.id === id),
    getError: () => undefined,
    // Keys never reach a tool.
    getApiKey: async () => undefined,
    getApiKeyForProvider: async () => undefined,
    authStorage: Object.freeze({ getApiKey: async () => undefined, hasAuth: () => false, get: () => undefined }),
  });
}

/** The `ctx` of a call. */
export function makeContext(call, signal) {
  const lazy = (make) => {
    let value;
    return () => (value ??= make());
  };
  const session = lazy(() => sessionManager(call));
  const models = lazy(() => modelRegistry(call));
  const ui = lazy(() => makeUi(call, signal));
  return {
    get sessionManager() {
      return session();
    },
    get modelRegistry() {
      return models();
    },
    get ui() {
      return ui();
    },
    get hasUI() {
      return host.hasUi(call);
    },
    get model() {
      return ask(call, "agent.model");
    },
    get settings() {
      return ask(call, "agent.settings");
    },
    get autoApprove() {
      return ask(call, "agent.autoApprove");
    },
    get cwd() {
      return ask(call, "session.cwd") || host.cwd();
    },
    get sessionId() {
      return ask(call, "session.id");
    },
    signal,
    isIdle: () => ask(call, "agent.isIdle"),
    hasQueuedMessages: () => ask(call, "agent.hasQueuedMessages"),
    hasPendingMessages: () => ask(call, "agent.hasQueuedMessages"),
    abort: () => void ask(call, "agent.abort"),
    getContextUsage: () => undefined,
    getSystemPrompt: () => "",
  };
}
