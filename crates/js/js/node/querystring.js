// Query strings as Node had them before URLSearchParams.

import { Buffer } from "toolsmith:node/buffer";

export function escape(value) {
  const text = typeof value === "string" ? value : typeof value === "object" ? String(value) : `${value}`;
  try {
    return encodeURIComponent(text);
  } catch {
    throw Object.assign(new URIError("URI malformed"), { code: "ERR_INVALID_URI" });
  }
}

export function unescape(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return unescapeBuffer(text).toString();
  }
}

export function unescapeBuffer(text) {
  const bytes = [];
  const source = Buffer.from(String(text), "latin1");
  for (let at = 0; at < source.length; at++) {
    const code = source[at] === 37 ? Number.parseInt(source.toString("latin1", at + 1, at + 3), 16) : Number.NaN;
    if (Number.isNaN(code) || !/^[0-9a-f]{2}$/i.test(source.toString("latin1", at + 1, at + 3))) bytes.push(source[at]);
    else {
      bytes.push(code);
      at += 2;
    }
  }
  return Buffer.from(bytes);
}

function primitive(value) {
  if (typeof value === "string") return value;
  if (typeof value === "number" && Number.isFinite(value)) return `${value}`;
  if (typeof value === "bigint" || typeof value === "boolean") return `${value}`;
  return "";
}

export function stringify(object, separator = "&", equals = "=", options) {
  if (object === null || typeof object !== "object") return "";
  const encode = options?.encodeURIComponent ?? querystring.escape;
  const fields = [];
  for (const key of Object.keys(object)) {
    const value = object[key];
    const name = encode(primitive(key)) + (equals || "=");
    for (const item of Array.isArray(value) ? value : [value]) fields.push(name + encode(primitive(item)));
  }
  return fields.join(separator || "&");
}

export function parse(text, separator, equals, options) {
  const found = Object.create(null);
  if (typeof text !== "string" || text === "") return found;
  const [between, assign] = [separator ? String(separator) : "&", equals ? String(equals) : "="];
  const max = typeof options?.maxKeys === "number" ? options.maxKeys : 1000;
  const decode = options?.decodeURIComponent ?? querystring.unescape;
  const safe = (part) => {
    const spaced = part.replaceAll("+", " ");
    if (!spaced.includes("%") && decode === unescape) return spaced;
    try {
      return decode(spaced);
    } catch {
      return unescape(spaced);
    }
  };
  let fields = text.split(between);
  if (max > 0) fields = fields.slice(0, max);
  for (const field of fields) {
    if (field === "") continue;
    const at = field.indexOf(assign);
    const key = safe(at < 0 ? field : field.slice(0, at));
    const value = at < 0 ? "" : safe(field.slice(at + assign.length));
    if (found[key] === undefined) found[key] = value;
    else if (Array.isArray(found[key])) found[key].push(value);
    else found[key] = [found[key], value];
  }
  return found;
}

export const encode = stringify;
export const decode = parse;
const querystring = { escape, unescape, unescapeBuffer, stringify, parse, encode, decode };
export default querystring;
