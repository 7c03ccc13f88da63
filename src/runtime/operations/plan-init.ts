import { existsSync, globSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { AppError } from "../../shared/app-error.ts";
import { isRecord } from "../../shared/json-value.ts";
import type { Workflow } from "../../workflow/definition.ts";
import { type Binding, bindWorkflow } from "../../workflow/file/bind-workflow.ts";
import { agentScripts } from "../../workflow/ready/agent-scripts.ts";
import { READY_WORKFLOWS, type ReadyWorkflowName } from "../../workflow/ready/ready-workflows.ts";
import { isOnPath } from "./find-program.ts";

export const AGENT_CHOICES = ["claude", "codex", "gemini", "opencode", "copilot", "script"] as const;
export type AgentChoice = (typeof AGENT_CHOICES)[number];

/** How each client is run; a script is one file for each agent. */
const RUNS: Readonly<Record<AgentChoice, string | null>> = {
  claude: "{ claude: {} }",
  codex: "{ codex: {} }",
  gemini: "{ acp: [gemini, --acp] }",
  opencode: "{ acp: [opencode, acp] }",
  copilot: "{ acp: [copilot, --acp] }",
  script: null,
};

export interface Findings {
  /** Clients that are installed. */
  readonly clients: readonly AgentChoice[];
  readonly gates: Binding["gates"];
  readonly workflow: ReadyWorkflowName;
  /** What was seen, for the person who is asked. */
  readonly notes: readonly string[];
}

/** Looks at a repository: which tools it has, and which of the five ways of working it knows. */
export function lookAround(directory: string, path: string): Findings {
  const gates = findGates(directory);
  const clients = AGENT_CHOICES.filter((name) => name !== "script" && isOnPath(name, path));
  const [workflow, why] = guessWorkflow(directory);
  const notes = [
    clients.length === 0 ? "No agent client was found on your PATH." : `Found on your PATH: ${clients.join(", ")}.`,
    ...Object.entries(gates).map(([name, command]) => `Gate ${name}: ${command.join(" ")}.`),
    why,
  ];
  return { clients, gates, workflow, notes };
}

export function writeWorkflow(name: ReadyWorkflowName, agent: AgentChoice, gates: Binding["gates"]): string {
  return bindWorkflow(READY_WORKFLOWS[name].text, { run: RUNS[agent], gates });
}

export interface WrittenScripts {
  readonly written: readonly string[];
  /** Were there already. */
  readonly kept: readonly string[];
}

/** Scripts for the agents that have none, so that the workflow can be run. No file is overwritten, none is outside. */
export function writeScripts(workflow: Workflow, root: string): WrittenScripts {
  const [written, kept]: [string[], string[]] = [[], []];
  for (const { path, text } of agentScripts(workflow)) {
    makeFolder(dirname(path), root);
    try {
      // `wx` does not follow a link either.
      writeFileSync(join(root, path), text, { flag: "wx", mode: 0o755 });
      written.push(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw cannotWrite(path, error);
      kept.push(path);
    }
  }
  return { written, kept };
}

/** A link may lead to another place in the repository, and to none outside. */
function makeFolder(folder: string, root: string): void {
  try {
    mkdirSync(join(root, folder), { recursive: true });
    if (realpathSync(join(root, folder)).startsWith(join(realpathSync(root), sep))) return;
  } catch (error) {
    throw cannotWrite(folder, error);
  }
  throw new AppError(
    "cannot-write",
    `${folder} leads out of the repository: no script was written there.`,
    `Put a folder in the place of the link, then run baton init --force again.`,
  );
}

function cannotWrite(path: string, error: unknown): AppError {
  const { code = String(error) } = error as NodeJS.ErrnoException;
  const why = code === "EEXIST" || code === "ENOTDIR" ? "something that is no folder has its name" : code;
  const hint = "Make room for the scripts, then run baton init --force again.";
  return new AppError("cannot-write", `${path} cannot be written: ${why}.`, hint);
}

function findGates(directory: string): Binding["gates"] {
  const scripts = packageScripts(directory);
  if (scripts !== null)
    return {
      ...("lint" in scripts && { lint: ["npm", "run", "lint"] }),
      ...("test" in scripts && { tests: ["npm", "test"] }),
    };
  const has = (file: string): boolean => existsSync(join(directory, file));
  if (has("Cargo.toml")) return { lint: ["cargo", "clippy", "--", "-D", "warnings"], tests: ["cargo", "test"] };
  if (has("go.mod")) return { lint: ["go", "vet", "./..."], tests: ["go", "test", "./..."] };
  if (has("pyproject.toml")) return { tests: ["python3", "-m", "pytest"] };
  return {};
}

function packageScripts(directory: string): object | null {
  try {
    const parsed: unknown = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
    return isRecord(parsed) && isRecord(parsed["scripts"]) ? parsed["scripts"] : {};
  } catch {
    return null;
  }
}

function guessWorkflow(directory: string): readonly [ReadyWorkflowName, string] {
  const has = (pattern: string): boolean => globSync(pattern, { cwd: directory }).length > 0;
  if (has("handoff-*.json")) return ["pipeline", "There are handoff-*.json files: the pipeline workflow."];
  if (has(".claude/.output")) return ["feature", "There is .claude/.output: the feature workflow."];
  if (has(".taskmaster/tasks/tasks.json")) return ["tasks", "There is a Task Master file: the tasks workflow."];
  if (has(".orchestrator") || has("tasks/task-*.md")) return ["tasks", "There are task files: the tasks workflow."];
  if (has(".workflow/issue-*.yaml")) return ["issue", "There is .workflow: the issue workflow."];
  return ["pipeline", "No handoff was found: the pipeline workflow is a good start."];
}
