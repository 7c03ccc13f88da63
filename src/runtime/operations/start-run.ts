import { createHash } from "node:crypto";
import type { NewRunOptions } from "../../ports/driver.ts";
import type { Lease } from "../../ports/event-log.ts";
import type { Machine } from "../../ports/machine.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import type { Workflow } from "../../workflow/definition.ts";
import { LEASE_TIME } from "../drive-run.ts";
import { workerName } from "../worker-name.ts";
import { tellRun } from "./tell-run.ts";

/** Stores a new run with its start in its mailbox; whoever holds the lease drives it. */
export async function startRun(machine: Machine, { workflow, brief, tasks, known, id }: NewRunOptions): Promise<Lease> {
  const at = machine.clock.now();
  const run = id ?? newRunId(machine.clock.id());
  const pinned = pinOf(workflow);
  const start = { kind: "start-run", run, workflow: pinned, name: workflow.name, brief, tasks, known } as const;
  // Asked for in one turn, and so stored at once: a run without its start would wait for ever.
  const [, lease] = await Promise.all([
    machine.log.putWorkflow(pinned, workflow as unknown as JsonRecord),
    machine.log.create(
      { run, name: workflow.name, workflow: pinned, at, brief: machine.redact(brief) },
      workerName(machine),
      at + LEASE_TIME,
    ),
    tellRun(machine, run, start, `start:${run}`),
  ]);
  return lease;
}

/** By what was read from the file, not by the file: a newer baton may read the same file otherwise. */
export function pinOf(workflow: Workflow): string {
  return createHash("sha256").update(JSON.stringify(workflow)).digest("hex");
}

/** Short enough to type, long enough not to meet again. */
export function newRunId(random: string): string {
  return random
    .replaceAll(/[^a-z0-9]/gi, "")
    .slice(0, 10)
    .toLowerCase();
}
