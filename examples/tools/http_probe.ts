// Asks an address and says how it answered: status, time, type, size, redirects.
import type { CustomToolFactory } from "@oh-my-pi/pi-coding-agent";

const factory: CustomToolFactory = (pi) => ({
  name: "http_probe",
  label: "HTTP Probe",
  description: "Requests a URL and reports status, time to first byte, type, size, redirects and the beginning of the body.",
  approval: "read",
  parameters: pi.zod.object({
    url: pi.zod.url({ protocol: /^https?$/ }).describe("The address"),
    method: pi.zod.enum(["GET", "HEAD"]).default("GET").describe("How to ask"),
    timeout: pi.zod.number().positive().max(120).default(10).describe("Seconds to wait"),
    preview: pi.zod.number().int().min(0).max(4000).default(300).describe("Characters of the body to show"),
  }),

  async execute(toolCallId, params, onUpdate, ctx, signal) {
    const deadline = AbortSignal.timeout(params.timeout * 1000);
    const stop = signal ? AbortSignal.any([signal, deadline]) : deadline;
    const started = performance.now();
    const hops: string[] = [];
    let url = params.url;
    let response: Response;
    try {
      for (;;) {
        onUpdate?.({ content: [{ type: "text", text: `${params.method} ${url}` }] });
        response = await fetch(url, { method: params.method, redirect: "manual", signal: stop });
        const next = response.headers.get("location");
        if (response.status < 300 || response.status > 399 || !next) break;
        url = new URL(next, url).href;
        hops.push(`${response.status} → ${url}`);
        if (hops.length > 10) throw new Error("More than 10 redirects.");
      }
    } catch (error) {
      if (deadline.aborted) throw new Error(`No answer within ${params.timeout} s from ${url}`);
      throw error;
    }
    const firstByte = Math.round(performance.now() - started);
    const body = await response.text();
    const lines = [
      `${response.status} ${response.statusText}`.trim(),
      ...hops.map((hop) => `redirect: ${hop}`),
      `type: ${response.headers.get("content-type") ?? "not said"}`,
      `size: ${new TextEncoder().encode(body).length} bytes`,
    ];
    if (params.preview > 0 && body !== "") lines.push("", body.slice(0, params.preview));
    return {
      content: [{ type: "text", text: lines.join("\n") }],
      details: { status: response.status, firstByteMs: firstByte, url, redirects: hops.length },
      isError: response.status >= 400,
    };
  },
});

export default factory;
