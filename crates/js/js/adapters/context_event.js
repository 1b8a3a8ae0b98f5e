// The `context` event. The conversation stays in the engine between requests, so that only new messages cross; and only
// what a handler changed goes back.

const { parse, stringify } = JSON;

/** Messages as handlers see them: each is copied when a handler reaches into it, so that the originals stay as they are. */
function views(items) {
  const copies = new Map();
  const copyOf = (item) => {
    let copy = copies.get(item);
    if (copy === undefined) copies.set(item, (copy = parse(stringify(item))));
    return copy;
  };
  const traps = {
    get(item, key) {
      const copy = copies.get(item);
      if (copy !== undefined) return copy[key];
      const value = item[key];
      return typeof value === "object" && value !== null ? copyOf(item)[key] : value;
    },
    set(item, key, value) {
      copyOf(item)[key] = value;
      return true;
    },
    deleteProperty: (item, key) => Reflect.deleteProperty(copyOf(item), key),
    defineProperty: (item, key, descriptor) => Reflect.defineProperty(copyOf(item), key, descriptor),
    has: (item, key) => key in (copies.get(item) ?? item),
    ownKeys: (item) => Reflect.ownKeys(copies.get(item) ?? item),
    getOwnPropertyDescriptor: (item, key) => Reflect.getOwnPropertyDescriptor(copyOf(item), key),
  };
  const positions = new Map();
  const messages = items.map((item, index) => {
    const view = new Proxy(item, traps);
    positions.set(view, index);
    return view;
  });
  return { messages, positions, copies };
}

/** Messages as the Rust side reads them: `[from, to]` for unchanged ones, the message itself for others. */
function encode(messages, items, { positions, copies }) {
  const out = [];
  let run;
  for (const message of messages) {
    const index = positions.get(message);
    if (index === undefined) {
      if (typeof message !== "object" || message === null || typeof message.role !== "string") {
        throw new TypeError("context: every message must be an object with a role");
      }
      run = undefined;
      out.push(message);
      continue;
    }
    const copy = copies.get(items[index]);
    if (copy !== undefined && stringify(copy) !== stringify(items[index])) {
      run = undefined;
      out.push(copy);
    } else if (run !== undefined && run[1] === index) run[1] = index + 1;
    else out.push((run = [index, index + 1]));
  }
  const isSame = out.length === 1 && out[0] === run && run[0] === 0 && run[1] === items.length;
  return isSame || (out.length === 0 && items.length === 0) ? null : { messages: out };
}

/** Runs the handlers on the conversation. `keep` messages are those of the last request; `add` follow them. */
export async function editContext(handlers, event, ctx, state) {
  const { keep, add, from, version } = event;
  const caches = (state.conversations ??= new Map());
  const cached = caches.get(event.type);
  if (keep > 0 && cached?.version !== from) return { stale: true };
  const items = keep > 0 ? cached.items : [];
  items.length = keep;
  for (const message of add) items.push(message);
  caches.set(event.type, { version, items });
  const view = views(items);
  const told = { type: event.type, messages: view.messages };
  for (const handler of handlers) {
    const given = await handler(told, ctx);
    if (given === undefined || given === null) continue;
    if (typeof given !== "object")
      throw new TypeError(`the handler of "${event.type}" returned a ${typeof given}; expected an object or nothing`);
    if (given.messages === undefined) continue;
    if (!Array.isArray(given.messages)) throw new TypeError(`${event.type}: messages must be an array`);
    told.messages = given.messages;
  }
  return encode(told.messages, items, view);
}
