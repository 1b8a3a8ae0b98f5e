// Calls of models by extensions. The host makes them with its own keys.

import { perform } from "toolsmith:adapters/extension";

/** Events that are pushed by one side and iterated by another, with a result at the end. */
export class EventStream {
  #queue = [];
  #waiting = [];
  #done = false;
  #isLast;
  #resultOf;
  #result;
  #settle;
  constructor(isLast = () => false, resultOf = (event) => event) {
    this.#isLast = isLast;
    this.#resultOf = resultOf;
    this.#result = new Promise((resolve) => (this.#settle = resolve));
  }
  push(event) {
    if (this.#done) return;
    if (this.#isLast(event)) {
      this.#done = true;
      this.#settle(this.#resultOf(event));
    }
    const waiter = this.#waiting.shift();
    if (waiter) waiter({ value: event, done: false });
    else this.#queue.push(event);
  }
  end(result) {
    this.#done = true;
    if (result !== undefined) this.#settle(result);
    while (this.#waiting.length > 0) this.#waiting.shift()({ value: undefined, done: true });
  }
  async *[Symbol.asyncIterator]() {
    for (;;) {
      if (this.#queue.length > 0) yield this.#queue.shift();
      else if (this.#done) return;
      else {
        const next = await new Promise((resolve) => this.#waiting.push(resolve));
        if (next.done) return;
        yield next.value;
      }
    }
  }
  result() {
    return this.#result;
  }
}

export class AssistantMessageEventStream extends EventStream {
  constructor() {
    super(
      (event) => event.type === "done" || event.type === "error",
      (event) => (event.type === "done" ? event.message : event.error),
    );
  }
}

export const createAssistantMessageEventStream = () => new AssistantMessageEventStream();

const reference = (model) => (model?.provider && model?.id ? `${model.provider}/${model.id}` : null);

const failed = (model, error, aborted) => ({
  role: "assistant",
  content: [],
  api: model?.api ?? "",
  provider: model?.provider ?? "",
  model: model?.id ?? "",
  usage: {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  },
  stopReason: aborted ? "aborted" : "error",
  errorMessage: String(error?.message ?? error),
  timestamp: Date.now(),
});

/** Asks a model; a failure is a message that says so, as in the package. */
export async function complete(model, context = {}, options = {}) {
  const messages = (context.messages ?? []).filter((message) => message?.role !== "system");
  const system = (context.messages ?? [])
    .filter((message) => message?.role === "system")
    .map((message) => textOf(message.content));
  const task = {
    type: "complete",
    model: reference(model),
    system: [context.systemPrompt, ...system].filter((part) => typeof part === "string" && part !== "").join("\n\n"),
    messages,
    tools: (context.tools ?? []).map(({ name, description, parameters }) => ({ name, description, parameters })),
    thinking: typeof options?.reasoning === "string" ? options.reasoning : null,
    maxTokens: Number.isInteger(options?.maxTokens) ? options.maxTokens : null,
  };
  try {
    return await perform(task, options?.signal);
  } catch (error) {
    return failed(model, error, options?.signal?.aborted === true);
  }
}

const textOf = (content) =>
  typeof content === "string" ? content : (content ?? []).map((block) => block.text ?? "").join("\n");

export const completeSimple = complete;

/** The same as a stream: the events of a message that arrives at once. */
export function stream(model, context, options) {
  const events = new AssistantMessageEventStream();
  complete(model, context, options).then((message) => {
    if (message.stopReason === "error" || message.stopReason === "aborted") {
      events.push({ type: "error", reason: message.stopReason, error: message });
      return;
    }
    events.push({ type: "start", partial: { ...message, content: [] } });
    message.content.forEach((block, contentIndex) => {
      const kind = { text: "text", thinking: "thinking", toolCall: "toolcall" }[block.type];
      const content = block.text ?? block.thinking ?? "";
      events.push({ type: `${kind}_start`, contentIndex, partial: message });
      if (kind !== "toolcall") events.push({ type: `${kind}_delta`, contentIndex, delta: content, partial: message });
      events.push({
        type: `${kind}_end`,
        contentIndex,
        content,
        toolCall: kind === "toolcall" ? block : undefined,
        partial: message,
      });
    });
    events.push({ type: "done", reason: message.stopReason, message });
  });
  return events;
}

export const streamSimple = stream;

/** A sortable unique id. */
export function uuidv7() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  let time = Date.now();
  for (let index = 5; index >= 0; index--) {
    bytes[index] = time % 256;
    time = Math.floor(time / 256);
  }
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
