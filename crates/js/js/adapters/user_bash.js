// The `user_bash` event: a handler gives the result of a command the user typed, or runs it with operations of its own.

/** The outcome in the shape the Rust side reads. */
function outcome(result) {
  return {
    output: String(result?.output ?? ""),
    exitCode: Number.isInteger(result?.exitCode) ? result.exitCode : null,
    cancelled: result?.cancelled === true,
    truncated: result?.truncated === true,
  };
}

async function runWith(operations, event, signal) {
  const chunks = [];
  const decoder = new TextDecoder();
  const onData = (data) => chunks.push(typeof data === "string" ? data : decoder.decode(data, { stream: true }));
  const { exitCode } = (await operations.exec(event.command, event.cwd, { onData, signal })) ?? {};
  return outcome({ output: chunks.join(""), exitCode });
}

export async function userBash(handlers, event, ctx) {
  for (const handler of handlers) {
    const given = await handler(event, ctx);
    if (typeof given !== "object" || given === null) continue;
    if (given.result !== undefined) return outcome(given.result);
    if (typeof given.operations?.exec === "function") return runWith(given.operations, event, ctx.signal);
  }
  return null;
}
