import { join } from "node:path";
import type { Told } from "../../ports/driver.ts";
import type { RunRow } from "../../ports/event-log.ts";
import { decide } from "../../workflow/decide.ts";
import { namedPrograms } from "../../workflow/file/named-programs.ts";
import type { WorkflowFinding } from "../../workflow/file/problems.ts";
import type { RunState } from "../../workflow/state.ts";
import type { Engine } from "../engine.ts";
import { type ReadRun, readRun } from "../read-run.ts";
import { type ProgramCheck, findMissing } from "./check-programs.ts";

/**
 * What the agents of a stored run cannot be started without, when it goes on after being told this. As for a new run,
 * it is more than a warning only where it is certain that the agent which is started first cannot be.
 */
export async function checkRun(
  { machine, stateFolder }: Engine,
  row: RunRow,
  check: ProgramCheck,
  told: readonly Told[] = [],
): Promise<WorkflowFinding[]> {
  const read = await readRun(machine, row);
  const { workflow } = read;
  const letters = (await machine.log.letters(row.run)).map(({ input }) => input as unknown as Told);
  const programs = namedPrograms(workflow, firstOf(foresee(read, [...letters, ...told], machine.clock.now())));
  const worktree = `worktrees/${row.run}`;
  if (workflow.workspace !== "worktree" || !(await machine.workspace.has(stateFolder, worktree)))
    return findMissing(programs, workflow.workspace, check);
  // The run has its own files already, and whoever worked before may have made some there.
  const surroundings = { ...check.surroundings, root: join(stateFolder, worktree) };
  return findMissing(programs, "in-place", { ...check, surroundings });
}

/** Where the run stands once all of this is decided. */
function foresee({ workflow, state }: ReadRun, told: readonly Told[], at: number): RunState {
  return told.reduce((before, input) => decide(workflow, before, { ...input, at }).state, state);
}

/** Attempts that nobody watches any more are begun again. Null where several agents start, or none. */
function firstOf({ status, tasks }: RunState): string | null {
  const agents = Object.values(tasks).flatMap(({ step }) =>
    step !== null && (step.phase === "working" || step.phase === "delay") ? [step.agent] : [],
  );
  const [first = null, ...others] = new Set(status === "running" ? agents : []);
  return others.length === 0 ? first : null;
}
