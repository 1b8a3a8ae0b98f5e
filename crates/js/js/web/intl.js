// Intl, and the methods of numbers, dates, texts and lists that depend on a locale. Options are reduced to strings, numbers and
// booleans here; everything else is done by `toolsmith-intl`.

import { host } from "toolsmith:kernel";

const native = host.group("intl");

/** The key by which the host finds the formatter of an object. */
const keys = new WeakMap();

const TEXT = 0;
const FLAG = 1;
const NUMBER = 2;

const DIGITS = {
  minimumIntegerDigits: NUMBER,
  minimumFractionDigits: NUMBER,
  maximumFractionDigits: NUMBER,
  minimumSignificantDigits: NUMBER,
  maximumSignificantDigits: NUMBER,
  roundingIncrement: NUMBER,
  roundingMode: TEXT,
  roundingPriority: TEXT,
  trailingZeroDisplay: TEXT,
};
const OPTIONS = {
  Collator: {
    usage: TEXT,
    localeMatcher: TEXT,
    collation: TEXT,
    numeric: FLAG,
    caseFirst: TEXT,
    sensitivity: TEXT,
    ignorePunctuation: FLAG,
  },
  DateTimeFormat: {
    localeMatcher: TEXT,
    calendar: TEXT,
    numberingSystem: TEXT,
    hour12: FLAG,
    hourCycle: TEXT,
    timeZone: TEXT,
    weekday: TEXT,
    era: TEXT,
    year: TEXT,
    month: TEXT,
    day: TEXT,
    dayPeriod: TEXT,
    hour: TEXT,
    minute: TEXT,
    second: TEXT,
    fractionalSecondDigits: NUMBER,
    timeZoneName: TEXT,
    formatMatcher: TEXT,
    dateStyle: TEXT,
    timeStyle: TEXT,
  },
  DisplayNames: { localeMatcher: TEXT, style: TEXT, type: TEXT, fallback: TEXT, languageDisplay: TEXT },
  ListFormat: { localeMatcher: TEXT, type: TEXT, style: TEXT },
  NumberFormat: {
    localeMatcher: TEXT,
    numberingSystem: TEXT,
    style: TEXT,
    currency: TEXT,
    currencyDisplay: TEXT,
    currencySign: TEXT,
    unit: TEXT,
    unitDisplay: TEXT,
    notation: TEXT,
    ...DIGITS,
    compactDisplay: TEXT,
    signDisplay: TEXT,
  },
  PluralRules: { localeMatcher: TEXT, type: TEXT, ...DIGITS },
  RelativeTimeFormat: { localeMatcher: TEXT, numberingSystem: TEXT, style: TEXT, numeric: TEXT },
  Segmenter: { localeMatcher: TEXT, granularity: TEXT },
};

function localeList(locales) {
  if (locales === undefined) return [];
  if (locales === null) throw new TypeError("Cannot convert undefined or null to object");
  const list = typeof locales === "string" || locales instanceof Locale ? [locales] : Array.from(Object(locales));
  return list.map((locale) => {
    if (typeof locale === "string") return locale;
    if (typeof locale !== "object" || locale === null) throw new TypeError("Incorrect locale information provided");
    return String(locale);
  });
}

function reduced(name, options) {
  const known = {};
  if (options === undefined) return known;
  if (options === null) throw new TypeError("Cannot convert undefined or null to object");
  for (const [option, type] of Object.entries(OPTIONS[name])) {
    const value = options[option];
    if (value === undefined) continue;
    const number = type === NUMBER ? Number(value) : 0;
    known[option] = type === FLAG ? Boolean(value) : type === TEXT || !Number.isFinite(number) ? String(value) : number;
  }
  if (name === "NumberFormat" && options.useGrouping !== undefined) {
    const grouping = options.useGrouping;
    known.useGrouping = grouping === true || !grouping ? Boolean(grouping) : String(grouping);
  }
  return known;
}

function keyOf(name, locales, options, more) {
  return `${name}\n${JSON.stringify(localeList(locales))}\n${JSON.stringify({ ...reduced(name, options), ...more })}`;
}

function create(object, name, locales, options) {
  const key = keyOf(name, locales, options);
  keys.set(object, { name, key, resolved: native.open(key) });
  return object;
}

function stateOf(object, name, method) {
  const state = keys.get(object);
  if (state?.name !== name)
    throw new TypeError(`Method Intl.${name}.prototype.${method} called on incompatible receiver ${String(object)}`);
  return state;
}

const call = (key, method, one = "", other = "") => native.call(key, method, one, other);
const numeric = (value) =>
  Object.is(value, -0)
    ? "-0"
    : typeof value === "bigint" || typeof value === "string"
      ? numericText(value)
      : String(Number(value));
const numericText = (value) =>
  typeof value === "bigint" || /^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/iu.test(value)
    ? String(value)
    : String(Number(value));
