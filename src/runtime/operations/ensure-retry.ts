import type { RunRow } from "../../ports/event-log.ts";
import type { Machine } from "../../ports/machine.ts";
import { AppError } from "../../shared/app-error.ts";
import { type RetryRefusal, retryRefusal } from "../../views/retry-refusal.ts";
import { readRun } from "../read-run.ts";

/** A retry that the budget would end at once is refused before anything is stored. */
export async function ensureRetry(machine: Machine, row: RunRow): Promise<void> {
  const refusal = await findRetryRefusal(machine, row);
  if (refusal !== null) throw new AppError("conflict", refusal.why, refusal.help);
}

export async function findRetryRefusal(machine: Machine, row: RunRow): Promise<RetryRefusal | null> {
  const { workflow, state } = await readRun(machine, row);
  return retryRefusal(workflow, state, machine.clock.now());
}
