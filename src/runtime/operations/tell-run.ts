import type { Told } from "../../ports/driver.ts";
import type { RunRow, StoredEntry } from "../../ports/event-log.ts";
import type { Machine } from "../../ports/machine.ts";
import { AppError } from "../../shared/app-error.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import { redactJson } from "../../shared/redact.ts";
import type { RunState } from "../../workflow/state.ts";
import { foldEntries } from "../run-session.ts";

/** Puts something into the mailbox of a run; whoever drives it takes it. False when the same was told before. */
export async function tellRun(machine: Machine, run: string, told: Told, id = machine.clock.id()): Promise<boolean> {
  return machine.log.post({ id, run, input: redactJson(told as unknown as JsonRecord, machine.redact) });
}

/** A run by its id or the beginning of it; the newest one when none is named. */
export async function findRun(machine: Pick<Machine, "log">, name: string | undefined): Promise<RunRow> {
  const exact = name === undefined ? null : await machine.log.run(name);
  if (exact !== null) return exact;
  const found =
    name === undefined ? await machine.log.runs({ limit: 1 }) : await machine.log.runsFrom(name, MOST_NAMED);
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
      `${found.length === MOST_NAMED ? "Many" : found.length} runs begin with ${name ?? ""}.`,
      `Name it whole: ${found.map((row) => row.run).join(", ")}`,
    );
  return first;
}

const MOST_NAMED = 20;

/** Of a run whose content is there; only those behind `after`, if that is given. */
export async function wholeEntries({ log }: Pick<Machine, "log">, run: string, after?: number): Promise<StoredEntry[]> {
  const entries = await log.entries(run, after);
  if (entries.every(({ data }) => data !== null)) return entries;
  throw new AppError(
    "no-such-run",
    `The content of run ${run} was pruned.`,
    "Only its hashes are left; `baton status --all` lists the other runs.",
  );
}

export async function readState(machine: Machine, run: string): Promise<RunState> {
  return foldEntries(await machine.log.entries(run));
}

/** Newest first. */
export async function listRuns(machine: Machine, limit: number): Promise<RunRow[]> {
  return machine.log.runs({ limit });
}

const MOST_UNFINISHED = 1_000;

/** Those that are not over, newest first. */
export async function listUnfinished({ log }: Pick<Machine, "log">): Promise<RunRow[]> {
  return log.runs({ unfinished: true, limit: MOST_UNFINISHED });
}
