// What tools can do with the types, and what they cannot: the compiler finds every mistake marked here and no other.

import { type CustomTool, type CustomToolFactory, defineTool, Text, StringEnum } from "@mariozechner/pi-coding-agent";
import { Container } from "@oh-my-pi/pi-tui";
import { Type } from "@sinclair/typebox";
import fs from "node:fs";
const factory: CustomToolFactory = async (pi) => {
  const z = pi.zod;
  const a = defineTool({
    name: "a", description: "d",
    parameters: z.object({ n: z.number().int().default(3), who: z.string().optional(), mode: z.enum(["x", "y"]), list: z.array(z.string()) }),
    async execute(id, params, onUpdate, ctx, signal) {
      const n: number = params.n; const who: string | undefined = params.who; const mode: "x" | "y" = params.mode; const l: string[] = params.list;
      // @ts-expect-error no such parameter
      params.nope;
      // @ts-expect-error a string
      const wrong: number = params.mode;
      onUpdate({ content: [{ type: "text", text: id + n + who + mode + l }] });
      const r = await pi.exec("git", ["status"], { signal, cwd: ctx.cwd });
      return { content: [{ type: "text", text: r.stdout }] };
    },
    renderCall(args, options, theme) { return new Text(theme.fg("accent", args.mode), 0, 0); },
    onSession(event) { if (event.reason === "switch") event.previousSessionFile?.length; },
  });
  const b = defineTool({ name: "b", description: "d", parameters: pi.typebox.Type.Object({ q: Type.Optional(Type.Number()), k: StringEnum(["a", "b"] as const) }),
    async execute(_id, params) { const q: number | undefined = params.q; const k: "a" | "b" = params.k; return { content: [{ type: "text", text: String(q) + k }] }; } });
  // @ts-expect-error missing execute
  const bad: CustomTool = { name: "x", description: "d", parameters: {} };
  const plain: CustomTool = { name: "x", description: "d", parameters: {}, async execute(_i, p) { return { content: [{ type: "text", text: p.any.thing }] }; } };
  return [a, b, plain];
};
export default factory;
new Container(); fs.any;
