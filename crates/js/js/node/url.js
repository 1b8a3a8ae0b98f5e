// Node's `url`: the web's URL, paths of files, and the parser that was there before.

import { builtin, host } from "toolsmith:kernel";
import { checkString, coded, invalidArgType } from "toolsmith:node_parts/arguments";
import path from "toolsmith:node/path";
import { fileURLToPath, isUrl, pathToFileURL as toFileURL } from "toolsmith:node_parts/file_url";
import { URL, URLSearchParams } from "toolsmith:web/url";

const query = () => builtin("toolsmith:node/querystring");

export function pathToFileURL(given) {
  checkString(given, "path");
  const whole = path.resolve(given);
  const isFolder = given.endsWith("/") || given.endsWith(path.sep);
  return toFileURL(isFolder && !whole.endsWith(path.sep) ? whole + path.sep : whole);
}

export const domainToASCII = (domain) => host.domainToAscii(`${domain}`);
export const domainToUnicode = (domain) =>
  builtin("toolsmith:node/punycode").toUnicode(host.domainToAscii(`${domain}`));

export function urlToHttpOptions(url) {
  const { hostname, pathname, port, username, password, search } = url;
  const options = {
    ...url,
    protocol: url.protocol,
    hostname: hostname.startsWith("[") ? hostname.slice(1, -1) : hostname,
    hash: url.hash,
    search,
    pathname,
    path: `${pathname || ""}${search || ""}`,
    href: url.href,
  };
  if (port !== "") options.port = Number(port);
  if (username || password) options.auth = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return options;
}

