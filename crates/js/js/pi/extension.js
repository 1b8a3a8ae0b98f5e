// Extensions: modules that register tools instead of returning them. Their tools are taken; what else they register is for
// a host of another kind, so it is accepted, answered with what a caller can live with, and named in the load report.

import { logger } from "toolsmith:kernel";

const states = new WeakMap();

function stateOf(api) {
  let state = states.get(api);
  if (state === undefined) states.set(api, (state = makeState(api)));
  return state;
}

/** Session events by what this host calls them. */
const SESSION_EVENTS = {
  start: ["session_start"], switch: ["session_switch"], branch: ["session_branch", "session_fork"], tree: ["session_tree"],
  shutdown: ["session_shutdown"],
};
const HEARD = new Set(Object.values(SESSION_EVENTS).flat());

function makeState(api) {
  const ignored = new Map();
  const flags = new Map();
  const handlers = new Map();
  let label;
  let level = "off";
  const ignore = (what, name) => {
    if (!ignored.has(what)) ignored.set(what, new Set());
    if (typeof name === "string") ignored.get(what).add(name);
  };
  const register = (what) => (name) => ignore(what, typeof name === "string" ? name : name?.name);
  // What is said to a conversation has nobody to hear it here.
  const say = (what) => (...said) => {
    ignore(what);
    logger.debug(`${what} was called by an extension and ignored`, said[0]);
  };
  const names = () => api.registeredTools().map((tool) => tool?.name);
  const members = {
    on(event, handler) {
      if (HEARD.has(event) && typeof handler === "function") {
        if (!handlers.has(event)) handlers.set(event, []);
        handlers.get(event).push(handler);
        return () => void handlers.set(event, handlers.get(event).filter((known) => known !== handler));
      }
      ignore("on", String(event));
      return () => {};
    },
    registerCommand: register("registerCommand"),
    registerShortcut: register("registerShortcut"),
    registerMessageRenderer: register("registerMessageRenderer"),
    registerAssistantThinkingRenderer: register("registerAssistantThinkingRenderer"),
    registerServiceStatus(...given) {
      register("registerServiceStatus")(given[0]);
      return { update() {}, dispose() {}, remove() {} };
    },
    registerProvider: register("registerProvider"),
    unregisterProvider: () => {},
    registerFlag: (name, options) => void flags.set(String(name), options?.default),
    getFlag: (name) => flags.get(String(name).replace(/^--/, "")) ?? flags.get(String(name)),
    setLabel: (...given) => void (label = given.length === 1 ? given[0] : label),
    getLabel: () => label,
    sendMessage: say("sendMessage"),
    sendUserMessage: say("sendUserMessage"),
    appendEntry: say("appendEntry"),
    getActiveTools: names,
    getAllTools: () => api.registeredTools().map(({ name, description, parameters }) => ({ name, description, parameters })),
    setActiveTools: async () => {},
    getCommands: () => [],
    getSessionName: () => undefined,
    setSessionName: say("setSessionName"),
    setModel: async () => false,
    getThinkingLevel: () => level,
    setThinkingLevel: (wanted) => void (level = wanted),
  };
  return { ignored, handlers, members };
}

/** A member of the host API that only extensions use. */
export const member = (api, name) => stateOf(api).members[name];

async function hear(handlers, event, ctx) {
  for (const type of SESSION_EVENTS[event.reason] ?? []) {
    for (const handler of handlers.get(type) ?? []) await handler({ type, ...event }, ctx);
  }
}

const signalThird = (object, id, params, onUpdate, ctx, signal) => object.execute(id, params, signal, onUpdate, ctx);

/** Registered tools as the kernel keeps them. A name that is registered again replaces the earlier one. */
export function adapt(api, registered, takesUpdatesThird) {
  const { handlers } = stateOf(api);
  const last = new Map(registered.map((object, index) => [object?.name ?? index, object]));
  const listens = [...handlers.values()].some((list) => list.length > 0);
  return [...last.values()].map((object, index) => ({
    object,
    invoke: takesUpdatesThird(object) ? undefined : signalThird,
    hear: listens && index === 0 ? (event, ctx) => hear(handlers, event, ctx) : undefined,
  }));
}

/** What was registered and is not used, for the load report. */
export function notes(api) {
  const { ignored, members } = stateOf(api);
  const list = [...ignored].map(([what, given]) => (given.size > 0 ? `${what} (${[...given].join(", ")})` : what));
  const label = members.getLabel();
  return list.length === 0 ? [] : [`Extension${typeof label === "string" ? ` "${label}"` : ""}: registered but not supported: ${list.join("; ")}`];
}

