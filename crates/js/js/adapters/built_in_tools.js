// The built-in tools as compatible agents export them: `createReadTool(cwd)` and the others are the real tools, which can be
// wrapped. With operations of the author's own, the file system or the shell is replaced by those.

import { BUILT_IN, builtin, exec, host } from "toolsmith:kernel";
import { perform } from "toolsmith:adapters/extension";

let specs;

function specOf(name) {
  specs ??= new Map(JSON.parse(host.builtInSpecs() || "[]").map((spec) => [spec.name, spec]));
  return (
    specs.get(name) ?? {
      name,
      label: name,
      description: `The built-in tool ${name}`,
      parameters: { type: "object", properties: {} },
    }
  );
}

const text = (value) => ({ content: [{ type: "text", text: value }], details: undefined });

/** An absolute path without `.` and `..`. */
function absolute(cwd, file) {
  const written = String(file).replace(/^@/, "");
  const parts = [];
  for (const part of (written.startsWith("/") ? written : `${cwd}/${written}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

let calls = 0;

/** Runs the built-in tool itself; like in compatible agents, a failure is thrown. */
async function real(name, cwd, id, params, signal, onUpdate) {
  const task = { type: "callBuiltIn", name, arguments: params, cwd, callId: id || `built-in-${++calls}` };
  const result = await perform(task, signal, onUpdate);
  if (result?.isError) throw new Error((result.content ?? []).map((block) => block.text ?? "").join("\n"));
  return result;
}

/**
 * Has a call decided that the author's options make in place of the built-in tool: what the user denied and what hooks say holds
 * for it too. Returns the arguments, which a hook may have changed. Without a session there is nothing that decides.
 */
async function decided(name, cwd, id, params, signal) {
  specOf(name);
  if (!specs.has(name)) return params;
  const task = { type: "approveBuiltIn", name, arguments: params, cwd, callId: id || `built-in-${++calls}` };
  return perform(task, signal);
}

const decode = (data) => (typeof data === "string" ? data : new TextDecoder().decode(data));

/** Tools over operations of the author's own. */
const over = {
  async read(operations, cwd, { path: file, offset, limit }) {
    const target = absolute(cwd, file);
    await operations.access?.(target);
    const mimeType = await operations.detectImageMimeType?.(target);
    const data = await operations.readFile(target);
    if (mimeType)
      return {
        content: [{ type: "image", data: host.base64Encode(new Uint8Array(data), false), mimeType }],
        details: undefined,
      };
    const lines = decode(data).split("\n");
    const start = Math.max(0, (offset ?? 1) - 1);
    const chosen = limit === undefined ? lines.slice(start) : lines.slice(start, start + limit);
    const { truncateHead } = builtin("toolsmith:compat/truncation");
    const cut = truncateHead(chosen.join("\n"));
    return { content: [{ type: "text", text: cut.content }], details: cut.truncated ? { truncation: cut } : undefined };
  },
  async write(operations, cwd, { path: file, content }) {
    const target = absolute(cwd, file);
    await operations.mkdir?.(target.slice(0, target.lastIndexOf("/")) || "/");
    await operations.writeFile(target, content);
    return text(`Wrote ${content.length} characters to ${file}`);
  },
  async edit(operations, cwd, params) {
    const target = absolute(cwd, params.path);
    await operations.access?.(target);
    let content = decode(await operations.readFile(target));
    for (const { oldText, newText } of params.edits ?? [params]) {
      const at = content.indexOf(oldText);
      if (at < 0) throw new Error(`The text to replace was not found in ${params.path}`);
      if (content.indexOf(oldText, at + 1) >= 0)
        throw new Error(`The text to replace occurs more than once in ${params.path}`);
      content = content.slice(0, at) + newText + content.slice(at + oldText.length);
    }
    await operations.writeFile(target, content);
    return text(`Edited ${params.path}`);
  },
  async bash(operations, cwd, { command, timeout }, signal, onUpdate, env) {
    const chunks = [];
    const onData = (data) => {
      chunks.push(decode(data));
      onUpdate?.(text(chunks.join("")));
    };
    const { exitCode } = await operations.exec(command, cwd, { onData, signal, timeout, env });
    return shellResult(chunks.join(""), exitCode);
  },
  async ls(operations, cwd, { path: file = "." }) {
    const target = absolute(cwd, file);
    if ((await operations.exists?.(target)) === false) throw new Error(`Path not found: ${file}`);
    const names = await operations.readdir(target);
    return text([...names].map(String).sort().join("\n") || "(empty directory)");
  },
  async find(operations, cwd, { pattern, path: file = ".", limit = 1000 }) {
    const found = await operations.glob(pattern, absolute(cwd, file), {
      ignore: ["**/node_modules/**", "**/.git/**"],
      limit,
    });
    return text([...found].map(String).join("\n") || "No files found matching pattern");
  },
  async grep(operations, cwd, params) {
    const target = absolute(cwd, params.path ?? ".");
    if (await operations.isDirectory?.(target))
      throw new Error("grep with operations of its own searches single files");
    const pattern = new RegExp(
      params.literal ? params.pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : params.pattern,
      params.ignoreCase ? "i" : "",
    );
    const lines = decode(await operations.readFile(target)).split("\n");
    const hits = lines.flatMap((line, index) => (pattern.test(line) ? [`${params.path}:${index + 1}: ${line}`] : []));
    return text(hits.slice(0, params.limit ?? 100).join("\n") || "No matches found");
  },
};

function shellResult(output, exitCode) {
  const { truncateTail } = builtin("toolsmith:compat/truncation");
  const cut = truncateTail(output || "(no output)");
  if (exitCode !== 0) throw new Error(`${cut.content}\n\nCommand exited with code ${exitCode}`);
  return { content: [{ type: "text", text: cut.content }], details: cut.truncated ? { truncation: cut } : undefined };
}

/** A shell command with the author's changes to it. */
async function hooked(cwd, options, params, signal) {
  const command = options.commandPrefix ? `${options.commandPrefix}\n${params.command}` : params.command;
  const folder = params.cwd === undefined ? cwd : absolute(cwd, params.cwd);
  const context = { command, cwd: folder, env: { ...globalThis.process?.env } };
  const changed = options.spawnHook?.(context) ?? context;
  const timeout = params.timeout === undefined ? undefined : params.timeout * 1000;
  const { stdout, stderr, code, killed } = await exec("bash", ["-c", changed.command], {
    cwd: changed.cwd,
    env: changed.env,
    signal,
    timeout,
  });
  if (killed)
    throw new Error(signal?.aborted ? "Command aborted" : `Command timed out after ${params.timeout} seconds`);
  return shellResult(stdout + stderr, code);
}

/** What the author's options change, for the person who is asked; undefined where the built-in tool itself does the work. */
function changesBy(name, options) {
  if (options?.operations) return [`Done by operations of the extension, not by the built-in tool ${name}`];
  if (name !== "bash" || !(options?.spawnHook || options?.commandPrefix)) return undefined;
  const lines = options.commandPrefix ? [`Runs first: ${options.commandPrefix}`] : [];
  if (options.spawnHook) lines.push("The extension may change the command, its directory and its environment");
  return lines;
}

function create(name, cwd = host.cwd(), options = {}) {
  const spec = specOf(name);
  const changes = changesBy(name, options);
  const mark = {
    name,
    cwd: typeof cwd === "string" && cwd !== host.cwd() ? cwd : undefined,
    isReplaced: changes !== undefined,
  };
  const tool = {
    ...spec,
    // What the built-in tool needs for these arguments.
    approval: (args) => perform({ type: "approvalOf", name, arguments: args, cwd }),
    async execute(id, params, signal, onUpdate) {
      if (changes === undefined) return real(name, cwd, id, params, signal, onUpdate);
      const allowed = await decided(name, cwd, id, params, signal);
      if (options.operations) return over[name](options.operations, cwd, allowed, signal, onUpdate);
      return hooked(cwd, options, allowed, signal);
    },
    [BUILT_IN]: mark,
  };
  if (changes !== undefined) tool.formatApprovalDetails = () => changes;
  tool.approval[BUILT_IN] = mark;
  tool.execute[BUILT_IN] = mark;
  return tool;
}

const creator = (name) => (cwd, options) => create(name, cwd, options);

export const createReadTool = creator("read");
export const createWriteTool = creator("write");
export const createEditTool = creator("edit");
export const createBashTool = creator("bash");
export const createGrepTool = creator("grep");
export const createFindTool = creator("find");
export const createLsTool = creator("ls");
export const createReadToolDefinition = createReadTool;
export const createWriteToolDefinition = createWriteTool;
export const createEditToolDefinition = createEditTool;
export const createBashToolDefinition = createBashTool;
export const createGrepToolDefinition = createGrepTool;
export const createFindToolDefinition = createFindTool;
export const createLsToolDefinition = createLsTool;

const CODING = ["read", "bash", "edit", "write"];
const READ_ONLY = ["read", "grep", "find", "ls"];
const ALL = ["read", "bash", "edit", "write", "grep", "find", "ls"];
export const allToolNames = new Set(ALL);
export const createTool = (name, cwd, options) => create(name, cwd, options?.[name]);
export const createToolDefinition = createTool;
export const createCodingTools = (cwd, options) => CODING.map((name) => createTool(name, cwd, options));
export const createReadOnlyTools = (cwd, options) => READ_ONLY.map((name) => createTool(name, cwd, options));
export const createAllTools = (cwd, options) =>
  Object.fromEntries(ALL.map((name) => [name, createTool(name, cwd, options)]));
export const createCodingToolDefinitions = createCodingTools;
export const createReadOnlyToolDefinitions = createReadOnlyTools;
export const createAllToolDefinitions = createAllTools;

/** The local shell as operations. */
export const createLocalBashOperations = () => ({
  async exec(command, cwd, { onData, signal, timeout, env } = {}) {
    const { stdout, stderr, code, killed } = await exec("bash", ["-c", command], {
      cwd,
      env,
      signal,
      timeout: timeout === undefined ? undefined : timeout * 1000,
    });
    const bytes = (value) => (globalThis.Buffer ? Buffer.from(value) : new TextEncoder().encode(value));
    if (stdout) onData?.(bytes(stdout));
    if (stderr) onData?.(bytes(stderr));
    if (killed) throw new Error(signal?.aborted ? "aborted" : `timeout:${timeout}`);
    return { exitCode: code };
  },
});
