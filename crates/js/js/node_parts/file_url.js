// Between paths and `file:` addresses.

import { host } from "toolsmith:kernel";
import { coded, invalidArgType } from "toolsmith:node_parts/arguments";

export const isWindows = () => JSON.parse(host.systemInfo()).platform === "win32";

export const isUrl = (value) =>
  typeof value === "object" &&
  value !== null &&
  typeof value.href === "string" &&
  typeof value.protocol === "string" &&
  value.auth === undefined &&
  value.path === undefined;

export function fileURLToPath(address) {
  const url = typeof address === "string" ? new URL(address) : address;
  if (!isUrl(url)) throw invalidArgType("path", ["string", "URL"], address);
  if (url.protocol !== "file:") throw coded(TypeError, "ERR_INVALID_URL_SCHEME", "The URL must be of scheme file");
  if (isWindows()) return windowsPath(url);
  if (url.hostname !== "")
    throw coded(
      TypeError,
      "ERR_INVALID_FILE_URL_HOST",
      `File URL host must be "localhost" or empty on ${JSON.parse(host.systemInfo()).platform}`,
    );
  if (/%2f/i.test(url.pathname))
    throw coded(TypeError, "ERR_INVALID_FILE_URL_PATH", "File URL path must not include encoded / characters");
  return decodeURIComponent(url.pathname);
}

/** `C:\\x` of `file:///C:/x`, and `\\\\server\\x` of `file://server/x`. */
function windowsPath({ hostname, pathname }) {
  if (/%2f|%5c/i.test(pathname))
    throw coded(TypeError, "ERR_INVALID_FILE_URL_PATH", "File URL path must not include encoded \\ or / characters");
  const path = decodeURIComponent(pathname).replaceAll("/", "\\");
  if (hostname !== "") return `\\\\${hostname}${path}`;
  if (!/^\\[a-z]:/i.test(path)) throw coded(TypeError, "ERR_INVALID_FILE_URL_PATH", "File URL path must be absolute");
  return path.slice(1);
}

const ESCAPES = { "%": "%25", "\\": "%5C", "\n": "%0A", "\r": "%0D", "\t": "%09", "?": "%3F", "#": "%23" };

/** An absolute path, with its slash at the end if it has one, as an address. */
export function pathToFileURL(path) {
  const escaped = (text) => text.replace(/[%\\\n\r\t?#]/g, (letter) => ESCAPES[letter]);
  if (!isWindows()) return new URL(`file://${escaped(path)}`);
  const slashes = escaped(path.replaceAll("\\", "/"));
  return new URL(slashes.startsWith("//") ? `file:${slashes}` : `file:///${slashes}`);
}
