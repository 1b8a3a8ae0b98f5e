// URL and URLSearchParams. Parsing is the Rust side's; these keep the parts and the parameters in step.

import { host } from "toolsmith:kernel";

const invalid = (input) => Object.assign(new TypeError("Invalid URL"), { code: "ERR_INVALID_URL", input });

const decode = (text) => {
  const spaced = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced.replace(/(%[0-9a-f]{2})+/gi, (part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    });
  }
};
const encode = (text) =>
  encodeURIComponent(text.toWellFormed())
    .replace(/[!'()~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", "+");

export class URLSearchParams {
  #list = [];
  #changed = () => {};

  constructor(init = "") {
    if (typeof init === "object" && init !== null) {
      if (typeof init[Symbol.iterator] === "function") {
        for (const pair of init) {
          const [name, value, ...more] = pair;
          if (value === undefined || more.length > 0)
            throw new TypeError("Each query pair must be an iterable [name, value] tuple");
          this.#list.push([String(name), String(value)]);
        }
      } else {
        for (const [name, value] of Object.entries(init)) this.#list.push([String(name), String(value)]);
      }
    } else {
      this.#read(String(init));
    }
  }

  #read(text) {
    this.#list = text
      .replace(/^\?/, "")
      .split("&")
      .filter((part) => part !== "")
      .map((part) => {
        const at = part.indexOf("=");
        return at < 0 ? [decode(part), ""] : [decode(part.slice(0, at)), decode(part.slice(at + 1))];
      });
  }

  static attach(params, changed) {
    params.#changed = changed;
  }
  static refill(params, text) {
    params.#read(text);
  }

  get size() {
    return this.#list.length;
  }
  append(name, value) {
    this.#list.push([String(name), String(value)]);
    this.#changed();
  }
  delete(name, value) {
    this.#list = this.#list.filter(([n, v]) => n !== String(name) || (value !== undefined && v !== String(value)));
    this.#changed();
  }
  get(name) {
    return this.#list.find(([n]) => n === String(name))?.[1] ?? null;
  }
  getAll(name) {
    return this.#list.filter(([n]) => n === String(name)).map(([, value]) => value);
  }
  has(name, value) {
    return this.#list.some(([n, v]) => n === String(name) && (value === undefined || v === String(value)));
  }
  set(name, value) {
    const at = this.#list.findIndex(([n]) => n === String(name));
    if (at < 0) this.#list.push([String(name), String(value)]);
    else {
      this.#list[at][1] = String(value);
      this.#list = this.#list.filter(([n], index) => index <= at || n !== String(name));
    }
    this.#changed();
  }
  sort() {
    this.#list.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#changed();
  }
  forEach(callback, self) {
    for (const [name, value] of this.#list) callback.call(self, value, name, this);
  }
  *entries() {
    for (const [name, value] of this.#list) yield [name, value];
  }
  *keys() {
    for (const [name] of this.#list) yield name;
  }
  *values() {
    for (const [, value] of this.#list) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  get [Symbol.toStringTag]() {
    return "URLSearchParams";
  }
  toString() {
    return this.#list.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
  }
}

const { attach, refill } = URLSearchParams;
delete URLSearchParams.attach;
delete URLSearchParams.refill;

export class URL {
  #parts;
  #params;

  constructor(address, base) {
    const json = host.parseUrl(String(address), base === undefined ? null : String(base));
    if (json === null || json === undefined) throw invalid(String(address));
    this.#parts = JSON.parse(json);
  }

  #set(part, value) {
    const json = host.changeUrl(this.#parts.href, part, String(value));
    if (json === null || json === undefined) {
      if (part === "href") throw invalid(String(value));
      return;
    }
    this.#parts = JSON.parse(json);
    if (this.#params !== undefined && part !== "searchParams") refill(this.#params, this.#parts.search);
  }

  get searchParams() {
    if (this.#params === undefined) {
      this.#params = new URLSearchParams(this.#parts.search);
      attach(this.#params, () => {
        const json = host.changeUrl(this.#parts.href, "search", this.#params.toString());
        if (json) this.#parts = JSON.parse(json);
      });
    }
    return this.#params;
  }
  get href() {
    return this.#parts.href;
  }
  set href(value) {
    this.#set("href", value);
  }
  get origin() {
    return this.#parts.origin;
  }
  get protocol() {
    return this.#parts.protocol;
  }
  set protocol(value) {
    this.#set("protocol", value);
  }
  get username() {
    return this.#parts.username;
  }
  set username(value) {
    this.#set("username", value);
  }
  get password() {
    return this.#parts.password;
  }
  set password(value) {
    this.#set("password", value);
  }
  get host() {
    return this.#parts.host;
  }
  set host(value) {
    this.#set("host", value);
  }
  get hostname() {
    return this.#parts.hostname;
  }
  set hostname(value) {
    this.#set("hostname", value);
  }
  get port() {
    return this.#parts.port;
  }
  set port(value) {
    this.#set("port", value);
  }
  get pathname() {
    return this.#parts.pathname;
  }
  set pathname(value) {
    this.#set("pathname", value);
  }
  get search() {
    return this.#parts.search;
  }
  set search(value) {
    this.#set("search", value);
  }
  get hash() {
    return this.#parts.hash;
  }
  set hash(value) {
    this.#set("hash", value);
  }
  toString() {
    return this.#parts.href;
  }
  toJSON() {
    return this.#parts.href;
  }
  get [Symbol.toStringTag]() {
    return "URL";
  }
  [Symbol.for("nodejs.util.inspect.custom")]() {
    return `URL { href: '${this.#parts.href}' }`;
  }
  static canParse(address, base) {
    return Boolean(host.parseUrl(String(address), base === undefined ? null : String(base)));
  }
  static parse(address, base) {
    return URL.canParse(address, base) ? new URL(address, base) : null;
  }
}
