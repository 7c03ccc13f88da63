import type { RunInput } from "../../workflow/input.ts";
import type { RunRow } from "../../ports/event-log.ts";
import type { Ports } from "../../ports/ports.ts";
import { AppError } from "../../shared/app-error.ts";
import { redactJson } from "../../shared/redact.ts";
import type { RunState } from "../../workflow/state.ts";
import { codec } from "../../workflow/stored/codec.ts";
import { readEntries } from "../read-log.ts";
import { foldEntries } from "../run-session.ts";
import { type RetryRefusal, retryRefusal } from "../../views/run-view.ts";
import { readRaised } from "./read-budget.ts";

/**
 * Posts an input to the inbox of a run; the process that drives the run takes it. False when the id was sent before.
 */
export async function sendInput(
  ports: Pick<Ports, "log" | "redact" | "clock">,
  run: string,
  input: RunInput,
  id = ports.clock.id(),
): Promise<boolean> {
  return ports.log.postMessage({ id, run, input: codec.encodeMessage(redactJson(input, ports.redact)) });
}

/** Finds a run by its id or a prefix of it; the newest run when no name is given. */
export async function findRun(ports: Pick<Ports, "log">, name: string | undefined): Promise<RunRow> {
  const exact = name === undefined ? null : await ports.log.run(name);
  if (exact !== null) return exact;
  const found = name === undefined ? await ports.log.runs({ limit: 1 }) : await ports.log.runsFrom(name, MAX_NAMED);
  const [first, second] = found;
  if (first === undefined)
    throw new AppError(
      "no-such-run",
      name === undefined ? "There is no run yet." : `There is no run ${name}.`,
      name === undefined ? "`baton run` starts one." : "`baton status` lists them.",
    );
  if (second !== undefined)
    throw new AppError(
      "no-such-run",
      `${found.length === MAX_NAMED ? "Many" : found.length} runs begin with ${name ?? ""}.`,
      `Name it whole: ${found.map((row) => row.run).join(", ")}`,
    );
  return first;
}

const MAX_NAMED = 20;

export async function readState(ports: Ports, run: string): Promise<RunState> {
  return foldEntries(await readEntries(ports.log, run));
}

/** Newest first. */
export async function listRuns(ports: Ports, limit: number): Promise<RunRow[]> {
  return ports.log.runs({ limit });
}

const MAX_UNFINISHED = 1_000;

/** Runs that have not ended, newest first. */
export async function listUnfinished({ log }: Pick<Ports, "log">): Promise<RunRow[]> {
  return log.runs({ unfinished: true, limit: MAX_UNFINISHED });
}

/** Rejects a retry that the budget would end at once, before anything is stored. */
export async function ensureRetry(ports: Ports, row: RunRow): Promise<void> {
  const refusal = await findRetryRefusal(ports, row);
  if (refusal !== null) throw new AppError("conflict", refusal.why, refusal.help);
}

export async function findRetryRefusal(ports: Ports, row: RunRow): Promise<RetryRefusal | null> {
  const { workflow, state } = await readRaised(ports, row);
  return retryRefusal(workflow, state, ports.clock.now());
}
