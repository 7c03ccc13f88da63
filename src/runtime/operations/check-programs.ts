import { spawnSync } from "node:child_process";
import { existsSync, accessSync, constants, statSync } from "node:fs";
import { isAbsolute, posix, resolve, delimiter, join } from "node:path";
import { type Severity, compareDiagnostics } from "../../protocol/diagnostic.ts";
import type { Workflow } from "../../workflow/definition.ts";
import { type NamedProgram, namedPrograms } from "../../workflow/file/named-programs.ts";
import { type FileFinding, clipText } from "../../protocol/file-problems.ts";
import { placeFindings } from "../../workflow/file/read-workflow.ts";
import type { RepositoryInfo, Engine } from "../engine.ts";
import type { LoadedWorkflow } from "./load-workflow.ts";
import type { RunInput } from "../../workflow/input.ts";
import type { RunRow } from "../../ports/event-log.ts";
import { decide } from "../../workflow/decide.ts";
import type { RunState } from "../../workflow/state.ts";
import { readInbox } from "../read-log.ts";
import { type ReadRun, readRun } from "../read-run.ts";

/** Where programs are searched, and the severity of a missing program of the first agent. */
interface ProgramCheck {
  readonly repositoryInfo: RepositoryInfo;
  readonly searchPath: string;
  readonly severity: Severity;
}

export interface CheckedWorkflow extends LoadedWorkflow {
  /** How many of the files missing from the last commit exist in the folder. */
  readonly uncommitted: number;
}

/**
 * Adds findings about programs that agents need and that are missing here and now; the file itself may be correct. They
 * are warnings, unless it is certain that the first agent cannot start: an earlier agent may create what a later one
 * needs.
 */
export async function checkPrograms(loaded: LoadedWorkflow, check: ProgramCheck): Promise<CheckedWorkflow> {
  const { workflow, text, diagnostics } = loaded;
  if (workflow === null) return { ...loaded, uncommitted: 0 };
  const missing = await findMissing(namedPrograms(workflow), workflow.workspace, check);
  const findings = loaded.isShipped ? missing.map((each) => withInit(each, workflow.name)) : missing;
  const uncommitted = findings.filter(({ hint }) => hint === NOT_COMMITTED.hint).length;
  const all = [...diagnostics, ...placeFindings(text, findings)].sort(compareDiagnostics);
  return { ...loaded, uncommitted, diagnostics: findings.length === 0 ? diagnostics : all };
}

/** What cannot be ended on this machine when an agent leaves it running; null when everything can. */
export function findUncaught(searchPath: string): string | null {
  const what = "A process that an agent detaches and whose environment is cleared is not found when the agent ends";
  if (process.platform !== "linux") return `${what}: that needs Linux.\n`;
  const trial = spawnSync("prlimit", ["--rttime=2305843009213693953:", "--", "true"], { env: { PATH: searchPath } });
  if (trial.status === 0) return null;
  return `${what}: install prlimit (of util-linux), which marks it, or let it set limits here.\n`;
}

/** Findings about those programs that are missing. */
async function findMissing(
  programs: readonly NamedProgram[],
  workspace: Workflow["workspace"],
  check: ProgramCheck,
): Promise<FileFinding[]> {
  return [
    ...programs.flatMap((program) => missingCommand(program, check.searchPath) ?? []),
    ...(await missingFiles(programs, workspace, check)),
  ];
}

function missingCommand(program: NamedProgram, searchPath: string): FileFinding | null {
  // Without a PATH the system uses a default one.
  if (program.kind !== "command" || searchPath === "" || isOnPath(program.name, searchPath)) return null;
  return finding(program, "warning", NOT_ON_PATH);
}

async function missingFiles(
  programs: readonly NamedProgram[],
  workspace: Workflow["workspace"],
  { repositoryInfo: surroundings, searchPath, severity }: ProgramCheck,
): Promise<FileFinding[]> {
  const files = programs.filter(({ kind }) => kind !== "command");
  const inTree = workspace === "worktree" ? files.filter(({ name }) => isInside(name)) : [];
  const committed = inTree.length === 0 ? null : await surroundings.committed(inTree.map(fileOf));
  const missing = files.flatMap((program) => {
    if (program.kind === "shell-script" && isOnPath(program.name, searchPath, existsSync)) return [];
    const why =
      inTree.includes(program) && committed !== null
        ? whyNotInCommit(program, committed.get(fileOf(program)), surroundings.root)
        : // The parent folders of the worktree are not known yet.
          workspace === "worktree" && !isAbsolute(program.name)
          ? null
          : whyNotInFolder(program, surroundings.root);
    return why === null ? [] : [{ program, why }];
  });
  const certain = missing.flatMap(({ program }) => (isCertain(program) ? [fileOf(program)] : []));
  const made = certain.length === 0 ? null : await surroundings.ignored(certain);
  return missing.map(({ program, why }) => {
    const isFatal = isCertain(program) && made !== null && !made.has(fileOf(program));
    return finding(program, isFatal ? severity : "warning", why);
  });
}

