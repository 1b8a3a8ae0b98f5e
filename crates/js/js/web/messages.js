// MessageChannel and BroadcastChannel within one runtime.

export class MessageEvent extends Event {
  constructor(type, init = {}) {
    super(type, init);
    this.data = init.data ?? null;
    this.origin = init.origin ?? "";
    this.lastEventId = init.lastEventId ?? "";
    this.ports = init.ports ?? [];
  }
}

export class MessagePort extends EventTarget {
  #other;
  #closed = false;
  #waiting = [];
  #started = false;
  #handler = null;

  static connect(one, other) {
    one.#other = other;
    other.#other = one;
  }
  get onmessage() {
    return this.#handler;
  }
  set onmessage(handler) {
    this.#handler = handler;
    this.start();
  }
  #deliver(data) {
    if (this.#closed) return;
    if (!this.#started) {
      this.#waiting.push(data);
      return;
    }
    setImmediate(() => {
      if (!this.#closed) this.dispatchEvent(new MessageEvent("message", { data }));
    });
  }
  postMessage(data) {
    const copy = structuredClone(data);
    this.#other?.#deliver(copy);
  }
  start() {
    this.#started = true;
    for (const data of this.#waiting.splice(0)) this.#deliver(data);
  }
  addEventListener(type, listener, options) {
    super.addEventListener(type, listener, options);
    if (type === "message") this.start();
  }
  close() {
    this.#closed = true;
  }
  ref() {}
  unref() {}
}

export class MessageChannel {
  constructor() {
    this.port1 = new MessagePort();
    this.port2 = new MessagePort();
    MessagePort.connect(this.port1, this.port2);
  }
}

const channels = new Map();

export class BroadcastChannel extends EventTarget {
  onmessage = null;
  constructor(name) {
    super();
    this.name = String(name);
    if (!channels.has(this.name)) channels.set(this.name, new Set());
    channels.get(this.name).add(this);
  }
  postMessage(data) {
    const copy = structuredClone(data);
    for (const channel of channels.get(this.name)) {
      if (channel !== this) setImmediate(() => channel.dispatchEvent(new MessageEvent("message", { data: copy })));
    }
  }
  close() {
    channels.get(this.name)?.delete(this);
  }
  ref() {}
  unref() {}
}
