import { existsSync } from "node:fs";
import { isAbsolute, posix, resolve } from "node:path";
import { type Severity, compareDiagnostics } from "../../protocol/diagnostic.ts";
import type { Workflow } from "../../workflow/definition.ts";
import { type NamedProgram, namedPrograms } from "../../workflow/file/named-programs.ts";
import { type WorkflowFinding, clip } from "../../workflow/file/problems.ts";
import { placeFindings } from "../../workflow/file/read-workflow.ts";
import type { Surroundings } from "../surroundings.ts";
import { isExecutable, isOnPath } from "./find-program.ts";
import type { LoadedWorkflow } from "./load-workflow.ts";

/** Where programs are looked for, and how bad it is that the first agent cannot be started. */
export interface ProgramCheck {
  readonly surroundings: Surroundings;
  readonly searchPath: string;
  readonly severity: Severity;
}

export interface CheckedWorkflow extends LoadedWorkflow {
  /** How many of the files that are missing in the last commit are in the folder. */
  readonly uncommitted: number;
}

/**
 * The same workflow with what its agents cannot be started without. The file alone may be right: what is missing is
 * missing here and now. It is more than a warning only where it is certain that the first agent cannot be started: what
 * another one runs, somebody may have made by then.
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

/** What is missing of these. */
export async function findMissing(
  programs: readonly NamedProgram[],
  workspace: Workflow["workspace"],
  check: ProgramCheck,
): Promise<WorkflowFinding[]> {
  return [
    ...programs.flatMap((program) => missingCommand(program, check.searchPath) ?? []),
    ...(await missingFiles(programs, workspace, check)),
  ];
}

function missingCommand(program: NamedProgram, searchPath: string): WorkflowFinding | null {
  // Without a PATH the system has one of its own.
  if (program.kind !== "command" || searchPath === "" || isOnPath(program.name, searchPath)) return null;
  return finding(program, "warning", NOT_ON_PATH);
}

async function missingFiles(
  programs: readonly NamedProgram[],
  workspace: Workflow["workspace"],
  { surroundings, searchPath, severity }: ProgramCheck,
): Promise<WorkflowFinding[]> {
  const files = programs.filter(({ kind }) => kind !== "command");
  const inTree = workspace === "worktree" ? files.filter(({ name }) => isInside(name)) : [];
  const committed = inTree.length === 0 ? null : await surroundings.committed(inTree.map(fileOf));
  const missing = files.flatMap((program) => {
    if (program.kind === "shell-script" && isOnPath(program.name, searchPath, existsSync)) return [];
    const why =
      inTree.includes(program) && committed !== null
        ? whyNotInCommit(program, committed.get(fileOf(program)), surroundings.root)
        : // Where a worktree's parents lie, nobody knows yet.
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

/** Nobody makes it during the run, and nobody looks for it anywhere else. */
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

/** Only the agents of a workflow that comes along have scripts that can be written for them. */
function withInit(each: WorkflowFinding, workflow: string): WorkflowFinding {
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

function finding(program: NamedProgram, severity: Severity, { says, hint }: Why): WorkflowFinding {
  const { name, agents, path, atKey } = program;
  const [first = "", second = "", ...more] = agents;
  const others = more.length === 0 ? second : `${more.length + 1} other agents`;
  const who = second === "" ? `${first} runs` : `${first} and ${others} run`;
  const code = dependsOnMachine(program) ? "missing-program" : "missing-script";
  return { code, severity, path, atKey, message: `\`${clip(name)}\`, which ${who}, ${says}.`, hint };
}

/** What no commit can bring along. */
function dependsOnMachine({ kind, name }: NamedProgram): boolean {
  return kind === "command" || isAbsolute(name);
}
