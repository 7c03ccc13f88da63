import type { GateSighting } from "../../evidence/sightings.ts";
import type { GateDefinition, Workflow } from "../../workflow/definition.ts";
import { AppError } from "../../shared/app-error.ts";
import { Problems } from "../../workflow/file/problems.ts";
import { readGate } from "../../workflow/file/read-gate.ts";
import type { Inspection } from "../inspection.ts";
import { type JobEnd, runJob } from "../run-gate.ts";
import { missingInCopy } from "./missing-in-copy.ts";

/** A gate that verification runs, and what is asked of it. */
export type VerifyGate = GateDefinition;

/** What a gate has shown, and how it went. */
export interface GateRun extends GateSighting {
  /** It came to an end of its own: what could not start, or was stopped, has shown nothing. */
  readonly hasAnswered: boolean;
  readonly outcome: GateOutcome;
  readonly milliseconds: number;
  /** The end of what it printed. */
  readonly output: string;
  /** Of a gate that did not pass: what git ignores in the workspace, and the clean copy did not have. */
  readonly missing: readonly string[];
}

/** `unusable`: it could not begin, or a report that was asked for is not there, so nobody knows what it would show. */
export type GateOutcome = "passed" | "failed" | "unusable";

/** What verification runs, and what comes along into the copies. */
export interface GateOrder {
  readonly gates: readonly VerifyGate[];
  /** Folders that the operator names, which git ignores. */
  readonly bring: readonly string[];
  readonly signal: AbortSignal;
  readonly onGate: (name: string) => void;
}

/** A gate in the operator's own words, with the limits that gates of workflows have. */
export function gateOf(name: string, command: readonly string[], reports: readonly string[]): VerifyGate {
  return readGate(name, { command: [...command], reports: [...reports] }, new Problems());
}

/** Gates of a workflow that run something; what only requires something has no say here. */
export function gatesOf(workflow: Workflow): VerifyGate[] {
  return Object.values(workflow.gates).filter(({ command }) => command.length > 0);
}

/** Gates that run nothing, by name: what they require is known in a run only. */
export function requirementsOf(workflow: Workflow): string[] {
  return Object.values(workflow.gates).flatMap(({ name, command }) => (command.length > 0 ? [] : [name]));
}

/** Whether a report of tests or coverage can be expected of it. */
export function runsTests({ proves }: VerifyGate): boolean {
  return proves.some((name) => TESTING.has(name));
}

const TESTING = new Set(["tests", "unit", "integration", "e2e", "coverage"]);

/** One after the other, each in a clean copy of the files as they are now: what they write is gone afterwards. */
export async function runGates(inspection: Inspection, order: GateOrder): Promise<GateRun[]> {
  const { gates, bring, signal, onGate } = order;
  await checkBrought(inspection, bring);
  const runs: GateRun[] = [];
  for (const gate of gates) {
    if (signal.aborted) break;
    onGate(gate.name);
    const brought = { ...gate, bring: [...new Set([...gate.bring, ...bring])] };
    const run = await runTimes(inspection, brought, signal);
    const missing = run.hasAnswered && !run.passed ? await missingInCopy(inspection, brought.bring) : [];
    runs.push({ ...run, missing });
  }
  return runs;
}

/** What the operator asks for by name has to be there; the modules that come along by themselves need not. */
async function checkBrought({ machine, root }: Inspection, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if (await machine.workspace.has(root, path)) continue;
    const hint =
      "Name a folder by its path from the root of the repository; links that lead elsewhere are not followed.";
    throw new AppError("cannot-read", `There is no folder ${path} to bring.`, hint);
  }
}

type Ran = Omit<GateRun, "missing">;

async function runTimes(inspection: Inspection, gate: VerifyGate, signal: AbortSignal): Promise<Ran> {
  let run = await runOnce(inspection, gate, signal);
  for (let more = gate.times - 1; more > 0 && run.passed && !signal.aborted; more--)
    run = await runOnce(inspection, gate, signal);
  return run;
}

async function runOnce({ machine, root }: Inspection, gate: VerifyGate, signal: AbortSignal): Promise<Ran> {
  const { name, command, proves, reports, limits, timeout, bring } = gate;
  const job = { name, command, proves, reports, limits, timeout, bring, place: "copy", isForeign: false } as const;
  const shown = { gate: name, proves, command };
  try {
    const runner = { machine, run: "verify", directory: root, signal };
    const end = await runJob(runner, { ...job, isSteady: false }, machine.clock.id());
    return { ...shown, ...end, message: inWords(end.message), outcome: outcomeOf(end) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const nothing = { passed: false, hasAnswered: false, figures: null, milliseconds: 0, output: "" };
    return { ...shown, ...nothing, message, outcome: "unusable" };
  }
}

function outcomeOf({ passed, message, figures }: JobEnd): GateOutcome {
  if (!passed) return NEVER_RAN.has(endOf(message)) ? "unusable" : "failed";
  return (figures?.problems.length ?? 0) > 0 ? "unusable" : "passed";
}

const NEVER_RAN = new Set(["could-not-start", "refused"]);

/** A message begins with how it ended; what held it may follow. */
function endOf(message: string): string {
  return message.split("; ", 1)[0] ?? "";
}

function inWords(message: string): string {
  const end = endOf(message);
  return (ENDS.get(end) ?? end) + message.slice(end.length);
}

const ENDS: ReadonlyMap<string, string> = new Map([
  ["timed-out", "it took longer than it may, and was ended"],
  ["flooded", "it printed more than it may, and was ended"],
  ["out-of-memory", "it used more memory than it may, and was ended"],
  ["out-of-disk", "it wrote more than it may, and was ended"],
  ["too-many-processes", "it started more processes than it may, and was ended"],
  ["could-not-start", "it could not be started"],
  ["refused", "it was not allowed to start"],
  ["stopped", "it was stopped"],
]);
