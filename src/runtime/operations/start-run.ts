import type { Lease } from "../../ports/event-log.ts";
import type { Machine } from "../../ports/machine.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import type { TaskDefinition, Workflow } from "../../workflow/definition.ts";
import { EMPTY_RUN } from "../../workflow/evolve.ts";
import { LEASE_TIME } from "../drive-run.ts";
import { advanceRun } from "../run-session.ts";
import { workerName } from "../worker-name.ts";

export interface NewRunOptions {
  readonly workflow: Workflow;
  readonly brief: string;
  readonly tasks: readonly TaskDefinition[];
  readonly known: Readonly<Record<string, string>>;
  readonly id?: string;
}

/** Stores a new run and its first decision; whoever gets the lease drives it. */
export async function startRun(machine: Machine, { workflow, brief, tasks, known, id }: NewRunOptions): Promise<Lease> {
  const at = machine.clock.now();
  const run = id ?? newRunId(machine.clock.id());
  await machine.log.putWorkflow(workflow.hash, workflow as unknown as JsonRecord);
  const lease = await machine.log.create(
    { run, name: workflow.name, workflow: workflow.hash, at },
    workerName(machine),
    at + LEASE_TIME,
  );
  const session = { lease, workflow, state: EMPTY_RUN, sequence: 0 };
  await advanceRun(machine, session, {
    kind: "start-run",
    at,
    run,
    workflow: workflow.hash,
    name: workflow.name,
    brief,
    tasks,
    known,
  });
  return lease;
}

/** Short enough to type, long enough not to meet again. */
function newRunId(random: string): string {
  return random
    .replaceAll(/[^a-z0-9]/gi, "")
    .slice(0, 10)
    .toLowerCase();
}
