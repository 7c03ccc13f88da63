import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, delimiter, dirname, join, sep } from "node:path";
import { AppError } from "../../shared/app-error.ts";
import { isRecord } from "../../shared/json-value.ts";
import { plainReason } from "../../shared/plain-reason.ts";
import type { Workflow } from "../../workflow/definition.ts";
import { type Binding, bindWorkflow } from "../../workflow/file/bind-workflow.ts";
import { type AgentScript, agentScripts } from "../../workflow/ready/agent-scripts.ts";
import { READY_WORKFLOWS, type ReadyWorkflowName } from "../../workflow/ready/ready-workflows.ts";
import { isOnPath } from "./check-programs.ts";
import { NO_REPORTS, reportsOf } from "./find-reports.ts";

export const AGENT_CHOICES = ["claude", "codex", "gemini", "opencode", "copilot", "script"] as const;
export type AgentChoice = (typeof AGENT_CHOICES)[number];

/** The `run` of each client; null keeps the scripts, one file per agent. */
const RUNS: Readonly<Record<AgentChoice, string | null>> = {
  claude: "{ claude: {} }",
  codex: "{ codex: {} }",
  gemini: "{ acp: [gemini, --acp] }",
  opencode: "{ acp: [opencode, acp] }",
  copilot: "{ acp: [copilot, --acp] }",
  script: null,
};

export interface RepositoryFindings {
  /** Clients that are installed. */
  readonly clients: readonly AgentChoice[];
  readonly gates: Binding["gates"];
  readonly workflow: ReadyWorkflowName;
  /** Why this workflow was chosen, if the user named none. */
  readonly why: string;
  /** Further observations, for the person who is asked. */
  readonly notes: readonly string[];
}

/**
 * Inspects a repository: its tools, and which of the five formats it already uses. Gates run at the root of the
 * repository, wherever the workflow file is, so the tools are those of the root.
 */
export function inspectRepository(directory: string, root: string, path: string): RepositoryFindings {
  const scripts = packageScripts(root);
  const gates = findGates(root, scripts);
  const clients = AGENT_CHOICES.filter((name) => name !== "script" && isOnPath(name, path));
  const [workflow, why] = guessWorkflow(directory);
  const notes = [
    clients.length === 0 ? "No agent client was found on your PATH." : `Found on your PATH: ${clients.join(", ")}.`,
    ...Object.entries(gates).map(([name, { command }]) => `Gate ${name}: ${command.join(" ")}.`),
    ...("tests" in gates && gates["tests"]?.reports.length === 0
      ? ["Gate tests writes no report that is known: numbers of tests stay unverifiable until `reports` names one."]
      : []),
    ...(scripts === null && existsSync(join(root, "package.json"))
      ? ["package.json cannot be read: no gate is made of its scripts."]
      : []),
    ...(isStub(scripts?.["test"]) ? ["The test script of package.json only fails, as npm wrote it: no gate."] : []),
  ];
  return { clients, gates, workflow, why, notes };
}

/** The command line that starts a run of this workflow here. */
export function startLine(workflow: ReadyWorkflowName, directory: string, path: string): string {
  const baton = calledHere(directory, path);
  if (workflow !== "tasks") return `${baton} run --brief "what is to be done"`;
  const file = ".taskmaster/tasks/tasks.json";
  return `${baton} run --tasks ${existsSync(join(directory, file)) ? file : `"tasks/task-*.md"`}`;
}

/** A program installed in a project is on the PATH only for its scripts and npx. */
export function calledHere(directory: string, path: string): string {
  const isInstalled = existsSync(join(directory, "node_modules/.bin/baton"));
  const folders = path.split(delimiter).filter((folder) => !folder.endsWith(join("node_modules", ".bin")));
  return isInstalled && !isOnPath("baton", folders.join(delimiter)) ? "npx baton" : "baton";
}

export function writeWorkflow(name: ReadyWorkflowName, agent: AgentChoice, gates: Binding["gates"]): string {
  return bindWorkflow(READY_WORKFLOWS[name].text, { run: RUNS[agent], gates });
}

export interface WrittenScripts {
  readonly placeholders: readonly string[];
  /** Files that the scripts share. */
  readonly helpers: readonly string[];
  /** Files that already existed. */
  readonly kept: readonly string[];
  /** Removes the files that were written. */
  undo(): void;
}

/**
 * Writes scripts for agents without one, so that the workflow can run. It overwrites no file, and writes nothing
 * outside of the root.
 */
