// Probe of node:url.

import { probe } from "./probe.mjs";
import { URL as U, fileURLToPath, pathToFileURL, parse, format } from "node:url";

export default probe("node:url", "fileURLToPath, pathToFileURL, URL, parse, format", async (pi, signal) => {
  return [fileURLToPath("file:///a%20b/c"), pathToFileURL("/a b/#c").href, U === URL, parse("http://u:p@h:8/p?q=1#x").host, parse("http://h/p?q=1", true).query.q, format({ protocol: "http", host: "h", pathname: "/p" }), fileURLToPath(import.meta.url).endsWith("url-module.mjs")];
}, ["/a b/c", "file:///a%20b/%23c", true, "h:8", "1", "http://h/p", true]);
