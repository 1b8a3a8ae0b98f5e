// `file:` addresses as paths.

import { coded, invalidArgType } from "toolsmith:node_parts/arguments";

export function fileURLToPath(address) {
  const url = typeof address === "string" ? new URL(address) : address;
  if (typeof url?.href !== "string") throw invalidArgType("path", ["string", "URL"], address);
  if (url.protocol !== "file:") throw coded(TypeError, "ERR_INVALID_URL_SCHEME", "The URL must be of scheme file");
  return decodeURIComponent(url.pathname);
}