const SLASHED = new Set(["http:", "https:", "ftp:", "gopher:", "file:", "ws:", "wss:"]);
const ESCAPED = /[\t\n\r "'<>\\^`{|}]/g;
const escapeLetter = (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;

/** What the old parser gives. */
export function Url() {
  this.protocol = null;
  this.slashes = null;
  this.auth = null;
  this.host = null;
  this.port = null;
  this.hostname = null;
  this.hash = null;
  this.search = null;
  this.query = null;
  this.pathname = null;
  this.path = null;
  this.href = null;
}

function parseHost(url, text) {
  const at = text.lastIndexOf("@");
  if (at >= 0) {
    try {
      url.auth = decodeURIComponent(text.slice(0, at));
    } catch {
      throw Object.assign(new URIError("URI malformed"), { code: "ERR_INVALID_URI" });
    }
  }
  let host_ = text.slice(at + 1);
  const port = /:([0-9]*)$/.exec(host_);
  if (port !== null) {
    if (port[1] !== "") url.port = port[1];
    host_ = host_.slice(0, -port[0].length);
  }
  const isSix = host_.startsWith("[") && host_.endsWith("]");
  const name = isSix ? host_.slice(1, -1) : host_;
  const ascii = name === "" || isSix || /^[a-z0-9._-]*$/i.test(name) ? name.toLowerCase() : host.domainToAscii(name);
  if (name !== "" && ascii === "") throw coded(TypeError, "ERR_INVALID_URL", "Invalid URL", { input: text });
  url.hostname = ascii;
  url.host = (isSix ? `[${ascii}]` : ascii) + (url.port === null ? "" : `:${url.port}`);
}

Url.prototype.parse = function (address, parseQuery, slashesDenoteHost) {
  checkString(address, "url");
  const mark = address.search(/[?#]/);
  let rest = (
    mark < 0 ? address.replaceAll("\\", "/") : address.slice(0, mark).replaceAll("\\", "/") + address.slice(mark)
  ).trim();
  const protocol = /^[a-z0-9.+-]+:/i.exec(rest)?.[0];
  if (protocol !== undefined) {
    this.protocol = protocol.toLowerCase();
    rest = rest.slice(protocol.length);
  }
  const isScript = this.protocol === "javascript:";
  if (
    (slashesDenoteHost || protocol !== undefined || /^\/\/[^@/]+@[^@/]+/.test(rest)) &&
    rest.startsWith("//") &&
    !isScript
  ) {
    this.slashes = true;
    rest = rest.slice(2);
  }
  if (!isScript && (this.slashes || (this.protocol !== null && !SLASHED.has(this.protocol)))) {
    const end = rest.search(/[/?#]/);
    const authority = end < 0 ? rest : rest.slice(0, end);
    rest = end < 0 ? "" : rest.slice(end);
    parseHost(this, authority);
  }
  if (!isScript) rest = rest.replace(ESCAPED, escapeLetter);
  const hash = rest.indexOf("#");
  if (hash >= 0) {
    this.hash = rest.slice(hash);
    rest = rest.slice(0, hash);
  }
  const question = rest.indexOf("?");
  if (question >= 0) {
    this.search = rest.slice(question);
    this.query = rest.slice(question + 1);
    if (parseQuery) this.query = query().parse(this.query);
    rest = rest.slice(0, question);
  } else if (parseQuery) {
    this.search = null;
    this.query = Object.create(null);
  }
  if (rest !== "") this.pathname = rest;
  if (SLASHED.has(this.protocol) && this.hostname && this.pathname === null) this.pathname = "/";
  if (this.pathname !== null || this.search !== null) this.path = (this.pathname ?? "") + (this.search ?? "");
  this.href = this.format();
  return this;
};

Url.prototype.format = function () {
  const auth = this.auth ? `${encodeURIComponent(this.auth).replace(/%3A/i, ":")}@` : "";
  let protocol = this.protocol ?? "";
  if (protocol !== "" && !protocol.endsWith(":")) protocol += ":";
  let pathname = (this.pathname ?? "").replace(/[?#]/g, escapeLetter);
  let authority = "";
  if (this.host) authority = auth + this.host;
  else if (this.hostname)
    authority = `${auth}${this.hostname.includes(":") ? `[${this.hostname}]` : this.hostname}${this.port ? `:${this.port}` : ""}`;
  const asked = this.query !== null && typeof this.query === "object" ? query().stringify(this.query) : "";
  let search = this.search || (asked === "" ? "" : `?${asked}`);
  if (search !== "" && !search.startsWith("?")) search = `?${search}`;
  search = search.replaceAll("#", "%23");
  let hash = this.hash ?? "";
  if (hash !== "" && !hash.startsWith("#")) hash = `#${hash}`;
  if (this.slashes || SLASHED.has(protocol)) {
    if (this.slashes || authority !== "") {
      if (pathname !== "" && !pathname.startsWith("/")) pathname = `/${pathname}`;
      authority = `//${authority}`;
    } else if (protocol === "file:") authority = "//";
  }
  return protocol + authority + pathname + search + hash;
};

Url.prototype.resolve = function (relative) {
  return resolve(this.format(), relative);
};
Url.prototype.resolveObject = function (relative) {
  return parse(resolve(this.format(), typeof relative === "string" ? relative : relative.format()));
};

export const parse = (address, parseQuery, slashesDenoteHost) =>
  address instanceof Url ? address : new Url().parse(address, parseQuery, slashesDenoteHost);

export function format(url, options) {
  if (typeof url === "string") return parse(url).format();
  if (typeof url !== "object" || url === null) throw invalidArgType("urlObject", ["Object", "string"], url);
  if (!isUrl(url)) return Url.prototype.format.call(Object.assign(new Url(), url));
  const shown = new URL(url.href);
  if (options?.fragment === false) shown.hash = "";
  if (options?.search === false) shown.search = "";
  if (options?.auth === false) {
    shown.username = "";
    shown.password = "";
  }
  return options?.unicode === true ? shown.href.replace(shown.hostname, domainToUnicode(shown.hostname)) : shown.href;
}

export function resolve(from, to) {
  const base = new URL(String(from), "resolve://resolve/");
  const found = new URL(String(to), base);
  return found.protocol === "resolve:" ? resolvedPath(from, to, found) : found.href;
}

// Where neither says the host, what is relative stays so.
function resolvedPath(from, to, found) {
  const path = found.pathname + found.search + found.hash;
  return String(from).startsWith("/") || String(to).startsWith("/") ? path : path.slice(1);
}

export const resolveObject = (from, to) => parse(from).resolveObject(to);

export { URL, URLSearchParams, fileURLToPath };
export default {
  Url,
  parse,
  resolve,
  resolveObject,
  format,
  URL,
  URLSearchParams,
  domainToASCII,
  domainToUnicode,
  pathToFileURL,
  fileURLToPath,
  urlToHttpOptions,
};
