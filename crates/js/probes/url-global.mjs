// Probe of URL, URLSearchParams.

import { probe } from "./probe.mjs";

export default probe("URL, URLSearchParams", "parsing, changing, canParse, search parameters", async (pi, signal) => {
  const url = new URL("../x?a=1&a=2#h", "https://u:p@example.org:8443/b/c/");
  url.searchParams.append("k", "v w");
  url.port = "";
  return [url.href, url.origin, url.searchParams.getAll("a"), URL.canParse("nope"), [...new URLSearchParams({ q: "a b", r: "&" })].length, String(new URLSearchParams("x=1&y=%20")), JSON.stringify(url) === JSON.stringify(url.href), new URL("http://ÄÖ.example/").hostname];
}, ["https://u:p@example.org/b/x?a=1&a=2&k=v+w#h", "https://example.org", ["1", "2"], false, 2, "x=1&y=+", true, "xn--4ca0b.example"]);