/** No earlier agent can create the file, and it is not searched elsewhere. */
function isCertain({ isFirst, kind }: NamedProgram): boolean {
  return isFirst && kind !== "shell-script";
}

interface Why {
  readonly says: string;
  readonly hint: string;
}

const NOT_ON_PATH: Why = {
  says: "is not on the PATH of this machine",
  hint: "Install it, or name it with its path. Another machine may have it.",
};
const ABSENT: Why = {
  says: "is not there",
  hint: "Write it, or name another: paths start at the root of the repository.",
};
const NOT_INSTALLED: Why = {
  says: "is not on this machine",
  hint: "Install it, or name another. Another machine may have it.",
};
const NOT_COMMITTED: Why = {
  says: "is not in the last commit, and agents of this workflow work in a worktree of it",
  hint: "Commit it, or write `workspace: in-place`.",
};
const NOT_EXECUTABLE: Why = {
  says: "may not be executed",
  hint: "chmod +x makes it a program; or start it with its interpreter, for example [sh, agent.sh].",
};

/** `baton init` can write scripts only for agents of a workflow that ships with baton. */
function withInit(each: FileFinding, workflow: string): FileFinding {
  if (each.hint !== ABSENT.hint) return each;
  return { ...each, hint: `${each.hint} \`baton init --workflow ${workflow}\` writes scripts to begin with.` };
}

function whyNotInFolder({ kind, name }: NamedProgram, root: string): Why | null {
  const file = resolve(root, name);
  if (!existsSync(file)) return isAbsolute(name) ? NOT_INSTALLED : ABSENT;
  return kind === "executable" && !isExecutable(file) ? NOT_EXECUTABLE : null;
}

function whyNotInCommit({ kind, name }: NamedProgram, mode: string | undefined, root: string): Why | null {
  if (mode === undefined) return existsSync(resolve(root, name)) ? NOT_COMMITTED : ABSENT;
  return kind === "executable" && mode === "100644" ? NOT_EXECUTABLE : null;
}

function fileOf({ name }: NamedProgram): string {
  return posix.normalize(name);
}

function isInside(name: string): boolean {
  return !isAbsolute(name) && !posix.normalize(name).startsWith("..");
}

function finding(program: NamedProgram, severity: Severity, { says, hint }: Why): FileFinding {
  const { name, agents, path, atKey } = program;
  const [first = "", second = "", ...more] = agents;
  const others = more.length === 0 ? second : `${more.length + 1} other agents`;
  const who = second === "" ? `${first} runs` : `${first} and ${others} run`;
  const code = dependsOnMachine(program) ? "missing-program" : "missing-script";
  return { code, severity, path, atKey, message: `\`${clipText(name)}\`, which ${who}, ${says}.`, hint };
}

/** True for programs that a commit cannot contain. */
function dependsOnMachine({ kind, name }: NamedProgram): boolean {
  return kind === "command" || isAbsolute(name);
}

/** Whether a program is on the PATH. Relative folders are ignored: they would let the repository choose the program. */
export function isOnPath(name: string, searchPath: string, isIt = isExecutable): boolean {
  return searchPath.split(delimiter).some((folder) => isAbsolute(folder) && isIt(join(folder, name)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * The programs that the agents of a stored run need to continue after these inputs, and that are missing. As for a new
 * run, these are warnings unless it is certain that the agent that starts first cannot start.
 */
export async function checkRun(
  { ports }: Engine,
  row: RunRow,
  check: ProgramCheck,
  inputs: readonly RunInput[] = [],
): Promise<FileFinding[]> {
  const read = await readRun(ports, row);
  const { workflow } = read;
  const messages = (await readInbox(ports.log, row.run)).map(({ message }) => message);
  const programs = namedPrograms(workflow, firstOf(foresee(read, [...messages, ...inputs], ports.clock.now())));
  const worktree = workflow.workspace === "worktree" ? await ports.workspace.worktree(row.run) : null;
  if (worktree === null) return findMissing(programs, workflow.workspace, check);
  // The run has its own worktree, in which earlier agents may have created files.
  const surroundings = { ...check.repositoryInfo, root: worktree };
  return findMissing(programs, "in-place", { ...check, repositoryInfo: surroundings });
}

/** The state of the run after these inputs. */
function foresee({ workflow, state }: ReadRun, inputs: readonly RunInput[], at: number): RunState {
  return inputs.reduce((before, input) => decide(workflow, before, { ...input, at }).state, state);
}

/** The agent that starts first. Interrupted attempts are started again. Null when several agents start, or none. */
function firstOf({ status, tasks }: RunState): string | null {
  const agents = Object.values(tasks).flatMap(({ step }) =>
    step !== null && (step.phase === "working" || step.phase === "delay") ? [step.agent] : [],
  );
  const [first = null, ...others] = new Set(status === "running" ? agents : []);
  return others.length === 0 ? first : null;
}
