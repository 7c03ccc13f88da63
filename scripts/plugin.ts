// Writes what is generated of `plugin` (Claude Code, Codex, Copilot) and all of `extensions` (Gemini, OpenCode) from the
// workflows that come along, the hooks below, the skills, and the launcher of the plugin. A test compares.
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { SKILL_TEXTS, skillFile } from "../src/mcp/skill-texts.ts";
import { instructionsFor } from "../src/protocol/instructions.ts";
import { readWorkflow } from "../src/workflow/file/read-workflow.ts";
import { READY_WORKFLOWS } from "../src/workflow/ready/ready-workflows.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Where everything is generated. */
export const GENERATED_FOLDERS = ["plugin/agents", "plugin/hooks", "plugin/skills", "extensions"];

/**
 * Events of Claude Code, Codex and Copilot, with the seconds that each may take: a third more than `baton hook` gives
 * itself. Codex gives the last one 3.
 */
const EVENTS = {
  SessionStart: 20,
  UserPromptSubmit: 20,
  SubagentStart: 20,
  SubagentStop: 60,
  Stop: 60,
  SessionEnd: 3,
} as const;

/** Those of Gemini. A subagent is started by a tool, and hands over by another, where it is held up. */
const GEMINI_EVENTS = {
  SessionStart: { seconds: 20 },
  BeforeAgent: { seconds: 20 },
  BeforeTool: { seconds: 60, matcher: "^(invoke_agent|complete_task)$" },
  AfterAgent: { seconds: 60 },
  SessionEnd: { seconds: 3 },
} as const;

const SKILLS = ["handoff", "pickup"] as const;

/** Every generated file by its path. */
export function pluginFiles(): ReadonlyMap<string, string> {
  return new Map([
    ["plugin/hooks/hooks.json", hooksFile()],
    ...SKILLS.map((skill): [string, string] => [`plugin/skills/${skill}/SKILL.md`, skillFile(skill)]),
    ...agentFiles(),
    ...geminiFiles(),
    ["extensions/opencode/baton.js", openCodePlugin()],
  ]);
}

const ABOUT = "Checks the handoffs of agents that baton.yaml names, and gives agents what is known when they start";

/** In the string form: Copilot drops a hook whose command is a list. */
function hooksFile(): string {
  const hooks = Object.entries(EVENTS).map(([event, timeout]) => {
    const command = `sh "\${CLAUDE_PLUGIN_ROOT}/bin/baton" hook ${event}`;
    return [event, [{ hooks: [{ type: "command", command, timeout }] }]];
  });
  return asFile({ description: ABOUT, hooks: Object.fromEntries(hooks) });
}

/** The agents of the workflows that a client can be: those with a prompt. */
function agentFiles(): [string, string][] {
  return Object.entries(READY_WORKFLOWS).flatMap(([name, { title, text }]) => {
    const { workflow } = readWorkflow(text, { path: `${name}.yaml`, hash: "" });
    if (workflow === null) throw new Error(`the workflow ${name} cannot be read`);
    return Object.values(workflow.agents)
      .filter(({ prompt }) => prompt !== "")
      .map(({ name: agent, dialect, prompt }): [string, string] => [
        `plugin/agents/${agent}.md`,
        `---
name: ${agent}
description: ${agent} of the Baton workflow ${name} (${title}). Hands over in ${dialect}.
---

${prompt.trim()}

End your last message with the handoff, and nothing after it.

${instructionsFor(dialect, { from: agent })}`,
      ]);
  });
}

function geminiFiles(): [string, string][] {
  const hooks = Object.entries(GEMINI_EVENTS).map(([event, { seconds, ...matcher }]) => {
    const command = `sh "\${extensionPath}/bin/baton" hook ${event} --client gemini`;
    const hook = { name: `baton ${event}`, type: "command", command, timeout: seconds * 1000 };
    return [event, [{ ...matcher, hooks: [hook] }]];
  });
  const server = { command: "sh", args: ["${extensionPath}/bin/baton", "mcp"] };
  const manifest = { name: "baton", version: version(), description: ABOUT, mcpServers: { baton: server } };
  const files: [string, string][] = [
    ["gemini-extension.json", asFile(manifest)],
    ["hooks/hooks.json", asFile({ hooks: Object.fromEntries(hooks) })],
    ["bin/baton", source("plugin/bin/baton")],
    ["LICENSE", source("LICENSE")],
    ...SKILLS.flatMap((skill): [string, string][] => {
      const { description, body } = SKILL_TEXTS[skill];
      const prompt = `description = ${JSON.stringify(description)}\nprompt = """\n${body}\n{{args}}\n"""\n`;
      return [
        [`skills/${skill}/SKILL.md`, skillFile(skill)],
        [`commands/${skill}.toml`, prompt],
      ];
    }),
  ];
  return files.map(([path, text]) => [`extensions/gemini/${path}`, text]);
}

function openCodePlugin(): string {
  const commands = SKILLS.map((skill) => {
    const { description, body } = SKILL_TEXTS[skill];
    return [skill, { description, template: `${body}\n\n$ARGUMENTS` }];
  });
  return source("scripts/opencode-plugin.js")
    .replace('"{{launcher}}"', () => JSON.stringify(source("plugin/bin/baton")))
    .replace('"{{commands}}"', () => JSON.stringify(Object.fromEntries(commands), null, 2));
}

function version(): string {
  const { version: own } = JSON.parse(source("package.json")) as { version: string };
  return own;
}

function source(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

function asFile(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

if (process.argv[1] === import.meta.filename) {
  for (const folder of GENERATED_FOLDERS) rmSync(join(root, folder), { recursive: true, force: true });
  for (const [path, text] of pluginFiles()) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
    if (path.endsWith("bin/baton")) chmodSync(join(root, path), 0o755);
  }
}
