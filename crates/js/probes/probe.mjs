// What every probe is made with: a tool that does something and compares what comes out with what has to. One member that is
// missing or behaves otherwise fails the whole probe.

export const probe = (module, members, run, expected) => (pi) => ({
  name: "probe",
  label: module,
  description: members,
  parameters: { type: "object" },
  async execute(_id, _params, _onUpdate, _ctx, signal) {
    const actual = JSON.stringify(await run(pi, signal));
    const wanted = JSON.stringify(expected);
    if (actual !== wanted) throw new Error(`expected ${wanted}, got ${actual}`);
    return { content: [{ type: "text", text: "pass" }] };
  },
});
