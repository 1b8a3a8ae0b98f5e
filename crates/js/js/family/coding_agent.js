// What tools take from the family's main package, and `pi.pi`.

import { exec, host, logger } from "toolsmith:kernel";
import * as ai from "toolsmith:family/ai";
import * as theme from "toolsmith:family/theme";
import * as truncation from "toolsmith:family/truncation";
import * as tui from "toolsmith:family/tui";

export { StringEnum } from "toolsmith:family/ai";
export * from "toolsmith:family/theme";
export * from "toolsmith:family/truncation";
export { BorderedLoader, Box, CancellableLoader, Container, DynamicBorder, Input, Key, Loader, Markdown, SelectList, Spacer, Text, TruncatedText, matchesKey, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "toolsmith:family/tui";
export { logger };

export const VERSION = JSON.parse(host.systemInfo()).version;

const home = () => JSON.parse(host.environment()).HOME ?? "/";
export const getAgentDir = () => `${home()}/.toolsmith/agent`;
export const CONFIG_DIR_NAME = ".toolsmith";

/** A tool as it is written down; for type inference elsewhere. */
export const defineTool = (tool) => tool;

/** Whether an event is about one tool's call. */
export const isToolCallEventType = (name, event) => event?.toolName === name;

/** Cuts the head matter off a Markdown text. */
export function parseFrontmatter(text) {
  const match = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?/.exec(text);
  if (match === null) return { frontmatter: {}, body: text };
  const frontmatter = {};
  for (const line of match[1].split(/\r?\n/)) {
    const pair = /^([\w-]+):\s*(.*)$/.exec(line);
    if (pair) frontmatter[pair[1]] = pair[2].replace(/^(["'])(.*)\1$/, "$2");
  }
  return { frontmatter, body: text.slice(match[0].length) };
}

export const execCommand = (command, args, cwd, options) => exec(command, args, { cwd, ...options });

/** The schema library, loaded when it is touched. */
export const z = ai.z;
export const zod = ai.z;
export { Type } from "toolsmith:family/ai";

export default { ...ai, ...theme, ...truncation, ...tui, VERSION, CONFIG_DIR_NAME, getAgentDir, defineTool, isToolCallEventType, parseFrontmatter, execCommand, logger, zod };
