// Node's `diagnostics_channel`: named channels that parts of a program speak on.

import { checkFunction, invalidArgType } from "toolsmith:node_parts/arguments";

const channels = new Map();

function report(error) {
  queueMicrotask(() => {
    throw error;
  });
}

export class Channel {
  #subscribers = [];
  #stores = new Map();
  constructor(name) {
    this.name = name;
  }
  get hasSubscribers() {
    return this.#subscribers.length > 0 || this.#stores.size > 0;
  }
  subscribe(listener) {
    checkFunction(listener, "subscription");
    this.#subscribers = [...this.#subscribers, listener];
  }
  unsubscribe(listener) {
    const at = this.#subscribers.indexOf(listener);
    if (at < 0) return false;
    this.#subscribers = this.#subscribers.toSpliced(at, 1);
    return true;
  }
  bindStore(store, transform) {
    this.#stores.set(store, transform);
  }
  unbindStore(store) {
    return this.#stores.delete(store);
  }
  publish(message) {
    for (const listener of this.#subscribers) {
      try {
        listener(message, this.name);
      } catch (error) {
        report(error);
      }
    }
  }
  runStores(data, run, self, ...args) {
    let start = () => {
      this.publish(data);
      return Reflect.apply(run, self, args);
    };
    for (const [store, transform] of this.#stores) {
      const inner = start;
      start = () => {
        let value = data;
        try {
          if (transform !== undefined) value = transform(data);
        } catch (error) {
          report(error);
          return inner();
        }
        return store.run(value, inner);
      };
    }
    return start();
  }
}

export function channel(name) {
  if (typeof name !== "string" && typeof name !== "symbol") throw invalidArgType("channel", ["string", "symbol"], name);
  if (!channels.has(name)) channels.set(name, new Channel(name));
  return channels.get(name);
}
export const subscribe = (name, listener) => channel(name).subscribe(listener);
export const unsubscribe = (name, listener) => channel(name).unsubscribe(listener);
export const hasSubscribers = (name) => channels.get(name)?.hasSubscribers ?? false;

const EVENTS = ["start", "end", "asyncStart", "asyncEnd", "error"];

export class TracingChannel {
  constructor(given) {
    for (const name of EVENTS)
      this[name] = typeof given === "string" ? channel(`tracing:${given}:${name}`) : given[name];
  }
  get hasSubscribers() {
    return EVENTS.some((name) => this[name]?.hasSubscribers);
  }
  subscribe(handlers) {
    for (const name of EVENTS) if (handlers[name]) this[name].subscribe(handlers[name]);
  }
  unsubscribe(handlers) {
    return EVENTS.filter((name) => handlers[name]).every((name) => this[name].unsubscribe(handlers[name]));
  }
  #fail(context, error) {
    context.error = error;
    this.error.publish(context);
  }
  traceSync(run, context = {}, self, ...args) {
    return this.start.runStores(context, () => {
      try {
        return (context.result = Reflect.apply(run, self, args));
      } catch (error) {
        this.#fail(context, error);
        throw error;
      } finally {
        this.end.publish(context);
      }
    });
  }
  tracePromise(run, context = {}, self, ...args) {
    const settled = (key, value, failed) => {
      if (failed) this.#fail(context, value);
      else context[key] = value;
      this.asyncStart.publish(context);
      this.asyncEnd.publish(context);
      if (failed) throw value;
      return value;
    };
    return this.start.runStores(context, () => {
      try {
        return Promise.resolve(Reflect.apply(run, self, args)).then(
          (value) => settled("result", value, false),
          (error) => settled("error", error, true),
        );
      } catch (error) {
        this.#fail(context, error);
        throw error;
      } finally {
        this.end.publish(context);
      }
    });
  }
  traceCallback(run, position = -1, context = {}, self, ...args) {
    const at = position < 0 ? args.length + position : position;
    const callback = args[at];
    checkFunction(callback, "callback");
    args[at] = (...results) => {
      if (results[0]) this.#fail(context, results[0]);
      else context.result = results[1];
      this.asyncStart.runStores(context, () => {
        try {
          return callback(...results);
        } finally {
          this.asyncEnd.publish(context);
        }
      });
    };
    return this.start.runStores(context, () => {
      try {
        return Reflect.apply(run, self, args);
      } catch (error) {
        this.#fail(context, error);
        throw error;
      } finally {
        this.end.publish(context);
      }
    });
  }
}
export const tracingChannel = (given) => new TracingChannel(given);
export default { channel, subscribe, unsubscribe, hasSubscribers, tracingChannel, Channel, TracingChannel };
