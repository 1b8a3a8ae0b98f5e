// Between paths and `file:` addresses.

import { host } from "toolsmith:kernel";
import { coded, invalidArgType } from "toolsmith:node_parts/arguments";

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

const ESCAPES = { "%": "%25", "\\": "%5C", "\n": "%0A", "\r": "%0D", "\t": "%09", "?": "%3F", "#": "%23" };

/** An absolute path, with its slash at the end if it has one, as an address. */
export const pathToFileURL = (path) => new URL(`file://${path.replace(/[%\\\n\r\t?#]/g, (letter) => ESCAPES[letter])}`);