const instant = (value) => String(value === undefined ? Date.now() : Number(value));

/** Creates a constructor. */
function define(name, isCallable, methods, getters = {}) {
  const Constructor = {
    [name]: function (locales, options) {
      if (new.target === undefined) {
        if (!isCallable) throw new TypeError(`Constructor Intl.${name} requires 'new'`);
        return new Constructor(locales, options);
      }
      if (name === "DisplayNames" && options === undefined)
        throw new TypeError("Cannot convert undefined or null to object");
      return create(this, name, locales, options);
    },
  }[name];
  const own = (target, key, value) =>
    Object.defineProperty(target, key, { value, writable: true, configurable: true, enumerable: false });
  Object.defineProperty(Constructor, "length", { value: 0, configurable: true });
  own(Constructor, "supportedLocalesOf", function supportedLocalesOf(locales) {
    return JSON.parse(native.supported(JSON.stringify(localeList(locales))));
  });
  for (const [method, value] of Object.entries(methods)) {
    own(
      Constructor.prototype,
      method,
      {
        [method](...given) {
          return value(stateOf(this, name, method).key, ...given);
        },
      }[method],
    );
  }
  for (const [getter, value] of Object.entries(getters)) {
    Object.defineProperty(Constructor.prototype, getter, {
      configurable: true,
      get() {
        const state = stateOf(this, name, getter);
        return (state[getter] ??= (...given) => value(state.key, ...given));
      },
    });
  }
  own(Constructor.prototype, "resolvedOptions", function resolvedOptions() {
    return JSON.parse(stateOf(this, name, "resolvedOptions").resolved);
  });
  Object.defineProperty(Constructor.prototype, Symbol.toStringTag, { value: `Intl.${name}`, configurable: true });
  return Constructor;
}

const range = (kind, convert, method) => (key, start, end) => {
  if (start === undefined || end === undefined) throw new TypeError("startDate or endDate cannot be undefined");
  const text = call(key, method, convert(start), convert(end));
  return kind === "parts" ? JSON.parse(text) : text;
};

const NumberFormat = define(
  "NumberFormat",
  true,
  {
    formatToParts: (key, value) => JSON.parse(call(key, "parts", numeric(value))),
    formatRange: range("text", numeric, "range"),
    formatRangeToParts: range("parts", numeric, "rangeParts"),
  },
  { format: (key, value) => call(key, "format", numeric(value)) },
);
const DateTimeFormat = define(
  "DateTimeFormat",
  true,
  {
    formatToParts: (key, date) => JSON.parse(call(key, "parts", instant(date))),
    formatRange: range("text", instant, "range"),
    formatRangeToParts: range("parts", instant, "rangeParts"),
  },
  { format: (key, date) => call(key, "format", instant(date)) },
);
const Collator = define("Collator", true, {}, { compare: (key, one, other) => compare(key, one, other) });
const PluralRules = define("PluralRules", false, {
  select: (key, value) => call(key, "format", numeric(Number(value))),
  selectRange: (key, start, end) => {
    if (start === undefined || end === undefined) throw new TypeError("start or end cannot be undefined");
    return call(key, "range", numeric(Number(start)), numeric(Number(end)));
  },
});
const RelativeTimeFormat = define("RelativeTimeFormat", false, {
  format: (key, value, unit) => call(key, "format", numeric(Number(value)), String(unit)),
  formatToParts: (key, value, unit) => JSON.parse(call(key, "parts", numeric(Number(value)), String(unit))),
});

function items(list) {
  if (list === undefined) return "[]";
  const texts = [...list];
  for (const text of texts)
    if (typeof text !== "string") throw new TypeError(`Iterable yielded ${String(text)} which is not a string`);
  return JSON.stringify(texts);
}

const ListFormat = define("ListFormat", false, {
  format: (key, list) => call(key, "format", items(list)),
  formatToParts: (key, list) => JSON.parse(call(key, "parts", items(list))),
});
const DisplayNames = define("DisplayNames", false, {
  of: (key, code) => JSON.parse(call(key, "format", String(code))) ?? undefined,
});

