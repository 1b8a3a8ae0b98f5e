// Node's `perf_hooks`: the clock, marks and measures between them.

import { checkFunction, coded, invalidArgType } from "toolsmith:node_parts/arguments";

const entries = [];
const observers = new Set();

export class PerformanceEntry {
  constructor(name, entryType, startTime, duration, detail) {
    Object.assign(this, { name, entryType, startTime, duration, detail: detail ?? null });
  }
  toJSON() {
    return { ...this };
  }
}
export class PerformanceMark extends PerformanceEntry {
  constructor(name, options) {
    super(`${name}`, "mark", options?.startTime ?? performance.now(), 0, options?.detail);
  }
}
export class PerformanceMeasure extends PerformanceEntry {}

function record(entry) {
  entries.push(entry);
  // What nobody asks for must not pile up for ever.
  if (entries.length > 10000) entries.shift();
  for (const observer of observers) observer.hear(entry);
  return entry;
}

function timeOf(mark) {
  if (typeof mark === "number") return mark;
  const found = entries.findLast((entry) => entry.entryType === "mark" && entry.name === `${mark}`);
  if (found === undefined)
    throw Object.assign(new DOMException(`The "${mark}" performance mark has not been set`, "SyntaxError"));
  return found.startTime;
}

const list = (filter) => entries.filter(filter).sort((one, other) => one.startTime - other.startTime);

/** The global object, with what only few ask for. */
export const performance = Object.assign(globalThis.performance, {
  mark: (name, options) => record(new PerformanceMark(name, options)),
  measure(name, from, to) {
    const options = typeof from === "object" && from !== null ? from : { start: from, end: to };
    const end =
      options.end === undefined
        ? options.duration !== undefined && options.start !== undefined
          ? timeOf(options.start) + options.duration
          : performance.now()
        : timeOf(options.end);
    const start =
      options.start === undefined
        ? options.duration === undefined
          ? 0
          : end - options.duration
        : timeOf(options.start);
    return record(new PerformanceMeasure(`${name}`, "measure", start, end - start, options.detail));
  },
  clearMarks(name) {
    for (let at = entries.length - 1; at >= 0; at--)
      if (entries[at].entryType === "mark" && (name === undefined || entries[at].name === name)) entries.splice(at, 1);
  },
  clearMeasures(name) {
    for (let at = entries.length - 1; at >= 0; at--)
      if (entries[at].entryType === "measure" && (name === undefined || entries[at].name === name))
        entries.splice(at, 1);
  },
  clearResourceTimings() {},
  getEntries: () => list(() => true),
  getEntriesByName: (name, type) =>
    list((entry) => entry.name === name && (type === undefined || entry.entryType === type)),
  getEntriesByType: (type) => list((entry) => entry.entryType === type),
  eventLoopUtilization: () => ({ idle: 0, active: performance.now(), utilization: 1 }),
  timerify(run) {
    checkFunction(run, "fn");
    return function (...args) {
      const start = performance.now();
      const result = new.target ? Reflect.construct(run, args, new.target) : Reflect.apply(run, this, args);
      const done = () => record(new PerformanceEntry(run.name, "function", start, performance.now() - start, args));
      if (typeof result?.finally === "function") return result.finally(done);
      done();
      return result;
    };
  },
  toJSON: () => ({
    timeOrigin: performance.timeOrigin,
    nodeTiming: performance.nodeTiming,
    eventLoopUtilization: performance.eventLoopUtilization(),
  }),
});
performance.nodeTiming ??= {
  name: "node",
  entryType: "node",
  startTime: 0,
  duration: 0,
  nodeStart: 0,
  v8Start: 0,
  bootstrapComplete: 0,
  environment: 0,
  loopStart: -1,
  loopExit: -1,
  idleTime: 0,
};

export class PerformanceObserver {
  static supportedEntryTypes = ["function", "mark", "measure"];
  #callback;
  #types = [];
  #waiting = [];
  constructor(callback) {
    checkFunction(callback, "callback");
    this.#callback = callback;
  }
  observe(options) {
    if (typeof options !== "object" || options === null) throw invalidArgType("options", "Object", options);
    if (options.entryTypes === undefined && options.type === undefined)
      throw coded(
        TypeError,
        "ERR_MISSING_ARGS",
        'The "options.entryTypes" or "options.type" argument must be specified',
      );
    this.#types = options.entryTypes ?? [...this.#types, options.type];
    observers.add(this);
    if (options.buffered) for (const entry of entries) this.hear(entry);
  }
  hear(entry) {
    if (!this.#types.includes(entry.entryType)) return;
    this.#waiting.push(entry);
    if (this.#waiting.length === 1) {
      setImmediate(() => {
        const all = this.takeRecords();
        if (all.length === 0) return;
        this.#callback(
          {
            getEntries: () => all,
            getEntriesByName: (name) => all.filter((e) => e.name === name),
            getEntriesByType: (type) => all.filter((e) => e.entryType === type),
          },
          this,
        );
      });
    }
  }
  takeRecords() {
    return this.#waiting.splice(0);
  }
  disconnect() {
    observers.delete(this);
  }
}

/** Numbers counted into a distribution. */
class Histogram {
  #values = [];
  record(value) {
    this.#values.push(Number(value));
  }
  recordDelta() {
    const now = performance.now();
    if (this.last !== undefined) this.record(Math.round((now - this.last) * 1e6));
    Object.defineProperty(this, "last", { value: now, configurable: true, writable: true });
  }
  reset() {
    this.#values = [];
  }
  get count() {
    return this.#values.length;
  }
  get min() {
    return this.count === 0 ? 9223372036854776000 : Math.min(...this.#values);
  }
  get max() {
    return this.count === 0 ? 0 : Math.max(...this.#values);
  }
  get mean() {
    return this.#values.reduce((sum, value) => sum + value, 0) / this.count;
  }
  get stddev() {
    const mean = this.mean;
    return Math.sqrt(this.#values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / this.count);
  }
  get exceeds() {
    return 0;
  }
  percentile(percent) {
    const sorted = [...this.#values].sort((one, other) => one - other);
    return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0;
  }
  get percentiles() {
    return new Map([50, 75, 90, 99, 100].map((percent) => [percent, this.percentile(percent)]));
  }
}
export const createHistogram = () => new Histogram();

/** How late timers come. */
export function monitorEventLoopDelay({ resolution = 10 } = {}) {
  let timer;
  return Object.assign(new Histogram(), {
    enable() {
      if (timer !== undefined) return false;
      let before = performance.now();
      timer = setInterval(() => {
        const now = performance.now();
        this.record(Math.max(1, Math.round((now - before) * 1e6)));
        before = now;
      }, resolution);
      return true;
    },
    disable() {
      if (timer === undefined) return false;
      clearInterval(timer);
      timer = undefined;
      return true;
    },
  });
}

export const constants = {
  NODE_PERFORMANCE_GC_MAJOR: 4,
  NODE_PERFORMANCE_GC_MINOR: 1,
  NODE_PERFORMANCE_GC_INCREMENTAL: 8,
  NODE_PERFORMANCE_GC_WEAKCB: 16,
  NODE_PERFORMANCE_GC_FLAGS_NO: 0,
  NODE_PERFORMANCE_GC_FLAGS_FORCED: 4,
};
export default {
  performance,
  PerformanceEntry,
  PerformanceMark,
  PerformanceMeasure,
  PerformanceObserver,
  createHistogram,
  monitorEventLoopDelay,
  constants,
};
