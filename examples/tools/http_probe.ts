// Asks an address and says how it answered: status, time, type, size, redirects.
import type { CustomToolFactory } from "toolsmith";

/** As much of a body is read. */
const MOST = 10_000_000;

/** The beginning of a body and how long it is; `more` when it goes on after what was read. */
async function readBody(response: Response, characters: number) {
  const decoder = new TextDecoder();
  let [start, bytes] = ["", 0];
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (start.length < characters) start += decoder.decode(chunk, { stream: true });
    if (bytes >= MOST) return { start: start.slice(0, characters), bytes, more: true };
  }
  return { start: start.slice(0, characters), bytes, more: false };
}

const factory: CustomToolFactory = (pi) => ({
  name: "http_probe",
  label: "HTTP Probe",
  description: "Requests a URL and reports status, time to the first byte, type, size, redirects and the beginning of the body.",
  approval: "read",
  parameters: pi.zod.object({
    url: pi.zod.url({ protocol: /^https?$/ }).describe("The address"),
    method: pi.zod.enum(["GET", "HEAD"]).default("GET").describe("How to ask"),
    timeout: pi.zod.number().min(0.1).max(120).default(10).describe("Seconds to wait"),
    preview: pi.zod.number().int().min(0).max(4000).default(300).describe("Characters of the body to show"),
  }),

  async execute(toolCallId, params, onUpdate, ctx, signal) {
    const deadline = AbortSignal.timeout(params.timeout * 1000);
    const stop = signal ? AbortSignal.any([signal, deadline]) : deadline;
    const started = performance.now();
    const hops: string[] = [];
    let url = params.url;
    try {
      for (;;) {
        onUpdate?.({ content: [{ type: "text", text: `${params.method} ${url}` }] });
        const response = await fetch(url, { method: params.method, redirect: "manual", signal: stop });
        const next = response.headers.get("location");
        if (response.status >= 300 && response.status <= 399 && next) {
          await response.body?.cancel();
          url = new URL(next, url).href;
          hops.push(`${response.status} → ${url}`);
          if (hops.length > 10) throw new Error(`More than 10 redirects: ${hops.slice(-3).join(", ")} …`);
          continue;
        }
        const firstByte = Math.round(performance.now() - started);
        const { start, bytes, more } = await readBody(response, params.preview);
        const said = response.headers.get("content-length");
        const size = params.method === "HEAD" ? (said ? `${said} bytes` : "not said") : `${bytes} bytes${more ? " and more" : ""}`;
        const lines = [
          `${response.status} ${response.statusText}`.trim(),
          ...hops.map((hop) => `redirect: ${hop}`),
          `time: ${firstByte} ms to the first byte`,
          `type: ${response.headers.get("content-type") ?? "not said"}`,
          `size: ${size}`,
        ];
        if (start !== "") lines.push("", start);
        return {
          content: [{ type: "text", text: lines.join("\n") }],
          details: { status: response.status, firstByteMs: firstByte, url, redirects: hops.length },
          isError: response.status >= 400,
        };
      }
    } catch (error) {
      if (deadline.aborted && !signal?.aborted) throw new Error(`No whole answer within ${params.timeout} s from ${url}`);
      throw error;
    }
  },
});

export default factory;