class Segments {
  #input;
  #ends;
  #isWord;
  constructor(input, ends, isWord) {
    this.#input = input;
    this.#ends = ends;
    this.#isWord = isWord;
  }
  #at(position) {
    const index = position === 0 ? 0 : this.#ends[2 * position - 2];
    const data = { segment: this.#input.slice(index, this.#ends[2 * position]), index, input: this.#input };
    if (this.#isWord) data.isWordLike = this.#ends[2 * position + 1] === 1;
    return data;
  }
  containing(index = 0) {
    const wanted = Math.trunc(Number(index)) || 0;
    if (wanted < 0 || wanted >= this.#input.length) return undefined;
    for (let position = 0; position < this.#ends.length / 2; position += 1)
      if (this.#ends[2 * position] > wanted) return this.#at(position);
    return undefined;
  }
  *[Symbol.iterator]() {
    for (let position = 0; position < this.#ends.length / 2; position += 1) yield this.#at(position);
  }
}

const Segmenter = define("Segmenter", false, {
  segment: (key, input) => {
    const text = String(input);
    return new Segments(
      text,
      JSON.parse(call(key, "format", text.toWellFormed())),
      key.includes('"granularity":"word"'),
    );
  },
});

const KEYWORDS = {
  calendar: "ca",
  collation: "co",
  hourCycle: "hc",
  caseFirst: "kf",
  numeric: "kn",
  numberingSystem: "nu",
};
const partsOf = (tag) => JSON.parse(native.locale(tag));
const tagOf = (language, script, region) => [language, script, region].filter((part) => part !== "").join("-");

class Locale {
  #parts;
  constructor(tag, options = {}) {
    if (typeof tag !== "string" && (typeof tag !== "object" || tag === null))
      throw new TypeError("First argument to Intl.Locale constructor can't be empty or missing");
    const parts = partsOf(String(tag));
    const part = (name) => (options[name] === undefined ? parts[name] : String(options[name]));
    const keywords = { ...parts.keywords };
    for (const [name, key] of Object.entries(KEYWORDS))
      if (options[name] !== undefined) keywords[key] = String(options[name]);
    const changed = parts.canonical
      .replace(parts.base, tagOf(part("language"), part("script"), part("region")))
      .replace(/-u(-[a-z0-9]{2,8})+/u, "");
    const extension = Object.entries(keywords)
      .map(([key, value]) => `-${key}${value === "" || value === "true" ? "" : `-${value}`}`)
      .join("");
    this.#parts = partsOf(extension === "" ? changed : `${changed}-u${extension}`);
  }
  get baseName() {
    return this.#parts.base;
  }
  get language() {
    return this.#parts.language;
  }
  get script() {
    return this.#parts.script || undefined;
  }
  get region() {
    return this.#parts.region || undefined;
  }
  get calendar() {
    return this.#parts.keywords.ca;
  }
  get collation() {
    return this.#parts.keywords.co;
  }
  get hourCycle() {
    return this.#parts.keywords.hc;
  }
  get caseFirst() {
    return this.#parts.keywords.kf;
  }
  get numeric() {
    return this.#parts.keywords.kn !== undefined && this.#parts.keywords.kn !== "false";
  }
  get numberingSystem() {
    return this.#parts.keywords.nu;
  }
  maximize() {
    const {
      canonical,
      base,
      language,
      maximized: [script, region],
    } = this.#parts;
    return new Locale(canonical.replace(base, tagOf(language, script, region)));
  }
  minimize() {
    const { canonical, base, language } = this.#parts;
    const whole = this.maximize().baseName;
    const { script, region } = this.maximize();
    const candidates = [tagOf(language, "", ""), tagOf(language, "", region ?? ""), tagOf(language, script ?? "", "")];
    const shortest = candidates.find((candidate) => new Locale(candidate).maximize().baseName === whole) ?? whole;
    return new Locale(canonical.replace(base, shortest));
  }
  toString() {
    return this.#parts.canonical;
  }
  get [Symbol.toStringTag]() {
    return "Intl.Locale";
  }
}

function compare(key, one, other) {
  return native.compare(key, String(one).toWellFormed(), String(other).toWellFormed());
}

export const Intl = {};
Object.defineProperty(Intl, Symbol.toStringTag, { value: "Intl", configurable: true });
const members = {
  getCanonicalLocales: (locales) => JSON.parse(native.canonical(JSON.stringify(localeList(locales)))),
  supportedValuesOf: (key) => JSON.parse(native.values(String(key))),
  DateTimeFormat,
  NumberFormat,
  Collator,
  PluralRules,
  RelativeTimeFormat,
  ListFormat,
  Locale,
  DisplayNames,
  Segmenter,
};
for (const [name, value] of Object.entries(members))
  Object.defineProperty(Intl, name, { value, writable: true, configurable: true, enumerable: false });

/** A number as a locale writes it. */
export const numberText = (value, locales, options) => {
  const key = keyOf("NumberFormat", locales, options);
  return call(key, "format", numeric(value));
};

/** A date as a locale writes it; `required` and `defaults` are those of ECMA-402. */
export const dateText = (time, locales, options, required, defaults) => {
  if (Number.isNaN(time)) return "Invalid Date";
  return call(keyOf("DateTimeFormat", locales, options, { required, defaults }), "format", String(time));
};

/** The order of two texts in a locale. */
export const compareTexts = (one, other, locales, options) => compare(keyOf("Collator", locales, options), one, other);

/** The language whose rules for upper and lower case apply. */
export const caseLanguage = (locales) => {
  const [first] = localeList(locales);
  return first === undefined ? "" : partsOf(first).language;
};