export function writeScripts(workflow: Workflow, root: string): WrittenScripts {
  const [written, kept]: [AgentScript[], AgentScript[]] = [[], []];
  const made: string[] = [];
  const undo = (): void =>
    takeAway(
      written.map(({ path }) => join(root, path)),
      made,
    );
  try {
    for (const script of agentScripts(workflow)) {
      made.push(...makeFolder(dirname(script.path), root));
      (writeScript(script, root) ? written : kept).push(script);
    }
  } catch (error) {
    undo();
    throw error;
  }
  const pathsOf = (scripts: readonly AgentScript[]): string[] => scripts.map(({ path }) => path);
  return {
    placeholders: pathsOf(written.filter(({ isPlaceholder }) => isPlaceholder)),
    helpers: pathsOf(written.filter(({ isPlaceholder }) => !isPlaceholder)),
    kept: pathsOf(kept),
    undo,
  };
}

/** False when the file already exists. */
function writeScript({ path, text }: AgentScript, root: string): boolean {
  try {
    // `wx` does not follow links.
    writeFileSync(join(root, path), text, { flag: "wx", mode: 0o755 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw cannotWrite(path, plainReason(error));
    return false;
  }
}

/** A file that cannot be removed is left. */
function takeAway(files: readonly string[], folders: readonly string[]): void {
  const removals = [
    ...files.map((file) => () => rmSync(file, { force: true })),
    ...folders.map((folder) => () => rmdirSync(folder)),
  ];
  for (const remove of removals) {
    try {
      remove();
    } catch {
      continue;
    }
  }
}

/** Returns the folder if it is new. A link may lead to another folder in the repository, but not outside. */
function makeFolder(folder: string, root: string): string[] {
  try {
    const path = join(root, folder);
    const isNew = !existsSync(path);
    // Not recursive: the root exists, and on some file systems recursive mkdir never returns.
    if (isNew) mkdirSync(path);
    if (!statSync(path).isDirectory()) throw noFolder(folder);
    if (realpathSync(path).startsWith(join(realpathSync(root), sep))) return isNew ? [path] : [];
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw (error as NodeJS.ErrnoException).code === "EEXIST"
      ? noFolder(folder)
      : cannotWrite(folder, plainReason(error));
  }
  throw new AppError(
    "cannot-write",
    `${folder} leads out of the repository: nothing was written.`,
    "Put a folder in the place of the link, then run baton init again.",
  );
}

/** The workflow file is written last, so that an earlier failure leaves nothing that blocks the next attempt. */
export function writeWorkflowFile(path: string, text: string, overwrites: boolean): void {
  const isNew = !existsSync(path);
  try {
    // `wx` does not follow a dangling link.
    writeFileSync(path, text, { flag: overwrites && !isNew ? "w" : "wx" });
  } catch (error) {
    // A full disk can leave a partial file.
    if (isNew && (error as NodeJS.ErrnoException).code !== "EEXIST") rmSync(path, { force: true });
    throw cannotWrite(basename(path), plainReason(error));
  }
}

function noFolder(path: string): AppError {
  return cannotWrite(path, "something that is no folder has its name");
}

function cannotWrite(path: string, why: string): AppError {
  const hint = "Make room for it, or check the permissions of the folder, then run baton init again.";
  return new AppError("cannot-write", `${path} cannot be written: ${why}.`, hint);
}

/** A package.json without check scripts may only configure a formatter, so other tools are tried. */
function findGates(directory: string, scripts: Scripts | null): Binding["gates"] {
  const npm = {
    ...(scripts !== null && "lint" in scripts && { lint: plain("npm", "run", "lint") }),
    ...(scripts !== null && "test" in scripts && !isStub(scripts["test"]) && { tests: npmTests(scripts["test"]) }),
  };
  if (Object.keys(npm).length > 0) return npm;
  const has = (file: string): boolean => existsSync(join(directory, file));
  if (has("Cargo.toml"))
    return { lint: plain("cargo", "clippy", "--", "-D", "warnings"), tests: plain("cargo", "test") };
  if (has("go.mod")) return { lint: plain("go", "vet", "./..."), tests: plain("go", "test", "./...") };
  if (!has("pyproject.toml")) return {};
  return {
    tests: { command: ["python3", "-m", "pytest", "--junitxml=test-report.xml"], reports: ["test-report.xml"] },
  };
}

type FoundGate = Binding["gates"][string];

function plain(...command: readonly string[]): FoundGate {
  return { command, reports: [] };
}

function npmTests(script: unknown): FoundGate {
  const { args, reports } = typeof script === "string" ? reportsOf(script) : NO_REPORTS;
  return { command: ["npm", "test", ...(args.length === 0 ? [] : ["--", ...args])], reports };
}

type Scripts = Readonly<Record<string, unknown>>;

/** The default test script of `npm init`, which always fails. */
function isStub(script: unknown): boolean {
  return typeof script === "string" && /no test specified.*exit 1/.test(script);
}

function packageScripts(directory: string): Scripts | null {
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
  return [
    "pipeline",
    "No handoff stands where the ready workflows have theirs: the pipeline workflow is a good start.",
  ];
}
