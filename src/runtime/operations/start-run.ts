import type { Lease } from "../../ports/event-log.ts";
import type { Machine } from "../../ports/machine.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import type { TaskDefinition, Workflow } from "../../workflow/definition.ts";
import { LEASE_TIME } from "../drive-run.ts";
import { workerName } from "../worker-name.ts";
import { tellRun } from "./tell-run.ts";

export interface NewRunOptions {
  readonly workflow: Workflow;
  readonly brief: string;
  readonly tasks: readonly TaskDefinition[];
  readonly known: Readonly<Record<string, string>>;
  readonly id?: string;
}

/** Stores a new run with its start in its mailbox; whoever holds the lease drives it. */
export async function startRun(machine: Machine, { workflow, brief, tasks, known, id }: NewRunOptions): Promise<Lease> {
  const at = machine.clock.now();
  const run = id ?? newRunId(machine.clock.id());
  await machine.log.putWorkflow(workflow.hash, workflow as unknown as JsonRecord);
  const lease = await machine.log.create(
    { run, name: workflow.name, workflow: workflow.hash, at },
    workerName(machine),
    at + LEASE_TIME,
  );
  const start = { kind: "start-run", run, workflow: workflow.hash, name: workflow.name, brief, tasks, known } as const;
  await tellRun(machine, run, start, `start:${run}`);
  return lease;
}

/** Short enough to type, long enough not to meet again. */
function newRunId(random: string): string {
  return random
    .replaceAll(/[^a-z0-9]/gi, "")
    .slice(0, 10)
    .toLowerCase();
}
