// Members of `ctx` that act on the session: those of every handler, and those of commands.

import { act, blocksOf, draftOf, perform } from "toolsmith:adapters/extension";

const words = (value) => (typeof value === "string" ? value : "");

let nested = 0;

/** The answer of an action, or a default where there is no session. */
function known(type, fallback) {
  try {
    return act({ type }) ?? fallback;
  } catch {
    return fallback;
  }
}

/** The result of a nested call, as `executeTool` gives it. */
const outcomeOf = (result) => ({ ...result, result, isError: result?.isError === true });

const members = {
  mode: () => known("getMode", "print"),
  thinkingLevel: () => known("getThinkingLevel", "off"),
  scopedModels: () => [],
  tools: () => known("getAllTools", []).filter((tool) => tool.isActive !== false),
  isProjectTrusted: () => () => known("isProjectTrusted", false) === true,
  shutdown: () => () => void act({ type: "shutdown" }),
  getContextUsage: () => () => known("getContextUsage", undefined),
  getSystemPrompt: () => () => known("getSystemPrompt", ""),
  getSystemPromptOptions: () => () => known("getSystemPromptOptions", {}),
  compact: () => (options) => {
    const { customInstructions, onComplete, onError } =
      typeof options === "string" ? { customInstructions: options } : (options ?? {});
    const instructions = customInstructions === undefined ? null : String(customInstructions);
    const work = perform({ type: "compact", instructions });
    work.then(
      (result) => onComplete?.(result),
      (error) => onError?.(error),
    );
    return work.catch(() => undefined);
  },
  executeTool:
    (ctx) =>
    async (name, args, options = {}) =>
      outcomeOf(
        await perform(
          { type: "callTool", name: String(name), arguments: args ?? {} },
          options.signal ?? ctx.signal,
          options.onUpdate,
        ),
      ),
  // Runs the built-in tool of a name, also one that the extension replaced.
  invokeTool:
    (ctx) =>
    async (name, args, options = {}) =>
      outcomeOf(
        await perform(
          { type: "callBuiltIn", name: String(name), arguments: args ?? {}, callId: `invoke-${++nested}` },
          options.signal ?? ctx.signal,
          options.onUpdate,
        ),
      ),
  waitForIdle: () => async () => void (await perform({ type: "waitForIdle" })),
  newSession: (ctx) => async (options) => {
    const outcome = await perform({ type: "newSession" });
    return afterSwitch(ctx, outcome, options);
  },
  switchSession: (ctx) => async (session, options) =>
    afterSwitch(ctx, await perform({ type: "switchSession", session: words(session) }), options),
  fork: (ctx) => async (entryId, options) =>
    afterSwitch(ctx, await perform({ type: "fork", entryId: words(entryId), at: options?.position === "at" }), options),
  branch: (ctx) => async (entryId, options) =>
    afterSwitch(ctx, await perform({ type: "fork", entryId: words(entryId) }), options),
  navigateTree: () => async (targetId, options) =>
    (await perform({
      type: "navigateTree",
      targetId: words(targetId),
      summarize: options?.summarize === true,
      label: options?.label ?? null,
    })) ?? { cancelled: false },
  reload: () => async () => void (await perform({ type: "reload" })),
  sendMessage: () => async (message, options) =>
    void act({
      type: "sendMessage",
      message: draftOf(message, "sendMessage"),
      deliverAs: options?.deliverAs ?? null,
      triggerTurn: options?.triggerTurn === true,
    }),
  sendUserMessage: () => async (content, options) =>
    void act({
      type: "sendUserMessage",
      content: blocksOf(content, "sendUserMessage"),
      deliverAs: options?.deliverAs ?? null,
    }),
};

/** Lets the author's callbacks set up the session that was switched to. */
async function afterSwitch(ctx, outcome, options) {
  const { cancelled = false, ...more } = outcome ?? {};
  if (cancelled) return { cancelled: true };
  if (typeof options?.setup === "function") await options.setup(setupManager(ctx));
  if (typeof options?.withSession === "function") await options.withSession(ctx);
  return { cancelled: false, ...more };
}

/** The session manager for `setup`, which may add to the new session. */
function setupManager(ctx) {
  const append =
    (customType) =>
    (content, display = true, details) =>
      act({
        type: "sendMessage",
        message: draftOf({ customType, content, display, details }, "setup"),
        deliverAs: null,
        triggerTurn: false,
      });
  return {
    ...ctx.sessionManager,
    appendCustomEntry: (customType, data) =>
      act({ type: "appendEntry", customType: words(customType), data: data ?? null }),
    appendCustomMessageEntry: (customType, content, display, details) =>
      append(words(customType))(content, display, details),
    appendMessage: (message) => append("setup")(message?.content ?? ""),
    appendSessionInfo: (name) => act({ type: "setSessionName", name: words(name) }),
    appendLabelChange: (entryId, label) => act({ type: "setLabel", entryId: words(entryId), label: label ?? null }),
  };
}

export const NAMES = Object.keys(members);

/** One member for a context. */
export const contextMember = (ctx, name) => members[name](ctx);
